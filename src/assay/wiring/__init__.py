"""From settings to an engine: the only folder that names implementations."""

from __future__ import annotations

import asyncio
import difflib
import threading
from collections.abc import Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from assay.core.stages import LLM, Checker, Embedder, Index, Retriever, Sink
from assay.engine import Engine, Parts
from assay.errors import MissingExtra, ModelMismatch, StoreError, UnknownCollection, UsageError
from assay.ingest.pipeline import Ingestion, embedded_text
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import LIMIT, PassageSplitter
from assay.ingest.walk import SourceOf, portable_source, source_of
from assay.models.caching import CachingEmbedder
from assay.models.embed_local import LocalEmbedder
from assay.models.reranker import CrossEncoderReranker
from assay.records.run_records import RunRecords
from assay.retrieval.caller import CallerRetriever
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.quarantine import QuarantiningRetriever, quarantine_evidence
from assay.settings import Settings, load_settings, with_options
from assay.types import AskOptions, CitationStyle, Evidence
from assay.understanding.spelling import CollectionSpeller
from assay.wiring.answer_cache import AnswerStore
from assay.wiring.calibrated import with_learned
from assay.wiring.collections import Collections, FolderCollections, collections_of
from assay.wiring.idle_settings import refuse_idle_options
from assay.wiring.models import ModelPool, Models, refuse_offline
from assay.wiring.networks import OpenChecker, OpenReader, open_checker_network, open_reader, open_reranker
from assay.wiring.own import OwnParts, OwnSearch, borrowed_embedder, borrowed_index
from assay.wiring.paths import named_model
from assay.wiring.recording import as_sink, open_record
from assay.wiring.review import open_rules
from assay.wiring.runs import Runs
from assay.wiring.search import CollectionSearch, search_settings
from assay.wiring.spreading import (
    open_cluster,
    refuse_own_parts,
    refuse_workers_alone,
    spread_embedder,
    with_cluster,
)
from assay.wiring.stages import Composer
from assay.wiring.verdict_cache import VerdictCache, open_verdict_cache

if TYPE_CHECKING:
    from assay.wiring.cluster.connection import Cluster

Result = TypeVar("Result")


def open_engine(
    *,
    create: bool = True,
    models: bool = True,
    llm: LLM | None = None,
    embedder: Embedder | str | Path | None = None,
    retriever: Retriever | None = None,
    index: Index | None = None,
    checker: Checker | str | Path | None = None,
    sinks: Sequence[Sink] = (),
    ray: str | None = None,
    workers: int | None = None,
    **settings: Any,
) -> Engine:
    """An engine over one collection; `settings` are those of `assay config show`, over what the environment says.

    `llm`, `embedder`, `retriever`, `index` and `checker` may be objects of the caller's that fit the protocols of
    `assay.core.stages`; they are used as assay's own are, and left open when the engine closes. `sinks` receive
    what happens in its runs, as the record does, and are closed with it. Without `create`, a collection that is not
    there raises UnknownCollection. Without `models`, no language model is opened, whatever is set: documents and
    searches need none. With `ray`, the workers of a Ray cluster take documents in and answer questions: "local"
    starts one on this machine, "auto" joins that of this machine, HOST:PORT another; `workers` is how many at most,
    else one a processor. Raises UsageError for a setting that does not exist or does not fit and for an object that
    lacks a method, ModelMismatch when the collection was embedded by another model.

    >>> with open_engine(data_dir=folder, collection="manual") as engine:
    ...     engine.documents()
    ()
    """
    refuse_workers_alone(ray, workers)
    own, chosen = _own_parts_and_settings(settings, llm, embedder, retriever, index, checker)
    if ray is None:
        return engine_under(chosen, own, create=create, models=models, sinks=sinks)
    refuse_own_parts(own, sinks)
    return engine_under(chosen, own, create=create, models=models, cluster=open_cluster(ray, workers, chosen))


def engine_under(
    settings: Settings,
    own: OwnParts,
    *,
    create: bool,
    models: bool = True,
    sinks: Sequence[Sink] = (),
    cluster: Cluster | None = None,
) -> Engine:
    """An engine under settings that were checked, with its work spread over a cluster if there is one.

    Raises as `open_engine`.
    """
    chosen = with_learned(settings)
    there = collections_of(chosen)
    with there.stay_open() if own.index is None else nullcontext():
        if own.index is None and not create and chosen.collection not in there.names():
            raise _unknown(chosen, there)
        pool = ModelPool(own.llm, opens=models)
        opened = pool.of(chosen)
        parts = _open_networks(chosen, own)
        _make_private(chosen.data_dir, chosen.data_dir / "collections")
        sinks = (*sinks, *_tracers(chosen, chosen.collection))
        if own.index is not None:
            _refuse_other_vectors(own.index, parts.embedder)
            stored, verdicts = borrowed_index(own.index), None
        else:
            stored = there.open(chosen.collection, parts.embedder.model, create=create)
            verdicts = None if pool.is_own(chosen.verifier_model) else _verdicts(chosen, opened, there)
        store = there.record(chosen.collection, texts=chosen.record == "all")
        made = _parts(chosen, pool, parts, stored, store, verdicts, sinks)
        return Engine(made if cluster is None else with_cluster(made, stored, chosen, cluster, there.place))


