from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.cli.objects import judgement_object
from assay.judging.contradiction_terms import Shape, asked_attribute, lines_of
from assay.judging.contradictions import confirmed, contradictions, read_contradictions, same, with_contradictions
from assay.judging.reader_judge import MOST_PASSAGES
from assay.testing.fakes import ScriptedChecker, ScriptedReader
from assay.types import (
    Action,
    AnswerSpan,
    Aspect,
    Evidence,
    Hit,
    Judgement,
    Origin,
    Passage,
    PassageReading,
    Question,
    Span,
)
from assay.understanding.rules import understand_by_rules


def hit(key: str, text: str, title: str = "", date: str | None = None, masked: tuple[Span, ...] = ()) -> Hit:
    return Hit(Passage(key, key, "", 0, len(text), text, title, origin=Origin(date=date)), 1.0, masked=masked)


def values(question: str, *texts: str) -> list[str]:
    evidence = Evidence(tuple(hit(f"p{n}", text) for n, text in enumerate(texts)))
    found = contradictions(understand_by_rules(question), evidence)
    return [reading.value for contradiction in found for reading in contradiction.readings]


CONFLICTS = [
    (
        "When was the Harlow Barracks built?",
        ["The Harlow Barracks were built in 1878.", "Harlow Barracks, a fort, was built in 1920."],
        ["1878", "1920"],
    ),
    (
        "When was Ann Lee born?",
        ["Ann Lee (3 May 1950 – 9 June 1999) was a poet.", "Ann Lee (born 12 July 1971) is a runner."],
        ["3 May 1950", "12 July 1971"],
    ),
    (
        "What is the population of Orrock?",
        ["Orrock is a town. The population was 2,764 in 2010.", "Orrock, a hamlet, has 837 people in 12 houses."],
        ["2,764", "837 people"],
    ),
    (
        "Who invented the modern zip?",
        ["The modern zip was invented by Gideon Sundback.", "Whitcomb Judson invented the modern zip."],
        ["Gideon Sundback", "Whitcomb Judson"],
    ),
    (
        "What is the capital of Freedonia?",
        ["The capital of Freedonia is Alton.", "Belmont is the capital of Freedonia."],
        ["Alton", "Belmont"],
    ),
    (
        "Who is the chief executive of Kestrel?",
        ["The chief executive of Kestrel is Ann Lee.", "Kestrel's chief executive is Tom Ray."],
        ["Ann Lee", "Tom Ray"],
    ),
    (
        "How long is the notice period?",
        ["The notice period is 30 days.", "The notice period is four weeks."],
        ["30 days", "four weeks"],
    ),
    (
        "What is the maximum speed of the Kestrel X200?",
        ["The maximum speed of the Kestrel X200 is 60 km/h.", "The maximum speed of the Kestrel X200 is 72 km/h."],
        ["60 km/h", "72 km/h"],
    ),
    (
        "How long is the Orrock Bridge?",
        ["Orrock Bridge is 5 km long.", "Orrock Bridge is 5 m long."],
        ["5 km", "5 m"],
    ),
    (
        "What is the deductible for water damage?",
        ["The deductible for water damage is $500.", "For water damage, the deductible is $1,000 per claim."],
        ["$500", "$1,000"],
    ),
    (
        "How many buildings are in the Danby Historic District?",
        ["The Danby Historic District has 48 old buildings.", "Danby Historic District encompasses 291 buildings."],
        ["48", "291"],
    ),
    (
        'Who is the artist of the album "Big Fun"?',
        [
            '"Big Fun" is an album by American R&B group Shalamar.',
            '"Big Fun" is an album by Miles Davis, a trumpeter.',
        ],
        ["Shalamar", "Miles Davis"],
    ),
    (
        "Who was Mahmud's father?",
        [
            "Mahmud was the son of Mustafa II, who ruled.",
            "Mahmud was a sultan. Father: Malik Shah; mother: Terken.",
        ],
        ["Mustafa II", "Malik Shah"],
    ),
    (
        "Where is Verona High School located?",
        [
            "Verona High School is located in Verona, New York.",
            "Verona High School is a school in Verona, Wisconsin.",
        ],
        ["Verona, New York", "Verona, Wisconsin"],
    ),
    (
        'What is the genre of "Manic"?',
        [
            '"Manic" is a 2001 American drama film directed by Jordan.',
            '"Manic" is a documentary film about a city.',
        ],
        ["drama film", "documentary film"],
    ),
]


