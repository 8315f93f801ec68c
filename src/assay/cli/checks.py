"""judge and check: the two halves of the work for people who retrieve or write with something else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import exits, options
from assay.cli.options import (
    AsJson,
    AsJsonLines,
    Collection,
    Correct,
    Count,
    DataDir,
    Embedder,
    Incorrect,
    JudgeProfile,
    JudgeWeights,
    Quiet,
    Verbose,
    flags,
    terminal_of,
)
from assay.cli.questions import Text, asked
from assay.cli.terminal import Terminal
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.types import Passage

AnswerFile = Annotated[str | None, typer.Argument(metavar="[FILE]", help="The text to test; - is standard input.")]
Context = Annotated[
    list[Path] | None, typer.Option("--context", metavar="FILE", help="A text to test it by; may be repeated.")
]


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    for verb in (judge, check):
        app.command()(verb)


def judge(
    ctx: typer.Context,
    question: Text = None,
    collection: Collection = None,
    data_dir: DataDir = None,
    embedder: Embedder = None,
    profile: JudgeProfile = None,
    weights: JudgeWeights = None,
    correct: Correct = None,
    incorrect: Incorrect = None,
    k: Count = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Say whether the evidence suffices, and what is missing.

    The evidence is what the collection holds, or passages of your own.

    \b
    assay judge "How long is the notice period?"
    assay judge --jsonl < lines.jsonl           {"id", "query", "passages": [{"id", "text"}], "history"?}
    """
    from assay.build import open_engine, open_gates
    from assay.cli import shapes
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
        k=k,
    )
    if text is None:
        with open_gates(**given) as engine:
            answer_lines(
                lambda line: shapes.judged(engine.judge(line.text("query"), line.passages(), line.history())),
                terminal,
            )
        return
    with open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        judgement = engine.judge(text, engine.search(text).passages)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.judged(judgement), "ms": ms})
    else:
        from assay.cli.evidence_view import show_judgement

        show_judgement(judgement, terminal)
    raise typer.Exit(exits.of_judgement(judgement))


def check(
    ctx: typer.Context,
    file: AnswerFile = None,
    context: Context = None,
    embedder: Embedder = None,
    profile: JudgeProfile = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Test the claims of any text against sources.

    \b
    assay check answer.txt --context source.txt
    assay check --jsonl < lines.jsonl           {"id", "claim" or "answer", "context" or "passages"} a line
    """
    from assay.build import open_gates
    from assay.cli import shapes
    from assay.cli.pipes import answer_lines

    options.one_format(as_json, as_json_lines)
    terminal = terminal_of(ctx)
    text, passages = ("", ()) if as_json_lines else _to_check(file, context or [], terminal)
    given = flags(embedder=embedder, profile=profile)
    with open_gates(**given) as engine:
        if as_json_lines:
            answer_lines(
                lambda line: shapes.reviewed(engine.check(line.text("claim", "answer"), line.passages())), terminal
            )
            return
        started = time.perf_counter()
        review = engine.check(text, passages)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.reviewed(review), "ms": ms})
    else:
        from assay.cli.evidence_view import show_review

        show_review(review, terminal)
    raise typer.Exit(exits.of_review(review))


def _to_check(file: str | None, context: list[Path], terminal: Terminal) -> tuple[str, tuple[Passage, ...]]:
    from assay.cli.pipes import given_passage

    if file is None:
        raise UsageError("there is nothing to check", hint="assay check answer.txt --context source.txt")
    if not context:
        raise UsageError("there is nothing to check it by", hint="give the sources: --context FILE")
    sources = tuple(given_passage(path.name, _text(str(path), terminal), path.stem) for path in context)
    return _text(file, terminal), sources


def _text(path: str, terminal: Terminal) -> str:
    try:
        data = terminal.input.read() if path == "-" else Path(path).read_bytes()
        return data.decode()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint="check reads plain text only") from error
