"""A finished answer in each citation style."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core.rendering import rendered, with_style
from assay.nlp.citations import citations
from assay.types import (
    Action,
    Answer,
    CitationStyle,
    Claim,
    Confidence,
    Judgement,
    Location,
    ModelsUsed,
    Outcome,
    Source,
    SourceSpan,
    Usage,
    Verdict,
)

TEXT = "It opened in 1932. [1] It is high. [2] [3]"
SOURCES = (("Harbour", Location(page=3, section="Towers")), ("Heights", Location()), ("Harbour", Location(slide=2)))


def answer(text: str, *sources: tuple[str, Location]) -> Answer:
    return Answer(
        run_id="r",
        question="When?",
        outcome=Outcome.ANSWERED,
        text=text,
        verdict=Verdict.SUPPORTED,
        claims=(),
        sources=tuple(
            Source(n, f"p{n}", f"d{n}", title, location, 0, 1, "x", "")
            for n, (title, location) in enumerate(sources, 1)
        ),
        citations=citations(text),
        invalid_citations=(),
        judgement=Judgement(1.0, Action.ANSWER, ""),
        checks=(),
        findings=(),
        repairs=(),
        drafts=1,
        iterations=1,
        confidence=Confidence(None, 1.0, "very_high"),
        warnings=(),
        models=ModelsUsed("w", "j", "v"),
        usage=Usage(),
        profile="fast",
        mode_used="fast",
        ms=0.0,
    )


@pytest.mark.parametrize(
    ("style", "inline", "listed"),
    [
        (
            CitationStyle.NUMBERED,
            "It opened in 1932. [1] It is high. [2] [3]",
            "Sources:\n- [1] Harbour, page 3, Towers\n- [2] Heights\n- [3] Harbour, slide 2",
        ),
        (
            CitationStyle.NAMED,
            "It opened in 1932. [Harbour, page 3, Towers] It is high. [Heights] [Harbour, slide 2]",
            "Sources:\n- Harbour, page 3, Towers\n- Heights\n- Harbour, slide 2",
        ),
        (
            CitationStyle.AUTHOR_PAGE,
            "It opened in 1932. (Harbour, p. 3) It is high. (Heights) (Harbour, slide 2)",
            "Sources:\n- Harbour, page 3, Towers\n- Heights\n- Harbour, slide 2",
        ),
    ],
)
def test_inline_and_with_a_list(style: CitationStyle, inline: str, listed: str) -> None:
    assert rendered(answer(TEXT, *SOURCES), style) == inline
    assert rendered(answer(TEXT, *SOURCES), style, references=True) == f"{inline}\n\n{listed}"


@pytest.mark.parametrize("references", [True, False])
def test_footnotes_bring_their_notes(references: bool) -> None:
    assert rendered(answer(TEXT, *SOURCES), CitationStyle.FOOTNOTE, references) == (
        "It opened in 1932. [^1] It is high. [^2] [^3]\n\n"
        "[^1]: Harbour, page 3, Towers\n[^2]: Heights\n[^3]: Harbour, slide 2"
    )


def test_a_mark_of_several_sources() -> None:
    both = answer("It opened. [1, 2] So.", *SOURCES[:2])
    assert rendered(both, CitationStyle.NUMBERED) == "It opened. [1] [2] So."
    assert rendered(both, CitationStyle.NAMED) == "It opened. [Harbour] [Heights] So."
    assert rendered(both, CitationStyle.AUTHOR_PAGE) == "It opened. (Harbour, p. 3; Heights) So."


@pytest.mark.parametrize("style", CitationStyle)
def test_a_mark_that_stands_for_nothing_stays(style: CitationStyle) -> None:
    text = "So [9] and [Source: Nowhere] and `[1]` and [1, 9]."
    assert rendered(answer(text, SOURCES[1]), style).startswith(text)


@pytest.mark.parametrize("style", CitationStyle)
def test_without_sources_there_is_only_the_text(style: CitationStyle) -> None:
    assert rendered(answer("The documents do not say."), style, references=True) == "The documents do not say."


@pytest.mark.parametrize("style", CitationStyle)
def test_a_title_makes_no_link_and_no_line(style: CitationStyle) -> None:
    hostile = ("![x](http://evil)\n\n# <b>[2]: y", Location(section="[z](http://evil)"))
    text = rendered(answer("So. [1]", hostile), style, references=True)
    assert "](" not in text
    assert "<" not in text
    assert "\n#" not in text


def test_a_source_without_a_title_is_known_by_its_number() -> None:
    assert rendered(answer("So. [1]", ("", Location(page=2))), CitationStyle.NAMED) == "So. [source 1]"


@pytest.mark.parametrize(
    ("title", "section", "listed"),
    [
        ("The loop", "The loop", "The loop"),
        ("The loop", "the  loop", "The loop"),
        ("The loop", "The loop > Judge", "The loop, Judge"),
        ("The loop", "The loop of Kupe", "The loop, The loop of Kupe"),
        ("The loop", "Judge > The loop", "The loop, Judge › The loop"),
    ],
)
@pytest.mark.parametrize("style", [CitationStyle.NUMBERED, CitationStyle.NAMED, CitationStyle.FOOTNOTE])
def test_no_list_names_a_title_twice(title: str, section: str, listed: str, style: CitationStyle) -> None:
    shown = rendered(answer("So. [1]", (title, Location(section=section))), style, references=True)
    assert shown.endswith(("] " + listed, "]: " + listed, "\n- " + listed))


def test_the_page_stays_where_the_section_is_the_title() -> None:
    shown = rendered(answer("So. [1]", ("Rates", Location(page=2, section="Rates"))), references=True)
    assert shown.endswith("- [1] Rates, page 2")


def test_each_mark_names_the_page_that_its_own_claim_quotes() -> None:
    claims = tuple(
        Claim(
            n, "x", start, end, ("p1",), Verdict.SUPPORTED, 1.0, (SourceSpan("p1", 0, 1, "x", Location(page=page)),)
        )
        for n, start, end, page in ((1, 0, 18, 3), (2, 23, 34, 4))
    )
    cited = replace(answer("It opened in 1932. [1] It is high. [1]", ("Harbour", Location(page=3))), claims=claims)
    assert rendered(cited, CitationStyle.AUTHOR_PAGE) == (
        "It opened in 1932. (Harbour, p. 3) It is high. (Harbour, p. 4)"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It opened in 1932. [1] It is high. [2] [3]", "It opened in 1932. It is high."),
        ("[1] It opened.\n[2] [3] It is high.", "It opened.\nIt is high."),
        ("It opened [1], and is high [9].", "It opened, and is high [9]."),
    ],
)
def test_without_marks_the_text_is_left_and_the_offsets_are_true(text: str, left: str):
    marked = answer(text, *SOURCES)
    words = [(word, text.index(word)) for word in ("It opened", "high")]
    claims = tuple(
        Claim(n, word, at, at + len(word), (), Verdict.SUPPORTED, None) for n, (word, at) in enumerate(words)
    )
    told = with_style(replace(marked, claims=claims), CitationStyle.NONE)
    assert " ".join(told.text.split()) == " ".join(left.split())
    assert [told.text[each.start : each.end] for each in told.claims] == [word for word, _at in words]
    assert [told.text[each.start : each.end] for each in told.citations] == (["[9]"] if "[9]" in text else [])
    assert with_style(marked, CitationStyle.NUMBERED) is marked
