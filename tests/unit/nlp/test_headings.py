"""Whether a stretch stands under another heading than the one that a question names."""

from __future__ import annotations

import pytest

from assay.nlp.headings import under_another_heading
from assay.types import Location, Passage, Span


def passage(text: str, title: str = "", section: str = "") -> Passage:
    return Passage("p", "d", "r", 0, len(text), text, title, Location(section=section or None))


def found(question: str, text: str, quote: str, title: str = "", section: str = "") -> tuple[str, str] | None:
    held = passage(text, title, section)
    at = text.index(quote)
    return under_another_heading(question, [(held, Span(at, at + len(quote)))], [held])


HALLS = "# Hall B: Barges\n\nBuilt in 1931.\n\n# Hall C: Signals\n\nTours start at 15:00.\n"
SERVICES = "**Silver service – £95**\nReady in two days.\n\n**Gold service – £180**\nGuaranteed for six months.\n"
CLUBS = "*Choir* meets on Mondays; Mrs Adeyemi leads it.\n\n*Chess club* meets on Tuesdays.\n"
LIGHTS = "Skerry Point was lit in 1844.\n\nCape Morrow was lit in 1851; its keeper kept bees.\n"
SEASONS = "In spring it opens at nine.\n\nIn autumn the paths are wet.\n\nIn the evening it is quiet.\n"
PLATFORMS = "## 2.1. FreeBSD and NetBSD\n\nUse the ports.\n\n## 2.2. Mac OS X\n\nRun the uninstaller.\n"
ITEMS = "- Taster: one hour, £18.\n- Practice: one evening, £25.\n"


@pytest.mark.parametrize(
    ("question", "text", "quote", "headings"),
    [
        ("When are tours in Hall B?", HALLS, "15:00", ("Hall B: Barges", "Hall C: Signals")),
        (
            "How long is the silver service guaranteed?",
            SERVICES,
            "six months",
            ("Silver service – £95", "Gold service – £180"),
        ),
        ("Who leads the chess club?", CLUBS, "Mrs Adeyemi", ("Chess club", "Choir")),
        ("What does practice cost?", ITEMS, "£18", ("Practice", "Taster")),
        ("Who kept goats at Cape Morrow?", LIGHTS, "1844", ("Cape Morrow", "Skerry Point")),
        ("When does it open in autumn?", SEASONS, "at nine", ("In autumn", "In spring")),
        ("How do I remove it on NetBSD?", PLATFORMS, "uninstaller", ("2.1. FreeBSD and NetBSD", "2.2. Mac OS X")),
    ],
)
def test_what_stands_beside_the_named_heading_is_found(question, text, quote, headings):
    assert found(question, text, quote) == headings


@pytest.mark.parametrize(
    ("question", "text", "quote"),
    [
        ("When are tours in Hall C?", HALLS, "15:00"),  # its own heading is named
        ("When are tours in Hall B or Hall C?", HALLS, "15:00"),  # both are
        ("When are tours?", HALLS, "15:00"),  # none is
        ("How long are barges guaranteed?", SERVICES, "six months"),  # no heading is named whole
        (
            "When does the choir of the chess club meet?",
            "*Choir* meets on Mondays.\n\n*Chess club* meets.",
            "Mondays",
        ),
        ("Who leads the chess club?", "*Choir* meets with the chess club.\n\n*Chess club* meets.", "Choir"),
        ("What does practice cost?", f"{CLUBS}\n{ITEMS}", "Mondays"),  # not side by side
    ],
)
def test_what_may_be_on_the_question_is_not(question, text, quote):
    assert found(question, text, quote) is None


def test_a_title_that_names_the_thing_covers_all_of_its_document():
    assert found("Who leads the chess club?", CLUBS, "Mrs Adeyemi", title="Chess club") is None


def test_a_heading_of_the_passage_ends_the_section_that_it_begins_in():
    text = "Keeps for three days.\n\n# Potato salad\n\nKeeps for two days.\n"
    headings = found("How long does plum crumble keep?", text, "two days", section="Plum crumble")
    assert headings == ("Plum crumble", "Potato salad")


def test_another_document_is_not_beside():
    other = Passage("q", "e", "r", 0, len(CLUBS), CLUBS)
    held = passage("*Choir* meets on Mondays.")
    assert under_another_heading("When does the chess club meet?", [(held, Span(16, 23))], [held, other]) is None


@pytest.mark.parametrize(
    ("question", "text", "quote"),
    [
        ("When was Skerry Point lit?", LIGHTS, "1844"),
        ("Was Skerry Point lit before Cape Morrow?", LIGHTS, "1844"),
        ("When does it open in spring?", SEASONS, "at nine"),
        ("Is it quiet in autumn?", SEASONS, "it is quiet"),  # no name or season stands there
        ("How do I remove it on OpenBSD?", PLATFORMS, "uninstaller"),  # no heading is of it
        ("How do I remove it on Mac OS X?", PLATFORMS, "uninstaller"),
    ],
)
def test_what_stands_under_no_other_name(question: str, text: str, quote: str):
    assert found(question, text, quote) is None


def test_the_words_of_a_heading_with_and_are_one_thing():
    text = "## Terms and Conditions\n\nPay in advance.\n\n## Refunds\n\nWithin a week.\n"
    assert found("Under which conditions is it refunded?", text, "Within a week.") is None
