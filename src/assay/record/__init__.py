"""Keeping what happened."""
