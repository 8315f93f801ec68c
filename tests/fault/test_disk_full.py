"""A disk that fills up: a clear error, nothing acknowledged lost, reading goes on, and room is all it takes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from assay.core.stages import Entry
from assay.errors import StoreFull
from assay.retrieval.index.rebuild import problems, rebuild
from assay.retrieval.index.sqlite import SqliteIndex, open_sqlite
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Passage

EMBEDDER = WordEmbedder(64)
VECTOR = np.full(64, 1 / 8, np.float32)


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of as many KiB as the parameter says."""
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={request.param}k", "tmpfs", str(tmp_path)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def entry(number: int) -> Entry:
    text = f"passage {number} " + "filler words " * 50
    document = Document(f"d{number}", text, "", f"d{number}", "text", "")
    passage = Passage(f"p{number}", document.document_id, document.revision, 0, len(text), text)
    return Entry(document, (passage,), VECTOR.reshape(1, -1))


async def fill(index: SqliteIndex) -> None:
    """Add a document after the other until it fails."""
    for number in count():
        await index.add([entry(number)])


@pytest.mark.parametrize("small_disk", [100, 240], indirect=True)
async def test_a_full_disk_costs_only_what_was_not_acknowledged(small_disk: Path) -> None:
    folder = small_disk / "c"
    index = open_sqlite(folder, EMBEDDER.model)
    with pytest.raises(StoreFull) as caught:
        await fill(index)
    assert "disk" in str(caught.value)
    stored = await index.version()
    assert await index.size() == stored
    assert len(await index.dense(VECTOR, 999, {})) == len(await index.sparse("passage", 999, {})) == stored
    with pytest.raises(StoreFull):
        await rebuild(folder, WordEmbedder(64, "other"), lambda title, text: text)
    await index.close()
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    index = open_sqlite(folder, EMBEDDER.model)
    await index.add([entry(stored)])
    assert await index.size() == stored + 1
    await index.close()
    assert problems(folder) == ()


@pytest.mark.parametrize("small_disk", [20], indirect=True)
def test_a_disk_without_room_for_an_empty_collection_is_named(small_disk: Path) -> None:
    with pytest.raises(StoreFull):
        open_sqlite(small_disk / "c", EMBEDDER.model)
