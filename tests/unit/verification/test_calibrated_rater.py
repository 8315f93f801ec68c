from __future__ import annotations

from dataclasses import replace

import pytest

from assay.calibration.curves import FITTED_MODE
from assay.calibration.rightness import features, shipped_rightness
from assay.calibration.shipped import shipped
from assay.types import Action, AnswerReading, Claim, Contradiction, Judgement, Reading, Review, Verdict
from assay.verification.risk import CalibratedConfidence, LeastConfidence, level

FIT = shipped()["answers"]
ALONE = {"p": 0.9, "q": 0.1}
JUDGED = Judgement(0.8, Action.ANSWER, "", mode_used=FITTED_MODE, calibrated=True, relevance=ALONE)
REVIEW = Review((Claim(1, "It is hot.", 0, 10, ("p",), Verdict.SUPPORTED, 1.0),), (), ())


def rated(judgement: Judgement = JUDGED, review: Review = REVIEW, cause: str = "", **live: str):
    return CalibratedConfidence(LeastConfidence(), FIT, replace(FIT.made_for, **live), cause).rate(
        judgement, review
    )


def test_a_calibrated_answer_has_its_probability_and_the_error_of_the_fit():
    found = rated()
    assert found.calibrated
    signal = shipped_rightness(read=False).of(features(0.8, ALONE, {}, None))
    assert found.value == FIT.probability(signal)
    assert (found.answers, found.reading) == (None, None)
    assert (found.ece, found.brier, found.n) == (FIT.measured.ece, FIT.measured.brier, FIT.measured.n)
    assert found.elsewhere == FIT.elsewhere
    assert found.cause == ""


@pytest.mark.parametrize(
    ("live", "cause"),
    [
        ({"embedding": "other"}, "another embedding model"),
        ({"writer": "openai:x"}, "another writer"),
        ({"weights": "0"}, "another version of the weights"),
    ],
)
def test_what_the_fit_was_not_made_for_is_uncalibrated_at_once(live: dict[str, str], cause: str):
    found = rated(**live)
    assert (found.value, found.calibrated) == (None, False)
    assert found.cause.startswith(cause)
    assert found.score == 0.8


def test_what_was_judged_otherwise_claims_nothing_or_has_shifted_is_uncalibrated():
    assert rated(replace(JUDGED, mode_used="light")).cause.startswith("another judge")
    assert rated(replace(JUDGED, calibrated=False)).value is None
    assert rated(review=Review((), (), ())).cause == "nothing was claimed"
    assert rated(cause="shifted").cause == "shifted"
    assert (rated(cause="shifted").value, rated(cause="shifted").level) == (None, None)


def test_an_answer_from_the_one_near_passage_is_likelier_than_one_from_several_as_near():
    crowded = rated(replace(JUDGED, relevance={"p": 0.9, "q": 0.85, "r": 0.85}))
    assert crowded.score == rated().score
    assert crowded.value is not None
    assert rated().value is not None
    assert crowded.value < rated().value


SURE, HOPELESS = AnswerReading(9.0, 1.0, 1.0), AnswerReading(-9.0, 0.0, 0.0)


SIGNALS = ("reader_best", "reader_second", "cosine_best")
# Evidence than which none is better, and none worse, whatever the weights.
BEST = replace(JUDGED, sufficiency=0.99, relevance={"p": 1.0}, signals=dict.fromkeys(SIGNALS, 1.0))
WORST = replace(JUDGED, sufficiency=0.01, relevance={}, signals=dict.fromkeys(SIGNALS, 0.0))


def read_as(reading: AnswerReading, judgement: Judgement = BEST, review: Review = REVIEW, cause: str = ""):
    return CalibratedConfidence(LeastConfidence(), FIT, FIT.made_for, cause).rate(judgement, review, reading)


def test_an_answer_answers_by_the_evidence_and_what_a_reader_makes_of_it():
    assert (read_as(SURE).answers, read_as(HOPELESS, WORST).answers) == ("yes", "no")
    assert read_as(SURE).reading == SURE


def test_an_answer_that_a_reader_takes_for_one_is_likelier_right():
    sure, hopeless = read_as(SURE, JUDGED), read_as(HOPELESS, JUDGED)
    assert sure.value is not None
    assert hopeless.value is not None
    assert sure.value > hopeless.value


def test_whether_it_answers_is_known_where_no_calibration_applies_but_not_of_nothing_claimed():
    assert read_as(SURE, cause="shifted").answers == "yes"
    assert read_as(SURE, cause="shifted").value is None
    assert read_as(SURE, review=Review((), (), ())).answers is None


def test_what_sources_disagree_on_is_not_surely_answered():
    disputed = replace(
        BEST, contradictions=(Contradiction("when", (Reading("1878", ("p",)), Reading("1920", ("q",)))),)
    )
    found = read_as(SURE, disputed)
    assert (found.answers, found.value, found.cause) == ("unsure", None, "the sources disagree")


def test_the_level_follows_the_probability():
    found = rated()
    assert found.value is not None
    assert found.level == level(found.value)
