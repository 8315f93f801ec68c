"""The engine over a real collection: sync and async, streams, sinks, deadlines."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from assay import open_engine
from assay.core.budget import Budget, Meter
from assay.core.run import Run
from assay.core.stages import SearchUtility, Stages
from assay.core.tape import SystemClock
from assay.engine import Engine, Parts
from assay.errors import DeadlinePassed, ModelMismatch, UnknownCollection, UsageError
from assay.retrieval.index.memory import MemoryIndex
from assay.settings import Settings
from assay.testing.fakes import (
    KeepingSelector,
    PlainDecliner,
    PlainRater,
    ScriptedJudge,
    ScriptedRefiner,
    ScriptedRepairer,
    ScriptedRetriever,
    ScriptedUnderstander,
    ScriptedVerifier,
    ScriptedWriter,
    WordEmbedder,
)
from assay.types import (
    Action,
    CollectionSummary,
    Done,
    Event,
    Evidence,
    Failed,
    FileReport,
    Judgement,
    Limits,
    Message,
    ModelsUsed,
    Outcome,
    Passage,
    SearchSettings,
    Usage,
    Verdict,
)
from assay.wiring import open_checker, reindex
from assay.wiring.collections import collections_of

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
TOWER = "# Tower\n\nThe tower was opened on 3 May 1932 by the mayor. It is 120 metres high.\n"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "water.md").write_text(WATER, encoding="utf-8")
    (folder / "tower.md").write_text(TOWER, encoding="utf-8")
    return folder


def test_the_main_job(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data") as engine:
        assert [report.status for report in engine.add([papers])] == ["added", "added"]
        answer = engine.ask("When was the tower opened?")
        assert answer.outcome is Outcome.ANSWERED
        assert "3 May 1932" in answer.text
        assert answer.validate()
        assert answer.verdict is Verdict.SUPPORTED
        for claim in answer.claims:
            for span in claim.spans:
                document = asyncio.run(engine.adocument(answer.sources[0].document_id))
                assert document is not None
                assert document.text[span.start : span.end] == span.quote
        assert engine.ask("Who composed the opera Aida?").outcome is Outcome.ABSTAINED


def test_passages_are_given_by_their_ids(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([papers])
        found = engine.search("tower").passages
        assert len(found) == 2
        assert engine.passages([found[1].passage_id, "no such id", found[0].passage_id]) == found[::-1]


def test_the_evidence_on_a_text_is_that_on_each_of_its_sentences(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data", k=1) as engine:
        engine.add([papers])
        evidence = engine.evidence_on("Water boils at 90 degrees. The tower is 120 metres high. Water freezes.")
        assert [passage.title for passage in evidence.passages] == ["Water", "Tower"]
        assert engine.evidence_on("  ").passages == ()
        with pytest.raises(UsageError, match="not text"):
            engine.evidence_on(None)  # type: ignore[arg-type]


def test_collections_are_summed_up_without_a_model(papers: Path, tmp_path: Path):
    data = tmp_path / "data"
    assert collections_of(Settings(data_dir=data)).summaries() == ()
    with open_engine(data_dir=data, collection="b") as engine:
        engine.add([papers])
    with open_engine(data_dir=data, collection="a"):
        pass
    for damaged, content in (("c", b"no database, but long enough to be read as one" * 10), ("d", None)):
        (data / "collections" / damaged).mkdir()
        if content is not None:
            (data / "collections" / damaged / "index.sqlite").write_bytes(content)
    assert collections_of(Settings(data_dir=data)).summaries() == (
        CollectionSummary("a", 0, 0),
        CollectionSummary("b", 2, 1),
        CollectionSummary("c", None, None),
        CollectionSummary("d", None, None),
    )
    assert list((data / "collections" / "d").iterdir()) == []


def test_what_left_the_folder_leaves_the_answers(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.mirror([papers])
        before = asyncio.run(engine.aversion())
        (papers / "tower.md").unlink()
        assert {report.status for report in engine.mirror([papers])} == {"unchanged", "pruned"}
        assert asyncio.run(engine.aversion()) > before
        assert all(
            "tower" not in source.title.lower() for source in engine.ask("When was the tower opened?").sources
        )
        assert [record.title for record in engine.documents()] == ["Water"]


def test_a_second_engine_sees_the_change_at_its_next_question(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data") as first, open_engine(data_dir=tmp_path / "data") as second:
        assert second.ask("When was the tower opened?").outcome is Outcome.ABSTAINED
        first.add([papers])
        assert second.ask("When was the tower opened?").outcome is Outcome.ANSWERED


async def test_the_sync_form_works_inside_a_running_loop(papers: Path, tmp_path: Path):
    async with open_engine(data_dir=tmp_path / "data") as engine:
        reports = [report async for report in engine.aadd([papers])]
        assert all(isinstance(report, FileReport) for report in reports)
        assert engine.ask("How high is the tower?").text == (await engine.aask("How high is the tower?")).text


async def test_a_stream_has_exactly_one_end_and_counts_up(papers: Path, tmp_path: Path):
    async with open_engine(data_dir=tmp_path / "data") as engine:
        async for _ in engine.aadd([papers]):
            pass
        events = [event async for event in engine.stream("How high is the tower?")]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [isinstance(event, Done | Failed) for event in events] == [False] * (len(events) - 1) + [True]
        refused = [event async for event in engine.stream("   ")]
        assert isinstance(refused[-1], Failed)
        assert refused[-1].hint


def test_a_follow_up_is_understood_from_the_dialogue(papers: Path, tmp_path: Path):
    history = [Message("user", "When was the tower opened?"), Message("assistant", "On 3 May 1932.")]
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([papers])
        assert "120 metres" in engine.ask("And how high is it?", history).text


@pytest.mark.parametrize("question", ["", "  \n", "x" * 1_000_000])
def test_what_is_no_question_is_refused(question: str, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data") as engine, pytest.raises(UsageError) as raised:
        engine.ask(question)
    assert raised.value.hint


def test_an_unknown_collection_names_the_known_ones(papers: Path, tmp_path: Path):
    with open_engine(data_dir=tmp_path / "data", collection="manual") as engine:
        engine.add([papers])
    with pytest.raises(UnknownCollection, match="manual"):
        open_engine(create=False, data_dir=tmp_path / "data", collection="other")


def test_another_model_is_refused_until_the_collection_is_embedded_anew(papers: Path, tmp_path: Path):
    import shutil

    import assay_models

    other = tmp_path / "other-model"
    shutil.copytree(assay_models.folder(), other)
    (other / "manifest.json").unlink()
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([papers])
    with pytest.raises(ModelMismatch) as raised:
        open_engine(data_dir=tmp_path / "data", embedder=str(other))
    assert "reindex" in raised.value.hint
    assert reindex(data_dir=tmp_path / "data", embedder=str(other)) == 2
    with open_engine(data_dir=tmp_path / "data", embedder=str(other)) as engine:
        assert "120 metres" in engine.ask("How high is the tower?").text


def test_the_gates_need_no_collection():
    bridge = "The bridge was opened on 3 May 1932 by the mayor."
    passage = Passage("a", "a", "", 0, len(bridge), bridge)
    with open_checker() as engine:
        assert (engine.judge("When was the bridge opened?", [passage]).sufficiency or 0) > 0.5
        assert engine.judge("When was the bridge opened?", []).sufficiency is None
        right = engine.check("The bridge was opened on 3 May 1932.", [passage])
        wrong = engine.check("The bridge was opened in 1934.", [passage])
    assert right.claims[0].verdict is Verdict.SUPPORTED
    assert wrong.claims[0].verdict is Verdict.CONTRADICTED


def test_judging_a_collection_judges_what_an_ask_would_find(papers: Path, tmp_path: Path):
    question = "When was the tower opened?"
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([papers])
        assert engine.judge(question).sufficiency == engine.ask(question).judgement.sufficiency


def test_a_closed_engine_says_so(tmp_path: Path):
    engine = open_engine(data_dir=tmp_path / "data")
    engine.close()
    engine.close()
    with pytest.raises(UsageError, match="closed") as raised:
        engine.ask("Why?")
    assert "open_engine" in raised.value.hint


class _BrokenSink:
    def open(self, run_id: str, question: str) -> None:
        """Nothing to prepare."""

    def receive(self, run_id: str, event: Event) -> None:
        raise OSError("the disk is full")

    def close(self) -> None:
        """Nothing to release."""


class _NoFiles:
    def add(self, paths):
        raise AssertionError("nothing is added here")

    def mirror(self, paths, *, dry_run=False):
        raise AssertionError("nothing is added here")


class _NeverUnderstands:
    async def understand(self, text, history):
        await asyncio.Event().wait()


def scripted(understander, limits: Limits, *sinks) -> Engine:
    refusal = Judgement(sufficiency=None, recommendation=Action.ABSTAIN, reason="nothing there")
    retriever = ScriptedRetriever({("Why?",): Evidence()})

    def stages(run: Run) -> Stages:
        return Stages(
            understander=understander,
            retriever=retriever,
            outside=retriever,
            refiner=ScriptedRefiner(),
            selector=KeepingSelector(),
            judge=ScriptedJudge({frozenset(): refusal}),
            writer=ScriptedWriter({}),
            fallback_writer=ScriptedWriter({}),
            abstainer=PlainDecliner(),
            verifier=ScriptedVerifier({}),
            concluder=ScriptedVerifier({}),
            text_verifier=ScriptedVerifier({}),
            offline_verifier=ScriptedVerifier({}),
            repairer=ScriptedRepairer({}),
            rules=None,
            editor=None,
            assessor=None,
            adviser=None,
            confidence_estimator=PlainRater(),
            models=ModelsUsed("scripted", "scripted", "scripted"),
            allowed_actions=frozenset({Action.ABSTAIN}),
            allowed_repairs=frozenset(),
            search_utility=SearchUtility(),
            spent=Usage,
        )

    words = WordEmbedder()
    index = MemoryIndex(words.model)

    def begin(text: str, history, running: int, streamed: bool, passages=None) -> Run:
        return Run("run", "fast", limits, SystemClock(), Budget(limits, SystemClock()), None)

    parts = Parts(
        index,
        words,
        _NoFiles(),
        begin,
        lambda text, running: begin(text, None, running, False),
        stages,
        lambda _settings: retriever,
        lambda given: given,
        SearchSettings(),
        lambda _options: parts,
        sinks,
    )
    return Engine(parts)


def test_a_failing_sink_costs_a_warning_only():
    with scripted(ScriptedUnderstander(), Limits(), _BrokenSink()) as engine:
        answer = engine.ask("Why?")
    assert answer.outcome is Outcome.ABSTAINED
    assert any("the disk is full" in warning for warning in answer.warnings)


def test_the_deadline_ends_a_question_with_an_error():
    with scripted(_NeverUnderstands(), Limits(seconds=0.05)) as engine, pytest.raises(DeadlinePassed) as raised:
        engine.ask("Why?")
    assert "--deadline" in raised.value.hint


class _Crashes:
    async def understand(self, text, history):
        raise ZeroDivisionError("a bug")


async def test_a_bug_ends_a_stream_too():
    async with scripted(_Crashes(), Limits()) as engine:
        events = [event async for event in engine.stream("Why?")]
        with pytest.raises(ZeroDivisionError):
            await engine.aask("Why?")
    assert isinstance(events[-1], Failed)
    assert events[-1].error == "ZeroDivisionError"


class _Remembers:
    def __init__(self):
        self.events: list[Event] = []
        self.closed = False

    def open(self, run_id: str, question: str) -> None:
        """Nothing to prepare."""

    def receive(self, run_id: str, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None:
        self.closed = True


async def test_a_question_nobody_waits_for_has_an_end_in_the_record():
    sink = _Remembers()
    engine = scripted(_NeverUnderstands(), Limits(), sink)
    async with engine, aclosing(engine.stream("Why?")) as events:
        await anext(events)
    assert isinstance(sink.events[-1], Failed)
    assert sink.events[-1].error == "CancelledError"
    assert sink.closed


class _StoresLate(_Remembers):
    """Stores a run only when it is waited for, if it can."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.stored_runs: list[str] = []
        self._error = error

    async def stored(self, run_id: str) -> None:
        await asyncio.sleep(0.01)
        if self._error is not None:
            raise self._error
        self.stored_runs.append(run_id)


