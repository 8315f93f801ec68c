"""The pipeline over real files, a real index in memory and a plain reader."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assay.ingest.detect import AnyLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.pipeline import Ingestion, Progress
from assay.ingest.split import PassageSplitter
from assay.retrieval.index.memory import MemoryIndex
from assay.testing.fakes import WordEmbedder
from assay.types import FileReport


class Bench:
    """An ingestion with the index it fills."""

    def __init__(self) -> None:
        embedder = WordEmbedder()
        self.index = MemoryIndex(embedder.model)
        self.progress: list[Progress] = []
        splitter = PassageSplitter(lambda text: len(text.split()))
        self.ingestion = Ingestion(self.index, embedder, splitter, AnyLoader(LOADERS), self.progress.append)

    async def add(self, *paths: Path) -> list[FileReport]:
        return await collected(self.ingestion.add(paths))

    async def sync(self, *paths: Path, dry_run: bool = False) -> list[FileReport]:
        return await collected(self.ingestion.mirror(paths, dry_run=dry_run))

    async def titles(self) -> list[str]:
        return [record.title for record in await self.index.documents()]


async def collected(reports: AsyncIterator[FileReport]) -> list[FileReport]:
    return [report async for report in reports]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def test_a_folder_is_taken_in_and_its_text_can_be_found(bench: Bench, folder: Path) -> None:
    write(folder, tea__md="# Tea\n\nBoil the water.", coffee__txt="Grind the beans.")
    reports = await bench.add(folder)
    assert [(Path(report.path).name, report.status, report.passages) for report in reports] == [
        ("coffee.txt", "added", 1),
        ("tea.md", "added", 1),
    ]
    found = await bench.index.sparse("beans", 3, {})
    assert [passage.text for passage in await bench.index.passages([hit.passage_id for hit in found])] == [
        "Grind the beans."
    ]
    assert bench.progress[-1] == Progress(2, 2, 2)


async def test_the_same_bytes_again_are_unchanged_and_not_stored_again(bench: Bench, folder: Path) -> None:
    write(folder, a__txt="One.")
    await bench.add(folder)
    version = await bench.index.version()
    assert [report.status for report in await bench.add(folder)] == ["unchanged"]
    assert await bench.index.version() == version


async def test_changed_bytes_replace_the_document(bench: Bench, folder: Path) -> None:
    write(folder, a__txt="Old words.")
    await bench.add(folder)
    write(folder, a__txt="New words.")
    assert [report.status for report in await bench.add(folder)] == ["added"]
    assert await bench.index.size() == 1
    assert await bench.index.sparse("old", 3, {}) == ()


async def test_lines_are_documents_with_their_ids_and_metadata(bench: Bench, folder: Path) -> None:
    rows = [{"id": f"d{n}", "title": f"T{n}", "text": f"Text number {n}.", "year": 2000 + n} for n in range(700)]
    write(folder, many__jsonl="\n".join(map(json.dumps, rows)))
    (report,) = await bench.add(folder)
    assert (report.status, report.passages, report.document_id) == ("added", 700, None)
    document = await bench.index.document("d7")
    assert document is not None
    assert (document.title, document.text, document.metadata) == ("T7", "Text number 7.", {"year": 2007})


async def test_a_bad_line_is_counted_and_the_others_are_taken(bench: Bench, folder: Path) -> None:
    write(folder, many__jsonl='{"id": "a", "text": "One."}\nnot json\n{"id": "b"}\n{"id": "c", "text": "Two."}\n')
    (report,) = await bench.add(folder)
    assert report.status == "added"
    assert report.reason == '2 lines left out: line 2: not JSON (JSONDecodeError); line 3: no "text"'
    assert [record.document_id for record in await bench.index.documents()] == ["a", "c"]


async def test_one_bad_line_is_one_line(bench: Bench, folder: Path) -> None:
    write(folder, many__jsonl='{"id": "a", "text": "One."}\nnot json\n')
    (report,) = await bench.add(folder)
    assert report.reason == "1 line left out: line 2: not JSON (JSONDecodeError)"


async def test_of_lines_with_one_id_the_first_is_taken_however_often_one_adds(bench: Bench, folder: Path) -> None:
    write(folder, two__jsonl='oops\n{"id": "a", "text": "First."}\n{"id": "a", "text": "Second."}\n')
    for status in ("added", "unchanged", "unchanged"):
        (report,) = await bench.add(folder)
        assert report.status == status
        assert report.reason is not None
        assert report.reason.endswith("line 3: the id 'a' again")
    document = await bench.index.document("a")
    assert document is not None
    assert document.text == "First."


async def test_lines_that_changed_are_replaced_and_lines_that_vanished_are_pruned(
    bench: Bench, folder: Path
) -> None:
    write(folder, many__jsonl='{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n')
    await bench.add(folder)
    write(folder, many__jsonl='{"id": "a", "text": "One, changed."}\n')
    reports = await bench.sync(folder)
    assert [(report.status, report.document_id) for report in reports] == [("added", None), ("pruned", "b")]
    assert [record.document_id for record in await bench.index.documents()] == ["a"]


async def test_sync_prunes_what_vanished_and_a_dry_run_only_says_so(bench: Bench, folder: Path) -> None:
    write(folder, a__txt="One.", b__txt="Two.")
    await bench.add(folder)
    (folder / "a.txt").unlink()
    write(folder, c__txt="Three.")
    dry = await bench.sync(folder, dry_run=True)
    assert [report.status for report in dry] == ["unchanged", "added", "pruned"]
    assert await bench.titles() == ["a", "b"]
    real = await bench.sync(folder)
    assert [report.status for report in real] == ["unchanged", "added", "pruned"]
    assert await bench.titles() == ["b", "c"]


async def test_sync_keeps_what_lies_under_a_folder_that_is_gone(bench: Bench, folder: Path) -> None:
    write(folder / "disk", a__txt="One.")
    await bench.add(folder / "disk")
    (folder / "disk").rename(folder / "unmounted")
    (report,) = await bench.sync(folder / "disk")
    assert (report.status, report.reason) == ("failed", "no such file or folder")
    assert await bench.titles() == ["a"]


async def test_sync_prunes_a_file_that_was_named_and_is_gone(bench: Bench, folder: Path) -> None:
    write(folder, a__txt="One.", b__txt="Two.")
    await bench.add(folder)
    (folder / "a.txt").unlink()
    reports = await bench.sync(folder / "a.txt")
    assert [report.status for report in reports] == ["failed", "pruned"]
    assert await bench.titles() == ["b"]


async def test_an_emptied_file_is_skipped_by_add_and_pruned_by_sync(bench: Bench, folder: Path) -> None:
    write(folder, a__txt="One.")
    await bench.add(folder)
    write(folder, a__txt="")
    assert [report.status for report in await bench.add(folder)] == ["skipped"]
    assert await bench.titles() == ["a"]
    assert [report.status for report in await bench.sync(folder)] == ["skipped", "pruned"]
    assert await bench.titles() == []


async def test_odd_names_links_and_pipes(bench: Bench, folder: Path) -> None:
    for name in ("-rf.txt", "name with  spaces é中.txt", ".hidden.txt", os.fsdecode(b"bad\xff.txt")):
        (folder / name).write_text(f"Text of {name!r}.", encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "sub" / "again.txt").symlink_to(folder / "-rf.txt")
    os.mkfifo(folder / "pipe")
    (folder / "dangling").symlink_to(folder / "nowhere")
    reports = {Path(report.path).name: report for report in await bench.add(folder)}
    assert {name: report.status for name, report in reports.items()} == {
        "-rf.txt": "added",
        "name with  spaces é中.txt": "added",
        "bad\\xff.txt": "added",
        "pipe": "failed",
        "dangling": "failed",
    }
    assert reports["pipe"].reason == "not a regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_folder_without_permission_is_reported(bench: Bench, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0)
    (report,) = await bench.add(folder / "closed")
    assert (report.status, report.reason) == ("failed", "Permission denied")


async def test_a_script_that_the_model_does_not_read_is_marked(bench: Bench, folder: Path) -> None:
    write(folder, tokyo__txt="東京の人口は約1400万人です。")
    (report,) = await bench.add(folder)
    assert report.reason is not None
    assert report.reason.startswith("searched by words only")


async def test_closing_early_keeps_what_was_reported(bench: Bench, folder: Path) -> None:
    for number in range(600):
        (folder / f"{number:03}.txt").write_text(f"Text {number}.")
    reports = bench.ingestion.add([folder])
    seen = [await anext(reports) for _ in range(3)]
    await reports.aclose()  # type: ignore[attr-defined]
    stored = {record.document_id for record in await bench.index.documents()}
    assert {report.document_id for report in seen} <= stored
    assert len(stored) < 600
    again = await bench.add(folder)
    assert len(again) == 600
    assert await bench.index.size() == 600
