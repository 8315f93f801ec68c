"""How much room a model is given to think before it replies.

Services count what a model thinks as part of its reply, so a limit meant for the reply alone leaves none of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from assay.types import Effort

# Tokens of thinking that a limit leaves room for, by the effort asked for; None leaves the effort to the model.
# Google lets Gemini think with 8192 and 24576 at the same efforts; to its 1024 at low no other model keeps.
THINKING_TOKENS: Mapping[Effort | None, int] = MappingProxyType(
    {None: 8192, "low": 4096, "medium": 8192, "high": 24576}
)
# Models known to reply at once, by their names behind `provider:` and behind a vendor's name before a slash. Some
# of them refuse a limit above what they can write. Any other may think: new ones do.
_AT_ONCE = re.compile(
    r"(?:gpt-3|gpt-4|chatgpt|claude-(?:instant|2|3-(?!7)|3\.[05])|gemini-(?:1|2\.0)|gemma-[123])", re.IGNORECASE
)


def may_think(name: str) -> bool:
    """Whether a model, named `provider:model`, may think before it replies; a script never does.

    >>> may_think("openai:gpt-5-mini"), may_think("openai:openai/gpt-4o"), may_think("fake:script.json")
    (True, False, False)
    """
    provider, _, model = name.partition(":")
    return provider != "fake" and not _AT_ONCE.match(model.rpartition("/")[2])
