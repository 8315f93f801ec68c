"""serve and mcp: the collections over HTTP, and to an agent on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.flags import FOR_ANSWERS, Given, takes
from assay.cli.terminal import Terminal
from assay.errors import MissingExtra

if TYPE_CHECKING:
    from assay.server.service import Service

_SERVER = "Server"
HOST = "127.0.0.1"
PORT = 8000


def _option(
    flag: str,
    explained: str,
    metavar: str | None = None,
    variable: str | None = None,
    least: int | None = None,
    most: int | None = None,
) -> Any:
    """An option of the server."""
    return typer.Option(
        flag,
        metavar=metavar,
        help=explained,
        rich_help_panel=_SERVER,
        envvar=variable,
        show_envvar=False,
        min=least,
        max=most,
        show_default=False,
    )


Host = Annotated[str, _option("--host", "Address to listen on. [default: 127.0.0.1]", "HOST", "ASSAY_SERVE_HOST")]
Port = Annotated[int, _option("--port", "Port to listen on. [default: 8000]", "N", "ASSAY_SERVE_PORT", 0, 65535)]
Workers = Annotated[
    int, _option("--workers", "Number of processes. [default: 1]", "N", "ASSAY_SERVE_WORKERS", 1, 64)
]
Anonymous = Annotated[
    bool,
    _option("--allow-anonymous", "Serve anyone who can reach the address.", None, "ASSAY_SERVE_ALLOW_ANONYMOUS"),
]
AllowedHosts = Annotated[
    list[str],
    _option("--allow-host", "Accept this name in the Host header; repeatable.", "NAME", "ASSAY_SERVE_ALLOW_HOST"),
]
AllowedOrigins = Annotated[
    list[str],
    _option(
        "--allow-origin",
        "Let pages of this web origin send requests and read the replies; repeatable.",
        "ORIGIN",
        "ASSAY_SERVE_ALLOW_ORIGIN",
    ),
]
Proxies = Annotated[
    list[str],
    _option(
        "--trust-proxy",
        "Trust X-Forwarded-For from this address; repeatable.",
        "ADDRESS",
        "ASSAY_SERVE_TRUST_PROXY",
    ),
]
AllowedModels = Annotated[
    list[str],
    _option("--allow-model", "Let a request name this model; repeatable.", "MODEL", "ASSAY_SERVE_ALLOW_MODEL"),
]
PerMinute = Annotated[
    int,
    _option(
        "--requests-per-minute", "Maximum requests per minute from one key or address. [default: 600]", "N", None, 1
    ),
]
Answering = Annotated[
    int, _option("--answering", "Maximum number of questions answered at once. [default: 256]", "N", None, 1)
]
KeepRuns = Annotated[
    int | None,
    _option(
        "--keep-runs",
        "Delete recorded runs after this many days. [default: keep them]",
        "DAYS",
        "ASSAY_SERVE_KEEP_RUNS",
        1,
    ),
]
PerKey = Annotated[int, _option("--answering-per-key", "The same, for one key. [default: 256]", "N", None, 1)]


@takes(*(name for name in FOR_ANSWERS if name != "collection"))
def serve(
    terminal: Terminal,
    *,
    given: Given,
    host: Host = HOST,
    port: Port = PORT,
    workers: Workers = 1,
    allow_anonymous: Anonymous = False,
    allow_host: AllowedHosts = [],  # noqa: B006 - typer reads it, nobody changes it
    allow_origin: AllowedOrigins = [],  # noqa: B006
    trust_proxy: Proxies = [],  # noqa: B006
    allow_model: AllowedModels = [],  # noqa: B006
    requests_per_minute: PerMinute = 600,
    answering: Answering = 256,
    answering_per_key: PerKey = 256,
    keep_runs: KeepRuns = None,
) -> None:
    """Serve the collections over HTTP, with a page for people.

    Programs use /api/v1, chat clients /v1, agents /mcp, and people the address itself. Without a key, only this
    machine is served. Once `assay keys create` has created one, every request needs a key.

    \b
    assay serve
    assay serve --port 8080 -m openai:gpt-5-mini
    assay serve --host 0.0.0.0 --allow-host assay.example.org
    """
    try:
        from assay.server.main import run_server
        from assay.server.settings import ServerSettings
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"the server needs the package {error.name}", hint='in the clone of assay: pip install ".[serve]"'
        ) from error
    settings = ServerSettings(
        host=host,
        port=port,
        workers=workers,
        allow_anonymous=allow_anonymous,
        allowed_hosts=tuple(allow_host),
        allowed_origins=tuple(allow_origin),
        trusted_proxies=tuple(trust_proxy),
        models=tuple(allow_model),
        requests_per_minute=requests_per_minute,
        answering=answering,
        answering_per_key=answering_per_key,
        keep_runs=keep_runs,
        answer_log=None if terminal.quiet else sys.stdout,
        engine=dict(given),
    )

    def announce(service: Service, port: int) -> None:
        served = service.tenant("default").collections
        count = len(served.names())
        terminal.note(
            f"serving {count} collection{'' if count == 1 else 's'} of {served.place} "
            f"on http://{host}:{port} (stop with Ctrl-C)"
        )

    run_server(settings, announce)


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


VERBS = (serve, mcp)
