"""Errors as problem details (RFC 9457), and in OpenAI's shape under /v1."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import Scope

from assay import errors
from assay.errors import AssayError
from assay.types import Value

logger = logging.getLogger("assay.server")

MEDIA_TYPE = "application/problem+json"
OPENAI_PREFIX = "/v1/"
# As nginx calls a request whose client left before the answer.
CLIENT_CLOSED_REQUEST = 499
# Seconds after which a service that is busy or unreachable may be asked again. Chosen.
RETRY_AFTER = 5

# The first matching class counts.
_STATUS_OF_ERROR: tuple[tuple[type[AssayError], int], ...] = (
    (errors.MissingExtra, 501),
    (errors.EgressRefused, 403),
    (errors.UploadTooLarge, 413),
    (errors.UsageError, 422),
    (errors.DocumentError, 422),
    (errors.UnknownCollection, 404),
    (errors.ModelMismatch, 409),
    (errors.Diverged, 409),
    (errors.StoreFull, 507),
    (errors.StoreError, 500),
    (errors.CircuitOpen, 503),
    (errors.ProviderUnreachable, 503),
    (errors.ProviderError, 502),
    (errors.DeadlinePassed, 504),
    (errors.BudgetSpent, 422),
)
# The words of the framework for what is wrong with a field, and the types of its errors for a body of another kind.
_SHOULD = re.compile(r"^\w+ should\b")
_IN_WORDS = {"Extra inputs are not permitted": "there is no such field", "Field required": "it is required"}
_NO_OBJECT = ("model_attributes_type", "model_type")

# OpenAI's type of error for a status; the others are "invalid_request_error" or "server_error".
_OPENAI_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


class NotFound(errors.UsageError):
    """There is no such thing here: an id that is unknown, or another tenant's."""


class Conflict(errors.UsageError):
    """The request contradicts what is there."""


class AccessRefused(errors.UsageError):
    """The caller is not let in, or not for this; `status` and `headers` are those of the response."""

    def __init__(
        self, message: str, *, hint: str, status: int = 403, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint, retryable=status in (429, 503))
        self.status = status
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class FieldError(Value):
    """One field of a request that does not fit; `where` is its path, as in "body.options.k"."""

    where: str
    message: str


def request_id_of(scope: Scope) -> str:
    """The id of a request, "" where none was given to it yet."""
    return str(scope.get("state", {}).get("request_id", ""))


def problem_response(
    status: int,
    detail: str,
    hint: str,
    scope: Scope,
    *,
    kind: type[AssayError] | None = None,
    headers: Mapping[str, str] | None = None,
    field_errors: Sequence[FieldError] = (),
) -> Response:
    """An error as problem details; in OpenAI's shape where the request's path is under /v1.

    `kind` is the error's class, by which a client raises the same one.
    """
    title = HTTPStatus(status).phrase
    if str(scope.get("path", "")).startswith(OPENAI_PREFIX):
        body: dict[str, Any] = {
            "error": {
                "message": f"{detail} ({hint})" if hint else detail,
                "type": _OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error"),
                "param": field_errors[0].where.removeprefix("body.") if field_errors else None,
                "code": None,
            }
        }
        media_type = "application/json"
    else:
        body = {
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": detail,
            "hint": hint,
            "error": _library_class(kind or (errors.UsageError if status < 500 else AssayError)),
            "request_id": request_id_of(scope),
        }
        if field_errors:
            body["errors"] = [field.to_dict() for field in field_errors]
        media_type = MEDIA_TYPE
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    return Response(content, status, headers=dict(headers or {}), media_type=media_type)


def _library_class(kind: type[AssayError]) -> str:
    """The name of the nearest class that the library itself has.

    >>> _library_class(NotFound)
    'UsageError'
    """
    return next(known.__name__ for known in kind.__mro__ if known.__module__ == errors.__name__)


