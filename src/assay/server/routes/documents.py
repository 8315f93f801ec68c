"""Collections, documents, uploads and the jobs that take them in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Header, Path, Query, UploadFile
from fastapi.sse import format_sse_event
from starlette.responses import Response

from assay.server.calls import (
    Admin,
    Reader,
    Responses,
    TheService,
    Writer,
    event_stream,
    json_response,
    problems,
    stream_response,
    tenant_of,
)
from assay.server.collection_names import refuse_bad_collection
from assay.server.document_view.views import POSITION, Position
from assay.server.problems import NotFound
from assay.server.responses import (
    CollectionList,
    DocumentList,
    DocumentObject,
    JobList,
    JobObject,
    MatchList,
    ViewObject,
)
from assay.server.schemas import CollectionName
from assay.server.service import Service, Tenant
from assay.server.stores import receive_all
from assay.types import Document, DocumentRecord, Job, Span, plain

router = APIRouter(tags=["documents"])

_CHUNK = 1024 * 1024
_MOST = 1000
PICTURE: Responses = {200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}}
InCollection = Annotated[CollectionName, Query()]


@router.get("/collections", response_model=CollectionList, responses=problems())
async def list_collections(service: TheService, caller: Reader) -> Response:
    """List the collections with the number of their documents."""
    tenant = tenant_of(service, caller)
    rows = await asyncio.to_thread(tenant.collections.summaries)
    return json_response({"collections": plain(rows)})


@router.delete("/collections/{name}", status_code=204, response_class=Response, responses=problems(404))
async def delete_collection(name: str, service: TheService, caller: Admin) -> Response:
    """Delete a collection with its documents and uploads; recorded runs stay."""
    await service.delete_collection(tenant_of(service, caller), name)
    return Response(status_code=204)


@router.get("/documents", response_model=DocumentList, responses=problems(404))
async def list_documents(
    service: TheService,
    caller: Reader,
    collection: InCollection = "default",
    q: Annotated[str, Query(max_length=500, description="part of the name or title")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 200,
    after: Annotated[str, Query(max_length=200, description="the last document_id of the page before")] = "",
) -> Response:
    """List the documents of a collection, by name."""
    tenant = tenant_of(service, caller)
    async with service.engine(tenant, collection) as engine:
        records = await engine.adocuments()
    rows = sorted((_row(tenant, record) for record in records), key=lambda row: (row["name"], row["document_id"]))
    wanted = q.casefold()
    rows = [row for row in rows if wanted in f"{row['name']} {row['title']}".casefold()]
    first = next((n for n, row in enumerate(rows, 1) if row["document_id"] == after), 0)
    return json_response({"documents": rows[first : first + limit], "total": len(rows)})


@router.post("/documents", response_model=JobObject, status_code=202, responses=problems(409, 507))
async def upload(
    files: Annotated[list[UploadFile], File(description="the files", min_length=1)],
    service: TheService,
    caller: Writer,
    collection: InCollection = "default",
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> Response:
    """Upload files; they are taken in by a job. A file of the same name replaces the document."""
    refuse_bad_collection(collection)
    intake = service.intake.of(tenant_of(service, caller).name)
    limit = service.settings.largest_upload
    received = [(file.filename or "", _chunks(file)) for file in files]
    staged = await receive_all(intake.uploads, received, limit)
    job = await intake.runner.submit(collection, staged, idempotency_key)
    await service.viewer.prepare()
    response = json_response(_job(job), 202)
    response.headers["Location"] = f"/api/v1/jobs/{job.job_id}"
    return response


@router.get("/jobs", response_model=JobList, responses=problems())
async def list_jobs(service: TheService, caller: Reader, collection: InCollection = "default") -> Response:
    """List the latest jobs of a collection, newest first."""
    intake = service.intake.of(tenant_of(service, caller).name)
    jobs = await asyncio.to_thread(intake.jobs.jobs, collection)
    return json_response({"jobs": [_job(job) for job in jobs]})


@router.get("/jobs/{job_id}", response_model=JobObject, responses=problems(404))
async def show_job(job_id: str, service: TheService, caller: Reader) -> Response:
    """Show how far a job is, and what became of each file."""
    return json_response(_job(await _job_of(service, tenant_of(service, caller), job_id)))


@router.get("/jobs/{job_id}/events", response_class=Response, responses=event_stream("JobObject") | problems(404))
async def follow_job(job_id: str, service: TheService, caller: Reader) -> Response:
    """Stream the job whenever it changes, until it has ended."""
    tenant = tenant_of(service, caller)
    await _job_of(service, tenant, job_id)

    async def frames() -> AsyncIterator[bytes]:
        async for job in service.intake.of(tenant.name).runner.snapshots(job_id):
            yield format_sse_event(data_str=json.dumps(_job(job)), event="job")

    return stream_response(frames())


@router.get("/documents/{document_id}", response_model=DocumentObject, responses=problems(404))
async def show_document(
    document_id: str, service: TheService, caller: Reader, collection: InCollection = "default"
) -> Response:
    """Show what is known of a document."""
    tenant = tenant_of(service, caller)
    document, record = await stored_document(service, tenant, collection, document_id)
    body = {
        **_row(tenant, record),
        "characters": len(document.text),
        "metadata": dict(document.metadata),
        "pages": max((region.location.page or 0 for region in document.regions), default=0) or None,
    }
    return json_response(body)


@router.get("/documents/{document_id}/view", response_model=ViewObject, responses=problems(404))
async def view_document(
    document_id: str,
    service: TheService,
    caller: Reader,
    collection: InCollection = "default",
    start: Annotated[int | None, Query(ge=0)] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
    position: Annotated[
        str | None, Query(pattern=POSITION, description="`earlier` or `later` of a view of this document")
    ] = None,
) -> Response:
    """Show a document as it looks, or a part of a long one, opened at a span of its text, which is marked."""
    tenant = tenant_of(service, caller)
    document, _ = await stored_document(service, tenant, collection, document_id)
    span = None if start is None else Span(start, start if end is None else end)
    place = None if position is None else Position.read(position)
    view = await service.viewer.view(document, span, place, read=service.intake.of(tenant.name).uploads.read)
    return json_response(view.to_dict(), tenant=tenant)


@router.get(
    "/documents/{document_id}/pages/{page}.png",
    response_class=Response,
    responses=PICTURE | problems(404),
)
async def draw_page(
    document_id: str,
    page: Annotated[int, Path(ge=1, le=1_000_000)],
    service: TheService,
    caller: Reader,
    collection: InCollection = "default",
    width: Annotated[int, Query(ge=1, le=10_000)] = 1000,
) -> Response:
    """Draw a page of a PDF."""
    tenant = tenant_of(service, caller)
    document, _ = await stored_document(service, tenant, collection, document_id)
    read = service.intake.of(tenant.name).uploads.read
    picture = await service.viewer.page_picture(tenant.name, document, page, width, read=read)
    return Response(picture, media_type="image/png")


@router.get("/documents/{document_id}/find", response_model=MatchList, responses=problems(404))
async def find_in_document(
    document_id: str,
    q: Annotated[str, Query(min_length=1, max_length=500, description="the words to look for")],
    service: TheService,
    caller: Reader,
    collection: InCollection = "default",
) -> Response:
    """Find words in a document's text."""
    tenant = tenant_of(service, caller)
    document, _ = await stored_document(service, tenant, collection, document_id)
    return json_response({"matches": plain(await service.viewer.find(document, q))}, tenant=tenant)


