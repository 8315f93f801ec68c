"""The comparison of two evaluations that lie in folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.evals.compare import Comparison, compare
from assay.evals.gate import Requirement
from assay.evals.run_folder import Evaluation, read_cases, read_evaluation, read_results
from assay.types import Change

# What two evaluations of one data set may differ in without being set up otherwise.
_NO_SETTING = frozenset({"schema", "dataset", "shape", "dataset_sha256", "cases", "started"})


def compare_folders(first: Path, second: Path, requirements: Sequence[Requirement] = ()) -> Comparison:
    """Compare two evaluations of the same data set.

    Raises UsageError for a folder without an evaluation, two data sets, or requirements that cannot be held against
    these evaluations, also where one of them has no result of some cases; and DamagedStore for a folder that cannot
    be read.
    """
    before, after = read_evaluation(first), read_evaluation(second)
    if before.dataset_sha256 != after.dataset_sha256:
        changed = (
            f"{before.dataset} changed between them"
            if before.dataset == after.dataset
            else (f"they asked {before.dataset} and {after.dataset}")
        )
        raise UsageError(
            f"{first} and {second} are evaluations of different data sets: {changed}",
            hint="run `assay eval` with both versions on the same file, and compare those folders",
        )
    cases = {case.id: case for folder in (first, second) for case in read_cases(folder)}
    found = compare(
        (str(first), str(second)),
        settings_changes(before, after),
        tuple(cases.values()),
        tuple(read_results(first)),
        tuple(read_results(second)),
        requirements=requirements,
    )
    if requirements and found.left_out:  # what was not asked could hide what the gate is there to find
        missing = found.left_out[0]
        raise UsageError(
            f"a gate needs all questions: {len(found.left_out)} of {len(cases)} are missing on a side; of "
            f"{missing.case} there is {missing.why}",
            hint="finish the evaluation: the same `assay eval` with the same --out goes on where it was",
        )
    return found


def settings_changes(before: Evaluation, after: Evaluation) -> tuple[Change, ...]:
    """What differs in how the two were set up: versions, collection, settings and models.

    >>> one = Evaluation("q.jsonl", "own", "", 2, 1, "fast", "0.1.0", 0.0, settings={"k": 8})
    >>> other = Evaluation("q.jsonl", "own", "", 2, 1, "fast", "0.2.0", 9.0, settings={"k": 5})
    >>> [(change.path, change.before, change.after) for change in settings_changes(one, other)]
    [('version', '0.1.0', '0.2.0'), ('settings.k', 8, 5)]
    """
    one, other = dict(_flat(before.to_dict())), dict(_flat(after.to_dict()))
    names = [name for name in {**one, **other} if name not in _NO_SETTING]
    return tuple(Change(name, one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name))


def _flat(body: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The values by their paths."""
    for name, value in body.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
