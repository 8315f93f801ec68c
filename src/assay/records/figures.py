"""Figures of reflection in one run and over many, from stored answers and measured costs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Self

from assay.calibration.curves import FITTED_MODE
from assay.types import (
    CheckCost,
    CheckCounts,
    Figures,
    Lookup,
    RepairKind,
    RunningMean,
    Status,
    Tries,
    Value,
    Verdict,
)

# The outcomes of answers that were given.
DELIVERED = ("answered", "partial")
_VERDICTS = frozenset(Verdict)
_REPAIRED = frozenset(RepairKind)


@dataclass(frozen=True, slots=True)
class RunFigures(Value):
    """One run in numbers.

    `reflections` counts the changes of the first draft: further drafts, and repairs kept. `improved` counts claims
    that failed, were changed and are supported in the end, `regressed` those that were supported and after a change
    are not, or were dropped; an unchanged claim is neither. `quality` is the assessment's overall score, None if it
    is unknown or there was none. `cost` is in US dollars, None if a price is unknown; `ms` is the time of the run.

    `sufficiency` is that of the evidence, 0 to 1, if the fitted judge judged a single search, else None. `costs`
    are the costs of the checks by name, with those that several share; `tries` the attempts of models; None if they
    were not measured. `confidence` is the score, `level` its level, `tokens` those of all model calls, None if a
    provider did not say; `outcome` is empty in figures that an earlier version stored. `lookup` is the look for a
    kept answer, None if none was made; what an answer's own run did to it is not counted again where it is reused.
    """

    delivered: bool
    reflections: int
    searches: int
    improved: int
    regressed: int
    repairs: Mapping[str, int]
    quality: float | None
    citations: int
    invalid_citations: int
    checks: Mapping[str, CheckCounts]
    cost: float | None
    ms: float
    sufficiency: float | None = None
    costs: Mapping[str, CheckCost] | None = None
    tries: Tries | None = None
    outcome: str = ""
    verdict: str = ""
    confidence: float | None = None
    level: str | None = None
    tokens: int | None = None
    lookup: Lookup | None = None

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """The figures from their stored form."""
        checks = {name: CheckCounts(**counts) for name, counts in body["checks"].items()}
        stored = body.get("costs")
        costs = None if stored is None else {name: CheckCost.read(cost) for name, cost in stored.items()}
        tries = body.get("tries")
        read = None if tries is None else Tries(**tries)
        lookup = body.get("lookup")
        looked = None if lookup is None else Lookup(**lookup)
        return cls(**{**body, "checks": checks, "costs": costs, "tries": read, "lookup": looked})


def figures_of(
    answer: Mapping[str, Any],
    costs: Mapping[str, CheckCost] | None = None,
    tries: Tries | None = None,
    lookup: Lookup | None = None,
) -> RunFigures:
    """The figures of an answer object as it is stored; what an older one does not hold counts as not there.

    `costs` are what its checks took, `tries` what replies took, and `lookup` whether a kept answer was looked for,
    which no answer object says: a replay takes other times and asks no model.
    """
    is_own = answer.get("reused_from") is None
    repairs = Counter(repair["kind"] for repair in answer["repairs"] if is_own)
    claims, dropped = (answer["claims"], answer.get("dropped", ())) if is_own else ((), ())
    return RunFigures(
        delivered=answer["outcome"] in DELIVERED,
        reflections=reflections_of(repairs, answer["drafts"]),
        searches=searches_of(answer),
        improved=claims_improved(claims),
        regressed=claims_regressed(claims, dropped),
        repairs=dict(repairs),
        quality=(answer.get("assessment") or {}).get("overall"),
        citations=len(answer["citations"]),
        invalid_citations=len(answer["invalid_citations"]),
        checks=_counts(answer["checks"]),
        cost=answer["usage"]["cost"],
        ms=answer["ms"],
        sufficiency=_comparable(answer) if is_own else None,
        costs=costs,
        tries=tries,
        outcome=answer["outcome"],
        verdict=answer.get("verdict", ""),
        confidence=answer.get("confidence", {}).get("score"),
        level=answer.get("confidence", {}).get("level"),
        tokens=answer["usage"].get("total_tokens"),
        lookup=lookup,
    )


def claims_improved(claims: Iterable[Mapping[str, Any]]) -> int:
    """Number of claims that failed, were changed and are supported in the end."""
    return sum(_improved(claim) for claim in claims)


def claims_regressed(claims: Iterable[Mapping[str, Any]], dropped: Iterable[Mapping[str, Any]]) -> int:
    """Number of claims that were supported and after a change are not, or were dropped."""
    return sum(_regressed(claim) for claim in claims) + sum(map(_was_supported, dropped))


def reflections_of(repairs: Counter[str], drafts: int) -> int:
    """Number of changes of an answer's first draft, from its repairs by kind and the number of its drafts.

    >>> reflections_of(Counter({"hedged": 2, "regenerated": 1}), drafts=2)
    3
    """
    # A draft that was written anew and kept is among the repairs as well.
    return repairs.total() - repairs[RepairKind.REGENERATE] + max(drafts - 1, 0)


def searches_of(answer: Mapping[str, Any]) -> int:
    """Number of rounds of searching that an answer took; in older records `iterations` says so.

    >>> searches_of({"iterations": 2}), searches_of({"iterations": 1, "searches": 3})
    (2, 3)
    """
    return int(answer.get("searches", answer["iterations"]))


def summed(runs: Iterable[RunFigures | None]) -> Figures:
    """The figures of runs together, one pass; None stands for a run that ended with an error.

    >>> summed([None]).failed
    1
    """
    total = failed = 0
    delivered: list[RunFigures] = []
    quality, costs, ms = RunningMean(), RunningMean(), RunningMean()
    tries = Tries()
    lookups = list[Lookup]()
    for run in runs:
        total += 1
        if run is None:
            failed += 1
            continue
        costs, ms = costs.followed_by(run.cost), ms.followed_by(run.ms)
        tries += run.tries or Tries()
        lookups += [] if run.lookup is None else [run.lookup]
        if run.delivered:
            delivered.append(run)
            quality = quality.followed_by(run.quality)
    figures = _of_delivered(delivered, total, failed, (quality, costs, ms))
    reused = sum(lookup.served for lookup in lookups)
    return replace(
        figures,
        tries=tries,
        first_try_share=tries.first_share,
        mean_tries=tries.mean,
        lookups=len(lookups),
        reused=reused,
        reuse_share=_share(reused, len(lookups)),
        saved_calls=sum(lookup.saved_calls for lookup in lookups),
    )


def _of_delivered(
    runs: list[RunFigures], total: int, failed: int, means: tuple[RunningMean, RunningMean, RunningMean]
) -> Figures:
    """Figures over the answers that were delivered, among all runs."""
    quality, costs, ms = means
    reflections, reflected = sum(run.reflections for run in runs), sum(run.reflections > 0 for run in runs)
    improved, regressed = sum(run.improved for run in runs), sum(run.regressed for run in runs)
    marks, invalid = sum(run.citations for run in runs), sum(run.invalid_citations for run in runs)
    repairs: Counter[str] = Counter()
    checks: dict[str, CheckCounts] = {}
    check_costs: dict[str, CheckCost] = {}
    for run in runs:
        repairs.update(run.repairs)
        for name, counts in run.checks.items():
            checks[name] = checks.get(name, CheckCounts()) + counts
        for name, cost in (run.costs or {}).items():
            check_costs[name] = check_costs.get(name, CheckCost()) + cost
    return Figures(
        runs=total,
        failed=failed,
        delivered=len(runs),
        reflected=reflected,
        reflections=reflections,
        improved=improved,
        regressed=regressed,
        reflection_rate=_share(reflected, len(runs)),
        iterations=_share(len(runs) + reflections, len(runs)),
        net_improvement=improved - regressed,
        repairs=dict(sorted(repairs.items())),
        quality=quality,
        citations=marks,
        invalid_citations=invalid,
        citation_validity=_share(marks - invalid, marks),
        checks=dict(sorted(checks.items())),
        costs=costs,
        ms=ms,
        measured=sum(run.costs is not None for run in runs),
        check_costs=dict(sorted(check_costs.items())),
    )


def unrepaired(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The messages of the blocking findings of a delivered answer, and of those to be repaired."""
    if answer["outcome"] not in DELIVERED:
        return ()
    left = (finding for finding in answer["findings"] if finding["severity"] in ("block", "repair"))
    return tuple(f"{finding['check']}: {finding['message']}" for finding in left)