@pytest.mark.parametrize(("question", "texts", "expected"), CONFLICTS)
def test_each_value_that_a_passage_gives_for_what_is_asked_is_a_reading(
    question: str, texts: list[str], expected: list[str]
) -> None:
    assert sorted(values(question, *texts)) == sorted(expected)


@pytest.mark.parametrize(("question", "texts", "expected"), CONFLICTS)
def test_passages_that_agree_are_no_contradiction(question: str, texts: list[str], expected: list[str]) -> None:
    assert values(question, texts[0], texts[0] + " It is well known.") == []


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        # another thing
        ("When was Ann Lee born?", ["Ann Lee was born in 1950.", "Bob Stone was born in 1971 in Leeds."]),
        # another attribute
        ("When was Ann Lee born?", ["Ann Lee was born in 1950.", "Ann Lee won a prize for her poems, in 1988."]),
        # the same value, written otherwise
        ("What is the population of Orrock?", ["Orrock has 2,764 people.", "The population of Orrock was 2764."]),
        ("When was Ann Lee born?", ["Ann Lee was born in 1950.", "Ann Lee was born on 3 May 1950."]),
        ("Who directed the film Manic?", ["Manic was directed by J. Smith.", "Manic was directed by John Smith."]),
        ("How long is the Orrock Bridge?", ["Orrock Bridge is 5 km long.", "Orrock Bridge is 5,000 m long."]),
        ("How long is the notice period?", ["The notice period is two weeks.", "The notice period is 14 days."]),
        (
            "What is the dose of salol?",
            ["The dose of salol is 4 g a day.", "The dose of salol is 4,000 mg per day."],
        ),
        ("How much is the fee?", ["The fee is €40.", "The fee is 40 EUR."]),
        ("What is the population of Orrock?", ["Orrock has 1.2 million people.", "The population is 1,200,000."]),
        ("When was Ann Lee born?", ["Ann Lee was born on 3 May 1950.", "Ann Lee was born on 1950-05-03."]),
        # of another thing of a similar name
        (
            "How tall is the Alton Tower?",
            ["The Alton Tower is 120 m tall.", "The Alton Pass costs 45 euros.", "The Alton Pass is 3 km long."],
        ),
        # of another year
        (
            "What was the speed limit in Orrock in 2020?",
            ["In 2020 the speed limit in Orrock was 50 km/h.", "The speed limit in Orrock is 30 km/h since 2021."],
        ),
        # no value right behind the verb
        ("What is the dose of salol?", ["The dose of salol is high.", "The dose of salol is what counts: 4 g."]),
        # the date of the page
        (
            "When was Manic released?",
            ["Manic was released in 2001.", "Published on 3 May 2019: Manic release notes."],
        ),
        # nothing asked that has a value
        ("Why did Rome fall?", ["Rome fell in 410.", "Rome fell in 476."]),
        ("", ["Rome fell in 410.", "Rome fell in 476."]),
    ],
)
def test_what_is_no_contradiction(question: str, texts: list[str]) -> None:
    assert values(question, *texts) == []


def test_readings_are_ordered_by_support_and_name_their_passages_and_latest_date() -> None:
    evidence = Evidence(
        (
            hit("a", "The Harlow Barracks were built in 1878.", date="2010-05-01"),
            hit("b", "Harlow Barracks was built in 1920.", date="2020"),
            hit("c", "They say Harlow Barracks was built in 1920.", date="2021"),
        )
    )
    (found,) = contradictions(understand_by_rules("When was the Harlow Barracks built?"), evidence)
    assert found.aspect == "When was the Harlow Barracks built"
    assert [(reading.value, reading.passage_ids, reading.date) for reading in found.readings] == [
        ("1920", ("b", "c"), "2021"),
        ("1878", ("a",), "2010-05-01"),
    ]


