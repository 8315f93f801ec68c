"""Uploads in a folder and in a database keep the same contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from assay.errors import DamagedStore, StoreError, StoreFull, UploadTooLarge, UsageError
from assay.ingest.walk import INCOMING, portable_source
from assay.server.postgres_uploads import PostgresUploads
from assay.server.stores import Uploads, receive_all
from assay.server.uploads import StagedFile, WaitingFile
from support.server_stores import FORMS, Form, PostgresForm, form_of

# In a database of these tests a part has 100 bytes.
LONG = bytes(range(256)) * 3


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Form]:
    with form_of(request.param, tmp_path / "data") as form:
        yield form


@pytest.fixture
def uploads(form: Form) -> Uploads:
    return form.uploads()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[PostgresForm]:
    with form_of("postgres", tmp_path / "data") as form:
        assert isinstance(form, PostgresForm)
        yield form


async def chunks_of(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def received(uploads: Uploads, name: str, *parts: bytes) -> StagedFile:
    return await uploads.receive(name, chunks_of(*parts), 10_000)


def waiting(*files: StagedFile) -> list[WaitingFile]:
    return [WaitingFile(number, file.name, file.token) for number, file in enumerate(files, 1)]


async def placed(uploads: Uploads, name: str, data: bytes, collection: str = "default") -> str:
    """Upload a file as a job takes it; the source of its document."""
    staged = await received(uploads, name, data)
    async with uploads.placed(collection, waiting(staged)) as [path]:
        assert path.read_bytes() == data
    return uploads.source(collection, name)


def held(uploads: Uploads, source: str) -> bytes | None:
    try:
        return uploads.read(source)
    except FileNotFoundError:
        return None


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 200, len(LONG)])
async def test_a_file_is_received_and_read_as_it_was_sent(uploads: Uploads, size: int) -> None:
    data = LONG[:size]
    staged = await received(uploads, "a/tea.md", *(data[at : at + 70] for at in range(0, size, 70)))
    assert (staged.name, staged.size) == ("a/tea.md", size)
    async with uploads.placed("default", waiting(staged)) as [path]:
        assert path.name == "tea.md"
        assert path.read_bytes() == data
        assert path.stat().st_mode & 0o777 == 0o600
    assert uploads.read(uploads.source("default", "a/tea.md")) == data


async def test_the_same_name_replaces_the_file_of_its_collection_only(uploads: Uploads) -> None:
    first, other = await placed(uploads, "tea.md", b"Tea."), await placed(uploads, "tea.md", b"Other.", "kitchen")
    assert await placed(uploads, "tea.md", b"More tea.") == first != other
    assert (held(uploads, first), held(uploads, other)) == (b"More tea.", b"Other.")
    assert await placed(uploads, "x/tea.md", b"Further tea.") != first


async def test_a_file_over_the_limit_is_refused_and_of_several_none_stays(form: Form, uploads: Uploads) -> None:
    with pytest.raises(UploadTooLarge, match=r"tea\.md: larger than 150 bytes"):
        await uploads.receive("x/tea.md", chunks_of(LONG[:149], b"12"), 150)
    assert form.staged() == 0
    with pytest.raises(UploadTooLarge, match="big"):
        await receive_all(uploads, [("small", chunks_of(b"1")), ("big", chunks_of(b"12345"))], 4)
    assert form.staged() == 0
    staged = await receive_all(uploads, [("a", chunks_of(b"1")), ("b", chunks_of(b"2"))], 4)
    assert [file.name for file in staged] == ["a", "b"]


async def test_an_upload_that_breaks_off_or_is_cancelled_leaves_nothing(form: Form, uploads: Uploads) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield LONG
        raise ConnectionError("the client is gone")

    with pytest.raises(ConnectionError):
        await uploads.receive("tea.md", broken(), 1000)
    assert form.staged() == 0
    reached = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield LONG
        reached.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(uploads.receive("tea.md", slow(), 1000))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert form.staged() == 0


async def test_placing_again_after_a_kill_changes_nothing(uploads: Uploads) -> None:
    staged = await received(uploads, "tea.md", b"Tea.")
    for _ in range(2):
        async with uploads.placed("default", waiting(staged)) as [path]:
            assert path.read_bytes() == b"Tea."
    with pytest.raises(StoreError):
        async with uploads.placed("default", [WaitingFile(1, "other.md", "f" * 32)]):
            raise AssertionError
    assert held(uploads, uploads.source("default", "tea.md")) == b"Tea."


async def test_a_job_has_its_files_together_or_none(form: Form, uploads: Uploads) -> None:
    jobs = form.jobs()
    files = [await received(uploads, name, LONG) for name in ("a", "b")]
    jobs.create("default", files, "key")
    again = [await received(uploads, name, LONG) for name in ("a", "b")]
    assert not jobs.create("default", again, "key").new
    for file in again:
        await uploads.discard(file.token)
    claimed = jobs.claim("owner")
    assert claimed is not None
    async with uploads.placed("default", claimed.files) as paths:
        assert [path.read_bytes() for path in paths] == [LONG, LONG]
    assert form.staged() == 0


async def test_only_abandoned_files_of_no_job_and_no_document_are_swept(form: Form, uploads: Uploads) -> None:
    assert await uploads.sweep(()) == 0
    source = await placed(uploads, "kept.md", b"Kept.")
    old, taken, fresh = [await received(uploads, name, b"x") for name in ("old", "taken", "fresh")]
    form.age(old.token)
    form.age(taken.token)
    assert await uploads.sweep({taken.token}) == 1
    assert form.staged() == 2
    for _ in range(2):
        await uploads.discard(fresh.token)
    assert form.staged() == 1
    assert held(uploads, source) == b"Kept."


async def test_files_are_removed_with_their_document_or_collection(uploads: Uploads, tmp_path: Path) -> None:
    tea, coffee = await placed(uploads, "tea.md", b"Tea."), await placed(uploads, "coffee.md", b"Coffee.")
    other = await placed(uploads, "tea.md", b"Tea.", "kitchen")
    outside = tmp_path / "notes.md"
    outside.write_text("Notes.")
    assert not await uploads.remove(str(outside))
    assert not await uploads.remove("upload:/default")
    assert uploads.read(str(outside)) == b"Notes."
    assert await uploads.remove(tea)
    assert await uploads.remove(tea)  # it is gone, which is what was asked for
    assert (held(uploads, tea), held(uploads, coffee)) == (None, b"Coffee.")
    await uploads.remove_collection("default")
    await uploads.remove_collection("default")
    assert (held(uploads, coffee), held(uploads, other)) == (None, b"Tea.")


@pytest.mark.parametrize("collection", ["", "..", "a/b", ".staging", "x" * 65, "a\n"])
async def test_a_bad_name_of_a_collection_is_refused(uploads: Uploads, collection: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a collection"):
        uploads.source(collection, "tea.md")
    with pytest.raises(UsageError, match="cannot be the name of a collection"):
        await uploads.remove_collection(collection)
    with pytest.raises(UsageError, match="cannot be the name of a collection"):
        async with uploads.placed(collection, [WaitingFile(1, "tea.md", "f" * 32)]):
            raise AssertionError


# What only a database has.


async def test_machines_name_a_document_alike_and_keep_no_copy_of_its_file(
    database: PostgresForm, tmp_path: Path
) -> None:
    here = database.uploads()
    there = PostgresUploads(database.rows, tmp_path / "elsewhere")
    staged = await received(here, "a/tea.md", LONG)
    async with there.placed("default", waiting(staged)) as [path]:
        assert path.is_relative_to(tmp_path / "elsewhere" / INCOMING)
        assert portable_source(tmp_path / "elsewhere")(path) == here.source("default", "a/tea.md")
    for folder in (database.folder, tmp_path / "elsewhere"):
        assert not [path for path in folder.rglob("*") if path.is_file()]
    assert here.read(here.source("default", "a/tea.md")) == LONG


async def test_a_tenant_cannot_reach_the_files_of_another(database: PostgresForm, tmp_path: Path) -> None:
    source = await placed(database.uploads(), "tea.md", b"Tea.")
    staged = await received(database.uploads(), "more.md", b"More.")
    other = PostgresForm(tmp_path / "other", database.address).uploads()
    assert held(other, source) is None
    await other.discard(staged.token)
    await other.remove(source)
    await other.remove_collection("default")
    with pytest.raises(StoreError, match="gone"):
        async with other.placed("default", waiting(staged)):
            raise AssertionError
    assert held(database.uploads(), source) == b"Tea."
    assert database.staged() == 1


async def test_a_file_that_is_not_whole_is_never_taken(database: PostgresForm) -> None:
    uploads = database.uploads()
    staged = await received(uploads, "tea.md", LONG)
    own = (staged.token,)
    database.rows.write(
        lambda connection: (
            connection.execute(
                "UPDATE assay.upload_parts SET bytes = '' WHERE token = %s AND part = 2", own
            ).rowcount
        )
    )
    with pytest.raises(DamagedStore, match="not what was received"):
        async with uploads.placed("default", waiting(staged)):
            raise AssertionError
    database.rows.write(
        lambda connection: (
            connection.execute("UPDATE assay.uploads SET sha256 = NULL WHERE token = %s", own).rowcount
        )
    )
    with pytest.raises(StoreError, match="gone"):
        async with uploads.placed("default", waiting(staged)):
            raise AssertionError


async def test_a_tenant_whose_uploads_wait_takes_no_more_than_its_share(
    database: PostgresForm, tmp_path: Path
) -> None:
    uploads = PostgresUploads(database.rows, tmp_path, most_waiting=len(LONG))
    staged = await received(uploads, "tea.md", LONG)
    with pytest.raises(StoreFull, match="are waiting to be added"):
        await received(uploads, "more.md", b"More.")
    async with uploads.placed("default", waiting(staged)):
        pass
    assert (await received(uploads, "more.md", b"More.")).size == 5


async def test_the_files_of_a_job_that_failed_are_swept_and_those_of_one_that_waits_are_not(
    database: PostgresForm,
) -> None:
    uploads, jobs = database.uploads(), database.jobs()
    failed, waits = await received(uploads, "a", b"a"), await received(uploads, "b", b"b")
    jobs.create("tea", [failed])
    claimed = jobs.claim("owner")
    assert claimed is not None
    assert jobs.finish(claimed, "no room left", "free some")
    jobs.create("coffee", [waits])
    for file in (failed, waits):
        database.age(file.token)
    assert await uploads.sweep(()) == 1
    await uploads.discard(waits.token)
    assert database.staged() == 1
    assert jobs.remove_collection("coffee") == (waits.token,)
    await uploads.discard(waits.token)
    assert database.staged() == 0
