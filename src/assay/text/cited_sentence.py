"""A written sentence: which passages its marks stand for, and its text without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text.citation_marks import Names, citations, names_of
from assay.text.sentence_stream import with_brackets
from assay.types import Citation, Passage, Sentence, Span

# Stands for a mark while the words around it are mended; no model writes it.
_MARK = "\x00"
# A list of marks is one place: [1], [2] and [3].
_JOINED = re.compile(rf"{_MARK}(?:[ \t]*(?:[,;]|and|und|et)?[ \t]*{_MARK})+")
_WRAPPED = re.compile(rf"\(\s*(?:see|cf\.?|sources?:?|refs?:?)?\s*{_MARK}\s*\)|\*\*{_MARK}\*\*", re.IGNORECASE)
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
    """Which passage each number of a prompt stands for: number n is `passages[n - 1]`; `by_id`, its id does too."""

    passages: tuple[Passage, ...]
    by_id: bool = False

    @property
    def titles(self) -> tuple[str, ...]:
        """The passages' titles, by number."""
        return tuple(passage.title for passage in self.passages)

    @property
    def names(self) -> Names:
        """What marks may call the passages."""
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
    """The text as it reads without its marks and the words that only lead to one.

    >>> without_marks("According to [1], it rained.", [Span(13, 16)])
    'It rained.'
    """
    parts, at = [], 0
    for mark in marks:
        parts += [text[at : mark.start], _MARK]
        at = mark.end
    marked = _WRAPPED.sub(_MARK, _JOINED.sub(_MARK, "".join([*parts, text[at:]])))
    marked = _ATTRIBUTION.sub(lambda found: found["lead"] + found["first"].upper(), marked)
    mended = _ASIDE.sub("", marked)
    return _PLACE.sub(lambda found: _space(mended, found), mended)


def _space(text: str, mark: re.Match[str]) -> str:
    """A space where the words around a mark would otherwise grow together."""
    before, behind = text[mark.start() - 1 : mark.start()], text[mark.end() : mark.end() + 1]
    return " " if before.isalnum() and behind.isalnum() and (before + behind).isascii() else ""


def _lead(written: str) -> str:
    """The line breaks before a sentence, and the indent of a list item."""
    gap = written[: len(written) - len(written.lstrip())]
    breaks = min(gap.count("\n"), 2)
    return "\n" * breaks + gap.rpartition("\n")[2] if breaks else ""
