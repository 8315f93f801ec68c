"""The stretches that tell of something else than was asked about, in the same place of a document."""

from __future__ import annotations

import pytest

from assay.nlp.rivals import is_of_rival, rivals, titled_without
from assay.types import Location, Passage, Question, QuestionKind, Span

OFFICES = """# Offices

The Oslo office was founded by Ingrid Dahl in 1998. It opens at 8:00.

The Bergen office opens at 9:00. It has twelve desks.

The Tromsø office is open by appointment only."""
PRODUCTS = """# Helios X2

## Weight

2.1 kg

# Helios X3

## Weight

2.4 kg"""
KITCHEN = """# Products

## Kettle Mira

The warranty is two years.

## Toaster Vega

The colour is blue."""
PEOPLE = "- Priya Nair leads the team.\n- Tom Becker repairs the pumps.\n- Lucía Ortega keeps the accounts."
ROOMS = "| Room | Seats |\n| --- | --- |\n| Aurora | 24 |\n| Borealis | 8 |\n\nKeys for Aurora are at the desk."
COLLEGES = "## Ashby College\n\nFounded in 1863.\n\n## Merrow College\n\n### Buildings\n\nThe chapel is by Crane."


def passage(text: str, title: str = "", at: int = 0, **others: object) -> Passage:
    return Passage(f"p{at}", "d", "r", at, at + len(text), text, title, **others)  # type: ignore[arg-type]


def told(question: str, *held: Passage, kind: QuestionKind = QuestionKind.FACTUAL) -> list[str]:
    """The first words of each stretch that tells of a rival."""
    found = rivals(Question(question, question, kind=kind), held)
    return [
        " ".join(each.text[rival.span.start : rival.span.end].split()[:3])
        for each in held
        for rival in found.get(each.passage_id, ())
    ]


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        ("Who founded the Bergen office?", OFFICES, ["The Oslo office", "The Tromsø office"]),
        ("who founded bergen", OFFICES, ["The Oslo office", "The Tromsø office"]),
        ("What is Tom Becker's telephone number?", PEOPLE, ["- Priya Nair", "- Lucía Ortega"]),
        ("Where are the keys for Borealis?", ROOMS, ["| Aurora |", "Keys for Aurora"]),
        ("Who built the chapel of Ashby College?", COLLEGES, ["The chapel is"]),
        ("who built the chapel of ashby college", COLLEGES, ["The chapel is"]),
        ("What did Version 3.2 add?", "Version 3.1 added tea.\n\nVersion 3.2 is new.", ["Version 3.1 added"]),
        ("What does Toluene cost?", "Acetone: 4 euros.\n\nToluene: in the cellar.", ["Acetone: 4 euros."]),
        ("What is the Team plan?", "The Free plan is new.\n\nThe Team plan is for a team.", ["The Free plan"]),
        ("How long is the warranty of the Toaster Vega?", KITCHEN, ["The warranty is"]),
        ("Who leads in Estonia?", "Staff in Peru have a lead.\n\nStaff in Estonia have none.", ["Staff in Peru"]),
    ],
)
def test_what_stands_in_the_place_of_the_asked_one_is_told(question: str, text: str, wanted: list[str]):
    assert told(question, passage(text)) == wanted


@pytest.mark.parametrize(
    ("question", "text", "title"),
    [
        ("When did the Paris office open?", OFFICES, ""),  # the document knows it not
        ("When does the Bergen office open?", OFFICES, "The Bergen office and its neighbours"),
        ("Which office opened before Bergen?", OFFICES, ""),  # another one is asked for
        ("Wann öffnet das Büro in Bergen?", OFFICES, ""),  # every noun has a capital
        ("Who leads the Bergen office?", "The Bergen office has a lift.\n\nIt is led by Ann.", ""),
        (
            "Where was the head of the Bergen office born?",
            "The Bergen office follows the Oslo office.\n\nThe Oslo office is led by Ann, born in Rome.",
            "",
        ),  # one leads to the other
        ("Does the Bergen office open?", "The Oslo office does, as Bergen does.\n\nThe Bergen office is new.", ""),
        ("Who founded Bergen or Oslo or Tromsø?", OFFICES, ""),  # all are asked about
        ("How is Docker set up?", "- Enable logging.\n- Docker runs.\n- Restart it.", ""),  # a verb is no name
        ("What is the Team plan?", "The Free plan is for now.\n\nThe Team plan is new. A team plan is dear.", ""),
    ],
)
def test_what_may_be_on_the_asked_one_is_not(question: str, text: str, title: str):
    assert told(question, passage(text, title)) == []


def test_a_title_that_is_the_first_of_several_headings_is_of_its_own_part_alone():
    held = passage(PRODUCTS, "Helios X2")
    question = "What does the Helios X3 weigh?"
    assert told("What does the Helios X2 weigh?", held) == ["2.4 kg"]
    assert told(question, held) == ["2.1 kg"]
    (read,) = [titled_without(held, rivals(Question(question, question), [held]))]
    assert read.text.split() == ["Helios", "X3", "Weight", "2.4", "kg"]  # the rival's headings are not read


def test_plain_words_as_headings_are_no_rivals():
    text = "# Data\n\n## Data Retention\n\nNinety days.\n\n## Account Deletion\n\nWithin a week."
    assert told("How fast is Account Deletion?", passage(text)) == []


def test_names_set_side_by_side_lead_nowhere():
    text = f"We are in Oslo, Bergen and Tromsø.\n\n{OFFICES}"
    assert told("Who founded the Bergen office?", passage(text)) == ["The Oslo office", "The Tromsø office"]


def test_a_comparison_is_left_alone():
    asked = "Does the Bergen office open later than the others?"
    assert told(asked, passage(OFFICES), kind=QuestionKind.COMPARATIVE) == []


def test_the_place_is_learned_from_the_other_passages_of_the_document():
    first, second = passage("The Oslo office has a lift."), passage("The Bergen office has none.", at=500)
    assert told("Has the Bergen office a lift?", first, second) == ["The Oslo office"]
    assert told("Has the Bergen office a lift?", first) == []


def test_the_section_of_a_passage_is_a_heading():
    first = passage("It has a lift.", location=Location(section="The Oslo office"))
    second = passage("It has none.", at=500, location=Location(section="The Bergen office"))
    assert told("Has the Bergen office a lift?", first, second) == ["It has a"]


def test_rows_of_a_table_file_are_rivals_over_passages():
    first = passage("Aalst | 412", location=Location(row=2))
    second = passage("Essen | 390", at=500, location=Location(row=9))
    assert told("What are the sales of Essen?", first, second) == ["Aalst | 412"]


def test_what_a_reader_is_given_keeps_its_offsets():
    held = passage(OFFICES)
    found = rivals(Question("Who founded Bergen?", "Who founded Bergen?"), [held])
    read = titled_without(held, found).text
    assert len(read) == len(OFFICES)
    assert "Oslo" not in read
    assert read.index("The Bergen office") == OFFICES.index("The Bergen office")
    assert [is_of_rival(held, Span(at, at + 3), found) for at in (12, OFFICES.index("Bergen"))] == [True, False]
