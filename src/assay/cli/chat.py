"""chat: a dialogue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import FOR_ANSWERS, Given, takes
from assay.cli.terminal import Terminal
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.types import Answer, Message

PROMPT = "> "
END = "/quit"

AsObjects = Annotated[bool, typer.Option("--json", help="Print one JSON object per question.")]


@takes(*FOR_ANSWERS)
def chat(
    terminal: Terminal,
    *,
    given: Given,
    as_json: AsObjects = False,
) -> None:
    """Ask one question after another.

    A question may refer to the dialogue so far. /quit or Ctrl-D ends the chat; Ctrl-C stops only the current
    answer. Source numbers belong to one answer; the ids after them stay the same.

    \b
    assay chat
    assay chat < questions.txt
    """
    from assay.wiring import open_engine

    with open_engine(create=False, **given) as engine:
        if terminal.input.isatty():
            terminal.note(f"{END} or Ctrl-D ends the chat, Ctrl-C stops an answer")
        dialogue: tuple[Message, ...] = ()
        while (text := _next(terminal)) not in (None, END):
            if text:
                dialogue += _turn(text, dialogue, engine, given, as_json, terminal)


def _next(terminal: Terminal) -> str | None:
    """The next question; at a prompt, Ctrl-C starts a new line."""
    while True:
        try:
            text = terminal.question(PROMPT)
            if text is None and terminal.input.isatty():
                terminal.note("")  # the shell's prompt starts on a new line
            return None if text is None else text.strip()
        except KeyboardInterrupt:
            if not terminal.input.isatty():
                raise
            terminal.note("")


def _turn(
    text: str, dialogue: tuple[Message, ...], engine: Engine, given: Given, as_json: bool, terminal: Terminal
) -> tuple[Message, ...]:
    """Ask and print; return the messages for the dialogue, none if there was no answer."""
    from assay.cli.run_view import Progress
    from assay.types import Message

    try:
        terminal.detail("asking")
        answer = engine.ask(text, dialogue, Progress(terminal))
    except KeyboardInterrupt:
        terminal.note("stopped; you can ask the next question")
        return ()
    except AssayError as error:
        if as_json:
            terminal.object({"question": text, "error": str(error), "hint": error.hint})
        else:
            terminal.error(error)
        return ()
    _show(answer, given, as_json, terminal)
    return Message("user", text), Message("assistant", _without_numbers(answer))


def _show(answer: Answer, given: Given, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import tell

    tell(answer, given, as_json, terminal, with_ids=True)
    if not as_json:
        terminal.line("")


def _without_numbers(answer: Answer) -> str:
    """The answer's text without citation marks, whose numbers mean other sources in the next answer."""
    from assay.nlp.citations import without_marks

    return re.sub(r"(?<=\S) {2,}", " ", without_marks(answer.text, answer.citations)).strip()


VERBS = (chat,)
