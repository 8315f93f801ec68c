"""Every file of the public hostile set: a typed error when it is taken in, else a view of it, in bounded time."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from assay.errors import DocumentError
from assay.ingest.files import document_of
from assay.ingest.sandbox import Sandbox
from assay.server.document_view.viewer import DocumentViewer
from assay.testing.fakes import WordEmbedder
from assay.types import Span

DATA = Path(os.environ.get("ASSAY_BENCH_DATA", Path(__file__).parents[3] / "shared" / "data")) / "docs" / "hostile"
FILES = sorted(DATA.iterdir()) if DATA.is_dir() else []


@pytest.mark.skipif(not FILES, reason="the documents of the benchmarks are not there")
async def test_every_hostile_file_gives_an_error_or_a_view() -> None:
    sandbox, viewer = Sandbox(), DocumentViewer()
    shown = refused = 0
    for path in FILES:
        data = path.read_bytes()
        try:
            loaded = sandbox.load(data, path.name)
        except DocumentError:
            refused += 1
            continue
        document = document_of(
            loaded,
            document_id="d",
            source=str(path),
            name=path.name,
            bytes_sha256=hashlib.sha256(data).hexdigest(),
            model=WordEmbedder().model,
        )
        middle = len(document.text) // 2
        for span in (None, Span(middle, min(len(document.text), middle + 40))):
            view = (await viewer.view(document, span)).to_dict()
            assert view["exact"] is True
            assert len(str(view)) < 4_000_000
        shown += 1
    await viewer.close()
    sandbox.close()
    assert shown + refused == len(FILES)
    assert min(shown, refused) > 10
