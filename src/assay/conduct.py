"""One run, from its question to its one end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from assay import loop
from assay.deadline import Deadline
from assay.errors import AssayError, UsageError
from assay.result import Ask
from assay.run import Run, RunEvents
from assay.stages import Emit, Sink, Stages
from assay.types import Answer, Done, Failed, Message, Passage

# Far beyond any question, far below what would hold a thread for long.
LONGEST_QUESTION = 20_000
_PASSAGES = "give a list of assay.Passage, as engine.search(...).passages is"


async def conduct(
    text: str, history: tuple[Message, ...], run: Run, on: Stages, emit: Emit, sinks: Sequence[Sink] = ()
) -> Answer:
    """Answer one question within its deadline; every event goes to `emit` and to each sink.

    The last event is Done, or Failed where this raises: UsageError, DeadlinePassed or BudgetSpent before there is
    an answer, or what the store or a provider raises.
    """
    events = RunEvents(run, text, emit, sinks)
    started = run.clock.monotonic()
    with one_end(events):
        refuse_no_question(text)
        ask = Ask(text, history, run.id, run.profile, run.profile_reason, run.streamed)
        in_time = replace(on, in_time=Deadline(run.limits.seconds, run.tape).within)
        answer = await loop.answer(ask, in_time, run.limits, events.emit)
    answer = replace(
        answer,
        ms=1000 * (run.clock.monotonic() - started),
        first_verified_ms=None if events.first_verified is None else 1000 * (events.first_verified - started),
        warnings=answer.warnings + events.warnings,
    )
    events.emit(Done(answer=answer))
    return replace(answer, trace=tuple(events.past), warnings=answer.warnings + events.warnings_since(answer))


@contextmanager
def one_end(events: RunEvents) -> Iterator[None]:
    """Where what happens within raises, the run ends with it, by Failed; else its end is still to come."""
    try:
        yield
    except AssayError as error:
        events.emit(Failed(error=type(error).__name__, message=str(error), hint=error.hint))
        raise
    except (Exception, asyncio.CancelledError) as error:  # a bug, or nobody waits any more: a run has one end
        events.emit(Failed(error=type(error).__name__, message=str(error), hint="ask again"))
        raise


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
