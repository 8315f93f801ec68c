"""Test a sentence, and mend it where it fails: the smallest repair first, kept only where nothing gets worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError
from assay.policy import ASKING, LAST, borne_out, is_better, next_repair, stands
from assay.stages import Stages
from assay.text.citation_marks import HEDGE_MARK, citations, invalid
from assay.text.in_place import at_end
from assay.types import (
    Candidate,
    Check,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    Finding,
    Limits,
    Question,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

# Other words for a sentence are kept only where it is borne out then: a wrong value for another mends nothing.
_SETTLING = (RepairKind.CORRECT, RepairKind.REWRITE)
# What need not leave less wrong than before, and so might not come to an end.
_ONCE = (RepairKind.CORRECT,)
_ENDS = " .,;!?…"
# Behind what asks, and what only leads in.
_SAYS_NOTHING = ("?", "？", ":", "：")


@dataclass(frozen=True, slots=True)
class Mended:
    """A sentence after its tests and repairs, None where it was dropped, and the evidence that it stands on.

    `review` is of the sentence as it is now, behind those before it; `versions` is the sentence after each of the
    `repairs`, and `dropped` are the claims that were taken out. `asked` counts the repairs that asked a search or a
    model. `notes` tell of repairs that could not be made; it is `late` where the question's seconds were used up.
    """

    sentence: Sentence | None
    evidence: Evidence
    review: Review
    repairs: tuple[Repair, ...] = ()
    versions: tuple[Sentence | None, ...] = ()
    dropped: tuple[Claim, ...] = ()
    asked: int = 0
    notes: tuple[str, ...] = ()
    late: bool = False

    @property
    def blocked(self) -> str | None:
        """Why the sentence may not be shown as verified; None where it may."""
        if self.sentence is None:
            return self.repairs[-1].reason
        return next((each.message for each in self.review.findings if each.severity is Severity.BLOCK), None)


@dataclass(frozen=True, slots=True)
class Written:
    """A draft so far: its sentences, and what testing and mending each of them gave; `notes` are its writer's.

    `verified` counts the sentences that passed, `stated` those of them that claim something, `seen` all that came,
    also those that were dropped, and `drafts` how many drafts it took. `evidence` is what it stands on, with what
    repairs found; `asked` counts the repairs that asked a search or a model. `lead` are the line breaks that a
    sentence which was just dropped began with. It is `late` where the question's seconds were used up while it was
    written, tested or mended, and `cut` where its writer did not come to an end: it was late, or at its limit.
    """

    evidence: Evidence
    sentences: tuple[Sentence, ...] = ()
    verified: int = 0
    stated: int = 0
    seen: int = 0
    drafts: int = 1
    review: Review = field(default_factory=lambda: Review((), (), ()))
    repairs: tuple[Repair, ...] = ()
    dropped: tuple[Claim, ...] = ()
    asked: int = 0
    lead: str = ""
    notes: tuple[str, ...] = ()
    late: bool = False
    cut: bool = False

    @property
    def draft(self) -> Draft:
        """The sentences as one text."""
        return compose(self.sentences)

    @property
    def is_worthless(self) -> bool:
        """Whether sentences came that are of no use: most of their claims failed, and none is borne out, or none.

        Claims that nobody could settle are kept, and marked. A draft that claims nothing is kept where it is more
        than questions and lead-ins: it may say that there is no answer.
        """
        claims = (*self.review.claims, *self.dropped)
        failed = sum(claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) for claim in claims)
        borne_out = any(claim.verdict is Verdict.SUPPORTED for claim in self.review.claims)
        lost = 2 * failed > len(claims) if claims else not self.verified
        empty = bool(self.sentences) and all(each.text.rstrip().endswith(_SAYS_NOTHING) for each in self.sentences)
        return empty or (bool(self.seen) and lost and not self.stated and not borne_out)

    def instead_of(self, old: Written, reason: str) -> Written:
        """This draft in the place of another one: what was done to that, and its claims, stay in the ledger.

        A claim of the old draft that this one does not make as well is dropped, for the `reason`.
        """
        made = Repair(RepairKind.REGENERATE, old.draft.text, self.draft.text, reason)
        event = ClaimEvent(RepairKind.DROP.value, "rules", reason)
        kept = {claim.text for claim in self.review.claims}
        gone = tuple(_ended(claim, event) for claim in old.review.claims if claim.text not in kept)
        return replace(
            self,
            seen=old.seen + self.seen,
            drafts=old.drafts + self.drafts,
            asked=old.asked + self.asked,
            repairs=(*old.repairs, made, *self.repairs),
            dropped=(*old.dropped, *gone, *self.dropped),
        )

    def led(self, sentence: Sentence) -> Sentence:
        """The sentence with the line breaks of one that was dropped before it, where it has none of its own."""
        return sentence if sentence.text.startswith("\n") else replace(sentence, text=self.lead + sentence.text)

    def followed_by(self, sentence: Sentence, after: Mended) -> Written:
        """The draft with one more sentence, as its repairs left it."""
        lead = sentence.text[: len(sentence.text) - len(sentence.text.lstrip("\n"))]
        return replace(
            self,
            lead=lead if after.sentence is None else "",
            evidence=after.evidence,
            sentences=self.sentences if after.sentence is None else (*self.sentences, after.sentence),
            verified=self.verified + (after.blocked is None),
            stated=self.stated + (after.blocked is None and bool(after.review.claims)),
            seen=self.seen + 1,
            review=self.review.followed_by(after.review),
            repairs=self.repairs + after.repairs,
            dropped=self.dropped + after.dropped,
            asked=self.asked + after.asked,
            notes=tuple(dict.fromkeys(self.notes + after.notes)),
            late=self.late or after.late,
        )


async def mended(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    on: Stages,
    limits: Limits,
    asked: int = 0,
    *,
    late: bool = False,
) -> Mended:
    """The sentence as the policy's repairs leave it; `asked` repairs of this answer asked someone before.

    Each candidate is tested as a new sentence is, and the best is kept. Each repair kept leaves less wrong than
    before, or is made once; one that bettered nothing is not tried on the same sentence again, so that this ends.
    Where the question's seconds are used up, or it is `late` already, what was not tested is unknown, and marked or
    dropped.
    """
    best = await _tested(sentence, before, question, evidence, on, late=late)
    able = on.mends
    tried: tuple[RepairKind, ...] = ()
    while best.sentence is not None:
        able &= frozenset(LAST) if best.late else able
        kind = next_repair(best.review, tried, asked + best.asked, limits, able)
        if kind is None:
            break
        best = replace(best, asked=best.asked + (kind in ASKING))
        try:
            after = await _attempted(kind, best, before, question, on)
        except (BudgetSpent, ProviderError) as error:
            best, able = _without(kind, error, best), able - {kind}
            continue
        kept = after is not None and kind is not RepairKind.HEDGE
        tried = (() if kind not in _ONCE else (kind,)) if kept else (*tried, kind)
        best = after or best
    return best


def _without(kind: RepairKind, error: AssayError, best: Mended) -> Mended:
    """The sentence as it is, where a repair could not be made: smaller ones are free."""
    note = f"a sentence that could not be borne out was not {kind.value}: {error}"
    told = best.notes if isinstance(error, BudgetSpent) else (*best.notes, note)
    return replace(best, notes=told, late=best.late or isinstance(error, DeadlinePassed))


async def _tested(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    on: Stages,
    *,
    late: bool,
) -> Mended:
    """The sentence with its tests; where they could not be made, one claim that is unknown."""
    cause = "deadline"
    if not late:
        try:
            return Mended(sentence, evidence, await _reviewed(sentence, before, question, evidence, on))
        except (BudgetSpent, ProviderError) as error:
            late, cause = isinstance(error, DeadlinePassed), cause_of(error)
    return Mended(sentence, evidence, _untested(sentence, before, cause), late=late)


def cause_of(error: BudgetSpent | ProviderError) -> str:
    """Why a test could not be made."""
    kinds = {DeadlinePassed: "deadline", BudgetSpent: "budget"}
    kind = next((told for each, told in kinds.items() if isinstance(error, each)), None)
    return str(error) if kind is None else f"{kind}: {error}"


def _untested(sentence: Sentence, before: tuple[Sentence, ...], cause: str) -> Review:
    """The review of a sentence that nobody could test: it is one claim, and not known to be borne out."""
    draft = compose((*before, sentence))
    text, span = draft.text, draft.spans[-1]
    said = sentence.text.strip()
    start = text.index(said, span.start)
    past = (ClaimEvent("proposed", "writer", ""), ClaimEvent(Verdict.UNKNOWN.value, "nobody", cause))
    claim = Claim(1, said, start, start + len(said), sentence.passage_ids, Verdict.UNKNOWN, None, (), past)
    check = Check("support", Status.UNKNOWN, Severity.BLOCK, 1, cause, Span(claim.start, claim.end))
    finding = Finding(
        "support", 1, Severity.BLOCK, cause, "test it when there is time, or see its sources yourself"
    )
    marks = tuple(mark for mark in citations(text) if mark.start >= span.start)
    wrong = tuple(text[mark.start : mark.end] for mark in invalid(text, marks, len(draft.sources)))
    return Review((claim,), (check,), (finding,), marks, wrong)


async def _reviewed(
    sentence: Sentence, before: tuple[Sentence, ...], question: Question, evidence: Evidence, on: Stages
) -> Review:
    """The sentence's review; raises DeadlinePassed, BudgetSpent and what a provider raises."""
    async with on.in_time():
        return await on.verifier.review(question, evidence, compose((*before, sentence)), after=len(before))


