"""The figures of a set of natural questions: what was shown, marked and refused, and how likely to be right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np
from natural import (
    OVERLAP,
    NaturalQuestion,
    block_overlap,
    first_words,
    names_missing,
    plain,
    shows,
)
from real_collections import Shown

from assay.evals.metrics import BINS, auroc, debiased_ece, reliability

BASELINE_WORDS = 80


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with what was shown for it."""

    asked: NaturalQuestion
    shown: Shown

    @property
    def gold_shown(self) -> bool:
        """Whether an answer shows the gold within its limit of words."""
        return self.shown.answered and shows(self.shown.text, self.asked.must, self.asked.limit)

    @property
    def right(self) -> bool:
        """Whether an answer shows the gold anywhere."""
        return self.shown.answered and shows(self.shown.text, self.asked.must)

    @property
    def block_shown(self) -> bool:
        """Whether the wanted block is shown."""
        text = first_words(plain(self.shown.text), self.asked.limit)
        return self.shown.answered and block_overlap(text, self.asked.block) >= OVERLAP

    @property
    def half_named(self) -> bool:
        """Whether the answer is partial and names the missing part."""
        asked, shown = self.asked, self.shown
        return shown.outcome == "partial" and names_missing(shown.said_missing, asked.missing, asked.text)

    @property
    def verdict(self) -> str:
        """How the question ended, in a word or two, with ✓ where the answer is marked."""
        shown = self.shown
        if not shown.answered:
            return {"clarify": "asked back", "error": "error"}.get(shown.outcome, "refused")
        if self.asked.answerable == "none":
            word = "answered, not answerable"
        elif self.asked.answerable == "half":
            word = "partial, missing named" if self.half_named else f"{shown.outcome}, missing not named"
        elif self.gold_shown:
            word = "right"
        else:
            word = "gold too late" if self.right else "wrong"
        return f"{word} ✓" if shown.marked else word

    @property
    def as_wanted(self) -> bool:
        """Whether the gold is shown, the missing part named, or what the documents lack refused."""
        if self.asked.answerable == "none":
            return self.shown.outcome in ("abstained", "clarify")
        return self.gold_shown if self.asked.answerable == "full" else self.half_named


def figures(rows: Sequence[Scored]) -> dict[str, Any]:
    """The figures of some questions; None where nothing was there to be counted."""
    full = [row for row in rows if row.asked.answerable == "full"]
    none = [row for row in rows if row.asked.answerable == "none"]
    half = [row for row in rows if row.asked.answerable == "half"]
    shown = [row for row in full if row.shown.answered]
    blocks = [row for row in full if row.asked.block]
    spent = [row.shown.cpu_ms for row in rows]
    return {
        "answerable": {
            "n": len(full),
            "gold shown": share(full, lambda row: row.gold_shown),
            "first 80 words of the top passage": share(
                full, lambda row: shows(" ".join(row.shown.found[:1]), row.asked.must, BASELINE_WORDS)
            ),
            "gold in the top passage": share(
                full, lambda row: shows(" ".join(row.shown.found[:1]), row.asked.must)
            ),
            "gold in the passages found": share(full, lambda row: shows(" ".join(row.shown.found), row.asked.must)),
            "refused": share(full, lambda row: not row.shown.answered),
            "marked, of those shown": share(shown, lambda row: row.shown.marked),
            "wrong, of those shown": share(shown, lambda row: not row.right),
            "wrong and marked, of those shown": share(shown, lambda row: row.shown.marked and not row.right),
            "block shown": share(blocks, lambda row: row.block_shown),
            "block shown, of those shown": share(
                [row for row in blocks if row.shown.answered], lambda row: row.block_shown
            ),
            "words": round(mean(len(plain(row.shown.text).split()) for row in shown), 1) if shown else None,
        },
        "not answerable": {
            "n": len(none),
            "answered": share(none, lambda row: row.shown.answered),
            "marked": share(none, lambda row: row.shown.marked),
        },
        "half answerable": {
            "n": len(half),
            "partial": share(half, lambda row: row.shown.outcome == "partial"),
            "partial, missing named": share(half, lambda row: row.half_named),
            "gold shown": share(half, lambda row: row.gold_shown),
        },
        "likely right": likely_right([row for row in full + none if row.shown.answered]),
        "errors": sum(row.shown.outcome == "error" for row in rows),
        "CPU ms of an ask": {
            "median": round(median(spent), 1) if spent else None,
            "95th percentile": round(float(np.percentile(spent, 95)), 1) if spent else None,
        },
    }


def share(rows: Sequence[Scored], holds: Callable[[Scored], bool]) -> float | None:
    """The share of the rows for which it holds; None without rows."""
    return round(mean(holds(row) for row in rows), 3) if rows else None


def likely_right(rows: Sequence[Scored]) -> dict[str, Any]:
    """How well the stated probability tells right answers from wrong ones, and how far it is from what happened.

    Right is a gold shown anywhere in the answer; an answer to what is not answerable is wrong. The ECE is the
    debiased one, over at most 10 bins of two rows or more.
    """
    rated = [(row.shown.likely, row.right) for row in rows if row.shown.likely is not None]
    said, right = [value for value, _ in rated], [each for _, each in rated]
    bins = min(BINS, len(rated) // 2)
    return {
        "n": len(rated),
        "said": round(mean(said), 3) if rated else None,
        "was": round(mean(right), 3) if rated else None,
        "auroc": round(auroc(said, right), 3) if len(set(right)) == 2 else None,
        "ece": round(debiased_ece(reliability(said, right, bins)), 3) if bins else None,
    }


def by_verdict(rows: Sequence[Scored]) -> dict[str, list[str]]:
    """The ids of the questions by how they ended."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(f"{row.asked.answerable}: {row.verdict}", []).append(row.asked.id)
    return dict(sorted(found.items()))


def table(columns: dict[str, dict[str, Any]]) -> str:
    """The figures as lines, a column for each name."""
    names = list(columns)
    lines = [f"{'':46}" + "".join(f"{name:>14}" for name in names)]
    for group, values in columns[names[0]].items():
        keys = [(key,) for key in values] if isinstance(values, dict) else [()]
        for key in keys:
            cells = [columns[name][group][key[0]] if key else columns[name][group] for name in names]
            label = f"{group}: {key[0]}" if key else group
            lines.append(f"{label:46}" + "".join(f"{'–' if cell is None else cell:>14}" for cell in cells))
    return "\n".join(lines)


def told(row: Scored) -> str:
    """A question with its answer and verdict, to be read by a person."""
    wanted = " | ".join(row.asked.must) or row.asked.missing
    return f"--- {row.asked.id} [{row.verdict}] {row.asked.text}\n    wanted: {wanted}\n{row.shown.text}\n"
