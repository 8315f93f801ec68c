"""Learn src/assay/judging/band.json: the sufficiencies in which the balanced judge asks a model.

The fast judge errs where it would answer from too little, or would not answer from enough. Its sufficiencies are
those of weights fitted without the case's fold; each set's cases are weighted to the share of sufficient ones for
which the calibration is stated. Of these errors a model's right verdict can mend those from the sufficiency on
which "yes" lifts to the threshold. The band is the smallest, in steps of .05, that holds `HELD` of them, over
wiki-mix (a real search) and in the mean of the sets of given passages; smallest is the mean share of questions.

    .venv/bin/python benchmarks/judge/band.py    # about 2 minutes, 8 the first time
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from cases import ASKED, ROOT, KeptEmbedder, asked
from fit import GIVEN, PRIORS, SEARCHED, table, tables
from learning import Table, out_of_fold
from numpy.typing import NDArray
from run import stamp

from assay.judging.model_verdict import sufficiency_after
from assay.judging.recommendation import Thresholds
from assay.judging.signals import Model, load_weights

TARGET = ROOT / "src" / "assay" / "judging" / "band.json"
RESULT = ROOT / "benchmarks" / "judge" / "results" / "band.json"
HELD, STEP = 0.8, 0.05
CORRECT = Thresholds().correct


@dataclass(frozen=True, slots=True)
class Judged:
    """One set's sufficiencies, labels and weights, row by row."""

    sufficiency: NDArray[np.float64]
    sufficient: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Whether the fast judge answers from too little, or does not answer from enough."""
        return (self.sufficiency >= CORRECT) != self.sufficient

    @property
    def mendable(self) -> NDArray[np.bool_]:
        """Of these, the ones that a right verdict mends."""
        lifted = np.array([sufficiency_after(float(each), "yes", CORRECT) >= CORRECT for each in self.sufficiency])
        return self.wrong & (lifted | ~self.sufficient)

    def share(self, rows: NDArray[np.bool_], of: NDArray[np.bool_] | None = None) -> float:
        """The weighted share of rows, of all or of some."""
        among = self.weight if of is None else self.weight[of]
        return float(self.weight[rows if of is None else rows & of].sum() / among.sum())

    def left(self, inside: NDArray[np.bool_], right: float) -> float:
        """The share of errors left when a model, right with this chance, says yes or no to the rows inside."""
        enough = {
            verdict: np.array(
                [sufficiency_after(float(each), verdict, CORRECT) >= CORRECT for each in self.sufficiency]
            )
            for verdict in ("yes", "no")
        }
        told = np.where(self.sufficient, right, 1 - right)  # the chance of a yes
        answered = np.where(inside, told * enough["yes"] + (1 - told) * enough["no"], self.sufficiency >= CORRECT)
        wrong = np.where(self.sufficient, 1 - answered, answered)
        return float((self.weight * wrong).sum() / self.weight.sum())

    def inside(self, low: float, high: float) -> NDArray[np.bool_]:
        """Which rows lie in the band."""
        return (self.sufficiency >= low) & (self.sufficiency <= high)


def judged(scored: Table, trained: Sequence[Table], names: Sequence[str], model: Model, prior: float) -> Judged:
    """The set's cases by weights of other folds and the shipped calibration."""
    found = out_of_fold(scored, trained, names)
    truth = scored.labels == 1
    weight = np.where(truth, prior / truth.mean(), (1 - prior) / (1 - truth.mean()))
    return Judged(np.array([model.calibration.probability(float(each)) for each in found]), truth, weight)


def learned(sets: Mapping[str, Judged]) -> tuple[float, float]:
    """The smallest band that holds enough of the errors that a verdict can mend."""
    steps = [round(n * STEP, 2) for n in range(int(1 / STEP) + 1)]
    fits = [(low, high) for low in steps for high in steps if low < high and _held(sets, low, high)]
    return min(fits, key=lambda band: (float(np.mean([s.share(s.inside(*band)) for s in sets.values()])), band))


def _held(sets: Mapping[str, Judged], low: float, high: float) -> bool:
    held = {name: each.share(each.inside(low, high), each.mendable) for name, each in sets.items()}
    given = [value for name, value in held.items() if name != ASKED]
    return held[ASKED] >= HELD and float(np.mean(given)) >= HELD


def report(sets: Mapping[str, Judged], low: float, high: float) -> dict[str, dict[str, float]]:
    """Print and return what the band holds of each set."""
    print(f"band {low} to {high}; threshold {CORRECT}")
    print(
        f"{'':12}{'n':>6} {'errs':>9} {'mendable':>9}   in band: questions, errors, mendable, errs; outside; left"
    )
    rows = {}
    for name, each in sets.items():
        inside = each.inside(low, high)
        row = {
            "n": len(each.weight),
            "errs": each.share(each.wrong),
            "mendable": each.share(each.mendable),
            "questions in band": each.share(inside),
            "errors in band": each.share(inside, each.wrong),
            "mendable errors in band": each.share(inside, each.mendable),
            "errs in band": each.share(each.wrong, inside),
            "errs outside": each.share(each.wrong, ~inside),
            "errs with a model right 4 of 5": each.left(inside, 0.8),
        }
        values = list(row.values())
        print(f"{name:12}{values[0]:6}", *(f"{value:9.3f}" for value in values[1:]))
        rows[name] = {key: round(value, 4) for key, value in row.items()}
    return rows


async def main() -> None:
    """Measure, choose, write."""
    embedder, weights = KeptEmbedder.open(), load_weights()
    titled = list((await tables(embedder, titles=True)).values())
    both = await tables(embedder)
    search = await table(await asked(embedder), embedder)
    embedder.keep()
    sets = {ASKED: judged(search, titled, SEARCHED, weights.searched, PRIORS["searched"])}
    for name, each in both.items():
        sets[name] = judged(each, list(both.values()), GIVEN, weights.given, PRIORS["given"])
    low, high = learned(sets)
    rows = report(sets, low, high)
    RESULT.write_text(json.dumps(stamp() | {"low": low, "high": high, "held": HELD, "sets": rows}, indent=2) + "\n")
    provenance = {"script": "benchmarks/judge/band.py", "learned_on": list(sets), "held": HELD, "correct": CORRECT}
    TARGET.write_text(json.dumps({"low": low, "high": high, "provenance": provenance}, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
