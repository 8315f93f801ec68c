"""A cache of verdicts on claims, under all that they depend on.

A verdict is found again only for the same claim beside the same others, the same text of every passage, the same
version of the rules and the same verifier. It is tested once more before it is used: each of its quotes must still
be in the passages. An unknown verdict is never kept: the test may be possible next time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.tape import Tape
from assay.errors import StoreError
from assay.records.sqlite_file import SqliteFile
from assay.types import Passage, SourceSpan, Value, Verdict

# Verdicts that are kept; past it the longest unused go first.
MOST = 50_000
# The stored fields of a span, in the order of the class.
_STORED = ("passage_id", "start", "end", "quote")
# Seconds to wait for another process that is writing.
_PATIENCE = 1.0
FILE_NAME = "validations.sqlite"
# Files from before there were versions have these tables as version 0.
_VALIDATIONS = """
CREATE TABLE IF NOT EXISTS validations (
  key TEXT PRIMARY KEY, body TEXT NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS validations_by_use ON validations (used);
"""
# Version 2 added which runs used a verdict, so that it goes with the last of them.
_USES = """
CREATE TABLE uses (key TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (key, run_id)) WITHOUT ROWID;
CREATE INDEX uses_by_run ON uses (run_id);
CREATE TRIGGER uses_go AFTER DELETE ON validations BEGIN DELETE FROM uses WHERE key = OLD.key; END;
"""
# Each use is later than every one before it, by whichever process.
_USED = "UPDATE validations SET used = (SELECT COALESCE(MAX(used), 0) + 1 FROM validations) WHERE key = ?"
_KEEP = "INSERT OR REPLACE INTO validations VALUES (?, ?, (SELECT COALESCE(MAX(used), 0) + 1 FROM validations))"
_FORGET = "DELETE FROM validations WHERE used <= (SELECT used FROM validations ORDER BY used DESC LIMIT 1 OFFSET ?)"
_BY_RUN = "INSERT OR IGNORE INTO uses VALUES (?, ?)"


@dataclass(frozen=True, slots=True)
class Validation(Value):
    """A verdict on a claim, the spans that it rests on, and why."""

    verdict: Verdict
    spans: tuple[SourceSpan, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Basis:
    """The inputs of a verdict: the claim's text, the passages it was tested against, the rules, the verifier.

    `rules` names their version, such as a hash; `verifier` who judged and by which model or weights. `beside` are
    the claims that were judged in one call, in order: another one may say what a claim's "it" means.
    """

    claim: str
    passages: tuple[Passage, ...]
    rules: str
    verifier: str
    beside: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A SHA-256 over all of it, in hex; the order of the passages does not matter.

        >>> passage = Passage("p", "d", "r", 0, 9, "It rained")
        >>> one = Basis("It rained.", (passage,), "1", "rules")
        >>> one.key == Basis("It rained!", (passage,), "1", "rules").key
        False
        """
        spans = sorted(_span(passage) for passage in self.passages)
        return _sha256(json.dumps([self.claim, spans, self.rules, self.verifier, self.beside]))


class ValidationCache:
    """Verdicts in one SQLite file, at most `most` of them. Safe to use from several threads and processes.

    A file that cannot be read or written is a cache without entries: every claim is then tested, and nothing fails.
    A verdict holds quotes of documents, so it is kept with the ids of the runs that used it, and deleted with them.

    >>> import tempfile
    >>> cache = ValidationCache(Path(tempfile.mkdtemp()) / "validations.sqlite")
    >>> basis = Basis("It rained.", (Passage("p", "d", "r", 0, 10, "It rained."),), "1", "rules")
    >>> cache.get(basis, "01J") is None
    True
    >>> cache.put(basis, Validation(Verdict.SUPPORTED, (SourceSpan("p", 0, 9, "It rained"),)), "01J")
    >>> cache.get(basis, "01K").verdict.value
    'supported'
    >>> cache.close()
    """

    def __init__(self, path: Path, most: int = MOST) -> None:
        self._most = most
        self._file = SqliteFile(
            path,
            (_VALIDATIONS, _USES),
            "the verdicts that are kept",
            patience=_PATIENCE,
            durable=False,
            stays_open=True,
        )

    def get(self, basis: Basis, run_id: str) -> Validation | None:
        """The verdict on this basis for a run, its quotes found again in the passages; None if there is none."""
        with suppress(StoreError), self._file.writing() as file:
            row = file.execute("SELECT body FROM validations WHERE key = ?", (basis.key,)).fetchone()
            found = read(row[0]) if row is not None else None
            if found is not None and holds(found, basis.passages):
                file.execute(_USED, (basis.key,))
                file.execute(_BY_RUN, (basis.key, run_id))
                return placed(found, basis.passages)
        return None

    def put(self, basis: Basis, validation: Validation, run_id: str) -> None:
        """Keep a run's verdict on this basis; not if it is unknown or its quotes are not in the passages."""
        if validation.verdict is Verdict.UNKNOWN or not holds(validation, basis.passages):
            return
        spans = [{name: getattr(span, name) for name in _STORED} for span in validation.spans]
        body = json.dumps(validation.to_dict() | {"spans": spans})
        with suppress(StoreError), self._file.writing() as file:
            file.execute(_KEEP, (basis.key, body))
            file.execute(_BY_RUN, (basis.key, run_id))
            file.execute(_FORGET, (self._most,))

    def keep_only_of(self, recorded: Callable[[Sequence[str]], frozenset[str]]) -> bool:
        """Delete the verdicts that no recorded run used; `recorded` says which of some ids are those of such runs.

        What is deleted is overwritten on the disk; False if another process reads the log, which keeps it for now.
        Raises StoreError or a subclass if the file cannot be written.
        """
        if not self._file.exists:
            return True
        with self._file.writing() as file:
            run_ids = [str(row[0]) for row in file.execute("SELECT DISTINCT run_id FROM uses")]
            gone = set(run_ids) - recorded(run_ids)
            file.executemany("DELETE FROM uses WHERE run_id = ?", [(run_id,) for run_id in gone])
            file.execute("DELETE FROM validations WHERE key NOT IN (SELECT key FROM uses)")
        return self._file.wipe_log()

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        self._file.close()


def holds(validation: Validation, passages: Sequence[Passage]) -> bool:
    """True if each quote is in these passages at its place, character for character.

    A verdict for or against a claim that rests on no quote cannot be tested again, so it does not hold.

    >>> passage = Passage("p", "d", "r", 5, 14, "It rained")
    >>> holds(Validation(Verdict.SUPPORTED, (SourceSpan("p", 8, 14, "rained"),)), [passage])
    True
    >>> holds(Validation(Verdict.SUPPORTED, (SourceSpan("p", 8, 14, "snowed"),)), [passage])
    False
    """
    if not validation.spans and validation.verdict is not Verdict.UNSUPPORTED:
        return False
    return all(any(_stands(span, passage) for passage in passages) for span in validation.spans)


def _stands(span: SourceSpan, passage: Passage) -> bool:
    if span.passage_id != passage.passage_id or span.start < passage.start:
        return False
    start = span.start - passage.start
    return _sha256(passage.text[start : span.end - passage.start]) == _sha256(span.quote)


def placed(validation: Validation, passages: Sequence[Passage]) -> Validation:
    """The verdict with the page and line of each span, which are not kept, as the passages have them now."""
    return replace(validation, spans=tuple(_placed(span, passages) for span in validation.spans))


def _placed(span: SourceSpan, passages: Sequence[Passage]) -> SourceSpan:
    passage = next((passage for passage in passages if _stands(span, passage)), None)
    return span if passage is None else passage.span_of(span.start - passage.start, span.end - passage.start)


def _span(passage: Passage) -> tuple[str, int, str]:
    """A passage by its id, its place and the hash of what a verifier reads: an id alone cannot be trusted."""
    return passage.passage_id, passage.start, _sha256(json.dumps([passage.title, passage.text]))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def read(body: str | bytes) -> Validation | None:
    """A stored verdict; None for any other form, as of an older version."""
    try:
        raw: Any = json.loads(body)
        spans = tuple(SourceSpan(*(span[name] for name in _STORED)) for span in raw["spans"])
        return Validation(Verdict(raw["verdict"]), spans, raw["reason"])
    except (ValueError, TypeError, KeyError):
        return None


# The cache as one run sees it: read off the event loop, and on its tape.


_PORT = "kept"


@dataclass(frozen=True, slots=True)
class RunValidations:
    """The cache for the run of this id: hits and misses are on the tape, and a replay has no cache.

    On the tape a basis is known without its rules and its verifier, which are the same throughout a run.
    """

    cache: ValidationCache | None
    run_id: str
    tape: Tape | None = None

    async def known(self, bases: Sequence[Basis]) -> tuple[Validation, ...] | None:
        """The verdicts on all of them; None if one is not known."""
        found = [await self._known(basis) for basis in bases]
        known = tuple(validation for validation in found if validation is not None)
        return known if len(known) == len(found) else None

    async def keep(self, bases: Sequence[Basis], validations: Sequence[Validation]) -> None:
        """Keep the verdicts that can be tested again, each on its basis."""
        for basis, validation in zip(bases, validations, strict=True):
            if self.cache is not None:
                await asyncio.to_thread(self.cache.put, basis, validation, self.run_id)

    async def _known(self, basis: Basis) -> Validation | None:
        key = replace(basis, rules="", verifier="").key
        if self.tape is not None and self.tape.plays(_PORT, key):
            recalled = read(self.tape.recall(_PORT, key))
            return None if recalled is None else placed(recalled, basis.passages)
        found = None if self.cache is None else await asyncio.to_thread(self.cache.get, basis, self.run_id)
        if self.tape is not None:
            body = None if found is None else found.to_dict()
            self.tape.record(_PORT, key, json.dumps(body).encode())
        return found
