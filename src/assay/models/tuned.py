"""A language model asked as its user set it: how hard to think, how freely to judge, with room to think in."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from assay.prompting.tokens import estimated_tokens
from assay.stages import LLM
from assay.types import Effort, ModelReply, ModelRequest, Role, Usage

# The roles whose temperature is that of judging.
JUDGING: frozenset[Role] = frozenset({"judge", "verifier"})
# Role marks and line ends that a service adds to each message, in tokens.
_AROUND = 8
# The estimate counts 3.5 characters a token, and English prose has about 4.3: so much more may be estimated.
_LONGER = 1.25
# A stream that was left did not tell what it took.
_NOT_TOLD = Usage(None, None, None, None, calls=1, cost=None)


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a user set for all requests to a model; None leaves the request's own, or the model's.

    `thinking_tokens` are what a reply may take besides its own limit. `window` is the context that prompt, thinking
    and reply share, in tokens, None where it is far larger than any prompt here.
    """

    judge_temperature: float | None = None
    effort: Effort | None = None
    thinking_tokens: int = 0
    window: int | None = None

    def tuned(self, request: ModelRequest) -> ModelRequest:
        """The request under these settings.

        >>> from assay.types import PromptMessage
        >>> asked = ModelRequest("judge", (PromptMessage("user", "Is it hot?"),), max_tokens=100, temperature=0.0)
        >>> tuned = Tuning(0.5, "high", thinking_tokens=8192, window=1000).tuned(asked)
        >>> tuned.temperature, tuned.effort, tuned.max_tokens, tuned.thinking_tokens
        (0.5, 'high', 100, 889)
        """
        room = self.thinking_tokens
        if self.window is not None:
            prompt = sum(estimated_tokens(each.text) + _AROUND for each in request.messages)
            room = max(0, min(room, self.window - prompt - request.max_tokens))
        request = replace(request, effort=self.effort, thinking_tokens=room)
        if self.judge_temperature is None or request.role not in JUDGING:
            return request
        return replace(request, temperature=self.judge_temperature, temperature_set=True)


@dataclass(frozen=True, slots=True)
class TunedModel:
    """Wraps a model: each request is sent as `tuning` has it.

    Room that a model does not think with is none for a longer reply: a stream is left, and so cut off, where its
    text has about as many tokens as the reply may have.
    """

    inner: LLM
    tuning: Tuning

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The wrapped model's host."""
        return self.inner.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The wrapped model's reply; raises what it raises."""
        return await self.inner.complete(self.tuning.tuned(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The wrapped model's stream, as far as the reply's own limit reaches; raises what it raises."""
        asked, text = self.tuning.tuned(request), ""
        async with aclosing(self.inner.stream(asked)) as parts:
            async for part in parts:
                yield part
                text += part if isinstance(part, str) else ""
                if asked.thinking_tokens and estimated_tokens(_said(text)) > _LONGER * asked.max_tokens:
                    break
            else:
                return
        yield ModelReply(text, "length", _NOT_TOLD, self.name)

    async def aclose(self) -> None:
        """Close the wrapped model."""
        await self.inner.aclose()


def _said(text: str) -> str:
    """What a reply says so far, without what the model thinks aloud before it."""
    return text.partition("</think>")[2] if text.lstrip().startswith("<think>") else text
