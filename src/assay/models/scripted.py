"""A language model that answers from a script: a JSON file that runs the whole loop at no cost.

::

    [
      {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}},
      {"role": "writer", "contains": "boil", "reply": "Water boils at 100 °C [1].", "pieces": 4},
      {"reply": "I do not know.", "finish": "length", "usage": {"prompt_tokens": 20, "completion_tokens": 4}},
      {"contains": "broken", "error": {"kind": "failed", "message": "out of memory"}}
    ]
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from assay.errors import (
    PromptTooLong,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from assay.types import Finish, ModelReply, ModelRequest, Role, Usage

_ERRORS: Mapping[str, type[ProviderError]] = MappingProxyType(
    {
        "unreachable": ProviderUnreachable,
        "refused": ProviderRefused,
        "too long": PromptTooLong,
        "failed": ProviderFailed,
    }
)
_WORDS_SHOWN = 12


class Counted(BaseModel):
    """The tokens that a reply is said to have taken; what is left out is unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    total_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)


class Failure(BaseModel):
    """An error that is raised in the place of a reply, or behind the pieces of one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["unreachable", "refused", "too long", "failed"]
    message: str = "the script says so"
    retryable: bool = False
    retry_after: float | None = Field(default=None, ge=0)


class Rule(BaseModel):
    """One line of a script: which requests it answers, and with what.

    It answers requests of `role` (any) whose prompt contains `contains`. An object as `reply` is sent as JSON.
    A stream comes in `pieces` pieces, `delay` seconds before each; a whole reply waits `delay` once. With an
    `error`, a stream gives the pieces of `reply` first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role | None = None
    contains: str = ""
    reply: str | dict[str, Any] | None = None
    finish: Finish = "stop"
    usage: Counted = Field(default_factory=Counted)
    pieces: int = Field(1, ge=1, le=10_000)
    delay: float = Field(0.0, ge=0, le=3600)
    error: Failure | None = None

    @model_validator(mode="after")
    def _answers(self) -> Self:
        if self.reply is None and self.error is None:
            raise ValueError("it has neither a reply nor an error")
        return self

    @property
    def text(self) -> str:
        """The reply as it is sent."""
        return self.reply if isinstance(self.reply, str) else json.dumps(self.reply, ensure_ascii=False)

    def fits(self, request: ModelRequest) -> bool:
        """True if this rule answers the request."""
        prompt = "\n".join(message.text for message in request.messages)
        return self.role in (None, request.role) and self.contains in prompt


_Script = TypeAdapter(tuple[Rule, ...])


class ScriptedModel:
    """Answers each request by the first rule that fits it; `requests` are those it was asked."""

    def __init__(self, rules: Sequence[Rule], *, file: str = "script") -> None:
        self._rules = tuple(rules)
        self._file = file
        self.requests: list[ModelRequest] = []

    @classmethod
    def load(cls, path: Path) -> Self:
        """The model that a JSON file scripts; raises UsageError naming the file and what is wrong in it."""
        try:
            rules = _Script.validate_json(path.read_bytes())
        except OSError as error:
            raise UsageError(
                f"fake:{path} cannot be read: {error.strerror}",
                hint="set --model to fake:PATH of a JSON file with a list of rules",
            ) from error
        except ValidationError as error:
            raise UsageError(f"fake:{path}: {_first(error)}", hint=_SHAPE) from error
        return cls(rules, file=path.name)

    @property
    def name(self) -> str:
        """`fake:` and the file's name."""
        return f"fake:{self._file}"

    @property
    def host(self) -> str:
        """Empty: prompts stay in this process."""
        return ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The scripted reply. Raises the scripted error, and ProviderFailed where nothing is scripted."""
        rule = self._rule_for(request)
        await asyncio.sleep(rule.delay)
        if rule.error is not None:
            raise self._error(rule.error)
        return self._reply(rule)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The scripted reply in its pieces, then as a whole. Raises as `complete`."""
        rule = self._rule_for(request)
        for piece in _pieces(rule):
            await asyncio.sleep(rule.delay)
            yield piece
        if rule.error is not None:
            raise self._error(rule.error)
        yield self._reply(rule)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _rule_for(self, request: ModelRequest) -> Rule:
        self.requests.append(request)
        for rule in self._rules:
            if rule.fits(request):
                return rule
        words = request.messages[-1].text.split() if request.messages else []
        begins = " ".join(words[:_WORDS_SHOWN]) + (" …" if len(words) > _WORDS_SHOWN else "")
        raise ProviderFailed(
            f'{self.name} has nothing for the {request.role} whose prompt\'s last message begins "{begins}"',
            hint=f'add a rule such as {{"role": "{request.role}", "reply": "…"}} to the script',
        )

    def _reply(self, rule: Rule) -> ModelReply:
        usage = Usage(**rule.usage.model_dump(), calls=1, cost=0.0)
        return ModelReply(rule.text, rule.finish, usage, self._file)

    def _error(self, failure: Failure) -> ProviderError:
        return _ERRORS[failure.kind](
            f"{self.name}: {failure.message}",
            hint="this error is scripted",
            retryable=failure.retryable,
            retry_after=failure.retry_after,
        )


_SHAPE = 'a script is a JSON list of rules such as {"role": "writer", "contains": "…", "reply": "…"}'


def _pieces(rule: Rule) -> list[str]:
    """The reply's text cut in as many pieces as the rule says, or one a letter where it is shorter.

    >>> _pieces(Rule(reply="Water boils.", pieces=3))
    ['Wate', 'r bo', 'ils.']
    """
    if rule.reply is None:
        return []
    text, count = rule.text, min(rule.pieces, len(rule.text))
    cuts = [len(text) * number // count for number in range(count + 1)] if count else []
    return [text[start:end] for start, end in pairwise(cuts)]


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, with the number of its rule from 1."""
    found = error.errors(include_url=False, include_input=False)[0]
    place = [f"rule {step + 1}" if number == 0 and isinstance(step, int) else str(step)
             for number, step in enumerate(found["loc"])]  # fmt: skip
    return ": ".join([*place, found["msg"].removeprefix("Value error, ")])
