"""Runs: begun for a question, and replayed from what was recorded."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from ulid import ULID

from assay.core.budget import Budget
from assay.core.concurrency import BackgroundLoop
from assay.core.draft import LONGEST_RECORDED
from assay.core.pipeline import run_question
from assay.core.profiles import Depth, depth_for
from assay.core.run import CallerPassages, Run
from assay.core.stages import Emit
from assay.core.tape import SystemClock, Tape
from assay.records.replay import EmbedderStub, ModelStub, RetrieverStub, SpellerStub, TapedClock
from assay.records.runs import Recording, RunStore
from assay.settings import ROLES, Settings, load_settings
from assay.types import Answer, CitationStyle, EmbeddingModel, Evidence, Message
from assay.wiring.calibrated import Calibrated, calibrated_by, calibrated_then
from assay.wiring.models import Models
from assay.wiring.networks import OpenChecker, OpenReader, checker_then, reader_then
from assay.wiring.review import open_rules
from assay.wiring.stages import Composer
from assay.wiring.verdict_cache import KeptVerdicts

# Seconds after which the collection's calibration is read again.
READ_AGAIN = 1.0
# Questions at once from which on an engine is full: past it, the profile auto looks less deep.
FULL = 64
# What is no part of how a run was answered, or must not be written down.
_NOT_KEPT = frozenset(
    {"data_dir", "openai_api_key", "anthropic_api_key", "gemini_api_key", "brave_api_key", "tavily_api_key"}
)


@dataclass(frozen=True, slots=True)
class Runs:
    """Begins runs under an engine's settings; those that are recorded are kept in `store`.

    `style` is that of their answers' texts, None for numbers; `is_own_search` says that a retriever of the caller's
    finds their passages.
    """

    settings: Settings
    embedding: EmbeddingModel
    store: RunStore | None
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
        run_id, depth, calibrated = str(ULID()), self._depth(text, running), self._calibrated()
        taped = history is not None and self.store is not None and self.settings.tape
        tape = Tape() if taped else None
        begun = _run(run_id, depth, self.settings, tape, streamed, calibrated, passages)
        begun = replace(begun, answers=history is not None, style=self.style)
        if history is None or self.store is None:
            return begun
        self.store.measure(run_id, begun.meter)
        if tape is not None:
            about = self._about(depth, history, begun)
            self.store.keep_tape(run_id, {**about, "calibration": calibrated.about}, tape)
        return begun

    def begin_given(self, text: str, running: int) -> Run:
        """A run for a draft from elsewhere: it is recorded without a tape, since no question can be asked again."""
        begun = self.begin(text, None, running, False)
        if self.store is not None and len(text) <= LONGEST_RECORDED:
            self.store.measure(begun.id, begun.meter)
        return begun

    def _calibrated(self) -> Calibrated:
        """The collection's calibration, read again when it was read more than a second ago.

        Under load that is once for many questions: what it is compared with, the latest of them, changes little.
        """
        now = time.monotonic()
        if not self._known or now - self._known[-1][0] > READ_AGAIN:
            self._known[:] = [(now, calibrated_by(self.store, self.settings.collection))]
        return self._known[-1][1]

    def _depth(self, text: str, running: int) -> Depth:
        if self.settings.profile != "auto":
            return Depth(self.settings.profile, "")
        load, importance = running / FULL, self.settings.importance
        asks = self.models.of("judge") is not None
        return depth_for(text, importance=importance, load=load, model_available=asks)

    def _about(self, depth: Depth, history: tuple[Message, ...], run: Run) -> dict[str, Any]:
        # What only some runs have stands in their records alone.
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
            "settings": self.settings.model_dump(mode="json", exclude=set(_NOT_KEPT)),
            "embedding": self.embedding.to_dict(),
            # What the models call themselves, which is what the tape knows them by: a file without its folder.
            "models": {name: model.name for name, model in self.models.by_name.items()},
            "checker": None if self.checker is None else self.checker.checker.model.to_dict(),
            "reader": None if self.reader is None else self.reader.reader.model.to_dict(),
        }


def _run(
    run_id: str,
    depth: Depth,
    settings: Settings,
    tape: Tape | None,
    streamed: bool,
    by: Calibrated,
    passages: CallerPassages | None = None,
) -> Run:
    clock = SystemClock() if tape is None else TapedClock(SystemClock(), tape)
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


def replay(run_id: str, emit: Emit = lambda _event: None, **settings: Any) -> Answer:
    """Answer a recorded question again from its tape: the same bytes, with no network and no model.

    `run_id` may be the beginning of an id, or "last". Raises what the run raised, Diverged where this version of
    assay asks for something that the recording does not hold, UsageError where there is no recording.
    """
    chosen = load_settings(settings).settings
    store = RunStore(chosen.runs_file)
    background = BackgroundLoop()
    try:
        recording = store.recording(run_id)
        calibrated = calibrated_then(store, recording.about)
        return background.run(_replayed(recording, chosen, calibrated, emit))
    finally:
        background.stop()
        store.close()


async def _replayed(recording: Recording, chosen: Settings, calibrated: Calibrated, emit: Emit) -> Answer:
    about = recording.about
    # A recording from before verdicts were kept looked none up, one from before words were corrected none of them,
    # and one from before models were given room to think gave them none.
    before = {"keep_verdicts": False, "spelling": False, "thinking_tokens": 0}
    settings = Settings(**{**before, **about["settings"]}, data_dir=chosen.data_dir)
    embedding = EmbeddingModel(**{**about["embedding"], "languages": tuple(about["embedding"]["languages"])})
    roles = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
    gone = {name: ModelStub(own) for name, own in about["models"].items()}
    models = Models(gone, roles, settings.simple_model)
    depth = Depth(about["profile"], about["profile_reason"])
    tape = Tape(recording.entries, cut=recording.cut)
    # The tape has the passages themselves.
    given = CallerPassages(Evidence(), about["passages"]["searches"]) if "passages" in about else None
    run = _run(recording.run.run_id, depth, settings, tape, about["streamed"], calibrated, given)
    run = replace(run, style=CitationStyle(about["style"]) if "style" in about else None)
    verdicts = KeptVerdicts() if settings.keep_verdicts else None
    stages = Composer(
        settings,
        models,
        EmbedderStub(embedding),
        RetrieverStub(),
        RetrieverStub(),
        open_rules(settings),
        verdicts,
        checker_then(about),
        reader_then(about),
        None if "own_search" in about else SpellerStub(),
        is_own_search="own_search" in about,
    ).stages(run)
    history = tuple(Message(**message) for message in about["history"])
    return await run_question(recording.run.question, history, run, stages, emit)
