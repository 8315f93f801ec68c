"""The local embedder, on the real weights."""

import json
import shutil
from pathlib import Path

import assay_models
import numpy as np
import pytest

from assay.errors import UsageError
from assay.models.embed_local import LocalEmbedder

TEXTS = ["The cat sat on the mat.", "", "a", "Paris is the capital of France. " * 20, "42!", "Yes."] * 30


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder.load(assay_models.folder())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of one's own with the weights, free to be damaged."""
    return Path(shutil.copytree(assay_models.folder(), tmp_path / "encoder"))


def test_it_says_which_model_it_is(embedder: LocalEmbedder) -> None:
    assert (embedder.model.id, embedder.model.dimension) == ("minilm-l6-v2-int8", 384)
    assert embedder.model.languages == ("en",)
    assert len(embedder.model.sha256) == 64
    assert (embedder.max_tokens, embedder.capacity) == (256, 254)


def test_every_row_has_length_one(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed_now(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_gives_no_rows(embedder: LocalEmbedder) -> None:
    assert embedder.embed_now([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    together = embedder.embed_now(TEXTS)
    alone = np.concatenate([embedder.embed_now([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_like_is_nearer_than_unlike(embedder: LocalEmbedder) -> None:
    question, answer, other = embedder.embed_now(
        ["What is the capital of France?", "Paris is the capital of France.", "Photosynthesis needs light."]
    )
    assert question @ answer > 0.7 > 0.2 > question @ other


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", " \n\t", "猫", "👩‍👩‍👧", "e\u0301" * 500])
def test_any_text_has_a_vector(embedder: LocalEmbedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed_now([text])[0]) == pytest.approx(1, abs=1e-5)
    assert embedder.count_tokens(text) >= 0


def test_what_is_beyond_the_limit_is_cut(embedder: LocalEmbedder) -> None:
    full = "word " * embedder.capacity
    np.testing.assert_allclose(embedder.embed_now([full]), embedder.embed_now([full + "zebra " * 50]), atol=1e-6)


def test_tokens_are_counted_beyond_the_limit(embedder: LocalEmbedder) -> None:
    assert [embedder.count_tokens("word " * count) for count in (0, 1, 254, 3000)] == [0, 1, 254, 3000]


async def test_the_waiting_way_gives_the_same(embedder: LocalEmbedder) -> None:
    np.testing.assert_array_equal(await embedder.embed(TEXTS[:6]), embedder.embed_now(TEXTS[:6]))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere"):
        LocalEmbedder.load(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(UsageError, match=f"has no {name}"):
        LocalEmbedder.load(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    with (copy / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(UsageError, match=f"{name} is not the file its manifest describes") as caught:
        LocalEmbedder.load(copy)
    assert "pip install --force-reinstall ./models" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.onnx", "not a model", "onnxruntime can open"),
        ("tokenizer.json", "{}", "is not a tokenizer"),
        ("manifest.json", "{", "is not JSON"),
        ("config.json", "[]", "is not a JSON object"),
    ],
)
def test_a_damaged_file_is_named(copy: Path, name: str, content: str, said: str) -> None:
    (copy / "manifest.json").unlink()
    (copy / name).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        LocalEmbedder.load(copy)


@pytest.mark.parametrize(
    ("change", "said"), [({"dimension": 768}, "its manifest says 768"), ({"max_tokens": None}, "lacks")]
)
def test_a_wrong_manifest_is_refused(copy: Path, change: dict[str, object], said: str) -> None:
    manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
    (copy / "manifest.json").write_text(json.dumps(manifest | change), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        LocalEmbedder.load(copy)


def test_a_folder_without_a_manifest_is_read_as_sentence_transformers_writes_it(
    copy: Path, embedder: LocalEmbedder
) -> None:
    (copy / "manifest.json").unlink()
    (copy / "onnx").mkdir()
    (copy / "model.onnx").rename(copy / "onnx" / "model.onnx")
    (copy / "sentence_bert_config.json").write_text('{"max_seq_length": 128}', encoding="utf-8")
    found = LocalEmbedder.load(copy)
    assert (found.model.id, found.model.dimension, found.max_tokens) == ("encoder", 384, 128)
    assert found.model.sha256 == embedder.model.sha256
    np.testing.assert_array_equal(found.embed_now(["a cat"]), embedder.embed_now(["a cat"]))
