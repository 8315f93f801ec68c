"""A claim beside its sources: indexes of passages joined as if they were one text, and greedy windows."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.alignment import Alignment, cover
from assay.nlp.sources import SourceIndex, runs
from assay.types import Passage

WORDS = st.lists(st.sampled_from(["boat", "mill", "ulm", "bonn", "opens", "the", "old.", "It", "is."]), max_size=12)
TEXTS = st.lists(WORDS.map(" ".join), min_size=1, max_size=4)


def indexed(*texts: str) -> SourceIndex:
    return SourceIndex([Passage(str(n), "d", "r", 0, len(text), text) for n, text in enumerate(texts)])


@given(TEXTS)
def test_several_passages_read_as_one(texts: list[str]) -> None:
    index = indexed(*texts)
    words = [word.stem for sentence in index.sentences for word in sentence.words]
    assert list(index.stems) == words
    for stem in {*words, "nowhere"}:
        at = [n for n, sentence in enumerate(index.sentences) if stem in {word.stem for word in sentence.words}]
        assert list(index.holding(stem)) == at
        assert index.knows(stem) is bool(at)
        assert index.places(stem, 40) == [n for n, word in enumerate(words) if word == stem]
        sentences = len(index.sentences)
        assert index.stem_rarity(stem) == 1.0 + math.log(sentences / len(at) if at else sentences + 1)
    for size in (2, 3):
        assert all(index.has_run(run) for run in runs(words, size))
    assert not index.has_run(("nowhere", "boat"))


def test_a_sentence_knows_its_place_in_its_document() -> None:
    text = "It rained. The mill opened in Ulm."
    index = SourceIndex([Passage("p", "d", "r", 100, 100 + len(text), text)])
    [near] = index.nearest(["mill"], 3)
    assert (near.sentence.span.start, near.sentence.span.quote) == (111, "The mill opened in Ulm.")


def test_of_equals_the_first_place_is_taken() -> None:
    assert cover({"a": 1.0, "b": 1.0}, {4: {"a"}, 2: {"a"}, 3: {"b"}}, 3) == [2, 3]
    assert cover({"a": 1.0}, {0: {"c"}}, 3) == []


def test_a_window_holds_the_sentences_that_the_claim_leans_on() -> None:
    sources = indexed("The mill opened in Ulm. Boats are old. It rained.", "A boat sank in Bonn.")
    claim = "The mill of Ulm opened, and a boat sank in Bonn."
    aligned = Alignment(claim, claim, sources)
    assert {0, 3} <= set(aligned.window)
    assert aligned.share({"mill"}) < aligned.share({"mill", "ulm"}) < 1.0
