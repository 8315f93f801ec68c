"""Fit how src/assay/judging/row_finder.py weighs what it measures of a table's rows.

    .venv/bin/python benchmarks/cells/fit.py            # two minutes; prints the weights

`asked.jsonl` has tables with questions, in the shape of `pairs.jsonl`, written to fit on. Two logistic regressions:
does the question name this row (of questions without such a row, none is named), and does the named row tell what
is asked. Beside the weights, each document by weights fitted without it: the rows found, and the right ones above
the odds at which a few are wrong.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import assay_models
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from assay import open_engine
from assay.judging.row_finder import ReaderRowFinder, RowSignals, both
from assay.models.embed_local import LocalEmbedder
from assay.models.reader import OnnxReader

CASES = Path(__file__).with_name("asked.jsonl")
NAMED = ("odds", "cosine", "own words", "rarest missing", "number missing")
TOLD = ("span", "cosine", "doubtful", "clashes", "thing missing")
FOLDS = 10
# How strongly weights are held near 0, of signals with the deviation 1.
PENALTY = 1.0
# The wrong rows above the odds at which right ones are counted.
WRONG = (1, 2, 3, 5, 8)
KINDS = ("cell", "no column", "no row", "empty")


@dataclass(frozen=True)
class Measured:
    """A question with the signals of the rows nearest to it; `right` are the numbers of those that answer."""

    document: str
    kind: str
    question: str
    rows: tuple[RowSignals, ...]
    right: tuple[int, ...]

    @property
    def named(self) -> int | None:
        """The row that is asked about; of a question whose column is not there, the likeliest by equal signs."""
        if self.kind == "no column":
            signs = [one.named["own words"] + 10 * one.named["cosine"] + one.named["odds"] for one in self.rows]
            return int(np.argmax(signs))
        return self.right[0] if self.right else None


def measured() -> Iterator[Measured]:
    """The questions over tables, each asked of its document."""
    finder = ReaderRowFinder(
        OnnxReader.load(assay_models.folder("minilm-l6-reader-int8")), LocalEmbedder.load(assay_models.folder())
    )
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{case['name'].rsplit('.')[0]}.{'md' if '|' in case['text'] else 'csv'}")
            path.write_text(case["text"], encoding="utf-8")
            with open_engine(data_dir=Path(folder, "data")) as engine:
                engine.add([path])
                for asked in case["questions"]:
                    if asked["kind"] not in KINDS:
                        continue
                    passages = engine.search(asked["question"]).passages
                    rows = asyncio.run(finder.measure(asked["question"], passages))
                    right = tuple(
                        at
                        for at, one in enumerate(rows)
                        if asked["gold"]
                        and re.search(asked["gold"], one.row.passage.text[one.row.line.start : one.row.line.end])
                    )
                    yield Measured(case["name"], asked["kind"], asked["question"], rows, right)


@dataclass(frozen=True)
class Weights:
    """Weights of signals by name, and an intercept."""

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    intercept: float

    def of(self, signals: dict[str, float]) -> float:
        """The log odds."""
        return float(self.weights @ [signals[name] for name in self.names]) + self.intercept


def regression(names: tuple[str, ...], rows: Sequence[dict[str, float]], labels: Sequence[bool]) -> Weights:
    """A logistic regression with a ridge penalty."""
    matrix, happened = np.array([[row[name] for name in names] for row in rows]), np.array(labels, float)
    centre, scale = matrix.mean(0), matrix.std(0) + 1e-9
    scaled = (matrix - centre) / scale

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        raw = scaled @ point[:-1] + point[-1]
        slope = 1 / (1 + np.exp(-raw)) - happened
        value = (np.logaddexp(0, raw) - happened * raw).sum() + PENALTY / 2 * point[:-1] @ point[:-1]
        return float(value), np.append(scaled.T @ slope + PENALTY * point[:-1], slope.sum())

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / scale
    return Weights(names, weights, float(found[-1] - weights @ centre))


def fitted(some: Sequence[Measured]) -> tuple[Weights, Weights]:
    """The weights of both regressions; a row without its value teaches neither."""
    used = [one for one in some if one.kind != "empty" and one.rows]
    named = [(row.named, at == one.named) for one in used for at, row in enumerate(one.rows)]
    told = [(one.rows[one.named].told, one.kind == "cell") for one in used if one.named is not None]
    return (
        regression(NAMED, [dict(row) for row, _ in named], [label for _, label in named]),
        regression(TOLD, [dict(row) for row, _ in told], [label for _, label in told]),
    )


def best(one: Measured, weights: tuple[Weights, Weights]) -> tuple[float, bool, float, float]:
    """The odds of the likeliest row, whether it is right, and the odds that it is named and that it tells."""
    found = []
    for at, row in enumerate(one.rows):
        named, told = (part.of(dict(signals)) for part, signals in zip(weights, (row.named, row.told), strict=True))
        found.append((named, at in one.right, told if row.row.values else -99.0))
    named, right, told = max(found, default=(-99.0, False, -99.0))
    return both(named, told), right, named, told


def main() -> None:
    """Measure, fit, print."""
    rows = list(measured())
    documents = sorted({one.document for one in rows})
    ends: list[tuple[Measured, tuple[float, bool, float, float]]] = []
    for fold in range(FOLDS):
        held = set(documents[fold::FOLDS])
        weights = fitted([one for one in rows if one.document not in held])
        ends += [(one, best(one, weights)) for one in rows if one.document in held]
    ends.sort(key=lambda end: -end[1][0])
    if "--show" in sys.argv:
        for one, (odds, right, named, told) in ends:
            print(f"{odds:5.1f} {named:5.1f} {told:5.1f} {'+' if right else one.kind} {one.question}")
    cells = [end for one, end in ends if one.kind == "cell"]
    print(f"rows found: {sum(right for _, right, _, _ in cells)} of {len(cells)}")
    wrong = [odds for _, (odds, right, _, _) in ends if not right]
    for most in WRONG:
        bar = wrong[most]
        above = sum(odds > bar for odds, right, _, _ in cells if right)
        print(f"at most {most} wrong of {len(ends)}: odds {bar:.2f}, right {above}")
    for part, name in zip(fitted(rows), ("NAMED", "TOLD"), strict=True):
        print(name, dict(zip(part.names, part.weights.round(3).tolist(), strict=True)), round(part.intercept, 3))


if __name__ == "__main__":
    main()