def test_of_equally_supported_readings_the_newer_leads() -> None:
    question = understand_by_rules("When was the Harlow Barracks built?")
    old = hit("a", "The Harlow Barracks were built in 1878.", date="2010")
    new = hit("b", "The Harlow Barracks were built in 1920.", date="2020")
    for order in ((old, new), (new, old)):
        (found,) = contradictions(question, Evidence(order))
        assert [reading.value for reading in found.readings] == ["1920", "1878"]


def test_of_equally_supported_yes_and_no_the_newer_leads() -> None:
    yes, no = (
        hit("a", "Smoking is allowed in the hall.", date="2010"),
        hit("b", "Smoking is prohibited in the hall.", date="2020"),
    )
    for order in ((yes, no), (no, yes)):
        (found,) = contradictions(understand_by_rules("Is smoking allowed in the hall?"), Evidence(order))
        assert [reading.date for reading in found.readings] == ["2020", "2010"]


def test_at_most_five_readings_of_at_most_eight_words_that_stand_in_their_passages() -> None:
    texts = [f"Harlow Barracks was built in {year}." for year in range(1800, 1812)]
    evidence = Evidence(tuple(hit(f"p{n}", text) for n, text in enumerate(texts)))
    (found,) = contradictions(understand_by_rules("When was Harlow Barracks built?"), evidence)
    assert len(found.readings) == 5
    by_id = {passage.passage_id: passage.text for passage in evidence.passages}
    for reading in found.readings:
        assert reading.passage_ids
        assert len(reading.value.split()) <= 8
        assert all(reading.value in by_id[key] for key in reading.passage_ids)


def test_a_title_says_what_a_passage_is_about() -> None:
    question = understand_by_rules("What is the population of Orrock?")
    own = hit("a", "As of the census there were 837 people.", title="Orrock")
    other = hit("b", "As of the census there were 2,764 people.", title="Elkins")
    untitled = hit("c", "The population was 2,764.")
    assert contradictions(question, Evidence((own, other))) == ()
    assert contradictions(question, Evidence((own, untitled))) != ()


def test_yes_and_no() -> None:
    question = understand_by_rules("Does aspirin lower fever?")
    evidence = Evidence(
        (hit("a", "Aspirin lowers fever in adults."), hit("b", "Trials show that aspirin does not lower fever."))
    )
    (found,) = contradictions(question, evidence)
    assert {reading.passage_ids for reading in found.readings} == {("a",), ("b",)}
    assert "not lower fever" in found.readings[1].value
    assert contradictions(question, Evidence(evidence.hits[:1])) == ()
    hedged = hit("c", "Aspirin may not lower fever.")
    assert contradictions(question, Evidence((evidence.hits[0], hedged))) == ()


def test_masked_text_gives_no_reading() -> None:
    question = understand_by_rules("When was Harlow Barracks built?")
    text = "Harlow Barracks is a fort. Harlow Barracks was built in 1920."
    one, planted = hit("a", "Harlow Barracks was built in 1878."), hit("b", text, masked=(Span(27, len(text)),))
    assert contradictions(question, Evidence((one, hit("b", text)))) != ()
    assert contradictions(question, Evidence((one, planted))) == ()


@pytest.mark.parametrize(
    ("shape", "one", "other", "equal"),
    [
        (Shape.DATE, "1898", "13 August 1898", True),
        (Shape.DATE, "1898", "1899", False),
        (Shape.NUMBER, "3,559 people", "3559", True),
        (Shape.NUMBER, "3,559", "3,560", False),
        (Shape.PERSON, "J. Smith", "John Smith", True),
        (Shape.PERSON, "A. Smith", "John Smith", False),
        (Shape.PLACE, "Verona", "Verona, New York", True),
        (Shape.KIND, "film", "drama film", True),
    ],
)
def test_when_two_values_are_the_same(shape: Shape, one: str, other: str, equal: bool) -> None:
    assert same(shape, one, other) is equal
    assert same(shape, other, one) is equal


