"""A recorded run decided again under other settings: from its tape, and from real calls where they are allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, get_args

from assay.core.concurrency import BackgroundLoop
from assay.core.pipeline import run_question
from assay.core.run import CallerPassages, Run
from assay.core.stages import Emit
from assay.core.tape import SystemClock, Tape, TapeEntry
from assay.engine import Engine
from assay.errors import AssayError, UsageError
from assay.models.run_model import RunModel
from assay.records.answer_cache import NOTHING, REUSE
from assay.records.difference import RunEnd, difference
from assay.records.kept_answers import read_kept
from assay.records.replay import ForkClock, recorded_passages
from assay.records.replay_stubs import ModelStub, RetrieverStub, SpellerStub
from assay.records.values import Recording
from assay.settings import ROLES, Settings, load_settings, with_changes
from assay.types import Answer, Change, Difference, Message, Value
from assay.types.value import plain
from assay.wiring import open_parts
from assay.wiring.calibrated import Calibrated, calibrated_then
from assay.wiring.models import Models
from assay.wiring.networks import OpenChecker, OpenReader, open_checker_network, open_reader
from assay.wiring.on_demand import checker_on_demand, embedder_on_demand, reader_on_demand
from assay.wiring.recording import open_record
from assay.wiring.replay import (
    recorded_depth,
    recorded_embedding,
    recorded_history,
    recorded_settings,
    replay_recording,
    run_again,
)
from assay.wiring.review import open_rules
from assay.wiring.runs import depth_of
from assay.wiring.stages import Composer
from assay.wiring.verdict_cache import VerdictCache

# Settings on how services are reached are taken as they are now, and only for real calls.
_SERVICES = (
    *("openai_api_key", "anthropic_api_key", "gemini_api_key", "brave_api_key", "tavily_api_key"),
    *("openai_base_url", "anthropic_base_url", "gemini_base_url"),
    *("offline", "request_seconds", "idle_seconds", "retry_seconds"),
)
_OF_THE_TIME = "the settings of services are those of now, and only calls with --live use them"
# Settings that cannot be changed after the run, and why.
_FIXED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_SERVICES, _OF_THE_TIME),
        "data_dir": "the run lies in this folder",
        **dict.fromkeys(
            ("store", "search_engine", "tenant"), "the run's tape is about its own collection; ask the other one"
        ),
        "collection": "the run's tape is about its own collection; ask the other one",
        "embedder": "the collection has vectors of this embedder; reindex it, and ask again",
        "deadline": "how long the calls took is not on the tape; ask again",
        "prices": "what the calls cost is on the tape as it was",
        "keep_verdicts": "which verdicts were known is on the tape as it was",
        "reuse": "whether an answer was given again is on the tape as it was",
        "citation_style": "it changes how the text names its sources: replay RUN --citation-style STYLE prints it",
        "references": "it changes how an answer is printed, and not the answer",
        **dict.fromkeys(("record", "tape"), "it only says what is recorded of a run"),
        **dict.fromkeys(("traces", "telemetry_texts"), "it only says what is traced of a run"),
    }
)
# The searches that a setting changes: their recorded results do not hold under another value.
_OF_SEARCH = frozenset({"k", "where", "mode", "fusion", "mmr", "reranker"})
_OF_OUTSIDE = frozenset({"outside", "searxng_url", "mcp_server", "mcp_tool", *("domains", "denied_domains")}) | {
    "intranet_hosts"
}
_DEADLINE = "deadline"
# The ports of a tape that ask a model, a service or the collection; others compute on this machine.
_CALLED = ("model ", "stream ", "retrieve", "outside", "spell")
# The end on the tape of a call that was cut short.
_CUT = b'"cut": true}'


@dataclass(frozen=True, slots=True)
class WhatIf(Value):
    """A recorded run under other settings: the answer that it would have had, and the difference to its own.

    `settings` are the changed settings with their recorded and their new values. `calls` are the ports that were
    called for real, in order. If `drifted`, this version of assay answers the run otherwise even under its own
    settings, so the difference is not only that of the settings.
    """

    run_id: str
    settings: tuple[Change, ...]
    answer: Answer
    difference: Difference
    calls: tuple[str, ...] = ()
    drifted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON types, the answer as its object."""
        parts = {field.name: plain(getattr(self, field.name)) for field in fields(self) if field.name != "answer"}
        return {**parts, "answer": self.answer.to_dict()}


