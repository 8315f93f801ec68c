"""Embedding a collection anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core.stages import Entry
from assay.errors import ModelMismatch, UnknownCollection
from assay.retrieval.index.rebuild import rebuild
from assay.retrieval.index.sqlite import SqliteIndex, open_sqlite
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Passage

OLD, NEW = WordEmbedder(16, "old"), WordEmbedder(32, "new")


def text_of(title: str, text: str) -> str:
    return f"{title}\n{text}"


async def add(index: SqliteIndex, embedder: WordEmbedder, *names: str) -> None:
    """Add a document of one passage for each name, in one transaction."""
    entries = []
    for name in names:
        document = Document(name, f"text of {name}", "T", name, "text", "")
        passage = Passage(name, name, document.revision, 0, len(document.text), document.text, "T")
        entries.append(Entry(document, (passage,), await embedder.embed([text_of("T", passage.text)])))
    await index.add(entries)


async def test_the_new_vectors_take_the_place_of_the_old(tmp_path: Path) -> None:
    index = open_sqlite(tmp_path, OLD.model)
    await add(index, OLD, *(f"d{n}" for n in range(700)))
    await index.remove(["d3"])
    told: list[int] = []
    assert await rebuild(tmp_path, NEW, text_of, progress=told.append) == 699
    assert told == [512, 699]
    renewed = open_sqlite(tmp_path, NEW.model)
    assert await renewed.version() == 3
    (expected,) = await NEW.embed(["T\ntext of d7"])
    np.testing.assert_allclose((await renewed.vectors(["d7"]))[0], expected, atol=1e-3)
    assert (await renewed.dense(expected, 1, {}))[0].passage_id == "d7"
    assert (await renewed.sparse("d7", 1, {}))[0].passage_id == "d7"
    await renewed.close()
    await index.close()


async def test_an_index_open_with_the_old_model_says_so(tmp_path: Path) -> None:
    index = open_sqlite(tmp_path, OLD.model)
    await add(index, OLD, "a")
    (vector,) = await OLD.embed(["a"])
    await index.dense(vector, 1, {})
    await rebuild(tmp_path, NEW, text_of)
    with pytest.raises(ModelMismatch, match="new"):
        await index.dense(vector, 1, {})
    with pytest.raises(ModelMismatch) as caught:
        await add(index, OLD, "b")
    assert "assay reindex" in caught.value.hint
    with pytest.raises(ModelMismatch):
        open_sqlite(tmp_path, OLD.model)
    await index.close()


async def test_documents_added_and_removed_meanwhile_are_not_lost(tmp_path: Path) -> None:
    index = open_sqlite(tmp_path, OLD.model)
    await add(index, OLD, *(f"d{n}" for n in range(600)))

    class Meddling(WordEmbedder):
        """Changes the collection at its first call."""

        async def embed(self, texts):  # type: ignore[no-untyped-def]
            if await index.version() == 1:
                await add(index, OLD, "late")
                await index.remove(["d1"])
            return await super().embed(texts)

    meddling = Meddling(32, "new")
    assert await rebuild(tmp_path, meddling, text_of) == 600
    await index.close()
    renewed = open_sqlite(tmp_path, NEW.model)
    (vector,) = await NEW.embed(["T\ntext of late"])
    assert (await renewed.dense(vector, 1, {}))[0].passage_id == "late"
    assert len(await renewed.dense(vector, 1000, {})) == 600
    await renewed.close()


async def test_a_collection_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownCollection):
        await rebuild(tmp_path / "none", NEW, text_of)
    assert not (tmp_path / "none").exists()
