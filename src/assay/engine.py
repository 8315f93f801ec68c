"""The engine: one collection of documents and the verbs of the library."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from assay.core import pipeline
from assay.core.ablation import AnswerObject, CitedAnswer, ablate
from assay.core.concurrency import BackgroundLoop, ordered_map
from assay.core.draft import DraftInput, DraftReport
from assay.core.inputs import (
    OF_ANSWER,
    OF_GATHER,
    OF_JUDGE,
    OF_SEARCH,
    refuse_no_options,
    refuse_no_question,
    refuse_options,
    refuse_other_types,
    refuse_same_ids,
    require_hits,
    require_text,
)
from assay.core.pipeline import review_given, run_draft, run_question
from assay.core.review import with_masked
from assay.core.run import AnswerElsewhere, BeginRun, CallerPassages, Deadline, Run, ignore_event
from assay.core.stages import LLM, Embedder, Emit, Index, Ingester, Retriever, Sink, Stages
from assay.errors import AssayError, UsageError
from assay.nlp.sentences import sentences
from assay.types import (
    Ablation,
    Answer,
    AskOptions,
    Document,
    DocumentRecord,
    Done,
    Event,
    Evidence,
    Failed,
    FileReport,
    Fixed,
    Gathered,
    Hit,
    Judgement,
    Message,
    Passage,
    Review,
    SearchSettings,
)

# Only so many characters of a sentence are searched for. Chosen.
_LONGEST_QUERY = 2_000

Result = TypeVar("Result")
Params = ParamSpec("Params")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an engine; `assay.wiring` chooses them.

    `begin` begins a run for a question, `begin_given` one for a draft from elsewhere; both take the number of
    running ones. `stages_for` composes a run's stages over the shared ports; `retriever_for` a search with other
    settings than the usual ones. `quarantine` masks planted instructions in passages that did not come from a
    search. `under` gives the same parts with options over the settings; it may open a model. `models` are the
    language models to close, `closing` further functions to call then. `records` says whether one of the `sinks` is
    the record of runs. `open_circuits` names the providers that are left alone for now. Questions whose events
    nobody receives go to `answer_elsewhere` if it is there.
    """

    index: Index
    embedder: Embedder
    ingester: Ingester
    begin: BeginRun
    begin_given: Callable[[str, int], Run]
    stages_for: Callable[[Run], Stages]
    retriever_for: Callable[[SearchSettings], Retriever]
    quarantine: Callable[[Evidence], Evidence]
    search: SearchSettings
    under: Callable[[AskOptions], Parts]
    sinks: tuple[Sink, ...] = ()
    records: bool = True
    models: Callable[[], tuple[LLM, ...]] = tuple
    closing: tuple[Callable[[], None], ...] = ()
    open_circuits: Callable[[], tuple[str, ...]] = tuple
    answer_elsewhere: AnswerElsewhere | None = None


