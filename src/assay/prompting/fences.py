"""Fences: lines around text that comes from documents and people, which that text cannot forge."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable

from assay.errors import UsageError

# Gives a code of 32 hex digits at each call. It is injected, so that a replay builds the same prompt.
FenceSource = Callable[[], str]

BITS = 128
# A text that came before the code cannot hold it but by an accident of 1 in 2^32.
_DRAWS = 8
# Headers within a fence repeat this much of its code: enough that no text holds it, and few tokens.
_SHORT = 8


def random_fence() -> str:
    """A code of 128 random bits in hex.

    >>> len(random_fence()), random_fence() == random_fence()
    (32, False)
    """
    return secrets.token_hex(BITS // 8)


def absent_from(texts: Iterable[str], source: FenceSource) -> str:
    """A code from `source` that none of the texts holds, nor its first eight digits.

    Raises UsageError when the source gives eight in a row that stand in the texts.

    >>> codes = iter(["a" * 32, "b" * 32])
    >>> absent_from(["a fake fence: aaaaaaaa"], lambda: next(codes))[:4]
    'bbbb'
    """
    known = tuple(texts)
    for _ in range(_DRAWS):
        code = source()
        if not any(short(code) in text for text in known):
            return code
    raise UsageError(
        f"{_DRAWS} fences in a row stand in the text that they should enclose",
        hint="give a source of random fences, such as assay.prompting.fences.random_fence",
    )


def short(code: str) -> str:
    """The part of a fence's code that headers within it repeat."""
    return code[:_SHORT]


def fenced(name: str, code: str, body: str) -> str:
    """The body between two lines that carry the code; the body is not changed by a byte.

    >>> print(fenced("question", "5eed", "Why?"))
    <question 5eed>
    Why?
    </question 5eed>
    """
    return f"<{name} {code}>\n{body}\n</{name} {code}>"
