"""From settings to an engine: the only folder that names implementations."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from assay.core.stages import Embedder, Index, Retriever
from assay.engine import Engine, Parts
from assay.errors import StoreError, UnknownCollection, UsageError
from assay.ingest.pipeline import Ingestion, embedded_text
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import LIMIT, PassageSplitter
from assay.models.embed_local import LocalEmbedder
from assay.models.remember import RememberingEmbedder
from assay.models.reranker import CrossEncoderReranker
from assay.nlp.spelling import is_english
from assay.records.runs import RunStore
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.sqlite import open_sqlite
from assay.retrieval.neighbours import LinkedRetriever, WholeBlocksRetriever
from assay.retrieval.quarantine import QuarantiningRetriever, quarantined
from assay.settings import Settings, load_settings
from assay.types import SearchSettings
from assay.understanding.spelling import CollectionSpeller
from assay.web.outside import Nowhere
from assay.wiring.models import Models, open_models, refuse_offline
from assay.wiring.networks import OpenChecker, OpenReader, open_checker, open_reader, open_reranker
from assay.wiring.paths import named_model
from assay.wiring.review import open_rules
from assay.wiring.runs import Runs
from assay.wiring.stages import Composer
from assay.wiring.verdict_cache import KeptVerdicts, open_verdicts

Result = TypeVar("Result")


def open_engine(*, create: bool = True, models: bool = True, **settings: Any) -> Engine:
    """An engine over one collection; `settings` are those of `assay config show`, over what the environment says.

    Without `create`, a collection that is not there raises UnknownCollection. Without `models`, no language model
    is opened, whatever is set: documents and searches need none. Raises UsageError for a setting
    that does not exist or does not fit, ModelMismatch when the collection was embedded by another model.

    >>> with open_engine(data_dir=folder, collection="manual") as engine:
    ...     engine.documents()
    ()
    """
    chosen = load_settings(settings).settings
    place = chosen.data_dir / "collections" / chosen.collection
    if not create and not place.is_dir():
        raise _unknown(chosen)
    opened = open_models(chosen) if models else Models({}, {})
    embedder, checker = open_embedder(chosen), open_checker(chosen)
    _make_private(chosen.data_dir, place.parent)
    reader, reranker = open_reader(chosen), open_reranker(chosen)
    index = open_sqlite(place, embedder.model, create=create)
    store, verdicts = RunStore(chosen.runs_file, chosen.collection), open_verdicts(chosen, opened, place)
    return Engine(_parts(chosen, opened, embedder, checker, reader, index, store, verdicts, reranker))


def open_gates(*, models: bool = True, record: bool = False, **settings: Any) -> Engine:
    """An engine without a collection, for judging and checking what comes from elsewhere; it writes nothing.

    Without `models`, no language model is opened: checks need none. With `record`, the drafts that it examines are
    recorded in the data folder, as runs of no collection.

    >>> from assay import Passage
    >>> bridge = "The bridge was opened on 3 May 1932."
    >>> with open_gates() as engine:
    ...     review = engine.check(bridge, [Passage("a", "a", "", 0, len(bridge), bridge)])
    >>> review.claims[0].verdict.value
    'supported'
    """
    chosen = load_settings(settings).settings
    opened = open_models(chosen) if models else Models({}, {})
    embedder, checker = open_embedder(chosen), open_checker(chosen)
    store = RunStore(chosen.runs_file) if record else None
    return Engine(
        _parts(chosen, opened, embedder, checker, open_reader(chosen), MemoryIndex(embedder.model), store)
    )


def reindex(**settings: Any) -> int:
    """Embed every passage of a collection anew, beside the old index, then swap; returns how many there are.

    This is what follows a change of the embedder, when `open_engine` raises ModelMismatch.
    """
    from assay.retrieval.index.rebuild import rebuild

    chosen = load_settings(settings).settings
    place = chosen.data_dir / "collections" / chosen.collection
    if not place.is_dir():
        raise _unknown(chosen)
    embedder = open_embedder(chosen)

    async def rebuilt() -> int:
        try:
            return await rebuild(place, embedder, embedded_text)
        finally:
            await embedder.aclose()

    return _finished(rebuilt())


def search_settings(settings: Settings) -> SearchSettings:
    """How a search runs under these settings."""
    return SearchSettings(settings.mode, settings.k, settings.fusion, settings.mmr)


def collections(data_dir: Path) -> tuple[str, ...]:
    """The names of the collections in a data folder, sorted."""
    folder = data_dir / "collections"
    return tuple(sorted(each.name for each in folder.iterdir() if each.is_dir())) if folder.is_dir() else ()


def open_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name: bundled, openai:MODEL, or a folder with an ONNX model."""
    if settings.embedder == "bundled":
        return _bundled()
    if settings.embedder.startswith("openai:"):
        return _openai_embedder(settings)
    told = settings.told("embedder")
    return LocalEmbedder.load(named_model(settings.embedder, settings, named=told, what="embedder"))


