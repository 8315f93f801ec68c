"""judge and check: the two halves of the work for people who retrieve or write with something else."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, flags
from assay.cli.flags import (
    FOR_CHECKING,
    FOR_JUDGING,
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
from assay.cli.questions import Text, asked
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.core.draft import DraftReport
    from assay.engine import Engine
    from assay.types import Judgement, Passage

_SEVERAL_WORDS = re.compile(r"\S\s+\S")
# How the name of a file ends: a dot, then a letter and at most four more signs.
_FILE_ENDING = re.compile(r"\.[A-Za-z]\w{0,4}$")
_HOW_TO_GIVE = "name a file that is there, give a text of several words in quotes, or - for standard input"
_HOW_TO_GIVE_A_SOURCE = "name a file of text; to check against a folder, `assay add` it and leave out --sources"
# How much of an argument a message shows.
_SHOWN = 120
# Sentences beyond this many characters are searched by how they begin.
LONGEST_QUERY = 2_000

Answered = Annotated[
    str | None,
    typer.Option("--question", metavar="QUESTION", help="The question that the draft answers, to assess it by."),
]
AnswerFile = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="The text to check, or a file with it; - is standard input.")
]
Context = Annotated[
    list[Path] | None,
    typer.Option("--context", "--sources", metavar="FILE", help="A file to check against; repeatable."),
]


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    for verb in (judge, check):
        app.command(cls=GroupedCommand)(verb)


@takes(*FOR_SEARCH, *FOR_JUDGING)
def judge(
    ctx: typer.Context,
    question: Text = None,
    *,
    given: Given,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Judge whether the evidence is sufficient, and what is missing.

    The evidence is what the collection holds or, with --jsonl, passages of your own.

    \b
    assay judge "How long is the notice period?"
    assay judge --jsonl < lines.jsonl           {"id", "query", "passages", "history"?, "options"?} a line
    """
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe
    from assay.wiring import open_checker, open_engine

    terminal, text = terminal_of(ctx), asked(question, as_json, as_json_lines, terminal_of(ctx))
    if text is None:
        run_pipe(open_checker(**given), _judged, terminal, flags.at_once(at_once, given))
        return
    with open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        judgement = engine.judge(text)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.judged(judgement), "ms": ms})
    else:
        from assay.cli.evidence_view import show_judgement

        show_judgement(judgement, terminal)
        _tell_of_outside(judgement, given, terminal)
    raise typer.Exit(exits.of_judgement(judgement))


