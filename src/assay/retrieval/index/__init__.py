"""Keeping documents and finding their passages."""