def open_parts(settings: Settings, *, with_collection: bool = True) -> Parts:
    """The parts of an engine under settings that were checked; they record nothing.

    Raises as `open_engine` without `create`; without a collection there is nothing to search.
    """
    pool = ModelPool()
    opened = pool.of(settings)
    there = collections_of(settings)
    if with_collection and settings.collection not in there.names():
        raise _unknown(settings, there)
    networks = _open_networks(settings, OwnParts())
    if not with_collection:
        return _parts(settings, pool, networks, MemoryIndex(networks.embedder.model), None)
    stored = there.open(settings.collection, networks.embedder.model, create=False)
    return _parts(settings, pool, networks, stored, None, _verdicts(settings, opened, there))


def _verdicts(settings: Settings, models: Models, there: Collections) -> VerdictCache | None:
    """The verdicts that are kept beside a collection in a folder; beside one in a database none are."""
    if not isinstance(there, FolderCollections):
        return None
    return open_verdict_cache(settings, models, there.folder(settings.collection))


def open_checker(
    *,
    models: bool = True,
    record: bool = False,
    llm: LLM | None = None,
    embedder: Embedder | str | Path | None = None,
    retriever: Retriever | None = None,
    index: Index | None = None,
    checker: Checker | str | Path | None = None,
    sinks: Sequence[Sink] = (),
    **settings: Any,
) -> Engine:
    """An engine without a collection, for judging and checking what comes from elsewhere; it writes nothing.

    Own parts and sinks as in `open_engine`. Without `models`, no language model is opened: checks need none. With
    `record`, the drafts that it examines and what it answers are recorded in the data folder, as runs of no
    collection.

    >>> from assay import Passage
    >>> bridge = "The bridge was opened on 3 May 1932."
    >>> with open_checker() as engine:
    ...     review = engine.check(bridge, [Passage("a", "a", "", 0, len(bridge), bridge)])
    >>> review.claims[0].verdict.value
    'supported'
    """
    own, chosen = _own_parts_and_settings(settings, llm, embedder, retriever, index, checker)
    pool, parts = ModelPool(own.llm, opens=models), _open_networks(chosen, own)
    store = open_record(chosen, texts=chosen.record == "all") if record else None
    sinks = (*sinks, *_tracers(chosen, ""))
    if own.index is not None:
        _refuse_other_vectors(own.index, parts.embedder)
    held = MemoryIndex(parts.embedder.model) if own.index is None else borrowed_index(own.index)
    return Engine(_parts(chosen, pool, parts, held, store, sinks=sinks))


def _sources(settings: Settings) -> SourceOf:
    """The names of documents: in a database, which machines share, uploads are named alike on all of them."""
    return source_of if settings.store is None else portable_source(settings.data_dir)


def _tracers(settings: Settings, collection: str) -> tuple[Sink, ...]:
    """The tracers of runs, if they are traced. Raises MissingExtra."""
    if not settings.traces:
        return ()
    try:
        from assay.telemetry.otel import RunTracer
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"{settings.display_name('traces')} needs the package {error.name}",
            hint='in the clone of assay: pip install ".[otel]"',
        ) from error
    return (RunTracer(collection, texts=settings.telemetry_texts),)


def _own_parts_and_settings(
    settings: dict[str, Any],
    llm: LLM | None,
    embedder: Embedder | str | Path | None,
    retriever: Retriever | None,
    index: Index | None,
    checker: Checker | str | Path | None,
) -> tuple[OwnParts, Settings]:
    """The caller's own parts, and the settings: an embedder or checker that is a name is one of them."""
    named = {"embedder": embedder, "checker": checker}
    names = {name: str(part) for name, part in named.items() if isinstance(part, str | Path)}
    own = OwnParts(
        llm,
        None if isinstance(embedder, str | Path) else embedder,
        retriever,
        index,
        None if isinstance(checker, str | Path) else checker,
    )
    if own.llm is not None:
        if settings.get("model") is not None:
            raise UsageError("llm and model cannot be used together", hint="leave out one of the two")
        names["model"] = own.llm.name
    return own, load_settings({**settings, **names}).settings


