"""add, sync, ls, rm, reindex, copy: the documents of a collection."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import flags
from assay.cli.flags import FOR_EMBEDDING, THE_COLLECTION, Given, takes
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, from_here, one_line
from assay.errors import UsageError
from assay.ingest.walk import source_of

if TYPE_CHECKING:
    from assay.types import DocumentRecord

# --- choosing documents by name; pure, but for resolving paths --------------------------------------------


# Characters of a document's id in a list.
SHORT_ID = 12
# Matches of an ambiguous name that are listed. Chosen.
MOST_LISTED = 20
# A name with one of these is a pattern.
_OF_A_PATTERN = "*?["


def documents_named(
    names: Sequence[str], records: Sequence[DocumentRecord], *, listing: str = "assay ls"
) -> list[DocumentRecord]:
    """The named documents without repeats. Raises UsageError if a name fits none, or several files.

    `listing` is the command that lists the documents, for hints.
    An id or a path as it was added comes first: it means that document, or all documents of that file. Else a
    pattern (`*.md`) means all that it fits; a file name, a title or the beginning of an id only the one file.

    >>> from assay.types import DocumentRecord
    >>> tea = DocumentRecord("ab12", "/notes/tea.md", "Tea", "markdown", "", "", 1)
    >>> rent = DocumentRecord("cd34", "/notes/rent.md", "Rent", "markdown", "", "", 1)
    >>> [record.title for record in documents_named(["ab"], [tea, rent])]
    ['Tea']
    >>> [record.title for record in documents_named(["*.md"], [tea, rent])]
    ['Tea', 'Rent']
    """
    chosen: dict[str, DocumentRecord] = {}
    for name in names:
        chosen.update((record.document_id, record) for record in _meant(name, records, listing))
    return list(chosen.values())


def listed(record: DocumentRecord) -> str:
    """A document on one line: short id, title, path."""
    path = one_line(from_here(record.source))
    return f"{record.document_id[:SHORT_ID]:{SHORT_ID}}  {one_line(record.title, 40):40}  {path}"


def _listing(given: Given) -> str:
    """The command that lists the documents of the collection in use."""
    return f"assay ls -c {given['collection']}" if "collection" in given else "assay ls"


def _meant(name: str, records: Sequence[DocumentRecord], listing: str) -> list[DocumentRecord]:
    if not name:
        raise UsageError("the name of a document is empty", hint=f"`{listing}` lists the documents")
    same = [record for record in records if record.document_id == name]
    if same:
        return same
    path = source_of(Path(name))
    same = [record for record in records if record.source in (name, path)]
    if same:
        return same
    found = [record for record in records if _fits(name, path, record)]
    several = len({record.source for record in found}) > 1 or (len(found) > 1 and not _of_file(name, found[0]))
    if several and not _means_all(name, found):
        lines = [f"  {listed(record)}" for record in found[:MOST_LISTED]]
        more = [f"  … and {len(found) - MOST_LISTED:,} more"] if len(found) > MOST_LISTED else []
        what = f"{name!r} matches {len(found):,} documents, so nothing was removed:"
        raise UsageError("\n".join([what, *lines, *more]), hint="name each one by its id or its path")
    if not found:
        raise UsageError(
            f"there is no document {name!r} in the collection", hint=f"`{listing}` lists the documents"
        )
    return found


def _fits(name: str, path: str, record: DocumentRecord) -> bool:
    by_name = _is_called(name, record) or record.document_id.startswith(name)
    return by_name or _of_file(name, record) or fnmatchcase(record.source, path)


def _means_all(name: str, found: Sequence[DocumentRecord]) -> bool:
    """True if the name is a pattern, not a title or a file name such as "What is tea?"."""
    return any(sign in name for sign in _OF_A_PATTERN) and not any(_is_called(name, record) for record in found)


def _is_called(name: str, record: DocumentRecord) -> bool:
    """True if the name is exactly the document's title or file name."""
    return name in (PurePath(record.source).name, record.title)


