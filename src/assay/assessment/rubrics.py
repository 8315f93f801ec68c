"""The rubrics that answers are assessed by and the strategies that improve them, pinned by a hash.

They ship with the program, so that they are the same at each start. Rubrics in a model's wording are made only by
an explicit command; their file holds its own hash, and a file that was changed since is refused.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from assay.core.stages import LLM
from assay.errors import UsageError
from assay.types import Criterion, ModelRequest, PromptMessage

# The file of own rubrics in the data folder.
FILE_NAME = "yardstick.toml"
_SHIPPED = Path(__file__).with_name(FILE_NAME)
StrategyName = Literal["accuracy", "completeness", "coherence", "relevance", "citation_quality", "general"]
STRATEGIES: tuple[StrategyName, ...] = (
    *("accuracy", "completeness", "coherence", "relevance", "citation_quality"),
    "general",
)
_HINT = "`assay rubrics renew` writes a fresh one; without the file the shipped one is used"


def _plain(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError("one line of printable text, without white space around it")
    return text


Line = Annotated[str, Field(min_length=3, max_length=300), AfterValidator(_plain)]


def refuse_repeats(lines: Sequence[str]) -> None:
    """Refuse two equal lines, which a weak model writes when it has nothing to say."""
    if len({line.casefold() for line in lines}) < len(lines):
        raise ValueError("no two lines may be the same")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Level(_Part):
    """The meaning of a score."""

    score: float = Field(ge=0.0, le=1.0)
    means: Line


class Rubric(_Part):
    """The rubric of one criterion: the question put to the answer, and the meaning of each score, best first."""

    criterion: Criterion
    version: int = Field(ge=1)
    asks: Line
    levels: tuple[Level, ...] = Field(min_length=3, max_length=7)
    look_for: tuple[Line, ...] = Field(min_length=1, max_length=8)

    @model_validator(mode="after")
    def _falls_from_1_to_0(self) -> Self:
        scores = [level.score for level in self.levels]
        if scores[0] != 1 or scores[-1] != 0 or any(one <= next_one for one, next_one in pairwise(scores)):
            raise ValueError(f"levels fall from 1 to 0; those of {self.criterion.value} are {scores}")
        refuse_repeats([self.asks, *(level.means for level in self.levels), *self.look_for])
        return self


class Example(_Part):
    """A sentence before and after a strategy, and why it was changed."""

    before: Line
    after: Line
    because: Line

    @model_validator(mode="after")
    def _differs(self) -> Self:
        refuse_repeats([self.before, self.after])
        return self


class Strategy(_Part):
    """The way to improve an answer that is weak in one criterion; `general` is for all others."""

    name: StrategyName
    version: int = Field(ge=1)
    aim: Line
    steps: tuple[Line, ...] = Field(min_length=1, max_length=8)
    examples: tuple[Example, ...] = Field(min_length=1, max_length=4)

    @model_validator(mode="after")
    def _has_no_repeats(self) -> Self:
        refuse_repeats([self.aim, *self.steps])
        return self


class RubricSet(_Part):
    """A rubric for every criterion and every strategy, each once.

    >>> shipped_rubrics().of(Criterion.ACCURACY).version
    1
    """

    rubric: tuple[Rubric, ...]
    strategy: tuple[Strategy, ...]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        _refuse_others(
            "rubrics",
            [rubric.criterion.value for rubric in self.rubric],
            [criterion.value for criterion in Criterion],
        )
        _refuse_others("strategies", [strategy.name for strategy in self.strategy], STRATEGIES)
        return self

    @property
    def sha256(self) -> str:
        """The hash of its content, in hex; the layout of its file does not matter."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()

    def of(self, criterion: Criterion) -> Rubric:
        """The rubric of a criterion."""
        return next(rubric for rubric in self.rubric if rubric.criterion is criterion)

    def strategy_for(self, criterion: Criterion | None) -> Strategy:
        """The strategy for an answer that is weakest in this criterion; the general one if there is no other.

        >>> shipped_rubrics().strategy_for(Criterion.USER_ALIGNMENT).name
        'general'
        """
        named = {strategy.name: strategy for strategy in self.strategy}
        for name, strategy in named.items():
            if criterion is not None and name == criterion.value:
                return strategy
        return named["general"]


