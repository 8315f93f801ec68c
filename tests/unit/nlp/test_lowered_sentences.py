"""Sentences that begin in lower case, told apart in drafts alone; abbreviations stay within theirs."""

from __future__ import annotations

import pytest

from assay.nlp.cited_sentences import Numbered, SentenceCutter
from assay.nlp.segments import cut, joined
from assay.nlp.sentences import sentences
from assay.types import Passage
from assay.verification.verifier import DeterministicVerifier


def told(text: str, *, lowered: bool = True) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, lowered=lowered)]


@pytest.mark.parametrize(
    "parts",
    [
        ["dogs are kept on deck.", "it leaves at 7:45 and reaches Sund at 8:40.", "the ferry is new."],
        ["the first winner was Amir Khoury, in 1964.", "in short, he won."],
        ["he moved to Paris.", "he stayed there for a year."],
        ["it needs fifty percent (at least).", "this is checked each day."],
        ["it isn't well-known.", "few have seen it."],
        ["it rose by 20%.", "nobody knows why that is."],
    ],
)
def test_sentences_in_lower_case_are_told_apart(parts: list[str]) -> None:
    text = " ".join(parts)
    assert told(text) == parts
    cutter = SentenceCutter()
    assert "".join([*cutter.feed(text), *cutter.end()]) == text
    assert [each.written.strip() for each in cut(text, Numbered(()))] == parts


@pytest.mark.parametrize(
    "text",
    [
        "It is approx. half of the weight of the max. load.",
        "Sizes, colours etc. are listed in the misc. items of the firm.",
        "She saw Prof. van der Berg and Gen. de Gaulle, i.e. two guests.",
        "He is a Jr. member of the dept. of works in Anaheim, Calif. near the sea.",
        "He asked why… and then left the room.",
        "“Stop!” he said to them. ",
        "J. smith wrote b. jones in vol. three of the lit. review.",
    ],
)
def test_an_abbreviation_stays_within_its_sentence(text: str) -> None:
    assert told(text) == [text.strip()]


def test_sources_are_cut_as_before() -> None:
    text = "it rained. it snowed. It froze."
    assert told(text, lowered=False) == ["it rained. it snowed.", "It froze."]


@pytest.mark.parametrize("gap", [" ", "\n"])
def test_a_mark_before_the_full_stop_or_a_line_break_behind_it_joins_nothing(gap: str) -> None:
    parts = ["SASL does not block when it runs out of entropy [3].", "suidperl was removed with 5.14 [4]."]
    text = gap.join(parts)
    assert [each.written.strip() for each in cut(text, Numbered(()))] == parts
    assert told(gap.join(("It runs out of entropy.", "suidperl was removed."))) == [
        "It runs out of entropy.",
        "suidperl was removed.",
    ]


async def test_each_sentence_of_a_draft_has_its_own_verdict() -> None:
    source = "Dogs must be kept on a lead on deck. It leaves Halden at 7:15 and reaches Sund at 8:40."
    draft = "dogs must be kept on a lead on deck. it leaves Halden at 7:45 and reaches Sund at 8:40."
    review = await DeterministicVerifier().check(draft, (Passage("p", "d", "r", 0, len(source), source),))
    assert [each.verdict.value for each in review.claims] == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("It rained. It snowed. It froze.", ["rained", "snowed"], "It froze."),
        ("It rained. It snowed. It froze.", ["snowed"], "It rained. It froze."),
        ("<ul>\n<li>It rained.</li>\n<li>It snowed.</li>\n</ul>", ["snowed"], "<ul>\n<li>It rained.</li>\n</ul>"),
        ("<ul>\n<li>It rained.</li>\n<li>It snowed.</li>\n</ul>", ["rained"], "<ul>\n<li>It snowed.</li>\n</ul>"),
        ("<p>So it was.</p><ul><li>It rained.</li></ul>", ["rained"], "<p>So it was.</p>"),
        ("<ul><li>It rained.<li>It snowed.<li>It froze.</ul>", ["snowed"], "<ul><li>It rained.<li>It froze.</ul>"),
        ("<p>It rained.</p><p>It snowed. It froze.</p>", ["rained"], "<p>It snowed. It froze.</p>"),
        ("<p>It rained. It snowed.</p>", ["rained"], "<p>It snowed.</p>"),
        ("1. It rained.\n\n   It snowed.\n2. It froze.\n", ["rained"], "1. It snowed.\n2. It froze.\n"),
        ("- It rained.\n- It snowed.\n\nIt froze.\n", ["snowed"], "- It rained.\n\nIt froze.\n"),
    ],
)  # fmt: skip
def test_layout_survives_what_is_taken_out(text: str, gone: list[str], left: str) -> None:
    pieces = cut(text, Numbered(()))
    assert joined(pieces, [each.written for each in pieces]).text == text
    kept = ["" if any(word in each.written for word in gone) else each.written for each in pieces]
    made = joined(pieces, kept)
    assert made.text == left
    assert all(made.text[span.start : span.end] in made.text for span in made.spans)
    assert made.spans[-1].end == len(made.text)
