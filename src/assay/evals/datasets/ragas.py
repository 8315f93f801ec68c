"""Data sets of ragas: its evaluation sets, in the names of its versions 0.1 and 0.2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.evals.cases import Case, WantedQuote
from assay.evals.datasets.dataset import distinct, line_error
from assay.evals.datasets.foreign import Place, as_passages, id_of, read_objects, text_of, texts_of
from assay.types import Message

QUESTION = ("user_input", "question")
_ANSWER = ("reference", "ground_truth")
_ANSWERS = ("ground_truths",)
# What a complete search would find, and what some system did find.
_GOLD = ("reference_contexts",)
_RETRIEVED = ("retrieved_contexts", "contexts")


def read_ragas(path: Path, *, retrieved: bool = True) -> tuple[Case, ...]:
    """The cases of a file: JSON lines or a JSON list of samples.

    `reference_contexts` are what should be cited. `retrieved_contexts`, once `contexts`, are the passages to answer
    from, unless `retrieved` is False. The `response` is another system's and is ignored. A sample of several turns
    is a question with the dialogue before it. Raises UsageError with the place of a malformed sample.
    """

    def cases() -> Iterator[tuple[Place, Case]]:
        for number, (place, body) in enumerate(read_objects(path), 1):
            yield place, _case(path, place, body, number, retrieved)

    return distinct(path, cases())


def _case(path: Path, place: Place, body: Mapping[str, Any], number: int, retrieved: bool) -> Case:
    turns = body.get("user_input")
    if isinstance(turns, list):
        question, history = _dialogue(path, place, turns)
    else:
        question, history = text_of(path, place, body, QUESTION), ()
    if not question:
        raise line_error(path, place, "it has no user_input and no question")
    answer = text_of(path, place, body, _ANSWER)
    kind = text_of(path, place, body, ("synthesizer_name",))
    return Case(
        id=id_of(body, number),
        question=question,
        history=history,
        answers=(answer,) if answer else texts_of(path, place, body, _ANSWERS),
        quotes=tuple(WantedQuote("", text) for text in texts_of(path, place, body, _GOLD)),
        passages=as_passages(texts_of(path, place, body, _RETRIEVED)) if retrieved else (),
        slices={"kind": kind} if kind else {},
        synthetic=bool(kind),
    )


def _dialogue(path: Path, place: Place, turns: list[Any]) -> tuple[str, tuple[Message, ...]]:
    """The last message of a person, and the messages before it."""
    messages = []
    for turn in turns:
        kind, text = (turn.get("type"), turn.get("content")) if isinstance(turn, dict) else (None, None)
        if not isinstance(text, str):
            raise line_error(path, place, "'user_input' is not a list of messages with a content")
        if kind in ("human", "ai"):
            messages.append(Message("user" if kind == "human" else "assistant", text))
    last = max((n for n, message in enumerate(messages) if message.role == "user"), default=-1)
    return (messages[last].text, tuple(messages[:last])) if last >= 0 else ("", ())
