"""Sentences of an answer, and whether the passages hold their numbers, names and words. Nothing of assay is used.

A sentence counts as unsupported where one of its numbers or names is in no passage, or more than 40 % of its
content words are in none. That is blind to what is said with the sources' own words put together wrongly; the
labels by hand are there for that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ABSENT = 0.4
MARK = "⚠"
_CITED = re.compile(r"\[\d{1,3}\]")
# White space behind the end of a sentence, its quotation marks, its citations and its mark; or a line's end.
_BOUNDARY = re.compile(rf"(?<=[.!?…\])\"”'’*{MARK}])[ \t]+(?!\[\d|{MARK})|[ \t]*\n\s*")
_ENDS = re.compile(rf"(?:[.!?…][\])\"”'’*]*|\[\d{{1,3}}\]|{MARK})\Z")
# "The answer is:" says something with what follows alone.
_LEADS_IN = re.compile(rf":(?:\s|\[\d{{1,3}}\]|{MARK})*\Z")
_ABBREVIATED = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|jr|sr|vs|nos|vol|ca|c|fl|e\.g|i\.e|etc|inc|ltd|co|gen|col|lt|sgt|gov|sen|rep|prof|"
    r"rev|hon|mt|ft|approx|jan|feb|mar|apr|aug|sept?|oct|nov|dec)|\b[A-Z]|\b(?:[A-Za-z]\.)+[A-Za-z]|(?:\A|[:\n])\s*\d{1,3})\.\Z",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\A(?:[-*•+]|\d{1,3}[.)])\s")
_LONGEST_HEADING = 8
# Blanks around and between the words of the shortest copy, six words: a title is none.
_LEAST_COPIED = 7
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_OPENS = re.compile(r"[:.?!\"“]")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_STOP = frozenset(
    """a about above after again against all also although am among an and another any are as at be became because
    become becomes been before being below between both but by can cannot could did do does doing down during each
    either else etc even ever every few for from further get gets had has have having he her here hers herself him
    himself his how however i if in into is it its itself just may me might more most much must my myself neither no
    nor not now of off often on once one only onto or other others our ours out over own per rather same shall she
    should since so some such than that the their theirs them themselves then there therefore these they this those
    though through thus to too under until up upon us very was we were what when where whether which while who whom
    whose why will with within without would yet you your yours""".split()
)
_PLURAL = re.compile(r"(?<!s)s\Z")
_ENDINGS = ("ization", "isation", "ational", "ation", "ment", "ness", "ible", "able", "ally", "edly", "ing", "ion",
            "ity", "ive", "ous", "ied", "ies", "ed", "er", "es", "ly", "al", "ie", "e", "y")  # fmt: skip
_LEAST_STEM = 3


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence without its citations; `start` is where it begins in the answer, `marked` that ⚠ is behind it."""

    text: str
    start: int
    marked: bool


def sentences(answer: str) -> Iterator[Said]:
    """The sentences of an answer that say a word, without its headings and the marks of its lists.

    >>> [each.text for each in sentences("It opened in 1932. [1][2] Dr. Bo paid. [1] ⚠ Why not?\\nSee U.S. 2")]
    ['It opened in 1932.', 'Dr. Bo paid.', 'Why not?', 'See U.S. 2']
    >>> [each.marked for each in sentences("It opened. [1] Bo paid. [1] ⚠")]
    [False, True]
    >>> [each.text for each in sentences("The answer is: [1]\\n\\nin 1932.")]
    ['The answer is: in 1932.']
    >>> [each.text for each in sentences("The bridge\\nIt opened. [1]\\n- a tower\\nLund")]
    ['It opened.', 'a tower', 'Lund']
    >>> [each.text for each in sentences("The two are: 1. Lund\\n2. Ulm. It rained.")]
    ['The two are: 1. Lund', 'Ulm.', 'It rained.']
    """
    start = 0
    for end, following in _cuts(answer):
        piece = answer[start:end]
        text = _ITEM.sub("", " ".join(_CITED.sub(" ", piece.replace(MARK, " ")).split()))
        if _WORD.search(text) and not (answer[end:following].count("\n") and _is_heading(piece.strip())):
            yield Said(text, start, MARK in piece)
        start = following


def _is_heading(line: str) -> bool:
    """Whether a line that others follow is a heading: short, without an end, and no item of a list."""
    is_short = len(line.split()) <= _LONGEST_HEADING and ":" not in line
    return is_short and not (_ENDS.search(line) or _ITEM.match(line))


