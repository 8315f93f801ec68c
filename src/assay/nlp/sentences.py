"""Sentences with their places."""

from __future__ import annotations

import re
from functools import lru_cache

from assay.nlp.lexicon import word_class
from assay.types import Span

# Words whose full stop rarely ends a sentence. Lower case, without the stop.
ABBREVIATIONS = word_class("abbreviations.all") | word_class("abbreviations.all", "de")
# Some of these end a sentence: where one of the other words follows with a capital.
_MAY_END = word_class("abbreviations.sentence_final") | word_class("abbreviations.sentence_final", "de")
_BEGINS = re.compile(
    r"\s+(?:The|This|That|These|It|Its|He|She|They|We|His|Her|Their|In|But|However|After|When|There)\s"
)
# Further words whose full stop stands within a sentence, and before a word in lower case as often as not.
_SHORTENED = word_class("abbreviations.within_sentence") | word_class("abbreviations.within_sentence", "de")
_ORDINARY = re.compile(
    r"(?:[a-zß-öø-ÿ]{2,}|[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{3,}|[^\W\d_]+(?:['’-][^\W\d_]+)+|\d[\d.,:]*\d|\d+[%°])[)\]]?\Z"
)
_VOWEL = re.compile("[aeiouyäöüáéíóúàèìòùâêîôû]")
# A German ordinal has a full stop: am 3. Mai, der 2. Weltkrieg.
_AFTER_ORDINAL = word_class("time.months", "de")
_BEFORE_ORDINAL = word_class("dates.before_ordinal", "de")
_TWO_WORDS = re.compile(r"([^\W\d_]+)\s+\d{1,2}$")
_NEXT_WORD = re.compile(r"\s*([^\W\d_]+)")
_END = re.compile(
    r"""(?P<wide>[。！？｡]+[”’」』）"'\)\]]*)                    # CJK: no white space needed
      | (?P<stop>(?<![.!?…])[.!?…]+["'”’»\)\]]*)(?=\s|$)        # Latin: white space follows
      | (?P<line>(?<![ \t])[ \t]*\n(?:[ \t]*\n)+                 # a blank line
          | \n(?=[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]|[ \t]*\#{1,6}[ \t]|[ \t]*\|))  # list, heading, table row
    """,
    re.VERBOSE,
)
_HEADING_LINE = re.compile(r"[ \t]*(#{1,6}[ \t]|\|)")
# Initials, as in "The A.V. Club" and "u.s. compound".
_INITIALS = re.compile(r"[a-z](?:\.[a-z])+")
_LAST_WORD = re.compile(r"(?:^|[\s(\[\"'“‘])([^\s(\[\"'“‘]{1,12})$")
# Characters that are looked at for the word before a full stop: longer ones are no abbreviations.
_LONGEST_WORD = 24
_LONGEST_MARK = 24
_WHOLE_WORD = re.compile(r"(?:^|[\s(\[\"'“‘])([^\s(\[\"'“‘]{1,24})$")
# Few texts longer than a passage are read twice.
_LONGEST_REMEMBERED = 10_000
_CAPITAL = re.compile(r"\s*+[\"'“‘(\[]*+\s*+[^\W\d_a-zß-öø-ÿ]")
_TWO_LOWER = re.compile(r"(?:[ \t]+|[ \t]*+\n[ \t]*+)[a-z]+(?:['’][a-z]+)?,?[ \t]+\S")
_LIST_SIGNS = " \t-*•+"
_LETTER = re.compile(r"\s?[^\W\d_]\.")
_OPENS = re.compile(r"\s*+[\"'“‘(\[]*\s*+(\S)")


def sentences(text: str, *, lowered: bool = False) -> list[Span]:
    """The sentences of `text`, trimmed, in order, without overlap; no word lies outside all of them.

    A blank line, a list mark, a heading or a table row ends a sentence too. In a text that may be `lowered`, as a
    draft may, sentences may begin in lower case.

    >>> [("Dr. Wu left. 東京です。Ja!")[s.start:s.end] for s in sentences("Dr. Wu left. 東京です。Ja!")]
    ['Dr. Wu left.', '東京です。', 'Ja!']
    >>> [(s.start, s.end) for s in sentences("it rained approx. twice. it froze.", lowered=True)]
    [(0, 24), (25, 34)]
    """
    return list(_cut(text, lowered) if len(text) > _LONGEST_REMEMBERED else _cached_cut(text, lowered))


