"""search and ask."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, options
from assay.cli.options import (
    AsJson,
    AsJsonLines,
    Collection,
    Correct,
    Count,
    DataDir,
    Deadline,
    Embedder,
    FusionOption,
    Incorrect,
    JudgeProfile,
    JudgeWeights,
    Mmr,
    Mode,
    Quiet,
    Verbose,
    flags,
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
    list[str] | None, typer.Option("--where", metavar="NAME=VALUE", help="Only passages with this metadata.")
]
History = Annotated[
    Path | None, typer.Option("--history", metavar="FILE", help='The dialogue before: JSON [{"role", "text"}].')
]


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    for verb in (search, ask):
        app.command()(verb)


def search(
    ctx: typer.Context,
    question: Text = None,
    collection: Collection = None,
    data_dir: DataDir = None,
    embedder: Embedder = None,
    k: Count = None,
    mode: Mode = None,
    fusion: FusionOption = None,
    mmr: Mmr = None,
    where: Where = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find passages, by words and by meaning. No question is query syntax.

    \b
    assay search "interest rate" -k 3
    assay search --jsonl < questions.jsonl      {"id", "query", "k"?} a line
    """
    from dataclasses import replace

    from assay.build import open_engine, search_settings
    from assay.cli import shapes
    from assay.cli.pipes import answer_lines
    from assay.settings import load_settings

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    given = flags(
        collection=collection, data_dir=data_dir, embedder=embedder, k=k, mode=mode, fusion=fusion, mmr=mmr
    )
    usual = replace(search_settings(load_settings(given).settings), where=_metadata(where or []))
    with open_engine(create=False, **given) as engine:

        def found(request: Request) -> dict[str, Any]:
            settings = replace(usual, k=request.whole_number("k", usual.k))
            return {"hits": shapes.hits(engine.search(request.text("query", "question"), settings))}

        if text is None:
            answer_lines(found, terminal)
            return
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


def ask(
    ctx: typer.Context,
    question: Text = None,
    collection: Collection = None,
    data_dir: DataDir = None,
    embedder: Embedder = None,
    profile: JudgeProfile = None,
    weights: JudgeWeights = None,
    correct: Correct = None,
    incorrect: Incorrect = None,
    deadline: Deadline = None,
    k: Count = None,
    mode: Mode = None,
    fusion: FusionOption = None,
    mmr: Mmr = None,
    history: History = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Answer a question, or say what is missing.

    Every sentence of the answer names its source; every one is tested before it is shown.

    \b
    assay ask "How long is the notice period?"
    assay ask --jsonl < questions.jsonl         {"id", "question", "history"?} a line
    """
    from assay.build import open_engine
    from assay.cli.pipes import answer_lines

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    given = flags(
        collection=collection,
        data_dir=data_dir,
        embedder=embedder,
        profile=profile,
        weights=weights,
        correct=correct,
        incorrect=incorrect,
        deadline=deadline,
        k=k,
        mode=mode,
        fusion=fusion,
        mmr=mmr,
    )
    dialogue = _dialogue(history)
    with open_engine(create=False, **given) as engine:
        if text is None:
            answer_lines(
                lambda line: engine.ask(line.text("question", "query"), line.history()).to_dict(), terminal
            )
            return
        answer = engine.ask(text, dialogue)
        if not answer.judgement.relevance:
            _tell_of_no_documents(engine, given, terminal)
    if verbose:
        from assay.cli.run_view import told

        for event in answer.trace:
            terminal.detail(told(event.kind, event.to_dict()) or event.kind)
    if as_json:
        terminal.object(answer.to_dict())
    else:
        from assay.cli.answer_view import show_answer

        show_answer(answer.to_dict(), answer.validate(), terminal)
    raise typer.Exit(exits.of_answer(answer))


def asked(question: str | None, as_json: bool, as_json_lines: bool, terminal: Terminal) -> str | None:
    """The question's text, or None where questions come as JSON lines."""
    from assay.conduct import refuse_no_question

    options.one_format(as_json, as_json_lines)
    if as_json_lines:
        if question not in (None, "-"):
            raise UsageError("with --jsonl the questions come from standard input", hint="leave the question out")
        return None
    if question is None:
        raise UsageError("there is no question", hint='give one in quotes: assay ask "What is …?"')
    text = terminal.input.read().decode("utf-8", errors="replace") if question == "-" else question
    refuse_no_question(text)  # before anything is opened
    return text


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
    except ValueError:
        return text
    return value if isinstance(value, int | float | bool | str) else text


def _dialogue(path: Path | None) -> tuple[Message, ...]:
    import json

    from assay.cli.pipes import messages

    if path is None:
        return ()
    try:
        return messages(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"the history in {path} cannot be read: {error}", hint="it is a JSON list") from error
