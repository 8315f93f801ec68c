"""doctor and models from the hub: what is told of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ...unit.models.tiny_hub import classifier, hub_folder, reranker
from .conftest import call

NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
WORDS = {"yes": (3, 0, 0), "no": (0, 0, 3)}


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    return hub_folder(tmp_path / "nli", WORDS, classifier(WORDS), id2label=NLI)


def examined(filled: Path, *arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    looked = call("doctor", "--json", "--data-dir", filled, *arguments)
    return looked.code, {each["name"]: each for each in looked.object["examined"]}


def test_doctor_says_that_a_checker_was_never_fitted(filled: Path, nli: Path):
    (nli / "onnx" / "model_qint8.onnx").write_bytes(b"another")
    code, found = examined(filled, "--checker", nli)
    assert code == 0
    assert found["role checker"]["status"] == "unknown"
    assert "onnx/model.onnx of 2 networks in the folder" in found["role checker"]["detail"]
    assert "settles nothing (docs/how-to/use-open-models.md)" in found["role checker"]["detail"]


def test_doctor_says_what_is_wrong_with_labels(filled: Path, tmp_path: Path):
    place = hub_folder(tmp_path / "two", WORDS, classifier(WORDS))
    code, found = examined(filled, "--checker", place)
    assert code != 0
    assert found["role checker"]["status"] == "failed"
    assert "LABEL_0, LABEL_1" in found["role checker"]["detail"]


def test_doctor_looks_at_the_reranker_where_one_is_set(filled: Path, tmp_path: Path, nli: Path):
    assert examined(filled)[1]["role reranker"]["status"] == "skipped"
    words = {"gold": (1,)}
    place = hub_folder(tmp_path / "marco", words, reranker(words), id2label={"0": "LABEL_0"})
    code, found = examined(filled, "--reranker", place)
    assert code == 0
    assert found["role reranker"]["detail"].startswith("marco-")
    assert found["role reranker"]["detail"].endswith("→ this process; it orders passages, no more")
    code, found = examined(filled, "--reranker", nli)
    assert code != 0
    assert "try --checker" in found["role reranker"]["detail"]
