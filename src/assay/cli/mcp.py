"""mcp: a server for agents."""

from __future__ import annotations

from assay.cli.flags import FOR_ANSWERS, Given, takes
from assay.cli.terminal import Terminal


@takes(*FOR_ANSWERS)
def mcp(terminal: Terminal, *, given: Given) -> None:
    """Serve the collections to an agent over MCP (stdio).

    The server is started by the agent's program and speaks the Model Context Protocol over standard input and
    output. The tools are ask, search, get_source, judge, check and list_collections; none of them changes a
    document. The server ends when its standard input is closed.

    \b
    assay mcp
    assay mcp -c manual -m openai:gpt-5-mini
    """
    from assay.mcp_server.local import serve_stdio

    if terminal.input.isatty():
        terminal.note("assay mcp is waiting for an agent on standard input; Ctrl-C ends it")
    serve_stdio(given)


VERBS = (mcp,)
