"""What to search for next, by rules alone: no model, no search of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from assay.act.refine_chains import Form, forms
from assay.act.refine_question import phrases
from assay.act.refine_words import constrained, expanded, keywords, relaxed
from assay.text.tokens import terms, words
from assay.types import Evidence, Judgement, Question, Step

# Queries of one round, and of them phrases of the question and parts that are still open.
MOST = 8
_PHRASES, _PARTS = 2, 3
# Characters of a question that are read by rules.
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class RulesRefiner:
    """Asks, in this order, what the question holds, what the passages lead on to, and less.

    First the innermost phrases and the parts that are still open, each with the question's names; then the
    question with names from the passages in place of its phrases (`forms`), by turns with those names beside the
    question's open words; then acronyms and other names written out; then the question without words that no
    passage has. `most` is how many queries a round may have. Nothing is asked twice on a path, in whatever order
    its words stand.
    """

    most: int = MOST

    async def refine(
        self, question: Question, evidence: Evidence, judgement: Judgement, path: tuple[Step, ...]
    ) -> tuple[str, ...]:
        """Queries that were not asked on the path yet, likeliest first; never raises."""
        asked = {normalised(query) for step in path for query in step.queries}
        # Reading the passages takes longer than an event loop should be kept waiting.
        return await asyncio.to_thread(self._new, question, evidence, judgement, asked)

    def _new(
        self, question: Question, evidence: Evidence, judgement: Judgement, asked: set[frozenset[str]]
    ) -> tuple[str, ...]:
        return tuple(islice(unasked(ideas(question, evidence, judgement, asked), asked), self.most))

    async def outside(self, question: Question, judgement: Judgement) -> tuple[str, ...]:
        """The question's words that state something, then each missing part with the question's names."""
        text = question.standalone[:LONGEST]
        wanted = (keywords(constrained(text, each)) for each in missing_parts(question, judgement))
        return tuple(islice(unasked(chain((keywords(text),), wanted), set()), 1 + _PARTS))


def ideas(
    question: Question, evidence: Evidence, judgement: Judgement, asked: set[frozenset[str]]
) -> Iterator[str]:
    """Queries for a question, likeliest first; some may have been `asked` before or come twice."""
    text = question.standalone[:LONGEST]
    yield from [each.text for each in phrases(text) if len(each.weights) > 1][:_PHRASES]
    yield from (constrained(text, each) for each in missing_parts(question, judgement))
    new = [form for form in forms(text, evidence.hits) if normalised(form.text) not in asked]
    yield from _by_turns(new)
    yield from expanded(text, evidence.hits)
    yield from relaxed(text, evidence.hits)


def missing_parts(question: Question, judgement: Judgement) -> list[str]:
    """The parts of a question of several that the passages do not state, or not in full."""
    if len(question.aspects) < 2:
        return []
    return [each.text for each in judgement.aspects if each.state in ("missing", "partial")][:_PARTS]


def unasked(queries: Iterable[str], asked: set[frozenset[str]]) -> Iterator[str]:
    """The queries that are not among the `asked`, each once; `asked` is not changed."""
    known = set(asked)
    for query in queries:
        key = normalised(query)
        if key and key not in known:
            known.add(key)
            yield query


def normalised(query: str) -> frozenset[str]:
    """What makes two queries the same search: their terms; of a query of stop words alone, its words.

    >>> normalised("Director of Emma?") == normalised("the directors, Emma")
    True
    """
    return frozenset(terms(query) or words(query))


def _by_turns(found: Sequence[Form]) -> Iterator[str]:
    """The likeliest forms of both kinds, one after the other."""
    put_in = [form.text for form in found if not form.led]
    led = [form.text for form in found if form.led]
    for pair in zip_longest(put_in, led):
        yield from (text for text in pair if text is not None)
