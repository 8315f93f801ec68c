"""Answers, searches and checks for agents by the Model Context Protocol (MCP), over stdio and over HTTP.

`tools.py` has the functions for agents, `text.py` results without their structure, `server.py` the protocol, and
`local.py` the server that an agent's program starts; the endpoint over HTTP is `assay.server.mcp`.
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
