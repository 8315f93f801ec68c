"""Searching an index: hybrid, fused, diverse."""
