"""Which documents of a collection a name on the command line means. Pure, but for resolving paths."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from assay.cli.from_here import from_here
from assay.cli.terminal import one_line
from assay.errors import UsageError
from assay.ingest.walk import source_of

if TYPE_CHECKING:
    from assay.types import DocumentRecord

# How much of an id tells documents apart in a list.
SHORT_ID = 12
# How many matches of an ambiguous name are listed.
MOST_LISTED = 20
# What a name is a pattern by.
_OF_A_PATTERN = "*?["


def documents_named(names: Sequence[str], records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    """The documents that the names mean, each once. Raises UsageError for a name of none, or of several files.

    An id or a path as it was added comes first: it means that document, or all documents of that file. Else a
    pattern (`*.md`) means all that it fits; a file name, a title or the beginning of an id only the one file.

    >>> from assay.types import DocumentRecord
    >>> tea = DocumentRecord("ab12", "/notes/tea.md", "Tea", "markdown", "", "", 1)
    >>> rent = DocumentRecord("cd34", "/notes/rent.md", "Rent", "markdown", "", "", 1)
    >>> [each.title for each in documents_named(["ab"], [tea, rent])]
    ['Tea']
    >>> [each.title for each in documents_named(["*.md"], [tea, rent])]
    ['Tea', 'Rent']
    """
    chosen: dict[str, DocumentRecord] = {}
    for name in names:
        chosen.update((record.document_id, record) for record in _meant(name, records))
    return list(chosen.values())


def listed(record: DocumentRecord) -> str:
    """A document on one line: how its id begins, its title, its path."""
    path = one_line(from_here(record.source))
    return f"{record.document_id[:SHORT_ID]:{SHORT_ID}}  {one_line(record.title, 40):40}  {path}"


def _meant(name: str, records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    if not name:
        raise UsageError("the name of a document is empty", hint="`assay ls` lists the documents")
    same = [each for each in records if each.document_id == name]
    if same:
        return same
    path = source_of(Path(name))
    same = [each for each in records if each.source in (name, path)]
    if same:
        return same
    found = [each for each in records if _fits(name, path, each)]
    several = len({each.source for each in found}) > 1 or (len(found) > 1 and not _of_file(name, found[0]))
    if several and not _means_all(name, found):
        lines = [f"  {listed(each)}" for each in found[:MOST_LISTED]]
        more = [f"  … and {len(found) - MOST_LISTED:,} more"] if len(found) > MOST_LISTED else []
        what = f"{name!r} fits {len(found):,} documents, so nothing is removed:"
        raise UsageError("\n".join([what, *lines, *more]), hint="name each by its id or its path")
    if not found:
        raise UsageError(f"there is no document {name!r} in the collection", hint="`assay ls` lists the documents")
    return found


def _fits(name: str, path: str, record: DocumentRecord) -> bool:
    by_name = _is_called(name, record) or record.document_id.startswith(name)
    return by_name or _of_file(name, record) or fnmatchcase(record.source, path)


def _means_all(name: str, found: Sequence[DocumentRecord]) -> bool:
    """Whether the name is a pattern, and not a title or a file name with a pattern's signs ("What is tea?")."""
    return any(sign in name for sign in _OF_A_PATTERN) and not any(_is_called(name, each) for each in found)


def _is_called(name: str, record: DocumentRecord) -> bool:
    """Whether the name is the document's title or that of its file, letter for letter."""
    return name in (PurePath(record.source).name, record.title)


def _of_file(name: str, record: DocumentRecord) -> bool:
    """Whether the name is that of the document's file, or a pattern that fits it."""
    return fnmatchcase(PurePath(record.source).name, name) or fnmatchcase(record.source, f"*/{name}")
