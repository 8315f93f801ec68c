"""A judge that also says where the passages disagree on what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.judge.ambiguity import unnamed
from assay.judge.clarifying import asked_back
from assay.judge.contradictions import contradictions
from assay.stages import Judge
from assay.types import Action, Aspect, Contradiction, Evidence, Judgement, Passage, Question, Reading

# Characters of passages that are read in a few milliseconds; more are read beside the event loop.
_SOON_READ = 4000
# A source's name in an issue line is cut after this many characters.
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class ContradictionJudge:
    """Adds the contradictions to what `inner` says: the aspect becomes conflicting, an issue names both sides."""

    inner: Judge

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner` with what the passages disagree on; raises what `inner` raises."""
        judged = await self.inner.judge(question, evidence)
        if sum(len(passage.text) for passage in evidence.passages) <= _SOON_READ:
            found = contradictions(question, evidence)
        else:
            found = await asyncio.to_thread(contradictions, question, evidence)
        if not found:
            return judged
        judged = with_contradictions(judged, evidence, found)
        # The readings are there, and what is meant decides among them: searching again would bring more of them.
        open_to_all = judged.recommendation is not Action.ANSWER and bool(unnamed(question))
        return asked_back(question, judged) if open_to_all else judged


def with_contradictions(judged: Judgement, evidence: Evidence, found: Sequence[Contradiction]) -> Judgement:
    """The judgement with contradictions; none may stand in it yet."""
    passages = {passage.passage_id: passage for passage in evidence.passages}
    return replace(
        judged,
        contradictions=tuple(found),
        aspects=tuple(_marked(aspect, found) for aspect in judged.aspects),
        issues=(*judged.issues, *(told(each, passages) for each in found)),
    )


def told(contradiction: Contradiction, passages: Mapping[str, Passage]) -> str:
    """The contradiction in words, each reading with its first source.

    >>> readings = (Reading("1898", ("a",), "2010"), Reading("1901", ("b",)))
    >>> one, other = (Passage(key, key, "", 0, 0, "", title) for key, title in (("a", "Guide"), ("b", "Atlas")))
    >>> told(Contradiction("when it opened", readings), {"a": one, "b": other})
    'sources disagree: Guide says 1898 (2010), Atlas says 1901'
    """
    return "sources disagree: " + ", ".join(_reading_told(each, passages) for each in contradiction.readings)


def _reading_told(reading: Reading, passages: Mapping[str, Passage]) -> str:
    first = reading.passage_ids[0]
    name = " ".join(passages[first].title.split())[:_LONGEST_NAME].strip() or f"passage {first}"
    return f"{name} says {reading.value}" + (f" ({reading.date})" if reading.date else "")


def _marked(aspect: Aspect, found: Sequence[Contradiction]) -> Aspect:
    """The aspect as conflicting, with the passages on all sides, where a contradiction is about it."""
    here = [each for each in found if each.aspect == aspect.text]
    if not here:
        return aspect
    ids = (key for each in here for reading in each.readings for key in reading.passage_ids)
    return Aspect(aspect.text, "conflicting", tuple(dict.fromkeys(ids)))
