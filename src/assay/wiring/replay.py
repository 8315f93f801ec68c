"""Recorded runs answered again from their tapes, under the settings that they had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.core.concurrency import BackgroundLoop
from assay.core.pipeline import run_question
from assay.core.profiles import Depth
from assay.core.run import CallerPassages, Run
from assay.core.stages import Clock, Emit
from assay.core.tape import SystemClock, Tape
from assay.errors import Diverged
from assay.models.run_model import RunModel
from assay.records.replay import TapedClock
from assay.records.replay_stubs import EmbedderStub, ModelStub, RetrieverStub, SpellerStub
from assay.records.values import Recording
from assay.settings import ROLES, Settings, load_settings
from assay.types import Answer, CitationStyle, EmbeddingModel, Evidence, Message
from assay.wiring.calibrated import Calibrated, calibrated_then
from assay.wiring.models import Models
from assay.wiring.networks import checker_then, reader_then
from assay.wiring.recording import open_record
from assay.wiring.review import open_rules
from assay.wiring.runs import new_run
from assay.wiring.stages import Composer
from assay.wiring.verdict_cache import VerdictCache

# Settings of earlier versions, each with the value under which a run is answered as without it.
_REMOVED: Mapping[str, Any] = MappingProxyType({"weights": "fitted", "shadow": "none", "adaptive": False})
# A recording from before verdicts were kept looked none up, one from before words were corrected none of them,
# and one from before models were given room to think gave them none.
_BEFORE: Mapping[str, Any] = MappingProxyType({"keep_verdicts": False, "spelling": False, "thinking_tokens": 0})


def replay(run_id: str, emit: Emit = lambda _event: None, **settings: Any) -> Answer:
    """Answer a recorded question again from its tape: the same bytes, with no network and no model.

    `run_id` may be the beginning of an id, or "last". Raises what the run raised, Diverged where this version of
    assay asks for something that the recording does not hold, UsageError where there is no recording.
    """
    chosen = load_settings(settings).settings
    store = open_record(chosen)
    background = BackgroundLoop()
    try:
        recording = store.recording(run_id)
        calibrated = calibrated_then(store, recording.about)
        return background.run(replay_recording(recording, chosen.data_dir, calibrated, emit))
    finally:
        background.stop()
        store.close()


async def replay_recording(recording: Recording, data_dir: Path, calibrated: Calibrated, emit: Emit) -> Answer:
    """As `replay`, on the running loop."""
    about = recording.about
    settings = recorded_settings(recording, data_dir)
    roles = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
    gone = {name: RunModel(ModelStub(own)) for name, own in about["models"].items()}
    tape = Tape(recording.entries, cut=recording.cut)
    clock, depth = TapedClock(SystemClock(), tape), recorded_depth(recording)
    run = run_again(recording, settings, depth, calibrated, tape, clock)
    stages = Composer(
        settings,
        Models(gone, roles, settings.simple_model),
        EmbedderStub(recorded_embedding(recording)),
        RetrieverStub(),
        RetrieverStub(),
        open_rules(settings),
        VerdictCache() if settings.keep_verdicts else None,
        checker_then(about),
        reader_then(about),
        None if "own_search" in about else SpellerStub(),
        is_own_search="own_search" in about,
    ).stages(run)
    return await run_question(recording.run.question, recorded_history(recording), run, stages, emit)


def run_again(
    recording: Recording, settings: Settings, depth: Depth, calibrated: Calibrated, tape: Tape, clock: Clock
) -> Run:
    """The recorded run, to be answered again under these settings."""
    about = recording.about
    # The tape has the passages themselves.
    given = CallerPassages(Evidence(), about["passages"]["searches"]) if "passages" in about else None
    run = new_run(recording.run.run_id, depth, settings, tape, clock, about["streamed"], calibrated, given)
    style = CitationStyle(about["style"]) if "style" in about else None
    return replace(run, style=style, in_dialogue=bool(about["history"]))


def recorded_settings(recording: Recording, data_dir: Path) -> Settings:
    """The settings of a run without those that are gone and changed nothing; raises Diverged for any other."""
    recorded = recording.about["settings"]
    for name, value in recorded.items():
        if name not in Settings.model_fields and (name not in _REMOVED or value != _REMOVED[name]):
            raise Diverged(
                f"the run was answered with {name} {value!r}, a setting that this version of assay does not have",
                hint="ask the question again",
            )
    known = {name: value for name, value in recorded.items() if name in Settings.model_fields}
    return Settings(**{**_BEFORE, **known}, data_dir=data_dir)


def recorded_depth(recording: Recording) -> Depth:
    """The depth of a run."""
    return Depth(recording.about["profile"], recording.about["profile_reason"])


def recorded_embedding(recording: Recording) -> EmbeddingModel:
    """The model that embedded a run's texts."""
    embedding = recording.about["embedding"]
    return EmbeddingModel(**{**embedding, "languages": tuple(embedding["languages"])})


def recorded_history(recording: Recording) -> tuple[Message, ...]:
    """The messages before a run's question."""
    return tuple(Message(**message) for message in recording.about["history"])