@router.delete("/documents/{document_id}", status_code=204, response_class=Response, responses=problems(404))
async def remove_document(
    document_id: str, service: TheService, caller: Writer, collection: InCollection = "default"
) -> Response:
    """Remove a document, and its file if it was uploaded; no answer will cite it again."""
    tenant = tenant_of(service, caller)
    document, _ = await stored_document(service, tenant, collection, document_id)
    async with service.engine(tenant, collection) as engine:
        await engine.aremove([document_id])
        others = {record.source for record in await engine.adocuments()}
    if document.source not in others:  # a file of JSON lines holds many documents
        await service.intake.of(tenant.name).uploads.remove(document.source)
    return Response(status_code=204)


async def stored_document(
    service: Service, tenant: Tenant, collection: str, document_id: str
) -> tuple[Document, DocumentRecord]:
    """A document with its record. Raises NotFound."""
    async with service.engine(tenant, collection) as engine:
        document = await engine.adocument(document_id)
        records = [record for record in await engine.adocuments() if record.document_id == document_id]
    if document is None or not records:
        raise NotFound(
            f"there is no document {document_id[:100]!r} in {collection}",
            hint="GET /api/v1/documents lists the documents",
        )
    return document, records[0]


async def _chunks(file: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await file.read(_CHUNK):
        yield chunk


async def _job_of(service: Service, tenant: Tenant, job_id: str) -> Job:
    job = await asyncio.to_thread(service.intake.of(tenant.name).jobs.job, job_id)
    if job is None:
        raise NotFound(f"there is no job {job_id[:100]!r}", hint="GET /api/v1/jobs lists the latest jobs")
    return job


def _job(job: Job) -> dict[str, object]:
    return {**plain(job), "ended": job.ended}


def _row(tenant: Tenant, record: DocumentRecord) -> dict[str, Any]:
    source = tenant.shorten(record.source)
    name = source.replace("\\", "/").rpartition("/")[2] or source
    return {
        "document_id": record.document_id,
        "name": name,
        "title": record.title,
        "format": record.format,
        "passages": record.passages,
        "source": source,
        "warnings": plain(record.warnings),
    }
