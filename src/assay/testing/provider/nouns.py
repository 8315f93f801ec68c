"""What the provider is asked, what it says, and what it remembers of its clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.types import Finish, PromptMessage

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
