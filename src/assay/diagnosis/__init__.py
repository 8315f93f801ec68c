"""Diagnosis of what is installed and what works: versions, folders, collections, models, sources outside."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from assay.diagnosis.installation import Diagnosis, diagnose
from assay.diagnosis.models import (
    diagnose_checker,
    diagnose_embedder,
    diagnose_models,
    diagnose_outside,
    diagnose_reader,
    diagnose_reranker,
)
from assay.settings import Resolved

__all__ = ["Diagnosis", "diagnose_services", "diagnose_setup"]


def diagnose_setup(resolved: Resolved, *, store: bool) -> Iterator[Diagnosis]:
    """Diagnose what is on this machine: versions, folders and networks; with `store` the collections, too."""
    return chain(
        diagnose(resolved.settings, store=store),
        diagnose_embedder(resolved),
        diagnose_reader(resolved),
        diagnose_checker(resolved),
        diagnose_reranker(resolved),
    )


def diagnose_services(resolved: Resolved) -> Iterator[Diagnosis]:
    """Ask each model for a word in every way that assay needs, and search each source outside once."""
    return chain(diagnose_models(resolved), diagnose_outside(resolved))
