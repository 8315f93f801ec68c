"""A folder with a network of our own is opened whole and unchanged, or refused with what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.onnx import OnnxFolder, batches

TINY = Path(__file__).parent / "tiny_reader"
INPUTS = frozenset({"input_ids", "segments"})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of one's own, free to be damaged."""
    return Path(shutil.copytree(TINY, tmp_path / "reader"))


def opened(path: Path) -> OnnxFolder:
    says = {"id": lambda value: isinstance(value, str)}
    return OnnxFolder.open(path, what="reader", schema="assay-reader/1", says=says, hint="reinstall it")


def test_its_hash_is_of_all_files(copy: Path) -> None:
    before = opened(copy)
    assert (before.manifest["id"], len(before.sha256)) == ("tiny-reader", 64)
    assert opened(TINY).sha256 == before.sha256
    assert before.session(INPUTS).get_inputs()
    assert before.tokenizer().token_to_id("[CLS]") == 1


def test_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder") as raised:
        opened(tmp_path / "nowhere")
    assert raised.value.hint == "reinstall it"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "manifest.json"])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(UsageError, match=name):
        opened(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    with (copy / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(UsageError, match=f"{name} is not the file its manifest describes"):
        opened(copy)


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", "{", '{"schema": "assay-checker/1"}', '{"schema": "assay-reader/1"}']
)
def test_what_is_no_manifest_of_a_reader_is_refused(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match=r"manifest of a reader|lacks a valid id"):
        opened(copy)


def test_a_manifest_without_its_files_is_refused(copy: Path) -> None:
    path = copy / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "files": None}))
    with pytest.raises(UsageError, match="lacks a valid files"):
        opened(copy)


def test_a_network_with_other_inputs_is_refused() -> None:
    with pytest.raises(UsageError, match="does not take input_ids and marks; a reader does"):
        opened(TINY).session(frozenset({"input_ids", "marks"}))


@given(st.lists(st.integers(1, 600), max_size=40), st.integers(1, 1200))
def test_each_text_is_in_one_batch_and_none_is_too_big(lengths: list[int], room: int) -> None:
    found = batches(lengths, room)
    assert sorted(at for group in found for at in group) == list(range(len(lengths)))
    assert all(len(group) == 1 or len(group) * max(lengths[at] for at in group) <= room for group in found)
