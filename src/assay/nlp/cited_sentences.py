"""Sentences of prose that arrives in pieces, each as soon as it is certainly complete."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assay.nlp.citations import LONGEST_MARK, Names, citations, names_of
from assay.nlp.sentences import sentences
from assay.types import Citation, Passage, Sentence, Span

# Without one of these there is nothing to cut yet.
_MAY_END = re.compile(r"[.!?…][^\w\s]{0,8}\s|[。！？｡]|\n")
_MAY_END_LENGTH = 10
CODE_BLOCK = re.compile(
    r"^[ \t]*(?P<fence>```|~~~)[^\n]*(?:\n(?:.*?^[ \t]*(?P=fence)[`~]*[ \t]*$|.*\Z)|\Z)", re.DOTALL | re.MULTILINE
)
_INLINE_CODE = re.compile(r"``[^`\n]+``|`[^`\n]+`")
_CLOSED_CODE = re.compile(r"```.*?```|``[^`\n]+``|`[^`\n]+`", re.DOTALL)
_OPEN_CODE = re.compile(r"```|`[^\n]*\Z")
# Emphasis that closes behind a full stop: **Bold.** Next.
_CLOSING_EMPHASIS = re.compile(r"(?<=[.!?…。！？])(?:\*{1,3}|_{1,3})(?=\s|\Z)")
# The text between two marks of one list of marks.
_BETWEEN_MARKS = re.compile(r"[ \t]*+(?:(?:[,;]|and|und|et)[ \t]*+)?\Z")
# A next sentence has begun when it holds more than this: what it opens may still become a mark of the one before.
_OPENING = re.compile(r"[\s\"'“‘(\[【［〔*_,;]*(?:(?:and?|a|und?|u|et?)[\s\"'“‘(\[【［〔*_,;]*)?")
_OPEN_BRACKET = re.compile(rf"[\[【［〔][^\[\]【】］［〕〔]{{0,{LONGEST_MARK}}}\Z")


@dataclass(slots=True)
class SentenceCutter:
    """Cuts a text that arrives in pieces; the sentences, joined, are the text.

    A mark behind a sentence's full stop belongs to that sentence; one that begins a line belongs to what follows
    it there. A code block, a heading, a list item and a table row are sentences. `names` are the titles of the
    sources or all their names, which marks may use. The cuts do not depend on how the text was cut into pieces.

    >>> cutter = SentenceCutter()
    >>> cutter.feed("It rained. [1"), cutter.feed("] The sun"), cutter.feed(" shone."), cutter.end()
    ([], ['It rained. [1]'], [], [' The sun shone.'])
    """

    names: Names | Sequence[str] = ()
    _pending: str = field(default="", init=False)
    _searched: int = field(default=0, init=False)
    _first: bool = field(default=True, init=False)

    def feed(self, piece: str) -> list[str]:
        """The sentences that this piece completes."""
        self._pending += piece
        if _MAY_END.search(self._pending, self._searched) is None:
            self._searched = max(0, len(self._pending) - _MAY_END_LENGTH)
            return []
        return self._cut(_certain(self._pending, self.names, self._first))

    def end(self) -> list[str]:
        """The remaining sentences, at the end of the text."""
        cut = self._cut(_boundaries(self._pending, self.names, self._first))
        rest, self._pending = self._pending, ""
        if cut and not rest.strip():
            return [*cut[:-1], cut[-1] + rest]
        return [*cut, rest] if rest else cut

    def _cut(self, ends: Sequence[int]) -> list[str]:
        if not ends:
            return []
        found = [self._pending[start:end] for start, end in pairwise((0, *ends))]
        self._pending, self._searched, self._first = self._pending[ends[-1] :], 0, False
        return found


def _certain(text: str, names: Names | Sequence[str], begins_line: bool) -> list[int]:
    """The ends of sentences behind which the next has begun, whatever text follows."""
    ends = _boundaries(text, names, begins_line)
    if not ends:
        return []
    settled = _settled(text)
    seen = _for_cutting(text, _marks(text, names), begins_line)
    return [end for end in ends if end < settled and not _OPENING.fullmatch(seen, end, settled)]


def _settled(text: str) -> int:
    """The start of what further text may turn into a mark or into code."""
    bracket = _OPEN_BRACKET.search(text)
    code = _OPEN_CODE.search(_CLOSED_CODE.sub(_solid, text)) if "`" in text else None
    return min((found.start() for found in (bracket, code) if found), default=len(text))


def _boundaries(text: str, names: Names | Sequence[str], begins_line: bool) -> list[int]:
    """The end of each sentence of the text, its marks included, without white space behind."""
    marks = _marks(text, names)
    spans = sentences(_for_cutting(text, marks, begins_line), lowered=True)
    ends = [_with_marks(text, span, next_span.start, marks) for span, next_span in pairwise(spans)]
    return [*ends, _with_marks(text, spans[-1], len(text), marks)] if spans else []


def _marks(text: str, names: Names | Sequence[str]) -> list[Span]:
    """The places of the marks with the brackets around them."""
    return [with_brackets(text, mark) for mark in citations(text, names)]


def with_brackets(text: str, mark: Citation) -> Span:
    """The mark's place with what is put around it: `([1])`, `[[1]]`.

    >>> with_brackets("So ([1]).", Citation(4, 7, (1,)))
    Span(start=3, end=8)
    """
    start, end = mark.start, mark.end
    while start and text[start - 1 : start] + text[end : end + 1] in ("()", "[]", "（）"):
        start, end = start - 1, end + 1
    return Span(start, end)


def _with_marks(text: str, span: Span, limit: int, marks: Sequence[Span]) -> int:
    """The end of the sentence with the marks behind it; those that begin a line of the next one are not its own."""
    end = span.end
    for mark in marks:
        if not span.end <= mark.start < limit:
            continue
        if "\n" in text[end : mark.start] and not _alone(text, mark, limit):
            break
        end = mark.end
    return end


def _alone(text: str, mark: Span, limit: int) -> bool:
    """True if nothing but white space follows the mark on its line."""
    line_end = text.find("\n", mark.end)
    return limit >= (len(text) if line_end == -1 else line_end)


def _for_cutting(text: str, marks: Sequence[Span], begins_line: bool) -> str:
    """The text for the sentence rules, offsets unchanged: marks blanked, code as one word or one table row."""
    if "```" in text or "~~~" in text:
        line = 0 if begins_line else text.find("\n") + 1 or len(text)
        # A table row stands alone, which is what a block should do.
        text = text[:line] + CODE_BLOCK.sub(lambda block: "|" + _solid(block)[1:], text[line:])
    text = _blanked(_INLINE_CODE.sub(_solid, text), marks)
    return _CLOSING_EMPHASIS.sub(lambda match: '"' * len(match.group()), text)


def _solid(match: re.Match[str]) -> str:
    return "x" * len(match.group())


def _blanked(text: str, marks: Sequence[Span]) -> str:
    """The text with spaces for marks, and for what joins neighbouring marks to a list."""
    parts, at = [], 0
    for mark in marks:
        between = text[at : mark.start]
        joined = at > 0 and _BETWEEN_MARKS.match(between)
        parts += [" " * len(between) if joined else between, " " * (mark.end - mark.start)]
        at = mark.end
    return "".join([*parts, text[at:]])


# A sentence as a model wrote it: the passages of its marks, and its text without them.


# Placeholder of a mark while the words around it are edited.
_MARK = "\x00"
# A list of marks is one place: [1], [2] and [3].
_JOINED = re.compile(rf"{_MARK}(?:[ \t]*+(?:(?:[,;]|and|und|et)[ \t]*+)?{_MARK})+")
_WRAPPED = re.compile(
    rf"\(\s*+(?:(?:see|cf\.?|sources?:?|refs?:?)\s*+)?{_MARK}\s*\)|\*\*{_MARK}\*\*", re.IGNORECASE
)
_SOURCE = rf"(?:the\s+)?(?:(?:sources?|passages?|documents?|texts?)\s*)?{_MARK}"
_BY = (
    r"(?:according\s+to|as\s+(?:stated|noted|described|mentioned|reported|shown)\s+(?:in|by)|based\s+on)\s+"
    rf"{_SOURCE}"
)
_SAYS = rf"{_SOURCE}\s+(?:states?|says?|reports?|notes?|mentions?|explains?|shows?)\s+that"
# "According to [1], it rained" and "[1] says that it rained" say: it rained [1].
_ATTRIBUTION = re.compile(rf"^(?P<lead>\W*)(?:{_BY}\s*,?|{_SAYS})\s+(?P<first>\w)", re.IGNORECASE)
_ASIDE = re.compile(rf"(?:[ \t]?,)?[ \t]?\b{_BY}", re.IGNORECASE)
_PLACE = re.compile(rf"[ \t]{{0,4}}{_MARK}")


@dataclass(frozen=True, slots=True)
class Numbered:
    """The passages of a prompt: number n is `passages[n - 1]`; `by_id`, marks may use ids too."""

    passages: tuple[Passage, ...]
    by_id: bool = False

    @property
    def titles(self) -> tuple[str, ...]:
        """The passages' titles, by number."""
        return tuple(passage.title for passage in self.passages)

    @property
    def names(self) -> Names:
        """The names of the passages in marks."""
        return names_of(self.passages) if self.by_id else Names(self.titles)

    def sentence(self, number: int, written: str) -> Sentence:
        """The sentence as the model wrote it, white space before it included, as `Sentence` number `number`.

        Line breaks before it are kept, one or two, so that lists and paragraphs stay; a code block keeps one
        behind it, so that its last line stays its own.

        >>> said = Numbered((Passage("p7", "d", "r", 0, 1, "x"),)).sentence(2, " It rained [1][4].")
        >>> said.text, said.passage_ids, said.unknown_marks
        ('It rained.', ('p7',), ('[4]',))
        """
        body = written.replace(_MARK, "")
        marks = citations(body, self.names)
        text = without_marks(body, [with_brackets(body, mark) for mark in marks]) if marks else body
        behind = "\n" if text.rstrip().endswith(("```", "~~~")) else ""
        lead = _lead(body) if number > 1 else ""
        return Sentence(number, lead + text.strip() + behind, self._cited(marks), self._unknown(body, marks))

    def _cited(self, marks: Sequence[Citation]) -> tuple[str, ...]:
        """The ids of the passages that the marks stand for, each once."""
        numbers = (number for mark in marks for number in mark.numbers if self._given(number))
        return tuple(dict.fromkeys(self.passages[number - 1].passage_id for number in numbers))

    def _unknown(self, body: str, marks: Sequence[Citation]) -> tuple[str, ...]:
        """The marks that stand for nothing given, as written; of a mark of several, the numbers not given."""
        found: list[str] = []
        for mark in marks:
            wrong = [number for number in mark.numbers if not self._given(number)]
            if len(wrong) == len(mark.numbers):
                found.append(body[mark.start : mark.end])
            else:
                found.extend(f"[{number}]" for number in wrong)
        return tuple(dict.fromkeys(found))

    def _given(self, number: int) -> bool:
        return 1 <= number <= len(self.passages)


