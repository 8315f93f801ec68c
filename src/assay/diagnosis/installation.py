"""The diagnosis of versions, fitted weights, extras, folders and collections."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay import __version__
from assay.calibration.fit import Fit
from assay.calibration.shipped import shipped
from assay.errors import AssayError
from assay.evals.audit import Marks, shipped_cards
from assay.records.runs import RunStore
from assay.settings import Settings
from assay.types import Status, Value
from assay.wiring.collections import Collections, collections_of

# The extras, each with a module that it installs.
EXTRAS = {
    "openai": ("openai", "aiohttp", "genai_prices"),
    "gemini": ("google.genai", "aiohttp", "genai_prices"),
    "anthropic": ("anthropic", "aiohttp", "genai_prices"),
    "local": ("xllamacpp",),
    "web": ("aiohttp", "ddgs"),
    "mcp": ("mcp",),
    "hub": ("huggingface_hub",),
    "client": ("httpx2",),
    "otel": ("opentelemetry",),
    "postgres": ("psycopg", "psycopg_pool"),
    "qdrant": ("qdrant_client",),
    "ray": ("ray", "fsspec"),
    "serve": ("fastapi", "limits", "mcp", "nh3", "prometheus_client", "python_multipart", "uvicorn"),
}
# Fields of a weights file that are shown, and their labels.
_TOLD = {"date": "on", "sets": "from", "trained_on": "from", "calibrated_on": "calibrated on"}
PARTS = ("faiss-cpu", "onnxruntime", "tokenizers", "numpy", "pypdfium2", "lxml")


@dataclass(frozen=True, slots=True)
class Diagnosis(Value):
    """The result for one part; SKIPPED is an optional part that is absent."""

    name: str
    status: Status
    detail: str


def diagnose(settings: Settings, *, store: bool) -> Iterator[Diagnosis]:
    """Diagnose everything but the models; the collections only with `store`."""
    yield from _versions()
    yield from _fits()
    yield from _calibrations()
    yield from _cards()
    yield from _extras()
    yield _data_folder(settings.data_dir)
    if store:
        yield _runs(settings)
        yield from _collections(settings)


def _versions() -> Iterator[Diagnosis]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Diagnosis("assay", Status.PASSED, f"{__version__} on Python {python}, {sys.platform}")
    yield _full_text(sqlite3.sqlite_version)
    for name in PARTS:
        try:
            yield Diagnosis(name, Status.PASSED, version(name))
        except PackageNotFoundError:
            yield Diagnosis(name, Status.FAILED, f"not installed: pip install {name}")


def _full_text(release: str) -> Diagnosis:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(body)")
    except sqlite3.OperationalError as error:
        return Diagnosis(
            "SQLite", Status.FAILED, f"{release} without full-text search ({error}): use another Python"
        )
    return Diagnosis("SQLite", Status.PASSED, f"{release} with full-text search")


def _fits() -> Iterator[Diagnosis]:
    """Diagnose for each file of weights if it was fitted on data or set by hand."""
    for path in sorted(Path(__file__).parents[1].glob("*/*.json")):
        table = json.loads(path.read_text(encoding="utf-8"))
        made = table.get("provenance", table) if isinstance(table, dict) else {}
        if "made_by" in made or "script" in made or "fitted" in made:
            fitted = made.get("fitted", True)
            facts = (f"{label} {_short(made[key])}" for key, label in _TOLD.items() if key in made)
            name = f"weights of {path.parent.name}/{path.stem}"
            status = Status.PASSED if fitted else Status.UNKNOWN
            yield Diagnosis(name, status, "; ".join(("fitted", *facts)) if fitted else "set by hand, not fitted")


def _calibrations() -> Iterator[Diagnosis]:
    """The measured error of each calibration that ships."""
    for kind, fit in shipped().items():
        error = fit.measured
        bins = ", ".join(f"{bucket.predicted:.2f}→{bucket.observed:.2f}" for bucket in error.bins)
        yield Diagnosis(
            f"calibration of {kind}",
            Status.PASSED,
            f"ECE {error.ece:.3f}{_elsewhere(fit)}; Brier score {error.brier:.3f}, n = {error.n}; "
            f"said→was by tenths: {bins}",
        )


def _elsewhere(fit: Fit) -> str:
    return "" if fit.elsewhere is None else f" on the sets it was fitted on, {fit.elsewhere:.3f} on others"


def _cards() -> Iterator[Diagnosis]:
    """The measured accuracy of the judges that ship."""
    for judge, card in shipped_cards().items():
        marks = card.all
        told = [
            f"{marks.n} labelled, {marks.right} right, {marks.unknown:.0%} left unknown",
            *(f"{name} {share:.2f}" for name, share in _shares(marks)),
            *(f"{name}: AUROC {part.auroc:.2f}" for name, part in card.sets.items() if part.auroc is not None),
            *(f"{name}: caught {part.caught:.2f}" for name, part in card.edits.items() if part.caught is not None),
            "cost unknown" if card.cost is None else f"${card.cost:.2f} a claim",
        ]
        yield Diagnosis(f"card of {judge}", Status.PASSED, "; ".join(told))


def _shares(marks: Marks) -> Iterator[tuple[str, float]]:
    shares = {
        "precision": marks.precision,
        "recall": marks.recall,
        "caught": marks.caught,
        "balanced accuracy": marks.balanced_accuracy,
        "AUROC": marks.auroc,
    }
    return ((name, share) for name, share in shares.items() if share is not None)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} ({count})" for name, count in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _extras() -> Iterator[Diagnosis]:
    for extra, modules in EXTRAS.items():
        if not all(map(_is_installed, modules)):
            how = f'in the clone of assay: pip install ".[{extra}]"'
            yield Diagnosis(f"extra {extra}", Status.SKIPPED, f"not installed; {how}")
        else:
            yield Diagnosis(f"extra {extra}", Status.PASSED, "installed")


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is absent
        return False


def _data_folder(folder: Path) -> Diagnosis:
    if not folder.exists():
        return Diagnosis("data folder", Status.PASSED, f"{folder} (made by the first `assay add`)")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Diagnosis("data folder", Status.FAILED, f"{folder} may not be written to: see who owns it")
    free = shutil.disk_usage(folder).free
    others = folder.stat().st_mode & 0o077
    readable = "; others may read it: chmod 700 it" if others else ""
    return Diagnosis("data folder", Status.PASSED, f"{folder}, {free / 1e9:.1f} GB free{readable}")


def _runs(settings: Settings) -> Diagnosis:
    """Tell whether the file of runs is whole; a database is Postgres' to keep whole."""
    if settings.store is not None:
        return Diagnosis("runs", Status.SKIPPED, "recorded in the database")
    try:
        damage = RunStore(settings.runs_file).damage()
    except AssayError as error:
        damage = (f"{error} ({error.hint})",)
    return Diagnosis("runs", Status.FAILED if damage else Status.PASSED, "; ".join(damage) or "whole")


def _collections(settings: Settings) -> Iterator[Diagnosis]:
    try:
        there = collections_of(settings)
        names = there.names()
    except AssayError as error:
        yield Diagnosis("store", Status.FAILED, f"{error} ({error.hint})")
        return
    for name in names:
        yield _collection(name, there)


def _collection(name: str, there: Collections) -> Diagnosis:
    """Diagnose if the collection's rows, words and vectors are complete and consistent."""
    what = f"collection {name}"
    try:
        found = there.problems(name)
    except AssayError as error:
        return Diagnosis(what, Status.FAILED, f"{error} ({error.hint})")
    if found:
        told = "; ".join(found[:3])
        return Diagnosis(
            what, Status.FAILED, f"{told}: restore {there.place} from a copy, or add the documents anew"
        )
    return Diagnosis(what, Status.PASSED, "whole")
