"""What the fast judge takes from a reader: how likely the passages answer the whole question, and each part."""

from __future__ import annotations

from collections.abc import Mapping

from assay.calibration import sigmoid
from assay.judging.reader_judge import (
    FAST,
    FAST_READ,
    MOST_PASSAGES,
    WORDS_ONLY,
    Answerability,
    HeuristicJudge,
    answerability,
)
from assay.testing.fakes import ScriptedReader, WordEmbedder
from assay.types import Evidence, Hit, Judgement, Passage, PassageReading, Question

ASKED = "How long is leave?"


def passages(*texts: str) -> tuple[Passage, ...]:
    return tuple(Passage(f"p{n}", "d", "r", 0, len(text), text) for n, text in enumerate(texts, 1))


def scripted(odds: Mapping[tuple[str, str], float]) -> ScriptedReader:
    return ScriptedReader({key: PassageReading(item, (), 0.0, 0.0) for key, item in odds.items()})


async def read(odds: Mapping[str, float], cosines: Mapping[str, float] | None = None) -> Answerability:
    reader = scripted({(ASKED, text): item for text, item in odds.items()})
    return await answerability(reader, Question(ASKED, ASKED, aspects=(ASKED,)), passages(*odds), cosines or {})


async def test_the_likeliest_passages_are_signals_whatever_their_order() -> None:
    found = await read({"one": -4.0, "two": 4.0, "three": 0.0})
    assert dict(found.signals) == {"reader_best": 1.0, "reader_second": 0.5, "reader_third": 0.0}
    assert dict(found.passages) == {"p1": sigmoid(-4.0), "p2": sigmoid(4.0), "p3": sigmoid(0.0)}


async def test_of_fewer_than_three_passages_the_last_counts_again() -> None:
    assert set((await read({"one": 2.0})).signals.values()) == {0.75}
    assert list((await read({"one": 2.0, "two": 0.0})).signals.values()) == [0.75, 0.5, 0.5]


async def test_certainty_beyond_what_was_taught_tells_no_more() -> None:
    assert (await read({"one": 40.0})).signals == (await read({"one": 4.0})).signals


async def test_only_the_nearest_passages_are_read() -> None:
    count = MOST_PASSAGES + 2
    odds = {f"text {n}": 0.0 for n in range(1, count + 1)}
    found = await read(odds, {f"p{n}": n / count for n in range(1, count + 1)})
    assert set(found.passages) == {f"p{n}" for n in range(3, count + 1)}


PARTS = ("How long is leave?", "When is pay due?")
BOTH = Question(" ".join(PARTS), " ".join(PARTS), aspects=PARTS)
FIRST, SECOND = PARTS
LEAVE, PAY = "Leave is 18 weeks long.", "Pay is due on Monday."
BY_PART = {
    (BOTH.standalone, LEAVE): 1.0,
    (BOTH.standalone, PAY): 1.0,
    (FIRST, LEAVE): 3.0,
    (FIRST, PAY): -3.0,
    (SECOND, LEAVE): -3.0,
    (SECOND, PAY): 3.0,
}


# --- in the fast judge ----------------------------------------------------------------------------


def evidence(*texts: str) -> Evidence:
    return Evidence(tuple(Hit(passage, 1.0) for passage in passages(*texts)))


async def judged(odds: float, question: Question | None = None, **others: ScriptedReader) -> Judgement:
    reader = others.get("reader", scripted({(ASKED, LEAVE): odds}))
    asked = question or Question(ASKED, ASKED, aspects=(ASKED,))
    return await HeuristicJudge(WordEmbedder(), reader=reader).judge(asked, evidence(LEAVE))


async def test_the_judge_names_the_reader_and_goes_by_it() -> None:
    sure, doubtful = await judged(4.0), await judged(-4.0)
    assert sure.mode_used == doubtful.mode_used == FAST_READ
    assert sure.sufficiency is not None
    assert doubtful.sufficiency is not None
    assert sure.sufficiency > doubtful.sufficiency
    assert (sure.signals["reader_best"], doubtful.signals["reader_best"]) == (1.0, 0.0)
    assert sure.relevance == {"p1": sigmoid(4.0)}


async def test_without_a_reader_or_in_a_language_that_it_does_not_read_it_is_not_asked() -> None:
    german = Question("Wie lange?", "Wie lange?", aspects=("Wie lange?",), language="de")
    unread = scripted({})
    assert (await judged(0.0, german, reader=unread)).mode_used in (FAST, WORDS_ONLY)
    assert unread.asked == []
    plain = await HeuristicJudge(WordEmbedder()).judge(Question(ASKED, ASKED, aspects=(ASKED,)), evidence(LEAVE))
    assert plain.mode_used == FAST
    assert "reader_best" not in plain.signals


async def test_a_part_is_covered_where_the_passages_suffice_for_it_alone() -> None:
    script = {**BY_PART, (SECOND, LEAVE): -4.0}
    found = await HeuristicJudge(WordEmbedder(), reader=scripted(script)).judge(BOTH, evidence(LEAVE))
    assert [aspect.state for aspect in found.aspects] == ["covered", "missing"]


async def test_a_part_that_is_covered_is_worth_an_answer() -> None:
    unlikely = {**BY_PART, (BOTH.standalone, LEAVE): -4.0, (SECOND, LEAVE): -4.0}
    found = await HeuristicJudge(WordEmbedder(), reader=scripted(unlikely)).judge(BOTH, evidence(LEAVE))
    alone = await judged(3.0)
    assert found.triage == alone.triage
    assert found.missing == (SECOND,)


async def test_what_is_to_be_compared_asks_nothing_by_itself() -> None:
    sides = ("long leave", "short leave")
    asked = Question("long leave or short leave?", "long leave or short leave?", aspects=sides)
    reader = scripted({(asked.standalone, LEAVE): 0.0})
    await HeuristicJudge(WordEmbedder(), reader=reader).judge(asked, evidence(LEAVE))
    assert [question for question, _ in reader.asked] == [asked.standalone]


async def test_what_is_missing_of_a_part_that_is_named_is_not_named_again() -> None:
    parts = ("How long is leave?", "Who won the world cup?")
    asked = Question(" ".join(parts), " ".join(parts), aspects=parts)
    odds = {(part, LEAVE): -4.0 for part in (asked.standalone, *parts)}
    found = await HeuristicJudge(WordEmbedder(), reader=scripted(odds)).judge(asked, evidence(LEAVE))
    assert parts[1] in found.missing
    assert all(part in parts for part in found.missing)
