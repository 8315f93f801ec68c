"""Lessons of a collection, put under its settings."""

from __future__ import annotations

from assay.records.learning import LearningLog
from assay.settings import Settings


def learning_log(settings: Settings) -> LearningLog:
    """The log of what was learned for the collection."""
    return LearningLog(settings.data_dir, settings.collection)


def with_learned_threshold(settings: Settings) -> Settings:
    """The settings with the learned threshold as `answers_from`, unless somebody set that.

    It is a setting like any other from then on: the record of a run has it, so that a replay decides as the run
    did.
    """
    learned = learning_log(settings).threshold() if settings.answers_from is None else None
    return settings if learned is None else settings.model_copy(update={"answers_from": learned})
