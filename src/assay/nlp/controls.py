"""Characters that cannot be handed on as they are: shown as escapes to a terminal, made question marks for RE2."""

from __future__ import annotations

import re

# C0 without tab and line feed, DEL, C1, line separators, bidi controls, and lone surrogates.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The text with every character that could act on a terminal shown as an escape.

    >>> visible("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def encodable(text: str) -> str:
    r"""The text with each lone surrogate, which no tokenizer and no RE2 takes, made a question mark; offsets stay.

    >>> encodable("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")
