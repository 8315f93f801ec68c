"""A CommonMark parser whose inline rules record what they consume as markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_Rule = Callable[[StateInline, bool], bool]


def _recording(name: str, rule: _Rule) -> _Rule:
    """Wrap an inline rule so that it records in the parser's environment what it consumed as markup."""

    def apply(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        label = (
            state.md.helpers.parseLinkLabel(state, start, True)
            if name == "link" and not silent and state.src[start] == "["
            else -1
        )
        if not rule(state, silent):
            return False
        if not silent:
            _note(state, name, start, state.tokens[count:], label)
        return True

    return apply


def _note(state: StateInline, name: str, start: int, tokens: Sequence[Token], label: int) -> None:
    marks: list[tuple[int, int]] = state.env["marks"]
    match name:
        case "emphasis":
            # Pending text may precede the delimiter tokens.
            own = tokens[start - state.pos :]
            state.env["emphasis"] += [(token, start + place) for place, token in enumerate(own)]
        case "link":
            marks += [(start, start + 1), (label, state.pos)]
            state.env["replacements"] += [(start, start + 1, "", True), (label, state.pos, "", True)]
        case "backticks":
            if tokens and tokens[-1].type == "code_inline":
                length = len(tokens[-1].markup)
                marks += [(start, start + length), (state.pos - length, state.pos)]
                state.env["code"].append((start, state.pos))
        case "autolink":
            marks += [(start, start + 1), (state.pos - 1, state.pos)]
        case "escape":
            marks.append((start, start + 1))
        case _:
            marks.append((start, state.pos))
            written = state.src[start : state.pos]
            if name == "image" or _KNOWN_TAG.match(written):
                alone = tokens[-1].content if name == "image" and tokens else ""
                instead = " " if written[:3].lower() == "<br" else alone
                state.env["replacements"].append((start, state.pos, instead, False))


# HTML tags; other words in angle brackets are placeholders or keys for the reader.
_KNOWN_TAG = re.compile(
    r"</?(?:a|abbr|article|aside|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font"
    r"|footer|h[1-6]|header|hr|i|img|ins|kbd|label|li|main|mark|nav|ol|p|picture|q|s|samp|section|small|source|span"
    r"|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video|wbr)(?=[\s/>])|<!--",
    re.IGNORECASE,
)


def _parser() -> MarkdownIt:
    """Build a CommonMark parser with tables; HTML is parsed inline: its blocks often contain prose."""
    parser = MarkdownIt("commonmark").enable("table").disable("html_block")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.inline.ruler2.disable("fragments_join")
    rules = dict(zip(parser.inline.ruler.get_active_rules(), parser.inline.ruler.getRules(""), strict=True))
    for name in ("emphasis", "link", "image", "backticks", "autolink", "escape", "html_inline"):
        parser.inline.ruler.at(name, _recording(name, rules[name]))
    # Addresses are never opened here, and some cannot be encoded.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


PARSER = _parser()
