"""Stretches of passages about a rival: something else in the place of what the question asks about.

A document often says the same of several things, in a paragraph or a line for each, and a network that reads it
confuses them. Here they are distinguished by form alone, without lists of words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, pairwise

from assay.nlp.blocks import BlockKind, blocks, titled, without_markup
from assay.nlp.language import language_of
from assay.nlp.names import CAPITAL_NOUNS, Name, mentions, names, plain_word
from assay.nlp.spelling import is_english
from assay.nlp.tokens import STOP_WORDS, fold, whole_word_spans, whole_words
from assay.types import Passage, Question, QuestionKind, Span, TitledText

# Words before the name of a stretch's subject, at most; chosen: "Employees in Portugal have".
_WORDS_BEFORE = 3
# A number behind a name belongs to it: "Version 3.2".
_NUMBER = re.compile(r"[ \u00a0](\d[\w.]*\w|\d)(?![\w%])")
# The text between names in a list: "in Oslo, Bergen and Rome".
_MARKS_BETWEEN, _WORDS_BETWEEN = " \t\n\u00a0,;/&|", frozenset(("", "and", "or", "et", "y", "e", "o", "ou"))
# Marks behind the subject of a paragraph or row: "**Lexa 200** prints", "Acetone: keep".
_SET_APART = re.compile(r"(?:\*\*|__)?\s*(?:[:|]|[–—-]\s)|(?:\*\*|__)")
_NOT_LINE_END = re.compile(r"[^\n]")
_BLANK = (" ", "\u00a0")
# The mark of an item belongs to the page.
_LIST_MARK = re.compile(r"\W*\d{1,3}[.)]\s+")
_WHICH = frozenset(("which", "what", "whose"))


@dataclass(frozen=True, slots=True)
class Rival:
    """A stretch of a passage's text about a `rival` of the `asked`, both as folded words.

    `key` are the words of the asked one that the rival lacks. `begin` includes headings before the stretch that
    name the rival.
    """

    span: Span
    asked: tuple[str, ...]
    rival: tuple[str, ...]
    key: tuple[str, ...]
    begin: int


@dataclass(frozen=True, slots=True)
class _Named:
    """A name with its number, at `start` to `end` behind `before` words; rivals share one of its `places`."""

    words: tuple[str, ...]
    start: int
    end: int
    before: int
    places: frozenset[tuple[str, ...]]
    opens: bool


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A paragraph, an item or a row: its place, its prose and headings, and the names in its own words.

    `subjects` are the names at its start and in its headings. `headed` is the start of the headings before it, or
    its own.
    """

    passage: Passage
    span: Span
    text: str
    headings: tuple[str, ...]
    named: tuple[_Named, ...]
    subjects: tuple[_Named, ...]
    headed: int

    @property
    def about(self) -> str:
        """Its headings and its words."""
        return "\n".join((*self.headings, self.text))


def rivals(question: Question, passages: Sequence[Passage]) -> Mapping[str, tuple[Rival, ...]]:
    r"""The stretches of each passage, by its id, that tell of a rival of what the question names.

    A rival of X is a name Y that begins a paragraph, an item or a row, or stands in its heading, as X does
    elsewhere in the same document: beside the same word ("the Oslo office", "the Bergen office"), sharing a word
    with it ("Ashby College", "Merrow College"), at the head of another item of the same list or row of the same
    table, or as another heading under the same one ("Toaster Vega", "Kettle Mira"). The stretch names X nowhere,
    nor does a heading above it or the title. Where a stretch that names X leads to Y, or the question compares or
    asks which one ("Which office"), Y is no rival.

    >>> text = "The Oslo office has a lift.\n\nThe Bergen office has none."
    >>> asked = "Has the Bergen office a lift?"
    >>> found = rivals(Question(asked, asked), [Passage("p", "d", "r", 0, len(text), text)])
    >>> [text[rival.span.start : rival.span.end] for rival in found["p"]]
    ['The Oslo office has a lift.']
    """
    text = question.standalone
    if question.kind is QuestionKind.COMPARATIVE or language_of(text) in CAPITAL_NOUNS:
        return {}
    small = set(chain.from_iterable(_small(passage.text) for passage in passages))
    asked = [named for named in _named(text) if not small.issuperset((word,) for word in named.words)]
    documents: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        documents[passage.document_id].append(passage)
    found: dict[tuple[str, Span], Rival] = {}
    for held in documents.values():
        stretches = [stretch for passage in held for stretch in _stretches(passage)]
        # A question without capitals may still ask about a name.
        wanted = asked or _known(text, stretches)
        for named in wanted:
            others = {word for other in wanted for word in other.words} - set(named.words)
            for stretch, rival in _rival_stretches(text, named, others, stretches, small):
                found.setdefault((stretch.passage.passage_id, rival.span), rival)
    by_passage: defaultdict[str, list[Rival]] = defaultdict(list)
    for (passage_id, _), rival in sorted(found.items(), key=lambda item: item[0][1].start):
        by_passage[passage_id].append(rival)
    return {passage_id: tuple(of_passage) for passage_id, of_passage in by_passage.items()}


