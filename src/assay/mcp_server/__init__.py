"""Answers, searches and checks for agents by the Model Context Protocol (MCP), over stdio and over HTTP.

`tools.py` is what agents may call, `text.py` how results read without their structure, `server.py` the protocol,
`http.py` the endpoint of an HTTP server, `local.py` the server that an agent's program starts.
"""

from __future__ import annotations

from assay.errors import MissingExtra

try:
    import mcp  # noqa: F401
except ImportError as error:
    raise MissingExtra(
        f"serving agents by MCP needs a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[mcp]"',
    ) from error
