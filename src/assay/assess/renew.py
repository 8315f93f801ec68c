"""A yardstick with a model's wording: what is asked and what scores mean is said anew, names and scores stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from assay.assess.yardstick import Example, Level, Line, Rubric, Strategy, Yardstick, refuse_repeats
from assay.stages import LLM
from assay.types import ModelRequest, PromptMessage

_RUBRIC_PROMPT = """You word the rubric by which answers to questions are judged. The answers stand on numbered \
passages and cite them as [1].
You are given one rubric. Say the same more clearly: the same criterion, the same number of levels in the same \
order, each with the same score. Add nothing that another criterion judges.
Reply with one JSON object and nothing else:
- "asks": the one question that the criterion asks of an answer.
- "levels": for each level, best first, what an answer of that score is like; one line each.
- "look_for": three to six things to look for; short phrases."""
_STRATEGY_PROMPT = """You word the advice by which a weak answer is improved. Answers stand on numbered passages \
and cite them as [1].
You are given one strategy. Say the same more clearly. The smallest change that mends is best; nothing is added \
that no passage says.
Reply with one JSON object and nothing else:
- "aim": what the strategy is for; one line.
- "steps": two to five steps in their order; one line each, without numbers.
- "examples": one or two objects {"before": a weak sentence, "after": the same mended, "because": why}."""
_REPLY_TOKENS = 1500


class _Reworded(BaseModel):
    """A rubric's wording; as many levels as there were."""

    model_config = ConfigDict(extra="forbid")

    asks: Line
    levels: list[Line]
    look_for: list[Line] = Field(min_length=1, max_length=8)

    @field_validator("levels", mode="after")
    @classmethod
    def _as_many(cls, value: list[Line], info: ValidationInfo) -> list[Line]:
        count = (info.context or {}).get("levels")
        if len(value) != count:
            raise ValueError(f"give {count} levels, one line each")
        return value

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        refuse_repeats([self.asks, *self.levels, *self.look_for])
        return self


class _Readvised(BaseModel):
    """A strategy's wording."""

    model_config = ConfigDict(extra="forbid")

    aim: Line
    steps: list[Line] = Field(min_length=1, max_length=8)
    examples: list[Example] = Field(min_length=1, max_length=4)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        refuse_repeats([self.aim, *self.steps])
        return self


@dataclass(frozen=True, slots=True)
class Rewording:
    """Asks a language model for the wording; one call a rubric and one a strategy."""

    llm: LLM

    async def of(self, base: Yardstick) -> Yardstick:
        """The yardstick in the model's words, each part's version raised by one.

        Raises ProviderError where the model fails or twice breaks the form; nothing is made then.
        """
        rubrics = [await self._rubric(each) for each in base.rubric]
        strategies = [await self._strategy(each) for each in base.strategy]
        return Yardstick(rubric=tuple(rubrics), strategy=tuple(strategies))

    async def _rubric(self, base: Rubric) -> Rubric:
        reply = await self._ask(_RUBRIC_PROMPT, base, _Reworded, {"levels": len(base.levels)})
        assert isinstance(reply, _Reworded)  # noqa: S101 - the LLM validates, or raises
        levels = tuple(
            Level(score=old.score, means=new) for old, new in zip(base.levels, reply.levels, strict=True)
        )
        return Rubric(
            criterion=base.criterion,
            version=base.version + 1,
            asks=reply.asks,
            levels=levels,
            look_for=tuple(reply.look_for),
        )

    async def _strategy(self, base: Strategy) -> Strategy:
        reply = await self._ask(_STRATEGY_PROMPT, base, _Readvised, {})
        assert isinstance(reply, _Readvised)  # noqa: S101 - the LLM validates, or raises
        return Strategy(
            name=base.name,
            version=base.version + 1,
            aim=reply.aim,
            steps=tuple(reply.steps),
            examples=tuple(reply.examples),
        )

    async def _ask(
        self, prompt: str, base: Rubric | Strategy, schema: type[BaseModel], given: dict[str, int]
    ) -> BaseModel | None:
        """The model's reply to one part; the part is the program's own text, not a document's."""
        messages = (PromptMessage("system", prompt), PromptMessage("user", base.model_dump_json()))
        request = ModelRequest("judge", messages, schema, given, max_tokens=_REPLY_TOKENS, temperature=0.3)
        return (await self.llm.complete(request)).parsed
