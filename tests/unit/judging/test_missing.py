from __future__ import annotations

import pytest

from assay.judging.query_terms import query_terms_of
from assay.judging.reader_judge import missing_things
from assay.types import Question


@pytest.mark.parametrize(
    ("asked", "nowhere", "things"),
    [
        ("How many moons has Neptune got?", {"neptun", "got"}, ("Neptune",)),
        ("How do I install the package?", {"instal", "packag"}, ("package",)),
        ("What is the notice period for interns?", {"intern"}, ("interns",)),
        ("Is parental leave paid?", {"parent"}, ("parental leave",)),
        ("Who approves travel to New York City?", {"york"}, ("New York City",)),
        ("东京的人口是多少", {"东京"}, ("东京",)),
    ],
)
def test_things_are_named_as_the_user_wrote_them(asked: str, nowhere: set[str], things: tuple[str, ...]) -> None:
    assert missing_things(query_terms_of(Question(asked, asked)), nowhere) == things
