"""Test a sentence and repair it if it fails: smallest repair first, kept only if nothing gets worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from assay.core.policy import ASKING, LAST, borne_out, is_better, next_repair, stands
from assay.core.stages import Stages
from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError
from assay.nlp.citations import HEDGE_MARK, citations, invalid
from assay.nlp.segments import at_end
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

# Repairs that must leave the sentence supported: one wrong value for another repairs nothing.
_SETTLING = (RepairKind.CORRECT, RepairKind.REWRITE)
# Repairs that may leave as much wrong as before: tried once, or repairing might never end.
_ONCE = (RepairKind.CORRECT,)
_ENDS = " .,;!?…"
# Endings of questions and lead-ins.
_SAYS_NOTHING = ("?", "？", ":", "：")


@dataclass(frozen=True, slots=True)
class RepairedSentence:
    """A sentence after its tests and repairs, None if it was dropped, and the evidence it stands on.

    `review` is of the sentence as it is now, after those before it; `versions` is the sentence after each of the
    `repairs`; `dropped` are the claims taken out. `asked` counts the repairs that called a search or a model, and
    `notes` name the repairs that could not be made. `late` says that the deadline passed.
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
        """The reason why the sentence may not be shown as verified; None if it may."""
        if self.sentence is None:
            return self.repairs[-1].reason
        return next((each.message for each in self.review.findings if each.severity is Severity.BLOCK), None)


@dataclass(frozen=True, slots=True)
class DraftState:
    """A draft so far: its sentences, and what tests and repairs made of each; `notes` come from its writer.

    `verified` counts the sentences that passed, `stated` those of them that claim something, `seen` all received,
    dropped ones included, and `drafts` the drafts it took. `evidence` includes what repairs found; `asked` counts
    the repairs that called a search or a model. `lead` holds the line breaks before a sentence just dropped.
    `late` says that the deadline passed, `cut` that the writer did not finish: it was late, or at its length limit.
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
        """The draft as one text with its marks."""
        return compose(self.sentences)

    @property
    def is_worthless(self) -> bool:
        """True if most claims of the draft failed and none is supported, or if it has only questions and lead-ins.

        Unsettled claims are kept and marked. A draft without claims is kept if it says more than that: it may say
        that there is no answer.
        """
        claims = (*self.review.claims, *self.dropped)
        failed = sum(claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) for claim in claims)
        borne_out = any(claim.verdict is Verdict.SUPPORTED for claim in self.review.claims)
        lost = 2 * failed > len(claims) if claims else not self.verified
        empty = bool(self.sentences) and all(each.text.rstrip().endswith(_SAYS_NOTHING) for each in self.sentences)
        return empty or (bool(self.seen) and lost and not self.stated and not borne_out)

    def instead_of(self, old: DraftState, reason: str) -> DraftState:
        """This draft as the replacement of another, whose repairs and claims stay in the ledger.

        A claim that only the old draft makes is recorded as dropped, with the `reason`.
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
        """The sentence, with the line breaks of one dropped before it if it has none of its own."""
        return sentence if sentence.text.startswith("\n") else replace(sentence, text=self.lead + sentence.text)

    def followed_by(self, sentence: Sentence, after: RepairedSentence) -> DraftState:
        """Append one more sentence, as its repairs left it."""
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


async def repair_sentence(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    stages: Stages,
    limits: Limits,
    asked: int = 0,
    *,
    late: bool = False,
) -> RepairedSentence:
    """Repair a sentence as the policy asks; `asked` repairs of this answer called a search or a model before.

    Each candidate is tested like a new sentence, and the best is kept. A kept repair leaves less wrong than before
    or is made once, and one that improved nothing is not tried again on the same sentence, so this ends. Past the
    deadline, or if `late` already, what was not tested is unknown, and marked or dropped.
    """
    best = await _tested(sentence, before, question, evidence, stages, late=late)
    allowed_actions = stages.allowed_repairs
    tried: tuple[RepairKind, ...] = ()
    while best.sentence is not None:
        allowed_actions &= frozenset(LAST) if best.late else allowed_actions
        kind = next_repair(best.review, tried, asked + best.asked, limits, allowed_actions)
        if kind is None:
            break
        best = replace(best, asked=best.asked + (kind in ASKING))
        try:
            after = await _attempted(kind, best, before, question, stages)
        except (BudgetSpent, ProviderError) as error:
            best, allowed_actions = _without(kind, error, best), allowed_actions - {kind}
            continue
        kept = after is not None and kind is not RepairKind.HEDGE
        tried = (() if kind not in _ONCE else (kind,)) if kept else (*tried, kind)
        best = after or best
    return best


def _without(kind: RepairKind, error: AssayError, best: RepairedSentence) -> RepairedSentence:
    """Keep the sentence and note why a repair could not be made; cheaper repairs stay possible."""
    note = f"a sentence that could not be borne out was not {kind.value}: {error}"
    told = best.notes if isinstance(error, BudgetSpent) else (*best.notes, note)
    return replace(best, notes=told, late=best.late or isinstance(error, DeadlinePassed))


async def _tested(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    stages: Stages,
    *,
    late: bool,
) -> RepairedSentence:
    """Test the sentence; if no test could run, its review holds one unknown claim."""
    cause = "deadline"
    if not late:
        try:
            return RepairedSentence(
                sentence, evidence, await _reviewed(sentence, before, question, evidence, stages)
            )
        except (BudgetSpent, ProviderError) as error:
            late, cause = isinstance(error, DeadlinePassed), cause_of(error)
    return RepairedSentence(sentence, evidence, _untested(sentence, before, cause), late=late)


