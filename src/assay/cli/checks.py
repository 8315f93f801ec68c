"""judge, check, fix: for people who retrieve or write with something else."""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import exits, flags
from assay.cli.answer_view import describe_repair
from assay.cli.flags import (
    FOR_CHECKING,
    FOR_FIXING,
    FOR_JUDGING,
    FOR_SEARCH,
    AsJson,
    AsJsonLines,
    AtOnce,
    Given,
    takes,
)
from assay.cli.questions import Text, read_question
from assay.cli.terminal import Terminal, first_of_each, one_line, reason_of
from assay.errors import UsageError
from assay.nlp.controls import visible

if TYPE_CHECKING:
    from assay.cli.pipes import Request
    from assay.core.draft import DraftReport
    from assay.engine import Engine
    from assay.types import Fixed, Judgement, Passage

_SEVERAL_WORDS = re.compile(r"\S\s+\S")
# A file's ending: a dot, a letter and at most four more characters.
_FILE_ENDING = re.compile(r"\.[A-Za-z]\w{0,4}$")
_HINT_FOR_TEXT = "name an existing file, give a text of several words in quotes, or - for standard input"
_HINT_FOR_SOURCE = "name a file; to check against a folder, `assay add` it and leave the option out"
# Characters of an argument that a message shows.
_SHOWN = 120

DraftQuestion = Annotated[
    str | None,
    typer.Option("--question", metavar="QUESTION", help="The question that the draft answers; used to assess it."),
]
AnswerFile = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="The text to check, or a file with it; - is standard input.")
]
Context = Annotated[
    list[Path] | None,
    typer.Option("--context", "--sources", metavar="FILE", help="A file to check against; repeatable."),
]
# Lines of a diff that people are shown. Chosen.
MOST_CHANGED = 500
_OPEN = ("failed", "unknown")

DraftFile = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="The draft, or a file with it; - is standard input.")
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--sources", "--context", metavar="FILE", help="A file to check against; repeatable, the first is [1]."
    ),
]


@takes(*FOR_SEARCH, *FOR_JUDGING)
def judge(
    terminal: Terminal,
    question: Text = None,
    *,
    given: Given,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
) -> None:
    """Judge whether the evidence is sufficient, and what is missing.

    The evidence comes from the collection or, with --jsonl, from passages of your own.

    \b
    assay judge "How long is the notice period?"
    assay judge --jsonl < lines.jsonl           {"id", "query", "passages", "history"?, "options"?} a line
    """
    from assay.cli import objects
    from assay.cli.pipes import run_pipe
    from assay.wiring import open_checker, open_engine

    text = read_question(question, as_json, as_json_lines, terminal)
    if text is None:
        run_pipe(open_checker(**given), _judgement_object, terminal, flags.at_once(at_once, given))
        return
    with open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        judgement = engine.judge(text)
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **objects.judgement_object(judgement), "ms": ms})
    else:
        from assay.cli.evidence_view import show_judgement

        show_judgement(judgement, terminal)
        _suggest_outside(judgement, given, terminal)
    raise typer.Exit(exits.of_judgement(judgement))


@takes(*FOR_CHECKING)
def check(
    terminal: Terminal,
    file: AnswerFile = None,
    *,
    given: Given,
    context: Context = None,
    question: DraftQuestion = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
) -> None:
    """Check the claims of any text against sources.

    TEXT is the text itself if it has several words, names no existing file and does not end like a file name
    (.txt); anything else must be a file. The sources are the files given with --context, or else the collection.
    With --verifier-model, a model decides what the tests cannot settle. The text is assessed as a whole and
    recorded as a run.

    \b
    assay check "The notice period is four weeks." --context contract.txt
    assay check answer.txt -c manual
    assay check --jsonl < lines.jsonl           {"id", "claim" or "answer", "context" or "passages"} a line
    """
    from assay.cli import objects
    from assay.cli.pipes import run_pipe
    from assay.wiring import open_checker, open_engine

    flags.one_format(as_json, as_json_lines)
    asks = _has_verifier_model(given)
    if as_json_lines:
        _refuse_files(file, context)
        _refuse_question(question)
        engine = open_checker(models=asks, **given)
        run_pipe(engine, _review_object, terminal, flags.at_once(at_once, given) if asks else at_once or 1)
        return
    text, sources = _read_draft("check", file, context or [], terminal)
    opened = (
        partial(open_checker, models=asks, record=True)
        if sources
        else partial(open_engine, create=False, models=asks)
    )
    with opened(**given) as engine:
        started = time.perf_counter()
        made = engine.examine(text, sources or engine.evidence_on(text).passages, question=question or "")
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object(
            {"id": None, **objects.review_object(made.review), **objects.run_object(made.answer), "ms": ms}
        )
    else:
        from assay.cli.evidence_view import show_review

        show_review(made.review, terminal)
        _show_assessment(made, terminal)
    raise typer.Exit(exits.of_review(made.review))


