"""The reranker: opened as the settings name it."""

from __future__ import annotations

from assay.build.paths import named_model
from assay.errors import UsageError
from assay.models.reranker import CrossEncoderReranker
from assay.settings import Settings


def open_reranker(settings: Settings) -> CrossEncoderReranker | None:
    """The reranker that the settings name, None for `none`; raises UsageError where the folder holds none."""
    if settings.reranker == "none":
        return None
    told = settings.told("reranker")
    if settings.reranker == "bundled":
        raise UsageError(f"{told}: no reranker comes with assay", hint=f"name a folder that holds one with {told}")
    return CrossEncoderReranker.load(named_model(settings.reranker, settings, named=told, what="reranker"))