def status_of(error: AssayError) -> int:
    """The HTTP status of an error.

    >>> status_of(errors.UnknownCollection("there is none", hint="add one"))
    404
    """
    if isinstance(error, AccessRefused):
        return error.status
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, Conflict):
        return 409
    if isinstance(error, errors.StoreError) and error.retryable:
        return 503
    return next((status for kind, status in _STATUS_OF_ERROR if isinstance(error, kind)), 500)


def error_response(error: AssayError, scope: Scope) -> Response:
    """An error of assay's as a response, with Retry-After where the same request may work later."""
    status = status_of(error)
    if isinstance(error, AccessRefused):
        return problem_response(status, str(error), error.hint, scope, headers=error.headers)
    waits = getattr(error, "retry_after", None)
    seconds = RETRY_AFTER if waits is None else max(1, round(waits))
    headers = {"Retry-After": str(seconds)} if status in (429, 503) else {}
    return problem_response(status, str(error), error.hint, scope, kind=type(error), headers=headers)


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every error of the app's routes with problem details."""

    async def of_assay(request: Request, error: Exception) -> Response:
        assert isinstance(error, AssayError)  # noqa: S101 - registered for it
        return error_response(error, request.scope)

    async def of_validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
        found = [_field_error(row) for row in error.errors()]
        first = found[0]
        return problem_response(
            422,
            f"{first.where}: {first.message}",
            "see /openapi.json for the fields of this request",
            request.scope,
            field_errors=found,
        )

    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
        detail, hint = _words_of(error, request)
        headers = error.headers
        if error.status_code == 405 and (allowed := _documented_methods(app, request.scope["path"])):
            headers = {"Allow": ", ".join(allowed)}  # the router names those of the first of several routes alone
        return problem_response(error.status_code, detail, hint, request.scope, headers=headers)

    async def of_departure(_request: Request, _error: Exception) -> Response:
        return Response(status_code=CLIENT_CLOSED_REQUEST)  # nobody reads it; it keeps the log quiet

    async def of_bug(request: Request, error: Exception) -> Response:
        logger.exception("a bug in assay, request %s", request_id_of(request.scope), exc_info=error)
        return problem_response(
            500,
            "a bug in assay: the request could not be answered",
            "look for the request id in the server's log, and report the entry",
            request.scope,
        )

    app.add_exception_handler(AssayError, of_assay)
    app.add_exception_handler(RequestValidationError, of_validation)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(ClientDisconnect, of_departure)
    app.add_exception_handler(Exception, of_bug)


def _field_error(row: Mapping[str, Any]) -> FieldError:
    """The error of a request's field, in words, where the framework's own are meant for programmers."""
    if row["type"] == "json_invalid":
        return FieldError("body", f"it is not JSON: {row['ctx']['error']} at character {row['loc'][-1]}")
    if row["type"] in _NO_OBJECT:
        return FieldError(
            ".".join(map(str, row["loc"])), "it is not a JSON object with the header content-type: application/json"
        )
    message, _, _ = str(row["msg"]).removeprefix("Value error, ").partition(" after validation")
    message = _SHOULD.sub("must", message, count=1)
    message = _IN_WORDS.get(message, message)
    return FieldError(".".join(map(str, row["loc"])), message[:1].lower() + message[1:])


def _documented_methods(app: FastAPI, path: str) -> list[str]:
    """The methods of a path in the description of the API, none where it is not in there."""
    paths = app.openapi()["paths"].items()
    return sorted(
        {method.upper() for known, methods in paths if compile_path(known)[0].match(path) for method in methods}
    )


def _words_of(error: HTTPException, request: Request) -> tuple[str, str]:
    """The cause and what to do next, for the errors that the framework raises itself."""
    if error.status_code == 404:
        return f"there is nothing at {request.url.path}", "the paths are listed in /openapi.json"
    if error.status_code == 405:
        return f"{request.method} is not possible at {request.url.path}", "see the Allow header for what is"
    return str(error.detail), "see /openapi.json for what this path takes"