def _bundled() -> LocalEmbedder:
    import assay_models

    return LocalEmbedder.load(assay_models.folder())


def _openai_embedder(settings: Settings) -> Embedder:
    from assay.models.embed_api import OPENAI_URL, ApiEmbedder

    key = settings.openai_api_key
    name = settings.embedder.removeprefix("openai:")
    if not name:
        raise UsageError("the embedder names no model", hint="e.g. --embedder openai:text-embedding-3-small")
    url = settings.openai_base_url or OPENAI_URL
    try:
        host = urlsplit(url).hostname
    except ValueError as error:  # such as a bracket that is not closed
        told = settings.told("openai_base_url")
        raise UsageError(f"{told}: {url} is no address", hint=f"set {told} to http(s)://HOST/PATH") from error
    refuse_offline(settings, host or url, settings.embedder)
    connecting = ApiEmbedder.connect(
        name,
        api_key=key.get_secret_value() if key else None,
        base_url=url,
        key_named=settings.told("openai_api_key"),
        url_named=settings.told("openai_base_url"),
    )
    return _finished(connecting)


def _parts(
    settings: Settings,
    models: Models,
    embedder: Embedder,
    checker: OpenChecker | None,
    reader: OpenReader | None,
    index: Index,
    store: RunStore | None,
    verdicts: KeptVerdicts | None = None,
    reranker: CrossEncoderReranker | None = None,
) -> Parts:
    usual, runs = search_settings(settings), Runs(settings, embedder.model, store, models, checker, reader)
    # What one question embedded, the next one may ask for again: sentences of the same passages above all.
    shared = RememberingEmbedder(embedder)
    hybrid = HybridRetriever(index, shared, usual, reranker)
    whole = WholeBlocksRetriever(LinkedRetriever(hybrid, index, shared), index)
    # Without a model nobody is shown the passages but the user, who sees them whole.
    retriever = QuarantiningRetriever(whole, tells=bool(models.by_name))
    splitter, reader_of_pages = _splitter(embedder), Sandbox()
    speller = CollectionSpeller(index, is_english)
    outside = _outside(settings, shared, splitter, reader_of_pages)
    return Parts(
        index=index,
        embedder=embedder,
        ingester=Ingestion(index, embedder, splitter, Sandbox()),
        begin=runs.begin,
        begin_given=runs.begin_given,
        stages_for=Composer(
            settings, models, shared, retriever, outside, open_rules(settings), verdicts, checker, reader, speller
        ).stages,
        retriever_for=lambda search: HybridRetriever(index, shared, search, reranker),
        quarantine=quarantined,
        search=usual,
        sinks=() if store is None else (store,),
        models=tuple(models.by_name.values()),
        closing=(
            reader_of_pages.close,
            *(() if verdicts is None else (verdicts.close,)),
            *(() if checker is None else checker.closing),
            *(() if reader is None else reader.closing),
            *(() if reranker is None else (reranker.close,)),
        ),
    )


def _outside(settings: Settings, embedder: Embedder, splitter: PassageSplitter, sandbox: Sandbox) -> Retriever:
    if not settings.outside:
        return Nowhere()
    from assay.wiring.web import open_outside

    return QuarantiningRetriever(open_outside(settings, embedder, splitter, sandbox))


def _splitter(embedder: Embedder) -> PassageSplitter:
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


def _unknown(settings: Settings) -> UnknownCollection:
    known = collections(settings.data_dir)
    there = f"there are: {', '.join(known)}" if known else "there is none yet"
    return UnknownCollection(
        f"there is no collection {settings.collection!r} in {settings.data_dir}; {there}",
        hint=f"assay add PATH -c {settings.collection}",
    )


def _finished(work: Coroutine[Any, Any, Result]) -> Result:
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
