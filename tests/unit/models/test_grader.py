"""The pair scorer, on a stand-in whose log odds are the sum of the marks less 10."""

import json
import shutil
from pathlib import Path

import assay_models
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.grader import OF_EVIDENCE, Pair, PairScorer, marks

TINY = Path(__file__).parent / "tiny_grader"
PAIRS = [
    Pair("the dog bites", "a man sees the dog"),
    Pair("the dog bites the man in the park", "the dog bites the man in the park"),
    Pair("", ""),
    Pair("cat", ""),
    Pair("", "cat"),
    Pair("\ud800 \x00", "猫 \udfff"),
] * 20
TOKENS = st.lists(st.integers(4, 9), max_size=12)


@pytest.fixture(scope="module")
def scorer() -> PairScorer:
    return PairScorer.load(TINY)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of one's own, free to be damaged."""
    return Path(shutil.copytree(TINY, tmp_path / "grader"))


def test_it_says_which_model_it_is(scorer: PairScorer) -> None:
    assert (scorer.model.id, scorer.max_tokens, len(scorer.model.sha256)) == ("tiny-grader-4a8d2e1b", 16, 64)


def test_one_score_a_pair_in_order(scorer: PairScorer) -> None:
    # [CLS] 2 2 0 [SEP] 3 3 3 5 5 [SEP]3: 4 + 19 + 3 - 10.
    scores = scorer.score_now(PAIRS)
    assert (scores.shape, scores.dtype) == ((len(PAIRS),), np.float32)
    assert scores[0] == pytest.approx(16)
    # Nothing but the last [SEP]; a lone word beside it.
    assert list(scores[2:5]) == pytest.approx([-7, -7, -4])


def test_no_pairs_give_no_scores(scorer: PairScorer) -> None:
    assert scorer.score_now([]).shape == (0,)


def test_a_score_does_not_depend_on_the_other_pairs(scorer: PairScorer) -> None:
    alone = np.concatenate([scorer.score_now([pair]) for pair in PAIRS])
    np.testing.assert_allclose(scorer.score_now(PAIRS), alone, atol=1e-5)


def test_a_long_claim_leaves_room_for_evidence(scorer: PairScorer) -> None:
    # 16 tokens: [CLS], 6 of the claim, [SEP], 7 of the evidence, [SEP]; all shared: 6 x 2 + 7 x 5 + 3 - 10.
    (score,) = scorer.score_now([Pair("dog " * 100, "dog " * 100)])
    assert score == pytest.approx(6 * 2 + 7 * 5 + 3 - 10)


async def test_score_gives_the_same_off_the_event_loop(scorer: PairScorer) -> None:
    np.testing.assert_array_equal(await scorer.score(PAIRS), scorer.score_now(PAIRS))


async def test_closing_twice_is_harmless() -> None:
    own = PairScorer.load(TINY, threads=1)
    own.close()
    own.close()


@given(TOKENS, TOKENS)
def test_every_token_has_a_mark_of_its_text(claim: list[int], evidence: list[int]) -> None:
    found = marks(claim, evidence)
    assert len(found) == len(claim) + len(evidence) + 3
    assert all(each < OF_EVIDENCE for each in found[: len(claim) + 2])
    assert all(each >= OF_EVIDENCE for each in found[len(claim) + 2 :])


@given(TOKENS, TOKENS)
def test_a_token_is_lone_where_the_other_text_lacks_it(claim: list[int], evidence: list[int]) -> None:
    inner = marks(claim, evidence)[1 : len(claim) + 1]
    assert [each > 0 for each in inner] == [token in evidence for token in claim]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(UsageError, match=name):
        PairScorer.load(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    with (copy / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(UsageError, match="not the file its manifest describes"):
        PairScorer.load(copy)


@pytest.mark.parametrize(
    "change", [{"schema": "assay-models/1"}, {"id": None}, {"files": None}, {"max_tokens": None}]
)
def test_a_manifest_of_something_else_is_refused(copy: Path, change: dict[str, str | None]) -> None:
    path = copy / "manifest.json"
    changed = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in changed.items() if value is not None}))
    with pytest.raises(UsageError, match="manifest"):
        PairScorer.load(copy)


@pytest.mark.parametrize("text", ["", "[1, 2]", "{"])
def test_a_manifest_that_is_no_object_is_refused(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match="no manifest of a grader"):
        PairScorer.load(copy)


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    import assay_models

    folder = Path(shutil.copytree(assay_models.folder(), tmp_path / "encoder"))
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema": "assay-grader/1"}))
    with pytest.raises(UsageError, match="does not take input_ids and marks"):
        PairScorer.load(folder)


def test_the_bundled_grader_tells_a_claim_from_its_denial() -> None:
    grader = PairScorer.load(assay_models.folder("minilm-l6-grader-int8"))
    source = "The bridge was opened to traffic on 3 May 1932 by the mayor. It has four lanes."
    said, denied = grader.score_now(
        [Pair("The bridge was opened by the mayor.", source), Pair("The bridge was never opened.", source)]
    )
    assert said > denied
    assert set(grader.model.joinings) == {"claims", "evidence", "ranking"}
