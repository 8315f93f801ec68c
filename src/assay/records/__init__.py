"""The record of runs: events, figures, labels, replay and report."""

from __future__ import annotations


# One run as a page that opens offline: what an auditor keeps.
