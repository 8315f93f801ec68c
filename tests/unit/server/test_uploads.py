"""Uploaded files in a folder: any name is only a label, a file is whole or not there, and tenants do not meet."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import StoreError, UploadTooLarge, UsageError
from assay.ingest.files import id_of
from assay.ingest.walk import source_of
from assay.server.stores import receive_all
from assay.server.uploads import FolderUploads, label_of


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


HOSTILE_NAMES = [
    "../../etc/passwd",
    "..",
    ".",
    "",
    "/etc/passwd",
    "C:\\Windows\\win.ini",
    "C:secret.txt",
    "\\\\?\\C:\\x.txt",
    "\\\\server\\share\\x.txt",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "a\0b.txt",
    "x" * 300 + ".pdf",
    "中" * 300 + ".pdf",
    "x." + "y" * 300,
    "CON",
    "nul.txt",
    "com1.tar.gz",
    "re\u202efdp.exe",
    "\u200b\u2066.txt",
    "line\nbreak\r.txt",
    "\x1b[31mred\x1b[0m.txt",
    "lone \ud800 surrogate.md",
    ".bashrc",
    "trailing. . ",
    "<script>alert(1)</script>.html",
    "-rf",
]


async def chunks_of(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def stored(uploads: FolderUploads, name: str, data: bytes, collection: str = "default") -> Path:
    staged = await uploads.receive(name, chunks_of(data), 1000)
    return await uploads.place(collection, staged.name, staged.token)


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
async def test_a_hostile_name_is_only_a_label(data_dir: Path, name: str) -> None:
    uploads = FolderUploads(data_dir / "tenant")
    path = await stored(uploads, name, b"words")
    assert files_under(data_dir) == [path]
    assert path.parent.parent == data_dir / "tenant" / "uploads" / "default"
    assert path.read_bytes() == b"words"
    assert uploads.label(source_of(path)) == label_of(name)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=400))
def test_a_label_is_one_plain_component_and_labelling_it_again_changes_nothing(name: str) -> None:
    label = label_of(name)
    assert label
    assert label.isprintable()
    assert not set(label) & set('/\\<>:"|?*')
    assert label not in (".", "..")
    assert not label.startswith(".")
    assert len(label) <= 121
    assert len(label.encode()) <= 201
    assert label_of(label) == label


async def test_files_and_folders_are_readable_by_this_user_only(data_dir: Path) -> None:
    path = await stored(FolderUploads(data_dir), "tea.md", b"Tea.")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for folder in (path.parent, path.parent.parent, data_dir / "uploads", data_dir / "uploads" / ".staging"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_the_same_name_replaces_the_document_of_its_collection_only(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    first = await stored(uploads, "tea.md", b"Tea.")
    second = await stored(uploads, "tea.md", b"More tea.")
    other = await stored(uploads, "tea.md", b"Other tea.", "kitchen")
    assert id_of(source_of(first)) == id_of(source_of(second)) != id_of(source_of(other))
    assert (first.read_bytes(), other.read_bytes()) == (b"More tea.", b"Other tea.")


async def test_names_with_the_same_label_are_different_documents(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    first, second = await stored(uploads, "a/tea.md", b"1"), await stored(uploads, "b/tea.md", b"2")
    assert first != second
    assert first.name == second.name == "tea.md"


async def test_a_file_over_the_limit_is_refused_and_leaves_nothing(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    with pytest.raises(UploadTooLarge, match=r"tea\.md: larger than 10 bytes"):
        await uploads.receive("x/tea.md", chunks_of(b"12345678", b"123"), 10)
    assert files_under(data_dir) == []
    assert (await uploads.receive("tea.md", chunks_of(b"12345678", b"12"), 10)).size == 10


async def test_of_several_files_none_stays_if_one_is_too_large(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    with pytest.raises(UploadTooLarge, match="big"):
        await receive_all(uploads, [("small", chunks_of(b"1")), ("big", chunks_of(b"12345"))], 4)
    assert files_under(data_dir) == []
    staged = await receive_all(uploads, [("a", chunks_of(b"1")), ("b", chunks_of(b"2"))], 4)
    assert [file.name for file in staged] == ["a", "b"]


async def test_an_upload_that_breaks_off_leaves_nothing(data_dir: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"half of"
        raise ConnectionError("the client is gone")

    with pytest.raises(ConnectionError):
        await FolderUploads(data_dir).receive("tea.md", broken(), 1000)
    assert files_under(data_dir) == []


async def test_a_cancelled_upload_leaves_neither_file_nor_descriptor(data_dir: Path) -> None:
    waiting = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"half of"
        waiting.set()
        await asyncio.Event().wait()

    before = len(os.listdir("/proc/self/fd"))
    task = asyncio.create_task(FolderUploads(data_dir).receive("tea.md", slow(), 1000))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert files_under(data_dir) == []
    assert len(os.listdir("/proc/self/fd")) == before


async def test_an_empty_upload_is_a_file_of_no_bytes(data_dir: Path) -> None:
    staged = await FolderUploads(data_dir).receive("empty.md", chunks_of(), 10)
    assert staged.size == 0
    assert (await FolderUploads(data_dir).place("default", staged.name, staged.token)).read_bytes() == b""


async def test_placing_again_after_a_kill_changes_nothing(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    staged = await uploads.receive("tea.md", chunks_of(b"Tea."), 1000)
    path = await uploads.place("default", staged.name, staged.token)
    assert await uploads.place("default", staged.name, staged.token) == path
    with pytest.raises(StoreError, match="cannot be used"):
        await uploads.place("default", "other.md", staged.token)


async def test_only_abandoned_files_of_no_job_are_swept(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    assert await uploads.sweep(()) == 0
    old, taken, fresh = [await uploads.receive(name, chunks_of(b"x"), 9) for name in ("old", "taken", "fresh")]
    for staged in (old, taken):
        os.utime(data_dir / "uploads" / ".staging" / staged.token, (0, 0))
    assert await uploads.sweep({taken.token}) == 1
    assert {path.name for path in files_under(data_dir)} == {taken.token, fresh.token}
    await uploads.discard(fresh.token)
    await uploads.discard(fresh.token)
    assert {path.name for path in files_under(data_dir)} == {taken.token}


async def test_only_uploads_of_this_tenant_are_removed(data_dir: Path) -> None:
    mine, theirs = FolderUploads(data_dir / "tenants" / "a"), FolderUploads(data_dir / "tenants" / "b")
    path = await stored(theirs, "tea.md", b"Tea.")
    outside = data_dir / "notes.md"
    outside.write_text("Notes.")
    for source in (source_of(path), str(outside), "/etc/passwd", f"{path.parents[3]}/../../b/uploads/x/y/z"):
        assert mine.label(source) is None
        assert not await mine.remove(source)
    assert path.exists()
    assert await theirs.remove(source_of(path))
    assert not path.parent.exists()
    assert await theirs.remove(source_of(path))  # it is gone, which is what was asked for


async def test_a_collection_is_removed_with_all_its_files(data_dir: Path) -> None:
    uploads = FolderUploads(data_dir)
    await stored(uploads, "tea.md", b"Tea.", "kitchen")
    await stored(uploads, "tea.md", b"Tea.", "office")
    await uploads.remove_collection("kitchen")
    await uploads.remove_collection("kitchen")
    assert [path.parent.parent.name for path in files_under(data_dir)] == ["office"]


@pytest.mark.parametrize("collection", ["", "..", "a/b", ".staging", "x" * 65, "a\n"])
async def test_a_bad_name_of_a_collection_is_refused(data_dir: Path, collection: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a collection"):
        FolderUploads(data_dir).path_of(collection, "tea.md")
