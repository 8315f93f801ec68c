"""Check the input of a caller before a run begins: a question, a dialogue, a text to test, passages, options."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields

from assay.errors import UsageError
from assay.types import AskOptions, Hit, Message, Passage

# Chosen: longer than any question, too short to block a thread for long.
LONGEST_QUESTION = 20_000
_PASSAGES = "give a list of assay.Passage, as engine.search(...).passages is"


def refuse_other_types(text: object, history: Sequence[object]) -> None:
    """Raise UsageError if a question is no text or a dialogue no messages."""
    if not isinstance(text, str):
        raise UsageError(f"a question is text, not {type(text).__name__}", hint="ask with a str")
    wrong = next((message for message in history if not isinstance(message, Message)), None)
    if wrong is not None:
        raise UsageError(
            f"a dialogue is made of Message, not of {type(wrong).__name__}",
            hint='give e.g. Message("user", "What is it?")',
        )


def require_text(text: object) -> str:
    """The text to test; raises UsageError if it is no text."""
    if not isinstance(text, str):
        raise UsageError(f"the text to test is {type(text).__name__}, not text", hint="give the text of an answer")
    return text


def require_hits(passages: object) -> tuple[Hit, ...]:
    """The caller's passages in their order, hits with their scores; raises UsageError for anything else."""
    if isinstance(passages, str) or not isinstance(passages, Sequence):
        raise UsageError(f"the sources are {type(passages).__name__}, not passages", hint=_PASSAGES)
    return tuple(passage if isinstance(passage, Hit) else Hit(_passage(passage), 0.0) for passage in passages)


def refuse_same_ids(hits: Sequence[Hit]) -> None:
    """Raise UsageError if two passages have the same id: a citation could mean either."""
    counts = Counter(hit.passage.passage_id for hit in hits)
    twice = next((passage_id for passage_id, count in counts.items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"two passages have the id {twice!r}", hint="give each passage its own id")


def _passage(value: object) -> Passage:
    if not isinstance(value, Passage):
        raise UsageError(f"a source is {type(value).__name__}, not a passage", hint=_PASSAGES)
    return value


def refuse_no_question(text: str) -> None:
    """Raise UsageError for anything but a question: another type, white space, or too long a text."""
    refuse_other_types(text, ())
    if not text.strip():
        raise UsageError("the question is empty", hint="ask something, e.g. assay ask 'What is …?'")
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are read",
            hint="ask a shorter question; long material belongs in a document: assay add FILE",
        )


# The options of one question: which of them bear on what is searched, on what is judged, and on an answer.


OF_SEARCH = frozenset({"where", "k", "mode"})
_LIMITS = frozenset({"deadline", "max_calls", "max_tokens", "max_cost"})
OF_JUDGE = _LIMITS | {"profile", "importance", "kind", "history_messages", "model"}
OF_GATHER = OF_SEARCH | OF_JUDGE | {"rounds", "ask_back"}
OF_ANSWER = frozenset(field.name for field in fields(AskOptions))
_NUMBERS = _LIMITS | {"detail", "history_messages", "k", "rounds", "repairs"}


def read_options(body: object) -> AskOptions:
    """The options of a JSON object. Raises UsageError for a name that is no option.

    >>> read_options({"k": 5}).k
    5
    """
    if not isinstance(body, Mapping):
        raise UsageError(f"options are {type(body).__name__}, not an object", hint='e.g. {"profile": "fast"}')
    wrong = next((name for name in body if name not in OF_ANSWER), None)
    if wrong is not None:
        close = difflib.get_close_matches(str(wrong), OF_ANSWER, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the options are {', '.join(sorted(OF_ANSWER))}"
        raise UsageError(f"there is no option {wrong!r}", hint=hint)
    return AskOptions(**body)


def refuse_options(options: AskOptions, known: frozenset[str], cause: str) -> None:
    """Raise UsageError with the `cause` if an option that is set is not `known` and so would have no effect.

    >>> refuse_options(AskOptions(detail=3), OF_SEARCH, "a search writes nothing")
    Traceback (most recent call last):
    ...
    assay.errors.UsageError: the option detail has no effect here: a search writes nothing
    """
    wrong = [name for name in options.values if name not in known]
    if wrong:
        verb = "have" if len(wrong) > 1 else "has"
        raise UsageError(
            f"the option{'s' * (len(wrong) > 1)} {', '.join(wrong)} {verb} no effect here: {cause}",
            hint=f"leave it out; what has an effect is {', '.join(sorted(known))}",
        )


def refuse_no_options(options: object) -> None:
    """Raise UsageError for anything but AskOptions, and for text instead of a number."""
    if not isinstance(options, AskOptions):
        raise UsageError(f"options are {type(options).__name__}", hint='give AskOptions(profile="fast")')
    for name in sorted(_NUMBERS & options.values.keys()):
        value = options.values[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"the option {name} is {type(value).__name__}, not a number", hint="give a number")
