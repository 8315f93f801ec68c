"""Mending sentences that failed their tests."""
