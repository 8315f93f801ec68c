"""fix: anyone's draft with what fails mended, and what was changed."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, options
from assay.cli.checks import draft_and_sources, found_for
from assay.cli.flags import FOR_FIXING, Given, takes
from assay.cli.options import AsJson, AsJsonLines, AtOnce, GroupedCommand, Quiet, Verbose, terminal_of
from assay.cli.terminal import Terminal, one_line, visible
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.engine import Engine
    from assay.types import Fixed

DraftFile = Annotated[str | None, typer.Argument(metavar="FILE", help="The draft; - is standard input.")]
Sources = Annotated[
    list[Path] | None,
    typer.Option("--sources", "--context", metavar="FILE", help="A source; may be repeated, [1] is the first."),
]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command(cls=GroupedCommand)(fix)


@takes(*FOR_FIXING)
def fix(
    ctx: typer.Context,
    file: DraftFile = None,
    *,
    given: Given,
    sources: Sources = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Mend what fails of a draft, and show what was changed.

    What no repair mends is marked with a sign behind the sentence, or with --unsupported drop taken out. The draft
    is printed, and what was changed in it on standard error. The sources are files given with --sources, or else
    what the collection holds.

    \b
    assay fix draft.md --sources source.txt > fixed.md
    assay fix draft.md -c manual
    assay fix --jsonl < lines.jsonl             {"id", "answer", "passages"} a line
    """
    from assay.build import open_engine, open_gates
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe

    options.one_format(as_json, as_json_lines)
    terminal, drop = terminal_of(ctx), _drops(given)
    if as_json_lines:
        if file is not None or sources:
            hint = "give the draft and its passages in each line, or leave out --jsonl"
            raise UsageError("--jsonl reads drafts and sources from standard input alone", hint=hint)
        run_pipe(open_gates(**given), partial(_mended, drop=drop), terminal, options.at_once(at_once, given))
        return
    text, passages = draft_and_sources("fix", file, sources or [], terminal)
    with open_gates(**given) if passages else open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        fixed = engine.fix(text, passages or found_for(text, engine), drop=drop)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.mended(fixed), "ms": ms})
    else:
        _show(fixed, terminal)
    raise typer.Exit(exits.of_review(fixed.review))


def _drops(given: Given) -> bool:
    """Whether what cannot be mended is dropped: a draft from elsewhere is marked where nobody chose."""
    from assay.settings import load_settings

    resolved = load_settings(given)
    return resolved.origins["unsupported"] != "default" and resolved.settings.unsupported == "drop"


async def _mended(line: Request, engine: Engine, drop: bool) -> dict[str, Any]:
    from assay.cli import shapes

    return shapes.mended(await engine.afix(line.text("answer"), line.passages(), drop=drop))


def _show(fixed: Fixed, terminal: Terminal) -> None:
    """The draft as it is now, then what was changed and why."""
    text = fixed.text.removesuffix("\n")
    terminal.line(visible(text) if terminal.out.isatty() else text)
    for line in changed_lines(fixed.before, fixed.text):
        terminal.note(line)
    for made in fixed.repairs:
        terminal.note(f"{made.kind.value}: {one_line(made.reason)}")
    for warning in fixed.warnings:
        terminal.warn(one_line(warning))
    count = len(fixed.repairs)
    terminal.note(f"{count} change{'' if count == 1 else 's'} · {fixed.verdict.value}")


def changed_lines(before: str, after: str) -> Iterator[str]:
    """The lines that changed, as a unified diff.

    >>> list(changed_lines("It rained.\\n", "It snowed.\\n"))
    ['--- draft', '+++ fixed', '@@ -1 +1 @@', '-It rained.', '+It snowed.']
    """
    return difflib.unified_diff(before.splitlines(), after.splitlines(), "draft", "fixed", lineterm="")