def without_marks(text: str, marks: Sequence[Span]) -> str:
    """The text without its marks and the words that only introduce them.

    >>> without_marks("According to [1], it rained.", [Span(13, 16)])
    'It rained.'
    """
    parts, at = [], 0
    for mark in marks:
        parts += [text[at : mark.start], _MARK]
        at = mark.end
    marked = _WRAPPED.sub(_MARK, _JOINED.sub(_MARK, "".join([*parts, text[at:]])))
    marked = _ATTRIBUTION.sub(lambda found: found["lead"] + found["first"].upper(), marked)
    edited = _ASIDE.sub("", marked)
    return _PLACE.sub(lambda found: _space(edited, found), edited)


def _space(text: str, mark: re.Match[str]) -> str:
    """A space where the words around a mark would otherwise grow together."""
    before, behind = text[mark.start() - 1 : mark.start()], text[mark.end() : mark.end() + 1]
    return " " if before.isalnum() and behind.isalnum() and (before + behind).isascii() else ""


def _lead(written: str) -> str:
    """The line breaks before a sentence, and the indent of a list item."""
    gap = written[: len(written) - len(written.lstrip())]
    breaks = min(gap.count("\n"), 2)
    return "\n" * breaks + gap.rpartition("\n")[2] if breaks else ""
