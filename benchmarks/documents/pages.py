"""For every sentence of every passage of the real PDFs: is the page that a citation names the one it stands on?"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import assay_models

from assay.errors import DocumentError
from assay.ingest.detect import AnyLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.split import PassageSplitter
from assay.models.embed_local import LocalEmbedder
from assay.nlp.sentences import sentences
from assay.types import Document, Location, Passage, Region

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", HERE.parents[2] / "shared" / "data")) / "docs" / "pdf"


def true_page(regions: tuple[Region, ...], offset: int) -> int | None:
    """The page of the last region that begins at or before the offset, looked for one by one."""
    location = Location()
    for region in regions:
        if region.start <= offset:
            location = region.location
    return location.page


def check(document: Document, passages: tuple[Passage, ...]) -> dict[str, Any]:
    """One document's row of the table."""
    found = wrong = wrong_before = 0
    for passage in passages:
        for sentence in sentences(passage.text):
            offset = passage.start + sentence.start
            page = true_page(document.regions, offset)
            found += 1
            wrong += passage.span_of(sentence.start, sentence.end).location.page != page
            wrong_before += passage.location.page != page
    pages = len({region.location.page for region in document.regions})
    return {
        "file": document.title,
        "pages": pages,
        "passages": len(passages),
        "sentences": found,
        "wrong": wrong,
        "wrong_by_passage": wrong_before,
    }


def main() -> int:
    """Print the table, write results/pages.json, return 0 when no page is wrong."""
    if not DATA.is_dir():
        print(f"{DATA} is not there; set ASSAY_BENCH_DATA to the folder that holds docs/")
        return 2
    splitter = PassageSplitter(LocalEmbedder.load(assay_models.folder()).count_tokens)
    rows = []
    for path in sorted(DATA.glob("*.pdf")):
        try:
            loaded = AnyLoader(LOADERS).load(path.read_bytes(), path.name)
        except DocumentError as error:
            print(f"{path.name}: {error}")
            continue
        document = Document(path.name, loaded.text, path.name, str(path), loaded.format, "", loaded.regions)
        rows.append(check(document, splitter.split(document)))
        print("{file:28} {pages:4} pages {sentences:6} sentences {wrong:4} wrong".format(**rows[-1]))
    totals = {key: sum(row[key] for row in rows) for key in ("sentences", "wrong", "wrong_by_passage")}
    print("{sentences} sentences, {wrong} wrong; by the passage's page {wrong_by_passage}".format(**totals))
    write(rows, totals)
    return 1 if totals["wrong"] or not totals["sentences"] else 0


def write(rows: list[dict[str, Any]], totals: dict[str, int]) -> None:
    """The numbers with what they were measured on."""
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    result = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision.stdout.strip(),
        "machine": {"python": platform.python_version(), "cpus": os.cpu_count(), "system": platform.system()},
        **totals,
        "rows": rows,
    }
    target = HERE / "results" / "pages.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
