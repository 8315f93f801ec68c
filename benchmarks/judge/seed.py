"""The formula of the seed, kept for comparison: overlap .4, mean score .3, least score .2, presence .1.

Words are cut at white space and stripped of punctuation, not stemmed; a missing division is 0, never an error.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.core.stages import Embedder
from assay.judging.recommendation import Thresholds, quality_of, triage_of
from assay.judging.signals import clip_cosine
from assay.types import Action, Evidence, Judgement, Question

STOP = frozenset("the a an is are was were what when where how why who".split())


@dataclass(frozen=True, slots=True)
class SeedJudge:
    """The seed's own judge: scores are cosines clipped to 0 to 1; `least` passages count as presence."""

    embedder: Embedder
    thresholds: Thresholds = field(default_factory=Thresholds)
    least: int = 1

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The seed's judgement; its decision tree, in which coverage and issues change nothing."""
        texts = [passage.text for passage in evidence.passages]
        scores = await self._scores(question.standalone, evidence)
        overlap, nowhere = keyword_overlap(question.standalone, texts)
        mean = sum(scores) / len(scores) if scores else 0.0
        least = min(scores, default=0.0)
        presence = 1.0 if texts and len(texts) >= self.least else 0.0
        confidence = 0.4 * overlap + 0.3 * mean + 0.2 * least + 0.1 * presence
        action, reason = self._recommend(confidence, len(texts))
        return Judgement(
            sufficiency=confidence,
            recommendation=action,
            reason=reason,
            quality=quality_of(confidence, self.thresholds),
            triage=triage_of(confidence, self.thresholds),
            coverage=overlap * min(1.0, mean * 1.2),
            relevance={p.passage_id: score for p, score in zip(evidence.passages, scores, strict=True)},
            missing=nowhere,
            issues=_issues(len(texts), self.least, mean, overlap),
            signals={"keyword_overlap": overlap, "avg_score": mean, "min_score": least, "presence": presence},
            mode_used="fast (seed weights)",
        )

    async def _scores(self, question: str, evidence: Evidence) -> list[float]:
        """The clipped cosine of each passage, embedded here where the search gave none."""
        known = [hit.scores.dense for hit in evidence.hits]
        unseen = [hit.passage.text for hit, score in zip(evidence.hits, known, strict=True) if score is None]
        if not unseen:
            return [clip_cosine(score) for score in known if score is not None]
        vectors = await self.embedder.embed([self.embedder.model.as_question(question), *unseen])
        found = iter(float(each) for each in vectors[1:] @ vectors[0])
        return [clip_cosine(next(found) if score is None else score) for score in known]

    def _recommend(self, confidence: float, passages: int) -> tuple[Action, str]:
        """The seed's decision tree."""
        if confidence >= self.thresholds.excellent:
            return Action.ANSWER, "high confidence: the passages directly answer the question"
        if confidence >= self.thresholds.good:
            return Action.ANSWER, "good confidence: the passages provide sufficient information"
        if passages == 0:
            return Action.EXTERNAL, "no passages were found"
        if confidence >= self.thresholds.partial:
            return Action.REFINE, "partial confidence: another search may help"
        return Action.CLARIFY, "low confidence: the question may be ambiguous or out of scope"


def keyword_overlap(question: str, texts: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """The share of the question's keywords found in any text, and those found nowhere; 0 without keywords.

    >>> keyword_overlap("What was the revenue?", ["Revenue grew."])
    (1.0, ())
    """
    asked = dict.fromkeys(word for word in _keywords(question) if word not in STOP)
    there = {word for text in texts for word in _keywords(text)}
    nowhere = tuple(word for word in asked if word not in there)
    return ((len(asked) - len(nowhere)) / len(asked) if asked else 0.0), nowhere


def _keywords(text: str) -> list[str]:
    stripped = (word.strip(string.punctuation + "？。，！") for word in text.lower().split())
    return [word for word in stripped if word]


def _issues(passages: int, least: int, mean: float, overlap: float) -> tuple[str, ...]:
    """The seed's list of issues."""
    found = []
    if passages == 0:
        found.append("no passages")
    elif passages < least:
        found.append(f"only {passages} passages (least: {least})")
    if mean < 0.5:
        found.append(f"low average relevance score: {mean:.2f}")
    if overlap < 0.3:
        found.append(f"low keyword overlap: {overlap:.2f}")
    return tuple(found)
