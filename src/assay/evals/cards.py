"""The cards of the judges that ship, made by benchmarks/audit/run.py."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from assay.evals.audit import Card, Marks


@lru_cache(maxsize=1)
def shipped_cards() -> dict[str, Card]:
    """The cards by judge: support, sufficiency, and the checks over copied and over reworded sentences.

    >>> sorted(shipped_cards())[-2:]
    ['sufficiency', 'support']
    """
    body = json.loads((files("assay.evals") / "cards.json").read_text(encoding="utf-8"))
    return {judge: _card(each) for judge, each in body["numbers"].items()}


def _card(body: dict[str, Any]) -> Card:
    return Card(
        judge=body["judge"],
        all=Marks(**body["all"]),
        sets={name: Marks(**each) for name, each in body["sets"].items()},
        edits={name: Marks(**each) for name, each in body["edits"].items()},
        agreement={},
        ms=body["ms"],
        cost=body["cost"],
    )
