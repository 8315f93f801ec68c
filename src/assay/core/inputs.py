"""Check what a caller gave, before a run begins: a question, a dialogue, a text to test, its passages."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import UsageError
from assay.types import Message, Passage

# Far beyond any question, far below what would hold a thread for long.
LONGEST_QUESTION = 20_000
_PASSAGES = "give a list of assay.Passage, as engine.search(...).passages is"


def refuse_other_types(text: object, history: Sequence[object]) -> None:
    """Raise UsageError where a question is no text or a dialogue no messages."""
    if not isinstance(text, str):
        raise UsageError(f"a question is text, not {type(text).__name__}", hint="ask with a str")
    wrong = next((each for each in history if not isinstance(each, Message)), None)
    if wrong is not None:
        raise UsageError(
            f"a dialogue is made of Message, not of {type(wrong).__name__}",
            hint='give e.g. Message("user", "What is it?")',
        )


def only_text(text: object) -> str:
    """The text to test; raises UsageError where it is none."""
    if not isinstance(text, str):
        raise UsageError(f"what to test is {type(text).__name__}, not text", hint="give the text of an answer")
    return text


def only_passages(passages: object) -> tuple[Passage, ...]:
    """The passages to test by; raises UsageError where they are anything else."""
    if isinstance(passages, str) or not isinstance(passages, Sequence):
        raise UsageError(f"the sources are {type(passages).__name__}, not passages", hint=_PASSAGES)
    wrong = next((each for each in passages if not isinstance(each, Passage)), None)
    if wrong is not None:
        raise UsageError(f"a source is {type(wrong).__name__}, not a passage", hint=_PASSAGES)
    return tuple(passages)


def refuse_no_question(text: str) -> None:
    """Raise UsageError for what is no question: no text, nothing but white space, or endless text."""
    refuse_other_types(text, ())
    if not text.strip():
        raise UsageError("the question is empty", hint="ask something, e.g. assay ask 'What is …?'")
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are read",
            hint="ask a shorter question; long material belongs into a document: assay add FILE",
        )
