"""Anyone's draft held to the output rules: its checks, and the edits of wording and layout that mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.errors import BudgetSpent, ProviderError
from assay.mend import cause_of, with_history
from assay.policy import is_better
from assay.stages import Stages
from assay.text.cited_sentence import Numbered
from assay.text.pieces import cut
from assay.text.tags import outside_of_blocks, tags_of
from assay.types import (
    Check,
    ClaimEvent,
    Edit,
    Evidence,
    Finding,
    Question,
    Repair,
    RepairKind,
    Review,
    Severity,
    Status,
)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A draft with its review, the checks of the output rules among them, and what was edited."""

    text: str
    review: Review
    repairs: tuple[Repair, ...] = ()


async def ruled(
    text: str, review: Review, question: Question, evidence: Evidence, on: Stages, *, edits: bool
) -> Ruled:
    """The draft with the checks of its rules, and with their `edits` where it is better by them, tested again.

    As it was where no rule is set.
    """
    if on.rules is None:
        return Ruled(text, review)
    before = Ruled(text, await _examined(text, review, question, evidence, on))
    wanted = on.rules.edits(question, text, before.review.checks) if edits else ()
    made = _safe(text, wanted, evidence)
    if not made:
        return before
    changed = _with_edits(text, made)
    tested = await on.verifier.check(changed, evidence.passages)
    event = ClaimEvent(RepairKind.EDIT.value, "rules", made[0].reason)
    tested = replace(tested, claims=with_history(tested.claims, review.claims, event))
    told = tuple(Repair(RepairKind.EDIT, text[e.start : e.end], e.replacement, e.reason) for e in made)
    after = Ruled(changed, await _examined(changed, tested, question, evidence, on), told)
    return after if is_better(after.review, before.review) else before


async def _examined(text: str, review: Review, question: Question, evidence: Evidence, on: Stages) -> Review:
    """The review with the checks of the rules; where they could not be made, with one that is unknown."""
    assert on.rules is not None  # noqa: S101 - looked at above
    try:
        async with on.in_time():
            checks = await on.rules.examine(question, evidence, text)
        return review.with_checks(checks, on.rules.findings(question, checks))
    except (BudgetSpent, ProviderError) as error:
        unknown = Check("rules", Status.UNKNOWN, Severity.BLOCK, None, cause_of(error))
        advice = "see yourself whether the draft keeps the output rules"
        return review.with_checks((unknown,), (Finding("rules", None, Severity.BLOCK, cause_of(error), advice),))


def _safe(text: str, edits: tuple[Edit, ...], evidence: Evidence) -> tuple[Edit, ...]:
    """The edits that touch nothing which stays: code, markup, another's words, tags of HTML."""
    kept = [piece for piece in cut(text, Numbered(evidence.passages, by_id=True)) if piece.stays]
    stays = [(piece.start, piece.start + len(piece.written)) for piece in kept]
    free = tuple(each for each in edits if not any(each.start < end and start < each.end for start, end in stays))
    in_html = bool(outside_of_blocks(text))
    return tuple(each for each in free if not in_html or tags_of(_with_edits(text, (each,))) == tags_of(text))


def _with_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with its edits, which are in order and do not overlap."""
    for each in reversed(edits):
        text = text[: each.start] + each.replacement + text[each.end :]
    return text
