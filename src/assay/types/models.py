"""Requests to models and their replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay.types.value import Span, Value

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class EmbeddingModel(Value):
    """The model that made a vector: another id, dimension or hash means that vectors cannot be compared.

    `languages` are ISO 639-1 codes; text in another script is searched by words only. `query_prefix` is what the
    model wants before a question, and before nothing else.
    """

    id: str
    dimension: int
    sha256: str
    languages: tuple[str, ...] = ("en",)
    query_prefix: str = ""

    def as_question(self, text: str) -> str:
        """The text to embed of a question.

        >>> EmbeddingModel("e5", 384, "", query_prefix="query: ").as_question("When?")
        'query: When?'
        """
        return self.query_prefix + text


@dataclass(frozen=True, slots=True)
class ReaderModel(Value):
    """The reader that made a reading; `languages` are ISO 639-1 codes of the texts that it reads."""

    id: str
    sha256: str
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TitledText(Value):
    """A text to be read, and the title and headings it stands under."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSpan(Value):
    """A possible answer: offsets in the text; `score` is its log odds against there being none."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class PassageReading(Value):
    """A reader's view of one text.

    `answerable` is the log odds that the text answers the question, `spans` are the likeliest places of the answer,
    best first; `yes` and `no` are probabilities, the rest is neither, and mean something for yes/no questions only.
    """

    answerable: float
    spans: tuple[AnswerSpan, ...]
    yes: float
    no: float


@dataclass(frozen=True, slots=True)
class FoundRow(Value):
    """The table row that a question most likely asks about; places in its passage's text.

    `line` is the row, `header` that of its table, None where each cell is named or another passage holds it, and
    `cell` the one with the answer. `named` are the log odds that the question asks about this row, `told` those
    that a row tells what is asked, and `odds` those that this row answers. `term` is the stem by which the question
    asks for a row, None where it asks for none. `is_general`: the question asks about the table as a whole.
    """

    passage_id: str
    line: Span
    header: Span | None
    table: Span
    cell: Span
    named: float
    told: float
    odds: float
    term: str | None = None
    is_general: bool = False


@dataclass(frozen=True, slots=True)
class AnswerReading(Value):
    """A reader's view of a finished answer.

    `odds` are the log odds that its text answers the question; `held` is the share of the question's words, by
    rarity, that the text and the titles and headings of its sources hold, and `rarest` that of its two rarest.
    `apart` are the log odds that what was quoted shows the answer rather than the other places found, the least of
    all parts of the question; None where nothing was weighed. `row` are the log odds that the table row quoted
    answers, the least of all parts; None where no row was asked for.
    """

    odds: float
    held: float
    rarest: float
    apart: float | None = None
    row: float | None = None


# The roles that ask a language model; each may have a model of its own.
Role = Literal["condenser", "judge", "writer", "verifier", "repairer"]
# The effort of a model's thinking before it replies.
Effort = Literal["low", "medium", "high"]
# The end of a reply. Only "stop" is a whole reply; "length" is one that was cut off at its limit, "thinking" one
# whose limit was used up before its first word, "incomplete" a stream without an ending.
Finish = Literal["stop", "length", "thinking", "empty", "refused", "blocked", "tool", "incomplete", "other"]


@dataclass(frozen=True, slots=True)
class PromptMessage(Value):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest(Value):
    """A role's request to a language model.

    `schema` is the pydantic model that the reply must satisfy as JSON, None for prose; `given` is what its
    validators may look up as their context, such as the ids that the prompt named. `list_sizes` are the least and
    the most entries of lists that the prompt determines, by field or by `Definition.field`. `max_tokens` bounds the
    reply, and a model that thinks first may think with `thinking_tokens` tokens besides. `temperature` lies in 0 to
    2; with `temperature_set` a user asked for it, and a model that takes none refuses instead of using its own.
    `effort` None leaves it to the model how hard it thinks.
    """

    role: Role
    messages: tuple[PromptMessage, ...]
    schema: type[BaseModel] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    list_sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    max_tokens: int = 1024
    temperature: float = 0.1
    temperature_set: bool = False
    effort: Effort | None = None
    thinking_tokens: int = 0

    @property
    def reply_schema(self) -> dict[str, Any] | None:
        """The JSON schema of the reply with the sizes of its lists, None for prose."""
        if self.schema is None:
            return None
        schema = self.schema.model_json_schema()
        for name, (least, most) in self.list_sizes.items():
            definition, _, listed = name.rpartition(".")
            place = schema["$defs"][definition] if definition else schema
            place["properties"][listed] |= {"minItems": least, "maxItems": most}
        return schema


@dataclass(frozen=True, slots=True)
class Usage(Value):
    """The cost of a question or a call. None means that the provider did not say; it never means zero.

    `cached_tokens` are the part of `prompt_tokens` that the provider had cached; `cost` is in US dollars.

    >>> (Usage(prompt_tokens=5, calls=1) + Usage(prompt_tokens=None, calls=1)).to_dict()["prompt_tokens"] is None
    True
    """

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    total_tokens: int | None = 0
    cached_tokens: int | None = 0
    calls: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Both together; what is unknown in one is unknown in the sum."""
        return Usage(
            prompt_tokens=_sum(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_sum(self.completion_tokens, other.completion_tokens),
            total_tokens=_sum(self.total_tokens, other.total_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            calls=self.calls + other.calls,
            cost=_sum(self.cost, other.cost),
        )


_Number = TypeVar("_Number", int, float)


def _sum(one: _Number | None, other: _Number | None) -> _Number | None:
    """The sum, None where a part is unknown."""
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class ModelReply(Value):
    """The reply of a language model; `model` is the name that the provider gave.

    `parsed` is the reply as the request's schema, None for prose.
    """

    text: str
    finish: Finish
    usage: Usage
    model: str
    parsed: BaseModel | None = None
