"""The bodies of requests, checked, and the JSON schemas of responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

from assay.core.inputs import LONGEST_QUESTION, read_options
from assay.server.collection_names import PATTERN
from assay.settings import Settings
from assay.types import AskOptions, Hit, Message, Passage, Scores

# Chosen: a dialogue that long is read only in its last messages.
_MOST_TURNS = 200
_MOST_PASSAGES = 500
_LONGEST_TEXT = 2_000_000
# Seconds; within fewer no question can be expected to be answered.
_SHORTEST_DEADLINE = 1

_NULL = {"type": "null"}

CollectionName = Annotated[str, Field(pattern=PATTERN, description="the collection's name")]
QuestionText = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, description="the question")]
# Bounds stand at each part of a union: beside it they would be checked, but not described.
Deadline = Annotated[StrictInt, Field(ge=_SHORTEST_DEADLINE)] | Annotated[StrictFloat, Field(ge=_SHORTEST_DEADLINE)]
Cosine = Annotated[StrictInt, Field(ge=-1, le=1)] | Annotated[StrictFloat, Field(ge=-1, le=1, allow_inf_nan=False)]
Scalar = StrictBool | StrictInt | StrictFloat | str


class Body(BaseModel):
    """A request's body: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Turn(Body):
    """One message of the dialogue before the question."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=_LONGEST_TEXT)


def _describe_as_settings(schema: dict[str, Any]) -> None:
    """Give the options that have no description of their own that of their settings, with its bounds."""
    known = Settings.model_json_schema()
    for name in schema["properties"].keys() & known["properties"].keys():
        if "description" in schema["properties"][name]:
            continue
        setting = known["properties"][name]
        kinds = [kind for kind in setting.get("anyOf", [setting]) if kind != _NULL]
        schema["properties"][name] = {
            "title": schema["properties"][name]["title"],
            "description": setting["description"],
            "anyOf": [*(_without_references(kind, known["$defs"]) for kind in kinds), _NULL],
        }


def _without_references(part: Any, definitions: dict[str, Any]) -> Any:
    """A part of a schema with its definitions in their places, without titles, descriptions and defaults."""
    if isinstance(part, list):
        return [_without_references(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _without_references(definitions[part["$ref"].rpartition("/")[2]], definitions)
    kept = part.keys() - {"title", "description", "default"}
    return {name: _without_references(part[name], definitions) for name in part if name in kept}


class Options(Body):
    """Settings of one question, over those of the server; it may allow less than the settings do."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_describe_as_settings)

    profile: Literal["fast", "balanced", "thorough", "auto"] | None = None
    importance: Literal["low", "normal", "high"] | None = None
    kind: str | None = Field(default=None, max_length=40)
    detail: StrictInt | None = None
    expertise: Literal["beginner", "general", "expert"] | None = None
    history_messages: StrictInt | None = None
    ask_back: StrictBool | None = None
    where: dict[str, Scalar] | None = None
    k: StrictInt | None = None
    mode: Literal["hybrid", "dense", "sparse"] | None = None
    rounds: StrictInt | None = None
    repairs: StrictInt | None = None
    deadline: Deadline | None = Field(default=None, description="seconds for one question")
    max_calls: StrictInt | None = None
    max_tokens: StrictInt | None = None
    max_cost: StrictInt | StrictFloat | None = None
    model: str | None = Field(default=None, max_length=1000)
    writer_temperature: StrictInt | StrictFloat | None = None
    reply_tokens: StrictInt | None = None
    system_prompt: str | None = Field(default=None, max_length=20_000)
    citation_style: str | None = Field(default=None, max_length=40)
    criteria: list[str] | None = Field(default=None, max_length=50)
    explain: StrictBool | None = None
    quality: StrictInt | StrictFloat | None = None
    floor: StrictInt | StrictFloat | None = None

    def values(self) -> AskOptions | None:
        """The options as the engine takes them; None where none is set."""
        given = self.model_dump(exclude_none=True)
        return read_options(given) if given else None


class GivenPassage(Body):
    """A passage that the caller retrieved; without an id it is named by its number."""

    text: str = Field(min_length=1, max_length=_LONGEST_TEXT)
    passage_id: str | None = Field(default=None, min_length=1, max_length=500)
    document_id: str | None = Field(default=None, max_length=500)
    title: str = Field("", max_length=2000)
    source: str = Field("", max_length=4000)
    score: Cosine | None = Field(default=None, description="cosine with the question")
    metadata: dict[str, Scalar] = Field(default_factory=dict)

    def hit(self, number: int) -> Hit:
        """The passage as the engine takes it, `number` in its list."""
        own = self.passage_id or str(number)
        passage = Passage(
            own,
            self.document_id or own,
            "",
            0,
            len(self.text),
            self.text,
            self.title,
            metadata=self.metadata,
            source=self.source,
        )
        return Hit(passage, self.score or 0.0, Scores(dense=self.score))


Passages = Annotated[list[GivenPassage], Field(min_length=1, max_length=_MOST_PASSAGES)]
Turns = Annotated[list[Turn], Field(max_length=_MOST_TURNS, description="the dialogue before, oldest first")]


def messages_of(turns: list[Turn]) -> tuple[Message, ...]:
    """The dialogue as the engine takes it."""
    return tuple(Message(turn.role, turn.text) for turn in turns)


def hits_of(passages: list[GivenPassage]) -> tuple[Hit, ...]:
    """The passages as the engine takes them."""
    return tuple(passage.hit(number) for number, passage in enumerate(passages, 1))


class AskBody(Body):
    """A question over a collection."""

    question: QuestionText
    collection: CollectionName = "default"
    history: Turns = []
    options: Options = Options()

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"question": "At how many degrees does water boil?", "collection": "default"}]
        },
    )


class AnswerFromBody(Body):
    """A question over passages that the caller retrieved, best first; `collection` lends its settings."""

    question: QuestionText
    passages: Passages
    history: Turns = []
    options: Options = Options()


class SearchBody(Body):
    """A search of a collection."""

    query: QuestionText
    collection: CollectionName = "default"
    k: StrictInt | None = None
    mode: Literal["hybrid", "dense", "sparse"] | None = None
    where: dict[str, Scalar] | None = None

    def options(self) -> AskOptions | None:
        """The options of the search; None where none is set."""
        given: dict[str, Any] = self.model_dump(include={"k", "mode", "where"}, exclude_none=True)
        return read_options(given) if given else None


class JudgeBody(Body):
    """A question whose evidence is judged: the passages given, or those that the collection has."""

    question: QuestionText
    passages: Annotated[list[GivenPassage], Field(max_length=_MOST_PASSAGES)] | None = None
    collection: CollectionName = "default"
    history: Turns = []
    options: Options = Options()


class CheckBody(Body):
    """A text whose claims are tested against sources."""

    text: str = Field(min_length=1, max_length=_LONGEST_TEXT)
    sources: Passages
    one_claim: StrictBool = False


class FixBody(Body):
    """A draft that is repaired against sources; with `drop`, what no repair fixes is taken out."""

    text: str = Field(min_length=1, max_length=_LONGEST_TEXT)
    sources: Passages
    drop: StrictBool = False
