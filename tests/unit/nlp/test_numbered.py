"""Versions and other things that only a number tells apart."""

from __future__ import annotations

import pytest

from assay.nlp.numbered import asked_numbers, asked_years, is_of_another, is_of_another_year, names_number
from assay.types import Location, Passage, Span


def passage(text: str, title: str = "", section: str = "") -> Passage:
    return Passage("p", "d", "r", 0, len(text), text, title, Location(section=section or None), line=1)


def another(question: str, held: Passage, quote: str) -> bool | None:
    (asked,) = asked_numbers(question)
    at = held.text.index(quote)
    return is_of_another(asked, held, Span(at, at + len(quote)), [held])


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("When was Leaflet 1.0 released?", [("leaflet", "1")]),
        ("When was v1.0.0-rc.2 of it released?", [("v", "1-rc2")]),
        ("What changed in version 2?", [("version", "2")]),
        ("What is new in 2.x?", [("", "2.x")]),
        ("Which options has FTS4, and which the P-300?", [("fts", "4"), ("p", "300")]),
        ("What does Article 5 say?", [("article", "5")]),
        ("Is the ext4 driver in Debian 8?", [("ext", "4"), ("debian", "8")]),
        ("Who led Debian in 2000?", []),
        ("What happened on 5 May and on May 6?", []),
        ("Can it lift 3.5 kg within 2 hours?", []),
        ("Does it cost $4.50?", []),
        ("What must I do before 2.0?", []),  # the answer may be told of any other
        ("How many dogs were in 3 towns?", []),
    ],
)
def test_what_a_question_tells_apart_by_a_number(question: str, found: list[tuple[str, str]]):
    assert [(one.kind, one.number) for one in asked_numbers(question)] == found


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Leaflet 1.0 (2016)", True),
        ("v1.0", True),
        ("1.0.0", True),
        ("1.x", True),
        ("1.0-compatible plugins", True),
        ("1.0-beta1", False),
        ("1.0 RC1", False),
        ("1.0b2", False),
        ("1.0.3", False),
        ("11.0", False),
        ("2.1.0", False),
        ("Python 1.0", False),
    ],
)
def test_a_version_is_no_other(text: str, named: bool):
    (asked,) = asked_numbers("When was Leaflet 1.0 released?")
    assert names_number(text, asked) is named


@pytest.mark.parametrize(("text", "named"), [("Borg 2", True), ("Borg 2.x", True), ("Borg 2.1", False)])
def test_a_whole_number_is_a_series_only_where_the_text_says_so(text: str, named: bool):
    (asked,) = asked_numbers("What is new in Borg 2?")
    assert names_number(text, asked) is named


CHANGES = """# Changelog

## 1.0.3 (2016-09-23)

- Fix a regression of 1.0 in the canvas.

## 1.0 (2016-09-27)

- Add panes.

## 1.0-beta1 (2015-07-15)

- Add fractional zoom.

## 11.0 (2030-01-02)

- Add nothing.
"""


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("1.0 (2016-09-27)", False),
        ("panes", False),
        ("1.0-beta1 (2015-07-15)", True),
        ("fractional zoom", True),
        ("a regression", True),  # of the version over it
        ("nothing", True),
    ],
)
def test_the_heading_over_a_line_tells_its_version(quote: str, told: bool):
    assert another("When was Leaflet 1.0 released?", passage(CHANGES), quote) is told


def test_the_section_that_a_passage_begins_in_tells_it_too():
    held = passage("Add fractional zoom.", section="Changelog > 1.0-beta1 (2015-07-15)")
    assert another("What was added in Leaflet 1.0?", held, "zoom") is True
    assert another("What was added in Leaflet 1.0-beta1?", held, "zoom") is False


RELEASES = """Debian 1.1 Buzz (June 1996): the first with a code name. It had 474 packages.

It was frozen in May.

Debian 1.2 Rex (December 1996): it had 848 packages. Its kernel was Linux 2.0.

Debian 1.3 Bo (June 1997): it had 974 packages.
"""


@pytest.mark.parametrize(
    ("question", "quote", "told"),
    [
        ("How many packages had Debian 1.2?", "848 packages", False),
        ("How many packages had Debian 1.2?", "474 packages", True),
        (
            "When was Debian 1.1 frozen?",
            "frozen in May",
            False,
        ),  # goes on about what the paragraph before begins with
        ("When was Debian 1.2 frozen?", "frozen in May", True),
        ("Which Debian had Linux 2.0?", "Its kernel", False),
    ],
)
def test_the_beginning_of_a_paragraph_tells_it(question: str, quote: str, told: bool):
    assert another(question, passage(RELEASES), quote) is told


def test_a_stretch_apart_from_those_that_begin_with_a_number_is_of_another():
    assert another("How many had Debian 1.2?", passage(f"It had 474.\n\n{RELEASES}"), "It had 474.") is True
    assert (
        another("How many had Debian 1.2?", passage("It had 474.\n\nDebian 1.2 had more."), "It had 474.") is None
    )


@pytest.mark.parametrize(("quote", "told"), [("| 3.2.7", False), ("| 3.2.6", True)])
def test_a_row_tells_it_whatever_the_heading(quote: str, told: bool):
    table = "# News of 2.5.0\n\n| Date | Version |\n|---|---|\n| 20 Oct 2022 | 3.2.7 |\n| 9 Sep 2022 | 3.2.6 |\n"
    assert another("When was rsync 3.2.7 released?", passage(table), quote) is told


@pytest.mark.parametrize(
    ("question", "told"), [("What is the default in FTS5?", False), ("What is the default in FTS4?", True)]
)
def test_the_title_tells_it_last(question: str, told: bool):
    assert another(question, passage("The default is 16.", "SQLite FTS5 Extension"), "16") is told


def test_what_names_the_asked_model_may_stand_under_another():
    held = passage("FTS4 knew no such option.", "SQLite FTS5 Extension")
    assert another("Which option does FTS4 lack?", held, "no such") is False


def test_bounds_tell_nothing():
    held = passage("# From 1.1 to 1.4\n\nIt is slow.\n\n# Since 2.0\n\nIt is fast.")
    assert another("Is Borg 1.2 slow?", held, "slow") is None
    assert another("Is Borg 2.3 fast?", held, "fast") is None


def test_numbers_of_sections_are_none():
    held = passage("# 2.1. Setup\n\nRun it.")
    assert another("How is Borg 1.2 set up?", held, "Run it.") is None


@pytest.mark.parametrize(
    ("question", "quote", "told"),
    [
        ("What was the rent in 2023?", "95", False),
        ("What was the rent in 2023?", "90", True),
        ("What was planned for 2023 in all?", "100", False),  # the line names the year
        ("What was the rent in 2024?", "80", False),  # since then
    ],
)
def test_the_heading_tells_the_year(question: str, quote: str, told: bool):
    text = "# 2022\n\nRent: 90.\n\nPlan for 2023: 100.\n\n# Budget 2023\n\nRent: 95.\n\n# Since 2020\n\nRent: 80."
    at = text.index(quote)
    years = asked_years(question)
    assert is_of_another_year(years, passage(text), Span(at, at + len(quote))) is told