def titled_without(passage: Passage, found: Mapping[str, Sequence[Rival]]) -> TitledText:
    """The passage for a reader, with stretches about rivals blanked out; offsets are unchanged.

    >>> passage = Passage("p", "d", "r", 0, 25, "Oslo: 8:00. Bergen: 9:00.", "Hours")
    >>> titled_without(passage, {"p": (Rival(Span(0, 11), ("bergen",), ("oslo",), ("bergen",), 0),)})
    TitledText(title='Hours', text='            Bergen: 9:00.')
    """
    complete = titled(passage)
    text = complete.text
    for rival in found.get(passage.passage_id, ()):
        stretch = text[rival.begin : rival.span.end]
        text = text[: rival.begin] + _NOT_LINE_END.sub(" ", stretch) + text[rival.span.end :]
    return replace(complete, text=text)


def is_of_rival(passage: Passage, span: Span, found: Mapping[str, Sequence[Rival]]) -> bool:
    """True if a stretch of the passage's text overlaps one about a rival."""
    spans = (rival.span for rival in found.get(passage.passage_id, ()))
    return any(rival.start < span.end and span.start < rival.end for rival in spans)


@lru_cache(maxsize=1 << 8)
def _small(text: str) -> frozenset[tuple[str, ...]]:
    """The words that a text writes without a capital, alone and with the next word."""
    written = [text[span.start : span.end] for span in whole_word_spans(text)]
    folded = [fold(word) for word in written]
    small = [at for at, word in enumerate(written) if word[0].islower()]
    return frozenset([(folded[at],) for at in small] + [tuple(folded[at : at + 2]) for at in small])


def _known(question: str, stretches: Sequence[_Stretch]) -> list[_Named]:
    """The names of stretches that the question has without capitals, without single words at a start."""
    asked = {plain_word(question[span.start : span.end]) for span in whole_word_spans(question)}
    held = (named for stretch in stretches for named in (*stretch.named, *stretch.subjects))
    within = {word for named in held if not named.opens for word in named.words}
    found = (named for stretch in stretches for named in stretch.subjects if asked & within >= set(named.words))
    return list({named.words: named for named in found}.values())


def _rival_stretches(
    question: str, asked: _Named, others: set[str], stretches: Sequence[_Stretch], small: set[tuple[str, ...]]
) -> Iterator[tuple[_Stretch, Rival]]:
    """The stretches of one document that are about a rival of one name of the question."""
    subjects = list(dict.fromkeys(named for stretch in stretches for named in stretch.subjects))
    heads = [named for named in subjects if _same(asked.words, named.words)]
    found = {
        pair: named.words
        for named in subjects
        if not _same(asked.words, named.words) and others.isdisjoint(named.words)
        for head in heads
        if (pair := _apart(question, asked, head, named, small))
    }
    title = _title_of(stretches)
    found = {
        (key, own): words
        for (key, own), words in found.items()
        if not mentions(title, key) and not _leads(key, own, stretches)
    }
    for stretch in stretches:
        if others and mentions(stretch.text, tuple(others)):
            continue
        for (key, own), words in found.items():
            about = any(set(own) <= set(named.words) for named in stretch.subjects)
            if about and not mentions(stretch.about, key):
                headings = (map(plain_word, whole_words(text)) for text in stretch.headings)
                begin = (
                    stretch.headed if any(set(own) <= set(heading) for heading in headings) else stretch.span.start
                )
                yield stretch, Rival(stretch.span, asked.words, words, key, begin)
                break


def _title_of(stretches: Sequence[_Stretch]) -> str:
    """The title of a document; "" where that is only the first of several headings of one level."""
    title = stretches[0].passage.title if stretches else ""
    first = {stretch.headings[0] for stretch in stretches if stretch.headings}
    return "" if title in first and len(first) > 1 else title


