"""Which files an upload sends, under which names, and how they are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.client.calls import LocalFile
from assay.client.uploads import OpenFile, files_at
from assay.errors import UnreadableDocument, UsageError


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")


def test_files_have_their_names_and_those_of_a_folder_their_paths(tmp_path: Path):
    write(tmp_path, "tea.md", "notes/b.md", "notes/a/c.md", "notes/.hidden", "notes/.git/config")
    found = files_at([tmp_path / "tea.md", tmp_path / "notes"])
    assert [file.name for file in found] == ["tea.md", "notes/b.md", "notes/a/c.md"]
    assert found[2].path.read_text(encoding="utf-8") == "notes/a/c.md"


def test_the_folder_one_is_in_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, "notes/a.md")
    monkeypatch.chdir(tmp_path / "notes")
    assert [file.name for file in files_at(["."])] == ["notes/a.md"]


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path):
    write(tmp_path, "notes/a.md", "secret/b.md")
    (tmp_path / "notes" / "more").symlink_to(tmp_path / "secret")
    assert [file.name for file in files_at([tmp_path / "notes"])] == ["notes/a.md"]


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["nothing.md"], "there is no file or folder"),
        (["empty"], "no file to upload"),
        ([], "no file to upload"),
        (["a/tea.md", "b/tea.md"], "two files have the name 'tea.md'"),
    ],
)
def test_what_cannot_be_uploaded_is_said(
    paths: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path, "a/tea.md", "b/tea.md")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=words):
        files_at(paths)


def test_a_single_path_is_not_a_list():
    with pytest.raises(UsageError, match="paths are a list"):
        files_at("tea.md")


def test_a_file_is_read_in_pieces_from_where_it_was_left(tmp_path: Path):
    write(tmp_path, "tea.md")
    file = OpenFile(LocalFile("tea.md", tmp_path / "tea.md"))
    assert (file.read(4), file.tell(), file.read(4), file.read(4)) == (b"tea.", 4, b"md", b"")
    assert file.seek(0, os.SEEK_END) == 6
    assert (file.seek(3), file.read(9)) == (3, b".md")


def test_a_file_that_vanished_is_said(tmp_path: Path):
    file = OpenFile(LocalFile("tea.md", tmp_path / "tea.md"))
    for call in (lambda: file.read(1), lambda: file.seek(0, os.SEEK_END)):
        with pytest.raises(UnreadableDocument, match=r"tea\.md cannot be read: No such file"):
            call()