@takes(*FOR_FIXING)
def fix(
    terminal: Terminal,
    file: DraftFile = None,
    *,
    given: Given,
    sources: Sources = None,
    question: DraftQuestion = None,
    as_json: AsJson = False,
    as_json_lines: AsJsonLines = False,
    at_once: AtOnce = None,
) -> None:
    """Fix what is wrong in a draft, and show what was changed.

    A sentence that cannot be repaired is marked, or removed with --unsupported drop. The draft is printed to
    standard output and the changes to standard error; it is assessed as a whole and recorded as a run. TEXT is the
    draft or a file, as in `assay check`. The sources are the files given with --sources, or else the collection.

    \b
    assay fix draft.md --sources source.txt > fixed.md
    assay fix draft.md -c manual
    assay fix --jsonl < lines.jsonl             {"id", "answer", "passages"} a line
    """
    from assay.cli import objects
    from assay.cli.pipes import run_pipe
    from assay.core.fix import is_emptied
    from assay.wiring import open_checker, open_engine

    flags.one_format(as_json, as_json_lines)
    drop = _drops_by_setting(given)
    if as_json_lines:
        _refuse_files(file, sources)
        _refuse_question(question)
        run_pipe(open_checker(**given), partial(_fix_object, drop=drop), terminal, flags.at_once(at_once, given))
        return
    text, passages = _read_draft("fix", file, sources or [], terminal)
    with open_checker(record=True, **given) if passages else open_engine(create=False, **given) as engine:
        started = time.perf_counter()
        asked, found = question or "", passages or engine.evidence_on(text).passages
        made = engine.examine(text, found, question=asked, mend=True, drop=drop)
    fixed = made.fixed
    assert fixed is not None  # noqa: S101 - it was to be repaired
    if as_json:
        ms = round(1000 * (time.perf_counter() - started), 3)
        terminal.object({"id": None, **objects.fix_object(fixed), **objects.run_object(made.answer), "ms": ms})
    else:
        _show_fixed(fixed, terminal)
        _show_assessment(made, terminal)
        for line in _open_check_lines(fixed):
            terminal.note(line)
        terminal.note(_counted(fixed))
    raise typer.Exit(exits.Exit.NOT_VERIFIED if is_emptied(fixed) else exits.of_review(fixed.review))


def _suggest_outside(judgement: Judgement, given: Given, terminal: Terminal) -> None:
    """Suggest outside sources if the documents do not answer and none are set."""
    from assay.settings import load_settings

    if judgement.recommendation == "ABSTAIN" and not load_settings(given).settings.outside:
        terminal.note(
            "hint: `assay ask --outside wikipedia` also searches outside; ASSAY_OUTSIDE makes it permanent"
        )


def _refuse_question(question: str | None) -> None:
    """Raise UsageError for a question with --jsonl."""
    if question is not None:
        raise UsageError("--question is for one draft, and --jsonl reads many", hint="leave out one of them")


def _refuse_files(file: str | None, sources: list[Path] | None) -> None:
    """Raise UsageError for files with --jsonl."""
    if file is not None or sources:
        hint = "give the draft and its passages in each line, or leave out --jsonl"
        raise UsageError("--jsonl reads drafts and sources from standard input only", hint=hint)


def _show_assessment(made: DraftReport, terminal: Terminal) -> None:
    """Print a draft's assessment, warnings, and run id."""
    from assay.cli.evidence_view import assessment_lines, weakness_lines
    from assay.types import plain

    answer = made.answer
    assessment = plain(answer.assessment)
    for line in weakness_lines({"assessment": assessment}):
        terminal.note(line.plain)
    for told in assessment_lines(assessment, bool(answer.question)):
        terminal.note(told)
    for warning in answer.warnings:
        terminal.warn(f"warning: {one_line(warning)}")
    if made.recorded:
        terminal.note(f"run {answer.run_id}: assay show last, assay report last")


def _has_verifier_model(given: Given) -> bool:
    """True if a verifier model is set; no other model is opened."""
    from assay.settings import load_settings

    return load_settings(given).settings.verifier_model is not None


async def _judgement_object(line: Request, engine: Engine) -> dict[str, Any]:
    from assay.cli import objects

    text, options = line.text("query", "question"), line.options()
    return objects.judgement_object(await engine.ajudge(text, line.hits(), line.history(), options=options))


async def _review_object(line: Request, engine: Engine) -> dict[str, Any]:
    """Check a line: its `claim` is one claim, its `answer` is split into claims."""
    from assay.cli import objects

    text = line.text("claim", "answer")
    return objects.review_object(await engine.acheck(text, line.passages(), one_claim="claim" in line.fields))


