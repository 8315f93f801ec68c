"""Knowledge refinement: the sentences of a passage that bear on the question, as true spans; nothing is rewritten.

The strips of corrective RAG (Yan et al. 2024, arXiv 2401.15884, section 4.4), found by words instead of a model.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.act.refine import LONGEST
from assay.act.refine_chains import forms
from assay.act.refine_question import held, share, weighed
from assay.act.refine_reading import Line, read
from assay.stages import Selector
from assay.text.answer_types import new_candidates
from assay.text.tokens import fold, terms, word_spans
from assay.types import Evidence, Hit, Question, Span

# A passage of fewer sentences is shown whole: cutting it saves little.
_WHOLE = 3
# A sentence bears on the question when it holds this share of what the passage's best sentence holds.
_ENOUGH = 0.5
# Shorter questions whose names bear on the question too.
_FORMS = 8
# A sentence that begins with such a word says of what the one before it speaks.
_POINTS_BACK = frozenset(
    """he she it they this that these those his her its their him them such there then here however also thus
    therefore instead otherwise but and or so""".split()
)
# A heading or the head of a table belongs to what follows it.
_HEAD = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\|)|.{1,200}:\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class StripSelector:
    """Another selector's choice, each of its passages with the strips that bear on the question.

    Passages keep their whole text; only prompts are cut down to the strips. A passage that bears on the question as
    a whole has no strips, so it is shown as it is.
    """

    inner: Selector

    async def select(self, question: Question, evidence: Evidence) -> Evidence:
        """The inner choice with strips; raises what the inner selector raises."""
        chosen = await self.inner.select(question, evidence)
        # Reading the passages takes longer than an event loop should be kept waiting.
        return await asyncio.to_thread(with_strips, question, chosen)


def with_strips(question: Question, evidence: Evidence) -> Evidence:
    """The evidence with the strips of each passage in the place of those that it has.

    A passage that holds as much of the question as any other stays whole: several of its sentences may be needed.
    """
    asked = weighed(question.standalone[:LONGEST])
    named = {
        term: form.score
        for form in forms(question.standalone[:LONGEST], evidence.hits)[1:_FORMS]
        for term in terms(form.name)
    }
    shares = [share(asked, held(asked, read(hit).terms)) for hit in evidence.hits]
    most = max(shares, default=0.0)
    hits = (
        replace(hit, strips=strips(hit, {**named, **asked}, question) if holds < most else ())
        for hit, holds in zip(evidence.hits, shares, strict=True)
    )
    return replace(evidence, hits=tuple(hits))


def strips(hit: Hit, weights: dict[str, float], question: Question) -> tuple[Span, ...]:
    """The parts of the passage's text that bear on the question, in order and apart; none means all of it.

    A sentence bears on it when it holds at least half of the weight that the passage's best one holds, or some and
    what could be an answer of the type asked for; what the title holds is said of every sentence. One that points
    back brings the sentence before it along, and a heading stands with what follows it. Where no sentence holds
    anything the passage stays whole.
    """
    passage = read(hit)
    if len(passage.lines) <= _WHOLE:
        return ()
    titled = held(weights, passage.titled)
    weights = {term: weight for term, weight in weights.items() if term not in titled}
    bearing = _bearing(passage.lines, weights, question)
    kept = with_what_they_need(passage.lines, bearing)
    return () if not kept or len(kept) == len(passage.lines) else joined(passage.lines, sorted(kept))


def _bearing(lines: Sequence[Line], weights: dict[str, float], question: Question) -> set[int]:
    """The sentences that hold enough of the question, or some and what could be its answer."""
    shares = [share(weights, held(weights, line.terms)) for line in lines]
    best = max(shares)
    asked = question.standalone[:LONGEST]
    return {
        n
        for n, (line, holds) in enumerate(zip(lines, shares, strict=True))
        if holds and (holds >= _ENOUGH * best or new_candidates(line.text, question.answer_type, asked))
    }


def with_what_they_need(lines: Sequence[Line], bearing: set[int]) -> set[int]:
    """The sentences with those before them that they point back to, and with the heading above them."""
    kept = set(bearing)
    for n in sorted(bearing, reverse=True):
        while n and (_points_back(lines[n].text) or _HEAD.match(lines[n - 1].text)) and n - 1 not in kept:
            n -= 1
            kept.add(n)
    return kept


def _points_back(text: str) -> bool:
    first = next(word_spans(text), None)
    return first is not None and fold(text[first.start : first.end]) in _POINTS_BACK


def joined(lines: Sequence[Line], kept: Sequence[int]) -> tuple[Span, ...]:
    """The places of the sentences; those that follow one another are one strip."""
    found: list[Span] = []
    for n in kept:
        follows = bool(found) and n - 1 in kept
        start = found.pop().start if follows else lines[n].span.start
        found.append(Span(start, lines[n].span.end))
    return tuple(found)
