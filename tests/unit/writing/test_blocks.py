"""What is shown around an answer is whole, or whole parts of it, and never without what leads to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.types import AnswerType, Passage, Question, QuestionKind, Span
from assay.writing.blocks import (
    FACT_BLOCK,
    FACT_WORDS,
    LIST_WORDS,
    PROSE_BLOCK,
    PROSE_WORDS,
    Room,
    Shown,
    asks_for_several,
    extend_block,
    items_left_out,
    list_around,
    overlap,
    remainder_notes,
    room_for,
    shown_around,
    with_opening,
)

LISTED = "# Tea\n\nYou need:\n\n- water\n- leaves\n- a pot\n\nEnjoy it."
TABLE = "| drink | heat |\n|---|---|\n| tea | 90 |\n| ice | 0 |\n"
CODE = "Run this:\n\n```sh\nassay add docs\n```\n\nThen wait."


def around(text: str, words: str, most: int = FACT_WORDS) -> Shown | None:
    passage = Passage("p", "d", "r", 50, 50 + len(text), text)
    start = text.index(words)
    return shown_around(passage, Span(start, start + len(words)), Room(most, most, most))


def shown(text: str, words: str, most: int = FACT_WORDS) -> str:
    found = around(text, words, most)
    assert found is not None
    return found.text


@pytest.mark.parametrize(
    ("text", "words", "whole"),
    [
        (
            "Leave is long.\n\nIt lasts 18 weeks. It is paid.\n\nAsk Ann.",
            "18 weeks",
            "It lasts 18 weeks. It is paid.",
        ),
        (LISTED, "leaves", "You need:\n\n- water\n- leaves\n- a pot"),
        (LISTED, "You need", "You need:\n\n- water\n- leaves\n- a pot"),
        (LISTED, "Tea", "You need:\n\n- water\n- leaves\n- a pot"),
        (CODE, "assay add", "Run this:\n\n```sh\nassay add docs\n```"),
        ("Add them with\n\n```sh\nassay add docs\n```\n", "them", "Add them with\n\n```sh\nassay add docs\n```"),
        ("Add them.\n\n```sh\nassay add docs\n```\n", "them", "Add them."),
        (TABLE, "90", TABLE.strip()),
        ("One.\n\nTwo.\n\nThree.", "Two.\n\nThr", "Two.\n\nThree."),
        ("It is so:\n\nTea is hot.\n\nIt is.", "so", "It is so:\n\nTea is hot."),
        ("It is so:\n\nTea is hot.\n\nIt is.", "hot", "It is so:\n\nTea is hot."),
        ("It is so\n\nTea is hot.", "hot", "Tea is hot."),
    ],
)
def test_the_whole_block_is_shown_with_what_leads_to_it(text: str, words: str, whole: str):
    assert shown(text, words) == whole


STEPS = "# Tea\n\nOne two.\n\nThree four.\n\nFive six.\n\nSeven eight.\n\n# Ice\n\nNine."


@pytest.mark.parametrize(
    ("most", "whole"),
    [
        (3, "Three four."),
        (4, "Three four.\n\nFive six."),
        (6, "One two.\n\nThree four.\n\nFive six."),
        (99, "One two.\n\nThree four.\n\nFive six.\n\nSeven eight."),
    ],
)
def test_neighbours_under_one_heading_join_by_turns_while_they_fit(most: int, whole: str):
    found = around(STEPS, "Three")
    assert found is not None
    assert extend_block(found, most).text == whole


def test_a_lead_in_does_not_join_without_its_list():
    found = around("Boil it.\n\nYou need:\n\n- one kettle\n- two cups\n\nEnjoy.", "Boil")
    assert found is not None
    assert extend_block(found, 9).text == "Boil it."
    assert extend_block(found, 10).text == "Boil it.\n\nYou need:\n\n- one kettle\n- two cups"


def test_a_long_table_keeps_its_header_and_the_rows_around_the_answer():
    rows = [f"| drink {n} | {n} |" for n in range(60)]
    text = "\n".join(("| drink | heat |", "|---|---|", *rows))
    lines = shown(text, "drink 31", 40).splitlines()
    assert lines[:2] == ["| drink | heat |", "|---|---|"]
    assert rows[31] in lines
    assert lines[2:] == [row for row in rows if row in lines[2:]]
    assert 2 < len(lines) < 12


def test_a_long_list_keeps_its_lead_in_and_whole_items_next_to_the_answer():
    items = [f"- step {n} says what is to be done" for n in range(40)]
    found = shown("Do all of this:\n\n" + "\n".join(items), "step 20", 50).splitlines()
    assert found[0] == "Do all of this:"
    assert "- step 20 says what is to be done" in found
    assert all(line in items for line in found[1:] if line)


def test_long_prose_is_cut_between_sentences():
    sentences = [f"Sentence number {n} says something else." for n in range(40)]
    text = shown(" ".join(sentences), "number 7 says", 30)
    assert sentences[7] in text
    assert text in " ".join(sentences)
    assert text.startswith("Sentence")
    assert text.endswith(".")
    assert len(text.split()) <= 30


def test_what_the_answer_touches_is_shown_however_long_it_is():
    text = "word " * 99 + "end."
    assert shown(text, "word word", 20) == text


def test_code_is_never_cut():
    code = "```\n" + "a line of code\n" * 60 + "```"
    assert shown(f"Run this:\n\n{code}\n", "a line", 20).endswith(code)


@pytest.mark.parametrize("text", ["# Only a heading", "---\n", "[tea]: tea.md\n"])
def test_nothing_is_shown_of_markup_or_a_heading_without_text(text: str):
    passage = Passage("p", "d", "r", 0, len(text), text)
    assert shown_around(passage, Span(0, 3), Room(FACT_WORDS, FACT_WORDS, FACT_WORDS)) is None


@pytest.mark.parametrize(
    ("kind", "answer_type", "room"),
    [
        (QuestionKind.FACTUAL, AnswerType.DATE, Room(FACT_WORDS, FACT_BLOCK, FACT_BLOCK)),
        (QuestionKind.FACTUAL, AnswerType.REASON, Room(PROSE_WORDS, PROSE_BLOCK, PROSE_BLOCK)),
        (QuestionKind.COMPARATIVE, AnswerType.NAME, Room(PROSE_WORDS, PROSE_BLOCK, PROSE_BLOCK)),
        (QuestionKind.FACTUAL, AnswerType.LIST, Room(LIST_WORDS, LIST_WORDS, LIST_WORDS)),
        (QuestionKind.HOW_TO, AnswerType.OTHER, Room(LIST_WORDS, LIST_WORDS, LIST_WORDS)),
    ],
)
def test_the_room_goes_by_what_is_asked(kind: QuestionKind, answer_type: AnswerType, room: Room):
    assert room_for(Question("?", "?", kind=kind, answer_type=answer_type)) == room


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which rules must I keep?", True),
        ("What security rules are there?", True),
        ("What are threats to bees?", True),
        ("Who are the members?", True),
        ("Which people may enter?", True),
        ("Which rule comes first?", False),
        ("Which class is it?", False),
        ("What happens in May?", False),
        ("What is the status of it?", False),
        ("What does the process do?", False),
        ("Who is the owner?", False),
    ],
)
def test_several_things_are_asked_for_in_the_plural(question: str, several: bool):
    assert asks_for_several(Question(question, question)) is several


def test_a_list_that_is_asked_for_has_more_room_than_other_blocks():
    items = "\n".join(f"- rule {n} says what everybody must do here" for n in range(18))
    text = f"Keep these rules:\n\n{items}\n\n{'It rains. ' * 60}"
    passage = Passage("p", "d", "r", 0, len(text), text)
    rule, rain = text.index("rule 3"), text.index("It rains")
    question = "Which rules must I keep?"
    room = room_for(Question(question, question, answer_type=AnswerType.NAME))
    whole = shown_around(passage, Span(rule, rule + 6), room)
    prose = shown_around(passage, Span(rain, rain + 2), room)
    assert whole is not None
    assert prose is not None
    assert whole.text.endswith(items)
    assert prose.words <= FACT_BLOCK
    assert items_left_out([whole, prose]) == [(18, 0), (0, 0)]


@pytest.mark.parametrize(
    ("question", "answer_type", "rests"),
    [
        ("How to pack?", AnswerType.PROCEDURE, ["", "\n\n(This list has 1 more item in the source.)"]),
        ("Who packs?", AnswerType.PERSON, ["", ""]),
        ("Where is the lamp?", AnswerType.OTHER, ["", "\n\n(This list has 1 more item in the source.)"]),
        ("Who are the packers?", AnswerType.PERSON, ["", "\n\n(This list has 1 more item in the source.)"]),
    ],
)
def test_what_is_left_out_of_a_list_is_told_behind_its_last_part(
    question: str, answer_type: AnswerType, rests: list[str]
):
    text = "- a tent\n- a rope\n- a lamp"
    passage = Passage("p", "d", "r", 0, len(text), text)
    parts = [Shown((Span(start, start + 8),), passage) for start in (0, 18)]
    assert remainder_notes(Question(question, question, answer_type=answer_type), parts) == rests


def test_a_sentence_that_neither_stands_in_a_list_nor_leads_to_one_has_none():
    passage = Passage("p", "d", "r", 0, len(LISTED), LISTED)
    enjoy, water = LISTED.index("Enjoy"), LISTED.index("- water")
    assert list_around(passage, Span(enjoy, enjoy + 5)) is None
    assert list_around(passage, Span(water + 2, water + 4)) == Span(water, LISTED.index("\n\nEnjoy"))


def test_one_item_that_was_asked_for_needs_no_note() -> None:
    passage = Passage("p", "d", "r", 0, len(LISTED), LISTED)
    leaves = LISTED.index("- leaves")
    item = Shown((Span(leaves, leaves + 8),), passage)
    asked = [Question(text, text) for text in ("What is in the pot?", "Which things are in the pot?")]
    assert [bool(remainder_notes(question, [item])[0]) for question in asked] == [False, True]


def test_a_sentence_that_points_back_is_shown_behind_the_one_before() -> None:
    text = f"{'It rains here. ' * 20}The tea was made in Ulm. This was in 1950. {'Milk is white. ' * 20}"
    assert shown(text, "1950", 10) == "The tea was made in Ulm. This was in 1950."
    assert shown(text, "Ulm", 6) == "The tea was made in Ulm."


def test_a_paragraph_that_goes_on_in_lower_case_is_shown_with_its_beginning() -> None:
    text = "The tea is made\n\nin a pot of two litres.\n\nDrink it."
    assert shown(text, "two litres") == "The tea is made\n\nin a pot of two litres."


def test_lines_of_names_and_values_stand_with_what_they_name() -> None:
    text = "Tea.\n\nSyntax: heat <number>\nDefault: 60\n\nThe heat of the pot in degrees.\n\nMore of it."
    passage = Passage("p", "d", "r", 0, len(text), text)
    for words in ("60", "degrees"):
        start = text.index(words)
        found = shown_around(passage, Span(start, start + 2), Room(100, 100, 100))
        assert found is not None
        assert found.text == text[6 : text.index("\n\nMore")]


def test_a_heading_that_is_the_name_of_a_setting_stands_over_its_description() -> None:
    text = "# Pot\n\n## heat_limit\n\nThe heat in degrees.\n\n## Use\n\nBoil it."
    assert shown(text, "degrees") == "heat_limit\n\nThe heat in degrees."
    assert shown(text, "Boil") == "Boil it."


def test_a_sign_stands_where_prose_is_left_out() -> None:
    text = "Tea is hot. Ice is cold. Milk is white.\n\n| tea | ice |\n|---|---|\n| 90 | 0 |\n| 80 | 1 |"
    passage = Passage("p", "d", "r", 0, len(text), text)
    milk, rows = text.index("Milk"), text.index("| 80")
    assert Shown((Span(0, 11), Span(milk, milk + 14)), passage).readable == "Tea is hot. …\nMilk is white."
    assert Shown((Span(0, 24), Span(rows, len(text))), passage).readable == "Tea is hot. Ice is cold.\n| 80 | 1 |"


PIECES = st.sampled_from(
    [
        "It rained. It snowed, too.",
        "You need:",
        "- water\n- leaves and a pot",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\ncode here\n```",
        "# Head",
        "word " * 70,
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=6), st.data(), st.integers(5, 80))
def test_what_is_shown_are_stretches_of_the_passage_in_order(pieces: list[str], data: st.DataObject, most: int):
    text = "\n\n".join(pieces)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = shown_around(Passage("p", "d", "r", 0, len(text), text), Span(start, end), Room(most, most, most))
    if found is None:
        return
    assert found.parts
    assert all(text[part.start : part.end].strip() for part in found.parts)
    assert all(one.end <= other.start for one, other in zip(found.parts, found.parts[1:], strict=False))
    assert found.words == len(found.text.split())


OPENED = "# Can I brew tea cold?\n\nYes, with soft water. It is good.\n\nIt takes eight hours.\n\n# Milk\n\nCold."


@pytest.mark.parametrize(
    ("asked", "kind", "words", "whole"),
    [
        (
            "Can tea be brewed cold?",
            AnswerType.YES_NO,
            "eight",
            "Can I brew tea cold?\n\nYes, with soft water.\nIt takes eight hours.",
        ),
        ("How long does cold tea take to brew?", AnswerType.NUMBER, "eight", "It takes eight hours."),
        ("Is eight hours the time?", AnswerType.YES_NO, "eight", "It takes eight hours."),
        ("Can tea be brewed cold?", AnswerType.YES_NO, "Cold.", "Cold."),
    ],
)
def test_what_says_yes_or_no_is_shown_where_the_heading_asks_the_question(
    asked: str, kind: AnswerType, words: str, whole: str
):
    found = around(OPENED, words)
    assert found is not None
    assert with_opening(Question(asked, asked, answer_type=kind), found).text == whole


def test_blocks_of_passages_that_overlap_are_the_same_text():
    text = "One two.\n\nThree four.\n\nFive six."
    first, second = Passage("p", "d", "r", 0, 21, text[:21]), Passage("q", "d", "r", 10, len(text), text[10:])
    whole, last = Shown((Span(0, 8), Span(10, 21)), first), Shown((Span(0, 11), Span(13, 22)), second)
    assert overlap(last, whole) == pytest.approx(11 / 20)
    assert overlap(whole, Shown(last.parts, Passage("q", "other", "r", 10, len(text), text[10:]))) == 0


@pytest.mark.parametrize(
    ("other", "share"),
    [
        ("The acceptable waiting period is “seven” days for porters of the unstable distribution.", 1),
        ("The acceptable waiting period is nine days for porters of the unstable distribution.", 0),
        ("Two words", 0),
    ],
)
def test_a_copy_in_another_document_is_the_same_text(other: str, share: int):
    text = "The acceptable waiting period is seven days for porters of the unstable distribution."
    here, there = (
        Shown((Span(0, len(said)),), Passage(name, name, "r", 0, len(said), said))
        for name, said in (("a", other), ("b", text))
    )
    assert overlap(here, there) == share


def test_a_short_reply_below_a_question_stays_where_the_block_is_cut():
    reply, long = "Yes, but it is a one way process.", "You can go from stable to testing in many ways. " * 12
    text = f"# Can I go back?\n\n{reply} {long}But the reverse is not possible."
    shown = around(text, "reverse is not", PROSE_BLOCK)
    assert shown is not None
    assert shown.text.startswith(f"Can I go back?\n\n{reply}\n")
    assert shown.text.endswith("But the reverse is not possible.")


def test_a_question_whose_answer_begins_the_next_passage_is_no_answer():
    text = "It is free.\n\nI use Knoppix and want Debian now. How do I migrate?"
    assert around(text, "Knoppix") is None
    assert around(f"{text}\n\nBy a new installation.", "Knoppix") is not None
