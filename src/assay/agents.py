"""What an agent may call: search and judge the documents, and ask them; with the JSON schemas of the arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.engine import Engine
from assay.errors import AssayError, UsageError
from assay.types import Answer, Gathered, Message, plain

Json = dict[str, Any]


class Turn(BaseModel):
    """One turn of the dialogue before."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"] = Field(description="who spoke")
    text: str = Field(description="what was said")


class Arguments(BaseModel):
    """What both tools take."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, description="the question, in the words of whoever asks it")
    history: list[Turn] = Field(
        default_factory=list, description="the dialogue before the question, oldest turn first"
    )

    def messages(self) -> tuple[Message, ...]:
        """The dialogue as the engine takes it."""
        return tuple(Message(turn.role, turn.text) for turn in self.history)


@dataclass(frozen=True, slots=True)
class Tool:
    """One function for an agent; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    _run: Callable[[Arguments], Awaitable[Json]]

    async def call(self, arguments: Mapping[str, Any] | str) -> Json:
        """What the function gives for these arguments, which may be JSON text as a model wrote it.

        What went wrong comes back as `{"error": {"kind", "message", "hint", "retryable"}}`, arguments that do
        not fit as kind UsageError.
        """
        try:
            return await self._run(_checked(arguments))
        except AssayError as error:
            return {
                "error": {
                    "kind": type(error).__name__,
                    "message": str(error),
                    "hint": error.hint,
                    "retryable": error.retryable,
                }
            }

    def as_openai(self) -> Json:
        """The tool as OpenAI's API and those like it take it."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


def tools(engine: Engine) -> tuple[Tool, ...]:
    """The functions of an engine for an agent: `search_and_judge` and `ask`.

    >>> from assay import open_engine
    >>> with open_engine(data_dir=folder) as engine:
    ...     [(tool.name, tool.parameters["required"]) for tool in tools(engine)]
    [('search_and_judge', ['question']), ('ask', ['question'])]
    """

    async def search_and_judge(arguments: Arguments) -> Json:
        return _evidence(await engine.agather(arguments.question, arguments.messages()))

    async def ask(arguments: Arguments) -> Json:
        return _answer(await engine.aask(arguments.question, arguments.messages()))

    parameters = Arguments.model_json_schema()
    return (
        Tool(
            "search_and_judge",
            "Find passages in the user's documents and judge whether they suffice for an answer. Gives the "
            "passages with their relevance, what is missing, and a recommendation: ANSWER only where they suffice.",
            parameters,
            search_and_judge,
        ),
        Tool(
            "ask",
            "Answer a question from the user's documents. Gives the text with numbered sources, whether every "
            "check passed (verified), and what is missing; an outcome of abstained is no answer.",
            parameters,
            ask,
        ),
    )


def _checked(arguments: Mapping[str, Any] | str) -> Arguments:
    try:
        if isinstance(arguments, str):
            return Arguments.model_validate_json(arguments)
        return Arguments.model_validate(arguments)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg'][:1].lower()}{each['msg'][1:]}"
            for each in error.errors(include_url=False, include_input=False)
        )
        raise UsageError(
            f"the arguments do not fit: {wrong}", hint='give {"question": "…"}, as the schema in parameters says'
        ) from error


def _evidence(gathered: Gathered) -> Json:
    judgement = gathered.judgement
    return {
        "recommendation": gathered.action.value,
        "sufficiency": judgement.sufficiency,
        "reason": judgement.reason,
        "missing": list(judgement.missing),
        "aspects": plain(judgement.aspects),
        "issues": list(judgement.issues),
        "mode_used": judgement.mode_used,
        "passages": [
            {
                "passage_id": passage.passage_id,
                "document_id": passage.document_id,
                "title": passage.title,
                "location": str(passage.location),
                "link": passage.origin.link,
                "date": passage.origin.date,
                "relevance": judgement.relevance.get(passage.passage_id),
                "text": passage.text,
            }
            for passage in gathered.evidence.passages
        ],
    }


def _answer(answer: Answer) -> Json:
    return {
        "outcome": answer.outcome.value,
        "text": answer.text,
        "verified": answer.validate(),
        "verdict": answer.verdict.value,
        "confidence": answer.confidence.level,
        "missing": list(answer.judgement.missing),
        "contradictions": plain(answer.judgement.contradictions),
        "sources": [
            {
                "number": source.number,
                "passage_id": source.passage_id,
                "document_id": source.document_id,
                "title": source.title,
                "location": str(source.location),
                "path": source.path,
                "line": source.line,
                "link": source.origin.link,
                "date": source.origin.date,
                "quote": source.quote,
            }
            for source in answer.sources
        ],
        "warnings": list(answer.warnings),
        "usage": answer.usage.to_dict(),
        "run_id": answer.run_id,
    }
