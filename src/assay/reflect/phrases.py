"""Words and phrases found as words: never inside another word, across one line break, in any script."""

from __future__ import annotations

import re
from functools import lru_cache

from assay.text.tokens import UNSPACED
from assay.types import Span

# Between the words of a phrase: white space with at most one line break, or a hyphen.
_GAP = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*|[-‐])"
# A letter or digit of a script that puts spaces between words; in the others a word begins anywhere.
_LETTER = rf"[^\W{UNSPACED}]"
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_APOSTROPHE = re.compile(r"['’]")


def found(text: str, phrases: tuple[str, ...], *, case: bool = False) -> tuple[Span, ...]:
    """The places of the phrases in order, without overlap, the longest where several begin; case counts if asked.

    >>> text = "Start an ART show: state-of-the-art."
    >>> [text[s.start : s.end] for s in found(text, ("art", "art show"))]
    ['ART show', 'art']
    """
    return tuple(Span(*match.span()) for match in _compiled(phrases, case).finditer(text)) if phrases else ()


def has(text: str, phrases: tuple[str, ...], *, case: bool = False) -> bool:
    """Whether one of the phrases stands in the text."""
    return bool(phrases) and _compiled(phrases, case).search(text) is not None


def same(one: str, other: str, *, case: bool = False) -> bool:
    """Whether two phrases are written alike but for white space, and for case unless it counts."""
    first, second = " ".join(one.split()), " ".join(other.split())
    return first == second if case else first.casefold() == second.casefold()


def named(phrases: tuple[str, ...], joint: str = "or") -> str:
    """The phrases as a list in a sentence.

    >>> named(("delve", "tapestry", "realm of"))
    '"delve", "tapestry" or "realm of"'
    """
    quoted = [f'"{phrase}"' for phrase in phrases]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {joint} {quoted[-1]}"


@lru_cache(maxsize=256)
def _compiled(phrases: tuple[str, ...], case: bool) -> re.Pattern[str]:
    longest_first = sorted({" ".join(phrase.split()) for phrase in phrases}, key=lambda each: (-len(each), each))
    return re.compile("|".join(map(_bounded, longest_first)), 0 if case else re.IGNORECASE)


def _bounded(phrase: str) -> str:
    words = (_APOSTROPHE.sub("['’]", re.escape(word)) for word in phrase.split())
    before = f"(?<!{_LETTER})" if _needs_bound(phrase[0]) else ""
    after = f"(?!{_LETTER})" if _needs_bound(phrase[-1]) else ""
    return f"{before}{_GAP.join(words)}{after}"


def _needs_bound(edge: str) -> bool:
    return (edge.isalnum() or edge == "_") and not _UNSPACED.match(edge)
