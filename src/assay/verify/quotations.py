"""Sentences that only quote: each quote is compared with the stored text, character for character."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.nlp.blocks import without_markup
from assay.types import (
    Check,
    Citation,
    Claim,
    ClaimEvent,
    Draft,
    FindingKind,
    Passage,
    Quote,
    Review,
    Severity,
    Span,
    Status,
    Verdict,
)
from assay.verify.claims import claims_nothing
from assay.verify.findings import findings_of

# A bold word that says yes or no before a quote, which the quote itself does not.
_POLARITIES = ("**Yes**", "**No**")


def only_quotes(draft: Draft, after: int) -> bool:
    """Whether all that the sentences from `after` on claim is in their quotes."""
    sentences = list(zip(draft.spans[after:], draft.quotes[after:], strict=True)) if draft.quotes else []
    quoted = any(quotes for _, quotes in sentences)
    return quoted and all(_is_covered(draft.text[span.start : span.end], quotes) for span, quotes in sentences)


def _is_covered(said: str, quotes: Sequence[Quote]) -> bool:
    return all(quote.text in said for quote in quotes) if quotes else claims_nothing(said)


def quotation_review(draft: Draft, after: int, marks: tuple[Citation, ...], held: Mapping[str, Passage]) -> Review:
    """One claim for each quote of the sentences from `after` on, supported where it stands in its passage."""
    made = [_judged(number, quote, start, held) for number, (quote, start) in enumerate(_places(draft, after), 1)]
    checks = tuple(check for _, check in made)
    return Review(tuple(claim for claim, _ in made), checks, findings_of(checks), marks)


def polarity_at(draft: Draft, after: int) -> Span | None:
    """Where the sentences from `after` on begin with a bold Yes or No; None where they do not."""
    start = draft.spans[after].start
    start += len(draft.text[start:]) - len(draft.text[start:].lstrip())
    word = next((each for each in _POLARITIES if draft.text.startswith(each, start)), None)
    return None if word is None else Span(start, start + len(word))


def _places(draft: Draft, after: int) -> Iterator[tuple[Quote, int]]:
    """Each quote and where it begins in the draft, in order."""
    for span, quotes in zip(draft.spans[after:], draft.quotes[after:], strict=True):
        at = span.start
        for quote in quotes:
            start = draft.text.index(quote.text, at)
            yield quote, start
            at = start + len(quote.text)


def _judged(number: int, quote: Quote, start: int, held: Mapping[str, Passage]) -> tuple[Claim, Check]:
    source, where = quote.source, Span(start, start + len(quote.text))
    cause = _difference(quote, held.get(source.passage_id))
    verdict = Verdict.SUPPORTED if cause is None else Verdict.UNSUPPORTED
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(verdict.value, "quote", cause or ""))
    spans = (source,) if cause is None else ()
    support = 1.0 if cause is None else 0.0
    claim = Claim(
        number, quote.text, where.start, where.end, (source.passage_id,), verdict, support, spans, history
    )
    status = Status.PASSED if cause is None else Status.FAILED
    kind = None if cause is None else FindingKind.UNSUPPORTED_ADDITION
    return claim, Check("quotes", status, Severity.BLOCK, number, cause, where, source, kind)


def _difference(quote: Quote, passage: Passage | None) -> str | None:
    """How the quote differs from what its source stores; None where it does not."""
    source = quote.source
    if passage is None:
        return "the quoted passage is not among the evidence"
    start, end = source.start - passage.start, source.end - passage.start
    if not 0 <= start < end <= len(passage.text) or passage.text[start:end] != source.quote:
        return "the source does not hold these words at that place"
    prose = " ".join(without_markup(passage.text)[start:end].split())
    return None if quote.text in (source.quote, prose) else "the answer changes the quoted words"
