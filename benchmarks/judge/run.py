"""The bars of the fast judge: against word overlap, against the seed's formula, and answer or refuse.

.venv/bin/python benchmarks/judge/run.py
"""

from __future__ import annotations

import asyncio
import json
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from cases import ASKED, ROOT, SETS, TRAIN, Case, KeptEmbedder, asked, given, open_reader
from fit import GIVEN, GIVEN_READ, SEARCHED, SEARCHED_READ, WORDS, table
from learning import Table, fit, out_of_fold, scores
from numpy.typing import NDArray
from seed import SeedJudge

from assay.evals.metrics import auroc, paired_bootstrap
from assay.judging.reader_judge import HeuristicJudge
from assay.nlp.tokens import terms
from assay.types import Action

RESULT = ROOT / "benchmarks" / "judge" / "results" / "judge.json"
# The model reads English; of this set words alone are judged.
BY_WORDS = ("rgb-zh",)
# Of the questions without an answer, this share must be refused.
REFUSED = 0.6


@dataclass(frozen=True, slots=True)
class Columns:
    """The scores of one set by each system, row by row."""

    name: str
    cases: list[Case]
    systems: dict[str, NDArray[np.float64]]

    @property
    def labels(self) -> list[bool]:
        """Whether each case's evidence suffices."""
        return [case.sufficient for case in self.cases]

    def auroc(self, system: str) -> float:
        """The system's AUROC on the set."""
        return auroc(list(self.systems[system]), self.labels)


def overlap(cases: Sequence[Case]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share of the question's content words in the best passage, and in all passages together."""
    best, together = [], []
    for case in cases:
        wanted = set(terms(case.asked))
        held = [wanted & set(terms(passage.text)) for passage in case.evidence.passages]
        best.append(max((len(each) for each in held), default=0) / max(1, len(wanted)))
        together.append(len(set().union(*held)) / max(1, len(wanted)))
    return np.array(best), np.array(together)


async def seed(cases: Sequence[Case], embedder: KeptEmbedder) -> NDArray[np.float64]:
    """The confidence by the seed's formula."""
    judge = SeedJudge(embedder)
    judged = [await judge.judge(case.question, case.evidence) for case in cases]
    return np.array([each.sufficiency for each in judged], float)


def by_fit(name: str, both: dict[str, Table], plain: dict[str, Table], names: Sequence[str]) -> dict[str, NDArray]:
    """The judge's scores out of fold, and by weights fitted without the set."""
    every, signals = (plain, WORDS) if name in BY_WORDS else (both, names)
    training = {each: every[each] for each in TRAIN}
    others = [each for key, each in training.items() if key != name]
    return {
        "out of fold": out_of_fold(every[name], list(training.values()), signals),
        "leaving it out": scores(every[name], fit(others, signals)),
    }


async def main() -> None:
    """Measure, print, write."""
    embedder, reader = KeptEmbedder.open(), open_reader()
    cases = {name: given(name) for name in SETS} | {ASKED: await asked(embedder)}
    both = {name: await table(each, embedder, reader) for name, each in cases.items() if name not in BY_WORDS}
    plain = {name: await table(cases[name], None) for name in (*TRAIN, *BY_WORDS)}
    columns = []
    for name in SETS:
        best, together = overlap(cases[name])
        systems = {"best passage": best, "all passages": together, "seed": await seed(cases[name], embedder)}
        systems |= {"no reader": by_fit(name, both, plain, GIVEN)["out of fold"]}
        columns.append(Columns(name, cases[name], systems | by_fit(name, both, plain, GIVEN_READ)))
    titled = {name: await table(given(name, titles=True), embedder, reader) for name in TRAIN}
    titled |= {ASKED: both[ASKED]}
    judge = HeuristicJudge(embedder, reader=reader)
    report = {"sets": sets_report(columns), ASKED: await asked_report(cases[ASKED], titled, plain, judge)}
    embedder.keep()
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(stamp() | report, indent=2) + "\n")


def sets_report(columns: Sequence[Columns]) -> dict[str, object]:
    """Print and return the table of the sets of given passages."""
    systems = list(columns[0].systems)
    means = {system: float(np.mean([each.auroc(system) for each in columns])) for system in systems}
    stronger = max(("best passage", "all passages"), key=lambda system: means[system])
    print(f"{'AUROC':15}", *(f"{system:>15}" for system in systems), "  out of fold - overlap, 95 %")
    rows: dict[str, object] = {}
    for each in columns:
        gap = paired_bootstrap(
            lambda rows, c=each: _auroc(c, "out of fold", rows),
            lambda rows, c=each: _auroc(c, stronger, rows),
            [case.group for case in each.cases],
        )
        values = {system: round(each.auroc(system), 4) for system in systems}
        print(f"{each.name:15}", *(f"{value:15.3f}" for value in values.values()), end="   ")
        print(f"{gap.difference:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{' BELOW' if gap.below else ''}")
        rows[each.name] = values | {
            "n": len(each.cases),
            "gap": [round(v, 4) for v in (gap.difference, gap.low, gap.high)],
        }
    print(f"{'mean':15}", *(f"{mean:15.3f}" for mean in means.values()))
    print(f"overlap is {stronger}; the bar is {means[stronger] + 0.04:.3f}")
    return {"rows": rows, "mean": {key: round(mean, 4) for key, mean in means.items()}, "overlap": stronger}


def _auroc(columns: Columns, system: str, rows: NDArray[np.intp]) -> float:
    labels = np.array(columns.labels)[rows]
    return auroc(list(columns.systems[system][rows]), list(labels))


async def asked_report(
    cases: Sequence[Case], titled: dict[str, Table], plain: dict[str, Table], judge: HeuristicJudge
) -> dict[str, object]:
    """Print and return answer or refuse over wiki-mix: out of fold, by nearness alone, and as shipped."""
    labels = [case.sufficient for case in cases]
    fitted = by_fit(ASKED, titled, plain, SEARCHED_READ)["out of fold"]
    unread = by_fit(ASKED, titled, plain, SEARCHED)["out of fold"]
    nearest = [max(hit.scores.dense or 0.0 for hit in case.evidence.hits) for case in cases]
    judged = [await judge.judge(case.question, case.evidence) for case in cases]
    answers = np.array([each.recommendation is Action.ANSWER for each in judged])
    truth = np.array(labels)
    threshold = float(np.quantile(fitted[~truth], REFUSED))
    numbers = {
        "auroc out of fold": auroc(list(fitted), labels),
        "auroc out of fold, no reader": auroc(list(unread), labels),
        "auroc of the best cosine": auroc(nearest, labels),
        "answered, at 60 % refused, out of fold": float((fitted[truth] > threshold).mean()),
        "refused as shipped": float((~answers[~truth]).mean()),
        "answered as shipped": float(answers[truth].mean()),
    }
    print(f"\n{ASKED}: {int(truth.sum())} questions with an answer in the corpus, {int((~truth).sum())} without")
    for name, value in numbers.items():
        print(f"  {name:40} {value:.3f}")
    return {name: round(value, 4) for name, value in numbers.items()}


def stamp() -> dict[str, object]:
    """When and where this was measured."""
    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.platform(),
        "revision": revision.stdout.strip(),
    }


if __name__ == "__main__":
    asyncio.run(main())