@dataclass(frozen=True, slots=True)
class _Networks:
    """The networks that read and embed: assay's own, or the caller's."""

    embedder: Embedder
    checker: OpenChecker | None
    reader: OpenReader | None
    reranker: CrossEncoderReranker | None
    splitter: PassageSplitter
    retriever: Retriever | None


def _open_networks(settings: Settings, own: OwnParts) -> _Networks:
    embedder = own.embedder or open_embedder(settings)
    return _Networks(
        embedder if own.embedder is None else borrowed_embedder(embedder),
        open_checker_network(settings) if own.checker is None else OpenChecker(own.checker),
        open_reader(settings),
        open_reranker(settings),
        open_splitter(embedder),
        own.retriever,
    )


def _refuse_other_vectors(index: Index, embedder: Embedder) -> None:
    """Raise ModelMismatch where the caller's index holds vectors of another model."""
    stored, used = index.model, embedder.model
    if (stored.id, stored.dimension, stored.sha256) != (used.id, used.dimension, used.sha256):
        raise ModelMismatch(
            f"the index contains vectors from {stored.id}, and {used.id} is in use",
            hint="give the embedder that the index was filled with: embedder=…",
        )


def reindex(*, ray: str | None = None, workers: int | None = None, **settings: Any) -> int:
    """Embed every passage of a collection anew, beside the old index, then swap; returns how many there are.

    This is what follows a change of the embedder, when `open_engine` raises ModelMismatch. A run that was ended
    goes on with the next one. `ray` and `workers` are those of `open_engine`: workers embed, this process stores.
    """
    refuse_workers_alone(ray, workers)
    chosen = load_settings(settings).settings
    there = collections_of(chosen)
    if chosen.collection not in there.names():
        raise _unknown(chosen, there)
    cluster = None if ray is None else open_cluster(ray, workers, chosen)
    embedder = open_embedder(chosen)
    if cluster is not None:
        embedder = spread_embedder(embedder, chosen, cluster)

    async def rebuilt() -> int:
        try:
            return await there.rebuild(chosen.collection, embedder, embedded_text)
        finally:
            await embedder.aclose()

    try:
        return _run_in_thread(rebuilt())
    finally:
        if cluster is not None:
            cluster.close()


def open_embedder(settings: Settings, *, threads: int = 2) -> Embedder:
    """The embedder that the settings name: bundled, openai:MODEL, or a folder with an ONNX model.

    A model in this process runs on so many `threads`.
    """
    if settings.embedder == "bundled":
        return _bundled(threads)
    if settings.embedder.startswith("openai:"):
        return _openai_embedder(settings)
    setting = settings.display_name("embedder")
    folder = named_model(settings.embedder, settings, named=setting, what="embedder")
    return LocalEmbedder.load(folder, threads=threads)


def _bundled(threads: int = 2) -> LocalEmbedder:
    import assay_models

    return LocalEmbedder.load(assay_models.folder(), threads=threads)


def _openai_embedder(settings: Settings) -> Embedder:
    from assay.models.embed_api import OPENAI_URL, ApiEmbedder

    key = settings.openai_api_key
    name = settings.embedder.removeprefix("openai:")
    if not name:
        raise UsageError("the embedder does not name a model", hint="e.g. --embedder openai:text-embedding-3-small")
    url = settings.openai_base_url or OPENAI_URL
    try:
        host = urlsplit(url).hostname
    except ValueError as error:  # such as a bracket that is not closed
        setting = settings.display_name("openai_base_url")
        raise UsageError(
            f"{setting}: {url} is not an address", hint=f"set {setting} to http(s)://HOST/PATH"
        ) from error
    refuse_offline(settings, host or url, settings.embedder)
    connecting = ApiEmbedder.connect(
        name,
        api_key=key.get_secret_value() if key else None,
        base_url=url,
        key_named=settings.display_name("openai_api_key"),
        url_named=settings.display_name("openai_base_url"),
    )
    return _run_in_thread(connecting)


