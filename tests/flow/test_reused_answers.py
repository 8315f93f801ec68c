"""A kept answer is given again only while its documents bear it out, and to nobody who asks something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import Passage, open_engine
from assay.engine import Engine
from assay.errors import UsageError
from assay.records.figures import summed
from assay.records.runs import RunStore
from assay.types import Answer, AskOptions, Done, Event, Message, Usage
from assay.wiring.replay import replay
from assay.wiring.what_if import what_if

OPENED = "When was the Harbour Bridge opened?"
POLITE = "Could you tell me when the Harbour Bridge was opened?"
BRIDGE = "The Harbour Bridge in Orme was opened on 3 May 1932. It was designed by Paul Sorensen.\n"
TEXTS = {
    "bridge": BRIDGE,
    "mill": "The Mill Bridge in Orme was opened on 9 June 1877. It was designed by Agnes Thorne.\n",
    "pool": "The swimming pool is 25 metres long. Its water has 27 degrees.\n",
    "market": "The weekly market is held on Saturday. A stall costs 24 euros a day.\n",
    "school": "Northfield School has 640 pupils. Lessons begin at 8:10.\n",
}
# So few passages that a document which has nothing to do with the question is not among them.
K = 2


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def opened(papers: Path, **settings: Any) -> Engine:
    engine = open_engine(**{"data_dir": papers.parent / "data", "reuse": "near", "k": K, **settings})
    engine.mirror([papers])
    return engine


@pytest.fixture
def engine(papers: Path) -> Iterator[Engine]:
    with opened(papers) as engine:
        yield engine


def change(engine: Engine, papers: Path, name: str, text: str) -> None:
    (papers / f"{name}.txt").write_text(text, encoding="utf-8")
    engine.mirror([papers])


def test_the_same_question_is_given_the_kept_answer(engine: Engine) -> None:
    first, second = engine.ask(OPENED), engine.ask(OPENED.lower())
    assert (first.reused_from, second.reused_from) == (None, first.run_id)
    assert (second.text, second.verdict, second.sources) == (first.text, first.verdict, first.sources)
    assert second.validate()
    assert second.usage == Usage()
    assert (second.run_id != first.run_id, second.question, second.drafts) == (True, OPENED.lower(), 0)
    assert all(claim.history[-1].by == "reuse" for claim in second.claims)
    assert "reused_from" not in first.to_dict()
    assert second.to_dict()["reused_from"] == first.run_id


def test_nothing_is_given_again_unless_it_is_asked_for(papers: Path) -> None:
    with opened(papers, reuse="off") as engine:
        assert [engine.ask(OPENED).reused_from for _ in range(2)] == [None, None]
    with opened(papers) as engine:  # nor was anything kept
        assert engine.ask(OPENED).reused_from is None


def test_other_words_are_given_the_answer_where_that_is_asked_for(papers: Path) -> None:
    with opened(papers, reuse="same") as engine:
        first = engine.ask(OPENED)
        assert engine.ask(POLITE).reused_from is None
    with opened(papers, reuse="near") as engine:
        assert engine.ask(OPENED).reused_from == first.run_id
    with opened(papers, reuse="near", data_dir=papers.parent / "other") as engine:
        first = engine.ask(OPENED)
        again = engine.ask(POLITE)
        assert (again.reused_from, again.confidence.answers) == (first.run_id, "yes")


@pytest.mark.parametrize(
    "other",
    ["When was the Mill Bridge opened?", "When was the Harbour Bridge closed?", "Who opened the Harbour Bridge?"],
)
def test_a_question_that_asks_something_else_is_answered_anew(engine: Engine, other: str) -> None:
    engine.ask(OPENED)
    assert engine.ask(other).reused_from is None


def test_an_edited_document_ends_a_kept_answer(engine: Engine, papers: Path) -> None:
    engine.ask(OPENED)
    change(engine, papers, "bridge", BRIDGE.replace("3 May", "4 May"))
    for question in (OPENED, POLITE):
        answer = engine.ask(question)
        assert "4 May 1932" in answer.text
        assert "3 May" not in answer.text
    assert engine.ask(OPENED).reused_from is not None  # the answer of today


def test_a_removed_document_ends_a_kept_answer(engine: Engine, papers: Path) -> None:
    engine.ask(OPENED)
    (papers / "bridge.txt").unlink()
    engine.mirror([papers])
    assert engine.ask(OPENED).reused_from is None


def test_a_newer_document_on_the_question_ends_a_kept_answer(engine: Engine, papers: Path) -> None:
    first = engine.ask(OPENED)
    assert engine.ask(POLITE).reused_from == first.run_id
    change(engine, papers, "news", "The Harbour Bridge in Orme was opened on 5 May 1932, not earlier.\n")
    assert first.run_id not in [engine.ask(question).reused_from for question in (POLITE, OPENED)]


def test_a_document_on_something_else_ends_none(engine: Engine, papers: Path) -> None:
    first = engine.ask(OPENED)
    change(engine, papers, "pool", "The swimming pool is closed for repairs.\n")
    assert [engine.ask(question).reused_from for question in (OPENED, POLITE)] == [first.run_id, first.run_id]


def test_a_passage_that_moved_is_tested_again(engine: Engine, papers: Path) -> None:
    first = engine.ask(OPENED)
    (papers / "archive").mkdir()
    (papers / "bridge.txt").rename(papers / "archive" / "bridge.txt")
    engine.mirror([papers])
    again = engine.ask(OPENED)
    assert again.reused_from == first.run_id
    assert again.sources[0].document_id != first.sources[0].document_id
    assert again.validate()
    spans = [span for claim in again.claims for span in claim.spans]
    stored = {one.passage_id: one for one in engine.passages([span.passage_id for span in spans])}
    for span in spans:
        passage = stored[span.passage_id]
        assert passage.text[span.start - passage.start : span.end - passage.start] == span.quote


def test_deleting_the_run_deletes_what_was_kept_of_it(engine: Engine, papers: Path) -> None:
    first = engine.ask(OPENED)
    assert engine.ask(OPENED).reused_from == first.run_id
    store = RunStore(papers.parent / "data" / "runs.sqlite")
    store.delete([first.run_id])
    store.close()
    assert engine.ask(OPENED).reused_from is None


@pytest.mark.parametrize("settings", [{"k": 3}, {"correct": 0.71}, {"skip": "numbers"}, {"collection": "b"}])
def test_other_settings_and_other_collections_share_nothing(papers: Path, settings: dict[str, Any]) -> None:
    with opened(papers) as engine:
        engine.ask(OPENED)
    with opened(papers, **settings) as engine:
        assert engine.ask(OPENED).reused_from is None


def test_options_are_other_settings(engine: Engine) -> None:
    engine.ask(OPENED)
    assert engine.ask(OPENED, options=AskOptions(k=1)).reused_from is None


def test_tenants_share_nothing(papers: Path, tmp_path: Path) -> None:
    with opened(papers) as engine:
        engine.ask(OPENED)
    with opened(papers, data_dir=tmp_path / "tenant") as engine:
        assert engine.ask(OPENED).reused_from is None


def test_neither_a_dialogue_nor_own_passages_are_given_a_kept_answer(engine: Engine) -> None:
    engine.ask(OPENED)
    assert engine.ask(OPENED, [Message("user", "Hello"), Message("assistant", "Hello!")]).reused_from is None
    passage = Passage("a", "a", "", 0, len(BRIDGE), BRIDGE)
    assert engine.answer_from(OPENED, [passage]).reused_from is None


def test_an_answer_that_did_not_pass_is_not_kept(engine: Engine) -> None:
    question = "How many cats live in the castle of Bergen?"
    assert not engine.ask(question).text.startswith("There are")
    assert engine.ask(question).reused_from is None


def test_without_a_record_nothing_is_kept_and_a_warning_says_so(papers: Path) -> None:
    with opened(papers, record="outline") as engine:
        answers = [engine.ask(OPENED) for _ in range(2)]
    assert [answer.reused_from for answer in answers] == [None, None]
    assert any(warning.startswith("reuse is set and changes nothing") for warning in answers[0].warnings)


def test_without_a_reader_only_the_same_question_is_served(papers: Path) -> None:
    with opened(papers, reader="none", checker="none") as engine:
        first = engine.ask(OPENED)
        served = [engine.ask(question).reused_from for question in (OPENED, POLITE)]
    assert served == [first.run_id, None]
    assert any("serves the same question only" in warning for warning in first.warnings)


async def test_a_stream_ends_with_the_answer(engine: Engine) -> None:
    first = await engine.aask(OPENED)
    events: list[Event] = [event async for event in engine.stream(OPENED)]
    kinds = [event.kind for event in events]
    assert kinds[:2] == ["status", "status"]
    assert kinds.count("sentence.verified") == kinds.count("sentence.provisional") > 0
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    done = events[-1]
    assert isinstance(done, Done)
    assert done.answer.reused_from == first.run_id


def test_a_run_that_gave_a_kept_answer_is_replayed_and_cannot_be_decided_again(papers: Path) -> None:
    data = papers.parent / "data"
    with opened(papers) as engine:
        answers: list[Answer] = [engine.ask(OPENED) for _ in range(2)]
    for answer in answers:
        assert replay(answer.run_id, data_dir=data).to_dict() == answer.to_dict()
    with pytest.raises(UsageError, match="nothing was decided in it"):
        what_if(answers[1].run_id, {"correct": 0.9}, data_dir=data)


def test_figures_count_what_was_served(papers: Path) -> None:
    with opened(papers) as engine:
        for question in (OPENED, OPENED, POLITE, "How long is the swimming pool?"):
            engine.ask(question)
    store = RunStore(papers.parent / "data" / "runs.sqlite")
    found = summed(run.figures for run in store.figures())
    store.close()
    assert (found.lookups, found.reused, found.reuse_share, found.saved_calls) == (4, 2, 0.5, 0)
