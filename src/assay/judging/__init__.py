"""Judging the evidence: does it suffice, and what is missing."""
