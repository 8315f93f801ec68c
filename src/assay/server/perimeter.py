"""Everything that a request passes before the application, in its order."""

from __future__ import annotations

from starlette.types import ASGIApp

from assay.server.access import Access, Authentication
from assay.server.hosts import HostAndOrigin, behind_proxies
from assay.server.limits import AnsweringLimit, BodyLimits, RequestRate, body_limits
from assay.server.response_headers import ResponseHeaders
from assay.server.settings import ServerSettings


def with_perimeter(app: ASGIApp, settings: ServerSettings, access: Access) -> ASGIApp:
    """The application behind its id and headers, names and origins, keys, rates, and limits.

    Raises UsageError for a host, an origin or a proxy in the settings that cannot be one.
    """
    app = AnsweringLimit(app, settings.answering, settings.answering_per_key)
    app = BodyLimits(app, body_limits(settings.largest_upload))
    app = RequestRate(app, settings.requests_per_minute)
    app = Authentication(app, access)
    app = HostAndOrigin(
        app,
        listening=settings.host,
        allowed_hosts=settings.allowed_hosts,
        allowed_origins=settings.allowed_origins,
    )
    app = behind_proxies(app, settings.trusted_proxies)
    return ResponseHeaders(app)
