"""What an own calibration promises holds only for answers that are made and tested as the labelled ones were."""

from dataclasses import replace

import pytest

from assay.calibration.shipped import shipped
from assay.core.budget import Budget
from assay.core.run import Run
from assay.core.tape import SystemClock
from assay.errors import UsageError
from assay.settings import Settings
from assay.types import ModelsUsed
from assay.wiring.calibrated import guarantee_of_answers

ASKED = Settings(max_risk=0.5)
USED = ModelsUsed("extractive", "heuristic (fitted)", "deterministic")


def run() -> Run:
    """A run of a collection with labels of its own: those that ship, by who answers and tests here."""
    fit = shipped()["searched"]
    own = replace(fit, made_for=replace(fit.made_for, writer="extractive", verifier="deterministic"))
    limits = Settings(rounds=1).limits("fast")
    return Run("r", "fast", limits, SystemClock(), Budget(limits, SystemClock()), None, calibration=own)


def test_it_holds_for_answers_made_and_tested_alike() -> None:
    fit = shipped()["searched"].made_for
    found = guarantee_of_answers(ASKED, run(), fit.embedding, fit.judge, USED)
    assert found is not None
    assert found.risk == 0.5


@pytest.mark.parametrize(
    ("used", "what"),
    [
        (replace(USED, verifier="deterministic, minilm-l6-checker-int8-0"), "another verifier"),
        (replace(USED, verifier="deterministic, openai:m"), "another verifier"),
        (replace(USED, writer="openai:m"), "another writer"),
    ],
)
def test_it_is_refused_where_others_answer_or_test(used: ModelsUsed, what: str) -> None:
    fit = shipped()["searched"].made_for
    with pytest.raises(UsageError, match=f"no risk can be promised with {what}"):
        guarantee_of_answers(ASKED, run(), fit.embedding, fit.judge, used)
