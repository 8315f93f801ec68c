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
from assay.cli.terminal import Terminal
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.engine import Engine
    from assay.types import Hit, Message

_PASSAGE_LINES = 'give one JSON object a line: {"id", "text"}'

Text = Annotated[str | None, typer.Argument(metavar="QUESTION", help="The question; - is standard input.")]
History = Annotated[
    Path | None, typer.Option("--history", metavar="FILE", help='Earlier dialogue: JSON [{"role", "text"}].')
]

OwnPassages = Annotated[
    Path | None,
    typer.Option(
        "--passages",
        metavar="FILE",
        help='Answer from these passages: JSON lines {"id", "text"}, or -.',
    ),
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
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find passages by words and by meaning. The question is plain text; there is no query syntax.

    \b
    assay search "interest rate" -k 3
    assay search --jsonl < questions.jsonl      {"id", "query", "k"?, "options"?} a line
    """
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe
    from assay.settings import load_settings
    from assay.wiring import open_engine
    from assay.wiring.search import search_settings

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    usual = search_settings(load_settings(given).settings)

    async def found(request: Request, engine: Engine) -> dict[str, Any]:
        text, k = request.text("query", "question"), request.whole_number("k", usual.k)
        if "options" not in request.fields:
            return {"hits": shapes.hits(await engine.asearch(text, replace(usual, k=k)))}
        options = request.options()
        options = replace(options, k=k) if "k" in request.fields else options
        return {"hits": shapes.hits(await engine.asearch(text, options=options))}

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
    passages: OwnPassages = None,
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
    assay ask "How long is the notice period?" --passages found.jsonl
    assay ask --jsonl < questions.jsonl         {"id", "question", "history"?, "passages"?, "options"?} a line
    """
    from assay.cli.answer_view import tell
    from assay.cli.run_view import Progress
    from assay.types import AskOptions

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    if stream and (as_json or as_json_lines):
        raise UsageError("--stream prints for people, and JSON was asked for", hint="leave one of the two out")
    if stream:
        _tell_of_numbers(given, terminal)
    dialogue = _dialogue(history)
    if text is None:
        if passages is not None:
            raise UsageError(
                "--passages is for one question, and --jsonl reads many", hint='give each line "passages"'
            )
        _answer_lines(given, terminal, flags.at_once(at_once, given))
        return
    own = None if passages is None else _own_passages(passages, question, terminal)
    progress = Progress(terminal, sentences=stream)
    with _opened(own is not None, given) as engine:
        if own is None:
            answer = engine.ask(text, dialogue, progress, streamed=stream)
        else:
            # Flags of a search have an effect only where one may be made: the engine refuses the others.
            searching = {name: given[name] for name in ("rounds", "k", "where", "mode") if name in given}
            options = AskOptions(**searching)
            answer = engine.answer_from(text, own, dialogue, options, progress, streamed=stream)
        if own is None and not answer.judgement.relevance:
            _tell_of_no_documents(engine, given, terminal)
    tell(answer, given, as_json, terminal, progress=progress)
    raise typer.Exit(exits.of_answer(answer))


def _answer_lines(given: Given, terminal: Terminal, at_once: int) -> None:
    """Answer each line. Without a collection only lines with passages are; raises UnknownCollection for others."""
    from assay.cli.pipes import run_pipe
    from assay.errors import UnknownCollection
    from assay.wiring import open_checker, open_engine

    missed: list[UnknownCollection] = []
    missing: UnknownCollection | None = None

    async def answered(line: Request, engine: Engine) -> dict[str, Any]:
        text, options = line.text("question", "query"), line.options()
        if "passages" in line.fields:
            return (await engine.aanswer_from(text, line.hits(), line.history(), options)).to_dict()
        if missing is not None:
            missed.append(missing)
            raise missing
        return (await engine.aask(text, line.history(), options=options)).to_dict()

    try:
        engine = open_engine(create=False, **given)
    except UnknownCollection as error:
        missing, engine = error, open_checker(record=True, **given)
    run_pipe(engine, answered, terminal, at_once)
    if missed:
        raise missed[0]


def _opened(own: bool, given: Given) -> Engine:
    """The collection, or none where the passages are the caller's own and nothing else is searched."""
    from assay.wiring import open_checker, open_engine

    if own and given.get("rounds", 1) == 1:
        return open_checker(record=True, **given)
    return open_engine(create=False, **given)


def _own_passages(path: Path, question: str | None, terminal: Terminal) -> tuple[Hit, ...]:
    """The passages of a file, one a line, in their order. Raises UsageError."""
    from assay.cli.pipes import Request, json_lines

    if str(path) == "-" and question == "-":
        raise UsageError("the question and the passages cannot both be standard input", hint="give one as a file")
    try:
        data = terminal.input.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(f"the passages in {path} cannot be read: {error.strerror}", hint=_PASSAGE_LINES) from error
    return Request({"passages": json_lines(data, _PASSAGE_LINES)}).hits()


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
        style = settings.display_name("citation_style")
        said = f"{style} is not heeded: with --stream the text names sources by number"
        terminal.warn(f"warning: {said}")


def _tell_of_no_documents(engine: Engine, given: dict[str, Any], terminal: Terminal) -> None:
    """Where nothing was found because nothing is there, say so, and the next step."""
    from assay.settings import load_settings

    if not engine.documents():
        name = load_settings(given).settings.collection
        terminal.warn(f"warning: the collection {name!r} holds no documents\nhint: assay add PATH -c {name}")


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
