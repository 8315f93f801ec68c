"""How a reply ended, as far as its text tells more than its provider did."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.types import Finish

_WITHOUT_TEXT: Mapping[Finish, Finish] = MappingProxyType({"stop": "empty", "length": "thinking"})


def ending(text: str, finish: Finish | None) -> Finish:
    """How a reply of this text ended, where its provider says `finish`; None is no ending.

    A reply without text is empty; where its limit was used up all the same, thinking used it up.

    >>> ending("", "stop"), ending(" ", "length"), ending("Yes, b", "length"), ending("Yes", None)
    ('empty', 'thinking', 'length', 'incomplete')
    """
    told = finish or "incomplete"
    return told if text.strip() else _WITHOUT_TEXT.get(told, told)
