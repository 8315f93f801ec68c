"""fix: anyone's draft with what fails mended, and what was changed."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, flags
from assay.cli.checks import (
    Answered,
    draft_and_sources,
    found_for,
    refuse_files,
    refuse_question,
    show_assessed,
)
from assay.cli.flags import (
    FOR_FIXING,
    AsJson,
    AsJsonLines,
    AtOnce,
    Given,
    takes,
)
from assay.cli.terminal import Terminal, first_of_each, one_line, visible

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.engine import Engine
    from assay.types import Fixed

# Lines of a diff that people are shown.
MOST_CHANGED = 500
_OPEN = ("failed", "unknown")

DraftFile = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="The draft, or a file with it; - is standard input.")
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--sources", "--context", metavar="FILE", help="A file to check against; repeatable, the first is [1]."
    ),
]


@takes(*FOR_FIXING)
def fix(
    terminal: Terminal,
    file: DraftFile = None,
    *,
    given: Given,
    sources: Sources = None,
    question: Answered = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
) -> None:
    """Fix what is wrong in a draft, and show what was changed.

    A sentence that cannot be repaired is marked, or removed with --unsupported drop. The draft is printed to
    standard output and the changes to standard error; it is assessed as a whole and recorded as a run. TEXT is the
    draft or a file, as in `assay check`. The sources are the files given with --sources, or else the collection.

    \b
    assay fix draft.md --sources source.txt > fixed.md
    assay fix draft.md -c manual
    assay fix --jsonl < lines.jsonl             {"id", "answer", "passages"} a line
    """
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe
    from assay.core.fix import is_emptied
    from assay.wiring import open_checker, open_engine

    flags.one_format(as_json, as_json_lines)
    drop = _drops(given)
    if as_json_lines:
        refuse_files(file, sources)
        refuse_question(question)
        run_pipe(open_checker(**given), partial(_mended, drop=drop), terminal, flags.at_once(at_once, given))
        return
    text, passages = draft_and_sources("fix", file, sources or [], terminal)
    with open_checker(record=True, **given) if passages else open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        asked, found = question or "", passages or found_for(text, engine)
        made = engine.examine(text, found, question=asked, mend=True, drop=drop)
    fixed = made.fixed
    assert fixed is not None  # noqa: S101 - it was to be mended
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.mended(fixed), **shapes.recorded(made.answer), "ms": ms})
    else:
        _show(fixed, terminal)
        show_assessed(made, terminal)
        for line in _open(fixed):
            terminal.note(line)
        terminal.note(_counted(fixed))
    raise typer.Exit(exits.Exit.NOT_VERIFIED if is_emptied(fixed) else exits.of_review(fixed.review))


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
    changed = list(changed_lines(fixed.before, fixed.text))
    repairs = first_of_each(fixed.repairs, lambda made: made.kind.value)
    for line in changed[:MOST_CHANGED]:
        terminal.note(line)
    if len(changed) > MOST_CHANGED:
        terminal.note(f"… and {len(changed) - MOST_CHANGED:,} more changed lines")
    for made in repairs.first:
        terminal.note(f"{made.kind.value}: {one_line(made.reason)}")
    for line in repairs.left_out():
        terminal.note(line)


def _counted(fixed: Fixed) -> str:
    count = len(fixed.repairs)
    return f"{count} change{'' if count == 1 else 's'} · {fixed.verdict.value}"


def _open(fixed: Fixed) -> Iterator[str]:
    """The output rules that the draft still breaks; how many claims stay unknown without a mark."""
    from assay.cli.answer_view import first_check_lines
    from assay.nlp.citations import HEDGE_MARK
    from assay.types import plain

    rules = [check for check in fixed.review.checks if check.name.startswith("rule") and check.status in _OPEN]
    yield from (str(line) for line in first_check_lines(plain(rules)))
    starts = [*(claim.start for claim in fixed.review.claims[1:]), len(fixed.text)]
    count = sum(
        claim.verdict.value == "unknown" and HEDGE_MARK not in fixed.text[claim.start : end]
        for claim, end in zip(fixed.review.claims, starts, strict=False)
    )
    if count:
        claims = "1 claim is" if count == 1 else f"{count:,} claims are"
        yield f"{claims} unknown and not marked; `assay check` shows which"


def changed_lines(before: str, after: str) -> Iterator[str]:
    """The lines that changed, as a unified diff.

    >>> list(changed_lines("It rained.\\n", "It snowed.\\n"))
    ['--- draft', '+++ fixed', '@@ -1 +1 @@', '-It rained.', '+It snowed.']
    """
    return difflib.unified_diff(before.splitlines(), after.splitlines(), "draft", "fixed", lineterm="")


VERBS = (fix,)
