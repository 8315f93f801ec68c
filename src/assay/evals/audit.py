"""The card of a judge: how often it is right on labelled rows, per set and per kind of edit, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from assay.evals.metrics import auroc
from assay.types import Value


@dataclass(frozen=True, slots=True)
class Seen(Value):
    """One labelled row as a judge saw it.

    `says` is whether it holds the row to be right, None where it does not know; `score` is its score, 0 to 1, None
    where it gives none. `others` are other judges' verdicts by name. `ms` and `cost` (US dollars) are what it took.
    """

    label: bool
    says: bool | None
    score: float | None
    set: str = ""
    edit: str = ""
    others: Mapping[str, bool] | None = None
    ms: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Marks(Value):
    """The marks of a judge on some rows; a share is None where nothing was there to count.

    `precision` is of what it calls right, `recall` of what is right, `caught` the share of what is wrong that it
    does not call right; a row that it does not know counts as not called right. `unknown` is the share of those.
    """

    n: int
    right: int
    unknown: float
    precision: float | None
    recall: float | None
    caught: float | None
    balanced_accuracy: float | None
    auroc: float | None


@dataclass(frozen=True, slots=True)
class Agreement(Value):
    """The agreement of two judges, as a share and beyond chance (Cohen's kappa, Cohen 1960)."""

    n: int
    share: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Card(Value):
    """A judge's card; `ms` and `cost` are means per row, None where they are not known.

    `edits` sets the rows of each kind of edit beside the right rows that were not edited.
    """

    judge: str
    all: Marks
    sets: Mapping[str, Marks]
    edits: Mapping[str, Marks]
    agreement: Mapping[str, Agreement]
    ms: float | None
    cost: float | None


def card(judge: str, rows: Sequence[Seen]) -> Card:
    """The card of a judge over labelled rows. Raises ValueError without rows."""
    if not rows:
        raise ValueError("a card needs rows")
    others = sorted({name for row in rows for name in row.others or ()})
    return Card(
        judge=judge,
        all=marks(rows),
        sets=_by(rows, [row.set for row in rows]),
        edits={edit: marks(_beside_right(rows, edit)) for edit in sorted({row.edit for row in rows} - {""})},
        agreement={
            name: agreement([(row.says, row.others[name]) for row in rows if row.others and name in row.others])
            for name in others
        },
        ms=_mean([row.ms for row in rows]),
        cost=_mean([row.cost for row in rows]),
    )


def marks(rows: Sequence[Seen]) -> Marks:
    """The judge's marks on these rows.

    >>> marks([Seen(True, True, 0.9), Seen(False, True, 0.8)]).precision
    0.5
    """
    called = [row for row in rows if row.says]
    right = [row for row in rows if row.label]
    wrong = [row for row in rows if not row.label]
    hits = sum(row.label for row in called)
    recall = _share(hits, len(right))
    spared = _share(sum(not row.says for row in wrong), len(wrong))
    scored = [row for row in rows if row.score is not None]
    both = len({row.label for row in scored}) == 2
    return Marks(
        n=len(rows),
        right=len(right),
        unknown=sum(row.says is None for row in rows) / len(rows),
        precision=_share(hits, len(called)),
        recall=recall,
        caught=spared,
        balanced_accuracy=None if recall is None or spared is None else (recall + spared) / 2,
        auroc=auroc([row.score or 0.0 for row in scored], [row.label for row in scored]) if both else None,
    )


def agreement(pairs: Sequence[tuple[bool | None, bool]]) -> Agreement:
    """The agreement of both; not knowing counts as not calling it right.

    >>> agreement([(True, True), (False, False)])
    Agreement(n=2, share=1.0, kappa=1.0)
    """
    n = len(pairs)
    share = sum(bool(one) == two for one, two in pairs) / n
    first, second = sum(bool(one) for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    chance = first * second + (1 - first) * (1 - second)
    return Agreement(n, share, None if chance == 1 else (share - chance) / (1 - chance))


def _by(rows: Sequence[Seen], keys: Sequence[str]) -> dict[str, Marks]:
    """The marks of the rows by their key, those without one left out."""
    return {
        key: marks([row for row, own in zip(rows, keys, strict=True) if own == key])
        for key in sorted(set(keys) - {""})
    }


def _beside_right(rows: Sequence[Seen], edit: str) -> list[Seen]:
    """The rows of one kind of edit, most of them wrong, and the right ones that they are to be told from."""
    return [row for row in rows if row.edit == edit or (row.label and not row.edit)]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of what is known; None where anything is not."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


# The cards of the judges that ship, made by benchmarks/audit/run.py.


@lru_cache(maxsize=1)
def shipped_cards() -> dict[str, Card]:
    """The cards by judge: support, sufficiency, and the checks over copied and over reworded sentences.

    >>> sorted(shipped_cards())[-2:]
    ['sufficiency', 'support']
    """
    body = json.loads((files("assay.evals") / "cards.json").read_text(encoding="utf-8"))
    return {judge: _card(numbers) for judge, numbers in body["numbers"].items()}


def _card(body: dict[str, Any]) -> Card:
    return Card(
        judge=body["judge"],
        all=Marks(**body["all"]),
        sets={name: Marks(**marks) for name, marks in body["sets"].items()},
        edits={name: Marks(**marks) for name, marks in body["edits"].items()},
        agreement={},
        ms=body["ms"],
        cost=body["cost"],
    )
