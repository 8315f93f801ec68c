"""The texts that run.py plays: pumps, frames to put around them, and plain prose to measure them by."""

from __future__ import annotations

import random
from collections.abc import Iterator

# Short strings that are repeated without end, by what they are. Each is a stretch that a pattern may begin to read
# at any of its places, and then read on to the end.
PUMPS: dict[str, tuple[str, ...]] = {
    "digits": (
        *("1", "1 ", "1,", "1.", "1:", "1/", "1-"),
        *("1, ", "1.1 ", "10,000 ", "1e5", "2019 ", "2019-01-02 ", "12:30 "),
    ),
    "letters": ("a", "A", "a ", "A ", "A. ", "ab ", "Ab ", "Ab-", "Ab, ", "a.b", "the ", "The ", "aA"),
    "connectives": ("or ", "and ", "but ", "of ", "to ", "in ", "that ", "because ", "however, ", "by ", "which "),
    "negators": ("no ", "not ", "never ", "without ", "isn't ", "neither nor "),
    "quantifiers": (
        *("all ", "most ", "at least ", "more than "),
        *("half of ", "two ", "hundred ", "every ", "the first "),
    ),
    "units": ("% ", "5 % ", "$5 ", "km ", "5 km ", "°C ", "million ", "€", "per ", "minus "),
    "dates": ("May ", "1 May ", "May 2019 ", "Monday ", "years ago "),
    "names": ("Dr. ", "John ", "John Smith ", "de ", "O'Neil ", "U.S. ", "Inc. "),
    "statements": (
        *("is ", "he ", "it is ", "was not ", "said "),
        *("he said: ", "it is. ", "Who? ", "if you ", "increased by "),
    ),
    "punctuation": (
        *(".", ",", ":", ";", "!", "?", "...", "-", "--"),
        *(" - ", "–", "—", "_", "/", "\\", "'", "a'", "&"),
    ),
    "quotes": ('"', '" ', '"a', '"a" ', "“", "“a", "”", "“a” ", "‘", "«", "'a ", "„"),
    "brackets": ("(", ")", "[", "]", "{", "}", "()", "(a", "(a) ", "[a", "[a]", "[a](", "[a](b) ", "((a)"),
    "citations": (
        *("[1]", "[1] ", "[1", "[1, ", "[1-", "[^1]"),
        *("[^1]: ", "【1】", "(2019) ", "(Smith, ", "[p. 3] ", "⚠ "),
    ),
    "markup": (
        *("<", "<a", "<a>", "</a>", "<b><", "<!--", "&amp;", "`"),
        *("``` ", "*", "**", "**a", "*a* ", "~~", "$", "![", "\\("),
    ),
    "lines": (
        *("\n", " \n", "\n\n", "a\n", "a\n\n", "a:\n", "- a\n", "- "),
        *("1. a\n", "# a\n", "#", "> ", "> a\n", "\t", " ", "\r", "---\n"),
    ),
    "tables": ("|", "| ", "|a", "| a | b |\n", "|-", "|---|\n", "a,b\n", "a\tb\n", "| 1 | 2 |\n"),
    "scripts": ("的", "的。", "一", "年", "ア", "한", "ก", "א", "ا ", "д ", "é", "e\u0301", "\u0301", "İ", "Å "),
    "signs": ("😀", "👩\u200d💻", "\u200b", "\u00ad", "\u00a0", "\ufeff", "\u2028", "•", "→", "©", "½", "²", "①"),
    "addresses": ("http://a.b/", "http://", "www.", "a@", "a@b.c ", "a.b/", "?a=", "%20", "a-", "a_b ", "@"),
}  # fmt: skip
# What stands around a pump: nothing; a sentence; a mark and a bracket that nothing closes.
FRAMES: dict[str, tuple[str, str]] = {
    "alone": ("", ""),
    "in a sentence": ("The report of the council says that ", " in May 2019."),
    "behind an open bracket": ('[1] ("', " x\nIt is 5 km long."),
    "in long sentences": ("", "."),
}
# Characters of a long sentence: no claim is refused at once for its length.
_SENTENCE = 4000

_PLACES = "Aldmoor Brightwater Corran Dunfield Eastmere Farholt Glenrock Harwick Ivelstone Kestrel".split()
_THINGS = "bridge harbour library station mill school market theatre museum canal orchard hospital".split()
_ACTS = "opened closed repaired measured sold extended painted described visited restored".split()
_PEOPLE = "engineers farmers teachers sailors builders doctors painters clerks gardeners drivers".split()
_REASONS = (
    "because the river had risen in spring",
    "after the council had agreed on the cost",
    "although nobody had asked for it",
    "while the old road was still in use",
    "which made the journey shorter for most people",
    "so that the trade of the valley could grow",
)


def pumps() -> list[str]:
    """All of them, each kind in turn, so that the first so many are of every kind."""
    kinds = list(PUMPS.values())
    return [kind[at] for at in range(max(map(len, kinds))) for kind in kinds if at < len(kind)]


def pumped(pump: str, frame: str, characters: int) -> str:
    """A text of so many characters: the pump repeated within its frame.

    >>> pumped("no ", "alone", 8)
    'no no no'
    """
    before, after = FRAMES[frame]
    if frame == "in long sentences":
        pump = (pump * (_SENTENCE // len(pump))).rstrip() + ".\n\n"
    room = characters - len(before) - len(after)
    return before + (pump * (room // len(pump) + 1))[:room] + after


def prose(characters: int, seed: int) -> str:
    """Plain English of so many characters, paragraphs of six sentences, no sentence twice."""
    draw = random.Random(seed)
    text = ""
    for count, sentence in enumerate(_sentences(draw), 1):
        text += sentence + ("\n\n" if count % 6 == 0 else " ")
        if len(text) >= characters:
            return text[: characters - 1] + "."
    raise AssertionError("sentences have no end")


def _sentences(draw: random.Random) -> Iterator[str]:
    while True:
        year, count = draw.randint(1800, 2020), draw.randint(2, 990)
        place, other = draw.sample(_PLACES, 2)
        yield (
            f"In {year} the {draw.choice(_PEOPLE)} of {place} {draw.choice(_ACTS)} the {draw.choice(_THINGS)} "
            f"near {other} {draw.choice(_REASONS)}, and {count} {draw.choice(_PEOPLE)} came to see it."
        )
