"""Functions for agents: search and judge the documents, and ask them; with the JSON schemas of the arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.agents.shapes import QuestionArguments, Shape, read_arguments
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.engine import Engine

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One function for an agent; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    _run: Callable[[QuestionArguments], Awaitable[Shape]]

    async def call(self, arguments: Mapping[str, Any] | str) -> Json:
        """Call the function with arguments, which may be JSON text as a model wrote it.

        What went wrong comes back as `{"error": {"kind", "message", "hint", "retryable"}}`, arguments that do
        not fit as kind UsageError.
        """
        try:
            result = await self._run(read_arguments(QuestionArguments, arguments))
        except AssayError as error:
            return error_object(error)
        return result.model_dump(mode="json")

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
    from assay.agents.results import answer_result, evidence_result

    async def search_and_judge(arguments: QuestionArguments) -> Shape:
        gathered = await engine.agather(arguments.question, arguments.messages())
        return await asyncio.to_thread(evidence_result, gathered)

    async def ask(arguments: QuestionArguments) -> Shape:
        answer = await engine.aask(arguments.question, arguments.messages())
        return await asyncio.to_thread(answer_result, answer)

    parameters = QuestionArguments.model_json_schema()
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
            "Answer a question from the user's documents. The text holds verified sentences only, with numbered "
            "sources; what is not verified or missing is named beside it. An outcome of abstained is no answer.",
            parameters,
            ask,
        ),
    )


def error_object(error: AssayError) -> Json:
    """The error as an agent gets it."""
    kind, hint = type(error).__name__, error.hint
    return {"error": {"kind": kind, "message": str(error), "hint": hint, "retryable": error.retryable}}