def what_if(
    run_id: str,
    changes: Mapping[str, Any],
    *,
    live: bool = False,
    emit: Emit = lambda _event: None,
    **settings: Any,
) -> WhatIf:
    """Decide a recorded run again with some of its settings changed.

    What the recording holds is taken from it, and networks on this machine compute what it lacks. Any other call
    that it lacks, to a model, a service or the collection, raises Diverged, which names the call; if `live`, it is
    made under today's keys and addresses. Nothing is recorded.

    `run_id` is as in `replay`, and `settings` are today's, such as `data_dir`. Raises UsageError for a setting that
    cannot be changed after the run, and what the run itself raises under the changed settings.
    """
    chosen = load_settings(settings).settings
    store = open_record(chosen)
    background = BackgroundLoop()
    try:
        record, recording = store.load(run_id), store.recording(run_id)
        fork = _Fork(recording, changes, chosen, calibrated_then(store, recording.about), live)
        answer = fork.answer_live(emit) if live else background.run(fork.answer(emit))
        before = RunEnd.of_record(record)
        return WhatIf(
            recording.run.run_id,
            fork.changed,
            answer,
            difference(before, RunEnd.of_answer(answer)),
            tuple(entry.port for entry in fork.tape.entries if entry.port.startswith(_CALLED)),
            drifted=_has_drifted(before, fork, background),
        )
    finally:
        background.stop()
        store.close()


def read_changes(pairs: Sequence[str]) -> dict[str, Any]:
    """Changes of settings from `KEY=VALUE`; the value none unsets a setting that may be unset. Raises UsageError.

    >>> read_changes(["correct=0.5", "max_risk=none", "checker=none"])
    {'correct': '0.5', 'max_risk': None, 'checker': 'none'}
    """
    changes: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{pair!r} is not KEY=VALUE", hint="e.g. --set correct=0.5")
        field = Settings.model_fields.get(name.strip())
        may_be_unset = field is not None and type(None) in get_args(field.annotation)
        changes[name.strip()] = None if value == "none" and may_be_unset else value
    return changes


class _Fork:
    """The recorded run under the changed settings. Raises UsageError for a change that cannot be made."""

    def __init__(
        self,
        recording: Recording,
        changes: Mapping[str, Any],
        chosen: Settings,
        calibrated: Calibrated,
        live: bool,
    ) -> None:
        _refuse(recording, changes, live)
        then = recorded_settings(recording, chosen.data_dir)
        now = with_changes(then, changes)
        before, after = then.model_dump(mode="json"), now.model_dump(mode="json")
        self.recording = recording
        self.calibrated = calibrated
        self.changed = tuple(Change(name, before[name], after[name]) for name in changes)
        self.names = frozenset(change.path for change in self.changed if change.before != change.after)
        self.then = then
        self.settings = _reached_as(chosen, now) if live else now
        self.tape = Tape(_still_valid(recording.entries, self.names), forks=True)
        self.clock = ForkClock(SystemClock(), self.tape, waits=live)

    def run(self) -> Run:
        """The run."""
        recording, settings = self.recording, self.settings
        depth = recorded_depth(recording)
        if self.names & {"profile", "importance"}:
            depth = depth_of(recording.run.question, settings, settings.model_of("judge") is not None)
        run = run_again(recording, settings, depth, self.calibrated, self.tape, self.clock)
        if run.passages is None:
            return run
        return replace(run, passages=CallerPassages(recorded_passages(recording.entries), run.passages.searches))

    async def answer(self, emit: Emit) -> Answer:
        """The answer from the tape and from what this machine computes. Raises Diverged."""
        settings, tape, about = self.settings, self.tape, self.recording.about
        embedder = embedder_on_demand(settings, recorded_embedding(self.recording), tape)
        checker, reader = self._checker(), self._reader()
        composer = Composer(
            settings,
            self._recorded_models(),
            embedder,
            RetrieverStub("the search of the collection", tape.diverge),
            RetrieverStub("the search outside", tape.diverge),
            open_rules(settings),
            VerdictCache() if settings.keep_verdicts else None,
            checker,
            reader,
            None if "own_search" in about else SpellerStub(tape.diverge),
            is_own_search="own_search" in about,
        )
        run, question = self.run(), self.recording.run.question
        try:
            answer = await run_question(question, recorded_history(self.recording), run, composer.stages(run), emit)
        finally:
            await embedder.aclose()
            for close in (*(checker.closing if checker else ()), *(reader.closing if reader else ())):
                close()
        if tape.divergence is not None:  # a stage went on without what it asked for
            raise tape.divergence
        return answer

    def answer_live(self, emit: Emit) -> Answer:
        """The answer from the tape and from real calls."""
        parts = open_parts(self.settings, with_collection=bool(self.recording.run.collection))

        def begin(
            text: str,
            history: tuple[Message, ...] | None,
            running: int,
            streamed: bool,
            passages: CallerPassages | None = None,
        ) -> Run:
            return self.run()

        with Engine(replace(parts, begin=begin)) as engine:
            return engine.ask(self.recording.run.question, recorded_history(self.recording), emit=emit)

    def _recorded_models(self) -> Models:
        """The models by the names that the tape knows them by; one that it does not know is known as it is set."""
        roles = {role: name for role in ROLES if (name := self.settings.model_of(role)) is not None}
        simple, own = self.settings.simple_model, self.recording.about["models"]
        names = dict.fromkeys([*roles.values(), *([simple] if simple else [])])
        stubs = {name: ModelStub(own.get(name, name), diverge=self.tape.diverge) for name in names}
        return Models({name: RunModel(stub) for name, stub in stubs.items()}, roles, simple)

    def _checker(self) -> OpenChecker | None:
        if "checker" in self.names:
            return open_checker_network(self.settings)
        return checker_on_demand(self.settings, self.recording.about.get("checker"), self.tape)

    def _reader(self) -> OpenReader | None:
        if "reader" in self.names:
            return open_reader(self.settings)
        return reader_on_demand(self.settings, self.recording.about.get("reader"), self.tape)


