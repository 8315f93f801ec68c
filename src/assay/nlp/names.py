"""Names by their capitals, without a model: people, places, products, and acronyms with what they stand for.

Scripts without capitals have no names here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.nlp.lexicon import word_class
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, fold, whole_word_spans, whole_words, word_spans
from assay.types import Span

_LINKS = word_class("names.links")
_TITLES = word_class("names.titles")
_ABBREVIATED = word_class("names.abbreviated")
# Capitalised for grammar's sake, not as names.
_CALENDAR = word_class("time.months") | word_class("time.weekdays") | {"i"}
_EXPANSION = re.compile(r"\((?P<acronym>[A-Z][A-Za-z.&-]{1,9})\)")
_GAP = re.compile(r"(?:[ \u00a0]|-| & |/)\Z")
# A stop within a name stands behind an initial or a title: "J. Smith", "Dr. Wu"; else it ends a sentence.
_STOP_GAP = re.compile(r"\.[ \u00a0]\Z")


@dataclass(frozen=True, slots=True)
class Name:
    """A name at `start` to `end`: its folded words without titles and links.

    `opens` marks one capitalised word at the start of a sentence, which may be no name at all.
    """

    start: int
    end: int
    words: tuple[str, ...]
    acronym: bool = False
    opens: bool = False


def names(text: str) -> list[Name]:
    """The names of `text` in order: runs of capitalised words, links between them allowed.

    >>> [n.words for n in names("Yesterday Dr. Ada Lovelace met the Bank of England's NATO envoy.")]
    [('yesterday',), ('ada', 'lovelace'), ('bank', 'england'), ('nato',)]
    """
    starts = {span.start for span in sentences(text)}
    spans = list(whole_word_spans(text))
    found: list[Name] = []
    at = 0
    while at < len(spans):
        if not _capital(text, spans[at]):
            at += 1
            continue
        end = _run(text, spans, at)
        for run in _without_titles(text, spans[at:end]):
            found.extend(_named(text, run, starts))
        at = end
    return found


def acronyms(text: str) -> dict[str, tuple[str, ...]]:
    """The expansions of acronyms that `text` gives: folded acronym to folded words.

    >>> acronyms("the World Health Organization (WHO) said")
    {'who': ('world', 'health', 'organization')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for match in _EXPANSION.finditer(text):
        letters = [c.lower() for c in match["acronym"] if c.isalpha()]
        before = text[max(0, match.start() - 120) : match.start()]
        words = [fold(before[span.start : span.end]) for span in word_spans(before)][-2 * len(letters) :]
        for take in range(len(words), 0, -1):
            tail = words[-take:]
            initials = [word[0] for word in tail if word not in _LINKS]
            if initials == letters:
                found[match["acronym"].lower().replace(".", "")] = tuple(w for w in tail if w not in _LINKS)
                break
    return found


def _capital(text: str, span: Span) -> bool:
    """True if a word is written as a name: a capital, and not only because it is "I" or a month."""
    word = text[span.start : span.end]
    return word[0].isupper() and fold(word) not in _CALENDAR


def _run(text: str, spans: list[Span], at: int) -> int:
    """The end of the run of capitalised words that begins at word `at`."""
    end = at + 1
    while end < len(spans):
        before = text[spans[end - 1].start : spans[end - 1].end]
        if before.endswith(("'s", "’s")) or not _joined(before, text[spans[end - 1].end : spans[end].start]):
            break
        if _capital(text, spans[end]):
            end += 1
        elif _linked(text, spans, end):
            end += 2
        else:
            break
    return end


def _joined(before: str, gap: str) -> bool:
    """True if what stands between two capitalised words keeps them in one name."""
    abbreviated = len(before) == 1 or "." in before or fold(before) in _TITLES or fold(before) in _ABBREVIATED
    return bool(_GAP.match(gap) or (abbreviated and _STOP_GAP.match(gap)))


def _without_titles(text: str, run: list[Span]) -> list[list[Span]]:
    """The run cut at its titles: "Yesterday Dr. Wu" names Wu."""
    parts: list[list[Span]] = [[]]
    for span in run:
        if fold(text[span.start : span.end]) in _TITLES:
            parts.append([])
        else:
            parts[-1].append(span)
    return [part for part in parts if part]


def _linked(text: str, spans: list[Span], at: int) -> bool:
    """True if word `at` links two capitalised ones: "Bank of England"; "and" joins two names, so it does not."""
    word = text[spans[at].start : spans[at].end]
    follows = at + 1 < len(spans) and text[spans[at].end : spans[at + 1].start] == " "
    return word in _LINKS and word not in ("and", "the", "for") and follows and _capital(text, spans[at + 1])


def _named(text: str, run: list[Span], starts: set[int]) -> list[Name]:
    """The name of a run without a leading stop word ("The") and titles; none when nothing is left."""
    opens = run[0].start in starts
    while run and fold(text[run[0].start : run[0].end]) in STOP_WORDS:
        run, opens = run[1:], False
    if not run:
        return []
    words = tuple(fold(_bare(text[span.start : span.end])) for span in run)
    kept = tuple(word for word in words if word not in _LINKS) or words
    if all(len(word) == 1 and word.isascii() for word in kept):
        return []  # "U.S." and the like are written in too many ways to compare
    written = text[run[0].start : run[0].end]
    acronym = len(run) == 1 and len(written) > 1 and written.isupper()
    return [Name(run[0].start, run[-1].end, kept, acronym, opens and len(run) == 1 and not acronym)]


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")


# Names of a country, its people and its language: "British" and "U.K.", "Dutch" and "Holland".

# A line is one country. Those whose adjective begins with the country's name (Germany, German) need none.
_TABLE = """
Argentina|Argentine|Argentinian|Argentinean
Belgium|Belgian
Brazil|Brazilian
Britain|British|Briton|UK|United Kingdom
China|Chinese
Czechia|Czech
Denmark|Danish|Danes
Egypt|Egyptian
England|English
Finland|Finnish|Finns
France|French
Greece|Greek
Hungary|Hungarian
Iceland|Icelandic|Icelander
Iraq|Iraqi
Ireland|Irish
Israel|Israeli
Italy|Italian
Jamaica|Jamaican
Lebanon|Lebanese
Myanmar|Burma|Burmese
Netherlands|Holland|Dutch
New Zealand|New Zealander|Kiwi
Norway|Norwegian
Peru|Peruvian
Philippines|Philippine|Filipino|Filipina
Poland|Polish|Poles
Portugal|Portuguese
Saudi Arabia|Saudi
Scotland|Scottish|Scots|Scot
Spain|Spanish|Spaniard
Sweden|Swedish|Swedes
Switzerland|Swiss
Thailand|Thai
Turkey|Türkiye|Turkish|Turks
Ukraine|Ukrainian
UAE|United Arab Emirates|Emirati
USSR|Soviet Union|Soviet
US|USA|United States|America|American
Vietnam|Vietnamese
Wales|Welsh
Europe|European
"""
_NATIONS = tuple(tuple(line.split("|")) for line in _TABLE.split("\n") if line)
_OF = {
    word.lower(): nation for nation in _NATIONS for name in nation if " " not in name for word in (name, f"{name}s")
}


def says_nation(word: str, text: str) -> bool:
    """True if a text names the country that a folded word names, by any of its names or its people's.

    >>> says_nation("british", "a U.K. version"), says_nation("british", "tell us more"), says_nation("ulm", "Ulm")
    (True, False, False)
    """
    nation = _OF.get(word)
    return nation is not None and _written(nation).search(text) is not None


@lru_cache(maxsize=64)
def _written(nation: tuple[str, ...]) -> re.Pattern[str]:
    """The names as words, with their capitals: "us" is none of them; initials with or without stops."""
    return re.compile("|".join(rf"(?<!\w){_with_stops(name)}s?(?!\w)" for name in nation))


def _with_stops(name: str) -> str:
    return r"\.?\ ?".join(name) if name.isupper() else re.escape(name)


# Mentions of a name in any of its forms.

# Languages that write every noun with a capital, where capitals tell no names.
CAPITAL_NOUNS = frozenset({"de"})
# A word that shares a name's beginning is a form of it: "European" of "Europe"; chosen.
_ENDING, _LEAST_BEGINNING = 2, 4
# A single letter stands for anything.
_LETTERS = 2
_POSSESSIVE = re.compile(r"['’]s?\Z")


def mentions(text: str, asked: Sequence[str]) -> bool:
    """True if a text has one of the folded words, one that begins as it does, its initials, or what they stand for.

    A word with a digit has no other form but one in two words: "3.20" is not 3.2, and "RTX 4090" is RTX4090.

    >>> [mentions(text, ("europe",)) for text in ("The European fee", "The fee in Asia")]
    [True, False]
    >>> [mentions(text, ("y2k",)) for text in ("The Y2K bug", "Y2 and K", "Y2K38")]
    [True, False, False]
    """
    held = [plain_word(word) for word in whole_words(text)]
    if any(word in asked for word in (*held, *map("".join, pairwise(held)))):
        return True
    asked = [word for word in asked if not any(map(str.isdigit, word))]
    known = {short: set(long) for short, long in acronyms(text).items()}
    beginnings = tuple(word[: max(_LEAST_BEGINNING, len(word) - _ENDING)] for word in asked)
    if any(word.startswith(beginnings) for word in held):
        return True
    short = "".join(word[0] for word in asked)
    if (len(short) >= _LETTERS and short in held) or any(set(asked) & long for long in known.values()):
        return True
    initials = "".join(word[0] for word in held if word not in STOP_WORDS)
    return any(len(word) >= _LETTERS and word in initials for word in asked)


def plain_word(word: str) -> str:
    """A word folded, without the ending of a possessive.

    >>> plain_word("Bergen's")
    'bergen'
    """
    return _POSSESSIVE.sub("", fold(word))
