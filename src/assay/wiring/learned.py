"""Lessons of a collection, put under its settings."""

from __future__ import annotations

from typing import Any

from assay.records.learning import LearningLog
from assay.settings import Settings


def learning_log(settings: Settings) -> LearningLog:
    """The log of what was learned for the collection."""
    return LearningLog(settings.data_dir, settings.collection)


def with_learned(settings: Settings) -> Settings:
    """The settings with the learned `answers_from` and `search_utility`, unless somebody set them.

    They are settings like any other from then on: the record of a run has them, so that a replay decides as the
    run did.
    """
    log = learning_log(settings)
    learned: dict[str, Any] = {}
    if settings.answers_from is None and (threshold := log.threshold()) is not None:
        learned["answers_from"] = threshold
    if not settings.search_utility and (table := log.search_utility()):
        learned["search_utility"] = table
    return settings.model_copy(update=learned) if learned else settings
