"""Everything that understands, searches, judges, refines and selects keeps the contract of its stage."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.core.stages import (
    LLM,
    Entry,
    Index,
    Judge,
    Refiner,
    Reranker,
    Retriever,
    Selector,
    Speller,
    Understander,
)
from assay.core.tape import SystemClock, Tape
from assay.judging.judge import JudgePipeline, NoJudge
from assay.judging.light import BalancedModel
from assay.judging.reader_judge import HeuristicJudge
from assay.judging.rewriting import ModelRefiner, RulesRefiner
from assay.judging.selection import BestSelector, ModelStripRanker, StripSelector
from assay.judging.thorough import ThoroughModel
from assay.models.reader import OnnxReader
from assay.models.reranker import CrossEncoderReranker
from assay.records.replay import TapedRetriever, TapedSpeller
from assay.retrieval.caller import CallerRetriever
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.neighbours import LinkedRetriever, WholeBlocksRetriever
from assay.retrieval.quarantine import QuarantiningRetriever
from assay.testing.contracts import (
    JudgeContract,
    RefinerContract,
    RerankerContract,
    RetrieverContract,
    SearchProviderContract,
    SelectorContract,
    SpellerContract,
    UnderstanderContract,
)
from assay.testing.contracts.given import EVIDENCE, TEXTS
from assay.testing.fakes import (
    KeepingSelector,
    ScriptedJudge,
    ScriptedRefiner,
    ScriptedRetriever,
    ScriptedUnderstander,
    WordEmbedder,
)
from assay.types import Action, Document, Evidence, Judgement, SearchMode, SearchSettings
from assay.understanding.model import ModelUnderstander
from assay.understanding.rules import AsSetUnderstander, RulesUnderstander
from assay.understanding.spelling import CollectionSpeller, SpellingUnderstander
from assay.web.providers import BraveSearch, SearxngSearch, TavilySearch, WikipediaSearch
from assay.web.sources import SearchProvider
from support.always import Always
from support.models import ANY_MODEL
from support.web import LocalWeb
from support.web.server import Article

from ..unit.models.tiny import TINY_READER
from ..unit.models.tiny_hub import hub_folder, reranker

WORDS = WordEmbedder()


def _filled() -> Index:
    """An index of the contract's passages, each a document."""
    index = MemoryIndex(WORDS.model)
    vectors = asyncio.run(WORDS.embed(TEXTS))
    for n, (passage, text) in enumerate(zip(EVIDENCE.passages, TEXTS, strict=True)):
        document = Document(passage.document_id, text, passage.title, f"{n}.txt", "text", "0" * 64)
        asyncio.run(index.add([Entry(document, (passage,), vectors[n : n + 1])]))
    return index


INDEX = _filled()


def untold(note: str) -> None:
    """Nobody is told."""


UNDERSTANDERS: dict[str, Callable[[], Understander]] = {
    "scripted": ScriptedUnderstander,
    "rules": RulesUnderstander,
    "as set": lambda: AsSetUnderstander(RulesUnderstander(), 7, "expert"),
    "spelling": lambda: SpellingUnderstander(RulesUnderstander(), CollectionSpeller(INDEX)),
}


class TestUnderstanders(UnderstanderContract):
    @pytest.fixture(params=UNDERSTANDERS)
    def understander(self, request: pytest.FixtureRequest) -> Understander:
        return UNDERSTANDERS[request.param]()


@pytest.mark.parametrize("llm", ANY_MODEL.values(), ids=list(ANY_MODEL))
class TestUnderstanderOfModels(UnderstanderContract):
    @pytest.fixture
    def understander(self, llm: LLM) -> Understander:
        return ModelUnderstander(llm, RulesUnderstander())


class TestSpellers(SpellerContract):
    @pytest.fixture(params=["plain", "taped"])
    def speller(self, request: pytest.FixtureRequest) -> Speller:
        speller = CollectionSpeller(INDEX)
        return speller if request.param == "plain" else TapedSpeller(speller, Tape())


def _hybrid(mode: SearchMode = SearchMode.HYBRID, mmr: float | None = None) -> Retriever:
    return HybridRetriever(INDEX, WORDS, SearchSettings(mode, mmr=mmr))


