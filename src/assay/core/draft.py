"""A draft on its way to an answer: its sentences or its text, and what tests and repairs made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from assay.nlp.citations import HEDGE_MARK
from assay.nlp.segments import at_end
from assay.types import (
    Answer,
    Assessment,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    FindingKind,
    Fixed,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Verdict,
    WriterPrompt,
)

# Endings of questions and lead-ins.
_STATES_NOTHING = ("?", "？", ":", "：")


# A longer draft is tested, and neither assessed nor recorded: nobody reads its record, of a hundred megabytes.
LONGEST_RECORDED = 100_000
# Chosen: characters of a draft that name its run if it answers no question.
_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class DraftInput:
    """A draft from elsewhere, the `evidence` to test it by, and the `question` that it answers, "" for none.

    `fixes` asks for repairs, and `drops` for the removal of what no repair fixes.
    """

    text: str
    evidence: Evidence
    question: str = ""
    fixes: bool = False
    drops: bool = False

    @property
    def name(self) -> str:
        """The name of its run."""
        beginning = " ".join(self.text[: 4 * _NAME_LENGTH].split())[:_NAME_LENGTH]
        return self.question or f"draft: {beginning}"


@dataclass(frozen=True, slots=True)
class DraftReport:
    """The review of a draft from elsewhere, its repaired text, and the answer object that is recorded.

    `fixed` is None if no repairs were asked for; `recorded` says whether the run was. The answer's `assessment` is
    None if assessing is off, the draft is too long for it, or it could not be made; then its warnings say so.
    """

    review: Review
    answer: Answer
    fixed: Fixed | None = None
    recorded: bool = False


@dataclass(frozen=True, slots=True)
class RepairedSentence:
    """A sentence after its tests and repairs, None if it was dropped, and the evidence it stands on.

    `review` is of the sentence as it is now, after those before it; `versions` is the sentence after each of the
    `repairs`; `dropped` are the claims taken out. `requests` counts the repairs that called a search or a model,
    and `notes` name the repairs that could not be made. `is_late` says that the deadline passed.
    """

    sentence: Sentence | None
    evidence: Evidence
    review: Review
    repairs: tuple[Repair, ...] = ()
    versions: tuple[Sentence | None, ...] = ()
    dropped: tuple[Claim, ...] = ()
    requests: int = 0
    notes: tuple[str, ...] = ()
    is_late: bool = False

    @property
    def blocking_reason(self) -> str | None:
        """The reason why the sentence may not be shown as verified; None if it may."""
        if self.sentence is None:
            return self.repairs[-1].reason
        blocking = (finding for finding in self.review.findings if finding.severity is Severity.BLOCK)
        return next((finding.message for finding in blocking), None)


@dataclass(frozen=True, slots=True)
class DraftState:
    """A draft so far, and what tests and repairs made of it.

    An own draft is composed of its `sentences`; of a draft from elsewhere the `given_text` is kept instead, with
    every passage of the evidence as a source. `received` counts the sentences that came from the writer, `verified`
    those that passed, `claiming` those of them that claim something. `drafts` counts the drafts written for this
    answer, `requests` the repairs that called a search or a model. `pending_breaks` are the line breaks of a
    dropped sentence. `is_late` says that the deadline passed, `is_cut` that the writer did not finish: it was late,
    or at its length limit. `prompt` is what a model wrote it from, `assessment` None if there is none.
    """

    evidence: Evidence
    sentences: tuple[Sentence, ...] = ()
    given_text: str | None = None
    verified: int = 0
    claiming: int = 0
    received: int = 0
    drafts: int = 1
    review: Review = field(default_factory=lambda: Review((), (), ()))
    repairs: tuple[Repair, ...] = ()
    dropped: tuple[Claim, ...] = ()
    requests: int = 0
    pending_breaks: str = ""
    notes: tuple[str, ...] = ()
    is_late: bool = False
    is_cut: bool = False
    prompt: WriterPrompt | None = None
    assessment: Assessment | None = None

    @property
    def draft(self) -> Draft:
        """The draft as one text with its marks."""
        if self.given_text is None:
            return compose(self.sentences)
        return Draft(self.given_text, tuple(passage.passage_id for passage in self.evidence.passages))

    def fixed(self, before: str, warnings: tuple[str, ...]) -> Fixed:
        """This draft as the result of fixing the text `before`; its notes follow the other warnings."""
        review = self.review
        warnings = (*warnings, *self.notes)
        return Fixed(before, self.draft.text, self.repairs, self.dropped, review.verdict, review, warnings)

    @property
    def is_given(self) -> bool:
        """True for a draft from elsewhere."""
        return self.given_text is not None

    @property
    def kind(self) -> str:
        """The word of messages for it: answer or draft."""
        return "draft" if self.is_given else "answer"

    @property
    def is_worthless(self) -> bool:
        """True if most claims of the draft failed and none is supported, or if it has only questions and lead-ins.

        Unsettled claims are kept and marked. A draft without claims is kept if it says more than that: it may say
        that there is no answer.
        """
        claims = (*self.review.claims, *self.dropped)
        failed = sum(claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) for claim in claims)
        has_support = any(claim.verdict is Verdict.SUPPORTED for claim in self.review.claims)
        is_lost = 2 * failed > len(claims) if claims else not self.verified
        says_nothing = all(sentence.text.rstrip().endswith(_STATES_NOTHING) for sentence in self.sentences)
        if self.sentences and says_nothing:
            return True
        return bool(self.received) and is_lost and not self.claiming and not has_support

    @property
    def digressions(self) -> tuple[Sentence, ...]:
        """The quoted sentences that are not on what the question names."""
        blocking = [finding for finding in self.review.findings if finding.severity is Severity.BLOCK]
        claims = {claim.n: claim for claim in self.review.claims}
        found: list[Sentence] = []
        for sentence, span in zip(self.sentences, self.draft.spans, strict=True):
            kinds = {
                finding.kind
                for finding in blocking
                if finding.claim in claims and span.start <= claims[finding.claim].start < span.end
            }
            if sentence.quotes and FindingKind.OFF_SUBJECT in kinds:
                found.append(sentence)
        return tuple(found)

    def without(self, dropped: Sequence[Sentence], old: DraftState) -> DraftState:
        """This draft as what is left of an `old` one, with the dropped sentences in the ledger."""
        reason = "it is not on what the question names"
        repairs = tuple(Repair(RepairKind.DROP, sentence.text.strip(), "", reason) for sentence in dropped)
        event = ClaimEvent(RepairKind.DROP.value, "rules", reason)
        current = {claim.text for claim in self.review.claims}
        missing = tuple(with_event(claim, event) for claim in old.review.claims if claim.text not in current)
        return replace(
            old,
            evidence=self.evidence,
            sentences=self.sentences,
            verified=self.verified,
            claiming=self.claiming,
            review=self.review,
            repairs=(*old.repairs, *repairs),
            dropped=(*old.dropped, *missing),
            requests=self.requests,
        )

    def instead_of(self, old: DraftState, reason: str) -> DraftState:
        """This draft as the replacement of another, whose repairs and claims stay in the ledger.

        A claim that only the old draft makes is recorded as dropped, with the `reason`.
        """
        repair = Repair(RepairKind.REGENERATE, old.draft.text, self.draft.text, reason)
        event = ClaimEvent(RepairKind.DROP.value, "rules", reason)
        current = {claim.text for claim in self.review.claims}
        missing = tuple(with_event(claim, event) for claim in old.review.claims if claim.text not in current)
        return replace(
            self,
            received=old.received + self.received,
            drafts=old.drafts + self.drafts,
            requests=old.requests + self.requests,
            repairs=(*old.repairs, repair, *self.repairs),
            dropped=(*old.dropped, *missing, *self.dropped),
        )

    def with_pending_breaks(self, sentence: Sentence) -> Sentence:
        """The sentence, with the line breaks of one dropped before it if it has none of its own."""
        if sentence.text.startswith("\n"):
            return sentence
        return replace(sentence, text=self.pending_breaks + sentence.text)

    def followed_by(self, sentence: Sentence, after: RepairedSentence) -> DraftState:
        """Append one more sentence, as its repairs left it."""
        breaks = sentence.text[: len(sentence.text) - len(sentence.text.lstrip("\n"))]
        passed = after.blocking_reason is None
        return replace(
            self,
            pending_breaks=breaks if after.sentence is None else "",
            evidence=after.evidence,
            sentences=self.sentences if after.sentence is None else (*self.sentences, after.sentence),
            verified=self.verified + passed,
            claiming=self.claiming + (passed and bool(after.review.claims)),
            received=self.received + 1,
            review=self.review.followed_by(after.review),
            repairs=self.repairs + after.repairs,
            dropped=self.dropped + after.dropped,
            requests=self.requests + after.requests,
            notes=tuple(dict.fromkeys(self.notes + after.notes)),
            is_late=self.is_late or after.is_late,
        )


def compose(sentences: tuple[Sentence, ...]) -> Draft:
    """Join sentences into a draft with `[n]` marks, passages numbered in the order of their first citation.

    A mark that names no passage stays as written: it is above every number given and fails its check. The marks of
    a table row stand in its last cell, those of a quoted table below it.

    >>> compose((Sentence(1, "Water boils at 100 °C.", ("p7",)), Sentence(2, "It freezes at 0 °C.", ("p7",)))).text
    'Water boils at 100 °C. [1] It freezes at 0 °C. [1]'
    """
    sources = tuple(dict.fromkeys(cited for sentence in sentences for cited in sentence.passage_ids))
    number = {passage_id: n for n, passage_id in enumerate(sources, 1)}
    texts = [_with_marks(sentence, [number[cited] for cited in sentence.passage_ids]) for sentence in sentences]
    # A sentence that begins a line carries its own line break.
    parts = [text if n == 0 or text.startswith("\n") else f" {text}" for n, text in enumerate(texts)]
    ends = tuple(accumulate(map(len, parts)))
    spans = tuple(Span(end - len(text), end) for end, text in zip(ends, texts, strict=True))
    return Draft("".join(parts), sources, spans, tuple(sentence.quotes for sentence in sentences))


def _with_marks(sentence: Sentence, numbers: Sequence[int]) -> str:
    """The sentence with its citation marks and its hedge mark."""
    hedge = (HEDGE_MARK,) if sentence.hedged else ()
    marks = " ".join((*(f"[{number}]" for number in numbers), *sentence.unknown_marks, *hedge))
    if not marks:
        return sentence.text
    if not is_row(sentence):
        return f"{sentence.text} {marks}"
    return f"{sentence.text}\n\n{marks}" if sentence.quotes else at_end(sentence.text, marks)


def is_row(sentence: Sentence) -> bool:
    """True if the sentence is a row of a table."""
    return sentence.text.rstrip().endswith("|")


def with_history(after: tuple[Claim, ...], before: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    """Carry the history of earlier claims over to new ones, adding `event` to those that changed.

    A claim continues the history of the claim in the same words, else of the one at the same place.
    """
    known = {claim.text: claim for claim in before}
    aligned = before if len(before) == len(after) else ()
    claims = []
    for n, claim in enumerate(after):
        earlier = known.get(claim.text) or (aligned[n] if aligned else None)
        if earlier is not None and _is_same(claim, earlier):
            claims.append(replace(claim, history=earlier.history))
        else:
            past = earlier.history if earlier else claim.history[:1]
            claims.append(replace(claim, history=(*past, event, *claim.history[1:])))
    return tuple(claims)


def _is_same(claim: Claim, earlier: Claim) -> bool:
    return (claim.text, claim.verdict, claim.citations) == (earlier.text, earlier.verdict, earlier.citations)


def with_event(claim: Claim, event: ClaimEvent) -> Claim:
    """The claim with one more event in its history."""
    return replace(claim, history=(*claim.history, event))
