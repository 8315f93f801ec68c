"""Exact quotes: where an answer's words stand in a source, character for character."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.nlp.negation import negations
from assay.nlp.sentences import sentences
from assay.nlp.tokens import words
from assay.types import Passage, SourceSpan, Span
from assay.verification.sources import source_span

LEAST_WORDS = 3
_QUOTED = re.compile(
    r'"([^"\n]{1,1000})"|“([^“”\n]{1,1000})”|«([^«»\n]{1,1000})»|「([^「」\n]{1,1000})」|『([^『』\n]{1,1000})』'
)
# One character for one character: what typing and typesetting write differently.
_SAME = str.maketrans("“”„«»‘’‚`´–—−‐‑\u00a0\u202f\t\n", "\"\"\"\"\"'''''-----    ")
_OPEN_WORDS = frozenset(
    "false untrue if unless whether alleged allegedly claim claimed claims myth rumour rumor".split()
)
# Before a statement, these leave it open: "it is likely that".
_OPEN_BEFORE = frozenset(
    """possible possibly perhaps maybe probably likely supposedly reportedly apparently may might believed believe
    believes thought think thinks expected expect expects hope hopes hoped fear fears feared predict predicts
    predicted suggest suggests suggested plan plans planned""".split()
)
# A quote that breaks off before "or" says the one of two for certain.
_ALTERNATIVE = re.compile(r"\s*+(?:\([^)]{0,200}\)\s*+)?or\s")
_SPACES = re.compile(r" {2,}")
_ELLIPSIS = re.compile(r"\s?(?:\.{3}|…|\[\.{3}\]|\[…\])\s?")


def quoted(text: str) -> list[Span]:
    """The stretches of `text` in quotation marks, marks excluded, of at least three words; titles are none.

    >>> text = 'He said "it is far too late" and left.'
    >>> [text[span.start:span.end] for span in quoted(text)]
    ['it is far too late']
    """
    found = []
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        inside = match.group(group)
        if _long_enough(inside) and not _is_title(inside):
            found.append(Span(match.start(group), match.end(group)))
    return found


def _is_title(text: str) -> bool:
    """Whether most words begin with a capital, as in the name of a work: what it names is compared as a name.

    >>> _is_title("Master of Puppets Revisited"), _is_title("We did not get the balance right")
    (True, False)
    """
    first = [word[0] for word in text.split() if word[0].isalpha()]
    return 2 * sum(each.isupper() for each in first) > len(first)


def locate(quote: str, passages: Iterable[Passage]) -> SourceSpan | None:
    """Where the first passage holds the quote; white space, quotation marks and dashes may be written otherwise.

    The span's own quote is what the document says. None when no passage holds it.

    >>> passage = Passage("p", "d", "r", 100, 121, "It is “far”  too late.")
    >>> locate('"far" too late', [passage])
    SourceSpan(passage_id='p', start=106, end=121, quote='“far”  too late')
    """
    wanted = _squeezed(quote.strip()).rstrip(" .,;:!?。")
    if not wanted:
        return None
    for passage in passages:
        span = _find(wanted, passage.text)
        if span is not None:
            return source_span(passage, span.start, span.end)
    return None


def locate_parts(quote: str, passages: Iterable[Passage]) -> SourceSpan | None:
    """Like `locate`, for a quote with omissions ("a … b"): its first part, when all parts are held."""
    held = [locate(part, passages) for part in _ELLIPSIS.split(quote) if part.strip()]
    return held[0] if held and all(held) else None


def said_whole(claim: str, passages: Sequence[Passage]) -> SourceSpan | None:
    """Where a passage says the claim word for word, and nothing around it in that sentence takes it back.

    >>> held = Passage("p", "d", "r", 0, 52, "It rained in Ulm. It is false that it snowed in Ulm.")
    >>> said_whole("It rained in Ulm.", [held]) is None, said_whole("It snowed in Ulm.", [held]) is None
    (False, True)

    A few words are said only where they are a whole sentence of the passage.

    >>> said_whole("It rained.", [Passage("p", "d", "r", 0, 27, "It rained. It rained in Ulm")]).end
    10
    """
    if not _long_enough(claim):
        return _whole_sentence(claim, passages)
    for passage in passages:
        span = locate(claim, (passage,))
        if span is not None and not _taken_back(span, passage):
            return span
    return None


def _whole_sentence(claim: str, passages: Sequence[Passage]) -> SourceSpan | None:
    """The sentence that is the claim, whatever its signs; a question states nothing."""
    wanted = words(claim)
    for passage in passages if wanted else ():
        for each in sentences(passage.text):
            said = passage.text[each.start : each.end]
            if words(said) == wanted and "?" not in said:
                return source_span(passage, each.start, each.end)
    return None


def _long_enough(text: str) -> bool:
    return len(words(text)) >= LEAST_WORDS or (not text.isascii() and len(text) >= 2 * LEAST_WORDS)


def _taken_back(span: SourceSpan, passage: Passage) -> bool:
    """Whether the rest of the sentences that hold the quote denies it or leaves it open."""
    start, end = span.start - passage.start, span.end - passage.start
    for each in sentences(passage.text):
        if each.end <= start or end <= each.start:
            continue
        before = passage.text[each.start : max(each.start, start)]
        rest = f"{before} {passage.text[min(end, each.end) : each.end]}"
        if (
            _ALTERNATIVE.match(passage.text, min(end, each.end))
            or negations(rest)
            or not _OPEN_WORDS.isdisjoint(words(rest))
            or not _OPEN_BEFORE.isdisjoint(words(before))
        ):
            return True
    return False


def _squeezed(text: str) -> str:
    return _SPACES.sub(" ", text.translate(_SAME))


def _find(wanted: str, text: str) -> Span | None:
    """Where `text` holds the squeezed quote as whole words."""
    flat = text.translate(_SAME)
    squeezed = _SPACES.sub(" ", flat)
    start = squeezed.find(wanted)
    while start != -1:
        end = start + len(wanted)
        before, behind = squeezed[max(0, start - 1) : start], squeezed[end : end + 1]
        if not _goes_on(wanted[0], before) and not _goes_on(wanted[-1], behind):
            return _unsqueezed(flat, Span(start, end))
        start = squeezed.find(wanted, start + 1)
    return None


def _goes_on(edge: str, beyond: str) -> bool:
    """Whether the quote's first or last character is cut off from its word; only Latin words are looked at."""
    return edge.isascii() and edge.isalnum() and (beyond.isalnum() or beyond == "_")


def _unsqueezed(flat: str, span: Span) -> Span:
    """The place in `flat` of a place in the same text with each run of spaces as one."""
    kept = [at for at, each in enumerate(flat) if each != " " or at == 0 or flat[at - 1] != " "]
    return Span(kept[span.start], kept[span.end - 1] + 1)
