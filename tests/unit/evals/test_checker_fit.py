"""Fitting a checker to labelled claims: what is kept, what it reaches on claims not seen, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.stages import CheckerModel, Pair
from assay.errors import UsageError
from assay.evals.checker_fit import FEWEST_FALSE, FEWEST_TRUE, CheckerFit, fit_checker
from assay.evals.fitting import fold_of
from assay.evals.labels_file import LabelledClaim, read_labelled_claims
from assay.testing.fakes import WordEmbedder

from .labelled import ENOUGH, MARKS, rows, written

SURE = {"yes": (0.95, 0.01), "no": (0.02, 0.95), "well": (0.1, 0.05)}


@dataclass(frozen=True, slots=True)
class MarkChecker:
    """Says of a pair what is scripted for the last word of its text."""

    script: Mapping[str, tuple[float, float]]
    languages: tuple[str, ...] = ("en",)
    asked: list[Pair] = field(default_factory=list)

    @property
    def model(self) -> CheckerModel:
        return CheckerModel("marks", "0" * 64, self.languages, None)

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        self.asked.extend(pairs)
        said = [self.script[each.evidence.split()[-1]] for each in pairs]
        return np.array([(yes, no, 1 - yes - no) for yes, no in said], np.float32)


def claims(folder: Path, found: list[dict[str, str]]) -> tuple[LabelledClaim, ...]:
    return read_labelled_claims(written(folder / "claims.jsonl", found))


async def fit(folder: Path, found: list[dict[str, str]], checker: MarkChecker | None = None) -> CheckerFit:
    return await fit_checker(claims(folder, found), checker or MarkChecker(SURE), WordEmbedder())


async def test_a_checker_that_knows_reaches_claims_it_did_not_see(tmp_path: Path) -> None:
    checker, measured = MarkChecker(SURE), []
    some = claims(tmp_path, rows())
    found = await fit_checker(some, checker, WordEmbedder(), lambda: measured.append(1))
    reached = found.reached
    assert (reached.true, reached.false, len(measured)) == (44, 88, 132)
    assert (reached.supported, reached.passed, reached.flagged) == (44, 0, 0)
    assert (reached.contradicted, reached.rightly, reached.auroc) == (40, 40, 1.0)
    assert found.alone.supported == 0
    assert 0 < found.policy.unsupported <= found.policy.supported < 1
    assert found.policy.contradicted is not None
    # Every pair was put to the network once.
    assert len(checker.asked) == len(set(checker.asked)) == 132


async def test_the_same_labels_make_the_same_policy(tmp_path: Path) -> None:
    first, second = [await fit(tmp_path, rows()) for _ in range(2)]
    assert first == second


async def test_labels_without_contradictions_call_nothing_contradicted(tmp_path: Path) -> None:
    found = await fit(tmp_path, [each | {"label": _merged(each["label"])} for each in rows()])
    assert found.policy.contradicted is None
    assert found.reached.contradicted == 0


def _merged(label: str) -> str:
    return "unsupported" if label == "contradicted" else label


@pytest.mark.parametrize(("label", "count"), [("supported", 18), ("unsupported", 17)])
async def test_too_few_labels_are_refused_before_anything_is_asked(tmp_path: Path, label: str, count: int) -> None:
    checker = MarkChecker(SURE)
    with pytest.raises(UsageError, match=f"{FEWEST_TRUE} and {FEWEST_FALSE} are needed: fewer could not") as raised:
        await fit(tmp_path, rows({**ENOUGH, label: count}), checker)
    assert "label more claims of that kind" in raised.value.hint
    assert checker.asked == []


async def test_too_little_evidence_is_refused(tmp_path: Path) -> None:
    one = [each | {"claim": f"{each['claim']} {at}", "evidence": "It rained."} for at, each in enumerate(rows())]
    with pytest.raises(UsageError, match="too little evidence: 1 different texts; 20 are needed"):
        await fit(tmp_path, one)


async def test_claims_that_the_checker_does_not_read_do_not_count(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="0 supported and 0 not, of those that the checker rules on"):
        await fit(tmp_path, rows(), MarkChecker(SURE, languages=("de",)))


async def test_labels_in_another_order_than_told_are_refused(tmp_path: Path) -> None:
    turned = {mark: (no, yes) for mark, (yes, no) in SURE.items()} | {"well": (0.5, 0.1)}
    with pytest.raises(UsageError, match="no better than chance: AUROC 0") as raised:
        await fit(tmp_path, rows(), MarkChecker(turned))
    assert "right order" in raised.value.hint


async def test_a_fit_that_lets_too_many_false_claims_pass_is_not_kept(tmp_path: Path) -> None:
    # Beside some evidence, all of one fold, the checker says yes to false claims: no line of that fold has seen it.
    found = [each | {"evidence": _turned(each)} for each in rows({**ENOUGH, "unsupported": 50})]
    turned = {each["evidence"] for each in found if "ship" in each["evidence"]}
    assert len(turned) > 5
    with pytest.raises(UsageError, match=rf"nothing is kept: of \d+ false claims .* would call {2 * len(turned)}"):
        await fit(tmp_path, found)


def _turned(row: dict[str, str]) -> str:
    other = row["evidence"].replace("boat", "ship").replace("well", "yes")
    return other if row["label"] == "unsupported" and fold_of(other) == 0 else row["evidence"]


def test_marks_are_scripted() -> None:
    assert set(MARKS.values()) == set(SURE)
