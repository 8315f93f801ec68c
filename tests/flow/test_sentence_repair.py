"""The ladder of a sentence's repairs: the smallest that betters it, and nothing that makes anything worse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core.draft import compose
from assay.core.repair import repair_sentence
from assay.errors import BudgetSpent, DeadlinePassed, ProviderFailed
from assay.testing.fakes import ScriptedRepairer, ScriptedVerifier, scripted_stages
from assay.testing.fakes import review_of as review
from assay.types import (
    Candidate,
    Check,
    Evidence,
    Finding,
    Hit,
    Limits,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

QUESTION = Question("How hot?", "How hot?")
HELD = Evidence((Hit(Passage("p1", "d1", "r", 0, 1, "x"), 1.0),))
MORE = Evidence((*HELD.hits, Hit(Passage("p2", "d2", "r", 0, 1, "y"), 1.0)))
GOOD, BAD, OPEN = Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN
EVERY = frozenset(RepairKind)


def becomes(text: str, *cited: str, evidence: Evidence = HELD, **changes) -> Candidate:
    return Candidate(Sentence(1, text, cited, **changes), evidence, f"made {text}", "rules")


NOTHING = dict.fromkeys(
    (kind, "Hot.") for kind in (RepairKind.RE_CITE, RepairKind.CORRECT, RepairKind.FETCH, RepairKind.REWRITE)
)
GONE = Candidate(None, HELD, "nothing helped", "rules")


async def mend(
    reviews, script, allowed_repairs=EVERY, limits: Limits | None = None, asked: int = 0, before=(), late=False
):
    repairs = ScriptedRepairer({**NOTHING, **script})
    on = scripted_stages(verifier=ScriptedVerifier(reviews), repairer=repairs, allowed_repairs=allowed_repairs)
    after = await repair_sentence(
        Sentence(1, "Hot."), before, QUESTION, HELD, on, limits or Limits(repairs=8), asked, is_late=late
    )
    return after, repairs.asked


async def test_a_sentence_that_passes_is_not_touched():
    after, asked = await mend({"Hot.": review(("Hot.", GOOD))}, {})
    assert (after.sentence, after.repairs, after.versions, asked) == (Sentence(1, "Hot."), (), (), [])
    assert after.blocking_reason is None


async def test_the_smallest_repair_that_betters_it_is_kept_and_no_further_one_tried():
    reviews = {"Hot.": review(("Hot.", BAD), expected="Cold"), "Cold.": review(("Cold.", GOOD))}
    after, asked = await mend(reviews, {(RepairKind.CORRECT, "Hot."): becomes("Cold.")})
    assert after.sentence == Sentence(1, "Cold.")
    assert asked == [RepairKind.RE_CITE, RepairKind.CORRECT]
    (made,) = after.repairs
    assert (made.kind, made.before, made.after, made.reason) == (RepairKind.CORRECT, "Hot.", "Cold.", "made Cold.")
    assert after.versions == (after.sentence,)
    assert [event.state for event in after.review.claims[0].history] == ["corrected"]


async def test_after_a_repair_that_helped_the_smaller_ones_are_tried_again():
    wrong = review(("Hot", BAD), ("and wet.", BAD), expected="Cold")
    reviews = {
        "Hot.": wrong,
        "Cold.": review(("Cold", GOOD), ("and wet.", OPEN)),
        "Cold. [1]": review(("Cold", GOOD), ("and wet.", GOOD)),
    }
    script = {
        (RepairKind.CORRECT, "Hot."): becomes("Cold."),
        (RepairKind.RE_CITE, "Cold."): becomes("Cold.", "p1"),
    }
    after, asked = await mend(reviews, script)
    assert after.sentence == Sentence(1, "Cold.", ("p1",))
    assert asked == [RepairKind.RE_CITE, RepairKind.CORRECT, RepairKind.RE_CITE]
    assert [each.kind for each in after.repairs] == [RepairKind.CORRECT, RepairKind.RE_CITE]
    assert after.versions == (Sentence(1, "Cold."), Sentence(1, "Cold.", ("p1",)))


@pytest.mark.parametrize(("after", "kept"), [(OPEN, True), (GOOD, True), (BAD, False)])
async def test_what_was_weighed_need_not_be_borne_out_but_must_not_fail(after: Verdict, kept: bool):
    reviews = {"Hot.": review(("Hot.", OPEN)), "Cold.": review(("Cold.", after))}
    weighed = replace(becomes("Cold."), weighed=True)
    mended, asked = await mend(reviews, {(RepairKind.CORRECT, "Hot."): weighed}, frozenset({RepairKind.CORRECT}))
    assert mended.sentence == Sentence(1, "Cold." if kept else "Hot.")
    assert asked == [RepairKind.CORRECT]


async def test_what_was_weighed_does_not_take_the_place_of_what_is_borne_out():
    reviews = {
        "Hot.": review(("Hot", GOOD), ("and wet.", OPEN)),
        "Cold.": review(("Cold", OPEN), ("and wet.", OPEN)),
    }
    weighed = replace(becomes("Cold."), weighed=True)
    mended, _ = await mend(reviews, {(RepairKind.CORRECT, "Hot."): weighed}, frozenset({RepairKind.CORRECT}))
    assert mended.sentence == Sentence(1, "Hot.")


async def test_a_candidate_after_which_another_claim_fails_is_not_kept():
    reviews = {
        "Hot.": review(("Hot", BAD), ("It rains.", GOOD), ("It hails.", BAD)),
        "Cold.": review(("Cold", GOOD), ("It rains.", BAD), ("It hails.", GOOD)),
    }
    script = {(RepairKind.REWRITE, "Hot."): becomes("Cold."), (RepairKind.DROP, "Hot."): GONE}
    after, _ = await mend(reviews, script)
    assert after.sentence is None
    assert [each.kind for each in after.repairs] == [RepairKind.DROP]


async def test_what_fails_and_is_not_mended_is_dropped_with_its_claims():
    after, asked = await mend({"Hot.": review(("Hot.", BAD))}, {(RepairKind.DROP, "Hot."): GONE})
    assert (after.sentence, after.blocking_reason) == (None, "nothing helped")
    assert [claim.text for claim in after.dropped] == ["Hot."]
    assert after.dropped[0].history[-1].state == "dropped"
    assert asked[-1] is RepairKind.DROP
    assert RepairKind.HEDGE not in asked
    assert after.versions == (None,)


async def test_what_fails_is_marked_where_nothing_is_to_be_dropped():
    reviews = {"Hot.": review(("Hot.", BAD))}  # and what is marked is not tested again
    script = {(RepairKind.HEDGE, "Hot."): becomes("Hot.", hedged=True)}
    after, asked = await mend(reviews, script, allowed_repairs=EVERY - {RepairKind.DROP})
    assert after.sentence == Sentence(1, "Hot.", hedged=True)
    assert after.blocking_reason == "why"
    assert asked[-1] is RepairKind.HEDGE


async def test_what_could_not_be_borne_out_is_marked_and_not_dropped():
    reviews = {"Hot.": review(("Hot.", OPEN))}
    script = {(RepairKind.HEDGE, "Hot."): becomes("Hot.", hedged=True)}
    after, asked = await mend(reviews, script)
    assert after.sentence == Sentence(1, "Hot.", hedged=True)
    assert RepairKind.DROP not in asked
    assert after.review.claims[0].history[-1].state == "hedged"


async def test_of_two_claims_the_one_that_stays_as_a_sentence_of_its_own_is_not_dropped():
    both = review(("Hot", GOOD), ("cold.", BAD))
    reviews = {"Hot.": both, "Hot!": review(("Hot!", GOOD))}
    after, _ = await mend(reviews, {(RepairKind.DROP, "Hot."): becomes("Hot!")})
    assert after.sentence == Sentence(1, "Hot!")
    assert [claim.text for claim in after.dropped] == ["cold."]


async def test_what_was_found_stays_with_the_sentence():
    reviews = {"Hot.": review(("Hot.", BAD)), "Hot. [1]": review(("Hot.", GOOD))}
    after, _ = await mend(reviews, {(RepairKind.FETCH, "Hot."): becomes("Hot.", "p2", evidence=MORE)})
    assert after.evidence == MORE
    assert after.requests == 1


@pytest.mark.parametrize(("limit", "asked", "tried"), [(0, 0, 0), (1, 0, 1), (2, 0, 2), (2, 1, 1), (2, 2, 0)])
async def test_as_many_searches_and_models_are_asked_as_the_answer_may_have(limit, asked, tried):
    reviews = {"Hot.": review(("Hot.", BAD))}
    after, kinds = await mend(reviews, {(RepairKind.DROP, "Hot."): GONE}, limits=Limits(repairs=limit), asked=asked)
    assert sum(kind in (RepairKind.FETCH, RepairKind.REWRITE) for kind in kinds) == tried
    assert after.requests == tried
    assert after.sentence is None


SPENT, LATE = BudgetSpent("no calls", hint="more"), DeadlinePassed("no time", hint="more")
DOWN = ProviderFailed("the service answered 500", hint="ask again")


@pytest.mark.parametrize("error", [SPENT, LATE, DOWN])
async def test_a_repair_that_could_not_be_made_is_passed_over(error):
    reviews = {"Hot.": review(("Hot.", BAD))}
    after, _ = await mend(reviews, {(RepairKind.REWRITE, "Hot."): error, (RepairKind.DROP, "Hot."): GONE})
    assert after.sentence is None
    assert after.is_late == (error is LATE)
    said = "an unsupported sentence was not rewritten: the service answered 500"
    assert after.notes == ((said,) if error is DOWN else ())


async def test_past_the_deadline_nothing_is_tried_but_to_mark_or_drop():
    reviews = {"Hot.": review(("Hot.", BAD))}
    script = {(RepairKind.RE_CITE, "Hot."): LATE, (RepairKind.DROP, "Hot."): GONE}
    after, asked = await mend(reviews, script)
    assert after.sentence is None
    assert asked == [RepairKind.RE_CITE, RepairKind.DROP]


async def test_what_is_left_of_a_sentence_and_cannot_be_tested_in_time_is_marked_whole():
    reviews = {"Hot.": review(("Hot", GOOD), ("cold.", BAD)), "Hot!": LATE}
    script = {
        (RepairKind.RE_CITE, "Hot."): LATE,
        (RepairKind.DROP, "Hot."): becomes("Hot!"),
        (RepairKind.HEDGE, "Hot."): becomes("Hot.", hedged=True),
    }
    after, _ = await mend(reviews, script)
    assert after.sentence == Sentence(1, "Hot.", hedged=True)
    assert (after.blocking_reason, after.dropped) == ("why", ())


@pytest.mark.parametrize(
    ("error", "cause"),
    [(LATE, "deadline: no time"), (SPENT, "budget: no calls"), (DOWN, "the service answered 500")],
)
async def test_a_sentence_that_could_not_be_tested_is_unknown_and_marked(error, cause):
    marked = becomes("Hot.", "p1", hedged=True)
    after, _ = await mend({"Hot.": error}, {(RepairKind.HEDGE, "Hot."): marked})
    assert after.sentence.hedged
    assert (after.blocking_reason, after.is_late) == (cause, error is LATE)
    (claim,), (check,) = after.review.claims, after.review.checks
    assert (claim.text, claim.verdict, claim.support) == ("Hot.", OPEN, None)
    assert [event.state for event in claim.history] == ["proposed", "unknown", "hedged"]
    assert (check.status, check.severity, check.cause) == (Status.UNKNOWN, Severity.BLOCK, cause)


async def test_what_comes_when_it_is_late_is_not_tested():
    before = (Sentence(1, "Warm.", ("p1",)),)
    script = {(RepairKind.HEDGE, "Hot."): becomes("Hot.", hedged=True)}
    after, asked = await mend({}, script, before=before, late=True)
    assert asked == [RepairKind.HEDGE]
    (claim,) = after.review.claims
    assert (claim.start, claim.end, claim.verdict) == (10, 14, OPEN)
    assert after.review.checks[0].cause == "deadline"


async def test_an_untested_sentence_tells_of_its_marks():
    sentence = Sentence(2, "\nHot.", ("p1",), ("[9]",))
    on = scripted_stages(repairer=ScriptedRepairer({}))
    after = await repair_sentence(sentence, (Sentence(1, "Warm."),), QUESTION, HELD, on, Limits(), is_late=True)
    said = compose((Sentence(1, "Warm."), sentence)).text
    assert said == "Warm.\nHot. [1] [9]"
    assert [said[each.start : each.end] for each in after.review.citations] == ["[1]", "[9]"]
    assert after.review.invalid_citations == ("[9]",)


async def test_a_marked_row_ends_behind_its_sign():
    row = Sentence(1, "| x | 5 mm |")
    (told,) = review(("| x | 5 mm |", OPEN)).claims
    check = Check("support", Status.UNKNOWN, Severity.BLOCK, 1, "why", Span(0, 12))
    reviewed = Review((told,), (check,), (Finding("support", 1, Severity.BLOCK, "why", ""),))
    marked = Candidate(Sentence(1, row.text, hedged=True), HELD, "why", "rules")
    on = scripted_stages(
        verifier=ScriptedVerifier({row.text: reviewed}),
        repairer=ScriptedRepairer({(RepairKind.HEDGE, row.text): marked}),
        allowed_repairs=frozenset({RepairKind.HEDGE}),
    )
    after = await repair_sentence(row, (), QUESTION, HELD, on, Limits())
    text = compose((after.sentence,)).text
    assert text == "| x | 5 mm ⚠ |"
    assert after.review.claims[0].end == after.review.checks[0].answer_span.end == len(text)


async def test_only_what_is_able_is_tried():
    reviews = {"Hot.": review(("Hot.", BAD))}
    after, asked = await mend(reviews, {}, allowed_repairs=frozenset({RepairKind.RE_CITE}))
    assert (after.sentence, asked, after.blocking_reason) == (Sentence(1, "Hot."), [RepairKind.RE_CITE], "why")


async def test_a_sentence_is_reviewed_behind_those_before_it():
    before = (Sentence(1, "Warm.", ("p1",)),)
    after, _ = await mend({"Warm. [1] Hot.": review(("Hot.", GOOD))}, {}, before=before)
    assert after.blocking_reason is None


def test_a_marked_sentence_shows_it_behind_its_citations():
    sentences = (Sentence(1, "Hot.", ("p7",), ("[9]",), hedged=True), Sentence(2, "\n- Cold.", ("p7",)))
    assert compose(sentences).text == "Hot. [1] [9] ⚠\n- Cold. [1]"
    assert compose((replace(sentences[0], hedged=False),)).text == "Hot. [1] [9]"


def test_a_row_of_a_table_has_its_marks_in_its_last_cell():
    head, rule = Sentence(1, "| a | b |"), Sentence(2, "\n|---|---|")
    row = Sentence(3, "\n| x | 5 mm |", ("p7",), ("[9]",), hedged=True)
    made = compose((head, rule, row))
    assert made.text == "| a | b |\n|---|---|\n| x | 5 mm [1] [9] ⚠ |"
    assert made.text[made.spans[2].start :] == "\n| x | 5 mm [1] [9] ⚠ |"


async def test_what_was_changed_is_told_with_the_numbers_of_the_answer():
    before = (Sentence(1, "Warm.", ("p1",)),)
    reviews = {"Warm. [1] Hot.": review(("Hot.", BAD)), "Warm. [1] Hot. [2]": review(("Hot.", GOOD))}
    after, _ = await mend(reviews, {(RepairKind.RE_CITE, "Hot."): becomes("Hot.", "p2")}, before=before)
    assert [(each.before, each.after) for each in after.repairs] == [("Hot.", "Hot. [2]")]


async def test_a_wrong_value_for_another_is_not_kept():
    reviews = {"Hot.": review(("Hot", BAD), ("and dry.", BAD), expected="Cold"), "Cold.": review(("Cold.", BAD))}
    script = {(RepairKind.CORRECT, "Hot."): becomes("Cold."), (RepairKind.DROP, "Hot."): GONE}
    after, _ = await mend(reviews, script)
    assert [each.kind for each in after.repairs] == [RepairKind.DROP]
