from __future__ import annotations

import pytest

from assay.types import AnswerType, Evidence, Finished, Hit, Passage, Question, Scores, Sentence
from assay.writing.extractive import ExtractiveWriter

GARDEN = (
    ("Checks", "# Checks\n\nThe checks need no network. They take two seconds."),
    ("Rates", "The tower opens on Saturdays. Entry costs 5 euros. Dogs are not allowed in the garden."),
)
SINGERS = (
    ("Marian Gold", "Marian Gold (born 1954) is a German singer. He lives in Berlin."),
    ("Jan Ito", "Jan Ito (born 12 May 1993) is a German singer and actor."),
    ("Sand", "Sand is a band of two singers. Both are older than the band."),
)


def evidence(*titled: tuple[str, str]) -> Evidence:
    return Evidence(
        tuple(
            Hit(Passage(f"p{n}", f"d{n}", "r", 0, len(text), text, title=title), 1 / n, Scores(0.5))
            for n, (title, text) in enumerate(titled, 1)
        )
    )


async def written(question: str, found: Evidence, wanted: AnswerType = AnswerType.OTHER) -> list[Sentence]:
    """The sentences of an answer, after the contract of every answer is checked."""
    asked = Question(question, question, answer_type=wanted)
    *parts, ending = [part async for part in ExtractiveWriter().write(asked, found, ())]
    assert ending == Finished("stop")
    texts = {passage.passage_id: passage.text for passage in found.passages}
    for number, part in enumerate(parts, 1):
        assert isinstance(part, Sentence)
        assert part.number == number
        quoted = all(part.text in texts[passage_id] for passage_id in part.passage_ids)
        assert part.passage_ids
        assert quoted or (number == 1 and part.text in ("Yes.", "No."))
    return [part for part in parts if isinstance(part, Sentence)]


async def test_the_sentence_that_answers_is_quoted_and_cited() -> None:
    found = evidence(
        ("Metals", "Steel rusts in rain. Copper melts at 1085 °C. Tin is soft."), ("Gold", "Gold melts at 1064 °C.")
    )
    sentences = await written("At what temperature does copper melt?", found, AnswerType.NUMBER)
    assert sentences[0] == Sentence(1, "Copper melts at 1085 °C.", ("p1",))


async def test_no_evidence_gives_no_sentence() -> None:
    assert await written("Why?", Evidence()) == []


async def test_headings_alone_give_no_sentence() -> None:
    assert await written("What are rates?", evidence(("Rates", "# Rates\n\n## Prices\n\nMenu"))) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Do the checks need a network?", ["No.", "The checks need no network."]),
        ("Are dogs allowed in the garden?", ["No.", "Dogs are not allowed in the garden."]),
        ("Does the tower open on Saturdays?", ["Yes.", "The tower opens on Saturdays."]),
        ("Is the tower closed on Saturdays?", ["No.", "The tower opens on Saturdays."]),
        ("Does entry cost 7 euros?", ["No.", "Entry costs 5 euros."]),
        ("Does entry cost 5 euros?", ["Yes.", "Entry costs 5 euros."]),
    ],
)
async def test_yes_or_no_comes_first_with_its_ground(question: str, said: list[str]) -> None:
    sentences = await written(question, evidence(*GARDEN), AnswerType.YES_NO)
    assert [sentence.text for sentence in sentences] == said
    assert sentences[0].passage_ids == sentences[1].passage_ids


@pytest.mark.parametrize(
    "question",
    ["Does the tower open on Sundays?", "Is the tower open on Saturdays or Sundays?", "Are cats allowed?"],
)
async def test_what_no_sentence_settles_gets_no_yes_or_no(question: str) -> None:
    sentences = await written(question, evidence(*GARDEN), AnswerType.YES_NO)
    assert sentences[0].text not in ("Yes.", "No.")


async def test_both_sides_must_say_yes() -> None:
    question = "Are both Marian Gold and Jan Ito singers?"
    sentences = await written(question, evidence(*SINGERS), AnswerType.YES_NO)
    assert [sentence.text for sentence in sentences][:1] == ["Yes."]
    assert sentences[0].passage_ids == ("p1", "p2")


