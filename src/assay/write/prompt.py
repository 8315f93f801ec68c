"""The writer's prompt: rules that never change, then evidence, then the dialogue, then the question.

Titles, passages, messages and findings are data from elsewhere, so they stand between fences. The beginning is the
same for every question, for the providers that keep the beginning of prompts in a cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.errors import PromptTooLong
from assay.prompting.fences import FenceSource, absent_from, fenced
from assay.prompting.history import history_block, important
from assay.prompting.packing import Packed, pack, sources_line, texts_of
from assay.prompting.tokens import REPLY_SHARE, Count, estimated_tokens
from assay.types import Evidence, Finding, Message, ModelRequest, Passage, PromptMessage, Question
from assay.write.instructions import (
    CITE,
    CITE_EACH_SENTENCE,
    EACH_READING,
    MEND,
    OWN_BEGINS,
    OWN_ENDS,
    RULES,
    TEMPERATURES,
    instructions_for,
    reply_tokens,
)
from assay.write.readings import told_readings

# The dialogue gets at most this share of the context window: evidence is what answers.
_HISTORY_SHARE = 8
# Role marks and line ends that the provider adds to each message.
_AROUND = 32
# The first hits are the likeliest sources; from this many sources on it helps to name them.
_SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class Style:
    """How a writer writes, apart from what the question asks for.

    `context_tokens` is the model's context window, `history_messages` how many messages of the dialogue it is shown
    at most. `instructions` are what the output rules ask for besides, for a question, and `system_prompt` is what
    the user does, "" for nothing. `max_tokens` and `temperature` None go by the question's detail and kind.
    `thinking_tokens` are kept free in the window for a model that thinks first.
    """

    context_tokens: int = 8192
    history_messages: int = 2
    instructions: Callable[[Question], tuple[str, ...]] = field(default=lambda _question: ())
    max_tokens: int | None = None
    temperature: float | None = None
    system_prompt: str = ""
    thinking_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Extra:
    """What a second try adds: findings on an earlier draft, a reminder to cite, a smaller room for evidence."""

    advice: tuple[Finding, ...] = ()
    cite_more: bool = False
    evidence_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request, the passages it shows under their numbers, and the code of its fences."""

    request: ModelRequest
    packed: Packed
    code: str


def writer_prompt(
    question: Question,
    evidence: Evidence,
    style: Style,
    fence: FenceSource,
    extra: Extra = Extra(),
    count: Count = estimated_tokens,
) -> Prompt:
    """The request for an answer; evidence gets the room that the rest and the reply leave in the context window.

    Raises PromptTooLong where no passage fits.
    """
    code = absent_from((*_data(question, evidence, extra), style.system_prompt), fence)
    reply = min(style.max_tokens or reply_tokens(question.detail), style.context_tokens // REPLY_SHARE)
    turns = important(question, style.history_messages, style.context_tokens // _HISTORY_SHARE, count)
    rules = "\n".join((RULES, *(f"- {each}" for each in style.instructions(question)), *_own(style)))
    everything = _listed(evidence.passages, code) + _disagreeing(evidence, evidence.passages, code)
    longest = everything + _after(question, turns, extra, code, len(evidence.hits))
    rest = count(rules) + count(longest) + _AROUND
    room = style.context_tokens - reply - style.thinking_tokens - rest
    packed = pack(
        evidence, room if extra.evidence_tokens is None else min(room, extra.evidence_tokens), code, count
    )
    if not packed.passages and evidence.hits:
        raise PromptTooLong(
            f"of the context window of {style.context_tokens} tokens {max(room, 0)} are left for evidence, "
            "and no passage fits",
            hint="set --context-tokens to the model's context window, or choose a model with a larger one",
        )
    after = _after(question, turns, extra, code, len(packed.passages))
    disagreeing = _disagreeing(evidence, packed.passages, code)
    parts = (_listed(packed.passages, code), packed.text, disagreeing, after)
    shown = "\n\n".join(part for part in parts if part)
    messages = (PromptMessage("system", rules), PromptMessage("user", shown))
    asked = ModelRequest("writer", messages, max_tokens=reply, temperature=TEMPERATURES[question.kind])
    if style.temperature is not None:
        asked = replace(asked, temperature=style.temperature, temperature_set=True)
    return Prompt(asked, packed, code)


def _own(style: Style) -> tuple[str, ...]:
    """The user's own instructions, between the rules and a word that the rules hold; nothing without them."""
    return (OWN_BEGINS, style.system_prompt.strip(), OWN_ENDS) if style.system_prompt else ()


def _data(question: Question, evidence: Evidence, extra: Extra) -> tuple[str, ...]:
    """Every text that the prompt shows between fences."""
    findings = (text for each in extra.advice for text in (each.message, each.advice))
    return (*texts_of(evidence), *(each.text for each in question.history), *findings)


def _listed(passages: tuple[Passage, ...], code: str) -> str:
    """The sources by name, up front; nothing for a single one, whose name stands over its text."""
    if len(passages) < 2:
        return ""
    return fenced("sources", code, "\n".join(sources_line(n, each) for n, each in enumerate(passages, 1)))


def _disagreeing(evidence: Evidence, passages: tuple[Passage, ...], code: str) -> str:
    """Where the passages shown disagree on what is asked, their readings, and to give each of them."""
    readings = told_readings(evidence, passages)
    return f"{fenced('readings', code, readings)}\n\n{EACH_READING}" if readings else ""


def _after(question: Question, turns: tuple[Message, ...], extra: Extra, code: str, shown: int) -> str:
    """What stands behind `shown` passages: the dialogue, findings, what this question asks for, the question."""
    findings = "\n".join(f"- {each.message}: {each.advice}" for each in extra.advice)
    told = (
        *instructions_for(question),
        # Evidence is in order of likelihood.
        *((f"Look first at {''.join(f'[{n}]' for n in range(1, _SUGGESTED + 1))}.",) if shown > _SUGGESTED else ()),
        *((MEND,) if findings else ()),
        CITE_EACH_SENTENCE if extra.cite_more else CITE,
    )
    meaning = f"\nIn full: {question.standalone}" if question.standalone != question.text else ""
    parts = (
        history_block(turns, code),
        fenced("findings", code, findings) if findings else "",
        " ".join(told),
        f"Question: {question.text}{meaning}",
    )
    return "\n\n".join(part for part in parts if part)
