"""Evidence as numbered passages between fences, within a budget of tokens, with an account of what is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.prompting.fences import fenced, short
from assay.prompting.tokens import Count, estimated_tokens, opening
from assay.types import Evidence, Hit, Passage, Span

_NAME = "evidence"
# A line of a text that could pass for a passage's header: it begins with a number in brackets.
_LIKE_A_HEADER = re.compile(r"(?:\A|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])[^\w\n]{0,20}[\[【［〔]\s{0,9}\d")
# What stands between two strips of a passage, where its text is left out.
GAP = " … "
# What stands for a masked part, which reads like an instruction to a model.
MASK = "[…]"
# A title is one line of a header; a longer one says no more.
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Packed:
    """Evidence as a prompt shows it: number n is `passages[n - 1]`, best first.

    `text` is the fenced block and `tokens` what it costs. `left_out` are the ids of the passages that did not
    fit, `shortened` of those shown only in part.
    """

    passages: tuple[Passage, ...]
    text: str
    tokens: int
    left_out: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the passages shown: number n is `ids[n - 1]`."""
        return tuple(passage.passage_id for passage in self.passages)


def pack(evidence: Evidence, budget_tokens: int, fence: str, count: Count = estimated_tokens) -> Packed:
    """The passages that fit, best first, each whole; one that does not fit makes room for the next.

    Of a passage that has strips only these are shown, a sign for each gap between them, and a masked part of any
    is never shown (`shown_text`). Where not even the best passage fits, its first whole sentences are shown. Each
    has a header, `[1] Title, page 3`. Where a text holds a line like a header, all headers begin with the first
    digits of `fence`, so that none is forged; elsewhere they do without, since weak models copy them. `fence`
    must be absent from the texts and titles (`absent_from`). The block costs at most `budget_tokens`; where
    nothing fits it holds no passage.
    """
    texts = [shown_text(hit) for hit in evidence.hits]
    proof = f"{short(fence)} " if any(map(_LIKE_A_HEADER.search, texts)) else ""
    left = budget_tokens - count(fenced(_NAME, fence, "")) - 1
    shown: list[Passage] = []
    blocks: list[str] = []
    left_out: list[str] = []
    shortened: list[str] = []
    for passage, text in zip(evidence.passages, texts, strict=True):
        block = _block(len(shown) + 1, passage, text, proof)
        cost = count(block) + 1
        if cost > left and not shown and not left_out:
            block = _beginning(passage, text, left, proof, count)
            cost = count(block) + 1
            shortened += [passage.passage_id] if block else []
        if cost > left or not block:
            left_out.append(passage.passage_id)
            continue
        shown.append(passage)
        blocks.append(block)
        left -= cost
    packed = fenced(_NAME, fence, "\n".join(blocks))
    return Packed(tuple(shown), packed, budget_tokens - left, tuple(left_out), tuple(shortened))


def shown_text(hit: Hit) -> str:
    """The passage's text, or its strips with a sign where text between them is left out; no masked part.

    >>> passage = Passage("p", "d", "r", 0, 37, "It opened. It rained. It cost a lot.")
    >>> shown_text(Hit(passage, 1.0, strips=(Span(0, 10), Span(22, 36))))
    'It opened. … It cost a lot.'
    >>> shown_text(Hit(passage, 1.0, masked=(Span(11, 21),)))
    'It opened. […] It cost a lot.'
    """
    strips = hit.strips or (Span(0, len(hit.passage.text)),)
    return GAP.join(_without_masked(hit, strip) for strip in strips)


def _without_masked(hit: Hit, stretch: Span) -> str:
    """A stretch of the passage's text with a sign for each masked part of it."""
    text, parts, at = hit.passage.text, [], stretch.start
    for span in hit.masked:
        start, end = max(span.start, at), min(span.end, stretch.end)
        if start < end:
            parts += [text[at:start], MASK]
            at = end
    return "".join([*parts, text[at : stretch.end]])


def sources_line(number: int, passage: Passage) -> str:
    """The passage's number, title, location, date and the header of its table on one line.

    >>> from assay.types import Location, Origin
    >>> sources_line(2, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", location=Location(page=3)))
    '[2] Bridge rates, page 3'
    >>> sources_line(1, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", origin=Origin(date="2010")))
    '[1] Bridge rates (2010)'
    >>> sources_line(3, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", header="Axles | Toll"))
    '[3] Bridge rates; columns: Axles | Toll'
    """
    parts = (one_line(passage.title, _LONGEST_TITLE), one_line(str(passage.location), _LONGEST_TITLE))
    named = ", ".join(part for part in parts if part) or "untitled"
    dated = f" ({passage.origin.date})" if passage.origin.date else ""
    columns = f"; columns: {one_line(passage.header, _LONGEST_TITLE)}" if passage.header else ""
    return f"[{number}] {named}{dated}{columns}"


def texts_of(evidence: Evidence) -> Sequence[str]:
    """Every text of the evidence that a prompt may show, for `absent_from`."""
    return [
        text
        for passage in evidence.passages
        for text in (passage.text, passage.title, str(passage.location), passage.header)
    ]


def one_line(text: str, longest: int) -> str:
    """The text on one line, cut after `longest` characters."""
    return " ".join(text.split())[:longest].rstrip()


def _block(number: int, passage: Passage, text: str, proof: str) -> str:
    """One passage under its header; `proof` is what makes the header unlike any line of a text."""
    return f"{proof}{sources_line(number, passage)}\n{text}\n"


def _beginning(passage: Passage, text: str, budget_tokens: int, proof: str, count: Count) -> str:
    """The passage as number 1 with as many of its first sentences as fit; nothing where none does."""
    header = _block(1, passage, "", proof)
    kept = opening(text, budget_tokens - count(header) - 2, count)
    return _block(1, passage, kept, proof) if kept else ""