async def test_a_comparison_shows_a_dated_sentence_for_each_side() -> None:
    sentences = await written("Who is older, Marian Gold or Jan Ito?", evidence(*SINGERS), AnswerType.PERSON)
    said = " ".join(sentence.text for sentence in sentences)
    assert "1954" in said
    assert "1993" in said


async def test_the_advice_changes_nothing() -> None:
    asked = Question("Is tin soft?", "Is tin soft?")
    found = evidence(("Tin", "Tin is soft."))
    assert [part async for part in ExtractiveWriter().write(asked, found, ())] == [
        Sentence(1, "Tin is soft.", ("p1",)),
        Finished("stop"),
    ]


async def test_how_scattered_an_answer_lies_follows_the_evidence() -> None:
    asked = Question("Where was the older of the singers born?", "Where was the older of the singers born?")
    together = evidence(("Sand", "The older of the singers of Sand was born in Ulm."))
    assert (
        0 < ExtractiveWriter().scattered(asked, together) < ExtractiveWriter().scattered(asked, evidence(*SINGERS))
    )
    assert ExtractiveWriter().scattered(asked, Evidence()) == 0.0


SPADE = "- A spade with a long handle, for the heavy soil behind the garden house."
TOOLS = [SPADE, *(f"- Tool {n}, which has no other name and stands in the shed." for n in range(4))]
PACKED = "These tools are needed for the garden:\n\n{}\n\nAsk Ann in the shed."


async def listed(tools: list[str], question: str = "What is needed for the garden?") -> list[Sentence]:
    asked, found = Question(question, question), evidence(("Garden", PACKED.format("\n".join(tools))))
    return [part async for part in ExtractiveWriter().write(asked, found, ()) if isinstance(part, Sentence)]


async def test_a_list_whose_lead_in_is_quoted_is_quoted_whole() -> None:
    [said] = await listed(TOOLS)
    assert said.text == PACKED.partition("{}")[0] + "\n".join(TOOLS)
    assert [quote.text for quote in said.quotes] == [said.text]


async def test_of_a_list_that_is_too_long_it_is_told_how_many_items_are_left_out() -> None:
    tools = [SPADE, *(TOOLS[1] for _ in range(29))]
    [said] = await listed(tools)
    quoted, _, rest = said.text.rpartition("\n\n")
    left_out = len(tools) - quoted.count("\n- ")
    assert 0 < left_out < 29
    assert rest == f"(This list has {left_out} more items in the source.)"
    assert all(quote.text in quoted for quote in said.quotes)


async def test_one_item_that_is_a_single_fact_stands_alone() -> None:
    [said, *_] = await listed(TOOLS, "How long is the handle of a spade for heavy soil?")
    assert said == Sentence(1, SPADE.removeprefix("- "), ("p1",))


OFFICES = ("Offices", "The Oslo office opens at 8:00.\n\nThe Rome office has twelve desks.")


async def test_what_is_told_of_a_rival_is_not_quoted() -> None:
    sentences = await written("When does the Rome office open?", evidence(OFFICES), AnswerType.DATE)
    assert [sentence.text for sentence in sentences] == ["The Rome office has twelve desks."]


async def test_of_a_list_the_items_on_rivals_are_left_out() -> None:
    text = "The keepers of our tools are:\n\n- Ann Lee keeps the saws.\n- Bo Park keeps the nails."
    asked = Question(
        "Which tools does Bo Park keep?", "Which tools does Bo Park keep?", answer_type=AnswerType.LIST
    )
    found = evidence(("Tools", text))
    parts = [part async for part in ExtractiveWriter().write(asked, found, ()) if isinstance(part, Sentence)]
    assert [part.text for part in parts] == [
        "The keepers of our tools are:\n- Bo Park keeps the nails.\n\n(This list has 1 more item in the source.)"
    ]
