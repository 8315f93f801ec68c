"""Labels as JSON lines, read strictly: whatever is wrong is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError

# Fewer labels than this, or fewer of either kind, fit no calibration that means anything.
FEWEST, FEWEST_OF_A_KIND = 20, 5
# How much of a wrong value is shown.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One object of the file, with the number of its line."""

    number: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What one line says: of `id`, whether it is right, and its score where the line gives one."""

    number: int
    id: str
    right: bool
    score: float | None = None


def lines(path: Path) -> tuple[Line, ...]:
    """The objects of a file of JSON lines; empty lines are passed over. UsageError names the line that is none."""
    hint = "give a file of JSON lines in UTF-8"
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint=hint) from error
    found = tuple(_object(path, n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    if not found:
        raise UsageError(f"{path} is empty", hint="give one JSON object on each line")
    return found


def labelled(path: Path) -> tuple[Labelled, ...]:
    """The labels of a file: {"id", "label": true or false, "score"?} a line.

    UsageError, naming the line, for an id that is missing or comes twice, a label that is neither true nor false,
    or a score that is no number from 0 to 1; and for labels that are too few, or all alike.
    """
    found: dict[str, Labelled] = {}
    for line in lines(path):
        one = _labelled(path, line)
        if one.id in found:
            raise refused(path, line.number, f"the id {one.id!r} stands in line {found[one.id].number} already")
        found[one.id] = one
    return enough(path.name, found.values())


def enough(what: str, found: Iterable[Labelled]) -> tuple[Labelled, ...]:
    """The labels; UsageError, with how many there are and are needed, where they are too few to measure."""
    rows = tuple(found)
    right = sum(each.right for each in rows)
    wrong = len(rows) - right
    if len(rows) < FEWEST or min(right, wrong) < FEWEST_OF_A_KIND:
        labels = "1 label" if len(rows) == 1 else f"{len(rows)} labels"
        needed = f"at least {FEWEST} are needed, {FEWEST_OF_A_KIND} of them right and {FEWEST_OF_A_KIND} wrong"
        raise UsageError(
            f"{what}: too few to measure: {labels}, {right} right and {wrong} wrong; {needed}",
            hint="label more answers: assay label RUN --right, or --wrong",
        )
    return rows


def _object(path: Path, number: int, line: str) -> Line:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise refused(path, number, "it is not JSON") from error
    if not isinstance(body, dict):
        raise refused(path, number, "it is not a JSON object")
    return Line(number, body)


def _labelled(path: Path, line: Line) -> Labelled:
    key, label = line.body.get("id"), line.body.get("label")
    if not isinstance(key, str) or not key:
        raise refused(path, line.number, "it has no id")
    if not isinstance(label, bool):
        raise refused(path, line.number, f"its label is {told(label)}; a label is true or false")
    return Labelled(line.number, key, label, score_of(path, line))


def score_of(path: Path, line: Line) -> float | None:
    """The line's score, None where it gives none; UsageError where that is no number from 0 to 1."""
    score = line.body.get("score")
    if score is None:
        return None
    if not is_score(score):
        raise refused(path, line.number, f"its score is {told(score)}; a score is a number from 0 to 1")
    return float(score)


def told(value: Any) -> str:
    """A value of a file as JSON, cut where it is long.

    >>> told(float("nan")), told("x" * 100)[-4:]
    ('NaN', 'xxx…')
    """
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def is_score(value: Any) -> bool:
    """Whether this is a number from 0 to 1.

    >>> is_score(0.5), is_score(float("nan")), is_score(True)
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def refused(path: Path, number: int, what: str) -> UsageError:
    """The error that names the line."""
    return UsageError(f"{path.name}, line {number}: {what}", hint="correct the line, or take it out")
