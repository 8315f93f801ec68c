"""The sentences of a finished answer that passed their tests, for readers who cannot be shown the others. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.nlp.citations import HEDGE_MARK
from assay.nlp.cited_sentences import SentenceCutter
from assay.types import Answer, Check, Claim, Outcome, Severity, Status, Value, Verdict

_OPEN = (Status.FAILED, Status.UNKNOWN)


@dataclass(frozen=True, slots=True)
class UnverifiedSentence(Value):
    """A sentence of an answer that did not pass, with its marks, and the `reason`."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class VerifiedText(Value):
    """The `text` of the sentences that passed, with their marks, and the sentences that were left out."""

    text: str
    left_out: tuple[UnverifiedSentence, ...] = ()


def unverified_claims(claims: Iterable[Claim], checks: Sequence[Check]) -> Mapping[int, str]:
    """The numbers of the claims that are not verified, each with the reason.

    A claim is verified if the evidence supports it and no blocking check of it failed or is unknown.
    """
    causes: dict[int, str] = {}
    for check in checks:
        if check.claim is not None and check.severity is Severity.BLOCK and check.status in _OPEN:
            causes.setdefault(check.claim, check.cause or f"the check {check.name} is {check.status.value}")
    others = {claim.n: claim.verdict.value for claim in claims if claim.verdict is not Verdict.SUPPORTED}
    return {**others, **causes}


def verified_text(answer: Answer, refused: Callable[[str], str | None] = lambda _sentence: None) -> VerifiedText:
    """The answer's text without the sentences that hold an unverified claim; a refusal stays as it is.

    `refused` says why a sentence may not be shown, None if it may. Nothing is left of a text without a verified
    claim: lead-ins and headings alone say nothing.
    """
    if answer.outcome in (Outcome.ABSTAINED, Outcome.CLARIFY):
        return VerifiedText(answer.text)
    unverified = unverified_claims(answer.claims, answer.checks)
    kept, left_out = "", list[UnverifiedSentence]()
    at, is_claiming = 0, False
    gap: str | None = None  # the line breaks that stood before what was just left out
    for sentence in _sentences(answer.text):
        claims = [claim for claim in answer.claims if claim.start < at + len(sentence) and claim.end > at]
        at += len(sentence)
        if gap is not None:  # the hedge of the sentence before stands behind its marks
            sentence = sentence.removeprefix(f" {HEDGE_MARK}")
        reason = next((unverified[claim.n] for claim in claims if claim.n in unverified), None) or refused(sentence)
        if reason is not None:
            left_out.append(UnverifiedSentence(sentence.replace(HEDGE_MARK, "").strip(), reason))
            gap = (gap or "") + _breaks(sentence)
        elif sentence:
            begins = sentence if not gap or sentence.startswith("\n") else gap + sentence.lstrip(" ")
            kept, gap = kept + begins, None
            is_claiming = is_claiming or bool(claims)
    if is_claiming:
        return VerifiedText(kept.strip(), tuple(left_out))
    rest = UnverifiedSentence(kept.strip(), "it claims nothing that could be tested")
    return VerifiedText("", (*left_out, *([rest] if rest.text else [])))


def _sentences(text: str) -> list[str]:
    """The sentences of a text with their marks; joined, they are the text."""
    cutter = SentenceCutter()
    return [*cutter.feed(text), *cutter.end()]


def _breaks(sentence: str) -> str:
    """The line breaks that a sentence begins with."""
    return sentence[: len(sentence) - len(sentence.lstrip("\n"))]