def _read_draft(
    verb: str, file: str | None, sources: list[Path], terminal: Terminal
) -> tuple[str, tuple[Passage, ...]]:
    """The text to check or fix and its sources. Raises UsageError for an empty text."""
    from assay.cli.pipes import given_passage

    hint = f"assay {verb} answer.txt {'--sources' if verb == 'fix' else '--context'} source.txt"
    if file is None:
        raise UsageError(f"there is nothing to {verb}", hint=f"{hint}; with - for standard input")
    text = file if _is_text(file) or not file.strip() else _read(file, terminal, _HINT_FOR_TEXT)
    if not text.strip():
        raise UsageError(f"the text to {verb} is empty", hint=hint)
    given = ((path, _read_source(path, terminal)) for path in sources)
    return text, tuple(given_passage(str(path), told, path.stem) for path, told in given)


def _is_text(given: str) -> bool:
    """True if an argument is text: several words that name no file and do not end like a file name.

    >>> _is_text("Water boils at 99.5 degrees."), _is_text("answer.txt"), _is_text("my answer.txt")
    (True, False, False)
    """
    return bool(_SEVERAL_WORDS.search(given) and not _FILE_ENDING.search(given)) and not os.path.lexists(given)


def _read_source(path: Path, terminal: Terminal) -> str:
    """The text of a source: plain text as it is, any other format as `assay add` reads it."""
    from assay.ingest.detect import is_plain
    from assay.ingest.sandbox import Sandbox

    data = _bytes(str(path), terminal, _HINT_FOR_SOURCE)
    if not data or is_plain(data, path.name):
        return _decoded(str(path), data)
    sandbox = Sandbox()
    try:
        return sandbox.load(data, str(path)).text
    finally:
        sandbox.close()


def _read(path: str, terminal: Terminal, hint: str) -> str:
    """The text of a file, or of standard input."""
    return _decoded(path, _bytes(path, terminal, hint))


def _bytes(path: str, terminal: Terminal, hint: str) -> bytes:
    try:
        return terminal.input.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{one_line(path, _SHOWN)} cannot be read: {reason_of(error)}", hint=hint) from error


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint="save it as plain text in UTF-8") from error


def _drops_by_setting(given: Given) -> bool:
    """True if the user chose to drop what cannot be repaired; by default it is marked."""
    from assay.settings import load_settings

    resolved = load_settings(given)
    return resolved.origins["unsupported"] != "default" and resolved.settings.unsupported == "drop"


async def _fix_object(line: Request, engine: Engine, drop: bool) -> dict[str, Any]:
    from assay.cli import objects

    return objects.fix_object(await engine.afix(line.text("answer"), line.passages(), drop=drop))


def _show_fixed(fixed: Fixed, terminal: Terminal) -> None:
    """Print the fixed draft, then the changes with their reasons."""
    text = fixed.text.removesuffix("\n")
    terminal.line(visible(text) if terminal.out.isatty() else text)
    changed = list(changed_lines(fixed.before, fixed.text))
    repairs = first_of_each(fixed.repairs, lambda made: made.kind.value)
    for line in changed[:MOST_CHANGED]:
        terminal.note(line)
    if len(changed) > MOST_CHANGED:
        terminal.note(f"… and {len(changed) - MOST_CHANGED:,} more changed lines")
    for made in repairs.first:
        terminal.note(f"{describe_repair(made.kind.value)}: {one_line(made.reason)}")
    for line in repairs.left_out():
        terminal.note(line)


def _counted(fixed: Fixed) -> str:
    count = len(fixed.repairs)
    return f"{count} change{'' if count == 1 else 's'} · {fixed.verdict.value}"


def _open_check_lines(fixed: Fixed) -> Iterator[str]:
    """Lines for broken output rules, and the number of unknown claims without a mark."""
    from assay.cli.answer_view import first_check_lines
    from assay.nlp.citations import HEDGE_MARK
    from assay.types import plain

    rules = [check for check in fixed.review.checks if check.name.startswith("rule") and check.status in _OPEN]
    yield from (str(line) for line in first_check_lines(plain(rules)))
    starts = [*(claim.start for claim in fixed.review.claims[1:]), len(fixed.text)]
    count = sum(
        claim.verdict.value == "unknown" and HEDGE_MARK not in fixed.text[claim.start : end]
        for claim, end in zip(fixed.review.claims, starts, strict=False)
    )
    if count:
        claims = "1 claim is" if count == 1 else f"{count:,} claims are"
        yield f"{claims} unknown and not marked; `assay check` shows which"


def changed_lines(before: str, after: str) -> Iterator[str]:
    """The lines that changed, as a unified diff.

    >>> list(changed_lines("It rained.\\n", "It snowed.\\n"))
    ['--- draft', '+++ fixed', '@@ -1 +1 @@', '-It rained.', '+It snowed.']
    """
    return difflib.unified_diff(before.splitlines(), after.splitlines(), "draft", "fixed", lineterm="")


VERBS = (judge, check, fix)
