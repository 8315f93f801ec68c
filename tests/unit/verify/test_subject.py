"""Whether an answer speaks of what was asked about."""

from __future__ import annotations

import pytest

from assay.types import Claim, Question, SourceSpan, Status, Verdict
from assay.verify.subject import subject


def checks(question: str, answer: str, *quotes: str):
    spans = tuple(SourceSpan("p", 0, len(each), each) for each in quotes)
    claims = (Claim(1, answer, 0, len(answer), ("p",), Verdict.SUPPORTED, 1.0, spans),)
    return subject(Question(question, question), answer, claims)


def test_a_namesake_is_told():
    (check,) = checks("Who built the Harbour Bridge?", "The Tay Bridge was built by Arrol.")
    assert check.status is Status.UNKNOWN
    assert "tay bridge" in (check.cause or "")


@pytest.mark.parametrize(
    ("question", "answer", "quotes"),
    [
        ("Who built the Harbour Bridge?", "Maria Keller built it.", ()),
        ("Who built the Harbour Bridge?", "The Harbour Bridge and the Tay Bridge were built by Arrol.", ()),
        ("Who built the Harbour Bridge?", "The Sydney Harbour Bridge was built by Arrol.", ()),
        (
            "Who built the Harbour Bridge?",
            "Like the Tay Bridge, it was built by Arrol.",
            ("Harbour Bridge: A.",),
        ),
        ("Who built the bridge?", "The Tay Bridge was built by Arrol.", ()),
        ("When did Obama win?", "Barack Obama won in 2008.", ()),
    ],
)
def test_what_is_about_the_subject_or_names_no_other_is_not_told_of(question, answer, quotes):
    assert checks(question, answer, *quotes) == ()
