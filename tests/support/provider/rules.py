"""The provider's usual answers: short, valid, and made of what the prompt holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Literal

from assay.nlp.sentences import sentences as sentence_spans
from assay.nlp.tokens import terms
from assay.types import Finish, PromptMessage

# What the provider is asked, what it says, and what it remembers of its clients.


Wire = Literal["openai", "gemini", "anthropic"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a reply, whatever the wire format that carried it.

    `schema` is the JSON schema that the reply shall fit, None for prose; `stream` whether it shall come in pieces.
    """

    wire: Wire
    model: str
    messages: tuple[PromptMessage, ...]
    schema: Mapping[str, Any] | None = None
    stream: bool = False
    max_tokens: int | None = None

    @property
    def prompt(self) -> str:
        """The texts of all messages, one after another."""
        return "\n".join(message.text for message in self.messages)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a reply cost; `cached` is the part of `prompt` that was cached."""

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the provider says.

    `usage` is None where it does not tell. `wait` is how many seconds pass before the first byte, `pace` how
    many before each piece of a stream; both are multiplied by the provider's time scale. `tools` are calls of
    tools, by name, that come in place of text.
    """

    text: str
    finish: Finish = "stop"
    usage: Tokens | None = None
    wait: float = 0.0
    pace: float = 0.0
    tools: tuple[str, ...] = ()


# A string is a whole reply, whose words are counted as its tokens.
AnswerRule = Callable[[Asked], Reply | str]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came: `headers` by lower-case name, `body` parsed from JSON, `at` on the monotonic clock.

    `asked` is None for what asks for no reply: a list of models, vectors, a path that nothing serves.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Connections:
    """How many connections are open now, how many were at most, and how many were ever opened."""

    now: int
    peak: int
    opened: int


