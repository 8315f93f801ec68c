"""A huge draft fills no screen: so many lines of each kind, then how many more there are."""

from __future__ import annotations

import io

from assay.cli.answer_view import first_check_lines
from assay.cli.evidence_view import show_review
from assay.cli.terminal import MOST, Terminal, first_of_each
from assay.types import Check, Claim, Review, Severity, Status, Verdict, plain


def test_each_kind_has_its_own_first_few_in_the_order_of_all():
    shown = first_of_each([3, 1, 2, 5, 7, 4], lambda number: "even" if number % 2 == 0 else "odd", most=2)
    assert (shown.first, dict(shown.more)) == ((3, 1, 2, 4), {"odd": 2})


def test_what_is_few_is_shown_whole():
    assert not first_of_each(range(MOST), lambda _number: "one kind").more


def _claims(count: int, verdict: Verdict, first: int) -> tuple[Claim, ...]:
    return tuple(Claim(first + n, f"It is {n}.", 0, 8, (), verdict, 0.5, (), ()) for n in range(count))


def _checks(count: int, status: Status) -> tuple[Check, ...]:
    return tuple(Check("citations", status, Severity.BLOCK, None, f"no source {n}") for n in range(count))


def test_a_review_of_a_huge_draft_stays_readable_and_hides_no_kind():
    claims = _claims(3000, Verdict.SUPPORTED, 1) + _claims(2, Verdict.CONTRADICTED, 3001)
    checks = _checks(100_000, Status.FAILED) + _checks(1, Status.UNKNOWN)
    out = io.StringIO()
    show_review(Review(claims, checks, ()), Terminal(out=out))
    lines = out.getvalue().splitlines()
    assert len(lines) == (MOST + 2 + 1) + (MOST + 1 + 1) + 1
    assert "… and 2,950 more: supported (--json has all)" in lines
    assert "… and 99,950 more: citations, failed (--json has all)" in lines
    assert "3002. contradicted: It is 1." in lines
    assert lines[-1].startswith("contradicted · ")


def test_so_do_the_checks_of_an_answer():
    lines = list(first_check_lines(plain(_checks(MOST + 7, Status.FAILED))))
    assert (len(lines), str(lines[-1])) == (MOST + 1, "… and 7 more: citations, failed (--json has all)")
