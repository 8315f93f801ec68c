"""HTML built as a tree, so that no text from a document can become markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, tostring

Part = Element | str | None


def element(tag: str, *parts: Part, **attributes: str) -> Element:
    """An element with these parts, in order; `kind` is its class, `id` and others are attributes.

    >>> tostring(element("p", "a <b>", element("i", "c"), kind="note"), encoding="unicode", method="html")
    '<p class="note">a &lt;b&gt;<i>c</i></p>'
    """
    made = Element(tag, {("class" if name == "kind" else name): value for name, value in attributes.items()})
    last: Element | None = None
    for part in parts:
        if isinstance(part, str):
            shown = printable(part)
            if last is None:
                made.text = (made.text or "") + shown
            else:
                last.tail = (last.tail or "") + shown
        elif part is not None:
            made.append(part)
            last = part
    return made


def printable(text: str) -> str:
    """The text without control characters, which no page may hold."""
    return "".join(each for each in text if each in "\n\t" or (each.isprintable() or each.isspace()))


def table(heads: Sequence[str], rows: Iterable[Sequence[Part]]) -> Element:
    """A table with a row of heads."""
    head = element("tr", *(element("th", each) for each in heads))
    body = (element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", *body))


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch of a text, `start` to `end`, shown in the manner of `kind`; `target` is the id it links to."""

    start: int
    end: int
    kind: str
    target: str = ""


def highlighted(text: str, marks: Sequence[Highlight]) -> list[Part]:
    """The text with its stretches marked; of those that overlap the first is shown.

    >>> parts = highlighted("It rained.", [Highlight(3, 9, "supported")])
    >>> [each if isinstance(each, str) else (each.tag, each.text) for each in parts]
    ['It ', ('mark', 'rained'), '.']
    """
    parts: list[Part] = []
    at = 0
    for mark in sorted(marks, key=lambda each: (each.start, each.end)):
        if mark.start < at or mark.end <= mark.start or mark.end > len(text):
            continue
        stretch = text[mark.start : mark.end]
        inner: Part = element("a", stretch, href=f"#{mark.target}") if mark.target else stretch
        parts += [text[at : mark.start], element("mark", inner, kind=mark.kind)]
        at = mark.end
    return [*parts, text[at:]]


def page(title: str, style: str, *parts: Part) -> str:
    """A whole page that loads nothing: its policy allows its own style and nothing else."""
    policy = {"http-equiv": "Content-Security-Policy", "content": "default-src 'none'; style-src 'unsafe-inline'"}
    head = element(
        "head",
        Element("meta", {"charset": "utf-8"}),
        Element("meta", policy),
        Element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("title", title),
        element("style", style),
    )
    tree = element("html", head, element("body", *parts), lang="en")
    return "<!doctype html>\n" + tostring(tree, encoding="unicode", method="html") + "\n"
