"""A text is analysed once, and what is kept of it has an end."""

from __future__ import annotations

from assay.nlp.analysis import Analysis, AnalysisCache, analyse
from assay.nlp.dates import dates
from assay.nlp.names import names
from assay.nlp.quantities import quantities
from assay.nlp.tokens import terms, words

TEXT = "Ada Lovelace was born on 10 December 1815. She wrote 3 notes, not 4; 東京 is far."


def test_an_analysis_holds_what_the_readers_of_values_find() -> None:
    read = analyse(TEXT)
    assert [TEXT[span.start : span.end] for span in read.sentences] == [part.text for part in read.parts]
    assert list(read.quantities) == quantities(TEXT)
    assert list(read.dates) == dates(TEXT)
    assert list(read.names) == names(TEXT)
    assert list(read.terms) == terms(TEXT)
    assert [token.folded for token in read.tokens] == words(TEXT)


def test_what_was_read_is_known_and_worked_out_once() -> None:
    cache, counted = AnalysisCache(), list[str]()

    def count(read: Analysis) -> int:
        counted.append(read.text)
        return len(read.text)

    assert cache.analyse("It rained.").derive(count) == cache.analyse("It rained.").derive(count) == 10
    assert counted == ["It rained."]


def test_what_was_not_used_for_longest_is_let_go() -> None:
    cache = AnalysisCache(most_characters=20)
    first, second = cache.analyse("a is red."), cache.analyse("b is red.")
    assert cache.analyse("a is red.") is first
    cache.analyse("c is red.")
    assert cache.analyse("a is red.") is first
    assert cache.analyse("b is red.") is not second


def test_the_latest_text_is_kept_however_long_it_is() -> None:
    cache = AnalysisCache(most_characters=5)
    long = cache.analyse("It is longer than that.")
    assert cache.analyse("It is longer than that.") is long
