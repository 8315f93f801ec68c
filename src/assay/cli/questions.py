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
    takes,
)
from assay.cli.terminal import Terminal, one_line, reason_of
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
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="With --jsonl, add the objects to this file; the same file goes on after a stop.",
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Print each sentence as soon as it is verified.")]


@takes(*FOR_SEARCH, *FOR_EMBEDDING)
def search(
    terminal: Terminal,
    question: Text = None,
    *,
    given: Given,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
) -> None:
    """Find passages by words and by meaning. The question is plain text; there is no query syntax.

    \b
    assay search "interest rate" -k 3
    assay search --jsonl < questions.jsonl      {"id", "query", "k"?, "options"?} a line
    """
    from assay.cli import objects
    from assay.cli.pipes import run_pipe
    from assay.settings import load_settings
    from assay.wiring import open_engine
    from assay.wiring.search import search_settings

    text = read_question(question, as_json, as_json_lines, terminal)
    usual = search_settings(load_settings(given).settings)

    async def found(request: Request, engine: Engine) -> dict[str, Any]:
        text, k = request.text("query", "question"), request.whole_number("k", usual.k)
        if "options" not in request.fields:
            return {"hits": objects.hit_objects(await engine.asearch(text, replace(usual, k=k)))}
        options = request.options()
        options = replace(options, k=k) if "k" in request.fields else options
        return {"hits": objects.hit_objects(await engine.asearch(text, options=options))}

    if text is None:
        run_pipe(open_engine(create=False, models=False, **given), found, terminal)
        return
    with open_engine(create=False, models=False, **given) as engine:
        started = time.perf_counter()
        evidence = engine.search(text, usual)
        if not evidence.hits:
            _explain_no_hits(engine, given, terminal)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, "hits": objects.hit_objects(evidence), "ms": ms})
    else:
        from assay.cli.evidence_view import show_evidence

        show_evidence(evidence, terminal)


@takes(*FOR_ANSWERS)
def ask(
    terminal: Terminal,
    question: Text = None,
    *,
    given: Given,
    history: History = None,
    passages: OwnPassages = None,
    stream: Stream = False,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    out: Out = None,
    at_once: AtOnce = None,
    ray: flags.Ray = None,
    workers: flags.Workers = None,
) -> None:
    """Answer a question, or say what is missing.

    Every sentence of the answer cites its source and is checked before you see it.

    \b
    assay ask "How long is the notice period?"
    assay ask "How long is the notice period?" -m openai:gpt-5-mini
    assay ask "How long is the notice period?" --passages found.jsonl
    assay ask --jsonl < questions.jsonl         {"id", "question", "history"?, "passages"?, "options"?} a line
    assay ask --jsonl -o answers.jsonl < questions.jsonl     after a stop, it goes on where it was
    """
    from assay.cli.run_view import Progress, tell
    from assay.types import AskOptions

    text = read_question(question, as_json, as_json_lines, terminal)
    if stream and (as_json or as_json_lines):
        raise UsageError(
            "--stream prints text for people, --json and --jsonl print JSON", hint="leave out one of them"
        )
    if stream:
        _warn_of_style(given, terminal)
    dialogue = _dialogue(history)
    if text is None:
        if passages is not None:
            raise UsageError(
                "--passages is for one question, and --jsonl reads many", hint='give each line "passages"'
            )
        waiting = flags.at_once(at_once, given, on_cluster=ray is not None)
        _answer_lines(given, terminal, waiting, flags.spread(ray, workers), out)
        return
    if out is not None:
        raise UsageError("--out is for many questions", hint="give them as lines, with --jsonl")
    if flags.spread(ray, workers):
        raise UsageError("--ray is for many questions", hint="give them as lines, with --jsonl")
    own = None if passages is None else _own_passages(passages, question, terminal)
    progress = Progress(terminal, sentences=stream)
    with _opened(own is not None, given) as engine:
        if own is None:
            answer = engine.ask(text, dialogue, progress, streamed=stream)
        else:
            # The engine refuses search options that would have no effect.
            searching = {name: given[name] for name in ("rounds", "k", "where", "mode") if name in given}
            options = AskOptions(**searching)
            answer = engine.answer_from(text, own, dialogue, options, progress, streamed=stream)
        if own is None and not answer.judgement.relevance:
            _explain_no_hits(engine, given, terminal)
    tell(answer, given, as_json, terminal, progress=progress)
    raise typer.Exit(exits.of_answer(answer))