async def _attempted(
    kind: RepairKind, best: Mended, before: tuple[Sentence, ...], question: Question, on: Stages
) -> Mended | None:
    """What a repair of this kind makes of the sentence; None where that is nothing, or no better."""
    assert best.sentence is not None  # noqa: S101 - what was dropped is not mended
    begins = compose((*before, best.sentence)).spans[-1].start
    async with on.in_time():
        candidate = await on.repairer.mend(kind, question, best.evidence, best.sentence, best.review, begins)
    if candidate is None or candidate.sentence == best.sentence:
        return None
    if candidate.sentence is None:
        return _kept(kind, candidate, best, Review((), (), ()), before)
    if kind is RepairKind.HEDGE:  # a sign behind a sentence says nothing that could be tested
        return _kept(kind, candidate, best, _behind_sign(best), before)
    review = await _reviewed(candidate.sentence, before, question, candidate.evidence, on)
    settles = kind not in _SETTLING or borne_out(review) > borne_out(best.review)
    better = stands(review, best.review) if candidate.weighed else is_better(review, best.review) and settles
    return _kept(kind, candidate, best, review, before) if kind in LAST or better else None


def _behind_sign(best: Mended) -> Review:
    """The review of a sentence that is marked; a row of a table has the sign in its last cell, so ends later."""
    assert best.sentence is not None  # noqa: S101 - what was dropped is not marked
    if not _is_row(best.sentence):
        return best.review
    longer, ends = len(HEDGE_MARK) + 1, {claim.end for claim in best.review.claims}
    claims = tuple(replace(each, end=each.end + longer) for each in best.review.claims)
    checks = tuple(
        replace(each, answer_span=Span(each.answer_span.start, each.answer_span.end + longer))
        if each.answer_span and each.answer_span.end in ends
        else each
        for each in best.review.checks
    )
    return replace(best.review, claims=claims, checks=checks)


