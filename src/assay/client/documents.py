"""Calls about collections, documents, and the jobs that take uploads in."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import httpx2

from assay.client.calls import Call, field_of, given, no_value, value_of
from assay.client.events import EVENT_STREAM, StreamCall, json_of, refuse_no_stream
from assay.client.questions import DEFAULT
from assay.client.reader import read
from assay.client.uploads import files_at
from assay.client.values import DocumentDetails, DocumentPage
from assay.types import CollectionSummary, Job, Match


def collections() -> Call[tuple[CollectionSummary, ...]]:
    """The collections with the number of their documents."""
    read = field_of("collections", tuple[CollectionSummary, ...])
    return Call(method="GET", path="/collections", read=read, repeatable=True)


def delete_collection(name: str) -> Call[None]:
    """Delete a collection with its documents, for keys with the scope admin; recorded runs stay."""
    return Call(method="DELETE", path="/collections/{name}", places={"name": name}, read=no_value, repeatable=True)


def documents(
    *, collection: str = DEFAULT, q: str | None = None, limit: int | None = None, after: str | None = None
) -> Call[DocumentPage]:
    """The documents of a collection by name; `q` is part of a name or title, `after` the last id of a page."""
    query = {"collection": collection, **given(q=q, limit=limit, after=after)}
    return Call(method="GET", path="/documents", query=query, read=value_of(DocumentPage, "page"), repeatable=True)


def document(document_id: str, *, collection: str = DEFAULT) -> Call[DocumentDetails]:
    """The details of a document."""
    return Call(
        method="GET",
        path="/documents/{document_id}",
        places={"document_id": document_id},
        query={"collection": collection},
        read=value_of(DocumentDetails, "document"),
        repeatable=True,
    )


def find_in_document(document_id: str, q: str, *, collection: str = DEFAULT) -> Call[tuple[Match, ...]]:
    """The places of words in a document's text."""
    return Call(
        method="GET",
        path="/documents/{document_id}/find",
        places={"document_id": document_id},
        query={"collection": collection, "q": q},
        read=field_of("matches", tuple[Match, ...]),
        repeatable=True,
    )


def delete_document(document_id: str, *, collection: str = DEFAULT) -> Call[None]:
    """Remove a document, and its file if it was uploaded; no answer will cite it again."""
    return Call(
        method="DELETE",
        path="/documents/{document_id}",
        places={"document_id": document_id},
        query={"collection": collection},
        read=no_value,
        repeatable=True,
    )


def upload(
    paths: Sequence[Path | str], *, collection: str = DEFAULT, idempotency_key: str | None = None
) -> Call[Job]:
    """Upload files, and all files in folders; a job takes them in, which `follow_job` follows.

    A file of the same name replaces the document. The same files under the same `idempotency_key` are taken in
    once; without one, the attempts of this call have one of their own.
    """
    return Call(
        method="POST",
        path="/documents",
        query={"collection": collection},
        files=files_at(paths),
        headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
        read=value_of(Job, "job"),
        repeatable=True,
    )


def jobs(*, collection: str = DEFAULT) -> Call[tuple[Job, ...]]:
    """The latest jobs of a collection, newest first."""
    read = field_of("jobs", tuple[Job, ...])
    return Call(method="GET", path="/jobs", query={"collection": collection}, read=read, repeatable=True)


def job(job_id: str) -> Call[Job]:
    """The state of a job, and of each of its files."""
    return Call(
        method="GET", path="/jobs/{job_id}", places={"job_id": job_id}, read=value_of(Job, "job"), repeatable=True
    )


def follow_job(job_id: str) -> StreamCall[Job]:
    """A job whenever it changes, until it has ended."""
    call = Call(
        method="GET",
        path="/jobs/{job_id}/events",
        places={"job_id": job_id},
        read=refuse_no_stream,
        accept=EVENT_STREAM,
    )
    return StreamCall(call, _job, lambda found: found.ended, lambda _last_id: call)


def _job(event: httpx2.ServerSentEvent) -> Job | None:
    return read(Job, json_of(event), "job") if event.event == "job" else None