def _cut(text: str, lowered: bool) -> tuple[Span, ...]:
    found: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match.group("stop") is not None and not (
            _ends_sentence(text, match, start) or (lowered and _ends_before_lower_case(text, match, start))
        ):
            continue
        _append_trimmed(found, text, start, match.end())
        start = match.end()
    _append_trimmed(found, text, start, len(text))
    return tuple(found)


# Judge, writer and checks cut the same passages.
_cached_cut = lru_cache(maxsize=1 << 11)(_cut)


def _append_trimmed(found: list[Span], text: str, start: int, end: int) -> None:
    """Append the span without outer white space; a heading's or a table row's line stands alone."""
    stretch = text[start:end]
    start += len(stretch) - len(stretch.lstrip())
    end = start + len(stretch.strip())
    if start >= end:
        return
    line_end = text.find("\n", start, end)
    if line_end != -1 and _HEADING_LINE.match(text, start):
        found.append(Span(start, start + len(text[start:line_end].rstrip())))
        _append_trimmed(found, text, line_end, end)
        return
    found.append(Span(start, end))


def _ends_sentence(text: str, match: re.Match[str], start: int) -> bool:
    """True if a full stop ends the sentence that began at `start`: no abbreviation, no lower case behind."""
    mark = match.group()
    opening = _OPENS.match(text, match.end())
    follows = opening.group(1) if opening else ""
    if mark[0] in "!?":
        return not follows.islower()
    if not mark.startswith(".") or len(mark.rstrip("\"'”’»)]")) > 1:
        return not follows.islower()
    last = _LAST_WORD.search(text[max(start, match.start() - 16) : match.start()])
    written = last.group(1) if last else ""
    word = written.lower()
    if word.isdigit() and not text[start : match.start() - len(word)].strip():
        return False  # the mark of a list item
    if word.isdigit() and _is_ordinal(text, match):
        return False
    if _is_initial(written, text, match.end()):
        return not follows
    if word in ABBREVIATIONS or _INITIALS.fullmatch(word):
        may = word in _MAY_END or "." in word
        return not follows or (may and _BEGINS.match(text, match.end()) is not None)
    return not (follows.islower() and follows.isascii())


def _ends_before_lower_case(text: str, stop: re.Match[str], start: int) -> bool:
    """True if a full stop ends a sentence before a word in lower case: behind an ordinary word, or a number.

    Something must stand before that word, and behind the other.
    """
    if stop.group() != "." or _TWO_LOWER.match(text, stop.end()) is None:
        return False
    # A citation mark in front of the full stop is blanked by whoever cuts.
    before = text[max(start, stop.start() - _LONGEST_WORD - _LONGEST_MARK) : stop.start()].rstrip(" ")
    last = _WHOLE_WORD.search(before[-_LONGEST_WORD - 1 :])
    word = last.group(1) if last else ""
    if _ORDINARY.match(word) is None or _is_shortened(word.lower()):
        return False
    return bool(text[start : stop.start()].rstrip(" ").removesuffix(word).strip(_LIST_SIGNS))


def _is_shortened(word: str) -> bool:
    """True if a word's full stop may be that of an abbreviation: it is known for one, or has no vowel."""
    return word in ABBREVIATIONS or word in _SHORTENED or (word.isalpha() and _VOWEL.search(word) is None)


def _is_initial(word: str, text: str, behind: int) -> bool:
    """True if a letter before a full stop is a name's ("J. Smith") or one of two ("z. B."), no unit ("155 d.")."""
    if len(word) != 1 or not word.isalpha():
        return False
    return (word.isupper() and _CAPITAL.match(text, behind) is not None) or _LETTER.match(text, behind) is not None


def _is_ordinal(text: str, stop: re.Match[str]) -> bool:
    """True if the number before a full stop is a German ordinal."""
    before = _TWO_WORDS.search(text[max(0, stop.start() - 16) : stop.start()])
    behind = _NEXT_WORD.match(text, stop.end())
    month = behind is not None and behind.group(1).lower() in _AFTER_ORDINAL
    return month or (before is not None and before.group(1).lower() in _BEFORE_ORDINAL)
