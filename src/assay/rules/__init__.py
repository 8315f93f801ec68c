"""Reflect on a draft: the output rules, one file from which the writer is told and the answer is checked."""