def _kept(
    kind: RepairKind, candidate: Candidate, best: Mended, review: Review, before: tuple[Sentence, ...]
) -> Mended:
    """The candidate in the place of what was best so far, with what was changed on record."""
    made = Repair(kind, _text(best.sentence, before), _text(candidate.sentence, before), candidate.reason)
    event = ClaimEvent(kind.value, candidate.by, candidate.reason)
    claims = with_history(review.claims, best.review.claims, event)
    gone = [each for each in best.review.claims if kind is RepairKind.DROP and not _is_left(each, review)]
    return Mended(
        candidate.sentence,
        candidate.evidence,
        replace(review, claims=_hedged(claims, event) if kind is RepairKind.HEDGE else claims),
        (*best.repairs, made),
        (*best.versions, candidate.sentence),
        best.dropped + tuple(_ended(each, event) for each in gone),
        best.asked,
        best.notes,
        best.late,
    )


def _is_left(claim: Claim, review: Review) -> bool:
    """Whether a claim is still there: as it was, or as a sentence of its own, with a capital and a full stop."""
    said = claim.text.casefold().rstrip(_ENDS)
    return any(said.endswith(each.text.casefold().rstrip(_ENDS)) for each in review.claims)


def _hedged(claims: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    return tuple(each if each.verdict is Verdict.SUPPORTED else _ended(each, event) for each in claims)


def with_history(after: tuple[Claim, ...], before: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    """The claims with what came before, and with `event` where they are no longer as they were.

    A claim's past is that of the claim in the same words, else of the one in the same place.
    """
    known = {claim.text: claim for claim in before}
    aligned = before if len(before) == len(after) else ()
    found = []
    for n, claim in enumerate(after):
        earlier = known.get(claim.text) or (aligned[n] if aligned else None)
        if earlier is not None and _same(claim, earlier):
            found.append(replace(claim, history=earlier.history))
        else:
            past = earlier.history if earlier else claim.history[:1]
            found.append(replace(claim, history=(*past, event, *claim.history[1:])))
    return tuple(found)


def _same(claim: Claim, earlier: Claim) -> bool:
    return (claim.text, claim.verdict, claim.citations) == (earlier.text, earlier.verdict, earlier.citations)


def _ended(claim: Claim, event: ClaimEvent) -> Claim:
    return replace(claim, history=(*claim.history, event))


def _text(sentence: Sentence | None, before: tuple[Sentence, ...]) -> str:
    """The sentence with its marks, numbered as they are behind those before it."""
    if sentence is None:
        return ""
    draft = compose((*before, sentence))
    return draft.text[draft.spans[-1].start :].strip()


def compose(sentences: tuple[Sentence, ...]) -> Draft:
    """The draft's text with `[n]` marks; a passage's number is its place in order of first citation.

    A mark that names no passage stays as it was written: it is above every number given, and fails its check. The
    marks of a table's row stand in its last cell.

    >>> compose((Sentence(1, "Water boils at 100 °C.", ("p7",)), Sentence(2, "It freezes at 0 °C.", ("p7",)))).text
    'Water boils at 100 °C. [1] It freezes at 0 °C. [1]'
    """
    sources = tuple(dict.fromkeys(each for sentence in sentences for each in sentence.passage_ids))
    number = {passage_id: n for n, passage_id in enumerate(sources, 1)}
    marked = [_marked(each, [number[cited] for cited in each.passage_ids]) for each in sentences]
    # A sentence that begins a line brings its line break along.
    parts = [each if n == 0 or each.startswith("\n") else f" {each}" for n, each in enumerate(marked)]
    ends = tuple(accumulate(map(len, parts)))
    spans = tuple(Span(end - len(each), end) for end, each in zip(ends, marked, strict=True))
    return Draft("".join(parts), sources, spans, tuple(each.quotes for each in sentences))


def _marked(sentence: Sentence, numbers: Sequence[int]) -> str:
    """The sentence with its marks and its sign."""
    sign = (HEDGE_MARK,) if sentence.hedged else ()
    marks = " ".join((*(f"[{number}]" for number in numbers), *sentence.unknown_marks, *sign))
    if not marks:
        return sentence.text
    return at_end(sentence.text, marks) if _is_row(sentence) else f"{sentence.text} {marks}"


def _is_row(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith("|")