def _plain(
    verb: Callable[Concatenate[Engine, Params], Coroutine[Any, Any, Result]],
) -> Callable[Concatenate[Engine, Params], Result]:
    """The plain form of a verb: it waits for the result."""

    @wraps(verb)
    def run(engine: Engine, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return engine._background.run(verb(engine, *args, **kwargs))

    return _renamed(run, verb.__name__)


def _collected(
    verb: Callable[Concatenate[Engine, Params], AsyncIterator[Result]],
) -> Callable[Concatenate[Engine, Params], tuple[Result, ...]]:
    """The plain form of a verb that yields results: it waits for all of them."""

    @wraps(verb)
    def run(engine: Engine, /, *args: Params.args, **kwargs: Params.kwargs) -> tuple[Result, ...]:
        return engine._background.run(_collect(verb(engine, *args, **kwargs)))

    return _renamed(run, verb.__name__)


def _renamed(run: Callable[Params, Result], name: str) -> Callable[Params, Result]:
    """The function under the name of the plain form, without the leading `a`."""
    run.__name__ = name[1:]
    run.__qualname__ = f"Engine.{name[1:]}"
    return run


class Engine:
    """Answers questions from one collection of documents, and tests every answer.

    Every verb has an async form with an `a` before it: for `await`, and `aadd`, `amirror` and `aask_many`, like
    `stream`, for `async for`. The plain forms may be called from anywhere, also inside a running event loop: they
    run on the engine's own loop in a background thread, where they also call `emit`.

    >>> from assay import open_engine
    >>> with open_engine(data_dir=folder) as engine:
    ...     _ = engine.add([sample])
    ...     answer = engine.ask("At how many degrees does water boil?")
    >>> answer.outcome.value, answer.validate()
    ('answered', True)
    """

    def __init__(self, parts: Parts) -> None:
        self._open_parts: Parts | None = parts
        self._background = BackgroundLoop()
        self._running = 0

    @property
    def _parts(self) -> Parts:
        if self._open_parts is None:
            raise UsageError("the engine is closed", hint="open another one with open_engine()")
        return self._open_parts

    # --- documents -----------------------------------------------------------------------------

    def aadd(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Add files and folders; one report for each file, after it is stored for good.

        A text like `s3://bucket/folder` is an address in object storage: every object there is a file.
        """
        return self._parts.ingester.add(paths)

    add = _collected(aadd)

    def amirror(self, paths: Sequence[Path | str], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
        """Make the collection hold these files and folders as they are now; documents from elsewhere stay."""
        return self._parts.ingester.mirror(paths, dry_run=dry_run)

    mirror = _collected(amirror)

    async def adocuments(self) -> tuple[DocumentRecord, ...]:
        """The documents of the collection."""
        return await self._parts.index.documents()

    documents = _plain(adocuments)

    async def adocument(self, document_id: str) -> Document | None:
        """One document with its text, or None."""
        return await self._parts.index.document(document_id)

    document = _plain(adocument)

    async def apassages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The stored passages of these ids, in that order; unknown ids are left out."""
        return await self._parts.index.passages(passage_ids)

    passages = _plain(apassages)

    async def aremove(self, document_ids: Sequence[str]) -> int:
        """Remove documents; returns the collection's new version."""
        return await self._parts.index.remove(document_ids)

    remove = _plain(aremove)

    async def aversion(self) -> int:
        """The collection's version: it rises with each change."""
        return await self._parts.index.version()

    version = _plain(aversion)

    # --- questions -----------------------------------------------------------------------------

    @property
    def open_circuits(self) -> tuple[str, ...]:
        """The model providers that failed so often in a row that they are left alone for now."""
        return self._parts.open_circuits()

    async def aask(
        self,
        text: str,
        history: Iterable[Message] = (),
        emit: Emit = ignore_event,
        *,
        options: AskOptions | None = None,
        streamed: bool = False,
    ) -> Answer:
        """Answer a question, or say honestly why not; `emit` receives each event as it happens.

        `options` are settings of this question alone. If sentences are shown as they are verified (`streamed`),
        none of them is changed afterwards, so the answer as a whole is neither edited nor written again. If the
        deadline passes once something has passed its tests, the answer so far is given, with a warning. Raises
        UsageError for an empty or too long question and for an option without effect, DeadlinePassed if the
        deadline passes before, and what the store or a provider raises.
        """
        return await self._ask(text, history, options, None, emit, streamed)

    ask = _plain(aask)

    async def aanswer_from(
        self,
        text: str,
        passages: Sequence[Passage | Hit],
        history: Iterable[Message] = (),
        options: AskOptions | None = None,
        emit: Emit = ignore_event,
        *,
        streamed: bool = False,
    ) -> Answer:
        """Answer a question from passages that the caller retrieved, best first, as `aask` does from a search.

        A `Hit` brings its scores: the judge takes its `scores.dense` as the cosine of the passage and the question.
        Nothing else is searched, unless the options allow more than one of `rounds`. Text in the passages that
        reads like an instruction to a model is no evidence, and a warning says so. Raises as `aask`, and UsageError
        for two passages with the same id.

        >>> from assay import Passage, open_engine
        >>> bridge = "The bridge was opened on 3 May 1932."
        >>> with open_engine(data_dir=folder) as engine:
        ...     answer = engine.answer_from("When was the bridge opened?", [Passage("a", "a", "", 0, 36, bridge)])
        >>> answer.text, answer.sources[0].passage_id
        ('**3 May 1932** — The bridge was opened on 3 May 1932. [1]', 'a')
        """
        return await self._ask(text, history, options, passages, emit, streamed)

    answer_from = _plain(aanswer_from)

    async def aask_many(
        self, texts: Iterable[str], at_once: int = 8, options: AskOptions | None = None
    ) -> AsyncGenerator[Answer | AssayError, None]:
        """Answer many questions, at most `at_once` together; the answers come in order, as soon as possible.

        An error that `aask` would raise is yielded in place of the answer, and stops no other question. `texts` is
        read only as far as needed. Raises UsageError if `at_once` is below 1. Wrap it in `contextlib.aclosing` if
        you may leave early.

        >>> from assay import open_engine
        >>> with open_engine(data_dir=folder) as engine:
        ...     _ = engine.add([sample])
        ...     answer, error = engine.ask_many(["At how many degrees does water boil?", ""])
        >>> answer.outcome.value, str(error)
        ('answered', 'the question is empty')
        """
        if isinstance(texts, str):
            raise UsageError("many questions are a list of texts", hint="ask one with `ask`")
        if at_once < 1:
            raise UsageError(f"at_once is {at_once}", hint="give at least 1")
        async with aclosing(ordered_map(self._questions(texts, options), at_once)) as answers:
            async for answer in answers:
                yield answer

    ask_many = _collected(aask_many)

    async def _questions(
        self, texts: Iterable[str], options: AskOptions | None
    ) -> AsyncIterator[Callable[[], Awaitable[Answer | AssayError]]]:
        for text in texts:
            yield partial(self._answer_or_error, text, options)

    async def _answer_or_error(self, text: str, options: AskOptions | None) -> Answer | AssayError:
        try:
            return await self.aask(text, options=options)
        except AssayError as error:
            return error

    async def stream(
        self,
        text: str,
        history: Iterable[Message] = (),
        *,
        options: AskOptions | None = None,
        passages: Sequence[Passage | Hit] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """The run's events as they happen; the last is Done, or Failed if `aask` would have raised.

        With `passages` as `aanswer_from`, else as `aask`. Raises UsageError if no run can begin, as for an option
        without effect. Wrap it in `contextlib.aclosing` if you may leave early: that ends the run.
        """
        asked = await self._prepare(text, history, options, passages)
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._answer(asked, queue.put_nowait, streamed=True))
        task.add_done_callback(lambda _done: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
                if isinstance(event, Done | Failed):
                    return
            await task  # no run began: it raises why
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def asearch(
        self, query: str, settings: SearchSettings | None = None, *, options: AskOptions | None = None
    ) -> Evidence:
        """The best passages for a query, with these settings, or the engine's own with the options over them."""
        refuse_no_question(query)
        if settings is not None and options is not None:
            raise UsageError("a search takes settings or options, not both", hint="leave out one of the two")
        parts = await self._parts_with(options, OF_SEARCH, "a search judges and writes nothing")
        return await parts.retriever_for(settings or parts.search).retrieve((query,))

    search = _plain(asearch)

    async def aevidence_on(self, text: str) -> Evidence:
        """The passages that a search finds for each sentence of a text, each once: what to check the text by."""
        evidence = Evidence()
        for span in sentences(require_text(text)):
            evidence = evidence.merge(await self.asearch(text[span.start : span.end][:_LONGEST_QUERY]))
        return evidence

    evidence_on = _plain(aevidence_on)

    async def agather(
        self, query: str, history: Iterable[Message] = (), *, options: AskOptions | None = None
    ) -> Gathered:
        """Find and judge the evidence as an ask would, and write nothing. Raises as `aask`."""
        refuse_no_question(query)
        parts = await self._parts_with(options, OF_GATHER, "nothing is written")
        run, stages = await self._begin_unrecorded(query, parts)
        async with Deadline(run.limits.seconds, uses_file=stages.models.use_file).within():
            question = await stages.understander.understand(query, _latest_messages(history, options))
            return await pipeline.gather(question, stages, run.limits, ignore_event)

    gather = _plain(agather)

    async def ajudge(
        self,
        query: str,
        passages: Sequence[Passage | Hit] | None = None,
        history: Iterable[Message] = (),
        *,
        options: AskOptions | None = None,
    ) -> Judgement:
        """Judge whether these passages suffice to answer, or without any the ones that an ask would find.

        A `Hit` brings its scores, as in `aanswer_from`. Text that reads like an instruction to a model is no
        evidence, and an issue says so.
        """
        if passages is None:
            return (await self.agather(query, history, options=options)).judgement
        refuse_no_question(query)
        parts = await self._parts_with(options, OF_JUDGE, "the passages are given, and nothing is written")
        run, stages = await self._begin_unrecorded(query, parts)
        async with Deadline(run.limits.seconds, uses_file=stages.models.use_file).within():
            question = await stages.understander.understand(query, _latest_messages(history, options))
            evidence = await self._quarantine(require_hits(passages))
            judgement = await stages.judge.judge(question, evidence.readable)
            return replace(judgement, issues=(*judgement.issues, *evidence.notes))

    judge = _plain(ajudge)

    async def acheck(self, text: str, passages: Sequence[Passage], *, one_claim: bool = False) -> Review:
        """Test each claim of anyone's text against these passages; with `one_claim` the text is a single one.

        Text in them that reads like an instruction to a model is no evidence: checks named "quarantine" show it.
        """
        _run, stages = await self._begin_unrecorded(require_text(text))
        evidence = await self._quarantine(require_hits(passages))
        review = await stages.text_verifier.check(text, evidence.readable.passages, one_claim=one_claim)
        return with_masked(review, evidence)

    check = _plain(acheck)

    async def aablate(self, answer: Answer | AnswerObject) -> Ablation:
        """Leave each source of an answer out, and say which claims fall and what each citation does.

        `answer` may be the JSON object of a recorded answer: its claims are tested again by the tests of today, and
        no language model is asked. Raises UsageError for another object, or an answer recorded without texts.

        >>> from assay import open_engine
        >>> with open_engine(data_dir=folder) as engine:
        ...     _ = engine.add([sample])
        ...     found = engine.ablate(engine.ask("At how many degrees does water boil?"))
        >>> [(one.claims, one.source, one.role.value) for one in found.citations]
        [((1,), 1, 'carrying')]
        """
        cited = CitedAnswer.of(answer)
        _run, stages = await self._begin_unrecorded("")
        readable = (await self._quarantine(require_hits(cited.sources))).readable
        return await ablate(cited.claims, cited.marks, readable.passages, stages.offline_verifier)

    ablate = _plain(aablate)

    async def afix(self, text: str, passages: Sequence[Passage], *, drop: bool = False) -> Fixed:
        """Fix anyone's draft, as `core.fix.fix_draft` says. Raises UsageError for an empty draft or no passages."""
        run, stages = await self._begin_unrecorded(require_text(text))
        given = DraftInput(text, await self._quarantine(require_hits(passages)), fixes=True, drops=drop)
        draft = await review_given(given, stages, run.limits)
        draft = replace(draft, review=with_masked(draft.review, given.evidence))
        return draft.fixed(text, stages.notes())

    fix = _plain(afix)

    async def aexamine(
        self, text: str, passages: Sequence[Passage], *, question: str = "", mend: bool = False, drop: bool = False
    ) -> DraftReport:
        """Test anyone's draft, repair it if `mend` or `drop`, assess it, and record it as a run.

        With `drop`, what no repair fixes is taken out. Without a question, relevance and completeness are unknown.
        Raises UsageError.
        """
        refuse_other_types(question, ())
        given = DraftInput(
            require_text(text), await self._quarantine(require_hits(passages)), question, mend or drop, drop
        )
        run = await asyncio.to_thread(self._parts.begin_given, text, self._running)
        report = await run_draft(given, run, self._parts.stages_for(run), self._parts.sinks)
        return replace(report, recorded=report.recorded and self._parts.records)

    examine = _plain(aexamine)

    async def _quarantine(self, hits: Sequence[Hit]) -> Evidence:
        """Mask planted instructions in the caller's passages; long ones take a while to read."""
        return await asyncio.to_thread(self._parts.quarantine, Evidence(tuple(hits)))

    # --- one run -------------------------------------------------------------------------------

    async def _ask(
        self,
        text: str,
        history: Iterable[Message],
        options: AskOptions | None,
        passages: Sequence[Passage | Hit] | None,
        emit: Emit,
        streamed: bool,
    ) -> Answer:
        """Answer here, or elsewhere if there are workers for it and nobody watches."""
        elsewhere = self._parts.answer_elsewhere
        if elsewhere is not None and emit is ignore_event and not streamed:
            return await self._background.arun(elsewhere(text, tuple(history), options, passages))
        return await self._answer(await self._prepare(text, history, options, passages), emit, streamed)

    async def _prepare(
        self,
        text: str,
        history: Iterable[Message],
        options: AskOptions | None,
        passages: Sequence[Passage | Hit] | None = None,
    ) -> _AskInput:
        """The input of an ask, with the parts that answer it. Raises UsageError."""
        dialogue = tuple(history)
        refuse_other_types(text, dialogue)
        if options is not None:
            refuse_no_options(options)
        searches = passages is None or (options is not None and (options.rounds or 1) > 1)
        known = OF_ANSWER if searches else OF_ANSWER - OF_SEARCH
        parts = await self._parts_with(
            options, known, "the passages are given; rounds=2 or more searches for others"
        )
        if passages is None:
            return _AskInput(parts, text, _latest_messages(dialogue, options))
        hits = require_hits(passages)
        refuse_same_ids(hits)
        own = CallerPassages(await self._quarantine(hits), searches)
        return _AskInput(parts, text, _latest_messages(dialogue, options), own)

    async def _parts_with(self, options: AskOptions | None, known: frozenset[str], cause: str) -> Parts:
        """The parts with these options over their settings; `known` are the options that have an effect."""
        parts = self._parts
        if options is None:
            return parts
        refuse_no_options(options)
        refuse_options(options, known, cause)
        return await asyncio.to_thread(parts.under, options)

    async def _answer(self, asked: _AskInput, emit: Emit, streamed: bool) -> Answer:
        """Run one question on the engine's own loop; every event goes to `emit` on the caller's, and to each sink.

        However many questions there are, the caller's loop only waits for them.
        """
        forward = emit if emit is ignore_event else self._background.forward(emit)
        return await self._background.arun(self._run_question(asked, forward, streamed))

    async def _run_question(self, asked: _AskInput, emit: Emit, streamed: bool) -> Answer:
        parts, history = asked.parts, asked.history
        run = await asyncio.to_thread(parts.begin, asked.text, history, self._running, streamed, asked.passages)
        self._running += 1
        try:
            return await run_question(asked.text, history, run, parts.stages_for(run), emit, parts.sinks)
        finally:
            self._running -= 1
            _freeze_imports()

    async def _begin_unrecorded(self, text: str, parts: Parts | None = None) -> tuple[Run, Stages]:
        """Begin a run that answers nothing and is not recorded; the run with its stages."""
        parts = parts or self._parts
        run = await asyncio.to_thread(parts.begin, text, None, self._running, False)
        return run, parts.stages_for(run)

    # --- opening and closing -------------------------------------------------------------------

    async def aclose(self) -> None:
        """Release the collection; calling it twice is harmless."""
        parts, self._open_parts = self._open_parts, None
        if parts is None:
            return
        await parts.index.close()
        for sink in parts.sinks:
            sink.close()
        for close in parts.closing:
            close()
        await _release(parts)
        if self._background.running:  # each loop has connections of its own
            await self._background.arun(_release(parts))

    def close(self) -> None:
        """As `aclose`; also ends the background loop."""
        if self._background.running:
            self._background.run(self.aclose())
            self._background.stop()
        else:
            asyncio.run(self.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
        self._background.stop()


@dataclass(frozen=True, slots=True)
class _AskInput:
    """A question, the messages before it and the caller's passages, for the parts that answer it."""

    parts: Parts
    text: str
    history: tuple[Message, ...]
    passages: CallerPassages | None = None


def _latest_messages(history: Iterable[Message], options: AskOptions | None) -> tuple[Message, ...]:
    """The last messages of the dialogue: as many as the options say, else all."""
    messages = tuple(history)
    most = None if options is None else options.history_messages
    return messages if most is None else messages[len(messages) - min(most, len(messages)) :]


async def _collect(results: AsyncIterator[Result]) -> tuple[Result, ...]:
    return tuple([result async for result in results])


@cache
def _freeze_imports() -> None:
    """Take the objects of a first run's imports out of the garbage collector, once; see decision 120.

    A full collection would walk some 160,000 objects that stay until the process ends, and stop every thread for as
    long as that takes.
    """
    gc.freeze()


async def _release(parts: Parts) -> None:
    """Close what the models opened on the running loop."""
    await parts.embedder.aclose()
    for model in parts.models():
        await model.aclose()
