"""The checker, on the reader's stand-in: its "yes" adds 3 to supports, its "no" 3 to contradicts, in the text."""

from __future__ import annotations

import json
import math
from pathlib import Path

import assay_models
import numpy as np
import pytest

from assay.core.stages import Pair
from assay.errors import UsageError
from assay.models.checker import OnnxChecker

from .tiny import POLICY, tiny_checker

SHARE = math.exp(3) / (math.exp(3) + 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checker's folder of the test's own, free to be damaged."""
    return tiny_checker(tmp_path)


@pytest.fixture
def checker(folder: Path) -> OnnxChecker:
    return OnnxChecker.load(folder)


def change(folder: Path, **entries: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_it_says_which_model_it_is_and_what_its_verdicts_settle(checker: OnnxChecker) -> None:
    assert (checker.model.id[:-8], checker.model.languages) == ("tiny-checker-", ("en",))
    assert checker.model.policy.weights == POLICY["weights"]
    assert checker.model.policy.supported == POLICY["supported"]


def test_another_policy_is_another_model(checker: OnnxChecker, folder: Path) -> None:
    change(folder, policy=POLICY | {"shift": 0.5})
    assert OnnxChecker.load(folder).model.id != checker.model.id


def test_each_pair_has_three_probabilities(checker: OnnxChecker) -> None:
    found = checker.check_now([Pair("it", "yes"), Pair("it", "no"), Pair("it", "well")])
    assert (found.shape, found.dtype) == ((3, 3), np.float32)
    np.testing.assert_allclose(found.sum(-1), 1.0, atol=1e-6)
    assert (found[0, 0], found[1, 1]) == (pytest.approx(SHARE), pytest.approx(SHARE))
    assert list(found[2]) == pytest.approx([1 / 3] * 3)


def test_words_of_the_claim_count_for_nothing(checker: OnnxChecker) -> None:
    np.testing.assert_allclose(checker.check_now([Pair("yes no", "well")]), 1 / 3)


def test_a_long_claim_leaves_room_for_the_evidence(checker: OnnxChecker) -> None:
    (found,) = checker.check_now([Pair("it " * 500, "yes" + " well" * 500)])
    assert found[0] == pytest.approx(SHARE)


def test_a_pair_does_not_depend_on_the_others(checker: OnnxChecker) -> None:
    pairs = [Pair("it", "yes"), Pair("", ""), Pair("\ud800", "no \udfff"), Pair("it " * 90, "well " * 200)] * 9
    alone = np.concatenate([checker.check_now([pair]) for pair in pairs])
    np.testing.assert_allclose(checker.check_now(pairs), alone, atol=1e-5)


async def test_checking_off_the_event_loop_gives_the_same(checker: OnnxChecker) -> None:
    pairs = [Pair("it", "yes"), Pair("it", "no")]
    np.testing.assert_array_equal(await checker.check(pairs), checker.check_now(pairs))


def test_no_pairs_give_nothing(checker: OnnxChecker) -> None:
    assert checker.check_now([]).shape == (0, 3)


def test_a_score_that_is_no_number_is_refused(checker: OnnxChecker) -> None:
    with pytest.raises(UsageError, match="gave a score that is not a number"):
        checker.check_now([Pair("it", "broken")])


def test_closing_twice_is_harmless(checker: OnnxChecker) -> None:
    checker.close()
    checker.close()


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        {},
        POLICY | {"weights": {}},
        POLICY | {"weights": {"checker": float("nan")}},
        POLICY | {"supported": 1.5},
        POLICY | {"unsupported": 0.9},
    ],
)
def test_a_policy_that_is_none_is_refused(folder: Path, wrong: object) -> None:
    change(folder, policy=wrong)
    with pytest.raises(UsageError, match="lacks a valid policy"):
        OnnxChecker.load(folder)


def test_a_reader_is_no_checker() -> None:
    with pytest.raises(UsageError, match="is not the manifest of a checker"):
        OnnxChecker.load(assay_models.folder("minilm-l6-reader-int8"))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_changed_file_is_refused(folder: Path, name: str) -> None:
    with (folder / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(UsageError, match="is not the file its manifest describes"):
        OnnxChecker.load(folder)


def test_the_bundled_checker_tells_what_a_source_says_from_what_it_denies() -> None:
    checker = OnnxChecker.load(assay_models.folder("minilm-l6-checker-int8"))
    source = "The bridge was opened to traffic on 3 May 1932 by the mayor. Lorries may not use it."
    said, denied, elsewhere = checker.check_now(
        [
            Pair("In 1932, the mayor opened the bridge.", source),
            Pair("Lorries are allowed on the bridge.", source),
            Pair("The bridge cost two million pounds.", source),
        ]
    )
    assert said[0] > 0.5 > max(denied[0], elsewhere[0])
    assert denied[1] > max(said[1], elsewhere[1])
