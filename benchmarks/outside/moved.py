"""Wiki-mix with its answer passages moved from the collection to a web on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
import pipeline
from answers_data import judged, read_lines, wiki_mix

from assay.core.stages import SearchUtility
from assay.engine import Engine
from assay.types import Action
from assay.wiring import open_engine
from support.web import LocalWeb
from support.web.server import Article

DISTRACTORS = 2000
# What the balanced profile allows; without a model its judge is that of the fast one.
BALANCED = {"rounds": 2, "deadline": 30.0}


def answering() -> frozenset[str]:
    """The ids of the documents that answer some question: those that are moved."""
    return frozenset(each for documents in judged().values() for each in documents)


def articles() -> list[Article]:
    """The moved documents among 2,000 others of the same corpus, in an order that tells nothing."""
    moved = answering()
    rows = sorted(read_lines(wiki_mix() / "corpus.jsonl"), key=lambda row: _hash(row["id"]))
    others = [row for row in rows if row["id"] not in moved][:DISTRACTORS]
    chosen = {row["id"] for row in others} | moved
    return [
        Article(f"/wiki/{_hash(row['id'])[:16]}", str(row["title"]), str(row["text"]))
        for row in rows
        if row["id"] in chosen
    ]


def _hash(name: object) -> str:
    return hashlib.sha256(str(name).encode()).hexdigest()


@contextmanager
def web() -> Iterator[dict[str, object]]:
    """The settings with which an engine may ask a web that holds the moved documents, while it runs."""
    with LocalWeb(articles()) as site:
        yield {"outside": ("searxng",), "searxng_url": site.url, "intranet_hosts": (site.address,)}


def whole_folder() -> Path:
    """The data folder of the whole collection, which is filled where it was not there."""
    with pipeline.engine():
        return _cache() / "answers-collection"


def folder_without_answers() -> Path:
    """The data folder of the collection without the moved documents, made from the whole one."""
    folder, making = _cache() / "outside-collection", _cache() / "outside-collection.making"
    if not folder.is_dir():
        shutil.rmtree(making, ignore_errors=True)
        shutil.copytree(whole_folder(), making)
        with opened(making) as engine:
            engine.remove(sorted(answering()))
        making.rename(folder)
    return folder


def _cache() -> Path:
    return Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir()))


def opened(folder: Path, **settings: Any) -> Engine:
    """An engine over a data folder's collection; the balanced profile's limits where nothing else is said."""
    return open_engine(data_dir=folder, collection="wiki-mix", **{**BALANCED, **settings})


def choosing(engine: Engine, worth: SearchUtility, able: Sequence[Action] = ()) -> Engine:
    """The same engine, with searches worth something else, and able to do only so much where that is said.

    It need not be closed: it has nothing of its own.
    """
    parts = engine._parts  # a benchmark may look inside

    def stages_for(run: Any) -> Any:
        on = parts.stages_for(run)
        return replace(on, search_utility=worth, allowed_actions=frozenset(able) or on.allowed_actions)

    return Engine(replace(parts, stages_for=stages_for))
