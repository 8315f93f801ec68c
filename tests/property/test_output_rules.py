"""Output rules on any text: places are true, edits are harmless, and what was mended is not broken again."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core.rendering import apply_edits
from assay.nlp.citations import citations
from assay.rules.conflicts import clashes
from assay.rules.layout import blocks, phrase_spans, statements
from assay.rules.loader import load_rules, parse_rules
from assay.rules.output_rules import OutputRules, safe_edits
from assay.rules.rule import EVERY_EXEMPTION, Demand, Edit, Interval, blanked, exempt_spans, untouchable
from assay.types import Evidence, Question, Status

pieces = st.sampled_from(
    [
        "We delve into it. ",
        "Cloud Drive is here. [1] ",
        '"delve" ',
        "`delve` ",
        "\n\n",
        "\n- a point\n",
        "# Title\n",
        "costs $40. ",
        "You might also want to know:\n",
        "- Who?\n",
        "東京です。",
        "“",
        '"',
        "```\n",
        "| a | b |\n",
        "Not delve. ",
        "[2]",
        "*The Delve*",
        "> quoted\n",
        "1. ",
        "contact us. ",
        "\u00e9",
        "\ud800",
    ]
)
texts = st.lists(pieces, max_size=25).map("".join) | st.text(max_size=200)

MENDING = OutputRules(
    parse_rules(
        """
[[rule]]
id = "voice"
kind = "forbidden_words"
severity = "repair"
params = { words = ["delve"], use = { delve = "look" } }
[[rule]]
id = "terms"
kind = "deprecated_terms"
severity = "repair"
params = { terms = { "Cloud Drive" = "Drive" } }
[[rule]]
id = "short"
kind = "paragraphs"
severity = "repair"
params = { max_words = 8 }
[[rule]]
id = "next"
kind = "required_section"
severity = "repair"
params = { title = "You might also want to know", questions = true, min = 1, max = 2 }
[[rule]]
id = "pattern"
kind = "pattern"
params = { pattern = "is (here|there)", tell = "Say where." }
"""
    )
)
MARKETING = OutputRules(load_rules("marketing", allow_conflicts=True))
ASKED = Question("What does it cost?", "What does it cost?")


def examined(rules: OutputRules, text: str):
    return asyncio.run(rules.examine(ASKED, Evidence(), text))[0]


@given(texts)
@settings(deadline=None)  # the first call reads the word lists
def test_every_rule_gives_checks_whose_places_lie_in_the_text(text):
    for check in examined(MARKETING, text):
        assert check.cause or check.status is Status.PASSED
        if check.answer_span is not None:
            assert 0 <= check.answer_span.start <= check.answer_span.end <= len(text)


@given(texts)
@example("You might also want to know:\n- Who?\nWe delve into it. ```\n\n\nCloud Drive is here. [1] ")
@settings(max_examples=300, deadline=None)
def test_edits_touch_nothing_that_must_stay(text):
    edits = MENDING.edits(ASKED, text, examined(MENDING, text))
    after = apply_edits(text, edits)
    assert all(one.end <= other.start for one, other in pairwise(edits))
    for edit in edits:
        assert all(span.end <= edit.start or edit.end <= span.start for span in untouchable(text))
    marks = [text[mark.start : mark.end] for mark in citations(text)]
    assert [after[mark.start : mark.end] for mark in citations(after)] == marks
    assert re.findall(r"\d", after) == re.findall(r"\d", text)


@given(st.lists(st.sampled_from(["We delve. ", "Delve! ", "DELVE ", "Cloud Drive. ", "Tea. [1] "]), max_size=12))
def test_wording_that_was_mended_is_not_broken_again(parts):
    text = "".join(parts)
    after = apply_edits(text, MENDING.edits(ASKED, text, examined(MENDING, text)))
    failed = {check.name for check in examined(MENDING, after) if check.status is Status.FAILED}
    assert not failed & {"rule:voice", "rule:terms", "rule:short"}


@given(texts)
def test_blanks_keep_every_place(text):
    spans = exempt_spans(text, EVERY_EXEMPTION)
    plain = blanked(text, spans)
    assert len(plain) == len(text)
    assert [n for n, c in enumerate(plain) if c == "\n"] == [n for n, c in enumerate(text) if c == "\n"]
    assert all(a == b or b == " " for a, b in zip(text, plain, strict=True))


@given(texts)
def test_blocks_and_sentences_are_in_order_and_trimmed(text):
    at = 0
    for block in blocks(text):
        assert at <= block.start < block.end
        assert text[block.start : block.end].strip()
        at = block.end
    at = 0
    for sentence in statements(text, citations(text)):
        assert at <= sentence.start < sentence.end
        at = sentence.end
    assert sum(each.marks for each in statements(text, citations(text))) <= len(citations(text))


@given(st.text(alphabet="abé東京 -'", min_size=1, max_size=12), st.text(alphabet="abé東京 -'\n", max_size=40))
def test_a_phrase_that_is_found_stands_there(phrase, text):
    if phrase.strip():
        for span in phrase_spans(text, (phrase,)):
            assert re.sub(r"[\s-]+", "", text[span.start : span.end]) == re.sub(r"[\s-]+", "", phrase)


@given(
    texts, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 6), st.sampled_from(["", "x", "7"])), max_size=8)
)
def test_of_any_edits_only_the_safe_ones_are_kept(text, wished):
    edits = [
        Edit(start, min(start + length, len(text)), new, "") for start, length, new in wished if start <= len(text)
    ]
    kept = safe_edits(text, edits)
    assert all(one.end <= other.start for one, other in pairwise(kept))
    assert not any(edit.replacement == "7" for edit in kept)
    protected = [text[span.start : span.end] for span in untouchable(text)]
    after = apply_edits(text, kept)
    assert all(part in after for part in protected)


@given(st.integers(0, 30), st.integers(0, 30))
def test_two_lengths_are_in_conflict_where_no_length_keeps_both(low, high):
    demands = [("a", Demand(words=Interval(low))), ("b", Demand(words=Interval(0, high)))]
    assert bool(list(clashes(demands))) == (not any(low <= n <= high for n in range(100)))