def _refuse_others(what: str, found: Sequence[str], wanted: Iterable[str]) -> None:
    if sorted(found) != sorted(wanted):
        raise ValueError(f"{what}: each of {', '.join(wanted)} once, and no other")


@cache
def shipped_rubrics() -> RubricSet:
    """The rubrics that this version of assay ships."""
    return RubricSet(**tomllib.loads(_SHIPPED.read_text(encoding="utf-8")))


def rubrics_in(folder: Path) -> RubricSet:
    """The rubrics of a data folder, the shipped ones if it has none of its own.

    Raises UsageError for a file that cannot be read, is not of the form, or was changed since it was pinned.
    """
    path = folder / FILE_NAME
    return read(path) if path.exists() else shipped_rubrics()


def read(path: Path) -> RubricSet:
    """The rubrics of a file whose `sha256` pins it. Raises UsageError."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        pinned = raw.pop("sha256", None)
        found = RubricSet(**raw)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint=_HINT) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{path}: {place}: {what}", hint=_HINT) from error
    if pinned != found.sha256:
        state = f"pinned as {str(pinned)[:12]}…" if pinned else "not pinned"
        raise UsageError(
            f"{path} is {state}, but its content has the hash {found.sha256}: it was changed since it was written",
            hint=f'if you changed it on purpose set sha256 = "{found.sha256}" in it; else {_HINT}',
        )
    return found


def write(rubrics: RubricSet, path: Path) -> None:
    """Write the rubrics with their hash, for `read`; the file is complete or does not exist."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(as_toml(rubrics), encoding="utf-8")
    new.replace(path)


def as_toml(rubrics: RubricSet) -> str:
    """The rubrics as TOML, their hash first.

    >>> as_toml(shipped_rubrics()).splitlines()[0] == f'sha256 = "{shipped_rubrics().sha256}"'
    True
    """
    tables = [f"sha256 = {json.dumps(rubrics.sha256)}"]
    for name, parts in (("rubric", rubrics.rubric), ("strategy", rubrics.strategy)):
        tables += [_table(name, part) for part in parts]
    return "\n\n".join(tables) + "\n"


def _table(name: str, part: Rubric | Strategy) -> str:
    values = part.model_dump(mode="json")
    return "\n".join([f"[[{name}]]", *(f"{key} = {_value(value)}" for key, value in values.items())])


def _value(value: object) -> str:
    """A value as TOML writes it; a printable string is the same in JSON and in TOML."""
    if isinstance(value, list):
        return "[" + "".join(f"\n  {_value(item)}," for item in value) + "\n]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


# Rubrics in a model's wording: questions and levels are worded anew, names and scores stay.


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


class _RubricReply(BaseModel):
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
    def _has_no_repeats(self) -> Self:
        refuse_repeats([self.asks, *self.levels, *self.look_for])
        return self


class _StrategyReply(BaseModel):
    """A strategy's wording."""

    model_config = ConfigDict(extra="forbid")

    aim: Line
    steps: list[Line] = Field(min_length=1, max_length=8)
    examples: list[Example] = Field(min_length=1, max_length=4)

    @model_validator(mode="after")
    def _has_no_repeats(self) -> Self:
        refuse_repeats([self.aim, *self.steps])
        return self


@dataclass(frozen=True, slots=True)
class Rewording:
    """Asks a language model for the wording; one call a rubric and one a strategy."""

    llm: LLM

    async def of(self, base: RubricSet) -> RubricSet:
        """The rubrics in the model's words, each part's version raised by one.

        Raises ProviderError if the model fails or twice breaks the form.
        """
        rubrics = [await self._rubric(rubric) for rubric in base.rubric]
        strategies = [await self._strategy(strategy) for strategy in base.strategy]
        return RubricSet(rubric=tuple(rubrics), strategy=tuple(strategies))

    async def _rubric(self, base: Rubric) -> Rubric:
        reply = await self._ask(_RUBRIC_PROMPT, base, _RubricReply, {"levels": len(base.levels)})
        assert isinstance(reply, _RubricReply)  # noqa: S101 - the LLM validates, or raises
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
        reply = await self._ask(_STRATEGY_PROMPT, base, _StrategyReply, {})
        assert isinstance(reply, _StrategyReply)  # noqa: S101 - the LLM validates, or raises
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
