"""kill -9 while files are taken in: what was reported is whole, what was not is absent, rerunning resumes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.ingest.split import PassageSplitter
from assay.retrieval.index.sqlite import open_sqlite
from assay.testing.fakes import WordEmbedder

FILES = 120
RUN = """
import asyncio, json, sys
from pathlib import Path
from assay.retrieval.index.sqlite import open_sqlite
from assay.ingest.pipeline import Ingestion
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import PassageSplitter
from assay.testing.fakes import WordEmbedder

async def main(store, files):
    embedder = WordEmbedder()
    index = open_sqlite(Path(store), embedder.model, create=True)
    splitter = PassageSplitter(lambda text: len(text.split()), size=20, limit=30)
    async for report in Ingestion(index, embedder, splitter, Sandbox()).add([Path(files)]):
        print(json.dumps(report.to_dict()), flush=True)
    await index.close()

asyncio.run(main(*sys.argv[1:]))
"""


def text_of(number: int) -> str:
    return f"Document {number} begins here. " + "It goes on with one more sentence of words. " * 40


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:03}.txt").write_text(text_of(number))
    rows = ({"id": f"line-{number}", "text": text_of(number)} for number in range(FILES))
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def run_until(reports: int | None, store: Path, files: Path) -> list[dict[str, object]]:
    """Take the files in, kill the process after so many reports; the reports it gave."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(store), str(files)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    given = []
    for line in process.stdout:
        given.append(json.loads(line))
        if len(given) == reports:
            process.send_signal(signal.SIGKILL)
            break
    process.stdout.close()
    process.wait(timeout=60)
    return given


async def stored(store: Path) -> dict[str, int]:
    """Each stored document with its number of passages, after checking that it is whole."""
    embedder = WordEmbedder()
    index = open_sqlite(store, embedder.model, create=True)
    splitter = PassageSplitter(lambda text: len(text.split()), size=20, limit=30)
    counts = {}
    for record in await index.documents():
        document = await index.document(record.document_id)
        assert document is not None
        passages = splitter.split(document)
        assert await index.passages([passage.passage_id for passage in passages]) == passages
        counts[record.document_id] = len(passages)
    assert await index.size() == sum(counts.values())
    await index.close()
    return counts


async def test_killed_runs_lose_nothing_and_the_next_one_resumes(tmp_path: Path, files: Path) -> None:
    store = tmp_path / "store"
    acknowledged: dict[object, object] = {}
    for reports in (1, 40, 100):
        for report in run_until(reports, store, files):
            acknowledged[report["document_id"]] = report["passages"]
        whole = await stored(store)
        assert {key: whole.get(str(key)) for key in acknowledged if key} == {
            k: v for k, v in acknowledged.items() if k
        }
    last = run_until(None, store, files)
    assert len(last) == FILES + 1
    assert sum(report["status"] == "unchanged" for report in last) >= 99
    assert len(await stored(store)) == 2 * FILES
