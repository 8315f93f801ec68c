from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.alignment import Alignment
from assay.nlp.sources import SourceIndex
from assay.nlp.wordnet import kinship, part_of_speech
from assay.types import Passage
from assay.verification.support import common_subsequence, embedding_features, features, texts_of, trees, trees_from

SOURCE = "Two brothers founded the company in Ulm in 1921. It makes wooden boats. Sales rose by 12 % in 2020."


def aligned(claim: str, source: str = SOURCE) -> Alignment:
    sources = SourceIndex([Passage("p", "d", "r", 0, len(source), source)])
    return Alignment(claim, claim, sources, is_verbatim=True)


def support(claim: str, source: str = SOURCE) -> float:
    return trees("words").probability(features(aligned(claim, source)))


def test_trees_are_applied_as_written() -> None:
    body = {
        "names": ["a", "b"], "roots": [0, 3], "feature": [0, -1, -1, 1, -1, -1],
        "threshold": [0.5, 0, 0, 2.0, 0, 0],
        "left": [1, 0, 0, 4, 0, 0], "right": [2, 0, 0, 5, 0, 0], "value": [0, -1.0, 1.0, 0, 0.25, 0.75],
        "slope": 2.0, "shift": 0.5,
    }  # fmt: skip
    small = trees_from(body)
    assert small.probability({"a": 0.5, "b": 2.0}) == pytest.approx(1 / (1 + math.exp(-(2 * (-1.0 + 0.25) + 0.5))))
    assert small.probability({"a": 0.6, "b": 3.0}) == pytest.approx(1 / (1 + math.exp(-(2 * (1.0 + 0.75) + 0.5))))


@pytest.mark.parametrize("variant", ["words", "vectors"])
def test_shipped_trees_are_whole(variant) -> None:  # type: ignore[no-untyped-def]
    shipped = trees(variant)
    inner = shipped.feature >= 0
    assert shipped.feature.max() < len(shipped.names)
    assert (shipped.left[inner] > np.flatnonzero(inner)).all()
    assert (shipped.right[inner] > np.flatnonzero(inner)).all()
    assert np.isfinite(shipped.value).all()


def test_what_is_said_scores_above_what_is_not() -> None:
    said = support("The company was founded in Ulm by two brothers.")
    assert (
        said
        > support("The company was founded in Ulm by two sisters in 1935.")
        > support("Bananas hold potassium.")
    )


def test_features_of_both_variants_are_there() -> None:
    found = features(aligned("It makes boats."))
    assert set(trees("words").names) == set(found)
    assert all(math.isfinite(value) for value in found.values())


def test_embedding_features_read_the_vectors_of_its_texts() -> None:
    one = aligned("It makes boats. It sells them.")
    texts = texts_of(one)
    assert texts[:3] == ("It makes boats. It sells them.", "It makes boats.", "It sells them.")
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(len(texts), 8)).astype(np.float32)
    vectors = dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))
    found = embedding_features(one, vectors)
    assert set(trees("vectors").names) == set(features(one)) | set(found)
    assert all(-1.001 <= value <= 2.001 for value in found.values())
    same = embedding_features(one, dict.fromkeys(texts, vectors[texts[0]]))
    assert same["alike_best"] == pytest.approx(1.0)


@pytest.mark.parametrize("claim", ["42", "?", "the of", "東京は大きい", "a" * 500])
def test_odd_claims_have_finite_features(claim: str) -> None:
    if claim != "?":
        assert 0.0 <= support(claim) <= 1.0


def test_the_lexicon_knows_kin() -> None:
    assert kinship("buy", "purchas") == "same"
    assert (kinship("increas", "chang"), kinship("chang", "increas")) == ("narrower", "broader")
    assert kinship("xyzzi", "vehicl") == "none"
    assert part_of_speech("xyzzi", "xyzzy") == "other"


def test_a_share_does_not_depend_on_the_order_of_a_set() -> None:
    # .1 + .2 + .3 and .3 + .2 + .1 differ in the last digit, and a set's order differs from process to process.
    weighed = aligned("boats wood Ulm")
    weighed.__dict__["weights"] = {"a": 0.1, "b": 0.2, "c": 0.3}
    assert weighed.share(["a", "b", "c"]) == weighed.share(["c", "b", "a"]) == 1.0


@given(st.lists(st.sampled_from("abc"), max_size=70), st.lists(st.sampled_from("abcd"), max_size=70))
def test_the_common_subsequence_is_as_long_as_the_table_says(first: list[str], second: list[str]) -> None:
    row = [0] * (len(second) + 1)
    for one in first:
        diagonal = 0
        for at, other in enumerate(second):
            above = row[at + 1]
            row[at + 1] = diagonal + 1 if one == other else max(above, row[at])
            diagonal = above
    assert common_subsequence(first, second) == row[-1]
