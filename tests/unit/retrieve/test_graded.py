"""The reranker that asks a grader: it orders the first ten anew, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration import Joining
from assay.retrieve.graded import READ, WORDS, GradedReranker
from assay.stages import Pair
from assay.testing.fakes import ScriptedGrader
from assay.types import Hit, Passage, Scores

QUESTION = "Which of them boils first?"
BY_PASSAGE = Joining({"search": 0.0, "passage": 1.0}, 0.0)


def hits(count: int, title: str = "") -> tuple[Hit, ...]:
    """Passages p1, p2 and so on, each with scores of its own, best first."""
    made = []
    for n in range(1, count + 1):
        text = f"Text {n}."
        passage = Passage(f"p{n}", "d", "", 0, len(text), text, title)
        made.append(Hit(passage, 1.0 / n, Scores(dense=0.5 / n, sparse=10.0 / n)))
    return tuple(made)


def scripted(odds: Sequence[float], line: Joining = BY_PASSAGE) -> ScriptedGrader:
    """A grader that gives the n-th text the n-th odds."""
    script = {Pair(QUESTION, f"Text {n}."): each for n, each in enumerate(odds, 1)}
    return ScriptedGrader(script, {"ranking": line})


def ids(found: tuple[Hit, ...]) -> list[str]:
    return [hit.passage.passage_id for hit in found]


async def test_the_best_graded_comes_first() -> None:
    found = await GradedReranker(scripted([-1.0, 3.0, 1.0])).rerank(QUESTION, hits(3))
    assert ids(found) == ["p2", "p3", "p1"]


async def test_only_the_first_ten_are_read_and_move() -> None:
    grader = scripted([float(n) for n in range(READ)])
    found = await GradedReranker(grader).rerank(QUESTION, hits(14))
    assert ids(found) == [f"p{n}" for n in (10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 11, 12, 13, 14)]
    assert found[READ:] == hits(14)[READ:]
    assert len(grader.asked) == READ


async def test_raw_scores_stay_and_scores_are_those_of_the_places() -> None:
    before = hits(12)
    found = await GradedReranker(scripted([0.0, 5.0, -1.0, 2.0, 0.5, 9.0, 1.0, 3.0, 4.0, 7.0])).rerank(
        QUESTION, before
    )
    assert {hit.passage.passage_id: hit.scores for hit in found} == {
        hit.passage.passage_id: hit.scores for hit in before
    }
    assert [hit.score for hit in found] == [hit.score for hit in before]


@given(st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=10))
async def test_whatever_is_said_no_hit_is_lost_and_scores_fall(odds: list[float]) -> None:
    found = await GradedReranker(scripted(odds)).rerank(QUESTION, hits(len(odds)))
    assert sorted(ids(found)) == sorted(ids(hits(len(odds))))
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    said = [odds[int(each[1:]) - 1] for each in ids(found)]
    assert said == sorted(said, reverse=True)


async def test_the_search_counts_as_the_joining_says() -> None:
    # Scores 1, 1/2 and 1/3: 6 x 1/2 + 4 = 7 is more than 6 x 1 + 0 and 6 x 1/3 + 3.
    line = Joining({"search": 6.0, "passage": 1.0}, 0.0)
    found = await GradedReranker(scripted([0.0, 4.0, 3.0], line)).rerank(QUESTION, hits(3))
    assert ids(found) == ["p2", "p1", "p3"]


async def test_equals_stay_in_their_order() -> None:
    assert await GradedReranker(scripted([1.0] * 4)).rerank(QUESTION, hits(4)) == hits(4)


@pytest.mark.parametrize("count", [0, 1])
async def test_where_there_is_nothing_to_order_nothing_is_asked(count: int) -> None:
    grader = scripted([])
    assert await GradedReranker(grader).rerank(QUESTION, hits(count)) == hits(count)
    assert grader.asked == []


async def test_a_question_in_another_language_changes_nothing() -> None:
    grader = scripted([])
    assert await GradedReranker(grader).rerank("Wann ist der Turm gebaut und eröffnet?", hits(3)) == hits(3)
    assert grader.asked == []


async def test_a_passage_is_read_under_its_title() -> None:
    script = {Pair(QUESTION, f"Water. Text {n}."): float(n) for n in (1, 2)}
    found = await GradedReranker(ScriptedGrader(script, {"ranking": BY_PASSAGE})).rerank(QUESTION, hits(2, "Water"))
    assert ids(found) == ["p2", "p1"]


async def test_of_a_long_passage_the_first_words_are_read() -> None:
    text = " ".join(f"word{n}" for n in range(500))
    long = Hit(Passage("long", "d", "", 0, len(text), text), 2.0)
    script = {Pair(QUESTION, " ".join(text.split()[:WORDS])): 0.0, Pair(QUESTION, "Text 1."): 1.0}
    found = await GradedReranker(ScriptedGrader(script, {"ranking": BY_PASSAGE})).rerank(QUESTION, (long, *hits(1)))
    assert ids(found) == ["p1", "long"]
