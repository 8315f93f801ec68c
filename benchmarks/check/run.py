"""The bars of the support score behind `assay check`: against word overlap, out of fold and leaving one set out.

.venv/bin/python benchmarks/check/run.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from fit import fitted, out_of_fold
from rows import ALL, FITTED, OTHERS, SUMMEDITS, Labelled, checks_of, every, passage, raw

from assay.evals.metrics import Interval, auroc, paired_bootstrap
from assay.nlp.alignment import Alignment
from assay.nlp.sources import SourceIndex
from assay.types import Status
from assay.verification.support import features, trees

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

Scores = Mapping[str, np.ndarray]


def weakened(sets: Mapping[str, Labelled], scores: Scores) -> dict[str, np.ndarray]:
    """The log odds as probabilities, less what failed fact checks take."""
    return {name: sets[name].left / (1 + np.exp(-each)) for name, each in scores.items()}


def left_out(sets: Mapping[str, Labelled], out: Sequence[str]) -> dict[str, np.ndarray]:
    """The scores of the sets in `out` by trees that saw none of them."""
    names = [name for name in FITTED if name not in out]
    model = fitted(sets, {name: np.ones(len(sets[name].supported), dtype=bool) for name in names})
    return weakened(sets, {name: model.decision_function(sets[name].inputs) for name in out})


def difference(each: Labelled, scores: np.ndarray) -> Interval:
    """The score's AUROC less overlap's, with its interval."""
    return paired_bootstrap(
        lambda rows: auroc(scores[rows], each.supported[rows]),
        lambda rows: auroc(each.overlap[rows], each.supported[rows]),
        each.groups,
    )


def milliseconds(count: int = 200) -> dict[str, float]:
    """Median and 95th percentile of one claim's support by words alone, each beside sources of its own, in ms."""
    rows = [row for name in ("scifact", "summedits-samsum", "falke") for row in raw(name)[: count // 3]]
    taken = []
    for row in rows:
        started = time.perf_counter()
        claim = row["claim"]
        sources = SourceIndex([passage(row["context"])])
        trees("words").probability(features(Alignment(claim, claim, sources, is_verbatim=True)))
        taken.append(1000 * (time.perf_counter() - started))
    return {"median": statistics.median(taken[3:]), "p95": float(np.percentile(taken[3:], 95))}


def alarms(names: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many supported and unsupported claims of the sets each fact check fails."""
    counts: dict[str, dict[str, int]] = {}
    for name in names:
        rows = raw(name)
        read_once = {text: SourceIndex([passage(text)]) for text in {row["context"] for row in rows}}
        for row in rows:
            made = checks_of(row["claim"], read_once[row["context"]])
            for check in {each.name for each in made if each.status is Status.FAILED}:
                found = counts.setdefault(check, {"supported": 0, "not supported": 0})
                found["supported" if row["supported"] else "not supported"] += 1
    return counts


def mean(values: Mapping[str, float], names: Sequence[str]) -> float:
    """The mean over the sets named."""
    return float(np.mean([values[name] for name in names]))


def table(sets: Mapping[str, Labelled], systems: Mapping[str, Scores], apart: Mapping[str, Interval]) -> None:
    """Print AUROC by set and system."""
    print(f"{'set':22}" + "".join(f"{name:>16}" for name in systems) + "   difference to overlap")
    for name, each in sets.items():
        cells = [f"{auroc(s[name], each.supported):16.3f}" if name in s else " " * 16 for s in systems.values()]
        gap = apart[name]
        note = "  BELOW" if gap.below else ""
        print(f"{name:22}{''.join(cells)}   {gap.difference:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{note}")


def main() -> None:
    """Measure, print, write."""
    sets = every(ALL)
    words = {name: each.words_only for name, each in sets.items()}
    alone = {name: left_out(sets, [name])[name] for name in FITTED}
    systems: dict[str, Scores] = {
        "overlap": {name: each.overlap for name, each in sets.items()},
        "words": weakened(sets, out_of_fold(words)),
        "vectors": weakened(sets, out_of_fold(sets)),
        "set left out": alone,
        "summedits out": left_out(sets, SUMMEDITS),
    }
    apart = {name: difference(each, systems["vectors"][name]) for name, each in sets.items()}
    table(sets, systems, apart)
    values = {s: {n: auroc(v, sets[n].supported) for n, v in scores.items()} for s, scores in systems.items()}
    unfitted = {name: values["set left out"].get(name, values["vectors"][name]) for name in sets}
    means = {
        "summedits, overlap": mean(values["overlap"], SUMMEDITS),
        "summedits, words, out of fold": mean(values["words"], SUMMEDITS),
        "summedits, vectors, out of fold": mean(values["vectors"], SUMMEDITS),
        "summedits, vectors, set left out": mean(unfitted, SUMMEDITS),
        "summedits, vectors, all eight left out": mean(values["summedits out"], SUMMEDITS),
        "six others, overlap": mean(values["overlap"], OTHERS),
        "six others, words, out of fold": mean(values["words"], OTHERS),
        "six others, vectors, out of fold": mean(values["vectors"], OTHERS),
        "six others, vectors, set left out": mean(unfitted, OTHERS),
    }
    speed = milliseconds()
    for name, value in means.items():
        print(f"{name:45} {value:.3f}")
    below = [name for name in OTHERS if apart[name].below]
    gain = means["six others, vectors, out of fold"] - means["six others, overlap"]
    print(f"bar 1: summedits {means['summedits, vectors, out of fold']:.3f}, at least .60")
    print(f"bar 2: six others {gain:+.3f} over overlap, at least +.05; below on {below or 'none'}")
    print(f"one claim by words alone: median {speed['median']:.1f} ms, 95th percentile {speed['p95']:.1f} ms")
    by_set = {
        name: {system: round(found[name], 3) for system, found in values.items() if name in found}
        | {"difference": [round(each, 3) for each in (gap.difference, gap.low, gap.high)]}
        for name, gap in apart.items()
    }
    numbers = {
        "means": {name: round(value, 3) for name, value in means.items()},
        "milliseconds of one claim by words alone": {name: round(value, 1) for name, value in speed.items()},
        "claims whose check fails": alarms((*SUMMEDITS, *OTHERS)),
        "AUROC": by_set,
    }
    write_result("check", "check", numbers)


if __name__ == "__main__":
    main()
