"""mcp: a server for agents."""

from __future__ import annotations

from assay.cli.flags import FOR_ANSWERS, Given, takes
from assay.cli.terminal import Terminal


@takes(*FOR_ANSWERS)
def mcp(terminal: Terminal, *, given: Given) -> None:
    """Serve the collections to an agent by MCP, over standard input and output.

    An agent's program starts it and speaks the Model Context Protocol. The tools are ask, search, get_source,
    judge, check and list_collections; none of them changes a document. The server ends with its standard input.

    \b
    assay mcp
    assay mcp -c manual -m openai:gpt-5-mini
    """
    from assay.mcp_server.local import serve_stdio

    if terminal.input.isatty():
        terminal.note("assay mcp waits for an agent's program on standard input; Ctrl-C ends it")
    serve_stdio(given)


VERBS = (mcp,)
