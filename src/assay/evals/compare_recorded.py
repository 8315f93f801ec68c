"""The comparison of recorded runs with themselves under other settings: from their tapes, without a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.client.reader import read
from assay.errors import AssayError, BudgetSpent, Diverged, ProviderError, UsageError
from assay.evals.cases import Case
from assay.evals.compare import Comparison, LeftOut, compare
from assay.evals.gate import Requirement
from assay.evals.metrics import cost, failures, groundedness, loop
from assay.evals.metrics.gold import GIVEN
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult
from assay.records.difference import Change, RunEnd
from assay.records.runs import RunRecord, RunStore, RunSummary
from assay.records.values import RunQuery
from assay.settings import load_settings
from assay.types import Answer, Verdict
from assay.wiring.what_if import what_if

ANSWERED = MeanMeasure(
    "answered", "outcome", lambda _case, result: float(result.outcome in GIVEN), "nothing was asked", better="neither"
)
SUPPORTED = MeanMeasure(
    "supported",
    "outcome",
    lambda _case, result: float(result.verdict is Verdict.SUPPORTED) if result.outcome in GIVEN else None,
    "no question was answered",
)
# What a recorded run says without a right answer to hold it against. How long a replay takes says nothing of how
# long the question would have taken.
RECORDED_MEASURES = (
    *failures.MEASURES,
    *(ANSWERED, SUPPORTED),
    *groundedness.MEASURES,
    *(loop.DRAFTS, loop.ROUNDS, loop.REPAIRS),
    *cost.MEASURES,
)


def compare_recorded(
    changes: Mapping[str, Any],
    *,
    limit: int,
    requirements: Sequence[Requirement] = (),
    begin: Callable[[int], None] = lambda _runs: None,
    advance: Callable[[], None] = lambda: None,
    **settings: Any,
) -> Comparison:
    """Compare a collection's latest recorded questions, at most `limit`, with what they become under `changes`.

    Each is decided again from its tape (see `assay.wiring.what_if`), and nothing is called. A run that needs a call
    which its tape does not hold is left out with the name of the call; so is one without a tape, and one that this
    version of assay decides otherwise even under its own settings. `begin` is told how many runs there are,
    `advance` is called after each. `settings` are today's, such as `data_dir` and `collection`. Raises UsageError
    where there is no run, a setting cannot be changed after the run, or no run is left.
    """
    chosen = load_settings(settings).settings
    where = {name: value for name, value in settings.items() if name != "collection"}
    store = RunStore(chosen.runs_file)
    try:
        runs = [run for run in store.find(RunQuery(chosen.collection, limit=limit)).runs if run.question]
        begin(len(runs))
        trials = []
        for run in runs:
            trials.append(_decided_again(store.load(run.run_id), changes, where))
            advance()
    finally:
        store.close()
    if not runs:
        raise UsageError(
            f"no question to the collection {chosen.collection} is recorded", hint="ask some first, or choose another with -c"
        )
    done = [trial for trial in trials if not isinstance(trial, _Refused)]
    refused = [trial for trial in trials if isinstance(trial, _Refused)]
    if not done:
        raise _of_all(refused)
    return compare(
        (f"{len(done)} recorded runs of {chosen.collection}", f"the same with {_named(changes)}"),
        _merged([changed for _, _, changed in done]),
        [Case(run.run_id, run.question) for run in runs],
        [before for before, _, _ in done],
        [after for _, after, _ in done],
        requirements=requirements,
        measures=RECORDED_MEASURES,
        left_out=[LeftOut(trial.run_id, trial.why) for trial in refused],
    )
