"""What a judging model is shown of the evidence: no orders and no questions but those that bear on the user's.

An order that was planted and not recognised speaks to its reader, and rarely of the user's question. A judge
needs what passages state, so it can do without both; who asks how something is done needs the orders of manuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.text.orders import speaks_to_reader
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Evidence, Hit, Question, QuestionKind, Span


def stating(question: Question, evidence: Evidence) -> Evidence:
    """The evidence with strips that leave out what speaks to its reader and holds no term of the question.

    A passage of which nothing would be left stays as it is, and so does all evidence for how something is done.
    """
    if question.kind is QuestionKind.HOW_TO:
        return evidence
    asked = frozenset(term for text in (question.standalone, *question.aspects) for term in terms(text))
    return replace(evidence, hits=tuple(_stating(hit, asked) for hit in evidence.hits))


def _stating(hit: Hit, asked: frozenset[str]) -> Hit:
    text = hit.passage.text
    shown = hit.strips or (Span(0, len(text)),)
    spans = sentences(text)
    seen = [
        n for n, span in enumerate(spans) if any(span.start < each.end and each.start < span.end for each in shown)
    ]
    kept = [n for n in seen if _states(text[spans[n].start : spans[n].end], asked)]
    if not kept or len(kept) == len(seen):
        return hit
    return replace(hit, strips=_joined(spans, kept))


def _states(sentence: str, asked: frozenset[str]) -> bool:
    return not speaks_to_reader(sentence) or not asked.isdisjoint(terms(sentence))


def _joined(spans: Sequence[Span], kept: Sequence[int]) -> tuple[Span, ...]:
    """The places of the sentences; those that follow one another are one strip."""
    found: list[Span] = []
    for n in kept:
        follows = bool(found) and n - 1 in kept
        start = found.pop().start if follows else spans[n].start
        found.append(Span(start, spans[n].end))
    return tuple(found)
