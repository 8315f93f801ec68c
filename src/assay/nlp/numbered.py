"""Things that only a number distinguishes: versions, models, articles ("Leaflet 1.0", "FTS4", "Article 5").

The number of what a question asks about is looked for where a text says what it is of: at the start of a paragraph,
an item or a row, in the headings over it, in what leads up to it, and in the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.nlp.blocks import BlockKind, passage_blocks, without_section_number
from assay.nlp.dates import dates
from assay.nlp.lexicon import word_class
from assay.nlp.names import plain_word
from assay.nlp.quantities import quantities
from assay.nlp.tokens import STOP_WORDS, fold, whole_word_spans
from assay.types import Passage, Span

# Words before the number of a product, whatever the product.
_KINDS = word_class("numbered.kinds")
# A pre-release as PEP 440 and semantic versioning write it, joined or behind a space; letters without a digit may
# be any word: "1.0-compatible".
_PRE = r"(?:alpha|beta|rc|pre|preview|dev|snapshot)"
_SUFFIX = (
    rf"[-_.~+]?(?:{_PRE}|[a-z]{{1,5}}(?=[-_.]?\d))[-_. ]?(?:\d+(?:\.\d+)*)?"
    rf"|[ ]{_PRE}(?![a-z])[-_. ]?(?:\d+(?:\.\d+)*)?|[a-z]\d*"
)
_NUMBER = re.compile(
    rf"(?P<number>\d+(?:\.\d+)*(?:\.[x*]|x(?=\W|\Z))?)(?P<suffix>{_SUFFIX})?"
    r"(?P<open>\+|\s+(?:or|and)\s+\w{2,}er\b)?(?!\w|[.,]\d)",
    re.IGNORECASE,
)
# The words before a number from its end on, the last joined to it or not: "FTS4", "P-300", "SQLite version 3.8".
_BEFORE = re.compile(r"(?P<gap>[-\s]?)(?P<word>[^\W\d_]+)(?:\s(?P<second>[^\W\d_]+)(?:\s(?P<third>[^\W\d_]+))?)?")
_LIST_MARK = re.compile(r"\W*\d{1,3}[.)]\s+")
# Between the numbers of a list, and of a range.
_LINKS = word_class("numbered.links") | {""}
_RANGES = word_class("numbered.ranges") | {"–", "—", "-"}
_MARKS = " \t\n,;&/"
# The number behind these is one end of what is meant.
_ENDS = word_class("numbered.ends")
_SIGNS = ("<", ">", "~", "≥", "≤")
# Words before the number of a label, at most; chosen: "In the version 3.2".
_LABEL_WORDS = 3
# A document that begins stretches with so many numbers of one kind is taken to tell them apart; chosen.
_LEAST_LABELS = 3
# Characters before a number, and behind the words of a label, that are looked at (chosen).
_LONGEST_LEAD = 60
_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[89]|20)\d\d(?![\w%]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A thing that a question tells from its like by a number, as `written`.

    `kind` is the folded word before it, which may be joined to it, `number` the number as numbers are compared,
    `words` those of the question.
    """

    kind: str
    number: str
    written: str
    is_joined: bool
    words: frozenset[str]

    @property
    def family(self) -> str:
        """The group in which any one thing of the question may be answered: versions, or one kind."""
        return "" if self.is_version else self.kind

    @property
    def is_named(self) -> bool:
        """Tell whether the word before it may be a name, rather than "version" or "in"."""
        return bool(self.kind) and self.kind not in _KINDS

    @property
    def is_version(self) -> bool:
        """Tell whether the number has parts, as a version has."""
        return "." in self.written