def _cuts(answer: str) -> Iterator[tuple[int, int]]:
    """Where each sentence ends and the next begins."""
    start = 0
    for match in _BOUNDARY.finditer(answer):
        before = answer[start : match.start()]
        ends = _ENDS.search(before) and not _ABBREVIATED.search(before)
        if (ends or "\n" in match.group()) and not _LEADS_IN.search(before):
            yield match.start(), match.end()
            start = match.end()
    yield len(answer), len(answer)


@dataclass(frozen=True, slots=True)
class Held:
    """What a question's passages hold: stems of words, and numbers."""

    stems: frozenset[str]
    numbers: frozenset[str]


def held(passages: Sequence[str]) -> Held:
    """What is in any of the passages."""
    text = plain("\n".join(passages))
    spelled = {str(n) for n, word in enumerate(_UNITS) if re.search(rf"\b{word}\b", text, re.IGNORECASE)}
    parts = [part for word in _WORD.findall(text) for part in _parts(word)]
    return Held(frozenset(map(stem, parts)), frozenset(numbers(text)) | spelled)


def unsupported(sentence: str, by: Held) -> str | None:
    """Why a sentence counts as unsupported: "number", "name" or "words"; None where it does not.

    >>> by = held(["The bridge in Lund, 503 metres long, was opened by Ada Byron in 1932."])
    >>> [unsupported(each, by) for each in ("Ada opened Lund's bridge in 1932.", "It opened in 1931.")]
    [None, 'number']
    >>> [unsupported(each, by) for each in ("The bridge was opened by Bo.", "Bridges carry heavy lorries daily.")]
    ['name', 'words']
    """
    text = plain(sentence)
    if any(number not in by.numbers for number in numbers(text)):
        return "number"
    if any(stem(part) not in by.stems for name in names(text) for part in _parts(name)):
        return "name"
    content = [stem(part) for word in _WORD.findall(text) for part in _parts(word) if part not in _STOP]
    absent = sum(each not in by.stems for each in content)
    return "words" if content and absent / len(content) > ABSENT else None


def copied(sentence: str, passages: Sequence[str]) -> bool:
    """Whether a sentence of some length stands in a passage, word for word.

    >>> copied("It was opened by Ada in 1932.", ["In Lund: it was opened by Ada in 1932 - and closed."])
    True
    """
    said = _words(sentence)
    return said.count(" ") >= _LEAST_COPIED and any(said in _words(each) for each in passages)


def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


def numbers(text: str) -> list[str]:
    """The numbers written in digits, without the commas of thousands.

    >>> numbers("In 1932 it cost 4,200.50 dollars, the 3rd time.")
    ['1932', '4200.50', '3']
    """
    return [each.replace(",", "") for each in _NUMBER.findall(text)]


def names(text: str) -> list[str]:
    """The words with a capital that do not open the sentence, and the one that does where a name follows it.

    >>> names("The bridge at Lund was Ada Byron's."), names("Ada Byron paid."), names("He paid.")
    (['Lund', 'Ada', "Byron's"], ['Ada', 'Byron'], [])
    """
    found = list(_WORD.finditer(text))
    capital = [each.group()[0].isupper() and each.group().lower() not in _STOP for each in found]
    before = [0, *(each.end() for each in found[:-1])]
    opens = [n == 0 or bool(_OPENS.search(text, before[n], each.start())) for n, each in enumerate(found)]
    followed = [*capital[1:], False]
    return [each.group() for n, each in enumerate(found) if capital[n] and (not opens[n] or followed[n])]


def stem(word: str) -> str:
    """A word without its ending, so that forms of one word are alike most times.

    >>> [stem(each) for each in ("opened", "opening", "opens", "executives", "executive", "was", "cities", "city")]
    ['open', 'open', 'open', 'execut', 'execut', 'was', 'cit', 'cit']
    """
    one = _PLURAL.sub("", word) if len(word) > _LEAST_STEM + 1 else word
    ending = next((each for each in _ENDINGS if one.endswith(each) and len(one) - len(each) >= _LEAST_STEM), "")
    return one.removesuffix(ending)


def plain(text: str) -> str:
    """The text without accents."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def _parts(word: str) -> list[str]:
    """The words that a word is made of, in small letters, without a possessive."""
    bare = re.sub(r"['’]s?\Z", "", word.lower())
    return [part for part in re.split(r"['’-]", bare) if part]