def test_what_is_asked_of_which_thing() -> None:
    asked = asked_attribute(understand_by_rules("What is the median age in Riceville?"))
    assert asked is not None
    assert (asked.shape, set(asked.thing), set(asked.attribute)) == (Shape.NUMBER, {"ricevill"}, {"median", "age"})


def test_the_judge_marks_the_aspect_and_names_both_sides() -> None:
    asked = understand_by_rules("When was the Harlow Barracks built?")
    said = Judgement(
        0.9, Action.ANSWER, "enough", aspects=(Aspect(asked.aspects[0], "covered", ("a",)),), issues=("old",)
    )
    evidence = Evidence(
        (
            hit("a", "The Harlow Barracks were built in 1878.", "Guide", "2010"),
            hit("b", "Harlow Barracks was built in 1920." + " It is red." * 500, "Atlas"),
        )
    )
    found = with_contradictions(asked, evidence, said, contradictions(asked, evidence))
    assert found.aspects == (Aspect(asked.aspects[0], "conflicting", ("a", "b")),)
    assert found.issues == ("old", "sources disagree: Guide says 1878 (2010), Atlas says 1920")
    assert (found.sufficiency, found.recommendation) == (0.9, Action.ANSWER)
    agreeing = Evidence(evidence.hits[:1])
    assert with_contradictions(asked, agreeing, said, contradictions(asked, agreeing)) is said


def test_the_shape_that_the_pipe_prints() -> None:
    evidence = Evidence((hit("a", "Ann Lee was born in 1950."), hit("b", "Ann Lee was born in 1971.", date="2020")))
    said = Judgement(0.9, Action.ANSWER, "enough")
    asked = understand_by_rules("When was Ann Lee born?")
    body = judgement_object(with_contradictions(asked, evidence, said, contradictions(asked, evidence)))
    assert json.loads(json.dumps(body["contradictions"])) == [
        {
            "aspect": "When was Ann Lee born",
            "readings": [
                {"value": "1971", "passages": ["b"], "date": "2020"},
                {"value": "1950", "passages": ["a"], "date": None},
            ],
        }
    ]


def test_a_number_within_a_date_names_no_version() -> None:
    asked = asked_attribute(Question("When was Debian 12 released?", "When was Debian 12 released?"))
    assert asked is not None
    rows = ("version: 1.2; release: 1996-12-12", "version: 12; release: 2023-06-10")
    assert [sorted(line.held & asked.thing.keys()) for row in rows for line in lines_of(asked, row)] == [[], ["12"]]


AGES = "The Harlow Barracks were built in 1878.", "Harlow Barracks was built in 1920."
OPEN = "Harlow Barracks is open to visitors.", "Harlow Barracks is not open to visitors."


async def still_found(question: str, texts: tuple[str, str], against: tuple[float, float]) -> bool:
    """Whether a checker that finds so much contradiction in each direction confirms what the rules find."""
    asked = understand_by_rules(question)
    held = Evidence((hit("a", f"It is old. {texts[0]}"), hit("b", texts[1])))
    found = contradictions(asked, held)
    assert len(found) == 1
    script = {text: (0.0, share) for text, share in zip(texts, against, strict=True)}
    return await confirmed(asked, held, found, ScriptedChecker(script, None)) == found


@pytest.mark.parametrize(("against", "kept"), [((0.9, 0.2), True), ((0.9, 0.05), False), ((0.0, 0.0), False)])
async def test_a_checker_confirms_a_contradiction_in_both_directions(
    against: tuple[float, float], kept: bool
) -> None:
    assert await still_found("When was the Harlow Barracks built?", AGES, against) == kept


@pytest.mark.parametrize(("against", "kept"), [((0.7, 0.7), True), ((0.9, 0.5), False)])
async def test_a_yes_and_a_no_need_more(against: tuple[float, float], kept: bool) -> None:
    assert await still_found("Is the Harlow Barracks open to visitors?", OPEN, against) == kept


WHEN = "When was the Harlow Barracks built?"


