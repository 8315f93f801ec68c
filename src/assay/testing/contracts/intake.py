"""Suites of taking documents in: loader, splitter and ingester."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.stages import Index, Ingester, Loader, Splitter
from assay.errors import EmptyDocument, UnreadableDocument
from assay.testing.contracts.given import HOSTILE, TEXTS, Contract, hostile, may_refuse, required
from assay.types import Document, Passage


class LoaderContract(Contract):
    """A loader gives the text of a file's bytes with its places, or says that there is none to be had.

    Two fixtures: `loader`, and `data`, the bytes of a whole file of its format.
    """

    loader = required("loader")

    data = required("data")

    def test_the_text_has_its_places_in_order(self, loader: Loader, data: bytes) -> None:
        loaded = loader.load(data, "file")
        assert loaded.text.strip()
        assert loaded.format
        ends = [0, *(end for region in loaded.regions for end in (region.start, region.end)), len(loaded.text)]
        assert ends == sorted(ends)

    def test_the_same_bytes_give_the_same(self, loader: Loader, data: bytes) -> None:
        assert loader.load(data, "file") == loader.load(data, "file")

    @pytest.mark.parametrize("name", ["", "/etc/passwd", "../../a", "no\0such", "\ud800"])
    def test_the_name_is_a_label_that_is_never_opened(self, loader: Loader, data: bytes, name: str) -> None:
        assert loader.load(data, name).text == loader.load(data, "file").text

    def test_damaged_bytes_are_read_or_refused_by_a_typed_error(self, loader: Loader, data: bytes) -> None:
        texts = [text.encode(errors="surrogatepass") for text in HOSTILE.values()]
        cuts = [data[: len(data) * part // 8] for part in range(8)]
        for damaged in [*texts, *cuts, data[::-1], b"\xff" * 4096, b"\0" * 4096, b"PK\x03\x04" + data]:
            with may_refuse(EmptyDocument, UnreadableDocument):
                assert loader.load(damaged, "damaged").text.strip()


class SplitterContract(Contract):
    """A splitter cuts a document into passages that, joined, are its text without outer white space."""

    LONG = "\n\n".join(f"Paragraph {n} tells what happened in the year {n}. {TEXTS[n % 3]}" for n in range(200))

    splitter = required("splitter")

    @pytest.mark.parametrize("text", [*TEXTS, LONG, f"\n {TEXTS[0]}\n", *HOSTILE.values()])
    def test_passages_are_the_text_from_start_to_end(self, splitter: Splitter, text: str) -> None:
        document = Document("d", text.encode(errors="replace").decode(), "Title", "d.txt", "text", "0" * 64)
        passages = splitter.split(document)
        assert "".join(passage.text for passage in passages) == document.text.strip()
        for passage in passages:
            assert passage.text == document.text[passage.start : passage.end]
            assert (passage.document_id, passage.revision, passage.title) == ("d", document.revision, "Title")
            assert passage.passage_id == Passage.id_for("d", document.revision, passage.start, passage.end)

    def test_another_document_changes_nothing(self, splitter: Splitter) -> None:
        document = Document("d", self.LONG, "", "d.txt", "text", "0" * 64, metadata={"year": 2020})
        before = splitter.split(document)
        splitter.split(replace(document, document_id="e", metadata={}))
        assert splitter.split(document) == before
        assert all(passage.metadata == {"year": 2020} for passage in before)


class IngesterContract(Contract):
    """An ingester stores files whole or not at all, and reports on each once it is stored.

    Two fixtures: `ingester`, which must read text files, and `index`, the empty collection that it fills.
    """

    ingester = required("ingester")

    index = required("index")

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A folder of two text files."""
        folder = tmp_path / "documents"
        folder.mkdir()
        for name, text in zip("ab", TEXTS, strict=False):
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return folder

    async def test_one_report_a_file_once_it_is_stored(
        self, ingester: Ingester, index: Index, folder: Path
    ) -> None:
        reports = [report async for report in ingester.add([folder])]
        assert [(Path(report.path).name, report.status) for report in reports] == [
            ("a.txt", "added"),
            ("b.txt", "added"),
        ]
        assert [record.document_id for record in await index.documents()] == [
            report.document_id for report in reports
        ]
        assert await index.size() == sum(report.passages for report in reports) > 0

    async def test_what_did_not_change_is_not_stored_again(
        self, ingester: Ingester, index: Index, folder: Path
    ) -> None:
        _ = [report async for report in ingester.add([folder])]
        version = await index.version()
        assert {report.status async for report in ingester.add([folder])} == {"unchanged"}
        assert await index.version() == version

    async def test_a_file_that_cannot_be_read_keeps_no_other_out(
        self, ingester: Ingester, index: Index, folder: Path
    ) -> None:
        (folder / "0.pdf").write_bytes(b"%PDF-1.7 and nothing else")
        reports = [report async for report in ingester.add([folder, folder / "nowhere.txt"])]
        assert {Path(report.path).name for report in reports if report.status == "added"} == {"a.txt", "b.txt"}
        assert all(report.reason for report in reports if report.status in ("failed", "skipped"))
        assert len(await index.documents()) == 2

    async def test_a_dry_run_tells_and_changes_nothing(
        self, ingester: Ingester, index: Index, folder: Path
    ) -> None:
        _ = [report async for report in ingester.mirror([folder])]
        (folder / "a.txt").unlink()
        (folder / "c.txt").write_text(TEXTS[2], encoding="utf-8")
        before = await index.documents()
        dry = [(report.path, report.status) async for report in ingester.mirror([folder], dry_run=True)]
        assert await index.documents() == before
        assert [(report.path, report.status) async for report in ingester.mirror([folder])] == dry
        assert {status for _, status in dry} == {"unchanged", "added", "pruned"}
        assert sorted(Path(record.source).name for record in await index.documents()) == ["b.txt", "c.txt"]

    @hostile
    async def test_any_text_is_stored_or_reported(
        self, ingester: Ingester, index: Index, tmp_path: Path, text: str
    ) -> None:
        (tmp_path / "any.txt").write_bytes(text.encode(errors="surrogatepass"))
        (report,) = [report async for report in ingester.add([tmp_path / "any.txt"])]
        assert (report.status == "added") == bool(await index.documents())
        assert report.status == "added" or report.reason
