"""Kept answers, and the key of all that an answer depends on but its question and the documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from assay.core.run import Run
from assay.core.stages import CheckerModel, Index, Retriever
from assay.records.answer_cache import Checks, RecordedAnswers
from assay.records.run_records import RunRecords
from assay.settings import Settings
from assay.types import EmbeddingModel, ReaderModel, SearchSettings, plain
from assay.wiring.models import Models, provider_and_model
from assay.wiring.runs import recordable

Network = EmbeddingModel | CheckerModel | ReaderModel | None

# Settings that change nothing in an answer: what is kept, recorded and traced, and how long a call may take.
_NOT_IN_KEY = frozenset(
    {"reuse", "record", "tape", "traces", "telemetry_texts", "keep_verdicts", "offline", "references"}
    | {"request_seconds", "idle_seconds", "retry_seconds", "citation_style"}
)
# Models that are files: what a file holds may change under its name.
_FILES = ("local", "fake")


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """The store of an engine's answers, and the collection that they are held against; `plain` searches it."""

    records: RunRecords
    index: Index
    embedding: EmbeddingModel
    plain: Callable[[SearchSettings], Retriever]

    def of(self, run: Run, key: str, checks: Checks, tell: Callable[[str], None], *, near: bool) -> RecordedAnswers:
        """The kept answers as one run looks them up, under a key of its settings."""
        return RecordedAnswers(self.records, run.id, key, checks, near, run.meter.looked_up, tell)


def answer_key(settings: Settings, run: Run, models: Models, networks: Sequence[Network], rules: str) -> str:
    """A SHA-256, in hex, over the settings, the depth, the calibration, the models and the rules' text.

    `networks` embed, check and read, None where there is none; `rules` is the hash of the rules.
    """
    known = {name: value for name, value in recordable(settings).items() if name not in _NOT_IN_KEY}
    parts = [
        version("assay"),
        known,
        [run.profile, plain(run.limits), plain(run.calibration), run.doubt],
        {name: model.name for name, model in models.by_name.items()},
        [None if network is None else network.sha256 for network in networks],
        rules,
        _files_of(models, settings),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _files_of(models: Models, settings: Settings) -> dict[str, list[int]]:
    """The size and time of each model that is a file of this machine."""
    found: dict[str, list[int]] = {}
    for name in models.by_name:
        if name.partition(":")[0] in _FILES:
            path = Path(provider_and_model(name, settings)[1]).expanduser().absolute()
            file = path.stat() if path.exists() else None  # an own model may have any name
            found[str(path)] = [] if file is None else [file.st_size, file.st_mtime_ns]
    return found
