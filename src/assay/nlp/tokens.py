"""Words with their places, and the terms that search and overlap are counted in."""

from __future__ import annotations

import math
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files

import snowballstemmer

from assay.nlp.lexicon import word_class
from assay.types import Span

# Scripts written without spaces between words: kana, CJK ideographs, Hangul has spaces but agglutinates
# and gains from bigrams too (Lucene's CJKBigramFilter covers the same ranges); Thai, Lao, Khmer, Myanmar.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_TOKEN = re.compile(rf"[{UNSPACED}]+|\d+(?:[.,]\d+)*|[^\W\d_{UNSPACED}]+(?:['’][^\W\d_]+)*\d*|\d+|\w")
# From the last character of a word: the same word goes on, behind a digit or over an underscore beside one.
_WITHIN_WORD = re.compile(
    rf"\d[^\W\d_{UNSPACED}]|\d_[^\W_{UNSPACED}]|[^\W_{UNSPACED}]_\d|(?<=\d)_[^\W_{UNSPACED}]|(?<=[^\W_{UNSPACED}])_\d"
)
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")

# The Snowball English stop list, without the words that change what a question asks (not, no, nor).
STOP_WORDS = word_class("function_words.stop")

# A sentence; longer texts are rarely read twice.
_LONGEST_REMEMBERED = 500


class _Stemmer(threading.local):
    """One stemmer a thread: Snowball's keeps the word it works on in itself."""

    def __init__(self) -> None:
        self.stem_word: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord


_stemmer = _Stemmer()


def word_spans(text: str) -> Iterator[Span]:
    """The places of words, numbers and unspaced runs in `text`, in order.

    >>> [("It's 3,5 km")[s.start:s.end] for s in word_spans("It's 3,5 km")]
    ["It's", '3,5', 'km']
    """
    for match in _TOKEN.finditer(text):
        yield Span(match.start(), match.end())


def whole_word_spans(text: str) -> Iterator[Span]:
    """As `word_spans`, with each word that mixes letters and digits in one, over an underscore beside a digit too.

    Search counts the parts of "Y2K" apart; names are compared as they are written.

    >>> text = "Y2K on x86_64: 5km, _Ulm_, 2024年"
    >>> [text[s.start:s.end] for s in whole_word_spans(text)]
    ['Y2K', 'on', 'x86_64', '5km', '_', 'Ulm', '_', '2024', '年']
    """
    start = end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end or not _WITHIN_WORD.match(text, end - 1):
            if end:
                yield Span(start, end)
            start = match.start()
        end = match.end()
    if end:
        yield Span(start, end)


def whole_words(text: str) -> list[str]:
    """The folded words of `text`, as `whole_word_spans` finds them.

    >>> whole_words("The Y2K bug")
    ['the', 'y2k', 'bug']
    """
    return [fold(text[span.start : span.end]) for span in whole_word_spans(text)]


def written_words(text: str) -> list[str]:
    """The words of `text` as they are written.

    >>> written_words("Café No. 1,000")
    ['Café', 'No', '1,000']
    """
    return _TOKEN.findall(text)


def stem_spans(text: str) -> list[tuple[int, int, str]]:
    """The places of the words of `text`, start and end, each with the stem of the folded word there.

    >>> stem_spans("He retrieved it.")
    [(0, 2, 'he'), (3, 12, 'retriev'), (13, 15, 'it')]
    """
    return [(match.start(), match.end(), stem(fold(match.group()))) for match in _TOKEN.finditer(text)]


def words(text: str) -> list[str]:
    """The words of `text`, folded: NFKC, case and Latin accents removed; unspaced runs stay whole.

    >>> words("Café No. 1,000")
    ['cafe', 'no', '1,000']
    """
    return [fold(word) for word in _TOKEN.findall(text)]


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """The word with compatibility forms, case and combining accents folded away.

    >>> fold("Ｄéjà")
    'deja'
    """
    plain = unicodedata.normalize("NFKC", word).casefold()
    if plain.isascii():
        return plain
    marks_out = "".join(c for c in unicodedata.normalize("NFD", plain) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", marks_out)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The Snowball (Porter 2) English stem of a folded word; words of other scripts stay as they are.

    >>> stem("retrieving"), stem("東京")
    ('retriev', '東京')
    """
    bare = word.removesuffix("'s").removesuffix("’s")
    return _stemmer.stem_word(bare) if bare.isascii() and bare.isalpha() else bare


def terms(text: str, *, stop_words: bool = False) -> list[str]:
    """The terms that search counts: stems without stop words, and bigrams of unspaced runs.

    Repeated terms stay repeated. With `stop_words` they are kept.

    >>> terms("The boiling points of 水素爆弾")
    ['boil', 'point', '水素', '素爆', '爆弾']
    """
    short = len(text) <= _LONGEST_REMEMBERED
    return list(_remembered_terms(text, stop_words) if short else _terms(text, stop_words))


def _terms(text: str, stop_words: bool) -> tuple[str, ...]:
    found: list[str] = []
    for word in words(text):
        if not word.isascii() and _UNSPACED_RUN.match(word):
            found.extend(bigrams(word))
        elif stop_words or word not in STOP_WORDS:
            found.append(stem(word))
    return tuple(found)


# Search, judge, writer and checks count the terms of the same sentences.
_remembered_terms = lru_cache(maxsize=1 << 12)(_terms)


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a single character stands for itself.

    >>> bigrams("水素爆"), bigrams("水")
    (['水素', '素爆'], ['水'])
    """
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


# The rarity of a word in English at large: shipped counts, so that a judgement needs no collection.


# A table of the background, made by benchmarks/judge/background.py.
_TABLE = "background.txt"


@lru_cache(maxsize=1)
def _counts() -> tuple[int, dict[str, int]]:
    """The number of passages counted, and the number in which each stem occurs."""
    first, *lines = (files("assay.nlp") / _TABLE).read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" ") for line in lines)
    return int(first), {stem: int(count) for stem, count in pairs}


def is_common(term: str) -> bool:
    """Tell whether a term is in the table: a word of English, whatever a collection holds.

    >>> is_common("found"), is_common("reimbursm")
    (True, False)
    """
    return term in _counts()[1]


def rarity(term: str) -> float:
    """The term's weight, 0.1 to 1: its inverse document frequency over that of a term never seen.

    log(N / (n + 1)) / log(N), after Sparck Jones 1972. Pairs of ideographs and numbers are never in the table,
    so they all weigh 1 and count alike.

    >>> rarity("year") < rarity("quinoa") <= rarity("zyzzyva") == 1.0
    True
    """
    total, counts = _counts()
    return max(0.1, math.log(total / (counts.get(term, 0) + 1)) / math.log(total))


# The number of tokens that a text costs, as a model counts them.


# Tokens a code point, and what each further UTF-8 byte of it adds. English prose has about 4.3 characters a
# token and German 3.5; Cyrillic and Greek letters have 2 bytes, CJK ones 3, which comes to one token each.
_A_CHARACTER = 1 / 3.5
_A_FURTHER_BYTE = 0.36


def estimated_tokens(text: str) -> int:
    """Estimate the most tokens that prose costs with the usual vocabularies, rounded up.

    It is an estimate on the safe side, not a bound: runs of rare signs cost more.

    >>> estimated_tokens("Water boils at 100 degrees."), estimated_tokens("水素爆弾")
    (8, 5)
    """
    characters = len(text)
    if text.isascii():
        return math.ceil(characters * _A_CHARACTER)
    further = len(text.encode("utf-8", "surrogatepass")) - characters
    return math.ceil(characters * _A_CHARACTER + further * _A_FURTHER_BYTE)
