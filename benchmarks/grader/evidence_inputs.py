"""What may tell sufficient evidence beyond the fast judge's signals: words aligned by their vectors, and a network.

For the question and the twelve sentences that the judge ranks first, the encoder's token vectors are kept before
they are averaged. Each of the question's words has its nearest token in each sentence; words count by rarity.
"""

# ruff: noqa: E402

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "judge"), str(ROOT / "models" / "grader")]
from cases import Case, KeptEmbedder
from token_encoder import TokenEncoder, Worded

from assay.judge.heuristic import HeuristicJudge
from assay.judge.probe import Probe, probe_of
from assay.judge.reading import Reading, cover, read
from assay.judge.window import ranked, window
from assay.judge.words import word_signals
from assay.models.grader import Pair, PairScorer
from assay.text.rarity import rarity

# Sentences that are aligned, and the characters of each.
SENTENCES, CHARACTERS = 12, 300
ALIGNED = ("aligned", "aligned_in_one", "aligned_in_two", "aligned_least", "aligned_low2")
WORDED = ("cover_two", "cover_of_pair", "second_best")
NEAR = ("near_mean", "near_second")
NETWORK = ("window", "best_passage", "second_passage")
Signals = dict[str, float]


class Inputs:
    """Measures a case: the judge's signals, and the further inputs by name; 0 where one cannot be measured."""

    def __init__(self, embedder: KeptEmbedder, encoder: TokenEncoder, scorer: PairScorer | None) -> None:
        self.embedder, self.encoder, self.scorer = embedder, encoder, scorer
        self.judge = HeuristicJudge(embedder)

    async def of(self, cases: Sequence[Case]) -> list[Signals]:
        """The inputs of each case, in order."""
        return [await self._of(case) for case in cases]

    async def _of(self, case: Case) -> Signals:
        probe = probe_of(case.question)
        readings = [read(passage, probe) for passage in case.evidence.passages]
        signals = dict((await self.judge.judge(case.question, case.evidence)).signals)
        if probe.weights:
            signals |= word_signals(probe, readings) | worded(probe, readings)
        vectors = await self.embedder.embed([case.question.standalone, *(p.text for p in case.evidence.passages)])
        near = vectors[1:] @ vectors[0]
        cosines = {one.passage_id: float(cosine) for one, cosine in zip(readings, near, strict=True)}
        signals |= {"near_mean": float(near.mean()), "near_second": float(np.sort(near)[-2:][0])}
        signals |= self._aligned(case.question.standalone, _first(probe, readings, cosines))
        return signals | (self._read(case.question.standalone, probe, readings, cosines) if self.scorer else {})

    def _aligned(self, question: str, lines: Sequence[str]) -> Signals:
        worded = self.encoder.worded([question, *lines])
        asked, sources = worded[question], [worded[line] for line in lines if worded[line].stems]
        if not asked.stems or not sources:
            return dict.fromkeys(ALIGNED, 0.0)
        return dict(zip(ALIGNED, aligned(asked, sources), strict=True))

    def _read(self, question: str, probe: Probe, readings: Sequence[Reading], cosines: dict[str, float]) -> Signals:
        """The network's log odds of the window over all passages, and of the passages' own windows."""
        nearest = sorted(readings, key=lambda each: -cosines[each.passage_id])[:9]
        texts = [window(probe, readings, {}), *(window(probe, [each], {}) for each in nearest)]
        assert self.scorer is not None
        scores = [float(each) for each in self.scorer.score_now([Pair(question, text) for text in texts])]
        best = sorted(scores[1:], reverse=True)
        return dict(zip(NETWORK, (scores[0], best[0], best[min(1, len(best) - 1)]), strict=True))


def _first(probe: Probe, readings: Sequence[Reading], cosines: dict[str, float]) -> list[str]:
    """The sentences that the judge would look at first."""
    found = [each for reading in readings for each in ranked(probe, reading, cosines)]
    found.sort(key=lambda each: -each[0])
    return list(dict.fromkeys(line.text[:CHARACTERS] for _, line in found))[:SENTENCES]


def aligned(asked: Worded, sources: Sequence[Worded]) -> list[float]:
    """The inputs in the order of ALIGNED, each a cosine."""
    weights = np.array([rarity(stem) for stem in asked.stems]) * asked.content
    weights /= weights.sum()
    near = np.array([(asked.vectors @ each.vectors.T).max(axis=1) for each in sources])
    best = near.max(axis=0)
    low = np.sort(best[asked.content])
    one = float((near @ weights).max())
    return [float(best @ weights), one, _two(near, weights), float(low[0]), float(low[:2].mean())]


def _two(near: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The best that two sentences do together."""
    both = np.maximum(near[:, None, :], near[None, :, :]) @ weights
    return float(both.max())


def worded(probe: Probe, readings: Sequence[Reading]) -> Signals:
    """Coverage by two sentences and by two passages, and by the second best passage."""
    held = [line.held for each in readings for line in each.lines] or [frozenset[str]()]
    first = max(held, key=lambda each: cover(each, probe))
    covers = sorted((each.cover for each in readings), reverse=True)
    return {
        "cover_two": max(cover(first | each, probe) for each in held),
        "cover_of_pair": max(cover(one.held | two.held, probe) for one in readings for two in readings),
        "second_best": covers[min(1, len(covers) - 1)],
    }
