"""Every clock, language model, embedder, checker, reader and sink keeps the contract of its port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import assay_models
import pytest

from assay.core.budget import Budget
from assay.core.stages import LLM, Checker, Clock, Embedder, Reader
from assay.core.tape import SystemClock, Tape
from assay.evals.checker_fit import _KnownChecker
from assay.models.anthropic import AnthropicModel
from assay.models.caching import CachingChecker, CachingEmbedder, CachingReader
from assay.models.checker import ClassifierChecker, OnnxChecker
from assay.models.embed_api import ApiEmbedder
from assay.models.embed_local import LocalEmbedder
from assay.models.gemini import GeminiModel
from assay.models.openai import OpenAiModel
from assay.models.prices import PriceTable
from assay.models.reader import OnnxReader, SpanReader
from assay.models.run_model import CallMeter, Circuit, RunModel, Tuning
from assay.models.scripted import Rule
from assay.models.scripted import ScriptedModel as FileModel
from assay.records.replay import ModelTape, TapedChecker, TapedClock, TapedEmbedder, TapedReader
from assay.records.runs import RunStore
from assay.testing.contracts import (
    CheckerContract,
    ClockContract,
    EmbedderContract,
    LLMContract,
    ReaderContract,
    SinkContract,
)
from assay.testing.fakes import ScriptedChecker, ScriptedModel, ScriptedReader, WordEmbedder
from assay.types import Limits, PassageReading
from assay.wiring.recording import RecordBeside
from support.always import Always
from support.models import LocalModel
from support.provider import LocalProvider

from ..unit.models.tiny import TINY_READER, tiny_checker
from ..unit.models.tiny_hub import answerer, classifier, hub_folder

CLOCKS: dict[str, Callable[[], Clock]] = {
    "system": SystemClock,
    "taped": lambda: TapedClock(SystemClock(), Tape()),
}


class TestClocks(ClockContract):
    @pytest.fixture(params=CLOCKS)
    def clock(self, request: pytest.FixtureRequest) -> Clock:
        return CLOCKS[request.param]()


def _known() -> Future[bool]:
    done: Future[bool] = Future()
    done.set_result(True)
    return done


MODELS: dict[str, Callable[[], LLM]] = {
    "scripted": lambda: ScriptedModel(*["It was opened in 1932 [1]."] * 20),
    "file": lambda: FileModel([Rule(reply="It was opened in 1932 [1].")]),
    "of a run, without steps": lambda: RunModel(LocalModel()),
    "of a run": lambda: RunModel(
        LocalModel(),
        Circuit(SystemClock()),
        PriceTable(LocalModel().name, {}, _known()),
        ModelTape(Tape()),
        CallMeter(Budget(Limits(calls=99), SystemClock()), SystemClock()),
        Tuning(),
    ),
}


class TestModelsInThisProcess(LLMContract):
    @pytest.fixture(params=MODELS)
    def llm(self, request: pytest.FixtureRequest) -> LLM:
        return MODELS[request.param]()


SERVICES: dict[str, Callable[[LocalProvider], LLM]] = {
    "openai": lambda served: OpenAiModel("m", api_key="none", base_url=served.url),
    "gemini": lambda served: GeminiModel("m", api_key="none", base_url=served.address("gemini")),
    "anthropic": lambda served: AnthropicModel("m", api_key="none", base_url=served.address("anthropic")),
}


class TestModelsOfServices(LLMContract):
    @pytest.fixture(params=SERVICES)
    async def llm(self, request: pytest.FixtureRequest) -> AsyncIterator[LLM]:
        with LocalProvider() as served:
            llm = SERVICES[request.param](served)
            yield llm
            await llm.aclose()


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "words": WordEmbedder,
    "bundled": lambda: LocalEmbedder.load(assay_models.folder(), threads=1),
    "remembering": lambda: CachingEmbedder(WordEmbedder()),
    "remembering two": lambda: CachingEmbedder(WordEmbedder(), most=2),
    "taped": lambda: TapedEmbedder(WordEmbedder(), Tape()),
}


class TestEmbedders(EmbedderContract):
    @pytest.fixture(params=EMBEDDERS)
    async def embedder(self, request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
        embedder = EMBEDDERS[request.param]()
        yield embedder
        await embedder.aclose()


class TestEmbedderOfAService(EmbedderContract):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        with LocalProvider() as served:
            embedder = await ApiEmbedder.connect("m", api_key="none", base_url=served.url)
            yield embedder
            await embedder.aclose()


def _bundled_checker() -> OnnxChecker:
    return OnnxChecker.load(assay_models.folder("minilm-l6-checker-int8"), threads=1)


LABELS = {"0": "entailment", "1": "contradiction"}
CHECKERS: dict[str, Callable[[], Checker]] = {
    "bundled": _bundled_checker,
    "caching": lambda: CachingChecker(ScriptedChecker(Always((0.7, 0.1)), None)),
    "taped": lambda: TapedChecker(ScriptedChecker(Always((0.7, 0.1)), None), Tape()),
    "known": lambda: _KnownChecker(ScriptedChecker(Always((0.7, 0.1)), None)),
    "scripted": lambda: ScriptedChecker(Always((0.7, 0.1)), None),
}


class TestCheckersOfFolders(CheckerContract):
    @pytest.fixture(params=["our layout", "the hub's"])
    def checker(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Checker]:
        words = {"1932": (3, 0), "trams": (0, 3), "bridge": (0, 0)}
        checker = (
            OnnxChecker.load(tiny_checker(tmp_path))
            if request.param == "our layout"
            else ClassifierChecker.load(hub_folder(tmp_path / "nli", words, classifier(words), id2label=LABELS))
        )
        yield checker
        checker.close()


class TestCheckers(CheckerContract):
    @pytest.fixture(params=CHECKERS)
    def checker(self, request: pytest.FixtureRequest) -> Iterator[Checker]:
        checker: Any = CHECKERS[request.param]()
        yield checker
        getattr(checker, "close", lambda: None)()


def _bundled_reader() -> OnnxReader:
    return OnnxReader.load(assay_models.folder("minilm-l6-reader-int8"), threads=1)


READERS: dict[str, Callable[[], Reader]] = {
    "bundled": _bundled_reader,
    "caching": lambda: CachingReader(OnnxReader.load(TINY_READER)),
    "taped": lambda: TapedReader(OnnxReader.load(TINY_READER), Tape()),
    "scripted": lambda: ScriptedReader(Always(PassageReading(1.0, (), 0.5, 0.25))),
}


class TestReadersOfFolders(ReaderContract):
    @pytest.fixture(params=["our layout", "the hub's"])
    def reader(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reader]:
        words = {"1932": (5, 5), "bridge": (1, 4), "trams": (3, 3), "the": (0, 0)}
        reader = (
            OnnxReader.load(TINY_READER)
            if request.param == "our layout"
            else SpanReader.load(hub_folder(tmp_path / "squad", words, answerer(words)))
        )
        yield reader
        reader.close()


class TestReaders(ReaderContract):
    @pytest.fixture(params=READERS)
    def reader(self, request: pytest.FixtureRequest) -> Reader:
        return READERS[request.param]()


class TestRecordBeside(SinkContract):
    @pytest.fixture
    def sink(self, tmp_path: Path) -> RecordBeside:
        return RecordBeside(RunStore(tmp_path / "runs.sqlite", "default"))


class TestRunStore(SinkContract):
    @pytest.fixture
    def sink(self, tmp_path: Path) -> RunStore:
        return RunStore(tmp_path / "runs.sqlite", "default")
