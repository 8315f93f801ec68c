"""A checker from the hub: "yes" in the text adds 3 to its first class, "no" to its second, "well" to its third."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.stages import Pair
from assay.errors import UsageError
from assay.models.checker import CONTRADICTS, NEITHER, SUPPORTS, ClassifierChecker
from assay.models.hub_folder import HubFolder

from .tiny import POLICY
from .tiny_hub import classifier, hub_folder, reranker

NLI = {"0": "contradiction", "1": "entailment", "2": "neutral"}
THREE = {"yes": (3, 0, 0), "no": (0, 3, 0), "well": (0, 0, 3), "it": (0, 0, 0), "broken": (math.nan,) * 3}
TWO = {"yes": (3, 0), "no": (0, 3), "it": (0, 0)}
OF_THREE = math.exp(3) / (math.exp(3) + 2)
OF_TWO = math.exp(3) / (math.exp(3) + 1)


def three(place: Path, **config: Any) -> Path:
    return hub_folder(place, THREE, classifier(THREE), **({"id2label": NLI} | config))


def two(place: Path, **config: Any) -> Path:
    return hub_folder(place, TWO, classifier(TWO), **config)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return three(tmp_path / "nli")


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (("contradiction", "entailment", "neutral"), (CONTRADICTS, SUPPORTS, NEITHER)),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), (SUPPORTS, NEITHER, CONTRADICTS)),
        (("REFUTES", "SUPPORTS", "NOT ENOUGH INFO"), (CONTRADICTS, SUPPORTS, NEITHER)),
    ],
)
def test_the_labels_say_which_class_is_which(
    tmp_path: Path, labels: tuple[str, ...], columns: tuple[int, ...]
) -> None:
    named = {str(at): label for at, label in enumerate(labels)}
    checker = ClassifierChecker.load(three(tmp_path, id2label=named))
    found = checker.check_now([Pair("it", "yes"), Pair("it", "no"), Pair("it", "well")])
    np.testing.assert_allclose(found.sum(-1), 1.0, atol=1e-6)
    assert [int(row.argmax()) for row in found] == list(columns)
    assert found.max(-1) == pytest.approx([OF_THREE] * 3)


@pytest.mark.parametrize("labels", [["not_supported", "supported"], ["unsupported", "Supported"]])
def test_of_two_classes_none_contradicts(tmp_path: Path, labels: list[str]) -> None:
    checker = ClassifierChecker.load(two(tmp_path, id2label=dict(enumerate(labels))))
    (found,) = checker.check_now([Pair("it", "no")])
    assert list(found) == pytest.approx([OF_TWO, 0.0, 1 - OF_TWO])


def test_two_classes_may_be_support_and_contradiction(tmp_path: Path) -> None:
    checker = ClassifierChecker.load(two(tmp_path, id2label={"0": "entailment", "1": "contradiction"}))
    assert list(checker.check_now([Pair("it", "no")])[0]) == pytest.approx([1 - OF_TWO, OF_TWO, 0.0])


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({}, "LABEL_0, LABEL_1"),
        ({"num_labels": 3}, "LABEL_0, LABEL_1, LABEL_2"),
        ({"id2label": {"0": "positive", "1": "negative"}}, "positive, negative"),
        ({"id2label": {"0": "neutral", "1": "contradiction"}}, "neutral, contradiction"),
        ({"id2label": {"0": "entailment", "1": "supported"}}, "entailment, supported"),
    ],
)
def test_labels_that_say_nothing_are_told_with_what_to_do(
    tmp_path: Path, config: dict[str, Any], found: str
) -> None:
    with pytest.raises(UsageError, match=f"are {found}: they do not say which class") as raised:
        ClassifierChecker.load(two(tmp_path, **config))
    assert '{"labels": ["unsupported", "supported"]}' in raised.value.hint


def test_labels_that_do_not_number_their_classes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not number its labels"):
        ClassifierChecker.load(two(tmp_path, id2label={"first": "supported"}))


def test_what_its_user_says_of_the_labels_goes_first(tmp_path: Path) -> None:
    place = two(tmp_path)
    (place / "assay.json").write_text('{"labels": ["unsupported", "supported"], "languages": ["en", "de"]}')
    checker = ClassifierChecker.load(place)
    assert checker.columns == (NEITHER, SUPPORTS)
    assert checker.model.languages == ("en", "de")


def test_one_class_is_a_rerankers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one class is a reranker's") as raised:
        ClassifierChecker.load(
            hub_folder(tmp_path, {"it": (0,)}, reranker({"it": (0,)}), id2label={"0": "LABEL_0"})
        )
    assert "--reranker" in raised.value.hint


def test_a_network_with_other_classes_than_labels_is_refused(tmp_path: Path) -> None:
    checker = ClassifierChecker.load(two(tmp_path, id2label=NLI))
    with pytest.raises(UsageError, match="gives 2 numbers a pair, and its labels are 3: contradiction, entailment"):
        checker.check_now([Pair("it", "yes")])


def test_words_of_the_claim_count_for_nothing(folder: Path) -> None:
    np.testing.assert_allclose(ClassifierChecker.load(folder).check_now([Pair("yes no", "it")]), 1 / 3)


def test_a_network_without_segments_is_fine(tmp_path: Path) -> None:
    place = hub_folder(tmp_path, THREE, classifier(THREE, segments=False), id2label=NLI)
    (found,) = ClassifierChecker.load(place).check_now([Pair("it", "no")])
    assert found[SUPPORTS] == pytest.approx(OF_THREE)


def test_a_long_text_is_cut_at_what_the_model_reads(folder: Path) -> None:
    checker = ClassifierChecker.load(folder)
    # 64 tokens: three that frame, one of the claim, 60 of the text.
    within, beyond = checker.check_now([Pair("it", "it " * 59 + "no"), Pair("it", "it " * 60 + "no")])
    assert within[SUPPORTS] == pytest.approx(OF_THREE)
    np.testing.assert_allclose(beyond, 1 / 3)


def test_a_long_claim_leaves_two_thirds_to_the_text(folder: Path) -> None:
    (found,) = ClassifierChecker.load(folder).check_now([Pair("it " * 500, "it " * 39 + "no " + "it " * 500)])
    assert found[SUPPORTS] == pytest.approx(OF_THREE)


@pytest.mark.parametrize(
    ("config", "beside", "most"),
    [
        ({"max_position_embeddings": 512}, {}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, {}, 512),
        ({"max_position_embeddings": 512}, {"tokenizer_config.json": {"model_max_length": 10**30}}, 512),
        ({"max_position_embeddings": 8192}, {"tokenizer_config.json": {"model_max_length": 2048}}, 2048),
        ({"max_position_embeddings": 512}, {"sentence_bert_config.json": {"max_seq_length": 128}}, 128),
        ({"max_position_embeddings": None}, {}, 512),
    ],
)
def test_the_least_limit_of_its_files_is_the_models(
    tmp_path: Path, config: dict[str, Any], beside: dict[str, Any], most: int
) -> None:
    place = three(tmp_path, **config)
    for name, said in beside.items():
        (place / name).write_text(json.dumps(said))
    assert HubFolder.open(place, what="checker", option="--checker").max_tokens == most


async def test_a_pair_does_not_depend_on_the_others(folder: Path) -> None:
    checker = ClassifierChecker.load(folder)
    pairs = [Pair("it", "yes"), Pair("", ""), Pair("\ud800", "no \udfff"), Pair("it " * 90, "well " * 200)] * 3
    alone = np.concatenate([checker.check_now([pair]) for pair in pairs])
    np.testing.assert_array_equal(await checker.check(pairs), alone)


def test_no_pairs_give_nothing(folder: Path) -> None:
    assert ClassifierChecker.load(folder).check_now([]).shape == (0, 3)


def test_a_score_that_is_no_number_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="gave a score that is not a number"):
        ClassifierChecker.load(folder).check_now([Pair("it", "broken")])


# --- what it settles -----------------------------------------------------------------------------


def test_without_a_policy_it_settles_nothing(folder: Path) -> None:
    model = ClassifierChecker.load(folder).model
    assert (model.policy, model.id[:4], model.languages) == (None, "nli-", ("en",))


def fit(place: Path, **entries: Any) -> None:
    said = {"made_for": ClassifierChecker.load(place).model.sha256, "policy": POLICY} | entries
    (place / "claim_policy.json").write_text(json.dumps(said))


def test_a_policy_beside_it_says_what_it_settles(folder: Path) -> None:
    before = ClassifierChecker.load(folder).model
    fit(folder)
    after = ClassifierChecker.load(folder).model
    assert after.policy is not None
    assert (after.policy.supported, after.sha256) == (POLICY["supported"], before.sha256)
    assert after.id != before.id


def test_a_policy_of_another_network_or_of_other_labels_is_refused(folder: Path) -> None:
    fit(folder, made_for="0" * 64)
    with pytest.raises(UsageError, match="was fitted for another network"):
        ClassifierChecker.load(folder)
    (folder / "claim_policy.json").unlink()
    fit(folder)
    (folder / "assay.json").write_text('{"labels": ["entailment", "neutral", "contradiction"]}')
    with pytest.raises(UsageError, match="was fitted for another network"):
        ClassifierChecker.load(folder)


@pytest.mark.parametrize("wrong", [None, {}, POLICY | {"supported": 1.5}])
def test_a_policy_that_is_none_is_refused(folder: Path, wrong: object) -> None:
    fit(folder, policy=wrong)
    with pytest.raises(UsageError, match="contains no policy"):
        ClassifierChecker.load(folder)


# --- the folder ----------------------------------------------------------------------------------


def test_model_onnx_goes_before_other_networks(folder: Path) -> None:
    for name in ("model_qint8_avx512.onnx", "model_O1.onnx"):
        (folder / "onnx" / name).write_bytes(b"not a network")
    found = HubFolder.open(folder, what="checker", option="--checker")
    assert (found.taken, found.others) == (
        "onnx/model.onnx",
        ("onnx/model_O1.onnx", "onnx/model_qint8_avx512.onnx"),
    )
    assert ClassifierChecker.load(folder).check_now([Pair("it", "no")])[0][SUPPORTS] == pytest.approx(OF_THREE)


def test_the_only_network_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    place = hub_folder(tmp_path, THREE, classifier(THREE), at="model_quantized.onnx", id2label=NLI)
    assert HubFolder.open(place, what="checker", option="--checker").taken == "model_quantized.onnx"


def test_of_several_quantised_networks_one_must_be_named(folder: Path) -> None:
    whole = folder / "onnx" / "model.onnx"
    whole.rename(folder / "onnx" / "model_a.onnx")
    (folder / "onnx" / "model_b.onnx").write_bytes(b"not a network")
    with pytest.raises(UsageError, match=r"several networks: onnx/model_a\.onnx, onnx/model_b\.onnx") as raised:
        ClassifierChecker.load(folder)
    assert f"--checker {folder}/onnx/model_a.onnx" in raised.value.hint
    named = ClassifierChecker.load(folder / "onnx" / "model_a.onnx")
    assert named.model.id.startswith("nli-")
    assert named.check_now([Pair("it", "no")])[0][SUPPORTS] == pytest.approx(OF_THREE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("config.json", "are LABEL_0, LABEL_1"),
        ("tokenizer.json", r"has no tokenizer\.json"),
        ("onnx/model.onnx", "has no network in ONNX"),
    ],
)
def test_a_missing_file_is_told(folder: Path, name: str, said: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UsageError, match=said):
        ClassifierChecker.load(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.safetensors"])
def test_nothing_but_onnx_is_opened(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"weights")
    with pytest.raises(UsageError, match="is not a network in ONNX, and nothing else is opened"):
        ClassifierChecker.load(folder / name)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.json", "{", "is not JSON"),
        ("config.json", "[]", "is not a JSON object"),
        ("assay.json", '{"label": []}', "says 'label'; it may say labels"),
        ("assay.json", '{"labels": [1]}', "is not of text"),
        ("assay.json", '{"query_prefix": 1}', "is not of text"),
    ],
)
def test_a_damaged_file_is_named(folder: Path, name: str, content: str, said: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(UsageError, match=said):
        ClassifierChecker.load(folder)


@pytest.mark.parametrize(
    ("name", "said"), [("onnx/model.onnx", "onnxruntime can open"), ("tokenizer.json", "is not a tokenizer")]
)
def test_what_is_opened_late_is_refused_then(folder: Path, name: str, said: str) -> None:
    (folder / name).write_text("{}")
    checker = ClassifierChecker.load(folder)
    with pytest.raises(UsageError, match=said):
        checker.check_now([Pair("it", "yes")])


def test_another_network_another_hash(folder: Path, tmp_path: Path) -> None:
    before = HubFolder.open(folder, what="checker", option="--checker").sha256
    (folder / "onnx" / "model.onnx_data").write_bytes(b"weights beside")
    assert HubFolder.open(folder, what="checker", option="--checker").sha256 != before
