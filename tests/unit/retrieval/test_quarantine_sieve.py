"""The sieve lets through whatever a rule meets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.retrieval.quarantine import ELSEWHERE, ORDERS, SievedPattern

PATTERNS = (*(rule.pattern for rule in ORDERS), ELSEWHERE)


@pytest.mark.parametrize("pattern", PATTERNS, ids=range(len(PATTERNS)))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_a_pattern_meets_is_let_through(pattern: SievedPattern, data: st.DataObject) -> None:
    assert pattern.may_match(data.draw(st.from_regex(pattern.pattern)))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\btell\b", "tell"),
        (r"\d{2,3} ?km\b", "٣٤ km"),
        (r"a\s+b", "a\u2003b"),
        (r"\w+ is", "naïve is"),
        (r"ignore it", "\u0131gnore it"),
        (r"ignore it", "\u0130GNORE IT"),
        (r"sky", "\u017f\u212aY"),
        (r"(?<!not )the end(?! of)(?=\W|$)", "the end\n"),
        (r"the end$", "the end\n"),
        (r"[\w'’]{1,2}!", "é!"),
        (r"ask", "ask \ud800"),
    ],
)
def test_letters_beyond_ascii_and_edges(pattern: str, text: str) -> None:
    sieved = SievedPattern(pattern)
    assert sieved.pattern.search(text)
    assert list(sieved.finditer(text))


def test_plain_prose_is_held_back() -> None:
    prose = "The bridge was opened in 1932. Ask the harbour master for the key."
    assert not any(pattern.may_match(prose) for pattern in PATTERNS)
