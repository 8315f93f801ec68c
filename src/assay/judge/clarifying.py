"""A judge that also says how likely the question must be asked back, and recommends it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from assay.judge.ambiguity import AmbiguityModel, ambiguity, learned, unnamed
from assay.stages import Judge
from assay.text.tokens import stem, terms
from assay.types import Action, Evidence, Judgement, Question

# Characters of passages that are read in a few milliseconds; more are read beside the event loop.
_SOON_READ = 4000
# The reader's signal at even odds.
_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class ClarifyingJudge:
    """Adds the ambiguity to what `inner` says, and recommends a question back from the model's threshold on.

    Where the evidence suffices, or a reader finds the answer in a passage, nothing is asked back: what was found
    settles what was meant.
    """

    inner: Judge
    model: AmbiguityModel = field(default_factory=learned)

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner` with its ambiguity; raises what `inner` raises."""
        judged = await self.inner.judge(question, evidence)
        if sum(len(passage.text) for passage in evidence.passages) <= _SOON_READ:
            measured = ambiguity(question, evidence, self.model)
        else:
            measured = await asyncio.to_thread(ambiguity, question, evidence, self.model)
        judged = replace(judged, ambiguity=measured)
        if judged.recommendation is Action.ANSWER or measured is None or _is_answered(judged):
            return judged
        likely = measured >= self.model.threshold and _may_be_meant(question, evidence)
        if not likely and not names_several(question, evidence):
            return judged
        return asked_back(question, judged)


def _is_answered(judged: Judgement) -> bool:
    """Whether a reader finds it likelier than not that a passage answers."""
    return judged.signals.get("reader_best", 0.0) > _EVEN


def asked_back(question: Question, judged: Judgement) -> Judgement:
    """The judgement with a question back recommended."""
    return replace(judged, recommendation=Action.CLARIFY, reason=_reason(question))


def names_several(question: Question, evidence: Evidence) -> bool:
    """Whether documents are of several things of the kind that the question points at: the X and the Y manual."""
    titles = {" ".join(terms(passage.title)) for passage in evidence.passages}
    return any(
        len({title for title in titles if stem(each.head) in title.split()}) > 1 for each in unnamed(question)
    )


def _may_be_meant(question: Question, evidence: Evidence) -> bool:
    """Whether the passages speak of what the question points at; where none does, asking back would not help."""
    if question.unclear:
        return bool(evidence.hits)
    wanted = {stem(each.head) for each in unnamed(question)}
    held = frozenset(
        term for passage in evidence.readable.passages for term in terms(f"{passage.title} {passage.text}")
    )
    return bool(wanted & held)


def _reason(question: Question) -> str:
    """Why the question is asked back."""
    if question.unclear:
        return f"the question cannot be understood as it stands: {question.unclear}"
    phrases = " and ".join(f'"{phrase}"' for phrase in unnamed(question)[:2])
    return f"nothing says which is meant by {phrases}" if phrases else "nothing says what the question points at"
