"""The comparison of recorded runs with themselves under other settings: from their tapes, without a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, BudgetSpent, Diverged, ProviderError, StoreError, UsageError
from assay.evals.cases import Case
from assay.evals.compare import Comparison, LeftOut, compare, require_measurable
from assay.evals.evaluate import result_of
from assay.evals.gate import Requirement
from assay.evals.metrics import cost, failures, groundedness, loop
from assay.evals.metrics.gold import GIVEN
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult
from assay.records.runs import RunRecord
from assay.records.values import RunQuery
from assay.settings import load_settings
from assay.types import Answer, Change, Verdict
from assay.wiring.recording import open_record
from assay.wiring.what_if import what_if

if TYPE_CHECKING:
    from pydantic import TypeAdapter

ANSWERED = MeanMeasure(
    "answered",
    "outcome",
    lambda _case, result: float(result.outcome in GIVEN),
    "nothing was asked",
    better="neither",
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
    advance: Callable[[], None] = lambda: None,
    **settings: Any,
) -> Comparison:
    """Compare a collection's latest recorded questions, at most `limit`, with what they become under `changes`.

    Each is decided again from its tape (see `assay.wiring.what_if`), and nothing is called. A run that needs a call
    which its tape does not hold is left out with the name of the call; so is one without a tape, and one that this
    version of assay decides otherwise even under its own settings. `advance` is called after each run. `settings`
    are today's, such as `data_dir` and `collection`. Raises UsageError where there is no run, a setting cannot be
    changed after the run, or no run is left.
    """
    require_measurable(requirements, RECORDED_MEASURES)
    chosen = load_settings(settings).settings
    where = {name: value for name, value in settings.items() if name != "collection"}
    store = open_record(chosen)
    try:
        runs = [run for run in store.find(RunQuery(chosen.collection, limit=limit)).runs if run.question]
        trials = []
        for run in runs:
            trials.append(_decided_again(store.load(run.run_id), changes, where))
            advance()
    finally:
        store.close()
    if not runs:
        raise UsageError(
            f"no question to the collection {chosen.collection} is recorded",
            hint="ask some first, or choose another with -c",
        )
    done = [trial for trial in trials if isinstance(trial, _Trial)]
    refused = [trial for trial in trials if isinstance(trial, _Refused)]
    if not done:
        raise _of_all(refused)
    named = ", ".join(f"{name}={'none' if value is None else value}" for name, value in changes.items())
    return compare(
        (f"{len(done)} recorded runs of {chosen.collection}", f"the same with {named}"),
        _merged([trial.settings for trial in done]),
        [Case(run.run_id, run.question) for run in runs if run.run_id not in {trial.run_id for trial in refused}],
        [trial.before for trial in done],
        [trial.after for trial in done],
        requirements=requirements,
        measures=RECORDED_MEASURES,
        left_out=[LeftOut(trial.run_id, trial.why) for trial in refused],
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """A run as it was recorded, and as the changed settings decide it."""

    before: CaseResult
    after: CaseResult
    settings: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class _Refused:
    """A run that could not be decided again, and the error that said so, None where it would not be fair to."""

    run_id: str
    why: str
    error: AssayError | None = None


def _decided_again(record: RunRecord, changes: Mapping[str, Any], where: Mapping[str, Any]) -> _Trial | _Refused:
    """The run under the changed settings, or why there is none."""
    run_id = record.run.run_id
    try:
        before = _recorded(record)
    except ValueError:
        return _Refused(run_id, "it was recorded by another version of assay")
    try:
        found = what_if(run_id, changes, **where)
    except Diverged as error:
        return _Refused(run_id, f"it needs {error.call}, which is not on its tape", error)
    except (UsageError, StoreError) as error:
        return _Refused(run_id, str(error).replace(f"run {run_id}", "it"), error)
    except (ProviderError, BudgetSpent) as error:  # under these settings the question itself fails
        failed = CaseResult(run_id, 0, None, error=type(error).__name__, message=str(error))
        return _Trial(before, failed, ())
    if found.drifted:
        return _Refused(run_id, "this version of assay decides it otherwise even under its own settings")
    return _Trial(before, result_of(run_id, 0, found.answer), found.settings)


def _recorded(record: RunRecord) -> CaseResult:
    """The result that was recorded. Raises ValueError for an answer that cannot be read."""
    run_id = record.run.run_id
    if record.answer is None:
        last = record.events[-1].body
        return CaseResult(run_id, 0, None, error=last["error"], message=last["message"])
    return result_of(run_id, 0, _answers().validate_python(record.answer))


@cache
def _answers() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter

    return TypeAdapter(Answer)


def _merged(settings: Sequence[tuple[Change, ...]]) -> tuple[Change, ...]:
    """The changed settings; of one that the runs were asked with in several ways, each way."""
    found: list[Change] = []
    for change in (change for changes in settings for change in changes):
        if change not in found:  # a value may be a list, which no set takes
            found.append(change)
    return tuple(found)


def _of_all(refused: Sequence[_Refused]) -> AssayError:
    """The error for runs none of which could be decided again: what was said of the first one."""
    first = refused[0]
    if first.error is not None and not isinstance(first.error, Diverged):
        return first.error
    return UsageError(
        f"none of {len(refused)} recorded runs could be decided again: of the latest, {first.why}",
        hint="change settings whose effect needs no new call, or ask the questions again with both: `assay eval`",
    )
