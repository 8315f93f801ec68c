"""An embedder from the hub: what its files say of pooling, prefixes and length is what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import UsageError
from assay.models.embed_local import LocalEmbedder

from .tiny_hub import encoder, hub_folder

WORDS = {"tea": (0, 0, 2), "rain": (0, 4, 0), "query:": (8, 0, 0), "passage:": (0, 8, 0)}


def embedder(place: Path, output: str = "last_hidden_state", **files: Any) -> LocalEmbedder:
    """The model with these files beside it; in their names `__` is a slash and `_json` the ending."""
    hub_folder(place, WORDS, encoder(WORDS, output))
    for name, said in files.items():
        path = place / f"{name.replace('__', '/').removesuffix('_json')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(said), encoding="utf-8")
    return LocalEmbedder.load(place)


def unit(*numbers: float) -> list[float]:
    return (np.array(numbers) / np.linalg.norm(numbers)).tolist()


@pytest.mark.parametrize(
    "pooling", [{"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, {"pooling_mode": "mean"}, {}]
)
def test_mean_pooling_is_the_mean_of_all_tokens(tmp_path: Path, pooling: dict[str, Any]) -> None:
    found = embedder(tmp_path, **{"1_Pooling__config_json": pooling})
    assert found.embed_now(["tea rain"])[0].tolist() == pytest.approx(unit(0, 4, 2))
    assert (found.model.id, found.model.dimension, found.max_tokens) == (tmp_path.name, 3, 64)


@pytest.mark.parametrize("pooling", [{"pooling_mode_cls_token": True}, {"pooling_mode": "cls"}])
def test_cls_pooling_is_the_first_token(tmp_path: Path, pooling: dict[str, Any]) -> None:
    plain = embedder(tmp_path / "plain")
    found = embedder(tmp_path / "plain", **{"1_Pooling__config_json": pooling})
    # The first token says nothing of the text here, so that all vectors are one.
    assert found.embed_now(["tea", "rain"]).tolist() == [[0, 0, 0]] * 2
    assert plain.embed_now(["tea"])[0].tolist() == pytest.approx(unit(0, 0, 2))
    assert found.model.sha256 != plain.model.sha256


@pytest.mark.parametrize(
    ("pooling", "said"),
    [
        ({"pooling_mode_max_tokens": True}, "pools by pooling_mode_max_tokens"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, "pooling_mode_mean_tokens; only mean"),
        ({"pooling_mode": "lasttoken"}, "pools by lasttoken; only mean and cls are known"),
    ],
)
def test_other_pooling_is_refused(tmp_path: Path, pooling: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        embedder(tmp_path, **{"1_Pooling__config_json": pooling})


MODULES = [{"type": f"sentence_transformers.models.{name}"} for name in ("Transformer", "Pooling", "Normalize")]


def test_a_module_that_the_network_lacks_is_refused(tmp_path: Path) -> None:
    embedder(tmp_path, modules_json=MODULES)
    dense = [*MODULES, {"type": "sentence_transformers.models.Dense"}]
    with pytest.raises(UsageError, match="also pass Dense, which its network does not hold"):
        embedder(tmp_path, modules_json=dense)
    with pytest.raises(UsageError, match="is not a list of modules"):
        embedder(tmp_path, modules_json={})


E5 = {"prompts": {"query": "query: ", "passage": "passage: "}}


def test_prefixes_are_put_before_questions_and_passages(tmp_path: Path) -> None:
    found = embedder(tmp_path, config_sentence_transformers_json=E5)
    assert found.model.as_question("tea") == "query: tea"
    asked, read = found.embed_now([found.model.as_question("tea"), "tea"])
    assert asked.tolist() == pytest.approx(unit(8, 0, 2))
    assert read.tolist() == pytest.approx(unit(0, 8, 2))
    assert found.capacity == 64 - 2 - 1


@pytest.mark.parametrize("name", ["document", "retrieval.passage"])
def test_a_prompt_of_passages_has_several_names(tmp_path: Path, name: str) -> None:
    found = embedder(tmp_path, config_sentence_transformers_json={"prompts": {name: "passage: "}})
    assert (found.model.query_prefix, found.passage_prefix) == ("", "passage: ")


def test_what_its_user_says_of_prefixes_goes_first(tmp_path: Path) -> None:
    said = {"query_prefix": "ask: ", "passage_prefix": "", "languages": ["de"]}
    found = embedder(tmp_path, config_sentence_transformers_json=E5, assay_json=said)
    assert (found.model.query_prefix, found.passage_prefix, found.model.languages) == ("ask: ", "", ("de",))


def test_another_prefix_is_another_model(tmp_path: Path) -> None:
    plain = embedder(tmp_path).model
    assert embedder(tmp_path, config_sentence_transformers_json=E5).model.sha256 != plain.sha256


def test_a_prompt_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a prompt in .*config_sentence_transformers\.json is not of text"):
        embedder(tmp_path, config_sentence_transformers_json={"prompts": {"query": 1}})


def test_a_network_may_be_named_by_its_file(tmp_path: Path) -> None:
    hub_folder(tmp_path, WORDS, encoder(WORDS), at="onnx/model_a.onnx")
    hub_folder(tmp_path, WORDS, encoder(WORDS), at="onnx/model_b.onnx")
    with pytest.raises(UsageError, match="several networks") as raised:
        LocalEmbedder.load(tmp_path)
    assert f"--embedder {tmp_path}/onnx/model_a.onnx" in raised.value.hint
    assert LocalEmbedder.load(tmp_path / "onnx" / "model_b.onnx").model.dimension == 3


def test_what_is_beyond_the_models_length_is_cut(tmp_path: Path) -> None:
    found = embedder(tmp_path)
    full = "rain " * 62
    np.testing.assert_array_equal(found.embed_now([full]), found.embed_now([full + "tea " * 9]))
