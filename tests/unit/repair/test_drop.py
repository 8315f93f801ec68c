"""Only the claims that failed are dropped; what passed stays as it was written."""

from __future__ import annotations

import pytest

from assay.repair.rules import RulesRepairer, drop_claims, keep_claims
from assay.types import (
    Check,
    Claim,
    Evidence,
    Finding,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

NONE = Evidence()
GOOD, BAD, OPEN = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNKNOWN


def review(text: str, *parts: tuple[str, Verdict], begins: int = 0, checks: tuple[Check, ...] = ()) -> Review:
    claims = []
    for n, (part, verdict) in enumerate(parts, 1):
        start = begins + text.index(part)
        claims.append(Claim(n, part, start, start + len(part), (), verdict, None))
    why = tuple(Finding("support", each.n, Severity.BLOCK, f"wrong: {each.text}", "") for each in claims)
    return Review(tuple(claims), checks, why)


def left(text: str, *parts: tuple[str, Verdict], begins: int = 0) -> str | None:
    made = drop_claims(NONE, Sentence(1, text, ("p",)), review(text, *parts, begins=begins), begins)
    return None if made.sentence is None else made.sentence.text


@pytest.mark.parametrize("begins", [0, 40])
@pytest.mark.parametrize(
    ("text", "parts", "expected"),
    [
        ("It rained; it snowed.", [("It rained", GOOD), ("it snowed.", BAD)], "It rained."),
        ("It rained; it snowed!", [("It rained", GOOD), ("it snowed!", BAD)], "It rained!"),
        ("It rained; it snowed", [("It rained", GOOD), ("it snowed", BAD)], "It rained"),
        ("It rained; it snowed.", [("It rained", BAD), ("it snowed.", GOOD)], "It snowed."),
        ("It rained, but it snowed.", [("It rained", BAD), ("but it snowed.", GOOD)], "It snowed."),
        ("It rained, but it snowed.", [("It rained", GOOD), ("but it snowed.", BAD)], "It rained."),
        ("\n- it rained; it snowed.", [("it rained", BAD), ("it snowed.", GOOD)], "\n- it snowed."),
        ("\n1. It rained; it snowed.", [("It rained", BAD), ("it snowed.", GOOD)], "\n1. It snowed."),
        ("A b; c d; e f.", [("A b", GOOD), ("c d", BAD), ("e f.", GOOD)], "A b; e f."),
        ("A b; c d; e f.", [("A b", GOOD), ("c d", GOOD), ("e f.", BAD)], "A b; c d."),
        ("A b. C d. E f.", [("A b.", GOOD), ("C d.", BAD), ("E f.", GOOD)], "A b. E f."),
        ("A b. C d.", [("A b.", BAD), ("C d.", GOOD)], "C d."),
        ("A b; c d.", [("A b", OPEN), ("c d.", BAD)], "A b."),
        ("雨が降った; 雪が降った。", [("雨が降った", GOOD), ("雪が降った。", BAD)], "雨が降った。"),
        ("It rained.", [("It rained.", BAD)], None),
        ("A b; c d.", [("A b", BAD), ("c d.", BAD)], None),
        ("A b; c d.", [("A b", OPEN), ("c d.", OPEN)], None),
    ],
)
def test_what_failed_goes_and_the_rest_reads_as_a_sentence(text, parts, expected, begins):
    assert left(text, *parts, begins=begins) == expected


def test_a_claim_with_a_failed_check_goes_although_nothing_contradicts_it():
    text = "A b; c d."
    check = Check("quotes", Status.FAILED, Severity.BLOCK, 2, "no such words")
    noted = Check("comparison", Status.FAILED, Severity.WARN, 1, "only noted")
    made = drop_claims(
        NONE, Sentence(1, text), review(text, ("A b", GOOD), ("c d.", GOOD), checks=(check, noted)), 0
    )
    assert made.sentence == Sentence(1, "A b.")
    assert made.reason == "wrong: c d."


def test_without_a_claim_the_whole_sentence_goes():
    stands = Finding("citations", None, Severity.BLOCK, "[7] refers to no source", "")
    made = drop_claims(NONE, Sentence(1, "# Rain"), Review((), (), (stands,)), 0)
    assert (made.sentence, made.reason) == (None, "[7] refers to no source")


def test_one_claim_alone_is_kept_whole():
    assert keep_claims("It rained.", [Span(0, 10)], [True]) == "It rained."


async def test_what_could_not_be_borne_out_is_marked_and_nothing_else():
    sentence = Sentence(3, "It rained.", ("p",), ("[9]",))
    found = review("It rained.", ("It rained.", OPEN))
    asks_nobody = RulesRepairer(verifier=None)  # type: ignore[arg-type]
    made = await asks_nobody.repair(RepairKind.HEDGE, Question("", ""), NONE, sentence, found, 0)
    assert made is not None
    assert made.sentence == Sentence(3, "It rained.", ("p",), ("[9]",), hedged=True)
    assert made.reason == "wrong: It rained."


@pytest.mark.parametrize("kind", [RepairKind.FETCH, RepairKind.REWRITE, RepairKind.EDIT, RepairKind.REGENERATE])
async def test_rules_offer_nothing_for_what_asks_a_search_or_a_model(kind):
    asks_nobody = RulesRepairer(verifier=None)  # type: ignore[arg-type]
    found = review("It rained.", ("It rained.", BAD))
    assert await asks_nobody.repair(kind, Question("", ""), NONE, Sentence(1, "It rained."), found, 0) is None
