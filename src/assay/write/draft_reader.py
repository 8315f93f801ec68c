"""What a writing model's prose says: its sentences with their sources, and nothing that is not an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from assay.prompting.packing import sources_line
from assay.text.citation_marks import citations
from assay.text.cited_sentence import Numbered
from assay.text.sentence_stream import SentenceCutter
from assay.text.tokens import words
from assay.types import Passage, Sentence

# In capitals, as the rules ask for it: "No answer was given" is a sentence like any other.
_NO_ANSWER = re.compile(r"\W*NO[ _]ANSWER\b")
_SOURCES_HEADING = re.compile(
    r"[\s#*_-]*(?:sources?|references?|citations?|bibliography|works cited|quellen|références|fuentes|来源|出典)"
    r"(?:[ \t]+(?:used|cited))?[\s*_]*(?:[:：]|\Z|\n)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\s*\[\^?\d{1,3}\]:")
_THOUGHT = "<think>"
_THOUGHT_ENDS = "</think>"
# A sentence said again so often is a model that goes round in circles.
REPEATS = 3
# A sentence whose full stop and mark both stand there; without one of them more may have been to come.
_FINISHED = re.compile(r"(?:[.!?…。！？]\s*(?:\[\d{1,3}\]\s*)+|\[\d{1,3}\]\s*[.!?…。！？]\s*)\Z")
_LISTING = frozenset("source sources page pages p pp and section slide sheet row url http https".split())


@dataclass(slots=True)
class DraftReader:
    """Reads one reply as it comes. Sentences are kept back until one of them cites something.

    So a draft without any citation can still be asked for again: nobody has seen it. `declined` tells that the
    reply says that the sources do not answer. A list of sources beside the answer is dropped, and a sentence that
    was said before; so is the prompt's own list of sources, beside an answer or instead of one. `strayed` says why
    the rest of the reply is not worth reading: the model repeats itself, or writes the prompt's fences with their
    `code`. `unfinished` tells that the last sentence of a reply that was cut off is left out.

    >>> passage = Passage("p7", "d", "r", 0, 1, "x", title="Weather")
    >>> reader = DraftReader((passage,))
    >>> [each.text for each in reader.feed("It rained. It snowed [1]. The sun ")]
    ['It rained.', 'It snowed.']
    >>> [each.text for each in reader.end()], reader.cited
    (['The sun'], True)
    """

    passages: tuple[Passage, ...]
    code: str = ""
    strayed: str | None = field(default=None, init=False)
    cited: bool = field(default=False, init=False)
    declined: bool = field(default=False, init=False)
    unfinished: bool = field(default=False, init=False)
    _cutter: SentenceCutter = field(init=False)
    _numbered: Numbered = field(init=False)
    _thought: str | None = field(default="", init=False)
    _listing: list[str] = field(default_factory=list, init=False)
    _in_listing: bool = field(default=False, init=False)
    _copied: list[str] = field(default_factory=list, init=False)
    _kept_back: list[Sentence] = field(default_factory=list, init=False)
    _number: int = field(default=0, init=False)
    _said: set[str] = field(default_factory=set, init=False)
    _repeats: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._numbered = Numbered(self.passages)
        self._cutter = SentenceCutter(self._numbered.titles)

    @property
    def silent(self) -> bool:
        """Whether the reply says nothing so far: no sentence, no list, and not that there is no answer."""
        return not (self._number or self._listing or self._copied or self.declined or self.strayed)

    def feed(self, piece: str) -> list[Sentence]:
        """The sentences that may be shown now."""
        self._read(self._cutter.feed(self._without_thought(piece)))
        return self._shown() if self.cited else []

    def end(self, *, cut: bool = False) -> list[Sentence]:
        """The sentences that are left, cited or not, now that the reply has ended.

        Of a reply that was `cut` off the last sentence is left out, unless it is plainly whole.
        """
        # A thought without an end is no answer; the beginning of something else is.
        unread = self._thought or ""
        rest = self._cutter.feed("" if unread.lstrip().startswith(_THOUGHT) else unread) + self._cutter.end()
        if cut and rest and rest[-1].strip() and not _FINISHED.search(rest[-1]):
            rest, self.unfinished = rest[:-1], True
        self._read(rest)
        if self._number == 0:  # there is nothing but a list, so that is what it answers
            # One source may be what it answers; the list of them was copied from the prompt.
            for each in self._listing or (self._copied if len(self._copied) == 1 else []):
                self._add(each)
        return self._shown()

    def _without_thought(self, piece: str) -> str:
        """The piece without what a reasoning model thinks aloud before it answers."""
        if self._thought is None:
            return piece
        text = self._thought + piece
        if _THOUGHT.startswith(text.lstrip()[: len(_THOUGHT)]) and _THOUGHT_ENDS not in text:
            self._thought = text
            return ""
        self._thought = None
        return text.partition(_THOUGHT_ENDS)[2].lstrip() if text.lstrip().startswith(_THOUGHT) else text

    def _read(self, written: list[str]) -> None:
        for each in written:
            if self.strayed or self._strays(each):
                continue
            if self._number == 0 and not self._listing and _NO_ANSWER.match(each):
                self.declined = True
            elif self.declined or not each.strip() or _NO_ANSWER.fullmatch(each.rstrip(" \n.*_")):
                continue
            elif copied := _lines_of_the_prompt(each, self.passages):
                self._copied += copied
            elif (self._in_listing or _opens_listing(each)) and _only_lists(each, self.passages):
                self._in_listing = True
                self._listing.append(each)
            else:
                self._in_listing = False
                self._add(each)

    def _strays(self, written: str) -> bool:
        """Whether this is no part of an answer: the prompt's own fences, or what was said before."""
        if self.code and self.code in written:
            self.strayed = "the model went on to repeat the prompt; what followed was not read"
            return True
        bare = " ".join(words(written))
        if not bare or bare not in self._said:
            self._said.add(bare)
            return False
        self._repeats += 1
        if self._repeats >= REPEATS:
            self.strayed = "the model repeated itself; what followed was not read"
        return True

    def _add(self, written: str) -> None:
        self._number += 1
        sentence = self._numbered.sentence(self._number, written)
        self.cited = self.cited or bool(sentence.passage_ids or sentence.unknown_marks)
        self._kept_back.append(sentence)

    def _shown(self) -> list[Sentence]:
        shown, self._kept_back = self._kept_back, []
        return shown


def _lines_of_the_prompt(written: str, passages: tuple[Passage, ...]) -> list[str]:
    """The lines, where each of them is one of the prompt's list of sources, as it stood there."""
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    given = {sources_line(n, passage) for n, passage in enumerate(passages, 1)}
    return lines if given.issuperset(lines) else []


def _opens_listing(written: str) -> bool:
    """Whether a list of sources may begin here: its heading, or a footnote."""
    return bool(_SOURCES_HEADING.match(written) or _FOOTNOTE.match(written))


def _only_lists(written: str, passages: tuple[Passage, ...]) -> bool:
    """Whether the words are those of marks, titles and places alone."""
    heading = _SOURCES_HEADING.match(written)
    rest = written[heading.end() :] if heading else written
    for mark in reversed(citations(rest, tuple(passage.title for passage in passages))):
        rest = rest[: mark.start] + " " + rest[mark.end :]
    known = {word for n, passage in enumerate(passages, 1) for word in words(sources_line(n, passage))}
    return known.union(_LISTING).issuperset(word for word in words(rest) if not word.isdigit())
