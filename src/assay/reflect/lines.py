"""On which line of a TOML file a rule and its keys stand; the standard library's reader does not say."""

from __future__ import annotations

import re

_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")


def rule_lines(text: str) -> tuple[int, ...]:
    """The line of each rule, from 1, in order: of its `[[rule]]`.

    >>> rule_lines("[[rule]]\\nid = 'a'\\n\\n[[rule]]\\nmessage = '''\\n[[rule]]'''\\n")
    (1, 4)
    """
    bare = _without_strings(text)
    return tuple(_line(bare, match.start()) for match in _HEADER.finditer(bare))


def key_line(text: str, first: int, last: int | None, key: str) -> int:
    """The line of a key between the lines `first` and `last`; `first` where it does not stand there."""
    lines = _without_comments(text).split("\n")[first - 1 : last]
    wanted = re.compile(rf"(?:^|[\s{{,.\[\"'])(?:{re.escape(key)})[\"']?\s*(?:=|\.|\])")
    return next((first + n for n, line in enumerate(lines) if wanted.search(line)), first)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _without_strings(text: str) -> str:
    return _STRING_OR_COMMENT.sub(lambda match: _NOT_LINE_END.sub(" ", match.group()), text)


def _without_comments(text: str) -> str:
    """The text without comments and with empty strings of more than one word: keys may be quoted, prose is none."""

    def kept(match: re.Match[str]) -> str:
        written = match.group()
        prose = written.startswith("#") or " " in written or "\n" in written
        return _NOT_LINE_END.sub(" ", written) if prose else written

    return _STRING_OR_COMMENT.sub(kept, text)