def _of_file(name: str, record: DocumentRecord) -> bool:
    """True if the name is, or as a pattern fits, the document's file name."""
    return fnmatchcase(PurePath(record.source).name, name) or fnmatchcase(record.source, f"*/{name}")


Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Files, folders and addresses (s3://bucket/folder); - is standard input."),
]
Synced = Annotated[
    list[str], typer.Argument(metavar="PATH", help="Files, folders and addresses (s3://bucket/folder).")
]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="DOCUMENT", help="Id, path, file name, title, start of an id, or pattern such as '*.md'."
    ),
]
AsJson = flags.AsJson
EachFile = Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per file, as soon as it is stored.")]
Failures = Annotated[
    Path | None,
    typer.Option(
        "--failures", metavar="FILE", help="Write a JSON object for each file that fails, with reason and hint."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would happen; change nothing.")]
_PLACE = "A data folder, or the address of a Postgres database."
Source = Annotated[str, typer.Argument(metavar="FROM", help=_PLACE)]
Target = Annotated[str, typer.Argument(metavar="TO", help=_PLACE)]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Name of the copy. [default: same name]")]


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def add(
    terminal: Terminal,
    paths: Paths,
    *,
    given: Given,
    ray: flags.Ray = None,
    workers: flags.Workers = None,
    failures: Failures = None,
    as_json: AsJson = False,
    as_json_lines: EachFile = False,
) -> None:
    """Add files and folders. A file is stored whole or not at all; run the command again to resume.

    \b
    assay add report.pdf notes/ -c work
    curl -s https://example.org/page.html | assay add -
    assay add /srv/manuals s3://manuals/2026 --ray auto --failures failed.jsonl
    """
    from assay.cli.adding import InputFiles, add_files

    flags.one_format(as_json, as_json_lines)
    with InputFiles(paths, given, terminal) as files:
        code = add_files(
            lambda engine: engine.aadd(files.paths),
            files,
            given,
            terminal,
            as_json=as_json,
            each_file=as_json_lines,
            spread=flags.spread(ray, workers),
            failures=failures,
        )
    raise typer.Exit(code)


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def sync(
    terminal: Terminal,
    paths: Synced,
    *,
    given: Given,
    ray: flags.Ray = None,
    workers: flags.Workers = None,
    failures: Failures = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    as_json_lines: EachFile = False,
) -> None:
    """Make the collection match files and folders.

    New files are added, changed ones replaced, and deleted ones pruned.

    \b
    assay sync docs/ --dry-run
    """
    from assay.cli.adding import InputFiles, add_files

    flags.one_format(as_json, as_json_lines)
    if "-" in paths:
        raise UsageError("sync needs files or folders, not standard input", hint="use `assay add -`")
    with InputFiles(paths, given, terminal) as files:
        code = add_files(
            lambda engine: engine.amirror(files.paths, dry_run=dry_run),
            files,
            given,
            terminal,
            as_json=as_json,
            each_file=as_json_lines,
            dry_run=dry_run,
            spread=flags.spread(ray, workers),
            failures=failures,
        )
    raise typer.Exit(code)


@takes(*THE_COLLECTION)
def ls(
    terminal: Terminal,
    *,
    given: Given,
    as_json: AsJson = False,
) -> None:
    """List the documents of the collection."""
    from assay.wiring import open_engine

    with open_engine(create=False, models=False, **given) as engine:
        documents = engine.documents()
    if as_json:
        terminal.object({"documents": [_listed(record) for record in documents]})
        return
    for record in documents:
        passages = f"{record.passages:,} passage{'' if record.passages == 1 else 's'}"
        path = one_line(from_here(record.source))
        terminal.line(f"{record.document_id[:12]:12}  {one_line(record.title, 40):40}  {passages:>15}  {path}")
    terminal.note(f"{len(documents):,} document{'' if len(documents) == 1 else 's'}")


@takes(*THE_COLLECTION)
def rm(
    terminal: Terminal,
    documents: Names,
    *,
    given: Given,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Remove documents. No answer will cite them again.

    A pattern removes every document that matches it. If any other name matches documents from several files,
    nothing is removed and the matches are listed.

    \b
    assay rm report.pdf
    assay rm 'drafts/*.md' --dry-run
    """
    from assay.wiring import open_engine

    with open_engine(create=False, models=False, **given) as engine:
        chosen = documents_named(documents, engine.documents(), listing=_listing(given))
        if not dry_run:
            _confirm(chosen, yes, terminal)
        version = None if dry_run else engine.remove([record.document_id for record in chosen])
    if as_json:
        ids = [record.document_id for record in chosen]
        terminal.object(
            {"removed": [] if dry_run else ids, "would_remove": ids if dry_run else [], "version": version}
        )
        return
    for record in chosen:
        path = one_line(from_here(record.source))
        terminal.line(f"{'would remove' if dry_run else 'removed'} {one_line(record.title)}  {path}")


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def reindex(
    terminal: Terminal,
    *,
    given: Given,
    ray: flags.Ray = None,
    workers: flags.Workers = None,
    as_json: AsJson = False,
) -> None:
    """Embed all passages again.

    The new index is built next to the old one and then replaces it. Needed after a change of embedder.
    """
    from assay.wiring import reindex as rebuild

    started = time.perf_counter()
    passages = rebuild(**flags.spread(ray, workers), **given)
    ms = 1000 * (time.perf_counter() - started)
    if as_json:
        terminal.object({"passages": passages, "ms": round(ms, 1)})
    else:
        terminal.line(f"embedded {passages:,} passage{'' if passages == 1 else 's'} again in {ms / 1000:.1f} s")


@takes("collection", "tenant")
def copy(
    terminal: Terminal,
    source: Source,
    target: Target,
    *,
    given: Given,
    name: As = None,
    as_json: AsJson = False,
) -> None:
    """Copy a collection elsewhere, and verify the copy.

    Source and copy can be data folders or databases. Every document is read back from both and compared, with its
    passages, vectors and word counts. Run an interrupted copy again to resume it. The source is not changed.

    \b
    assay copy ~/.local/share/assay postgresql://assay@db.example/assay -c manual
    assay copy postgresql://assay@db.example/assay /backup/assay -c manual
    """
    from assay.wiring.copying import copy_collection

    with ProgressBar(terminal, "documents") as bar:
        copied = copy_collection(source, target, name=name, told=bar.advance, **given)
    if as_json:
        terminal.object(copied.to_dict())
        return
    before = f", {copied.present:,} of them already there" if copied.present else ""
    terminal.line(
        f"copied and verified {copied.documents:,} documents, {copied.passages:,} passages{before}; "
        f"SHA-256 {copied.sha256[:16]}"
    )


def _listed(record: DocumentRecord) -> dict[str, Any]:
    return {
        "document_id": record.document_id,
        "path": record.source,
        "title": record.title,
        "passages": record.passages,
    }


def _confirm(chosen: list[DocumentRecord], yes: bool, terminal: Terminal) -> None:
    if yes:
        return
    if not terminal.input.isatty():
        raise UsageError("removing needs confirmation, but there is no terminal to ask on", hint="add --yes")
    for record in chosen:
        terminal.note(listed(record))
    what = "this document" if len(chosen) == 1 else f"these {len(chosen):,} documents"
    typer.confirm(f"remove {what}?", abort=True, err=True)


VERBS = (add, sync, ls, rm, reindex, copy)
