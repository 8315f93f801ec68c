"""Links in a text, and the text without them: what a page would open, load or run becomes words. Pure.

A link is what CommonMark (0.31, sections 4.7 and 6.3 to 6.6) and GitHub's autolinks make one of, and any tag of
HTML that loads, runs or sends something.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

# What makes an address of the words behind it, once or in a row.
_BEGINS = r"(?<![a-z0-9.+-])(?:[a-z][a-z0-9+.-]{0,30}:/{2,9}|www\.(?=\w)|mailto:){1,9}"
_ADDRESS = re.compile(rf"(?P<begins>{_BEGINS})(?P<rest>[^\s<>\[\]\"'`“”|]{{1,2000}})", re.IGNORECASE)
# [words](address "title"), an image with a sign before it; no words hold brackets.
_INLINE = re.compile(
    r"(?P<image>!?)\[(?P<words>[^\[\]]{0,300})\]\(\s{0,9}<?(?P<address>[^\s()<>]{0,2000})>?(?P<title>\s[^()]{0,300})?\)"
)
# What is left of links whose words hold brackets, of links by name, of their definitions, and of images.
_JOINED = re.compile(r"\](?=[(\[])")
_DEFINITION = re.compile(r"^(?P<name>[ \t]{0,3}\[[^\]\n]{1,300}\]):", re.MULTILINE)
_IMAGE = re.compile(r"!(?=\[)")
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:a|applet|audio|base|embed|form|frame|iframe|image|img|input|link|math|meta|object|script|style"
    r"|svg|video)\b|[a-z][a-z0-9+.-]{1,30}:|[^\s<>@]{1,100}@)",
    re.IGNORECASE,
)
_RUNS = re.compile(r"\b(?P<scheme>javascript|vbscript|data):(?=[^\s:])", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^`\n]+``|`[^`\n]+`", re.DOTALL)
# What ends a sentence or closes a bracket is no part of the address before it.
_BEHIND = ".,;:!?)*_"
# No link and no tag is without one of these.
_SIGNS = ("//", "www.", "mailto:", "](", "][", "]:", "![", "<", "script:", "data:")


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A text without links, and how many places of it were changed for that."""

    text: str
    changed: int


def addresses(text: str) -> tuple[str, ...]:
    """The addresses that stand in a text, without the marks that end the sentence around them.

    >>> addresses("See https://a.example/x, or (www.b.example).")
    ('https://a.example/x', 'www.b.example')
    """
    return tuple(match.group().rstrip(_BEHIND) for match in _ADDRESS.finditer(text))


def unlinked(text: str, allowed: Collection[str] = (), allowed_in_code: Collection[str] = ()) -> Unlinked:
    """The text with every link as words, but for those whose address is `allowed`.

    A link's words stand before its address, which loses what makes it one (`https://`, `www.`); no image is left,
    and a tag begins with a sign that begins none. In code, where nothing is a link, those addresses stay as well
    that are `allowed_in_code`. What is changed once does not change again.

    >>> unlinked("Read [this](https://x.example/?q=1) or ![it](http://x.example/a.png).").text
    'Read this (x.example/?q=1) or it (x.example/a.png).'
    >>> unlinked("See https://a.example/x.", ["https://a.example/x"])
    Unlinked(text='See https://a.example/x.', changed=0)
    """
    kept, in_code = frozenset(allowed), frozenset(allowed_in_code)
    changed = 0
    while any(sign in text.lower() for sign in _SIGNS):
        once = _once(text, kept, kept | in_code)
        if not once.changed:
            break
        # What is taken out may join what stood around it to another link; each change leaves fewer signs of links.
        text, changed = once.text, changed + once.changed
    return Unlinked(text, changed)


def _once(text: str, kept: frozenset[str], kept_in_code: frozenset[str]) -> Unlinked:
    """The text after one look at its prose and its code."""
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [_without_links(text[at : code.start()], kept), _without_links(code.group(), kept_in_code)]
        at = code.end()
    parts.append(_without_links(text[at:], kept))
    return Unlinked("".join(part.text for part in parts), sum(part.changed for part in parts))


def _without_links(text: str, kept: frozenset[str]) -> Unlinked:
    """A stretch of prose, or of code, without links but to the addresses that are kept."""
    changes = 0

    def counted(before: str, after: str) -> str:
        nonlocal changes
        changes += before != after
        return after

    def bare(match: re.Match[str]) -> str:
        address = match.group().rstrip(_BEHIND)
        return match.group() if address in kept else counted(match.group(), match["rest"])

    def inline(match: re.Match[str]) -> str:
        if match["address"] in kept and not match["image"]:
            return match.group()
        shown = " ".join(part for part in (match["words"], f"({match['address']})") if part)
        return counted(match.group(), shown)

    def cut(pattern: re.Pattern[str], by: str, text: str) -> str:
        return pattern.sub(lambda match: counted(match.group(), match.expand(by)), text)

    def apart(match: re.Match[str]) -> str:
        behind = match.string[match.end() :]
        return "]" if any(behind.startswith(f"({each}") for each in kept) else counted(match.group(), " ")

    text = _JOINED.sub(apart, _INLINE.sub(inline, text))
    text = cut(_DEFINITION, r"\g<name>", text)
    for pattern, by in ((_IMAGE, ""), (_TAG, "‹"), (_RUNS, r"\g<scheme> ")):
        text = cut(pattern, by, text)
    return Unlinked(_ADDRESS.sub(bare, text), changes)
