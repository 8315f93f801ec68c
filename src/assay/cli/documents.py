"""add, sync, ls, rm, reindex: what the collection holds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import options
from assay.cli.flags import FOR_EMBEDDING, THE_COLLECTION, Given, takes
from assay.cli.options import GroupedCommand, Quiet, Verbose, terminal_of
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.types import DocumentRecord

Paths = Annotated[list[str], typer.Argument(metavar="PATH", help="Files and folders; - is standard input.")]
Synced = Annotated[list[str], typer.Argument(metavar="PATH", help="Files and folders.")]
Names = Annotated[list[str], typer.Argument(metavar="DOCUMENT", help="Ids (or how they begin), paths or titles.")]
AsJson = options.AsJson
EachFile = Annotated[bool, typer.Option("--jsonl", help="Print one JSON object a file, when it is stored.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")]


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    for verb in (add, sync, ls, rm, reindex):
        app.command(cls=GroupedCommand)(verb)


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def add(
    ctx: typer.Context,
    paths: Paths,
    *,
    given: Given,
    as_json: AsJson = False,
    as_json_lines: EachFile = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Take files and folders in. A file is stored whole or not at all; doing it again resumes.

    \b
    assay add report.pdf notes/ -c work
    curl -s https://example.org/page.html | assay add -
    """
    from assay.cli.intake import Spooled, take_in

    options.one_format(as_json, as_json_lines)
    with Spooled(paths, given, terminal_of(ctx)) as files:
        code = take_in(
            lambda engine: engine.aadd(files.paths),
            files,
            given,
            terminal_of(ctx),
            as_json=as_json,
            each_file=as_json_lines,
        )
    raise typer.Exit(code)


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def sync(
    ctx: typer.Context,
    paths: Synced,
    *,
    given: Given,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    as_json_lines: EachFile = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Keep the collection in step with files and folders.

    New ones go in, changed ones are replaced, vanished ones are removed.

    \b
    assay sync docs/ --dry-run
    """
    from assay.cli.intake import Spooled, take_in

    options.one_format(as_json, as_json_lines)
    if "-" in paths:
        raise UsageError("sync needs files or folders, not standard input", hint="use `assay add -`")
    with Spooled(paths, given, terminal_of(ctx)) as files:
        code = take_in(
            lambda engine: engine.async_(files.paths, dry_run=dry_run),
            files,
            given,
            terminal_of(ctx),
            as_json=as_json,
            each_file=as_json_lines,
        )
    if dry_run:
        terminal_of(ctx).note("dry run: nothing was changed")
    raise typer.Exit(code)


@takes(*THE_COLLECTION)
def ls(
    ctx: typer.Context,
    *,
    given: Given,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """List the documents of the collection."""
    from assay.build import open_engine

    terminal = terminal_of(ctx)
    with open_engine(create=False, models=False, **given) as engine:
        documents = engine.documents()
    if as_json:
        terminal.object({"documents": [_listed(each) for each in documents]})
        return
    for each in documents:
        passages = f"{each.passages:,} passage{'' if each.passages == 1 else 's'}"
        terminal.line(
            f"{each.document_id[:12]:12}  {one_line(each.title, 40):40}  {passages:>15}  {one_line(each.source)}"
        )
    terminal.note(f"{len(documents):,} document{'' if len(documents) == 1 else 's'}")


@takes(*THE_COLLECTION)
def rm(
    ctx: typer.Context,
    documents: Names,
    *,
    given: Given,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Remove documents.

    No answer will cite them again.
    """
    from assay.build import open_engine

    terminal = terminal_of(ctx)
    with open_engine(create=False, models=False, **given) as engine:
        chosen = _chosen(documents, engine.documents())
        if not dry_run:
            _confirm(chosen, yes, terminal)
        version = None if dry_run else engine.remove([each.document_id for each in chosen])
    if as_json:
        ids = [each.document_id for each in chosen]
        terminal.object(
            {"removed": [] if dry_run else ids, "would_remove": ids if dry_run else [], "version": version}
        )
        return
    for each in chosen:
        terminal.line(f"{'would remove' if dry_run else 'removed'} {one_line(each.title)}  {one_line(each.source)}")


@takes(*THE_COLLECTION, *FOR_EMBEDDING)
def reindex(
    ctx: typer.Context,
    *,
    given: Given,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Embed every passage anew.

    The new index is built beside the old one, then takes its place. Needed after a change of the embedder.
    """
    from assay.build import reindex as rebuild

    terminal, started = terminal_of(ctx), time.perf_counter()
    passages = rebuild(**given)
    ms = 1000 * (time.perf_counter() - started)
    if as_json:
        terminal.object({"passages": passages, "ms": round(ms, 1)})
    else:
        terminal.line(f"embedded {passages:,} passage{'' if passages == 1 else 's'} anew in {ms / 1000:.1f} s")


# --- choosing documents --------------------------------------------------------------------------


def _listed(record: DocumentRecord) -> dict[str, Any]:
    return {
        "document_id": record.document_id,
        "path": record.source,
        "title": record.title,
        "passages": record.passages,
    }


def _chosen(names: list[str], records: tuple[DocumentRecord, ...]) -> list[DocumentRecord]:
    chosen: dict[str, DocumentRecord] = {}
    for name in names:
        for record in _meant(name, records):
            chosen[record.document_id] = record
    return list(chosen.values())


def _meant(name: str, records: tuple[DocumentRecord, ...]) -> list[DocumentRecord]:
    """The documents a name means: an id, a path, a title, or the beginning of one id."""
    path = str(Path(name).absolute())
    for fits in (
        lambda each: each.document_id == name,
        lambda each: each.source in (name, path),
        lambda each: each.title == name,
    ):
        found = [each for each in records if fits(each)]
        if found:
            return found
    found = [each for each in records if name and each.document_id.startswith(name)]
    if len(found) == 1:
        return found
    what = f"several documents begin with {name!r}" if found else f"there is no document {name!r} in the collection"
    raise UsageError(what, hint="`assay ls` lists them all")


def _confirm(chosen: list[DocumentRecord], yes: bool, terminal: Terminal) -> None:
    if yes:
        return
    if not terminal.input.isatty():
        raise UsageError("removing needs a yes, and there is no terminal to ask on", hint="add --yes")
    for each in chosen:
        terminal.note(f"{one_line(each.title)}  {one_line(each.source)}")
    typer.confirm(f"remove {len(chosen):,} documents?", abort=True, err=True)
