"""rules check and rules show: output rules."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import AsJson, takes
from assay.cli.terminal import Terminal, one_line
from assay.nlp.controls import visible

if TYPE_CHECKING:
    from assay.rules.conflicts import Conflict
    from assay.rules.rule import RuleSet

File = Annotated[str, typer.Argument(metavar="FILE", help="A rule file, or neutral or marketing.")]


@takes()
def check(terminal: Terminal, *, file: File, as_json: AsJson = False) -> int:
    """Check a file of output rules.

    Lists every mistake and contradiction with its line, and exits with 2 if there are any.

    \b
    assay rules check house-style.toml
    """
    from assay.errors import RuleFileError
    from assay.rules.loader import load_rules

    problems: tuple[str, ...] = ()
    count = 0
    try:
        count = len(load_rules(_where(file)).rules)
    except RuleFileError as error:
        if not error.problems:
            raise
        problems = error.problems
    if as_json:
        terminal.object({"file": file, "rules": count if not problems else None, "problems": list(problems)})
    else:
        for problem in problems or (f"{file}: {_good(count)}",):
            terminal.line(visible(problem))
    return Exit.USAGE if problems else Exit.OK


@takes()
def show(
    terminal: Terminal,
    *,
    file: File = "neutral",
    as_json: AsJson = False,
) -> None:
    """Show a file of output rules.

    Prints what the writer is told, what is checked, and which rules contradict each other.

    \b
    assay rules show
    assay rules show marketing
    """
    from assay.rules.conflicts import conflicts
    from assay.rules.description import rules_object
    from assay.rules.loader import load_rules

    rules = load_rules(_where(file), allow_conflicts=True)
    found = conflicts(rules)
    if as_json:
        terminal.object(rules_object(rules, found))
    else:
        _lines(rules, found, terminal)


def _where(file: str) -> str | Path:
    """The file of that name, or else the name of rules that ship with assay."""
    return Path(file) if os.path.isfile(file) else file


def _lines(rules: RuleSet, found: tuple[Conflict, ...], terminal: Terminal) -> None:
    from assay.rules.description import instruction_of, language_of
    from assay.rules.loader import conflict_line

    terminal.line(one_line(f"{rules.name}: {_counted(len(rules.rules))}"))
    for rule in rules.rules:
        when = f", {rule.when}" if str(rule.when) else ""
        terminal.line(one_line(f"{rule.check} ({rule.kind}, {rule.severity}{when})"))
        terminal.line(
            f"  {one_line(instruction_of(rule) or f'not told to the writer: {rule.advice(language_of(rule))}')}"
        )
    for conflict in found:
        terminal.warn(conflict_line(rules, conflict))


def _good(count: int) -> str:
    """The line for a file without problems."""
    return f"{_counted(count)}, no contradiction" if count else "no rules, so nothing is checked"


def _counted(count: int) -> str:
    return "1 rule" if count == 1 else f"{count} rules"


VERBS = (check, show)
