"""Everything that a request passes before the application, in its order."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from assay.server.access import Access, Authentication
from assay.server.cross_origin import readable_by
from assay.server.hosts import HostAndOrigin, behind_proxies, origin_name
from assay.server.limits import AnsweringLimit, BodyLimits, RequestRate, body_limits
from assay.server.problems import request_id_of
from assay.server.response_headers import ResponseHeaders
from assay.server.settings import ServerSettings
from assay.telemetry.request import Request, within_request


def with_perimeter(app: ASGIApp, settings: ServerSettings, access: Access) -> ASGIApp:
    """The application behind its id and headers, names and origins, keys, rates, and limits.

    Raises UsageError for a host, an origin or a proxy in the settings that cannot be one.
    """
    app = RequestContext(app)
    app = AnsweringLimit(app, settings.share(settings.answering), settings.share(settings.answering_per_key))
    app = BodyLimits(app, body_limits(settings.largest_upload))
    app = RequestRate(app, settings.share(settings.requests_per_minute))
    app = Authentication(app, access)
    app = readable_by(app, map(origin_name, settings.allowed_origins))
    app = HostAndOrigin(
        app,
        listening=settings.host,
        allowed_hosts=settings.allowed_hosts,
        allowed_origins=settings.allowed_origins,
    )
    app = behind_proxies(app, settings.trusted_proxies)
    return ResponseHeaders(app)


class RequestContext:
    """Answer each request in a context that the log and the traces of its run know it by."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        caller = scope.get("state", {}).get("caller")
        with within_request(Request(request_id_of(scope), "" if caller is None else caller.tenant)):
            await self._app(scope, receive, send)
