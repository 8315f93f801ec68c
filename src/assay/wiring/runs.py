"""Runs begun for a question."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from ulid import ULID

from assay.core.budget import Budget
from assay.core.profiles import Depth, depth_for
from assay.core.run import CallerPassages, Run
from assay.core.stages import Clock
from assay.core.tape import SystemClock, Tape
from assay.records.replay import TapedClock
from assay.records.run_records import RunRecords
from assay.settings import Settings
from assay.settings.files import without_userinfo
from assay.types import CitationStyle, EmbeddingModel, Message
from assay.wiring.calibrated import Calibrated, calibrated_by
from assay.wiring.models import Models
from assay.wiring.networks import OpenChecker, OpenReader

# Seconds after which the collection's calibration is read again.
READ_AGAIN = 1.0
# Questions at once that fill an engine: beyond them the profile auto looks less deep.
FULL = 64
# Settings that are no part of how a run was answered, or must not be written down.
_NOT_RECORDED = frozenset(
    {"data_dir", "store", "search_engine", "tenant"}
    | {"openai_api_key", "anthropic_api_key", "gemini_api_key", "brave_api_key", "tavily_api_key"}
)


@dataclass(frozen=True, slots=True)
class Runs:
    """Begins runs under an engine's settings; `store` keeps their tapes, and says which calibration is in use.

    `style` is that of their answers' texts, None for numbers; `is_own_search` says that a retriever of the caller's
    finds their passages.
    """

    settings: Settings
    embedding: EmbeddingModel
    store: RunRecords | None
    models: Models
    checker: OpenChecker | None = None
    reader: OpenReader | None = None
    style: CitationStyle | None = None
    is_own_search: bool = False
    _known: list[tuple[float, Calibrated]] = field(default_factory=list, repr=False, compare=False)

    def begin(
        self,
        text: str,
        history: tuple[Message, ...] | None,
        running: int,
        streamed: bool,
        passages: CallerPassages | None = None,
    ) -> Run:
        """A run for a question at the end of a dialogue; None as the dialogue is a run that is not recorded."""
        run_id, calibrated = str(ULID()), self._calibrated()
        depth = depth_of(text, self.settings, self.models.of("judge") is not None, running)
        taped = history is not None and self.store is not None and self.settings.record == "all"
        tape = Tape() if taped and self.settings.tape else None
        clock = SystemClock() if tape is None else TapedClock(SystemClock(), tape)
        begun = new_run(run_id, depth, self.settings, tape, clock, streamed, calibrated, passages)
        begun = replace(begun, answers=history is not None, style=self.style, in_dialogue=bool(history))
        if tape is not None and history is not None and self.store is not None:
            about = self._about(depth, history, begun)
            self.store.keep_tape(run_id, {**about, "calibration": calibrated.about}, tape)
        return begun

    def begin_given(self, text: str, running: int) -> Run:
        """A run for a draft from elsewhere: it is recorded without a tape, since no question can be asked again."""
        return self.begin(text, None, running, False)

    def _calibrated(self) -> Calibrated:
        """The collection's calibration, read again when it was read more than a second ago.

        Under load that is once for many questions: what it is compared with, the latest of them, changes little.
        """
        now = time.monotonic()
        if not self._known or now - self._known[-1][0] > READ_AGAIN:
            self._known[:] = [(now, calibrated_by(self.store, self.settings.collection))]
        return self._known[-1][1]

    def _about(self, depth: Depth, history: tuple[Message, ...], run: Run) -> dict[str, Any]:
        # Values that only some runs have stand in their records alone.
        some = {
            "passages": None if run.passages is None else {"searches": run.passages.searches},
            "style": None if run.style is None else run.style.value,
            "own_search": self.is_own_search or None,
        }
        return {
            **{name: value for name, value in some.items() if value is not None},
            "streamed": run.streamed,
            "profile": depth.profile,
            "profile_reason": depth.reason,
            "history": [message.to_dict() for message in history],
            "settings": recordable(self.settings),
            "embedding": self.embedding.to_dict(),
            # The models' own names, by which the tape knows them: a file without its folder.
            "models": {name: model.name for name, model in self.models.by_name.items()},
            "checker": None if self.checker is None else self.checker.checker.model.to_dict(),
            "reader": None if self.reader is None else self.reader.reader.model.to_dict(),
        }


def recordable(settings: Settings) -> dict[str, Any]:
    """The settings as a run's record has them, without secrets."""
    values = settings.model_dump(mode="json", exclude=set(_NOT_RECORDED))
    return {name: without_userinfo(value) if isinstance(value, str) else value for name, value in values.items()}


def depth_of(text: str, settings: Settings, judges: bool, running: int = 0) -> Depth:
    """The depth for a question while `running` others run; `judges` says whether a model can judge."""
    if settings.profile != "auto":
        return Depth(settings.profile, "")
    return depth_for(text, importance=settings.importance, load=running / FULL, model_available=judges)


def new_run(
    run_id: str,
    depth: Depth,
    settings: Settings,
    tape: Tape | None,
    clock: Clock,
    streamed: bool,
    by: Calibrated,
    passages: CallerPassages | None = None,
) -> Run:
    """A run with the limits of its settings and depth."""
    limits = settings.limits(depth.profile)
    if passages is not None and not passages.searches:
        limits = replace(limits, rounds=1)
    return Run(
        run_id,
        depth.profile,
        limits,
        clock,
        Budget(limits, clock),
        tape,
        depth.reason,
        streamed,
        by.fit,
        by.doubt,
        passages=passages,
    )
