"""Keeping what happened."""

from __future__ import annotations


# One run as a page that opens offline: what an auditor keeps.
