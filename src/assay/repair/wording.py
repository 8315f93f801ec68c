"""A value put where another stood, so that the words around it still fit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.repair.dates import as_written
from assay.text.dates import dates
from assay.text.number_words import VALUES

_POSSESSIVE = re.compile(r"['’]s?\Z")
_ARTICLE = re.compile(r"\b(?P<article>[Aa]n?)(?P<space>[ \u00a0])\Z")
# Numbers that are said with a vowel first: eight, eighteen, eleven, and thousands of them.
_SAID_WITH_VOWEL = re.compile(r"(?:8|11(?!\d)|18(?!\d)|11,\d{3}|18,\d{3})")
# Vowels that are said as consonants, and the other way round.
_SAID_WITH_CONSONANT = re.compile(r"(?:uni(?!n)|use|usu|eu|one\b|once\b|ubi|ura)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_LETTERS_SAID_WITH_VOWEL = re.compile(r"[AEFHILMNORSX][A-Z0-9.]+\b")
_ON_A_DAY = re.compile(r"\b(?P<word>[Oo])n(?P<space> (?:the )?)\Z")
# A number joined to its unit stands before a noun: a 5-year plan.
_JOINED = re.compile(r"[^\s-]+-[^\W\d_]+\Z")


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to stand at `start` to `end` of a text."""

    start: int
    end: int
    new: str

    def applied(self, text: str) -> str:
        """The text with it."""
        return text[: self.start] + self.new + text[self.end :]


def fitted(text: str, start: int, end: int, expected: str) -> Edit:
    """The source's words in the place of `text[start:end]`, with as little around them as must change too.

    A date takes the form of the one that it replaces; a possessive, the capital that opens a sentence and `a` or
    `an` before it stay right; words that the text already has on either side are not said twice.

    >>> said = "It took an 18-year effort of Ada's team."
    >>> fitted(said, 11, 13, "5").applied(said)
    "It took a 5-year effort of Ada's team."
    >>> fitted(said, 29, 34, "Mary Somerville").applied(said)
    "It took an 18-year effort of Mary Somerville's team."
    """
    said = text[start:end]
    new = as_written(said, expected) or " ".join(expected.split())
    new = _attributive(said, new)
    new = _possessive(said, new, text[end:])
    new = _not_said_twice(text[:start], new, text[end:])
    if said[:1].isupper() and new[:1].islower() and _opens(text[:start]):
        new = new[:1].upper() + new[1:]
    if said[:1].islower() and new.split(" ")[0].lower() in VALUES:  # it opens the source's sentence
        new = new[:1].lower() + new[1:]
    return _with_preposition(text, _with_article(text, Edit(start, end, new)), said)


def _attributive(said: str, new: str) -> str:
    """ "7 years" as "7-year" where a number joined to its unit stood."""
    number, space, unit = new.rpartition(" ")
    if not (_JOINED.match(said) and space and unit.isalpha() and number[:1].isdigit()):
        return new
    return f"{number}-{unit.removesuffix('s') if len(unit) > 2 else unit}"


def _possessive(said: str, new: str, behind: str) -> str:
    ending = _POSSESSIVE.search(said)
    bare = _POSSESSIVE.sub("", new)
    if ending:
        return bare + ("'s" if ending.group() == "'" and not bare.endswith("s") else ending.group())
    return bare if behind.startswith(("'s", "’s")) else new


def _not_said_twice(before: str, new: str, behind: str) -> str:
    """The value without words that stand before or behind its place already: a title, a unit."""
    words = new.split(" ")
    for count in range(len(words) - 1, 0, -1):
        if _ends_with(before, " ".join(words[:count])):
            words = words[count:]
            break
    for count in range(len(words) - 1, 0, -1):
        if _begins_with(behind, " ".join(words[-count:])):
            words = words[:-count]
            break
    value = " ".join(words)
    return value[1:] if value[0] in "$€£¥" and before.endswith(value[0]) else value.rstrip("%") + _percent(value, behind)


def _percent(value: str, behind: str) -> str:
    """The sign of a percentage, where none follows already."""
    follows = re.match(r"\s?(?:%|per ?cent\b)", behind)
    return "%" if value.endswith("%") and not follows else ""


def _ends_with(before: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)} \Z", before, re.IGNORECASE) is not None


def _begins_with(behind: str, words: str) -> bool:
    return re.match(rf" {re.escape(words)}(?!\w)", behind, re.IGNORECASE) is not None


def _opens(before: str) -> bool:
    """Whether nothing but white space, a list mark or an opening quote stands before."""
    return re.fullmatch(r"\s*(?:(?:[-*•+]|\d{1,3}[.)])\s+)?[\"“'(*_]*", before) is not None


def _with_article(text: str, edit: Edit) -> Edit:
    """The edit with the `a` or `an` before it as the new value is said."""
    article = _ARTICLE.search(text, 0, edit.start)
    if article is None or not edit.new:
        return edit
    wanted = ("an" if said_with_vowel(edit.new) else "a").replace("a", article["article"][0], 1)
    return edit if wanted == article["article"] else Edit(article.start(), edit.end, wanted + article["space"] + edit.new)


def _with_preposition(text: str, edit: Edit, said: str) -> Edit:
    """ "on 3 May 1931" becomes "in 1932" where the source does not give the day."""
    from_day = any(each.day for each in dates(said)) and not any(each.day for each in dates(edit.new))
    on = _ON_A_DAY.search(text, 0, edit.start) if from_day and dates(edit.new) else None
    return edit if on is None else Edit(on.start(), edit.end, f"{'I' if on['word'] == 'O' else 'i'}n {edit.new}")


def said_with_vowel(word: str) -> bool:
    """Whether `an` stands before a word or number.

    >>> [each for each in ("8,000", "18-year", "1,800", "hour", "unit", "FBI", "apple") if said_with_vowel(each)]
    ['8,000', '18-year', 'hour', 'FBI', 'apple']
    """
    if _LETTERS_SAID_WITH_VOWEL.match(word):
        return True
    if word[0].isdigit():
        return _SAID_WITH_VOWEL.match(word) is not None
    if _SILENT_H.match(word):
        return True
    return word[0].lower() in "aeiou" and _SAID_WITH_CONSONANT.match(word) is None
