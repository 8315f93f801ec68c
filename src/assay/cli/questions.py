"""search and ask."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, flags
from assay.cli.flags import (
    FOR_ANSWERS,
    FOR_EMBEDDING,
    FOR_SEARCH,
    AsJson,
    AsJsonLines,
    AtOnce,
    Given,
    GroupedCommand,
    Quiet,
    Verbose,
    takes,
    terminal_of,
)
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.engine import Engine
    from assay.types import Message, Scalar

Text = Annotated[str | None, typer.Argument(metavar="QUESTION", help="The question; - is standard input.")]
Where = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="NAME=VALUE", help="Find only passages with this metadata; repeatable."),
]
History = Annotated[
    Path | None, typer.Option("--history", metavar="FILE", help='Earlier dialogue: JSON [{"role", "text"}].')
]

Stream = Annotated[bool, typer.Option("--stream", help="Print each sentence as soon as it is verified.")]


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    for verb in (search, ask):
        app.command(cls=GroupedCommand)(verb)


@takes(*FOR_SEARCH, *FOR_EMBEDDING)
def search(
    ctx: typer.Context,
    question: Text = None,
    *,
    given: Given,
    where: Where = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find passages by words and by meaning. The question is plain text; there is no query syntax.

    \b
    assay search "interest rate" -k 3
    assay search --jsonl < questions.jsonl      {"id", "query", "k"?} a line
    """
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe
    from assay.settings import load_settings
    from assay.wiring import open_engine, search_settings

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    usual = replace(search_settings(load_settings(given).settings), where=_metadata(where or []))

    async def found(request: Request, engine: Engine) -> dict[str, Any]:
        settings = replace(usual, k=request.whole_number("k", usual.k))
        return {"hits": shapes.hits(await engine.asearch(request.text("query", "question"), settings))}

    if text is None:
        run_pipe(open_engine(create=False, models=False, **given), found, terminal)
        return
    with open_engine(create=False, models=False, **given) as engine:
        started = time.perf_counter()
        evidence = engine.search(text, usual)
        if not evidence.hits:
            _tell_of_no_documents(engine, given, terminal)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, "hits": shapes.hits(evidence), "ms": ms})
    else:
        from assay.cli.evidence_view import show_evidence

        show_evidence(evidence, terminal)


@takes(*FOR_ANSWERS)
def ask(
    ctx: typer.Context,
    question: Text = None,
    *,
    given: Given,
    history: History = None,
    stream: Stream = False,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Answer a question, or say what is missing.

    Every sentence of the answer cites its source and is checked before it is shown.

    \b
    assay ask "How long is the notice period?"
    assay ask "How long is the notice period?" -m openai:gpt-5-mini
    assay ask --jsonl < questions.jsonl         {"id", "question", "history"?} a line
    """
    from assay.cli.answer_view import tell
    from assay.cli.pipes import run_pipe
    from assay.cli.run_view import Progress
    from assay.wiring import open_engine

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    if stream and (as_json or as_json_lines):
        raise UsageError("--stream prints for people, and JSON was asked for", hint="leave one of the two out")
    if stream:
        _tell_of_numbers(given, terminal)
    dialogue = _dialogue(history)
    if text is None:
        together = flags.at_once(at_once, given)
        run_pipe(open_engine(create=False, **given), _answered, terminal, together)
        return
    with open_engine(create=False, **given) as engine:
        progress = Progress(terminal, sentences=stream)
        answer = engine.ask(text, dialogue, progress, streamed=stream)
        if not answer.judgement.relevance:
            _tell_of_no_documents(engine, given, terminal)
    tell(answer, given, as_json, terminal, progress=progress)
    raise typer.Exit(exits.of_answer(answer))


async def _answered(line: Request, engine: Engine) -> dict[str, Any]:
    return (await engine.aask(line.text("question", "query"), line.history())).to_dict()


def asked(question: str | None, as_json: bool, as_json_lines: bool, terminal: Terminal) -> str | None:
    """The question's text, or None where questions come as JSON lines."""
    from assay.core.inputs import refuse_no_question

    flags.one_format(as_json, as_json_lines)
    if as_json_lines:
        if question not in (None, "-"):
            raise UsageError("with --jsonl the questions come from standard input", hint="leave the question out")
        return None
    if question is None:
        raise UsageError("there is no question", hint='give one in quotes: assay ask "What is …?"')
    text = terminal.input.read().decode("utf-8", errors="replace") if question == "-" else question
    refuse_no_question(text)  # before anything is opened
    return text


def _tell_of_numbers(given: Given, terminal: Terminal) -> None:
    """Where another style is set, say that a stream has numbers: what a source is called depends on the others."""
    from assay.settings import load_settings
    from assay.types import CitationStyle

    settings = load_settings(given).settings
    if settings.citation_style is not CitationStyle.NUMBERED:
        said = f"{settings.told('citation_style')} is not heeded: with --stream the text names sources by number"
        terminal.warn(f"warning: {said}")


def _tell_of_no_documents(engine: Engine, given: dict[str, Any], terminal: Terminal) -> None:
    """Where nothing was found because nothing is there, say so, and the next step."""
    from assay.settings import load_settings

    if not engine.documents():
        name = load_settings(given).settings.collection
        terminal.warn(f"warning: the collection {name!r} holds no documents\nhint: assay add PATH -c {name}")


def _metadata(pairs: list[str]) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise UsageError(f"--where {one_line(pair, 40)!r} is not NAME=VALUE", hint="e.g. --where year=2024")
        found[name] = _scalar(value)
    return found


def _scalar(text: str) -> Scalar:
    """A number or truth value where the text is one in JSON, else the text."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int | float | bool | str) else text


def _dialogue(path: Path | None) -> tuple[Message, ...]:
    import json

    from assay.cli.pipes import messages

    if path is None:
        return ()
    hint = 'give a JSON list of {"role", "text"}'
    try:
        return messages(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"the history in {path} cannot be read: {error.strerror}", hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the history in {path} is not JSON: {error}", hint=hint) from error
