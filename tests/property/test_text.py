"""Words and sentences: places are true, nothing is lost, and awkward text stays cheap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.language import language_of
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms, word_spans, words

texts = st.text(max_size=300) | st.lists(
    st.sampled_from(
        ["Dr. Wu left. ", "Is it?", "\n\n", "3.5 km ", "東京です。", "- item\n", "e.g. this ", "# H\n"]
    ),
    max_size=12,
).map("".join)


@given(texts)
def test_sentences_are_in_order_trimmed_and_hold_every_word(text):
    spans = sentences(text)
    end = 0
    for span in spans:
        assert end <= span.start < span.end
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        assert not text[end : span.start].strip()
        end = span.end
    assert not text[end:].strip()


@given(texts)
def test_words_are_where_they_are_said_to_be(text):
    spans = list(word_spans(text))
    assert len(spans) == len(words(text))
    assert all(a.end <= b.start for a, b in pairwise(spans))


@given(texts)
def test_terms_do_not_depend_on_case_or_width(text):
    assert terms("Ｗater BOILS") == terms("water boils")
    assert terms(text + " zebra")[-1:] == terms("zebra")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. First step.\n2. Second step.", ["1. First step.", "2. Second step."]),
        ("He came at 5 p.m. Then he left.", ["He came at 5 p.m. Then he left."]),
        ("Prices rose 3.5 percent. Why?", ["Prices rose 3.5 percent.", "Why?"]),
        ("彼は来た。「はい。」と言った。", ["彼は来た。", "「はい。」", "と言った。"]),
        ("| a | b |\n| 1 | 2 |\nAfter that.", ["| a | b |", "| 1 | 2 |", "After that."]),
    ],
)
def test_sentences_by_example(text, expected):
    assert [text[span.start : span.end] for span in sentences(text)] == expected


@pytest.mark.parametrize("text", ["a" * 200_000, "." * 200_000, "\n" * 200_000, "「" * 200_000, "1." * 100_000])
def test_awkward_text_ends(text):
    assert sentences(text) is not None
    assert terms(text) is not None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What is it?", "en"),
        ("Qui est le roi de la France?", "fr"),
        ("谁写了这本书", "zh"),
        ("", "und"),
        ("Кто это", "ru"),
    ],
)
def test_language_by_example(text, code):
    assert language_of(text) == code