def _refuse(recording: Recording, changes: Mapping[str, Any], live: bool) -> None:
    """Raise UsageError for no change, and for one that cannot be made after the run."""
    own_search, given = "own_search" in recording.about, "passages" in recording.about
    fixed = dict(_FIXED)
    if own_search or given:
        whose = "retriever" if own_search else "passages"
        fixed |= dict.fromkeys(_OF_SEARCH, f"the caller's {whose} answered the search")
    for name in changes:
        if name in fixed:
            raise UsageError(f"{name} cannot be changed after the run: {fixed[name]}", hint="leave it out")
    served = next((entry for entry in recording.entries if entry.port == REUSE and entry.body != NOTHING), None)
    kept = None if served is None else read_kept(served.body)
    if kept is not None:
        raise UsageError(
            "the run gave a kept answer again: nothing was decided in it",
            hint=f"change the settings of the run that wrote it: {kept.answer.run_id}",
        )
    if not changes:
        raise UsageError("no setting is changed", hint="name one, e.g. --set correct=0.5")
    if live and own_search:
        raise UsageError(
            "the run cannot continue live: the retriever that it searched with was the caller's",
            hint="leave out --live, or ask the question again",
        )


def _reached_as(chosen: Settings, settings: Settings) -> Settings:
    """The settings with services reached as they are set now."""
    return settings.model_copy(update={name: getattr(chosen, name) for name in _SERVICES})


def _still_valid(entries: tuple[TapeEntry, ...], changed: frozenset[str]) -> tuple[TapeEntry, ...]:
    """The recorded calls that the changed settings do not alter, and that were not cut short."""
    void = {_DEADLINE}
    void |= {"retrieve"} if changed & _OF_SEARCH else set()
    void |= {"outside"} if changed & _OF_OUTSIDE else set()
    return tuple(entry for entry in entries if entry.port not in void and not _was_cut(entry))


def _was_cut(entry: TapeEntry) -> bool:
    return entry.port.startswith(("model ", "stream ")) and entry.body.endswith(_CUT)


def _has_drifted(before: RunEnd, fork: _Fork, background: BackgroundLoop) -> bool:
    """True if the run ends otherwise now under its own settings; of one cut by its deadline nobody knows."""
    if fork.recording.cut:
        return False
    replaying = replay_recording(fork.recording, fork.settings.data_dir, fork.calibrated, lambda _event: None)
    try:
        now = RunEnd.of_answer(background.run(replaying))
    except AssayError as error:
        now = RunEnd(None, before.actions, f"{type(error).__name__}: {error}")
    return not difference(before, now).is_empty
