"""Quotes that are not on what is asked about go where others are, and nothing that stays loses by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core.draft import DraftState
from assay.core.pipeline import drop_digressions
from assay.testing.fakes import ScriptedRepairer, ScriptedVerifier, review_of, scripted_stages
from assay.types import (
    Candidate,
    Evidence,
    Finding,
    FindingKind,
    Hit,
    Limits,
    Passage,
    Question,
    Quote,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Verdict,
)

PASSAGE = Passage("p1", "d1", "r", 0, 10, "Cold. Hot.")
HELD = Evidence((Hit(PASSAGE, 1.0),))
QUOTED = (Quote("Cold.", PASSAGE.span_of(0, 5)),)
OFF = Sentence(1, "Cold.", quotes=QUOTED, hedged=True)
ON = Sentence(2, "\n\nHot.", quotes=QUOTED)
PASSES = review_of(("Hot.", Verdict.SUPPORTED))
ASKED = Question("How hot is Ulm?", "How hot is Ulm?")


def written(kind: FindingKind | None = FindingKind.OFF_SUBJECT) -> DraftState:
    draft = DraftState(HELD, (OFF, ON), verified=1, requests=1)
    spans = draft.draft.spans
    made = review_of(("Cold.", Verdict.SUPPORTED), ("Hot.", Verdict.SUPPORTED))
    claims = tuple(
        replace(claim, start=span.start, end=span.end) for claim, span in zip(made.claims, spans, strict=True)
    )
    finding = Finding("subject", claims[0].n, Severity.BLOCK, "it names no Ulm", "ask again", kind)
    return replace(draft, review=replace(made, claims=claims, findings=(finding,)))


async def dropped(state: DraftState, alone: Review = PASSES, asked: Question = ASKED) -> DraftState:
    """The draft without digressions; `alone` is the review of what is left."""
    stays = Candidate(Sentence(2, "Hot.", quotes=QUOTED, hedged=True), HELD, "unsure", "rules")
    on = scripted_stages(
        verifier=ScriptedVerifier({"Hot.": alone}),
        repairer=ScriptedRepairer({(RepairKind.HEDGE, "Hot."): stays}),
        allowed_repairs=frozenset({RepairKind.DROP, RepairKind.HEDGE}),
    )
    return await drop_digressions(asked, state, on, Limits())


async def test_what_is_off_goes_into_the_ledger_and_the_rest_stands_alone() -> None:
    after = await dropped(written())
    assert (after.draft.text, after.verified, after.requests) == ("Hot.", 1, 1)
    assert [(repair.kind, repair.before) for repair in after.repairs] == [(RepairKind.DROP, "Cold.")]
    assert [claim.text for claim in after.dropped] == ["Cold."]
    assert after.draft.spans == (Span(0, 4),)


@pytest.mark.parametrize(
    ("state", "asked"),
    [
        (written(kind=None), ASKED),
        (replace(written(), is_late=True), ASKED),
        (replace(written(), sentences=(OFF, replace(ON, quotes=()))), replace(ASKED, aspects=("how", "where"))),
        (DraftState(HELD, (ON,)), ASKED),
    ],
)
async def test_nothing_else_is_touched(state: DraftState, asked: Question) -> None:
    assert await dropped(state, asked=asked) is state


async def test_all_stays_where_the_rest_does_not_pass_alone() -> None:
    state = written()
    assert await dropped(state, alone=review_of(("Hot.", Verdict.UNKNOWN))) is state
