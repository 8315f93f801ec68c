"""What labels teach: each part before and after, and what is not put in force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.calibration.fit import MadeFor
from assay.evals.labels_file import Labelled, LabelledClaim
from assay.evals.learning import State, best_threshold, learn_checker, learn_threshold
from assay.evals.recalibrate import LabelledAnswer
from assay.testing.fakes import WordEmbedder
from assay.types import Passage, Verdict

from .labelled import rows
from .test_checker_fit import SURE, MarkChecker, claims

ORIGIN = MadeFor("e", "fast (read)", "extractive", "v", "w")


def answers(*given: tuple[float, bool]) -> list[LabelledAnswer]:
    """Labelled answers to as many questions, each with its signal and whether it is right."""
    return [
        LabelledAnswer(Labelled(n, f"r{n}", right), f"r{n}", ORIGIN, signal, 0.9, f"question {n}", 1, is_read=True)
        for n, (signal, right) in enumerate(given, 1)
    ]


def test_a_threshold_that_leaves_wrong_answers_unmarked_is_learned():
    low, high = [(0.71 + n / 1000, n % 5 == 0) for n in range(40)], [(0.9, True)] * 40
    found = learn_threshold(answers(*low, *high), 0.7, known=0)
    assert found.lesson.state is State.LEARNED
    assert found.result == 0.75  # the lowest of those that are worth most
    assert (found.lesson.before["marked"], found.lesson.before["right"]) == (80, 48)
    assert found.lesson.after["right"] >= 40
    assert found.lesson.low is not None
    assert found.lesson.low > 0


def test_a_threshold_chosen_by_chance_is_found_out_on_what_it_did_not_see():
    chance = np.random.default_rng(1)
    given = [(float(signal), n % 25 > 0) for n, signal in enumerate(chance.uniform(0.7, 1.0, 300))]
    found = learn_threshold(answers(*given), 0.7, known=0)
    assert (found.lesson.state, found.result) == (State.WORSE, None)
    assert found.lesson.before == {"threshold": 0.7, "marked": 300, "right": 288}


def test_answers_that_no_reader_read_have_no_mark():
    unread = [replace(one, is_read=False) for one in answers(*[(0.8, n % 3 > 0) for n in range(60)])]
    assert learn_threshold(unread, 0.7, known=0).lesson.labels == "0 labelled answers, 0 right and 0 wrong"


@pytest.mark.parametrize(
    ("given", "known", "state"),
    [
        ([(0.8, True)] * 39, 0, State.TOO_FEW),
        ([(0.8, True)] * 60 + [(0.8, False)] * 9, 0, State.TOO_FEW),
        ([(0.8, True)] * 30 + [(0.8, False)] * 10, 40, State.NOTHING_NEW),
    ],
)
def test_too_few_or_no_new_labels_teach_nothing(given, known, state):
    found = learn_threshold(answers(*given), 0.7, known)
    assert (found.lesson.state, found.result, found.lesson.gain) == (state, None, None)
    assert found.lesson.needed == "40, at least 10 right and 10 wrong"


def test_of_thresholds_that_are_worth_the_same_the_nearest_is_taken():
    assert best_threshold(np.array([0.6, 0.9]), np.array([1.0, 1.0]), 0.6) == 0.6
    assert best_threshold(np.array([0.6, 0.9]), np.array([1.0, 1.0]), 0.7) == 0.6
    assert best_threshold(np.array([0.8, 0.9]), np.array([1.0, 1.0]), 0.7) == 0.7


async def test_a_checker_that_was_not_fitted_learns_from_claims(tmp_path: Path):
    found = await learn_checker(claims(tmp_path, rows()), MarkChecker(SURE), WordEmbedder(), known=0)
    assert found.lesson.state is State.LEARNED
    assert found.lesson.before["true claims supported"] == 0
    assert found.lesson.after["true claims supported"] == 44
    assert found.lesson.after["false claims supported"] == 0


async def test_a_checker_that_knows_nothing_is_refused_with_the_reason(tmp_path: Path):
    level = dict.fromkeys(SURE, (0.5, 0.2))
    found = await learn_checker(claims(tmp_path, rows()), MarkChecker(level), WordEmbedder(), known=0)
    assert (found.lesson.state, found.result) == (State.REFUSED, None)
    assert "no better than chance" in found.lesson.reason


async def test_few_claims_ask_nobody():
    text = Passage("p", "p", "", 0, 9, "Rain fell")
    checker = MarkChecker(SURE)
    one = LabelledClaim(1, "It rained.", Verdict.SUPPORTED, (text,))
    found = await learn_checker([one], checker, WordEmbedder(), known=0)
    assert (found.lesson.state, checker.asked) == (State.TOO_FEW, [])
    assert found.lesson.labels == "1 labelled claims, 1 right and 0 wrong, beside 1 texts"
