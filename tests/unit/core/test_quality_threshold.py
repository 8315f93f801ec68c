"""A harder question never has a lower bar."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assay.core.profiles import MOST_POINTS, QUALITY_A_POINT, QualityThreshold, complexity, threshold_for
from assay.types import Question, QuestionKind

TEXTS = st.sampled_from(["Who founded Rome?", "Which dose is lethal?", "How does it " + "really " * 20 + "work?"])
QUESTIONS = st.builds(
    lambda text, aspects, kind, detail, expertise: Question(
        text, text, aspects=aspects, kind=kind, detail=detail, expertise=expertise
    ),
    TEXTS,
    st.lists(st.just("part"), max_size=6).map(tuple),
    st.sampled_from(list(QuestionKind)),
    st.integers(1, 10),
    st.sampled_from(["beginner", "general", "expert"]),
)
BARS = st.builds(QualityThreshold, st.floats(0, 1), st.floats(0, 1))


@given(QUESTIONS, BARS)
def test_the_bar_lies_between_the_usual_one_and_a_tenth_above(question: Question, usual: QualityThreshold):
    made = threshold_for(question, usual)
    assert usual.quality <= made.quality <= min(1.0, usual.quality + QUALITY_A_POINT * MOST_POINTS + 1e-9)
    assert made.floor == usual.floor


@given(QUESTIONS, BARS)
def test_whatever_makes_a_question_harder_does_not_lower_its_bar(question: Question, usual: QualityThreshold):
    harder = (
        replace(question, aspects=(*question.aspects, "one more")),
        replace(question, kind=QuestionKind.COMPARATIVE),
        replace(question, detail=10),
        replace(question, expertise="expert"),
        replace(question, standalone=question.standalone + " Is it toxic?"),
    )
    for each in harder:
        assert complexity(each) >= complexity(question)
        assert threshold_for(each, usual).quality >= threshold_for(question, usual).quality


def test_a_plain_question_has_the_usual_bar():
    assert threshold_for(
        Question("Who founded Rome?", "Who founded Rome?"), QualityThreshold(0.6, 0.2)
    ) == QualityThreshold(0.6, 0.2)