def _parts(
    settings: Settings,
    pool: ModelPool,
    networks: _Networks,
    index: Index,
    store: RunRecords | None,
    verdicts: VerdictCache | None = None,
    sinks: Sequence[Sink] = (),
) -> Parts:
    models, embedder = pool.of(settings), networks.embedder
    style = settings.citation_style if settings.citation_style is CitationStyle.NONE else None
    is_own = networks.retriever is not None
    runs = Runs(settings, embedder.model, store, models, networks.checker, networks.reader, style, is_own)
    # The next question may need the same embeddings: those of sentences of the same passages above all.
    shared, reader_of_pages = CachingEmbedder(embedder), Sandbox()
    search: CollectionSearch | OwnSearch = CollectionSearch(index, shared, networks.reranker)
    if networks.retriever is not None:
        search = OwnSearch(networks.retriever)
    composer = Composer(
        settings,
        models,
        shared,
        # Without a model only the user is shown the passages, and sees them whole.
        search.of(settings, tells=bool(models.by_name)),
        _outside(settings, shared, networks.splitter, reader_of_pages),
        open_rules(settings),
        verdicts,
        networks.checker,
        networks.reader,
        # The documents behind a caller's retriever may have other words than the collection.
        None if is_own else CollectionSpeller(index),
        None
        if store is None or settings.record != "all"
        else AnswerStore(store, index, embedder.model, search.plain),
        is_own_search=is_own,
    )
    records = store is not None and settings.record != "off"
    parts = Parts(
        index=index,
        embedder=embedder,
        ingester=Ingestion(
            index, embedder, networks.splitter, Sandbox(), offline=settings.offline, name=_sources(settings)
        ),
        begin=runs.begin,
        begin_given=runs.begin_given,
        stages_for=composer.stages,
        retriever_for=search.plain,
        quarantine=quarantine_evidence,
        search=search_settings(settings),
        under=lambda options: _under(options, parts, pool, runs, composer, search),
        sinks=(*((as_sink(store),) if store is not None and records else ()), *sinks),
        records=records,
        models=pool.opened,
        open_circuits=pool.open_circuits,
        closing=(
            reader_of_pages.close,
            *(() if store is None else (store.close,)),
            *(() if verdicts is None else (verdicts.close,)),
            *(() if networks.checker is None else networks.checker.closing),
            *(() if networks.reader is None else networks.reader.closing),
            *(() if networks.reranker is None else (networks.reranker.close,)),
        ),
    )
    return parts


def _under(
    options: AskOptions,
    parts: Parts,
    pool: ModelPool,
    runs: Runs,
    composer: Composer,
    search: CollectionSearch | OwnSearch,
) -> Parts:
    """The parts with options over their settings, over the same ports. Raises UsageError."""
    settings = with_options(runs.settings, options)
    if options.model is not None and not pool.opens:
        raise UsageError("the option model has no effect: this engine opens no models", hint="open it with models")
    refuse_idle_options(options, settings)
    models = pool.of(settings)
    style = None if options.citation_style is None else settings.citation_style
    runs = replace(runs, settings=settings, models=models, style=style or runs.style)
    retriever = search.of(settings, tells=bool(models.by_name))
    composer = replace(composer, settings=settings, models=models, retriever=retriever)
    return replace(
        parts,
        begin=runs.begin,
        begin_given=runs.begin_given,
        stages_for=composer.stages,
        search=search_settings(settings),
    )


def _outside(settings: Settings, embedder: Embedder, splitter: PassageSplitter, sandbox: Sandbox) -> Retriever:
    if not settings.outside:
        return CallerRetriever(Evidence())  # the policy never asks it
    from assay.wiring.web import open_outside

    return QuarantiningRetriever(open_outside(settings, embedder, splitter, sandbox))


def open_splitter(embedder: Embedder) -> PassageSplitter:
    """A splitter that counts as the embedding model does; a service does not say, so the bundled one counts."""
    counting = embedder if isinstance(embedder, LocalEmbedder) else _bundled()
    return PassageSplitter(counting.count_tokens, limit=min(LIMIT, counting.capacity))


def _make_private(*folders: Path) -> None:
    """Make the folders that are not there yet, for their owner only; `mkdir` gives parents everyone's rights."""
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{folder} cannot be made: {error.strerror}", hint="choose a folder of your own with --data-dir"
            ) from error


def _unknown(settings: Settings, there: Collections) -> UnknownCollection:
    known = there.names()
    others = f"existing ones: {', '.join(known)}" if known else "there are none yet"
    add = f"assay add PATH -c {settings.collection}"
    return UnknownCollection(
        f"there is no collection {settings.collection!r} in {there.place}; {others}",
        hint=f"use an existing one, e.g. -c {_nearest(settings.collection, known)}, or create it: {add}"
        if known
        else add,
    )


def _nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like `name`, else the first."""
    return next(iter(difflib.get_close_matches(name, known, n=1)), known[0])


def _run_in_thread(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of `work`, also where an event loop is running in this thread already."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name="assay-open")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
