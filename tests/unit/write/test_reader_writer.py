"""Answers quoted where a reader finds them: whole blocks, the short answer first, and what is missing named."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assay.nlp.reading import titled
from assay.testing.fakes import ScriptedReader, ScriptedWriter
from assay.types import (
    AnswerSpan,
    AnswerType,
    Contradiction,
    Evidence,
    Finished,
    Hit,
    Passage,
    PassageReading,
    Question,
    QuestionKind,
    Quote,
    Sentence,
)
from assay.write.reader_writer import LEAST_PART, NEAR, SURE_POLARITY, SURE_SPAN, ReaderWriter

ASKED = "How long is parental leave?"
LEAVE = "Leave for parents lasts 18 weeks. It is paid in full, and it can be taken in two parts."
PAY = "Pay is due on the last day of each month, for part-time work as well."
ELSEWHERE = (Sentence(1, "Written by another.", ("p1",)), Finished("stop"))


def evidence(*texts: str, **others: object) -> Evidence:
    passages = (Passage(f"p{n}", "d", "r", 100, 100 + len(text), text) for n, text in enumerate(texts, 1))
    return Evidence(tuple(Hit(passage, 1.0) for passage in passages), **others)  # type: ignore[arg-type]


def reading(text: str, answerable: float, *words: str, sure: float = 0.0, **polarity: float) -> PassageReading:
    """A reading of a text: the answer stands at the words, the first likeliest."""
    spans = (AnswerSpan(text.index(each), text.index(each) + len(each), sure - n) for n, each in enumerate(words))
    return PassageReading(answerable, tuple(spans), polarity.get("yes", 0.0), polarity.get("no", 0.0))


def asking(text: str = ASKED, answer_type: AnswerType = AnswerType.DEFINITION, **others: object) -> Question:
    return Question(text, text, aspects=(text,), answer_type=answer_type, **others)  # type: ignore[arg-type]


async def written(
    found: Evidence, script: Mapping[tuple[str, str], PassageReading], question: Question | None = None
) -> list[Sentence | Finished]:
    writer = ReaderWriter(ScriptedReader(script), ScriptedWriter({ASKED: ELSEWHERE}))
    return [part async for part in writer.write(question or asking(), found, ())]


async def sentences(
    found: Evidence, script: Mapping[tuple[str, str], PassageReading], question: Question | None = None
) -> list[Sentence]:
    *made, end = await written(found, script, question)
    assert end == Finished("stop")
    return [each for each in made if isinstance(each, Sentence)]


async def test_the_block_where_the_answer_stands_is_quoted_word_for_word() -> None:
    found = evidence(PAY, f"# Leave\n\n{LEAVE}\n\nAsk Ann.")
    text = titled(found.passages[1]).text
    [said] = await sentences(
        found, {(ASKED, PAY): reading(PAY, -3.0, "last day"), (ASKED, text): reading(text, 3.0, "18 weeks")}
    )
    start = found.passages[1].text.index(LEAVE)
    assert said == Sentence(
        1, LEAVE, ("p2",), quotes=(Quote(LEAVE, found.passages[1].span_of(start, start + len(LEAVE))),)
    )


async def test_a_sure_short_answer_comes_first_and_is_a_quote_as_well() -> None:
    found = evidence(LEAVE)
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks", sure=SURE_SPAN)}
    [said] = await sentences(found, script, asking(answer_type=AnswerType.NUMBER))
    assert said.text == f"**18 weeks** — {LEAVE}"
    short, whole = said.quotes
    at = LEAVE.index("18 weeks")
    assert short == Quote("18 weeks", found.passages[0].span_of(at, at + 8))
    assert whole.text == LEAVE


BRIEF = "It is 18 weeks."


@pytest.mark.parametrize(
    ("question", "read", "text"),
    [
        (asking(answer_type=AnswerType.NUMBER), reading(LEAVE, 3.0, "18 weeks", sure=SURE_SPAN - 0.1), LEAVE),
        (asking(answer_type=AnswerType.REASON), reading(LEAVE, 3.0, "18 weeks", sure=9.0), LEAVE),
        (asking(kind=QuestionKind.HOW_TO), reading(LEAVE, 3.0, "18 weeks", sure=9.0), LEAVE),
        (asking(answer_type=AnswerType.NUMBER), reading(LEAVE, 3.0, LEAVE[:60], sure=9.0), LEAVE),
        (asking(answer_type=AnswerType.NUMBER), reading(BRIEF, 3.0, "18 weeks", sure=9.0), BRIEF),
    ],
)
async def test_no_short_answer_is_put_first_where_it_is_unsure_unasked_long_or_all_there_is(
    question: Question, read: PassageReading, text: str
) -> None:
    [said] = await sentences(evidence(text), {(ASKED, text): read}, question)
    assert said.text == text


@pytest.mark.parametrize(
    ("polarity", "begins"),
    [
        ({"yes": SURE_POLARITY}, "**Yes** — Leave"),
        ({"no": SURE_POLARITY}, "**No** — Leave"),
        ({"yes": SURE_POLARITY - 0.01}, "Leave"),
    ],
)
async def test_yes_or_no_is_said_where_the_reader_is_sure(polarity: dict[str, float], begins: str) -> None:
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks", sure=9.0, **polarity)}
    [said] = await sentences(evidence(LEAVE), script, asking(answer_type=AnswerType.YES_NO))
    assert said.text.startswith(begins)
    assert [quote.text for quote in said.quotes] == [LEAVE]


async def test_a_list_follows_the_short_answer_on_lines_of_its_own() -> None:
    text = "- 18 weeks of leave for one parent\n- two parts at most for both of them"
    [said] = await sentences(
        evidence(text),
        {(ASKED, text): reading(text, 3.0, "18 weeks", sure=9.0)},
        asking(answer_type=AnswerType.NUMBER),
    )
    assert said.text == f"**18 weeks**\n\n{text}"


async def test_a_block_that_is_about_as_likely_follows_and_one_that_is_not_does_not() -> None:
    found = evidence(LEAVE, PAY)
    near = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks"), (ASKED, PAY): reading(PAY, 3.0, "last day")}
    first, second = await sentences(found, near)
    assert (first.passage_ids, second.passage_ids) == (("p1",), ("p2",))
    assert second.text == f"\n\n{PAY}"
    far = {**near, (ASKED, PAY): reading(PAY, 3.0 - NEAR, "last day")}
    assert len(await sentences(found, far)) == 1


async def test_of_passages_that_read_alike_the_first_found_comes_first() -> None:
    found = evidence(PAY, LEAVE)
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks"), (ASKED, PAY): reading(PAY, 3.0, "last day")}
    assert [each.passage_ids for each in await sentences(found, script)] == [("p1",), ("p2",)]


async def test_a_block_is_quoted_once() -> None:
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks", "two parts")}
    assert len(await sentences(evidence(LEAVE), script)) == 1


async def test_instructions_are_one_block() -> None:
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks"), (ASKED, PAY): reading(PAY, 3.0, "last day")}
    assert len(await sentences(evidence(LEAVE, PAY), script, asking(kind=QuestionKind.HOW_TO))) == 1


async def test_code_ends_its_line() -> None:
    text = "Run this:\n\n```\nassay add docs\n```"
    found = evidence(text)
    read = titled(found.passages[0]).text
    [said] = await sentences(found, {(ASKED, read): reading(read, 3.0, "assay add")})
    assert said.text == f"{text}\n"


PARTS = ("How long is leave?", "When is pay due?")
BOTH = Question(" ".join(PARTS), " ".join(PARTS), aspects=PARTS, answer_type=AnswerType.NUMBER)
BY_PART = {
    (PARTS[0], LEAVE): reading(LEAVE, 3.0, "18 weeks"),
    (PARTS[0], PAY): reading(PAY, -3.0, "last day"),
    (PARTS[1], LEAVE): reading(LEAVE, -3.0, "18 weeks"),
    (PARTS[1], PAY): reading(PAY, 3.0, "last day"),
}


async def test_each_part_of_a_question_has_a_block_of_its_own() -> None:
    first, second = await sentences(evidence(LEAVE, PAY), BY_PART, BOTH)
    assert (first.text, second.text) == (LEAVE, f"\n\n{PAY}")


async def test_a_part_that_nothing_covers_is_named_and_not_quoted_for() -> None:
    found = evidence(LEAVE, PAY, uncovered=(PARTS[1],))
    first, last = await sentences(found, BY_PART, BOTH)
    assert first.text == LEAVE
    assert last == Sentence(2, f"\n\nThe documents do not answer: {PARTS[1]}.")


async def test_a_part_that_hardly_anything_answers_is_not_quoted_for() -> None:
    hardly = reading(PAY, LEAST_PART, "last day", sure=-1.0)
    script = {**BY_PART, (PARTS[1], PAY): hardly}
    [only] = await sentences(evidence(LEAVE, PAY), script, BOTH)
    assert only.text == LEAVE


async def test_where_nothing_can_be_quoted_nothing_is_written() -> None:
    text = "# Only a heading"
    found = evidence(text)
    read = titled(found.passages[0]).text
    assert await written(found, {(ASKED, read): reading(read, 3.0, "heading")}) == [Finished("stop")]
    assert await written(evidence(LEAVE), {(ASKED, LEAVE): reading(LEAVE, 3.0)}) == [Finished("stop")]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        (asking(language="de"), evidence(LEAVE)),
        (asking(), evidence()),
        (asking(), evidence(LEAVE, contradictions=(Contradiction("how long", ()),))),
    ],
)
async def test_another_writes_in_other_languages_without_passages_and_where_sources_disagree(
    question: Question, found: Evidence
) -> None:
    assert await written(found, {}, question) == list(ELSEWHERE)