def _answer_lines(given: Given, terminal: Terminal, at_once: int, spread: dict[str, Any], out: Path | None) -> None:
    """Answer each line. Without a collection, a line needs passages; else UnknownCollection is raised."""
    from contextlib import ExitStack

    from assay.cli import objects
    from assay.cli.answer_file import AnswerFile
    from assay.cli.pipes import run_pipe
    from assay.errors import UnknownCollection
    from assay.wiring import open_checker, open_engine

    missed: list[UnknownCollection] = []
    missing: UnknownCollection | None = None

    async def answered(line: Request, engine: Engine) -> dict[str, Any]:
        text, options = line.text("question", "query"), line.options()
        if "passages" in line.fields:
            return objects.answer_object(await engine.aanswer_from(text, line.hits(), line.history(), options))
        if missing is not None:
            missed.append(missing)
            raise missing
        return objects.answer_object(await engine.aask(text, line.history(), options=options))

    with ExitStack() as opened:
        file = None if out is None else opened.enter_context(AnswerFile(out))
        if file is not None and file.count:
            terminal.note(f"{out} has {file.count:,} objects; their lines are passed over")
        try:
            engine = open_engine(create=False, **spread, **given)
        except UnknownCollection as error:
            missing, engine = error, open_checker(record=True, **given)
        run_pipe(engine, answered, terminal, at_once, file)
    if missed:
        raise missed[0]


def _opened(own: bool, given: Given) -> Engine:
    """The engine; without a collection if the passages are given and nothing else is searched."""
    from assay.wiring import open_checker, open_engine

    if own and given.get("rounds", 1) == 1:
        return open_checker(record=True, **given)
    return open_engine(create=False, **given)


def _own_passages(path: Path, question: str | None, terminal: Terminal) -> tuple[Hit, ...]:
    """The passages of a file of JSON lines. Raises UsageError."""
    from assay.cli.pipes import Request, json_lines

    if str(path) == "-" and question == "-":
        raise UsageError("the question and the passages cannot both be standard input", hint="give one as a file")
    try:
        data = terminal.input.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the passages in {path} cannot be read: {reason_of(error)}", hint=_PASSAGE_LINES
        ) from error
    return Request({"passages": json_lines(data, _PASSAGE_LINES)}).hits()


def read_question(question: str | None, as_json: bool, as_json_lines: bool, terminal: Terminal) -> str | None:
    """The question, or None with --jsonl. Raises UsageError for an empty one."""
    from assay.core.inputs import refuse_no_question

    flags.one_format(as_json, as_json_lines)
    if as_json_lines:
        if question not in (None, "-"):
            raise UsageError("with --jsonl the questions come from standard input", hint="leave the question out")
        return None
    if question is None:
        raise UsageError("there is no question", hint='give one in quotes, e.g. "What is …?"')
    text = terminal.input.read().decode("utf-8", errors="replace") if question == "-" else question
    refuse_no_question(text)  # before anything is opened
    return text


def _warn_of_style(given: Given, terminal: Terminal) -> None:
    """Warn that --stream cites by number, since other names depend on all sources."""
    from assay.settings import load_settings
    from assay.types import CitationStyle

    settings = load_settings(given).settings
    if settings.citation_style is not CitationStyle.NUMBERED:
        style = settings.display_name("citation_style")
        said = f"{style} is ignored: with --stream the text cites sources by number"
        terminal.warn(f"warning: {said}")


def _explain_no_hits(engine: Engine, given: dict[str, Any], terminal: Terminal) -> None:
    """Warn of an empty collection or of metadata that no passage has, and name the next step."""
    from assay.settings import load_settings

    settings = load_settings(given).settings
    if not engine.documents():
        name = settings.collection
        terminal.warn(f"warning: the collection {name!r} has no documents\nhint: assay add PATH -c {name}")
    elif settings.where:
        wanted = ", ".join(f"{name}={value}" for name, value in settings.where.items())
        terminal.warn(
            f"warning: no passage found has {one_line(wanted, 200)}; only documents from JSON lines have metadata"
        )


def _dialogue(path: Path | None) -> tuple[Message, ...]:
    import json

    from assay.cli.pipes import messages

    if path is None:
        return ()
    hint = 'give a JSON list of {"role", "text"}'
    try:
        return messages(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"the history in {path} cannot be read: {reason_of(error)}", hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the history in {path} is not JSON: {error}", hint=hint) from error


VERBS = (search, ask)