async def kept_of(documents: str, odds: dict[str, float], question: str = WHEN) -> list[str]:
    """The readings that stay of three passages with different years, by their documents and a reader's log odds."""
    texts = {name: f"The Harlow Barracks were built in {year}." for name, year in zip("abc", YEARS, strict=True)}
    hits = [hit(name, text) for name, text in texts.items()]
    held = Evidence(
        tuple(
            replace(found, passage=replace(found.passage, document_id=document))
            for found, document in zip(hits, documents, strict=True)
        )
    )
    rules = contradictions(understand_by_rules(WHEN), held)
    checker = ScriptedChecker(dict.fromkeys(texts.values(), (0.0, 0.9)), None)
    reader = ScriptedReader(
        {(WHEN, text): PassageReading(odds.get(name, 0.0), (), 0.0, 0.0) for name, text in texts.items()}
    )
    found = await confirmed(understand_by_rules(question), held, rules, checker, reader)
    return sorted(reading.value for contradiction in found for reading in contradiction.readings)


YEARS = ("1878", "1920", "1950")


async def test_each_document_gives_one_reading_and_one_alone_contradicts_nothing() -> None:
    assert await kept_of("xyz", {}) == [*YEARS]
    assert len(await kept_of("xxz", {})) == 2
    assert await kept_of("xxx", {}) == []


async def test_what_a_reader_rules_out_and_parts_of_a_question_are_no_readings() -> None:
    assert await kept_of("xyz", {"b": -3.5}) == ["1878", "1950"]
    assert await kept_of("xyz", {}, "When was the Harlow Barracks built, and who built it?") == []


NEW, OLD = "Submit claims within 30 days in the new system.", "Submit claims within 60 days on paper."


async def disagreed(texts: tuple[str, str], odds: float, against: float, document: str = "b") -> list[str]:
    """The values that a reader finds in two documents, if a checker finds so much contradiction."""
    asked = Question("How long may I wait?", "How long may I wait?", aspects=("How long may I wait",))
    passages = [Passage(name, name, "", 0, len(text), text) for name, text in zip("ab", texts, strict=True)]
    passages[1] = replace(passages[1], document_id=document)
    spans = [(text.index(" days") - 2, text.index(" days") + 5) for text in texts]
    script = {
        (asked.standalone, text): PassageReading(odds, (AnswerSpan(start, end, 3.0),), 0.0, 0.0)
        for text, (start, end) in zip(texts, spans, strict=True)
    }
    checker = ScriptedChecker(dict.fromkeys(texts, (0.0, against)), None)
    held = Evidence(tuple(Hit(passage, 1.0) for passage in passages))
    found = await read_contradictions(asked, held, ScriptedReader(script), checker)
    return [reading.value for contradiction in found for reading in contradiction.readings]


async def test_a_reader_finds_values_of_two_documents_that_contradict_each_other() -> None:
    assert await disagreed((NEW, OLD), odds=2.0, against=0.4) == ["30 days", "60 days"]


async def test_what_is_unsure_agrees_or_stands_in_one_document_does_not() -> None:
    assert await disagreed((NEW, OLD), odds=-0.5, against=0.4) == []
    assert await disagreed((NEW, OLD), odds=2.0, against=0.2) == []
    assert await disagreed((NEW, OLD.replace("60", "30")), odds=2.0, against=0.9) == []
    assert await disagreed((NEW, OLD), odds=2.0, against=0.4, document="a") == []


async def test_no_more_passages_are_read_than_for_the_judgement() -> None:
    asked = Question("How long may I wait?", "How long may I wait?", aspects=("How long may I wait",))
    texts = [f"Rule {number} says nothing of it." for number in range(MOST_PASSAGES + 5)]
    held = Evidence(tuple(Hit(Passage(text, text, "", 0, len(text), text), 1.0) for text in texts))
    reader = ScriptedReader({(asked.standalone, text): PassageReading(-4.0, (), 0.0, 0.0) for text in texts})
    assert await read_contradictions(asked, held, reader, ScriptedChecker({}, None)) == ()
    assert len(reader.asked) == MOST_PASSAGES