async def test_the_last_event_is_heard_once_the_run_is_stored(tmp_path: Path):
    sink = _StoresLate()
    async with open_engine(data_dir=tmp_path, sinks=(sink,)) as engine:
        async for event in engine.stream("Why is the sky blue?"):
            assert sink.stored_runs == ([event.run_id] if isinstance(event, Done) else [])
        assert isinstance(event, Done)
        with pytest.raises(UsageError):
            await engine.aask(" ")
    assert len(sink.stored_runs) == 2


async def test_a_run_that_cannot_be_stored_costs_a_warning(tmp_path: Path):
    sink = _StoresLate(OSError("the database is away"))
    async with open_engine(data_dir=tmp_path, sinks=(sink,)) as engine:
        answer = await engine.aask("Why is the sky blue?")
    assert any("the database is away" in warning for warning in answer.warnings)


async def test_a_sink_that_counts_costs_gets_the_meter_of_a_run_before_its_events(tmp_path: Path):
    class Metered(_Remembers):
        def __init__(self):
            super().__init__()
            self.meters: list[tuple[str, Meter, int]] = []

        def measure(self, run_id: str, meter: Meter) -> None:
            self.meters.append((run_id, meter, len(self.events)))

    sink = Metered()
    async with open_engine(data_dir=tmp_path, sinks=(sink,)) as engine:
        answer = await engine.aask("Why is the sky blue?")
    [(run_id, meter, events_before)] = sink.meters
    assert (run_id, events_before) == (answer.run_id, 0)
    assert isinstance(meter, Meter)
    assert [event.kind for event in sink.events] == [event.kind for event in answer.trace]
    assert sink.closed