@takes(*FOR_CHECKING)
def check(
    ctx: typer.Context,
    file: AnswerFile = None,
    *,
    given: Given,
    context: Context = None,
    question: Answered = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Check the claims of any text against sources.

    TEXT is the text itself if it has several words, names no existing file and does not end like a file name
    (.txt); anything else must be a file. The sources are the files given with --context, or else the collection.
    With --verifier-model, a model decides what the tests leave open. The text is assessed as a whole and recorded
    as a run.

    \b
    assay check "The notice period is four weeks." --context contract.txt
    assay check answer.txt -c manual
    assay check --jsonl < lines.jsonl           {"id", "claim" or "answer", "context" or "passages"} a line
    """
    from assay.cli import shapes
    from assay.cli.pipes import run_pipe
    from assay.wiring import open_checker, open_engine

    flags.one_format(as_json, as_json_lines)
    terminal, asks = terminal_of(ctx), _asks_a_model(given)
    if as_json_lines:
        refuse_files(file, context)
        refuse_question(question)
        engine = open_checker(models=asks, **given)
        run_pipe(engine, _reviewed, terminal, flags.at_once(at_once, given) if asks else at_once or 1)
        return
    text, sources = draft_and_sources("check", file, context or [], terminal)
    opened = (
        partial(open_checker, models=asks, record=True)
        if sources
        else partial(open_engine, create=False, models=asks)
    )
    with opened(**given) as engine:
        started = time.perf_counter()
        made = engine.examine(text, sources or found_for(text, engine), question=question or "")
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **shapes.reviewed(made.review), **shapes.recorded(made.answer), "ms": ms})
    else:
        from assay.cli.evidence_view import show_review

        show_review(made.review, terminal)
        show_assessed(made, terminal)
    raise typer.Exit(exits.of_review(made.review))


def _tell_of_outside(judgement: Judgement, given: Given, terminal: Terminal) -> None:
    """Where the documents do not answer and nothing else may be searched, say how to change that."""
    from assay.settings import load_settings

    if judgement.recommendation == "ABSTAIN" and not load_settings(given).settings.outside:
        terminal.note("hint: `assay ask --outside wikipedia` also searches outside; ASSAY_OUTSIDE sets it for good")


def refuse_question(question: str | None) -> None:
    """Raise UsageError for a question to many drafts."""
    if question is not None:
        raise UsageError("--question is about one draft, and --jsonl reads many", hint="leave one of the two out")


def refuse_files(file: str | None, sources: list[Path] | None) -> None:
    """Raise UsageError for files beside lines that hold drafts and their passages."""
    if file is not None or sources:
        hint = "give the draft and its passages in each line, or leave out --jsonl"
        raise UsageError("--jsonl reads drafts and sources from standard input alone", hint=hint)


def show_assessed(made: DraftReport, terminal: Terminal) -> None:
    """Tell how a draft was assessed, what could not be done, and where its record is."""
    from assay.cli.evidence_view import assessed, weakness
    from assay.types import plain

    answer = made.answer
    assessment = plain(answer.assessment)
    for line in weakness({"assessment": assessment}):
        terminal.note(line.plain)
    for told in assessed(assessment, bool(answer.question)):
        terminal.note(told)
    for warning in answer.warnings:
        terminal.warn(f"warning: {one_line(warning)}")
    if made.recorded:
        terminal.note(f"run {answer.run_id}: assay show last, assay report last")


def _asks_a_model(given: Given) -> bool:
    """Whether a model is set that tests claims: any other one is not opened."""
    from assay.settings import load_settings

    return load_settings(given).settings.verifier_model is not None


async def _judged(line: Request, engine: Engine) -> dict[str, Any]:
    from assay.cli import shapes

    text, options = line.text("query", "question"), line.options()
    return shapes.judged(await engine.ajudge(text, line.hits(), line.history(), options=options))


async def _reviewed(line: Request, engine: Engine) -> dict[str, Any]:
    """A line's `claim` is one claim; its `answer` is split into claims."""
    from assay.cli import shapes

    text = line.text("claim", "answer")
    return shapes.reviewed(await engine.acheck(text, line.passages(), one_claim="claim" in line.fields))


def found_for(text: str, engine: Engine) -> tuple[Passage, ...]:
    """What the collection holds on each sentence of the text."""
    from assay.nlp.sentences import sentences
    from assay.types import Evidence

    evidence = Evidence()
    for span in sentences(text):
        evidence = evidence.merge(engine.search(text[span.start : span.end][:LONGEST_QUERY]))
    return evidence.passages


def draft_and_sources(
    verb: str, file: str | None, sources: list[Path], terminal: Terminal
) -> tuple[str, tuple[Passage, ...]]:
    """The text that a verb is given and the files to hold it to; raises UsageError where it is empty."""
    from assay.cli.pipes import given_passage

    hint = f"assay {verb} answer.txt --context source.txt"
    if file is None:
        raise UsageError(f"there is nothing to {verb}", hint=f"{hint}; with - for standard input")
    text = file if _is_text(file) or not file.strip() else _read(file, terminal, _HOW_TO_GIVE)
    if not text.strip():
        raise UsageError(f"the text to {verb} is empty", hint=hint)
    given = ((path, _read(str(path), terminal, _HOW_TO_GIVE_A_SOURCE)) for path in sources)
    return text, tuple(given_passage(str(path), told, path.stem) for path, told in given)


def _is_text(given: str) -> bool:
    """Whether an argument is a text itself: several words that name no file and do not end like a file's name.

    >>> _is_text("Water boils at 99.5 degrees."), _is_text("answer.txt"), _is_text("my answer.txt")
    (True, False, False)
    """
    return bool(_SEVERAL_WORDS.search(given) and not _FILE_ENDING.search(given)) and not os.path.lexists(given)


def _read(path: str, terminal: Terminal, hint: str) -> str:
    """The text of a file, or of standard input."""
    try:
        data = terminal.input.read() if path == "-" else Path(path).read_bytes()
        return data.decode()
    except FileNotFoundError as error:
        raise UsageError(f"{one_line(path, _SHOWN)} cannot be read: there is no such file", hint=hint) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{one_line(path, _SHOWN)} cannot be read: {why}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint="save it as plain text in UTF-8") from error
