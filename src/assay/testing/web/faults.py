"""How a search service can fail: what it answers instead of results."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

from assay.testing.web.pages import Served, redirect

_JSON = "application/json"

# Each by its name; a service that is down has its port closed instead.
FAULTS: Mapping[str, Served] = {
    "hangs": Served(pause=3600.0),
    "drips": Served(b" ", content_type=_JSON, pause=0.05, repeat=100_000),
    "400": Served(b'{"error": "bad request"}', 400, _JSON),
    "401": Served(b'{"detail": {"error": "Unauthorized: invalid key"}}', 401, _JSON),
    "402": Served(b'{"error": "payment required"}', 402, _JSON),
    "403": Served(b"<h1>Forbidden</h1>", 403),
    "404": Served(b"<h1>Not found</h1>", 404),
    "408": Served(b"", 408),
    "422": Served(b'{"error": {"detail": "q is too long"}}', 422, _JSON),
    "429": Served(b"Too many requests", 429, "text/plain", {"Retry-After": "3"}),
    "432": Served(b'{"detail": {"error": "plan limit"}}', 432, _JSON),
    "500": Served(b"<h1>Internal error</h1>", 500),
    "502": Served(b"<h1>Bad gateway</h1>", 502),
    "503": Served(b"", 503, headers={"Retry-After": "60"}),
    "redirects": redirect("http://169.254.169.254/"),
    "says nothing": Served(b"", content_type=_JSON),
    "shows a page": Served(b"<!doctype html><h1>Log in</h1>"),
    "says null": Served(b"null", content_type=_JSON),
    "says a list": Served(b"[]", content_type=_JSON),
    "says an empty object": Served(b"{}", content_type=_JSON),
    "says other types": Served(b'{"results": "none", "type": "search", "web": 7, "query": []}', content_type=_JSON),
    "says rows of nothing": Served(
        b'{"results": [{}], "type": "search", "web": {"results": [{}]}, "query": {"pages": [{}]}}',
        content_type=_JSON,
    ),
    "nests too deeply": Served(b"[" * 200_000, content_type=_JSON),
    "breaks off": Served(b'{"results": [', content_type=_JSON, headers={"Content-Length": "9000"}, cut=True),
    "is not text": Served(b"\xff\xfe\x00\x01", content_type=_JSON),
    "is huge": Served(b" " * 65536, content_type=_JSON, repeat=2048),
    "is a gzip bomb": Served(
        gzip.compress(b" " * (64 << 20)), content_type=_JSON, headers={"Content-Encoding": "gzip"}
    ),
    "drops the connection": Served(status=0, cut=True),
}
