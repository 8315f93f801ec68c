"""Answers made of the evidence's own sentences, without a language model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from assay.nlp.rivals import is_of_rival, rivals
from assay.types import Evidence, Finding, Finished, Question, Sentence
from assay.write.blocks import Shown, told_of_rest, without
from assay.write.candidates import Candidate, candidates
from assay.write.comparison import sides
from assay.write.features import read
from assay.write.listed import with_lists
from assay.write.parts import for_each_part
from assay.write.polarity import yes_or_no
from assay.write.ranker import Ranker, fitted
from assay.write.readings import per_reading
from assay.write.selection import (
    SCATTERED,
    STEPS,
    WORDS_APART,
    WORDS_TOGETHER,
    direct,
    pertinent,
    readable,
    select,
)

# How many of the likeliest sentences are asked whether they settle a yes-or-no question.
_GROUNDS = 3
_WORD = {True: "Yes.", False: "No."}


@dataclass(frozen=True, slots=True)
class _Plan:
    """An answer before it is written: yes, no or neither, the sentences it stands on, the sentences quoted.

    `listed` is what is shown of these where a list is among them.
    """

    verdict: str = ""
    grounds: tuple[Candidate, ...] = ()
    quoted: tuple[Candidate, ...] = ()
    listed: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractiveWriter:
    """Quotes the sentences that answer, each with its passage, word for word.

    It writes the same answer whatever the advice: a quotation cannot be mended.
    """

    ranker: Ranker = field(default_factory=fitted)

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's sentences in reading order, then `Finished("stop")`; none where nothing can be quoted."""
        plan = self._plan(question, evidence)
        if plan.listed:
            for sentence in _listing(question, plan.listed):
                yield sentence
            yield Finished("stop")
            return
        if plan.verdict:
            yield Sentence(1, plan.verdict, tuple(dict.fromkeys(each.passage.passage_id for each in plan.grounds)))
        for number, candidate in enumerate(plan.quoted, 2 if plan.verdict else 1):
            yield Sentence(number, candidate.text, (candidate.passage.passage_id,))
        yield Finished("stop")

    def scattered(self, question: Question, evidence: Evidence) -> float:
        """The probability that the answer lies scattered over passages, so that several must be quoted."""
        pool = candidates(evidence)
        return self.ranker.scattered(read(question, evidence, pool)) if pool else 0.0

    def _plan(self, question: Question, evidence: Evidence) -> _Plan:
        """What to say: a yes or no where the grounds settle one, and the sentences to quote in order."""
        told = rivals(question, evidence.passages)
        pool = tuple(each for each in candidates(evidence) if not is_of_rival(each.passage, each.span, told))
        if not pool:
            return _Plan()
        reading = read(question, evidence, pool)
        scattered = self.ranker.scattered(reading)
        shares = self.ranker.shares(reading)
        # Where several steps lead to the answer, the last need not speak of what is asked.
        shares = shares if scattered >= STEPS else pertinent(question, pool, reading, shares)
        disagreeing = per_reading(evidence, pool, shares)
        if disagreeing:
            return _Plan(quoted=tuple(pool[index] for index in disagreeing))
        compared = sides(question, evidence, pool, shares)
        grounds, settled = _settled(question, pool, shares, compared)
        parts = [] if compared else for_each_part(question, pool, shares)
        if settled is not None:
            chosen = list(grounds)
        elif len(parts) == len(question.aspects) > 1:
            chosen = parts
        else:
            words = WORDS_APART if scattered >= SCATTERED else WORDS_TOGETHER
            chosen = select(pool, shares, words, compared or parts or direct(reading, shares))
        quoted = tuple(pool[index] for index in readable(chosen, pool))
        if settled is None:
            listed = (without(each, told) for each in with_lists(question, quoted))
            return _Plan(quoted=quoted, listed=tuple(each for each in listed if each is not None))
        return _Plan(_WORD[settled], tuple(pool[index] for index in grounds), quoted)


def _listing(question: Question, shown: Sequence[Shown]) -> list[Sentence]:
    """A sentence for each part shown. Only its quotes claim something: how many items are left out is no claim."""
    rests = told_of_rest(question, shown)
    return [
        Sentence(
            number,
            ("\n\n" if number > 1 else "") + each.text + rest,
            (each.passage.passage_id,),
            quotes=each.quotes,
        )
        for number, (each, rest) in enumerate(zip(shown, rests, strict=True), 1)
    ]


def _settled(
    question: Question, pool: Sequence[Candidate], shares: Sequence[float], compared: Sequence[int]
) -> tuple[Sequence[int], bool | None]:
    """Yes or no, and the sentences that settle it: those compared, else the first of the likeliest that does."""
    likeliest = sorted(range(len(pool)), key=lambda index: -shares[index])[:_GROUNDS]
    for grounds in [compared] if compared else [[index] for index in likeliest]:
        settled = yes_or_no(question, [pool[index] for index in grounds])
        if settled is not None:
            return grounds, settled
    return compared, None