def _comparable(answer: Mapping[str, Any]) -> float | None:
    """The sufficiency if it can be compared with that of other questions, else None."""
    judgement = answer.get("judgement", {})
    fitted = judgement.get("calibrated") and answer.get("mode_used") == FITTED_MODE and searches_of(answer) == 1
    value: float | None = judgement["sufficiency"] if fitted else None
    return value


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _counts(checks: Iterable[Mapping[str, Any]]) -> dict[str, CheckCounts]:
    """The results of the checks, by name."""
    found: dict[str, Counter[str]] = {}
    for check in checks:
        found.setdefault(check["name"], Counter())[check["status"]] += 1
    return {name: CheckCounts(*(by[status] for status in Status)) for name, by in found.items()}


def _was_supported(claim: Mapping[str, Any]) -> bool:
    """True if the claim was supported before its first repair."""
    return _before_repairs(claim)[-1:] == [Verdict.SUPPORTED]


def _improved(claim: Mapping[str, Any]) -> bool:
    failed = _was_changed(claim) and bool(_before_repairs(claim)) and not _was_supported(claim)
    return bool(failed and claim["verdict"] == Verdict.SUPPORTED)


def _regressed(claim: Mapping[str, Any]) -> bool:
    return bool(_was_changed(claim) and _was_supported(claim) and claim["verdict"] != Verdict.SUPPORTED)


def _was_changed(claim: Mapping[str, Any]) -> bool:
    return any(event["state"] in _REPAIRED for event in claim["history"])


def _before_repairs(claim: Mapping[str, Any]) -> list[str]:
    """The verdicts on a claim before the first repair of it: each tier gives one, the last is what was repaired."""
    states = takewhile(lambda state: state not in _REPAIRED, (event["state"] for event in claim["history"]))
    return [state for state in states if state in _VERDICTS]