@dataclass(frozen=True, slots=True)
class Disconnect:
    """A client that left while it was being answered; `at` on the monotonic clock."""

    at: float
    request: Request


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a stream: `data` is JSON or a bare word, `text` the piece of the reply that it carries."""

    data: Any
    name: str | None = None
    text: str = field(default="", compare=False)


# A passage that the prompt numbers at the start of a line, perhaps behind a code: "5fa2c9d1 [3] Bridges, page 2".
_NUMBERED = re.compile(r"^(?:\S{1,32} )?\[(\d{1,4})\].*$", re.MULTILINE)
# The end of a block of data in assay's own prompts.
_BLOCK_END = re.compile(r"^</", re.MULTILINE)
_LINE_OF_PARTS = re.compile(r"^(\d+)\. ", re.MULTILINE)
# How assay tests its judge: by a question that no passage answers.
MADE_UP = "What is stated of the item with the number"
# How deep a schema may nest; one that refers to itself ends there.
_DEPTH = 12


def plain_answer(asked: Asked) -> str:
    """Two sentences of the numbered evidence, those nearest the question; or the least JSON that fits the schema.

    What assay's own judges, its rewriter of follow-up questions and its ranker of strips ask for is filled in so
    that they can use it.

    >>> from assay.types import PromptMessage
    >>> lines = ("[1] Tea", "Tea is hot. It is cheap.", "[2] Ice", "Ice is cold.", "", "How cold is ice?")
    >>> plain_answer(Asked("openai", "m", (PromptMessage("user", "\\n".join(lines)),)))
    'Tea is hot [1]. Ice is cold [2].'
    """
    if asked.schema is not None:
        return json.dumps(filled(asked.schema, asked.prompt), ensure_ascii=False)
    return _quoted(asked.prompt) or "NO ANSWER"


def filled(schema: Mapping[str, Any], prompt: str) -> Any:
    """A value that fits the schema; for what assay's own prompts ask for, the most favourable one.

    >>> filled({"properties": {"verdict": {"enum": ["no", "yes"]}, "missing": {"type": "string"}}}, "")
    {'verdict': 'yes', 'missing': ''}
    """
    value = smallest(schema)
    if not isinstance(value, dict):
        return value
    for known in (_verdict, _standalone, _ratings, _strips):
        if (favourable := known(prompt)).keys() <= value.keys():
            value |= favourable
    return value


def _verdict(prompt: str) -> dict[str, Any]:
    made_up = MADE_UP in prompt
    return {"verdict": "no" if made_up else "yes", "missing": "all of it" if made_up else ""}


def _standalone(prompt: str) -> dict[str, Any]:
    return {"standalone": _block(prompt, "question") or "?", "resolved": False}


def _ratings(prompt: str) -> dict[str, Any]:
    numbers = sorted({int(mark[1]) for mark in _NUMBERED.finditer(prompt)})
    parts = [int(part[1]) for part in _LINE_OF_PARTS.finditer(_block(prompt, "parts"))]
    if MADE_UP in prompt:
        return {
            "passages": [{"number": n, "relevance": 0.0} for n in numbers],
            "parts": [{"number": n, "state": "missing", "passages": []} for n in parts],
            "recommendation": "REFINE",
        }
    return {
        "passages": [{"number": n, "relevance": 1.0} for n in numbers],
        "parts": [{"number": n, "state": "covered", "passages": numbers[:1]} for n in parts],
    }


def _strips(prompt: str) -> dict[str, Any]:
    numbers = [int(line[1]) for line in _LINE_OF_PARTS.finditer(_block(prompt, "strips"))]
    return {"strips": numbers} if numbers else {}


def counted(asked: Asked, text: str) -> Reply:
    """The text as a whole reply; a word is a token."""
    return Reply(text, usage=Tokens(len(asked.prompt.split()), len(text.split())))


def smallest(schema: Mapping[str, Any]) -> Any:
    """The smallest value that fits a JSON schema: first choices, least numbers, empty lists.

    >>> smallest({"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}}})
    {'verdict': 'yes'}
    """
    return _smallest(schema, schema.get("$defs", {}), _DEPTH)


def _block(prompt: str, name: str) -> str:
    """What stands in the last block of data of that name, empty where there is none."""
    found = re.findall(rf"^<{name} (\S+)>\n(.*?)\n</{name} \1>$", prompt, re.MULTILINE | re.DOTALL)
    return found[-1][1] if found else ""


def _quoted(prompt: str) -> str:
    """The two sentences of the evidence that share most words with the prompt's last line, with their marks."""
    evidence, _, question = prompt.rpartition("\n")
    asked = set(terms(question))
    found: dict[str, str] = {}
    marks = list(_NUMBERED.finditer(evidence))
    for mark, following in zip_longest(marks, marks[1:]):
        end = len(evidence) if following is None else following.start()
        text = _BLOCK_END.split(evidence[mark.end() : end])[0]
        found.update({sentence: mark[1] for line in text.splitlines() for sentence in _sentences(line)})
    nearest = sorted(found, key=lambda each: len(asked.intersection(terms(each))), reverse=True)[:2]
    return " ".join(f"{each[:-1]} [{found[each]}]{each[-1]}" for each in found if each in nearest)


def _sentences(line: str) -> list[str]:
    """The whole sentences of a line."""
    found = [line[span.start : span.end].strip() for span in sentence_spans(line)]
    return [each for each in found if len(each) > 1 and each[-1] in ".!?"]


def _smallest(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> Any:
    if depth == 0:
        return None
    if "$ref" in schema:
        return _smallest(named[schema["$ref"].rpartition("/")[2]], named, depth - 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return _smallest(schema[choice][0], named, depth - 1)
    return _of_type(schema, named, depth)


def _of_type(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties: Mapping[str, Any] = schema.get("properties", {})
        return {name: _smallest(each, named, depth - 1) for name, each in properties.items()}
    if kind == "array":
        return [_smallest(schema.get("items", {}), named, depth - 1)] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    if kind == "boolean":
        return True
    return None if kind == "null" else "x" * schema.get("minLength", 0)
