"""Names by their capitals, without a model: people, places, products, and acronyms with what they stand for.

Scripts without capitals have no names here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.text.sentences import sentences
from assay.text.tokens import STOP_WORDS, fold, word_spans
from assay.types import Span

_LINKS = frozenset("of de la le du van von der den di da del and the for al bin ibn".split())
_TITLES = frozenset(
    """mr mrs ms miss dr doctor prof professor sir lord lady president senator king queen prince princess pope saint
    st captain general judge minister mayor governor ceo""".split()
)
_ABBREVIATED = frozenset("jr sr mt ft ste bros co corp inc ltd".split())
# Capitalised for grammar's sake, not as names.
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday i""".split()
)
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
    spans = list(word_spans(text))
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
    """What the acronyms of `text` stand for, where it says so: folded acronym to folded words.

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
    """Whether a word is written as a name: a capital, and not only because it is "I" or a month."""
    word = text[span.start : span.end]
    return word[0].isupper() and fold(word) not in _CALENDAR


def _run(text: str, spans: list[Span], at: int) -> int:
    """Where the run of capitalised words that begins at word `at` ends."""
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
    """Whether what stands between two capitalised words keeps them in one name."""
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
    """Whether word `at` links two capitalised ones: "Bank of England"; "and" joins two names, so it does not."""
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