RETRIEVERS: dict[str, Callable[[], Retriever]] = {
    "hybrid": _hybrid,
    "dense": lambda: _hybrid(SearchMode.DENSE),
    "sparse": lambda: _hybrid(SearchMode.SPARSE),
    "linked": lambda: LinkedRetriever(_hybrid(), INDEX, WORDS),
    "whole blocks": lambda: WholeBlocksRetriever(_hybrid(), INDEX),
    "quarantining": lambda: QuarantiningRetriever(_hybrid()),
    "taped": lambda: TapedRetriever(_hybrid(), Tape()),
    "nowhere": lambda: CallerRetriever(Evidence()),
    "scripted": lambda: ScriptedRetriever(Always(Evidence())),
}


class TestRetrievers(RetrieverContract):
    @pytest.fixture(params=RETRIEVERS)
    def retriever(self, request: pytest.FixtureRequest) -> Retriever:
        return RETRIEVERS[request.param]()


class TestReranker(RerankerContract):
    @pytest.fixture
    def reranker(self, tmp_path: Path) -> Iterator[Reranker]:
        words = {"1932": (2,), "trams": (-1,), "bridge": (1,)}
        place = hub_folder(tmp_path / "marco", words, reranker(words), id2label={"0": "LABEL_0"})
        ranks = CrossEncoderReranker.load(place)
        yield ranks
        ranks.close()


FAST = HeuristicJudge(WORDS)
JUDGES: dict[str, Callable[[], Judge]] = {
    "words alone": HeuristicJudge,
    "words and vectors": lambda: FAST,
    "reader": lambda: HeuristicJudge(WORDS, reader=OnnxReader.load(TINY_READER)),
    "pipeline": lambda: JudgePipeline(FAST, SystemClock()),
    "no judge": NoJudge,
    "logged only": lambda: NoJudge(JudgePipeline(FAST, SystemClock())),
    "scripted": lambda: ScriptedJudge(Always(Judgement(None, Action.ABSTAIN, "nothing was found"))),
}


class TestJudges(JudgeContract):
    @pytest.fixture(params=JUDGES)
    def judge(self, request: pytest.FixtureRequest) -> Judge:
        return JUDGES[request.param]()


@pytest.mark.parametrize("llm", ANY_MODEL.values(), ids=list(ANY_MODEL))
class TestJudgesOfModels(JudgeContract):
    @pytest.fixture(params=["balanced", "thorough"])
    def judge(self, request: pytest.FixtureRequest, llm: LLM) -> Judge:
        balanced = BalancedModel(llm, sample=1.0)
        thorough = ThoroughModel(llm) if request.param == "thorough" else None
        return JudgePipeline(FAST, SystemClock(), balanced, thorough)


class TestRefiners(RefinerContract):
    @pytest.fixture(params=["rules", "scripted", *ANY_MODEL])
    def refiner(self, request: pytest.FixtureRequest) -> Refiner:
        if request.param == "rules":
            return RulesRefiner()
        if request.param == "scripted":
            return ScriptedRefiner((("how long is it",),) * 3, ("how long is it",))
        return ModelRefiner(ANY_MODEL[request.param], RulesRefiner(), untold)


class TestSelectors(SelectorContract):
    @pytest.fixture(params=["keeping", "best", "strips", *ANY_MODEL])
    def selector(self, request: pytest.FixtureRequest) -> Selector:
        strips = StripSelector(BestSelector(2))
        known: dict[str, Selector] = {"keeping": KeepingSelector(), "best": BestSelector(2), "strips": strips}
        return known.get(request.param) or ModelStripRanker(ANY_MODEL[request.param], strips, untold)


ARTICLES = (
    Article("/bridge", "Harbour bridge", TEXTS[0], "2021-05-03"),
    Article("/lanes", "Lanes of the harbour bridge", TEXTS[1]),
)
SERVICES: dict[str, Callable[[str], SearchProvider]] = {
    "searxng": SearxngSearch,
    "brave": lambda url: BraveSearch("key-0123456789", url),
    "tavily": lambda url: TavilySearch("tvly-0123456789", url),
    "wikipedia": lambda url: WikipediaSearch(url=url),
}


class TestSearchServices(SearchProviderContract):
    @pytest.fixture(params=SERVICES)
    def provider(self, request: pytest.FixtureRequest) -> Iterator[SearchProvider]:
        with LocalWeb(ARTICLES) as site:
            yield SERVICES[request.param](site.url)
