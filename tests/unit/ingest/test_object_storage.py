"""Files at addresses: fsspec's storage in memory stands in for a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from assay.errors import EgressRefused, MissingExtra, UsageError
from assay.ingest.detect import AnyLoader
from assay.ingest.files import FileReader, StoredDocuments
from assay.ingest.loaders import LOADERS
from assay.ingest.pipeline import Ingestion
from assay.ingest.split import PassageSplitter
from assay.ingest.walk import walk
from assay.retrieval.index.memory import MemoryIndex
from assay.testing.fakes import WordEmbedder
from assay.types import FileReport


@pytest.fixture
def bucket() -> Iterator[fsspec.AbstractFileSystem]:
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    storage.pipe(
        {
            "/bucket/docs/tea.md": b"# Tea\n\nWater boils at 100 degrees.\n",
            "/bucket/docs/lines.jsonl": b'{"id": "a", "text": "Rain."}\n{"id": "b", "text": "Snow."}\n',
            "/bucket/docs/.hidden.md": b"# Hidden\n",
            "/bucket/docs/CVS/Root.md": b"# Of version control\n",
            "/bucket/other.md": b"# Other\n\nElsewhere.\n",
        }
    )
    yield storage
    storage.store.clear()


def ingestion(*, offline: bool = False) -> tuple[Ingestion, MemoryIndex]:
    index = MemoryIndex(WordEmbedder().model)
    splitter = PassageSplitter(lambda text: len(text.split()))
    return Ingestion(index, WordEmbedder(), splitter, AnyLoader(LOADERS), offline=offline), index


async def added(own: Ingestion, *paths: Path | str) -> list[FileReport]:
    return [report async for report in own.add(paths)]


def test_a_folder_is_what_is_below_it_and_an_object_is_itself(bucket: fsspec.AbstractFileSystem) -> None:
    below = [seen.source for seen in walk(["memory://bucket/docs", "memory://bucket/docs/tea.md"])]
    assert below == ["memory://bucket/docs/lines.jsonl", "memory://bucket/docs/tea.md"]
    assert [seen.source for seen in walk(["memory://bucket/docs/.hidden.md"])] == [
        "memory://bucket/docs/.hidden.md"
    ]


def test_an_address_where_nothing_is(bucket: fsspec.AbstractFileSystem) -> None:
    assert [(seen.path, seen.problem) for seen in walk(["memory://bucket/nothing"])] == [
        ("memory://bucket/nothing", "no such file or folder")
    ]


async def test_objects_are_added_once_and_changes_replace_them(bucket: fsspec.AbstractFileSystem) -> None:
    own, index = ingestion()
    first = await added(own, "memory://bucket/docs")
    assert [(report.path, report.status) for report in first] == [
        ("memory://bucket/docs/lines.jsonl", "added"),
        ("memory://bucket/docs/tea.md", "added"),
    ]
    assert {record.document_id for record in await index.documents()} >= {"a", "b"}
    bucket.pipe("/bucket/docs/tea.md", b"# Tea\n\nWater boils at 90 degrees up here.\n")
    assert [report.status for report in await added(own, "memory://bucket/docs")] == ["unchanged", "added"]
    assert len(await index.documents()) == 3


async def test_what_is_gone_from_the_storage_is_pruned(bucket: fsspec.AbstractFileSystem) -> None:
    own, index = ingestion()
    await added(own, "memory://bucket/docs", "memory://bucket/other.md")
    bucket.rm("/bucket/docs/tea.md")
    reports = [report async for report in own.mirror(["memory://bucket/docs"])]
    assert [(report.path, report.status) for report in reports] == [
        ("memory://bucket/docs/lines.jsonl", "unchanged"),
        ("memory://bucket/docs/tea.md", "pruned"),
    ]
    assert "memory://bucket/other.md" in {record.source for record in await index.documents()}


def test_an_object_that_vanished_is_reported(bucket: fsspec.AbstractFileSystem) -> None:
    (found,) = walk(["memory://bucket/docs/tea.md"])
    bucket.rm("/bucket/docs/tea.md")
    splitter = PassageSplitter(lambda text: len(text.split()))
    reader = FileReader(AnyLoader(LOADERS), splitter, WordEmbedder().model, StoredDocuments(()), dry_run=False)
    (((report,),)) = list(reader.items(found))
    assert isinstance(report, FileReport)
    assert report.status == "failed"


@pytest.mark.parametrize(
    "address", ["http://example.org/a.md", "file:///etc/passwd", "zip://a.md::s3://b/c.zip", "s3://b::memory://x"]
)
def test_other_kinds_stay_closed(address: str) -> None:
    with pytest.raises(UsageError, match="no storage that is read"):
        list(walk([address]))


def test_storage_whose_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(protocol: str) -> None:
        raise ImportError(f"install a package to access {protocol}")

    monkeypatch.setattr(fsspec, "filesystem", missing)
    with pytest.raises(MissingExtra, match="s3:// needs the package s3fs") as refused:
        list(walk(["s3://bucket/docs"]))
    assert refused.value.hint == "pip install fsspec s3fs"


async def test_offline_asks_no_storage() -> None:
    own, _index = ingestion(offline=True)
    with pytest.raises(EgressRefused, match="s3://bucket"):
        await added(own, "s3://bucket/docs")
