"""Calls that ask, search, judge, check and fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.client.calls import Call, given, value_of
from assay.client.events import EVENT_STREAM, StreamCall, refuse_no_stream, run_stream
from assay.errors import UsageError
from assay.types import (
    Answer,
    AskOptions,
    Event,
    Evidence,
    Fixed,
    Hit,
    Judgement,
    Message,
    Metadata,
    Passage,
    Review,
    SearchMode,
    plain,
)

DEFAULT = "default"
Source = Passage | Hit | str


def ask(
    question: str,
    history: Iterable[Message] = (),
    *,
    collection: str = DEFAULT,
    options: AskOptions | None = None,
) -> Call[Answer]:
    """Answer a question from a collection; `options` are settings of this question, within the server's bounds."""
    body = {"question": question, "collection": collection, **_history(history), **_options(options)}
    return Call(method="POST", path="/ask", body=body, read=value_of(Answer, "answer"))


def answer_from(
    question: str,
    passages: Sequence[Source],
    history: Iterable[Message] = (),
    *,
    options: AskOptions | None = None,
) -> Call[Answer]:
    """Answer a question from passages that you retrieved, best first; texts are numbered from 1.

    A `Hit` brings its `scores.dense`, the cosine of the passage and the question.
    """
    body = {"question": question, "passages": _passages(passages), **_history(history), **_options(options)}
    return Call(method="POST", path="/answer-from", body=body, read=value_of(Answer, "answer"))


def stream(
    question: str,
    history: Iterable[Message] = (),
    *,
    collection: str = DEFAULT,
    options: AskOptions | None = None,
    passages: Sequence[Source] | None = None,
) -> StreamCall[Event]:
    """The events of a question as they happen, over a collection or over your passages; the last is Done or Failed.

    A connection that breaks is taken up again once. Leaving early stops the run: close the generator.
    """
    call: Call[Any] = (
        ask(question, history, collection=collection, options=options)
        if passages is None
        else answer_from(question, passages, history, options=options)
    )
    return run_stream(replace(call, accept=EVENT_STREAM, read=refuse_no_stream))


def search(
    query: str,
    *,
    collection: str = DEFAULT,
    k: int | None = None,
    mode: SearchMode | str | None = None,
    where: Metadata | None = None,
) -> Call[Evidence]:
    """The passages that are nearest to a query, best first; nothing is judged or written."""
    body = {"query": query, "collection": collection, **given(k=k, mode=plain(mode), where=plain(where))}
    return Call(method="POST", path="/search", body=body, read=value_of(Evidence, "evidence"), repeatable=True)


def judge(
    question: str,
    passages: Sequence[Source] | None = None,
    history: Iterable[Message] = (),
    *,
    collection: str = DEFAULT,
    options: AskOptions | None = None,
) -> Call[Judgement]:
    """Judge whether these passages suffice for an answer, or those that the collection has."""
    body = {"question": question, "collection": collection, **_history(history), **_options(options)}
    if passages is not None:
        body["passages"] = _passages(passages)
    return Call(method="POST", path="/judge", body=body, read=value_of(Judgement, "judgement"), repeatable=True)


def check(text: str, sources: Sequence[Source], *, one_claim: bool = False) -> Call[Review]:
    """Test each claim of anyone's text against sources; with `one_claim` the text is a single claim."""
    body = {"text": text, "sources": _passages(sources), "one_claim": one_claim}
    return Call(method="POST", path="/check", body=body, read=value_of(Review, "review"), repeatable=True)


def fix(text: str, sources: Sequence[Source], *, drop: bool = False) -> Call[Fixed]:
    """Repair anyone's draft by the smallest changes; with `drop`, what no repair fixes is taken out."""
    body = {"text": text, "sources": _passages(sources), "drop": drop}
    return Call(method="POST", path="/fix", body=body, read=value_of(Fixed, "fixed"), repeatable=True)


def _history(history: Iterable[Message]) -> Mapping[str, Any]:
    messages = [message.to_dict() for message in history]
    return {"history": messages} if messages else {}


def _options(options: AskOptions | None) -> Mapping[str, Any]:
    return {} if options is None else {"options": plain(options.values)}


def _passages(sources: Sequence[Source]) -> list[dict[str, Any]]:
    if isinstance(sources, str):
        raise UsageError("passages are a list", hint="give [text] for a single one")
    return [_passage(source) for source in sources]


def _passage(source: Source) -> dict[str, Any]:
    """A passage as the API takes it."""
    if isinstance(source, str):
        return {"text": source}
    passage, score = (source.passage, source.scores.dense) if isinstance(source, Hit) else (source, None)
    return {
        "text": passage.text,
        "passage_id": passage.passage_id,
        "document_id": passage.document_id,
        "title": passage.title,
        "source": passage.source,
        "metadata": plain(passage.metadata),
        **given(score=score),
    }
