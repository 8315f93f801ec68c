"""The committed weights are the ones their manifest describes."""

import hashlib
import json
from pathlib import Path

import assay_models
import pytest


@pytest.fixture(params=["minilm-l6-v2-int8", "minilm-l6-checker-int8"])
def folder(request: pytest.FixtureRequest) -> Path:
    return assay_models.folder(request.param)


def test_every_file_has_the_hash_of_the_manifest(folder: Path) -> None:
    promised = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in promised}
    assert set(promised) == {"model.onnx", "tokenizer.json"}
    assert found == promised


def test_the_weights_stay_small(folder: Path) -> None:
    assert (folder / "model.onnx").stat().st_size < 30_000_000


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"'bert'.*minilm-l6-v2-int8"):
        assay_models.folder("bert")