def _apart(
    question: str, asked: _Named, head: _Named, named: _Named, small: set[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words that only the asked name has, and only a name in a place like that of its `head`; else None.

    None of them may be written `small` somewhere, unless before another word: "the Team plan", "our team".
    """
    shared = set(head.words) & set(named.words)
    common_places = head.places & named.places
    key = tuple(word for word in asked.words if word not in shared)
    own = tuple(word for word in named.words if word not in shared)
    if not key or not own or not (shared or common_places) or _asks_which(question, shared.union(*common_places)):
        return None
    words = {(word,) for word in (*key, *own)}
    behind = [place[1] for place in common_places if place[0] == "_"]
    beside = {(words_of_name[-1], word) for word in behind for words_of_name in (key, own)}
    return (key, own) if small.isdisjoint(words) or (beside and small.isdisjoint(beside)) else None


def _same(asked: tuple[str, ...], named: tuple[str, ...]) -> bool:
    """True if two names may be the same: the longer has all words of the shorter."""
    return set(asked) <= set(named) or set(named) <= set(asked)


def _asks_which(question: str, place: set[str]) -> bool:
    """True if the question asks which one of those in a place: "Which office"."""
    asked = [plain_word(question[span.start : span.end]) for span in whole_word_spans(question)]
    return any(
        word in place and word not in STOP_WORDS and _WHICH.intersection(asked[max(0, at - back) : at])
        for at, word in enumerate(asked)
        for back in ((2,) if at and asked[at - 1] not in STOP_WORDS else (1,))
    )


def _leads(key: tuple[str, ...], own: tuple[str, ...], stretches: Sequence[_Stretch]) -> bool:
    """True if a stretch names both, other than side by side."""
    for stretch in stretches:
        one = [at for at, named in enumerate(stretch.named) if not set(key).isdisjoint(named.words)]
        other = [at for at, named in enumerate(stretch.named) if not set(own).isdisjoint(named.words)]
        if one and other and not any(_beside(stretch, a, b) for a in one for b in other):
            return True
    return False


def _beside(stretch: _Stretch, one: int, other: int) -> bool:
    """True if only names, commas and the like stand between two names."""
    named = stretch.named[min(one, other) : max(one, other) + 1]
    between = (stretch.text[a.end : b.start].strip(_MARKS_BETWEEN) for a, b in pairwise(named))
    return all(text in _WORDS_BETWEEN for text in between)


def _stretches(passage: Passage) -> Iterator[_Stretch]:
    """The paragraphs, items and rows of a passage."""
    rows = passage.location.row is not None or passage.location.sheet is not None
    format = "csv" if rows else "markdown"
    prose = without_markup(passage.text, format)
    section = tuple((passage.location.section or "").split(" > ")) if passage.location.section else ()
    heading: int | None = None
    for number, block in enumerate(blocks(passage.text, format)):
        if block.kind is BlockKind.HEADING:
            heading = block.start if heading is None else heading
        if block.kind in (BlockKind.HEADING, BlockKind.MARKUP, BlockKind.CODE):
            continue
        headed, heading = heading, None
        headings = tuple(dict.fromkeys((*section, *block.path)))
        above = (headings[:at] for at in range(len(headings)))
        subjects = tuple(chain(*(_heading_names(text, path) for text, path in zip(headings, above, strict=True))))
        for span in block.items or (Span(block.start, block.end),):
            text = prose[span.start : span.end]
            listed = passage.document_id if rows else f"{passage.passage_id} {number}" if block.items else ""
            named = _named(text, listed, passage.text[span.start : span.end])
            about = (*(name for name in named if name.before <= _WORDS_BEFORE), *subjects)
            begin = span.start if headed is None else headed
            yield _Stretch(passage, span, text, headings, named, about, begin)
            headed = None


def _heading_names(heading: str, above: Sequence[str]) -> tuple[_Named, ...]:
    """The names of a heading; one that is all of it, and no plain words, has a place beside headings like it."""
    named = _named(heading)
    is_all = len(named) == 1 and (named[0].start, named[0].end) == (0, len(heading)) and not named[0].opens
    if not is_all or all(is_english(word) for word in named[0].words):
        return named
    return (replace(named[0], places=named[0].places | {("under", *above)}),)


@lru_cache(maxsize=1 << 12)
def _named(text: str, listed: str = "", written: str = "") -> tuple[_Named, ...]:
    """The names of a text with the places they stand in.

    `listed` names the list or table that the text is an item of, and `written` is the text with its markup.
    """
    begins = _LIST_MARK.match(text)
    spans = [span for span in whole_word_spans(text) if begins is None or span.start >= begins.end()]
    return tuple(_placed(text, at, name, spans, listed, written) for at, name in enumerate(names(text)))


def _placed(text: str, at: int, name: Name, spans: Sequence[Span], listed: str, written: str) -> _Named:
    """One name of a text, the first where `at` is 0, with the places it stands in; `spans` are the text's words."""
    number = _NUMBER.match(text, name.end)
    end = number.end() if number else name.end
    folded = (*map(plain_word, name.words), *([fold(number[1])] if number else []))
    earlier = bisect_right(spans, name.start, key=lambda span: span.end)
    before = [_word(text, span) for span in spans[max(0, earlier - 2) : earlier]]
    behind = next((span for span in spans[earlier:] if span.start >= end), None)
    opens = name.opens or (len(name.words) == 1 and not before and not number and not name.acronym)
    mark = None if at or before else _SET_APART.match(written, end)
    places: set[tuple[str, ...]] = {(f"before {mark.group().strip()}",)} if mark else set()
    # One word at the start of a sentence may be any: "Enable logging", "Redirect logging".
    if not opens:
        if behind and text[end : behind.start] in _BLANK and _word(text, behind) not in STOP_WORDS:
            places.add(("_", _word(text, behind)))
        if before and before[-1] not in STOP_WORDS:
            places.add((before[-1], "_"))
        elif len(before) > 1 and before[-2] not in STOP_WORDS:
            places.add((before[-2], before[-1], "_"))
    if listed and not at and not before and (mark or not opens):
        places.add((listed,))
    return _Named(tuple(dict.fromkeys(folded)), name.start, end, earlier, frozenset(places), opens)


def _word(text: str, span: Span) -> str:
    """The word at a place; all numbers are one."""
    word = plain_word(text[span.start : span.end])
    return "#" if word[0].isdigit() else word
