"""Answers quoted where a reader finds them: whole blocks, the short answer first, and what is missing named."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.nlp.blocks import titled, without_markup
from assay.testing.fakes import ScriptedReader, WordEmbedder
from assay.types import (
    AnswerSpan,
    AnswerType,
    Contradiction,
    Evidence,
    Finished,
    FoundRow,
    Hit,
    Passage,
    PassageReading,
    Question,
    QuestionKind,
    Quote,
    Sentence,
    Span,
)
from assay.writing.blocks import FACT_BLOCK, PROSE_BLOCK, PROSE_WORDS
from assay.writing.extractive import ExtractiveWriter
from assay.writing.features import NAMES, SCATTER_NAMES
from assay.writing.ranking import Ranker
from assay.writing.reader_writer import (
    COSINE_WEIGHT,
    MOST_BLOCKS,
    MOST_SPAN_ODDS,
    NEAR,
    RANK_WEIGHT,
    READER_WEIGHT,
    STEPS,
    SURE_POLARITY,
    SURE_ROW,
    SURE_SPAN,
    ReaderWriter,
)

ASKED = "How long is parental leave?"
LEAVE = "Leave for parents lasts 18 weeks. It is paid in full, and it can be taken in two parts."
PAY = "Pay is due on the last day of each month, for part-time work as well."


@dataclass(frozen=True, slots=True)
class CosineEmbedder(WordEmbedder):
    """Gives each text the cosine to the first that is written down for it, and the others none."""

    cosines: Mapping[str, float] = field(default_factory=dict)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cosines = [1.0, *(self.cosines.get(text, 0.0) for text in texts[1:])]
        return np.array([(cosine, math.sqrt(1 - cosine**2)) for cosine in cosines], dtype=np.float32)


async def test_of_a_row_in_which_two_cells_may_be_meant_none_is_picked_out() -> None:
    asked = asking("What is the compression ratio of lz4?", AnswerType.NUMBER)
    found = evidence("| Codec | Ratio | Compression |\n|---|---|---|\n| lz4 | 2.101 | 740 MB/s |")
    read = titled(found.passages[0]).text
    script = {(asked.standalone, read): reading(read, 3.0, "740 MB/s", sure=9.0)}
    [said] = await sentences(found, script, asked)
    assert said.text == found.passages[0].text


@pytest.mark.parametrize(
    ("version", "shown"),
    [("1.0", ["It was released in 2016."]), ("3.0", ["It was released in 2015.", "It was released in 2016."])],
)
async def test_what_is_told_of_another_version_is_quoted_only_where_all_is(version: str, shown: list[str]) -> None:
    asked = asking(f"When was Leaflet {version} released?", AnswerType.DATE)
    beta, final = (
        "Leaflet 1.0-beta1 was a test. It was released in 2015.",
        "Leaflet 1.0 is new. It was released in 2016.",
    )
    script = {
        (asked.standalone, text): reading(text, odds, "It was released")
        for text, odds in ((beta, 4.0), (final, 3.0))
    }
    said = await sentences(evidence(beta, final), script, asked, p1=0.9, p2=0.9)
    assert [text for each in said for text in shown if text in each.text] == shown
    assert len(said) == len(shown)


def scattering(probability: float) -> ExtractiveWriter:
    """The writer of sentences that takes every answer to lie scattered with this probability."""
    even, odds = (0.0,) * len(NAMES), math.log(probability / (1 - probability))
    return ExtractiveWriter(Ranker(even, even, (0.0,) * len(SCATTER_NAMES), odds))


BY_SENTENCES = scattering(0.01)


def evidence(*texts: str, title: str = "", **others: object) -> Evidence:
    passages = (
        Passage(f"p{n}", "d", "r", 10_000 * n, 10_000 * n + len(text), text, title=title)
        for n, text in enumerate(texts, 1)
    )
    return Evidence(tuple(Hit(passage, 1.0) for passage in passages), **others)  # type: ignore[arg-type]


def reading(text: str, answerable: float, *words: str, sure: float = 0.0, **polarity: float) -> PassageReading:
    """A reading of a text: the answer stands at the words, the first likeliest."""
    spans = (AnswerSpan(text.index(word), text.index(word) + len(word), sure - n) for n, word in enumerate(words))
    return PassageReading(answerable, tuple(spans), polarity.get("yes", 0.0), polarity.get("no", 0.0))


def asking(text: str = ASKED, answer_type: AnswerType = AnswerType.DEFINITION, **others: object) -> Question:
    return Question(text, text, aspects=(text,), answer_type=answer_type, **others)  # type: ignore[arg-type]


async def written(
    found: Evidence,
    script: Mapping[tuple[str, str], PassageReading],
    question: Question | None = None,
    other: ExtractiveWriter = BY_SENTENCES,
    **cosines: float,
) -> list[Sentence | Finished]:
    """What is written; `cosines` are those of passages, by their identifiers, whose one block is their text."""
    near = {
        f"\n{passage.text}": cosines[passage.passage_id]
        for passage in found.passages
        if passage.passage_id in cosines
    }
    writer = ReaderWriter(ScriptedReader(script), CosineEmbedder(cosines=near), other)
    return [part async for part in writer.write(question or asking(), found, ())]


async def sentences(
    found: Evidence,
    script: Mapping[tuple[str, str], PassageReading],
    question: Question | None = None,
    **cosines: float,
) -> list[Sentence]:
    *made, end = await written(found, script, question, **cosines)
    assert end == Finished("stop")
    return [part for part in made if isinstance(part, Sentence)]


async def test_the_block_where_the_answer_stands_is_quoted_word_for_word() -> None:
    found = evidence(PAY, f"# Leave\n\n{LEAVE}\n\nAsk Ann.")
    text = titled(found.passages[1]).text
    [said] = await sentences(
        found, {(ASKED, PAY): reading(PAY, -9.0, "last day"), (ASKED, text): reading(text, 9.0, "18 weeks")}
    )
    start = found.passages[1].text.index(LEAVE)
    assert replace(said, apart=None) == Sentence(
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


async def test_words_of_two_items_are_no_short_answer() -> None:
    text = "Before you go in:\n- Put on a hairnet.\n- Wash hands.\n- Change shoes."
    script = {(ASKED, text): reading(text, 3.0, "Put on a hairnet.\n- Wash hands", sure=SURE_SPAN)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.OTHER))
    assert said.text == text


async def test_words_of_two_rows_are_no_short_answer() -> None:
    text = "| Place | Where |\n| --- | --- |\n| First aid | |\n| Camping | Meadow B |\n| Tickets | north gate |"
    read = titled(evidence(text).passages[0]).text
    across = read[read.index("Meadow") : read.index("north") - 1]
    script = {(ASKED, read): reading(read, 4.0, across, sure=9.0)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.PLACE))
    assert said.text == text


async def test_a_short_answer_cuts_no_word() -> None:
    text = "The manual was written by Ida Blum in the spring, and printed in the autumn of the same year."
    script = {(ASKED, text): reading(text, 4.0, "da Blu", sure=9.0)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.PERSON))
    assert said.text.startswith("**Ida Blum** — ")
    assert said.quotes[0].text == "Ida Blum"


async def test_code_is_no_short_answer() -> None:
    text = "Add them so:\n\n```sh\nassay add docs\n```\n\nThen ask what you want to know of them."
    read = titled(evidence(text).passages[0]).text
    script = {(ASKED, read): reading(read, 3.0, "assay add docs", sure=9.0)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.NAME))
    assert said.text == text[: text.index("\n\nThen")] + "\n"


async def test_a_noun_of_the_question_with_an_article_is_no_short_answer() -> None:
    text = "Each parent has a leave form, and each form must be signed by the head of the office."
    script = {(ASKED, text): reading(text, 3.0, "a leave form", sure=9.0)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.NAME))
    assert said.text == text


async def test_only_the_first_quote_has_a_short_answer() -> None:
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks", sure=9.0)}
    script[(ASKED, PAY)] = reading(PAY, 3.0, "the last day", sure=9.0)
    first, second = await sentences(evidence(LEAVE, PAY), script, asking(answer_type=AnswerType.DATE))
    assert first.text == f"**18 weeks** — {LEAVE}"
    assert second.text == f"\n\n{PAY}"


async def test_a_short_answer_that_the_block_begins_with_is_not_said_twice() -> None:
    text = "18 weeks of leave is what each of the two parents gets, whenever the child was born."
    script = {(ASKED, text): reading(text, 3.0, "18 weeks", sure=9.0)}
    [said] = await sentences(evidence(text), script, asking(answer_type=AnswerType.NUMBER))
    assert said.text == text


STEPS_OF = "# Leave\n\nFirst, ask Ann.\n\nThen fill in form 7.\n\nSend it to Bo.\n\n# Pay\n\nPay is due on Monday."


async def test_a_how_to_is_shown_with_the_blocks_beside_it_under_the_same_heading() -> None:
    found = evidence(STEPS_OF)
    read = titled(found.passages[0]).text
    script = {(ASKED, read): reading(read, 3.0, "form 7")}
    [said] = await sentences(found, script, asking(kind=QuestionKind.HOW_TO))
    assert said.text == "First, ask Ann.\n\nThen fill in form 7.\n\nSend it to Bo."
    [explained] = await sentences(found, script, asking())
    assert explained.text == "Then fill in form 7."


async def test_a_block_that_stands_beside_a_how_to_is_not_shown_twice() -> None:
    found = evidence(STEPS_OF)
    read = titled(found.passages[0]).text
    script = {(ASKED, read): reading(read, 3.0, "form 7", "ask Ann")}
    assert len(await sentences(found, script, asking(kind=QuestionKind.HOW_TO))) == 1


# How much less answerable the second passage of two must be read to lie just as far as NEAR behind the first.
BEHIND = (NEAR - RANK_WEIGHT * math.log(2)) / READER_WEIGHT


async def test_a_block_that_is_about_as_likely_follows_and_one_that_is_not_does_not() -> None:
    found = evidence(LEAVE, PAY)
    near = {
        (ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks"),
        (ASKED, PAY): reading(PAY, 3.1 - BEHIND, "last day"),
    }
    first, second = await sentences(found, near)
    assert (first.passage_ids, second.passage_ids) == (("p1",), ("p2",))
    assert second.text == f"\n\n{PAY}"
    far = {**near, (ASKED, PAY): reading(PAY, 2.9 - BEHIND, "last day")}
    assert len(await sentences(found, far)) == 1


ALIKE = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks"), (ASKED, PAY): reading(PAY, 3.0, "last day")}


async def test_of_passages_that_read_alike_the_first_found_comes_first() -> None:
    assert [sentence.passage_ids for sentence in await sentences(evidence(PAY, LEAVE), ALIKE)] == [("p1",), ("p2",)]


async def test_the_likeliest_block_says_how_far_it_stands_apart_from_the_others() -> None:
    first, second = await sentences(evidence(PAY, LEAVE), ALIKE)
    assert (first.apart, second.apart) == (pytest.approx(RANK_WEIGHT * math.log(2)), None)
    [alone] = await sentences(evidence(PAY), ALIKE)
    assert alone.apart == MOST_SPAN_ODDS


# The cosine that makes up for the second place in the search.
EVEN = RANK_WEIGHT * math.log(2) / COSINE_WEIGHT


@pytest.mark.parametrize(
    ("cosine", "order"),
    [
        (EVEN + 0.01, ["p2", "p1"]),
        (EVEN + 0.01 + NEAR / COSINE_WEIGHT, ["p2"]),
        (EVEN - 0.01, ["p1", "p2"]),
        (EVEN - 0.01 - NEAR / COSINE_WEIGHT, ["p1"]),
    ],
)
async def test_a_block_near_to_the_question_is_likelier(cosine: float, order: list[str]) -> None:
    said = await sentences(evidence(PAY, LEAVE), ALIKE, p2=cosine)
    assert [sentence.passage_ids[0] for sentence in said] == order


async def test_nearness_is_that_of_the_block_below_its_title_without_markup() -> None:
    block = "Leave lasts [18 weeks](leave.md) or more."
    text = f"Pay is **due** on Friday.\n\n{block}"
    found = evidence(text, title="Work")
    read = titled(found.passages[0]).text
    script = {(ASKED, read): reading(read, 3.0, "due", "18 weeks")}
    near = CosineEmbedder(cosines={f"Work\n{without_markup(block)}": 0.9})
    parts = [
        part async for part in ReaderWriter(ScriptedReader(script), near, BY_SENTENCES).write(asking(), found, ())
    ]
    assert next(part.text for part in parts if isinstance(part, Sentence)) == block


def prose(words: int, of: str) -> str:
    """A paragraph of so many words, ten to a sentence."""
    return " ".join(f"{of.capitalize()}{' so' * 8} {of}." for _ in range(words // 10))


async def test_blocks_follow_while_the_answer_stays_short() -> None:
    texts = [prose(PROSE_WORDS // 2, "leave"), prose(PROSE_WORDS // 2, "pay"), "One word too many."]
    script = {(ASKED, text): reading(text, 3.0, "o") for text in texts}
    assert [sentence.passage_ids for sentence in await sentences(evidence(*texts), script)] == [("p1",), ("p2",)]


async def test_so_many_blocks_are_the_most() -> None:
    texts = [f"Fact {n}." for n in range(MOST_BLOCKS + 1)]
    script = {(ASKED, text): reading(text, 3.0, "Fact") for text in texts}
    assert len(await sentences(evidence(*texts), script)) == MOST_BLOCKS


async def test_of_a_long_block_a_fact_is_shown_with_less_around_it_than_an_explanation() -> None:
    text = prose(PROSE_BLOCK, "leave")
    script = {(ASKED, text): reading(text, 3.0, "so")}
    [explained] = await sentences(evidence(text), script)
    [fact] = await sentences(evidence(text), script, asking(answer_type=AnswerType.DATE))
    assert explained.text == text
    assert fact.text == prose(FACT_BLOCK, "leave")


RULES = [f"- rule {n} says that everybody must do this and never that" for n in range(12)]
RULED = "Keep these rules:\n\n" + "\n".join(RULES)


async def said_of_rules(question: str, answer_type: AnswerType) -> str:
    script = {(question, RULED): reading(RULED, 3.0, "rule 0", sure=SURE_SPAN)}
    found = evidence(RULED)
    [said] = await sentences(found, script, asking(question, answer_type=answer_type))
    assert [quote.text for quote in said.quotes] == [quote.source.quote for quote in said.quotes]
    assert all(quote.text in said.text for quote in said.quotes)
    return said.text


async def test_a_list_that_is_asked_for_is_shown_whole_and_none_of_its_items_is_the_short_answer() -> None:
    assert await said_of_rules("Which rules must I keep?", AnswerType.NAME) == RULED


async def test_of_a_list_that_is_cut_it_is_told_how_many_items_are_left_out() -> None:
    text, _, rest = (await said_of_rules("Why keep to it?", AnswerType.REASON)).rpartition("\n\n")
    shown = text.count("\n- rule")
    assert 1 < shown < len(RULES)
    assert rest == f"(This list has {len(RULES) - shown} more items in the source.)"


async def test_of_a_list_in_which_one_fact_was_asked_for_no_rest_is_told() -> None:
    text = await said_of_rules("When must I keep to it?", AnswerType.DATE)
    assert RULES[0] in text
    assert "more items" not in text


async def test_a_block_is_quoted_once() -> None:
    script = {(ASKED, LEAVE): reading(LEAVE, 3.0, "18 weeks", "two parts")}
    assert len(await sentences(evidence(LEAVE), script)) == 1


async def test_instructions_have_more_room() -> None:
    texts = [prose(PROSE_WORDS // 2, "leave"), prose(PROSE_WORDS, "pay")]
    script = {(ASKED, text): reading(text, 3.0, "o") for text in texts}
    assert len(await sentences(evidence(*texts), script)) == 1
    assert len(await sentences(evidence(*texts), script, asking(kind=QuestionKind.HOW_TO))) == 2


async def test_code_ends_its_line() -> None:
    text = "Run this:\n\n```\nassay add docs\n```"
    found = evidence(text)
    read = titled(found.passages[0]).text
    [said] = await sentences(found, {(ASKED, read): reading(read, 3.0, "assay add")})
    assert said.text == f"{text}\n"


PARTS = ("How long is leave?", "When is pay due?")
BOTH = Question(" ".join(PARTS), " ".join(PARTS), aspects=PARTS, answer_type=AnswerType.NUMBER)
FIRST, SECOND = PARTS
BY_PART = {
    (FIRST, LEAVE): reading(LEAVE, 3.0, "18 weeks"),
    (FIRST, PAY): reading(PAY, -3.0, "last day"),
    (SECOND, LEAVE): reading(LEAVE, -3.0, "18 weeks"),
    (SECOND, PAY): reading(PAY, 3.0, "last day"),
}


async def test_each_part_of_a_question_has_a_block_of_its_own() -> None:
    first, second = await sentences(evidence(LEAVE, PAY), BY_PART, BOTH)
    assert (first.text, second.text) == (LEAVE, f"\n\n{PAY}")


async def test_no_short_answer_is_put_first_where_several_are_asked_for() -> None:
    sure = {**BY_PART, (FIRST, LEAVE): reading(LEAVE, 3.0, "18 weeks", sure=9.0)}
    first, second = await sentences(evidence(LEAVE, PAY), sure, BOTH)
    assert (first.text, second.text) == (LEAVE, f"\n\n{PAY}")


async def test_a_part_that_nothing_covers_is_named_and_not_quoted_for() -> None:
    found = evidence(LEAVE, PAY, uncovered=(PARTS[1],))
    first, last = await sentences(found, BY_PART, BOTH)
    assert first.text == LEAVE
    assert last == Sentence(2, f"\n\nThe documents do not answer: {PARTS[1]}.")


async def test_a_part_that_is_covered_is_quoted_for_however_unsure_the_reader_is() -> None:
    hardly = reading(PAY, -9.0, "last day", sure=-9.0)
    script = {**BY_PART, (SECOND, PAY): hardly, (SECOND, LEAVE): reading(LEAVE, -20.0, "18 weeks")}
    first, second = await sentences(evidence(LEAVE, PAY), script, BOTH)
    assert (first.text, second.text) == (LEAVE, f"\n\n{PAY}")


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
async def test_sentences_are_quoted_in_other_languages_without_passages_and_where_sources_disagree(
    question: Question, found: Evidence
) -> None:
    by_sentences = [part async for part in BY_SENTENCES.write(question, found, ())]
    assert await written(found, {}, question) == by_sentences
    assert not any(part.quotes for part in by_sentences if isinstance(part, Sentence))


@pytest.mark.parametrize(
    ("text", "scattered", "steps"),
    [
        ("How long is the leave of Ada Lovelace's father?", STEPS + 0.01, True),
        ("How long is the leave of Ada Lovelace's father?", STEPS - 0.01, False),
        ("How long is the leave of Ada's father?", STEPS + 0.01, False),
        (ASKED, STEPS + 0.01, False),
    ],
)
async def test_sentences_are_quoted_where_steps_lead_from_a_full_name_to_the_answer(
    text: str, scattered: float, *, steps: bool
) -> None:
    found, question, other = evidence(LEAVE, PAY), asking(text), scattering(scattered)
    script = {(text, LEAVE): reading(LEAVE, 3.0, "18 weeks"), (text, PAY): reading(PAY, -9.0, "last day")}
    said = await written(found, {} if steps else script, question, other)
    by_sentences = [part async for part in other.write(question, found, ())]
    assert (said == by_sentences) is steps
    assert steps or said[0].text == LEAVE  # type: ignore[union-attr]


OFFICES = "The Oslo office opens at 8:00 every day but Sunday.\n\nThe Rome office has twelve desks and a lift."
OPENS = "When does the Rome office open?"
OF_ROME = OFFICES.replace(OFFICES[: OFFICES.index("\n")], " " * OFFICES.index("\n"))


async def test_what_is_told_of_a_rival_is_not_quoted_however_sure_the_reader_is() -> None:
    script = {
        (OPENS, OFFICES): reading(OFFICES, 9.0, "8:00", "twelve desks", sure=9.0),
        (OPENS, OF_ROME): reading(OF_ROME, -3.0, "twelve desks", sure=-3.0),
    }
    [said] = await sentences(evidence(OFFICES), script, asking(OPENS, AnswerType.DATE))
    assert said.text == "The Rome office has twelve desks and a lift."
    assert said.apart is not None
    assert said.apart < 0  # the likelier place is one of Oslo


async def test_where_only_a_rival_is_told_of_nothing_is_quoted() -> None:
    script = {(OPENS, OFFICES): reading(OFFICES, 9.0, "8:00", sure=9.0), (OPENS, OF_ROME): reading(OF_ROME, -9.0)}
    assert await sentences(evidence(OFFICES), script, asking(OPENS, AnswerType.DATE)) == []


async def test_a_yes_is_read_without_what_is_told_of_rivals() -> None:
    asked = "Does the Rome office have a lift?"
    script = {
        (asked, OFFICES): reading(OFFICES, 9.0, "a lift", no=1.0),
        (asked, OF_ROME): reading(OF_ROME, 9.0, "a lift", yes=1.0),
    }
    [said] = await sentences(evidence(OFFICES), script, asking(asked, AnswerType.YES_NO))
    assert said.text.startswith("**Yes**")


async def test_of_a_list_the_items_on_rivals_are_left_out() -> None:
    text = "- Ann Lee keeps the saws.\n- Bo Park keeps the nails.\n- Cy Dent keeps the rope."
    asked = "What does Bo Park keep?"
    of_park = " " * 25 + "\n- Bo Park keeps the nails.\n" + " " * 25
    assert len(of_park) == len(text)
    script = {(asked, text): reading(text, 9.0, "nails"), (asked, of_park): reading(of_park, 9.0, "nails")}
    [said] = await sentences(evidence(text), script, asking(asked, AnswerType.NUMBER))
    assert said.text == "- Bo Park keeps the nails."
    assert [quote.text for quote in said.quotes] == [said.text]


PRICES = "| Bike | Day | Deposit |\n|---|---|---|\n| E-bike | 35 euros | 150 euros |\n| Tandem | 30 euros | |"


async def test_a_cell_that_the_question_names_is_the_answer_whatever_is_read() -> None:
    asked = asking("What is the deposit for an e-bike?", AnswerType.NUMBER)
    found = evidence(PRICES)
    read = titled(found.passages[0]).text
    [said] = await sentences(found, {(asked.standalone, read): reading(read, 3.0, "30 euros", sure=5.0)}, asked)
    row = PRICES[: PRICES.index("\n| Tandem")]
    assert [quote.text for quote in said.quotes] == ["150 euros", row]
    assert said.apart == MOST_SPAN_ODDS


async def test_a_table_whose_asked_cell_is_empty_answers_nothing() -> None:
    asked = asking("What is the deposit for a tandem?", AnswerType.NUMBER)
    found = evidence(PRICES)
    read = titled(found.passages[0]).text
    script = {(asked.standalone, read): reading(read, 3.0, "150 euros", sure=5.0)}
    assert await written(found, script, asked) == [Finished("stop")]


async def test_a_reason_is_no_cell_of_a_table() -> None:
    asked = asking("Why is there a deposit for an e-bike?", AnswerType.REASON)
    found = evidence(PRICES, "A deposit covers damage.")
    read = titled(found.passages[0]).text
    script = {
        (asked.standalone, read): reading(read, -3.0, "150 euros", sure=-3.0),
        (asked.standalone, "A deposit covers damage."): reading("A deposit covers damage.", 3.0, "damage"),
    }
    first, *_ = await sentences(found, script, asked)
    assert first.text == "A deposit covers damage."


@dataclass(frozen=True, slots=True)
class ScriptedRows:
    """Finds the row of E-bike in the first passage, with these log odds."""

    odds: float

    async def find(self, question: str, passages: Sequence[Passage]) -> FoundRow:
        line, cell = (Span(PRICES.index(text), PRICES.index(text) + len(text)) for text in (E_BIKE, "35 euros"))
        table, header = Span(0, len(PRICES)), Span(0, PRICES.index("\n|--"))
        return FoundRow(
            passages[0].passage_id, line, header, table, cell, self.odds, self.odds, self.odds, term="bike"
        )


E_BIKE = "| E-bike | 35 euros | 150 euros |"


@pytest.mark.parametrize(("prose", "first"), [(9.0, "A bike"), (-9.0, "| Bike")])
async def test_a_row_that_likely_answers_comes_first_unless_something_outside_is_likelier(
    prose: float, first: str
) -> None:
    asked = asking("What is a bike for a day?", AnswerType.NUMBER)
    found = evidence(PRICES, "A bike is 30 euros a day.")
    read = titled(found.passages[0]).text
    script = {
        (asked.standalone, read): reading(read, 0.0, "30 euros"),
        (asked.standalone, found.passages[1].text): reading(
            found.passages[1].text, prose, "30 euros a day", sure=prose
        ),
    }
    writer = ReaderWriter(ScriptedReader(script), CosineEmbedder(), BY_SENTENCES, ScriptedRows(SURE_ROW))
    said = [part async for part in writer.write(asked, found, ())]
    assert isinstance(said[0], Sentence)
    assert said[0].text.removeprefix("**35 euros**\n\n").startswith(first)
