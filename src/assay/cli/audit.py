"""audit: the card of a judge, from labelled claims."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.flags import (
    FOR_EMBEDDING,
    FOR_FIXING,
    AsJson,
    Given,
    takes,
)
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.evals.audit import Agreement, Card, Marks, Seen
    from assay.evals.labels_file import Line
    from assay.settings import Settings

DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA.jsonl",
        help='Labelled claims: {"id", "label", "claim", "context"} a line, with "set", "edit" and "others" where '
        'there are any; or {"id", "label", "score"} of a judge of your own.',
    ),
]
# The name of the verifier without a model.
RULES = "deterministic"
# A judge's own score from which it calls a claim right.
_HALF = 0.5


@takes(*FOR_FIXING, *FOR_EMBEDDING)
def audit(
    terminal: Terminal,
    file: DataFile,
    *,
    given: Given,
    as_json: AsJson = False,
) -> None:
    """Measure a judge on labelled claims.

    Prints its accuracy, what it misses, and what it costs. The judge is the one used by `assay check`, including
    the verifier model if one is set, or any other judge if the file contains its scores.

    \b
    assay audit claims.jsonl
    assay audit claims.jsonl --verifier-model openai:NAME
    """
    from assay.evals.audit import card
    from assay.settings import load_settings
    from assay.wiring import open_checker

    lines = _read(file)
    if all("claim" not in line.body for line in lines):
        found = card("the scores given", [_scored(file, line) for line in lines])
    else:
        settings = load_settings(given).settings
        asks = settings.verifier_model is not None
        with open_checker(**given) as engine:
            rows = []
            with ProgressBar(terminal, "claims", len(lines)) as bar:
                for line in lines:
                    rows.append(_checked(file, line, engine, asks_nobody=not asks))
                    bar.advance()
        found = card(_name(settings, asks), rows)
    if as_json:
        terminal.object(found.to_dict())
        return
    for text in _table(found):
        terminal.line(text)


def _read(file: Path) -> tuple[Line, ...]:
    """The lines of the file, each with an id of its own and a label; UsageError names the one that is wrong."""
    from assay.evals.labels_file import line_error, lines, shown_value

    found = lines(file)
    known: dict[str, int] = {}
    for line in found:
        key, label = line.body.get("id"), line.body.get("label")
        if not isinstance(key, str) or not key:
            raise line_error(file, line.number, "it has no id")
        if key in known:
            raise line_error(file, line.number, f"the id {key!r} stands in line {known[key]} already")
        if not isinstance(label, bool):
            raise line_error(file, line.number, f"its label is {shown_value(label)}; a label is true or false")
        known[key] = line.number
    if len({line.body["label"] for line in found}) < 2:
        raise UsageError(f"{file.name}: every label is the same", hint="a card needs both right and wrong claims")
    return found


def _scored(file: Path, line: Line) -> Seen:
    """The verdict of another judge, by its score."""
    from assay.evals.audit import Seen
    from assay.evals.labels_file import line_error, score_of

    score = score_of(file, line)
    if score is None:
        raise line_error(file, line.number, "it has neither a claim nor a score from 0 to 1")
    return Seen(says=score >= _HALF, score=score, **_about(file, line))


def _checked(file: Path, line: Line, engine: Engine, *, asks_nobody: bool) -> Seen:
    """The verdict of the engine's verifier on the line's claim."""
    from assay.evals.audit import Seen
    from assay.evals.labels_file import line_error
    from assay.types import Passage, Verdict

    claim, context = line.body.get("claim"), line.body.get("context")
    if not isinstance(claim, str) or not isinstance(context, str) or not claim.strip():
        raise line_error(file, line.number, "it has no claim, or no context to test it against")
    began = time.perf_counter()
    review = engine.check(claim, [Passage("context", "context", "", 0, len(context), context)], one_claim=True)
    taken = 1000 * (time.perf_counter() - began)
    about = _about(file, line)
    cost = 0.0 if asks_nobody else None
    if not review.claims:
        return Seen(says=None, score=None, ms=taken, cost=cost, **about)
    tested = review.claims[0]
    voters = {event.by: event.state == Verdict.SUPPORTED for event in tested.history if event.state in set(Verdict)}
    if voters.pop("vote", None) is None:  # rules only: there is no other voter
        voters = {}
    others = {**(about.pop("others") or {}), **voters}
    says = None if tested.verdict is Verdict.UNKNOWN else tested.verdict is Verdict.SUPPORTED
    return Seen(says=says, score=tested.support, ms=taken, others=others, cost=cost, **about)


def _about(file: Path, line: Line) -> dict[str, Any]:
    """The line's facts about the row itself."""
    from assay.evals.labels_file import line_error

    others = line.body.get("others")
    known = others is None or (
        isinstance(others, Mapping) and all(isinstance(verdict, bool) for verdict in others.values())
    )
    if not known:
        raise line_error(file, line.number, "others are verdicts by name, each true or false")
    texts = {name: str(line.body.get(name, "")) for name in ("set", "edit")}
    return {"label": line.body["label"], "others": others, **texts}


def _name(settings: Settings, asks: bool) -> str:
    """The name of the judge: rules, the checker where there is one, and a model where it `asks` one."""
    checker = None if settings.checker == "none" else f"checker {settings.checker}"
    return ", ".join(filter(None, (RULES, checker, settings.verifier_model if asks else None)))


def _table(found: Card) -> list[str]:
    """The card as lines."""
    head = f"{'':28}{'n':>6}{'right':>7}{'unknown':>9}{'precision':>11}{'recall':>8}{'caught':>8}"
    head += f"{'bal. acc.':>11}{'AUROC':>8}"
    rows = [
        ("all", found.all),
        *found.sets.items(),
        *((f"edit {name}", marks) for name, marks in found.edits.items()),
    ]
    cost = "unknown" if found.cost is None else f"${found.cost:.5f}"
    taken = "unknown" if found.ms is None else f"{found.ms:.1f} ms"
    return [
        f"judge: {found.judge}",
        head,
        *(_row(name, marks) for name, marks in rows),
        f"a claim takes {taken}; its cost is {cost}",
        *(_agreed(name, agreement) for name, agreement in found.agreement.items()),
    ]


def _row(name: str, marks: Marks) -> str:
    shares = "".join(
        f"{'–' if value is None else format(value, '.3f'):>{width}}"
        for value, width in (
            (marks.precision, 11),
            (marks.recall, 8),
            (marks.caught, 8),
            (marks.balanced_accuracy, 11),
            (marks.auroc, 8),
        )
    )
    return f"{name[:27]:28}{marks.n:6}{marks.right:7}{marks.unknown:9.3f}{shares}"


def _agreed(name: str, agreement: Agreement) -> str:
    kappa = "–" if agreement.kappa is None else f"{agreement.kappa:.2f}"
    return f"agrees with {name} on {agreement.share:.0%} of {agreement.n} (kappa {kappa})"


VERBS = (audit,)
