"""A corrected search without a model against a single one: the share of gold passages at k = 10 on wiki-mix.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/correct/run.py

No weight is fitted: the queries of the second and third search, and the choice among what all of them found, are
rules, which were written with these questions in view. Corrected is every question, whatever a judge says of its
evidence. CPU time is that of one round's queries and choice, its searches left out.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import Asked, judged, questions, read_lines, shows_gold, wiki_mix
from pipeline import engine

from assay.core.stages import Retriever
from assay.evals.metrics import Rows, paired_bootstrap
from assay.judging.rewriting import RulesRefiner
from assay.judging.selection import BestSelector, with_strips
from assay.models.caching import CachingEmbedder
from assay.prompting import shown_text
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.sqlite import open_sqlite
from assay.retrieval.neighbours import LinkedRetriever
from assay.settings import load_settings
from assay.types import Action, Evidence, Judgement, Question, SearchSettings, Step
from assay.understanding.rules import understand_by_rules
from assay.wiring import open_embedder
from report import write_result

K = 10
ROUNDS = (2, 3)
SETS = {"hotpot": "hotpot100", "musique": "musique100", "clapnq": "clapnq"}
OPEN = Judgement(sufficiency=None, recommendation=Action.REFINE, reason="every question is searched again")


@dataclass
class Measured:
    """The questions of one source: the shares of gold passages by way, and the CPU ms of each round."""

    shares: dict[str, list[float]] = field(default_factory=dict)
    cpu_ms: list[float] = field(default_factory=list)

    def add(self, way: str, found: Evidence, gold: Sequence[str]) -> None:
        ids = {passage.document_id for passage in found.passages}
        self.shares.setdefault(way, []).append(float(np.mean([each in ids for each in gold])))


@dataclass(frozen=True)
class Corrected:
    """Searches again and chooses, as a loop would whose judge is never content."""

    retriever: Retriever
    refiner: RulesRefiner
    selector: BestSelector

    async def rounds(self, question: Question, cpu_ms: list[float]) -> dict[int, Evidence]:
        """The evidence after one search, and after each further round."""
        evidence = await self.retriever.retrieve((question.standalone,))
        path = (Step(Action.REFINE, (question.standalone,), evidence.ids, None),)
        after = {1: evidence}
        for number in ROUNDS:
            began = time.process_time()
            queries = await self.refiner.refine(question, evidence, OPEN, path)
            spent = time.process_time() - began
            if queries:
                evidence = evidence.merge(await self.retriever.retrieve(queries))
                path += (Step(Action.REFINE, queries, evidence.ids, None),)
            began = time.process_time()
            after[number] = await self.selector.select(question, evidence)
            cpu_ms.append(1000 * (spent + time.process_time() - began))
        return after


async def measured(source: str, hybrid: HybridRetriever, linked: LinkedRetriever) -> Measured:
    """Every question of a source, by a single search and corrected."""
    gold, found = judged(), Measured()
    for row in read_lines(wiki_mix() / "queries.jsonl"):
        name = str(row["id"])
        if not name.startswith(f"{source}:") or name not in gold:
            continue
        question = understand_by_rules(str(row["text"]))
        for way, retriever in (("", hybrid), (" over linked search", linked)):
            ways = Corrected(retriever, RulesRefiner(), BestSelector(K))
            for rounds, evidence in (await ways.rounds(question, found.cpu_ms)).items():
                found.add(f"{rounds} round{'s' * (rounds > 1)}{way}", evidence, gold[name])
    return found


def summary(found: Measured) -> dict[str, object]:
    """The mean shares, and what each way gains over one hybrid search with its paired 95 % interval."""
    single = np.array(found.shares["1 round"])
    rows = [str(n) for n in range(len(single))]
    gains = {}
    for way, values in found.shares.items():
        other = np.array(values)
        gain = paired_bootstrap(_mean_of(other), _mean_of(single), rows)
        gains[way] = {
            "gold share": round(float(other.mean()), 3),
            "gain": round(gain.difference, 3),
            "interval": [round(gain.low, 3), round(gain.high, 3)],
        }
    return {
        "questions": len(single),
        **gains,
        "CPU ms of a round beyond its searches": {
            "median": round(float(np.median(found.cpu_ms)), 1),
            "95th percentile": round(float(np.percentile(found.cpu_ms, 95)), 1),
        },
    }


def _mean_of(values: np.ndarray) -> Callable[[Rows], float]:
    return lambda rows: float(values[rows].mean())


async def stripped(asked: Sequence[Asked], retriever: Retriever) -> dict[str, float]:
    """How much of the passages the strips keep, and how often the gold answer still shows in them."""
    whole, kept, share = [], [], []
    for each in asked:
        question = understand_by_rules(each.text)
        evidence = await retriever.retrieve((question.standalone,))
        full = " ".join(passage.text for passage in evidence.passages)
        cut = " ".join(map(shown_text, with_strips(question, evidence).hits))
        whole.append(shows_gold(full, each.golds))
        kept.append(shows_gold(cut, each.golds))
        share.append(len(cut) / len(full))
    return {
        "gold shown by passages": round(float(np.mean(whole)), 3),
        "gold shown by strips": round(float(np.mean(kept)), 3),
        "characters kept": round(float(np.mean(share)), 3),
    }


async def main() -> None:
    """Print the numbers and keep them in results/."""
    with engine():
        pass  # it is filled where it was not there
    folder = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "answers-collection"
    embedder = CachingEmbedder(open_embedder(load_settings({}).settings))
    index = open_sqlite(folder / "collections" / "wiki-mix", embedder.model, create=False)
    hybrid = HybridRetriever(index, embedder, SearchSettings(k=K))
    linked = LinkedRetriever(hybrid, index, embedder)
    numbers: dict[str, object] = {
        name: summary(await measured(source, hybrid, linked)) for source, name in SETS.items()
    }
    golds = [each for each in questions() if each.golds]
    numbers["strips"] = {
        name: await stripped([each for each in golds if each.source == source], hybrid)
        for source, name in SETS.items()
    }
    await index.close()
    write_result("correct", "wiki-mix", numbers)


if __name__ == "__main__":
    asyncio.run(main())