def cause_of(error: BudgetSpent | ProviderError) -> str:
    """Name the cause for which a test could not run."""
    kinds = {DeadlinePassed: "deadline", BudgetSpent: "budget"}
    kind = next((told for each, told in kinds.items() if isinstance(error, each)), None)
    return str(error) if kind is None else f"{kind}: {error}"


def _untested(sentence: Sentence, before: tuple[Sentence, ...], cause: str) -> Review:
    """The review of a sentence that could not be tested: one claim, unknown."""
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
    sentence: Sentence, before: tuple[Sentence, ...], question: Question, evidence: Evidence, stages: Stages
) -> Review:
    """Review the sentence. Raises DeadlinePassed, BudgetSpent and what a provider raises."""
    async with stages.in_time():
        return await stages.verifier.review(question, evidence, compose((*before, sentence)), after=len(before))


async def _attempted(
    kind: RepairKind, best: RepairedSentence, before: tuple[Sentence, ...], question: Question, stages: Stages
) -> RepairedSentence | None:
    """Try one kind of repair on the sentence; None if it gives nothing, or nothing better."""
    assert best.sentence is not None  # noqa: S101 - what was dropped is not mended
    begins = compose((*before, best.sentence)).spans[-1].start
    async with stages.in_time():
        candidate = await stages.repairer.mend(kind, question, best.evidence, best.sentence, best.review, begins)
    if candidate is None or candidate.sentence == best.sentence:
        return None
    if candidate.sentence is None:
        return _kept(kind, candidate, best, Review((), (), ()), before)
    if kind is RepairKind.CORRECT and candidate.sentence == replace(best.sentence, hedged=True):
        if RepairKind.HEDGE in stages.allowed_repairs:  # the policy marks it once nothing else helps
            return None
        kind = RepairKind.HEDGE
    if kind is RepairKind.HEDGE:  # a mark behind a sentence claims nothing
        return _kept(kind, candidate, best, _behind_sign(best), before)
    review = await _reviewed(candidate.sentence, before, question, candidate.evidence, stages)
    settles = kind not in _SETTLING or borne_out(review) > borne_out(best.review)
    better = stands(review, best.review) if candidate.weighed else is_better(review, best.review) and settles
    return _kept(kind, candidate, best, review, before) if kind in LAST or better else None


def _behind_sign(best: RepairedSentence) -> Review:
    """The review of a marked sentence; a table row has the mark in its last cell, so its claims end later."""
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
    kind: RepairKind, candidate: Candidate, best: RepairedSentence, review: Review, before: tuple[Sentence, ...]
) -> RepairedSentence:
    """The candidate as the new best, with the change on record."""
    made = Repair(kind, _text(best.sentence, before), _text(candidate.sentence, before), candidate.reason)
    event = ClaimEvent(kind.value, candidate.by, candidate.reason)
    claims = with_history(review.claims, best.review.claims, event)
    gone = [each for each in best.review.claims if kind is RepairKind.DROP and not _is_left(each, review)]
    return RepairedSentence(
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
    """True if a claim is still made, as it was or as a sentence of its own with a capital and a full stop."""
    said = claim.text.casefold().rstrip(_ENDS)
    return any(said.endswith(each.text.casefold().rstrip(_ENDS)) for each in review.claims)


def _hedged(claims: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    return tuple(each if each.verdict is Verdict.SUPPORTED else _ended(each, event) for each in claims)


def with_history(after: tuple[Claim, ...], before: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    """Carry the history of earlier claims over to new ones, adding `event` to those that changed.

    A claim continues the history of the claim in the same words, else of the one at the same place.
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
    """The sentence with its marks, numbered as they follow on those before it."""
    if sentence is None:
        return ""
    draft = compose((*before, sentence))
    return draft.text[draft.spans[-1].start :].strip()


def compose(sentences: tuple[Sentence, ...]) -> Draft:
    """Join sentences into a draft with `[n]` marks, passages numbered in the order of their first citation.

    A mark that names no passage stays as written: it is above every number given and fails its check. The marks of
    a table row stand in its last cell.

    >>> compose((Sentence(1, "Water boils at 100 °C.", ("p7",)), Sentence(2, "It freezes at 0 °C.", ("p7",)))).text
    'Water boils at 100 °C. [1] It freezes at 0 °C. [1]'
    """
    sources = tuple(dict.fromkeys(each for sentence in sentences for each in sentence.passage_ids))
    number = {passage_id: n for n, passage_id in enumerate(sources, 1)}
    marked = [_marked(each, [number[cited] for cited in each.passage_ids]) for each in sentences]
    # A sentence that begins a line carries its own line break.
    parts = [each if n == 0 or each.startswith("\n") else f" {each}" for n, each in enumerate(marked)]
    ends = tuple(accumulate(map(len, parts)))
    spans = tuple(Span(end - len(each), end) for end, each in zip(ends, marked, strict=True))
    return Draft("".join(parts), sources, spans, tuple(each.quotes for each in sentences))


def _marked(sentence: Sentence, numbers: Sequence[int]) -> str:
    """The sentence with its citation marks and its hedge mark."""
    sign = (HEDGE_MARK,) if sentence.hedged else ()
    marks = " ".join((*(f"[{number}]" for number in numbers), *sentence.unknown_marks, *sign))
    if not marks:
        return sentence.text
    return at_end(sentence.text, marks) if _is_row(sentence) else f"{sentence.text} {marks}"


def _is_row(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith("|")
