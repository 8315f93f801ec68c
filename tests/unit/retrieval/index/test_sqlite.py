"""What only the store on disk does: the derived file, other models, damage, and errors that say what to do."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import DamagedStore, ModelMismatch, StoreError, UnknownCollection
from assay.retrieval.index.sqlite import FILE_NAME, GRAPH_NAME, SqliteIndex, open_sqlite
from assay.retrieval.index.vectors import read_header
from assay.types import Document, EmbeddingModel, Found, Location, Metadata, Passage

MODEL = EmbeddingModel("fake", 16, "0" * 64)
SMALL = 300


def unit_vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((count, MODEL.dimension)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def entry(name: str, vectors: NDArray[np.float32], metadata: Metadata | None = None) -> Entry:
    """A document with a passage for each vector."""
    document = Document(name, "", "", name, "text", "")
    passages = tuple(
        Passage(f"{name}/{n}", name, document.revision, 0, 0, f"word{n}", metadata=metadata or {})
        for n in range(len(vectors))
    )
    return Entry(document, passages, vectors)


def ids(found: tuple[Found, ...]) -> list[str]:
    return [each.passage_id for each in found]


async def large(folder: Path) -> SqliteIndex:
    """A collection of 400 passages, searched by graph from 300 on."""
    index = open_sqlite(folder, MODEL, exact_below=SMALL)
    await index.add([entry("a", unit_vectors(360)), entry("b", unit_vectors(40, 1), {"rare": True})])
    await index.settle()
    return index


async def test_a_large_collection_is_searched_by_graph_as_well_as_exactly(tmp_path: Path) -> None:
    index = await large(tmp_path)
    exact = open_sqlite(tmp_path, MODEL)
    header = read_header(tmp_path / GRAPH_NAME)
    assert header is not None
    assert (header.rows, header.version) == (400, 1)
    queries = unit_vectors(20, 2)
    same = [len(set(ids(await index.dense(q, 10, {}))) & set(ids(await exact.dense(q, 10, {})))) for q in queries]
    assert sum(same) >= 0.95 * 200
    assert await index.dense(queries[0], 0, {}) == ()
    assert len(await index.dense(queries[0], 1000, {})) == 400
    await index.close()
    await exact.close()


async def test_newer_and_removed_rows_are_seen_beside_the_graph(tmp_path: Path) -> None:
    index, other = await large(tmp_path), open_sqlite(tmp_path, MODEL, exact_below=SMALL)
    wanted = unit_vectors(1, 7)
    await other.dense(wanted[0], 5, {})
    await index.add([entry("new", wanted)])
    assert ids(await other.dense(wanted[0], 1, {})) == ["new/0"]
    (near,) = await index.vectors(["b/3"])
    assert ids(await other.dense(near, 1, {})) == ["b/3"]
    await index.remove(["b"])
    found = ids(await other.dense(near, 100, {}))
    assert len(found) == 100
    assert not [each for each in found if each.startswith("b/")]
    header = read_header(tmp_path / GRAPH_NAME)
    assert header is not None
    assert header.version == 1  # the file is as it was
    await index.close()
    await other.close()


async def test_selective_and_loose_filters_hold_beside_the_graph(tmp_path: Path) -> None:
    index = await large(tmp_path)
    await index.add([entry("c", unit_vectors(200, 3), {"loose": True})])
    for where, name, size in (({"rare": True}, "b", 40), ({"loose": True}, "c", 200)):
        found = ids(await index.dense(unit_vectors(1, 9)[0], 300, where))
        assert {each[0] for each in found} == {name}
        assert len(found) == size
    await index.close()


async def test_the_graph_grows_and_is_built_anew_when_worn(tmp_path: Path) -> None:
    index = await large(tmp_path)
    await index.add([entry("c", unit_vectors(5100, 3))])
    await index.settle()
    header = read_header(tmp_path / GRAPH_NAME)
    assert header is not None
    assert (header.rows, header.version) == (5500, 2)
    await index.remove(["c"])
    await index.settle()
    header = read_header(tmp_path / GRAPH_NAME)
    assert header is not None
    assert (header.rows, header.removals) == (400, 1)
    (vector,) = await index.vectors(["b/3"])
    assert ids(await index.dense(vector, 1, {})) == ["b/3"]
    await index.close()


@pytest.mark.parametrize("harm", ["missing", "cut", "flipped", "foreign", "not ours"])
async def test_a_bad_derived_file_is_made_anew_and_nothing_is_missed_meanwhile(tmp_path: Path, harm: str) -> None:
    index = await large(tmp_path)
    (vector,) = await index.vectors(["b/3"])
    await index.close()
    file = tmp_path / GRAPH_NAME
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    bad = {"missing": b"", "cut": data[:-100], "flipped": data, "not ours": b"\0garbage\n" * 9}
    file.write_bytes(bad.get(harm, file.read_bytes().replace(b'"collection_id": "', b'"collection_id": "0', 1)))
    if harm == "missing":
        file.unlink()
    index = open_sqlite(tmp_path, MODEL, exact_below=SMALL)
    assert ids(await index.dense(vector, 1, {})) == ["b/3"]
    await index.settle()
    header = read_header(file)
    assert header is not None
    assert header.rows == 400
    assert ids(await index.dense(vector, 1, {})) == ["b/3"]
    await index.close()


async def test_another_model_is_refused_with_the_way_out(tmp_path: Path) -> None:
    await open_sqlite(tmp_path, MODEL).close()
    for other in (EmbeddingModel("other", 16, "0" * 64), EmbeddingModel("fake", 16, "1" * 64)):
        with pytest.raises(ModelMismatch) as caught:
            open_sqlite(tmp_path, other)
        assert "assay reindex" in caught.value.hint
    same = EmbeddingModel("fake", 16, "0" * 64, ("en", "de"))
    await open_sqlite(tmp_path, same).close()


def test_a_collection_that_is_not_there_is_not_made_by_asking(tmp_path: Path) -> None:
    with pytest.raises(UnknownCollection):
        open_sqlite(tmp_path / "none", MODEL, create=False)
    assert not (tmp_path / "none").exists()


async def test_files_are_for_their_owner_only(tmp_path: Path) -> None:
    index = open_sqlite(tmp_path / "c", MODEL)
    await index.add([entry("a", unit_vectors(1))])
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in (tmp_path / "c").iterdir()} == {0o600}
    await index.close()


@pytest.mark.parametrize(
    "content",
    [b"not a database at all, but long enough to look like one" * 100, b"SQLite format 3\0" + b"\7" * 9000],
)
def test_a_file_that_is_no_database_is_called_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(DamagedStore) as caught:
        open_sqlite(tmp_path, MODEL)
    assert caught.value.hint


async def test_a_cut_file_is_called_damaged(tmp_path: Path) -> None:
    index = open_sqlite(tmp_path, MODEL)
    await index.add([entry("a", unit_vectors(2000))])
    await index.close()
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.truncate(200 * 1024)
    with pytest.raises(DamagedStore):
        open_sqlite(tmp_path, MODEL)


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    await open_sqlite(tmp_path, MODEL).close()
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version=999")
    connection.close()
    with pytest.raises(StoreError) as caught:
        open_sqlite(tmp_path, MODEL)
    assert "upgrade" in caught.value.hint


async def test_a_collection_of_the_first_version_opens_and_its_spans_are_placed_where_passages_begin(
    tmp_path: Path,
) -> None:
    document = Document("a", "Rain. Snow.", "Weather", "/weather.md", "markdown", "f" * 64)
    passage = Passage("p", "a", document.revision, 0, 11, document.text, "Weather", Location(page=3))
    index = open_sqlite(tmp_path, MODEL)
    await index.add([Entry(document, (passage,), unit_vectors(1))])
    await index.close()
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        for column in ("line", "places", "header"):
            connection.execute(f"ALTER TABLE passages DROP COLUMN {column}")
        connection.execute("PRAGMA user_version=1")
    connection.close()
    index = open_sqlite(tmp_path, MODEL)
    (stored,) = await index.passages(["p"])
    assert stored == replace(passage, source="/weather.md")
    assert (stored.location_at(6), stored.line_at(6)) == (Location(page=3), None)
    assert await index.add([Entry(document, (replace(passage, line=1),), unit_vectors(1))]) == 2
    (stored,) = await index.passages([found.passage_id for found in await index.sparse("snow", 5, {})])
    assert stored.line == 1
    await index.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError) as caught:
        open_sqlite(tmp_path / "c", MODEL)
    assert "--data-dir" in caught.value.hint


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("")
    with pytest.raises(StoreError) as caught:
        open_sqlite(tmp_path / "c", MODEL)
    assert "--data-dir" in caught.value.hint


async def test_searches_go_on_while_documents_come_and_go(tmp_path: Path) -> None:
    index, other = open_sqlite(tmp_path, MODEL), open_sqlite(tmp_path, MODEL)
    await index.add([entry("kept", unit_vectors(50))])
    (vector,) = await index.vectors(["kept/3"])

    async def change(n: int) -> None:
        await (other if n % 2 else index).add([entry(f"d{n % 5}", unit_vectors(20, n))])
        await (index if n % 2 else other).remove([f"d{(n + 2) % 5}"])

    async def search(n: int) -> None:
        found = await (index if n % 2 else other).dense(vector, 5, {})
        assert (found[0].passage_id, len(found)) == ("kept/3", 5)
        assert "kept/7" in ids(await index.sparse("word7", 50, {}))

    await asyncio.gather(*(change(n) for n in range(30)), *(search(n) for n in range(60)))
    assert await index.size() == 50 + 20 * (len(await index.documents()) - 1)
    await index.close()
    await other.close()