@dataclass(frozen=True, slots=True)
class _Found:
    """A number of a text with its place, the word before it, and whether that is joined to it.

    `product` is a name before "version" or "v". `bounds` marks the end of a range, which others lie within: "since
    2.0", "1.1 to 1.4".
    """

    number: str
    start: int
    end: int
    before: str
    product: str
    joined: bool
    dotted: bool
    bounds: bool


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A paragraph, an item or a row with the headings over it, outermost first."""

    span: Span
    path: tuple[str, ...]
    kind: BlockKind


def asked_numbers(question: str) -> tuple[Numbered, ...]:
    """The versions, models and other numbered things that a question names.

    A whole number counts behind a name or "version", and joined to letters; years, dates and amounts do not.

    >>> [(one.kind, one.number) for one in asked_numbers("When was Leaflet 1.0-beta1 released?")]
    [('leaflet', '1-beta1')]
    >>> [(one.kind, one.number) for one in asked_numbers("What does FTS4 need on Debian 8, and in version 2?")]
    [('fts', '4'), ('debian', '8'), ('version', '2')]
    >>> asked_numbers("Who led Debian in 2000 for 3.5 years?")
    ()
    """
    words = frozenset(plain_word(question[span.start : span.end]) for span in whole_word_spans(question))
    found: list[Numbered] = []
    for one in _numbers(question):
        if one.bounds:
            continue
        written = question[one.start : one.end]
        name = question[: one.start].rstrip(" -\u00a0").split(" ")[-1][:1]
        named = one.joined or one.before in _KINDS or (name.isupper() and one.before not in STOP_WORDS)
        if one.dotted or (named and one.before):
            kind = one.product or ("" if one.before in STOP_WORDS else one.before)
            found.append(Numbered(kind, one.number, written, one.joined, words))
    return tuple(dict.fromkeys(found))


def holds_number(text: str, asked: Numbered) -> bool:
    """Tell whether a text has the number, whatever it is of there."""
    return any(_is_same(one.number, asked.number) for one in _numbers(text))


def names_number(text: str, asked: Numbered) -> bool:
    """Tell whether a text names the thing by its number.

    >>> (asked,) = asked_numbers("When was Leaflet 1.0 released?")
    >>> [names_number(text, asked) for text in ("v1.0 (2016)", "1.0.0", "1.0-beta1", "1.0.3", "11.0", "1.0 RC1")]
    [True, True, False, False, False, False]
    """
    return any(_is_same(one.number, asked.number) for one in _like(text, asked))


def is_of_none(asked: Sequence[Numbered], passage: Passage, span: Span, passages: Sequence[Passage]) -> bool:
    """Tell whether a stretch says that it is of others than all of the asked things of one family."""
    told = [(one.family, is_of_another(one, passage, span, passages)) for one in asked]
    return any(all(is_off for name, is_off in told if name == family) for family, _ in told)


def numbers_like(text: str, asked: Numbered) -> frozenset[str]:
    """The numbers that a text gives to things of the kind, as numbers are compared.

    >>> (asked,) = asked_numbers("When was Leaflet 1.0 released?")
    >>> sorted(numbers_like("1.0-beta1, then 1.0.3; Python 3.8", asked))
    ['1-beta1', '1.0.3']
    """
    return frozenset(one.number for one in _like(text, asked))


def is_of_another(asked: Numbered, passage: Passage, span: Span, passages: Sequence[Passage]) -> bool | None:
    """Tell whether a stretch of a passage's text is of another number than the one that is asked about.

    The first of these that names a number of the kind decides: the beginning of the paragraph or item, or the row;
    the headings over it, the innermost first; the rest of its text, for the asked number; the nearest stretch
    before it under the same headings that begins with one; the title. None of them: it is of another one if
    stretches under the same headings begin with several such numbers, the asked one among them. `passages` may hold
    more of the document. None where nothing tells.

    >>> text = "# 1.0-beta1 (2015)\\n\\nNew icons.\\n\\n# 1.0 (2016)\\n\\nNew panes."
    >>> held = Passage("p", "d", "r", 0, len(text), text, line=1)
    >>> (asked,) = asked_numbers("What is new in Leaflet 1.0?")
    >>> [is_of_another(asked, held, Span(at, at + 9), [held]) for at in (text.index("New i"), text.index("New p"))]
    [True, False]
    """
    stretches = list(_stretches(passage))
    touched = [at for at, one in enumerate(stretches) if one.span.start < span.end and span.start < one.span.end]
    told = [_of_another(asked, passage, stretches, at) for at in touched]
    if False in told:
        return False
    if True in told:
        return True
    title = _decided(asked, _like(_without_section(passage.title), asked))
    if title is not None:
        return title
    paths = {stretches[at].path for at in touched}
    labels = {
        number
        for held in passages
        if held.document_id == passage.document_id
        for stretch in _stretches(held)
        if stretch.path in paths
        for number in numbers_like(_label(held.text[stretch.span.start : stretch.span.end]), asked)
    }
    by_number = len(labels) >= _LEAST_LABELS and any(_is_same(label, asked.number) for label in labels)
    return True if by_number and asked.kind else None


def asked_years(question: str) -> frozenset[str]:
    """The years that a question names.

    >>> sorted(asked_years("Who led it in 2019 and 2023, of 1,950 people?"))
    ['2019', '2023']
    """
    return frozenset(_YEAR.findall(question))


def is_of_another_year(asked: frozenset[str], passage: Passage, span: Span) -> bool:
    """Tell whether a stretch of a passage stands under a heading, or a title, of other years than those asked.

    The innermost heading with a year decides, unless the stretch itself names one that is asked.

    >>> text = "# Budget 2022\\n\\nRent: 90.\\n\\n# Budget 2023\\n\\nRent: 95."
    >>> held = Passage("p", "d", "r", 0, len(text), text, line=1)
    >>> places = [Span(text.index(rent), text.index(rent) + 9) for rent in ("Rent: 90", "Rent: 95")]
    >>> [is_of_another_year(frozenset(["2023"]), held, place) for place in places]
    [True, False]
    """
    touched = [one for one in _stretches(passage) if one.span.start < span.end and span.start < one.span.end]
    return bool(touched) and all(_of_another_year(asked, passage, one) for one in touched)


def _of_another_year(asked: frozenset[str], passage: Passage, own: _Stretch) -> bool:
    if not asked.isdisjoint(_YEAR.findall(passage.text[own.span.start : own.span.end])):
        return False
    headings = [passage.text[own.span.start : own.span.end]] if own.kind is BlockKind.HEADING else []
    for heading in (*headings, *reversed(own.path), passage.title):
        found = list(_YEAR.finditer(heading))
        if found:
            # "Since 2020", "2019–2024".
            is_open = len(found) > 1 or not _ENDS.isdisjoint(fold(heading).split())
            return not is_open and found[0].group() not in asked
    return False


def _of_another(asked: Numbered, passage: Passage, stretches: Sequence[_Stretch], at: int) -> bool | None:
    """As `is_of_another`, by one stretch of the passage."""
    own = stretches[at]
    text = passage.text[own.span.start : own.span.end]
    whole = own.kind in (BlockKind.TABLE, BlockKind.HEADING)
    told = _decided(asked, _like(_without_section(text) if whole else _label(text), asked))
    # A line of a changelog may name the version before its own.
    if told is None and not asked.is_version and names_number(text, asked):
        return False
    for heading in reversed(own.path):
        told = _decided(asked, _like(_without_section(heading), asked)) if told is None else told
    if told is None:
        # "Windows 8" in a text on Windows 10: a mere "3.6" may be of anything.
        named = [one for one in _like(text, asked) if asked.kind and asked.kind in (one.before, one.product)]
        told = False if names_number(text, asked) else _decided(asked, named)
    for before in reversed(stretches[:at]):
        if told is None and before.path == own.path and before.kind is not BlockKind.HEADING:
            told = _decided(asked, _like(_label(passage.text[before.span.start : before.span.end]), asked))
    return told


def _decided(asked: Numbered, found: Sequence[_Found]) -> bool | None:
    """Tell whether numbers are those of others; None without any."""
    if any(_is_same(one.number, asked.number) for one in found):
        return False
    return None if all(one.bounds for one in found) else True


def _is_same(number: str, asked: str) -> bool:
    """Tell whether two numbers may be of one thing; "2.x" is any that begins so.

    >>> _is_same("2.x", "2.1"), _is_same("2.1", "2"), _is_same("2.x", "2")
    (True, False, True)
    """
    for one, other in ((number, asked), (asked, number)):
        if one.endswith(".x") and (other + ".").startswith(one[:-1]):
            return True
    return number == asked


def _like(text: str, asked: Numbered) -> list[_Found]:
    """The numbers of a text that tell things like the asked one apart."""
    return [one for one in _numbers(text) if _is_like(one, asked)]


def _is_like(one: _Found, asked: Numbered) -> bool:
    if one.product and one.product not in asked.words:
        return False
    if asked.kind and asked.kind in (one.before, one.product):
        return True
    if one.joined and one.before != "v":
        return False
    if asked.is_version and one.dotted:
        is_general = not one.before or one.before in STOP_WORDS | _KINDS
        return is_general or (not asked.is_named and one.before in asked.words)
    return asked.kind in _KINDS and one.before in _KINDS


@lru_cache(maxsize=1 << 12)
def _numbers(text: str) -> tuple[_Found, ...]:
    """The numbers of a text that may tell things apart, each of a list with the word before the list.

    Years, dates and amounts with a unit are none.
    """
    if not any(map(str.isdigit, text)):
        return ()
    dated = [(date.start, date.end) for date in dates(text)]
    measured = [(amount.start, amount.end) for amount in quantities(text) if amount.dimension]
    found: list[_Found] = []
    at = 0
    while match := _NUMBER.search(text, at):
        start, at = match.start(), match.end()
        dotted = "." in match["number"]
        gap, word, second, third = _words_before(text, start)
        joined = bool(word) and gap in ("", "" if dotted else "-")
        between = text[found[-1].end : start] if found else "?"
        if between.strip() in _RANGES and (between != "-" or (dotted and found[-1].dotted)):
            found[-1] = replace(found[-1], bounds=True)
            found.append(replace(found[-1], number=_compared(match), start=start, end=at, dotted=dotted))
            continue
        is_part = start > 1 and text[start - 1] in ".,:-" and text[start - 2].isdigit()
        is_year = not dotted and _YEAR.fullmatch(match["number"])
        taken = [] if joined else dated if word[:1].isupper() else [*dated, *measured]
        if is_part or is_year or any(one < at and start < other for one, other in taken):
            continue
        if not word and start and (text[start - 1].isalnum() or text[start - 1] in "_$€£#"):
            continue
        if not joined and between.strip(_MARKS) in _LINKS:
            found.append(replace(found[-1], number=_compared(match), start=start, end=at, dotted=dotted))
            continue
        product = fold(second) if fold(word) in _KINDS and second[:1].isupper() else ""
        sign = text[max(0, start - 3) : start].strip(" =")[-1:]
        leads = (fold(word), fold(second), fold(third) if product else "")
        bounds = bool(match["open"]) or sign in _SIGNS or not _ENDS.isdisjoint(leads)
        found.append(_Found(_compared(match), start, at, fold(word), product, joined, dotted, bounds))
    return tuple(found)


def _words_before(text: str, at: int) -> tuple[str, str, str, str]:
    """The text between a place and the word before it, that word, and the two before that; "" for none."""
    match = _BEFORE.match(text[max(0, at - _LONGEST_LEAD) : at][::-1])
    if match is None:
        return "", "", "", ""
    gap, word, second, third = ((part or "")[::-1] for part in match.groups())
    return gap, word, second, third


def _compared(match: re.Match[str]) -> str:
    """A number as it is compared: "1.0" and "1.0.0" are one, "1.0-beta1" and "1.0 Beta 1" are."""
    parts = re.sub(r"\.?[x*]\Z", ".x", fold(match["number"])).split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    suffix = re.sub(r"[\W_]", "", fold(match["suffix"] or ""))
    return ".".join(parts) + (f"-{suffix}" if suffix else "")


def _without_section(heading: str) -> str:
    """A heading without the number of its section; "1.0 beta" has none."""
    first = _NUMBER.match(heading)
    return heading if first and first["suffix"] else without_section_number(heading)


def _label(text: str) -> str:
    """The beginning of a text, with the numbers that stand there: "Debian 1.1 Buzz" of what it says of it."""
    mark = _LIST_MARK.match(text)
    text, spans = text[mark.end() :] if mark else text, list[Span]()
    for span in whole_word_spans(text):
        spans.append(span)
        if len(spans) > _LABEL_WORDS:
            break
    if not spans:
        return ""
    end, begun = spans[-1].end, False
    for one in _numbers(text[: end + _LONGEST_LEAD]):
        if one.start < end or (begun and text[end : one.start].strip(_MARKS) in _LINKS):
            end, begun = max(end, one.end), True
    return text[:end]


def _stretches(passage: Passage) -> Iterator[_Stretch]:
    """The headings, paragraphs, items, rows and code of a passage."""
    found = passage_blocks(passage)
    levels = {block.title: block.level for block in reversed(found) if block.kind is BlockKind.HEADING}
    section = tuple((passage.location.section or "").split(" > ")) if passage.location.section else ()
    for block in found:
        if block.kind is BlockKind.MARKUP:
            continue
        # A heading of the passage ends those sections of its own level and below that the passage begins in.
        over = section[: levels.get(block.path[0], 1) - 1] if block.path else section
        path = tuple(dict.fromkeys((*over, *block.path)))
        for span in block.items or (Span(block.start, block.end),):
            yield _Stretch(span, path, block.kind)
