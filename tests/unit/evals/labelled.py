"""Labelled claims by the dozen: two claims in words of their own beside each of many texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

CLAIMS = ("People came over water early and were gone by night.", "Nobody stayed there after dark.")
# The word that a text ends on, by its label; a tiny checker reads no other.
MARKS = {"supported": "yes", "contradicted": "no", "unsupported": "well"}
ENOUGH = {"supported": 22, "contradicted": 20, "unsupported": 24}
_PLACES = "harbour bridge garden tower station museum library theatre castle market".split()


def rows(counts: Mapping[str, int] = ENOUGH, marks: Mapping[str, str] = MARKS) -> list[dict[str, str]]:
    """So many texts of each label, with two claims each."""
    made = []
    for label, count in counts.items():
        for n in range(count):
            place = _PLACES[n % 10]
            evidence = (
                f"Visitors reached the {place} by boat each morning , and {n} left before dusk , {marks[label]}"
            )
            made += [{"claim": claim, "evidence": evidence, "label": label} for claim in CLAIMS]
    return made


def written(path: Path, found: list[dict[str, str]]) -> Path:
    """The rows as JSON lines."""
    path.write_text("".join(json.dumps(each) + "\n" for each in found), encoding="utf-8")
    return path
