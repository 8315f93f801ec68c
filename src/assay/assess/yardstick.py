"""The yardstick: the rubrics that answers are assessed by and the strategies that improve them, pinned by a hash.

It ships with the program, so that it is the same at each start. One with a model's wording is made only by an
explicit command; its file carries its own hash, and a file that was changed since is refused.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from assay.errors import UsageError
from assay.types import Criterion

# A yardstick of one's own stands in the data folder under this name.
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
    """Refuse lines of which two are the same: what a weak model writes when it has nothing to say."""
    if len({each.casefold() for each in lines}) < len(lines):
        raise ValueError("no two lines may be the same")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Level(_Part):
    """What a score means."""

    score: float = Field(ge=0.0, le=1.0)
    means: Line


class Rubric(_Part):
    """How one criterion is judged: what is asked of the answer, and what each score means, best first."""

    criterion: Criterion
    version: int = Field(ge=1)
    asks: Line
    levels: tuple[Level, ...] = Field(min_length=3, max_length=7)
    look_for: tuple[Line, ...] = Field(min_length=1, max_length=8)

    @model_validator(mode="after")
    def _from_one_to_nought(self) -> Self:
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
    def _changed(self) -> Self:
        refuse_repeats([self.before, self.after])
        return self


class Strategy(_Part):
    """How an answer that is weak in one criterion is improved; `general` is for all others."""

    name: StrategyName
    version: int = Field(ge=1)
    aim: Line
    steps: tuple[Line, ...] = Field(min_length=1, max_length=8)
    examples: tuple[Example, ...] = Field(min_length=1, max_length=4)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        refuse_repeats([self.aim, *self.steps])
        return self


class Yardstick(_Part):
    """A rubric for every criterion and every strategy, each once.

    >>> shipped().of(Criterion.ACCURACY).version
    1
    """

    rubric: tuple[Rubric, ...]
    strategy: tuple[Strategy, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        _refuse_others(
            "rubrics", [each.criterion.value for each in self.rubric], [each.value for each in Criterion]
        )
        _refuse_others("strategies", [each.name for each in self.strategy], STRATEGIES)
        return self

    @property
    def sha256(self) -> str:
        """The hash of all that it says, in hex; how its file is laid out does not matter."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()

    def of(self, criterion: Criterion) -> Rubric:
        """The rubric of a criterion."""
        return next(each for each in self.rubric if each.criterion is criterion)

    def strategy_for(self, criterion: Criterion | None) -> Strategy:
        """The strategy for an answer that is weakest in this criterion; the general one where there is no other.

        >>> shipped().strategy_for(Criterion.USER_ALIGNMENT).name
        'general'
        """
        named = {each.name: each for each in self.strategy}
        for name, strategy in named.items():
            if criterion is not None and name == criterion.value:
                return strategy
        return named["general"]


def _refuse_others(what: str, found: Sequence[str], wanted: Iterable[str]) -> None:
    if sorted(found) != sorted(wanted):
        raise ValueError(f"{what}: each of {', '.join(wanted)} once, and no other")


@cache
def shipped() -> Yardstick:
    """The yardstick that this version of assay ships."""
    return Yardstick(**tomllib.loads(_SHIPPED.read_text(encoding="utf-8")))


def yardstick_in(folder: Path) -> Yardstick:
    """The yardstick of a data folder, the shipped one where it has none of its own.

    Raises UsageError for a file that cannot be read, is not of the form, or was changed since it was pinned.
    """
    path = folder / FILE_NAME
    return read(path) if path.exists() else shipped()


def read(path: Path) -> Yardstick:
    """The yardstick of a file whose `sha256` pins it. Raises UsageError."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        pinned = raw.pop("sha256", None)
        found = Yardstick(**raw)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", hint=_HINT) from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{path}: {place}: {what}", hint=_HINT) from error
    if pinned != found.sha256:
        said = f"pinned as {str(pinned)[:12]}…" if pinned else "not pinned"
        raise UsageError(
            f"{path} is {said}, and what it says has the hash {found.sha256}: it was changed since it was written",
            hint=f'if you changed it on purpose set sha256 = "{found.sha256}" in it; else {_HINT}',
        )
    return found


def write(yardstick: Yardstick, path: Path) -> None:
    """Write the yardstick with its hash, for `read`; the file is whole or not there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(as_toml(yardstick), encoding="utf-8")
    new.replace(path)


def as_toml(yardstick: Yardstick) -> str:
    """The yardstick as TOML, its hash first.

    >>> as_toml(shipped()).splitlines()[0] == f'sha256 = "{shipped().sha256}"'
    True
    """
    tables = [f"sha256 = {json.dumps(yardstick.sha256)}"]
    for name, parts in (("rubric", yardstick.rubric), ("strategy", yardstick.strategy)):
        tables += [_table(name, part) for part in parts]
    return "\n\n".join(tables) + "\n"


def _table(name: str, part: Rubric | Strategy) -> str:
    values = part.model_dump(mode="json")
    return "\n".join([f"[[{name}]]", *(f"{key} = {_value(value)}" for key, value in values.items())])


def _value(value: object) -> str:
    """A value as TOML writes it; a printable string is the same in JSON and in TOML."""
    if isinstance(value, list):
        return "[" + "".join(f"\n  {_value(each)}," for each in value) + "\n]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
