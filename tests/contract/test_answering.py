"""Everything that writes, declines, tests, mends and rates keeps the contract of its stage."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.assessment.deterministic import AdaptiveAssessor, DeterministicAssessor, TimedAssessor
from assay.assessment.model import ModelAssessor
from assay.assessment.scoring import QualityThreshold, RubricAdviser
from assay.calibration.promise import Promise
from assay.calibration.shipped import shipped
from assay.core.budget import untimed
from assay.core.stages import (
    LLM,
    Abstainer,
    Adviser,
    Assessor,
    Concluder,
    ConfidenceEstimator,
    Relevance,
    Repairer,
    Rules,
    Settler,
    StyleEditor,
    TextVerifier,
    Verifier,
    Weigher,
    Writer,
)
from assay.models.reader import OnnxReader
from assay.prompting import random_fence
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import ComposedRepairer, RulesRepairer
from assay.repair.search import SearchRepairer
from assay.rules.loader import load_rules
from assay.rules.output_rules import OutputRules
from assay.testing.contracts import (
    AbstainerContract,
    AdviserContract,
    AssessorContract,
    ConcluderContract,
    ConfidenceEstimatorContract,
    RelevanceContract,
    RepairerContract,
    RulesContract,
    SettlerContract,
    StyleEditorContract,
    TextVerifierContract,
    VerifierContract,
    WeigherContract,
    WriterContract,
)
from assay.testing.contracts.given import EVIDENCE
from assay.testing.fakes import (
    PlainDecliner,
    PlainRater,
    ScriptedAssessor,
    ScriptedChecker,
    ScriptedRepairer,
    ScriptedRetriever,
    ScriptedRules,
    ScriptedVerifier,
    ScriptedWriter,
    WordEmbedder,
)
from assay.types import Assessment, Finished, RepairKind, Review, Sentence
from assay.verification.model_verifier import ModelTier, ModelVerifier
from assay.verification.risk import CalibratedConfidence, LeastConfidence, Promised, PromisedVerifier
from assay.verification.subject import ReaderRelevance
from assay.verification.verifier import DeterministicVerifier
from assay.writing import abstain
from assay.writing.cited import CitedWriter, RoutedWriter, UnlinkedDecliner, UnlinkedWriter
from assay.writing.extractive import ExtractiveWriter
from assay.writing.reader_writer import ReaderWriter
from support.always import Always
from support.models import ANY_MODEL

from ..unit.models.tiny import TINY_READER

WORDS = WordEmbedder()
HONEST = ANY_MODEL["honest"]


def untold(note: str) -> None:
    """Nobody is told."""


def _reader() -> OnnxReader:
    return OnnxReader.load(TINY_READER)


WRITERS: dict[str, Callable[[], Writer]] = {
    "scripted": lambda: ScriptedWriter(Always((Sentence(1, "It was so."), Finished("stop")))),
    "extractive": ExtractiveWriter,
    "reader": lambda: ReaderWriter(_reader(), WORDS, ExtractiveWriter()),
    "cited": lambda: CitedWriter(HONEST),
    "rambling": lambda: CitedWriter(ANY_MODEL["rambling"]),
    "unlinked": lambda: UnlinkedWriter(CitedWriter(ANY_MODEL["rambling"])),
    "routed": lambda: RoutedWriter(CitedWriter(HONEST), ExtractiveWriter()),
}


class TestWriters(WriterContract):
    @pytest.fixture(params=WRITERS)
    def writer(self, request: pytest.FixtureRequest) -> Writer:
        return WRITERS[request.param]()


ABSTAINERS: dict[str, Callable[[], Abstainer]] = {
    "fake": PlainDecliner,
    "plain": abstain.PlainDecliner,
    "asking": lambda: abstain.AskingDecliner(abstain.PlainDecliner()),
    "unlinked": lambda: UnlinkedDecliner(abstain.AskingDecliner(abstain.PlainDecliner())),
}


class TestAbstainers(AbstainerContract):
    @pytest.fixture(params=ABSTAINERS)
    def abstainer(self, request: pytest.FixtureRequest) -> Abstainer:
        return ABSTAINERS[request.param]()


def _plain(checker: bool = False, reader: bool = False) -> DeterministicVerifier:
    read = ScriptedChecker(Always((0.7, 0.1)), None) if checker else None
    return DeterministicVerifier(WORDS, checker=read, answer_reader=_reader() if reader else None)


def _model(name: str) -> ModelVerifier:
    return ModelVerifier(_plain(), ModelTier(ANY_MODEL[name]))


def _promised() -> Promised:
    return Promised(Promise(risk=0.2, threshold=0.8, share=0.12, shown=120, wrong=15), (0.5,) * 50)


VERIFIERS: dict[str, Callable[[], Verifier]] = {
    "scripted": lambda: ScriptedVerifier(Always(Review((), (), ()))),
    "words alone": DeterministicVerifier,
    "words and vectors": _plain,
    "checker": lambda: _plain(checker=True),
    "reader": lambda: _plain(reader=True),
    **{name: lambda name=name: _model(name) for name in ANY_MODEL},
}


class TestVerifiers(VerifierContract):
    @pytest.fixture(params=VERIFIERS)
    def verifier(self, request: pytest.FixtureRequest) -> Verifier:
        return VERIFIERS[request.param]()


TEXT_VERIFIERS: dict[str, Callable[[], TextVerifier]] = {
    **VERIFIERS,  # type: ignore[dict-item] - each of them tests texts, too
    "promised": lambda: PromisedVerifier(_plain(), _promised, deque(maxlen=50)),
}


class TestTextVerifiers(TextVerifierContract):
    @pytest.fixture(params=TEXT_VERIFIERS)
    def text_verifier(self, request: pytest.FixtureRequest) -> TextVerifier:
        return TEXT_VERIFIERS[request.param]()


class TestConcluders(ConcluderContract):
    @pytest.fixture(params=["scripted", "words alone"])
    def concluder(self, request: pytest.FixtureRequest) -> Concluder:
        return ScriptedVerifier(Always(Review((), (), ()))) if request.param == "scripted" else _plain()


class TestWeighers(WeigherContract):
    @pytest.fixture(params=[False, True], ids=["without a checker", "with one"])
    def weigher(self, request: pytest.FixtureRequest) -> Weigher:
        return _plain(checker=request.param)


class TestSettlers(SettlerContract):
    @pytest.fixture(params=ANY_MODEL)
    def settler(self, request: pytest.FixtureRequest) -> Settler:
        return _model(request.param)


ASSESSORS: dict[str, Callable[[], Assessor]] = {
    "scripted": lambda: ScriptedAssessor(Always(Assessment((), None, None, "0" * 64))),
    "rules": DeterministicAssessor,
    "adaptive": lambda: AdaptiveAssessor(DeterministicAssessor(), QualityThreshold()),
    "timed": lambda: TimedAssessor(DeterministicAssessor(), untimed),
    **{name: lambda llm=llm: ModelAssessor(llm) for name, llm in ANY_MODEL.items()},
}


class TestAssessors(AssessorContract):
    @pytest.fixture(params=ASSESSORS)
    def assessor(self, request: pytest.FixtureRequest) -> Assessor:
        return ASSESSORS[request.param]()


class TestAdvisers(AdviserContract):
    @pytest.fixture(params=["scripted", "rubrics"])
    def adviser(self, request: pytest.FixtureRequest) -> Adviser:
        return ScriptedAssessor({}) if request.param == "scripted" else RubricAdviser()


def _search() -> SearchRepairer:
    return SearchRepairer({"search": ScriptedRetriever(Always(EVIDENCE))}, _plain(), untold)


def _rewriter(llm: LLM) -> ModelRepairer:
    return ModelRepairer(llm, untold, random_fence)


REPAIRERS: dict[str, Callable[[], Repairer]] = {
    "scripted": lambda: ScriptedRepairer(Always(None)),
    "rules": lambda: RulesRepairer(_plain()),
    "weighed": lambda: RulesRepairer(_plain(checker=True), _plain(checker=True)),
    "search": _search,
    "composed": lambda: ComposedRepairer(
        RulesRepairer(_plain()), {RepairKind.FETCH: _search(), RepairKind.REWRITE: _rewriter(HONEST)}
    ),
    **{name: lambda llm=llm: _rewriter(llm) for name, llm in ANY_MODEL.items()},
}


class TestRepairers(RepairerContract):
    @pytest.fixture(params=REPAIRERS)
    def repairer(self, request: pytest.FixtureRequest) -> Repairer:
        return REPAIRERS[request.param]()


def _rules(name: str) -> OutputRules | ScriptedRules:
    return OutputRules(load_rules("neutral")) if name == "shipped" else ScriptedRules(Always(()))


class TestRules(RulesContract):
    @pytest.fixture(params=["shipped", "scripted"])
    def rules(self, request: pytest.FixtureRequest) -> Rules:
        return _rules(request.param)


class TestStyleEditors(StyleEditorContract):
    @pytest.fixture(params=["shipped", "scripted"])
    def editor(self, request: pytest.FixtureRequest) -> StyleEditor:
        return _rules(request.param)

    @pytest.fixture
    def rules(self) -> Rules:
        return _rules("shipped")


ESTIMATORS: dict[str, Callable[[], ConfidenceEstimator]] = {
    "fake": PlainRater,
    "least": LeastConfidence,
    "calibrated": lambda: CalibratedConfidence(
        LeastConfidence(), shipped()["answers"], replace(shipped()["answers"].made_for)
    ),
}


class TestConfidenceEstimators(ConfidenceEstimatorContract):
    @pytest.fixture(params=ESTIMATORS)
    def estimator(self, request: pytest.FixtureRequest) -> ConfidenceEstimator:
        return ESTIMATORS[request.param]()


class TestRelevance(RelevanceContract):
    @pytest.fixture
    def relevance(self) -> Relevance:
        return ReaderRelevance(_reader())
