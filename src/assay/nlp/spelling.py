"""Words that may be meant by a misspelt one: of English and of a collection, by the slips that lead to it. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from assay.nlp.tokens import is_common, stem

# Letters from which on two edits may be a slip, and those under which a word is never corrected.
_LONG, _LEAST = 8, 4
# Beyond this many letters it is no word that anybody misspelt; the longest in English dictionaries has 45.
_LONGEST = 50
# A name that is merely unknown is nobody else's: one edit in as many letters.
_LONG_NAME = 7
# A term is a stem: a misspelt word may end in as many letters more, and a slip near its end counts twice.
_ENDING, _TERM_EDITS = 7, 2
# The letters of either part of a word that is two words together.
_PART = 4
_CANDIDATES = 12

# A table of English words, made by benchmarks/spelling/dictionary.py: a line for each of `_RARITY`.
_DICTIONARY = "words.txt"
# Costs are negative logarithms of probabilities, so that they add up. Those of a word of English, by the line of
# the table: benchmarks/spelling/run.py measures it. A word that only the collection has is rarer (chosen).
_RARITY, _UNLISTED = (8.7, 10.6, 12.9), 16.0
# Costs of one slip at one place: half of codespell's list of misspellings (benchmarks/spelling/slips.py).
_LEFT_OUT, _ADDED, _OTHER, _SWAPPED = 3.5, 7.4, 8.3, 3.8
_LEFT_OUT_OF_TWO, _ADDED_TWICE, _OTHER_VOWEL, _OTHER_BESIDE = 2.2, 4.9, 5.4, 6.8
# What a slip in the first letter costs more: .4 to 2.9 by kind.
_FIRST_LETTER = 2.0
# What a word gains by standing in the collection, the cost from which on nothing is corrected, and the lead of the
# best word over the next: chosen on the same half.
_HELD, _MOST_COST, _LEAD = 1.0, 20.0, 2.0
_VOWELS = frozenset("aeiouy")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def is_english(word: str) -> bool:
    """True if a folded word is one of English at large, or two such words together.

    Of 2,127 words in the questions of models/data/asked that are in no table, 388 are two words; of 17,986
    misspelt words, 245.

    >>> [is_english(word) for word in ("water", "downgrade", "polcy")]
    [True, True, False]
    """
    if is_common(stem(word)):
        return True
    places = range(_PART, len(word) - _PART + 1)
    return any(is_common(stem(word[:at])) and is_common(stem(word[at:])) for at in places)


def most_edits(word: str, *, is_name: bool) -> int:
    """Number of edits that a word may be away from what is meant; 0 where it is not to be corrected.

    >>> most_edits("reimbursment", is_name=False), most_edits("polcy", is_name=False)
    (2, 1)
    >>> most_edits("reimbursment" * 9, is_name=False)
    0
    >>> most_edits("austria", is_name=True), most_edits("iran", is_name=True)
    (1, 0)
    """
    if len(word) > _LONGEST:
        return 0
    if is_name:
        return int(len(word) >= _LONG_NAME)
    return 0 if len(word) < _LEAST else 1 if len(word) < _LONG else 2


def by_length(terms: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """The terms that are words, by their length."""
    found: dict[int, list[str]] = {}
    for term in terms:
        if term.isalpha():
            found.setdefault(len(term), []).append(term)
    return {length: tuple(words) for length, words in found.items()}


def near_terms(word: str, terms: Mapping[int, Sequence[str]], counts: Mapping[str, int]) -> list[str]:
    """The terms that a folded word may be a misspelt form of, likeliest first.

    A term is compared with the beginning of the word, since it is a stem.

    >>> counts = {"reimburs": 4, "polici": 9, "river": 2}
    >>> near_terms("reimbursemnt", by_length(counts), counts), near_terms("polcy", by_length(counts), counts)
    (['reimburs'], ['polici'])
    """
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    edits: dict[str, int] = {}
    for length in range(max(_LEAST - 1, len(word) - _ENDING), len(word) + _TERM_EDITS + 1):
        for begun in {word[:length], stem(word)[:length]}:
            near = extract(
                begun, terms.get(length, ()), scorer=OSA.distance, score_cutoff=_TERM_EDITS, limit=_CANDIDATES
            )
            for term, distance, _ in near:
                edits[term] = min(int(distance), edits.get(term, _TERM_EDITS))

    def likely(term: str) -> tuple[int, int, int, str]:
        return edits[term], abs(len(word) - len(term)), -counts.get(term, 0), term

    return sorted(edits, key=likely)[:_CANDIDATES]


@lru_cache(maxsize=1)
def _dictionary() -> dict[str, float]:
    """The cost of each word of English, from what is shipped."""
    lines = (files("assay.nlp") / _DICTIONARY).read_text(encoding="ascii").splitlines()
    return {word: cost for line, cost in zip(lines, _RARITY, strict=True) for word in line.split(" ")}


@lru_cache(maxsize=1)
def _dictionary_by_length() -> dict[int, tuple[str, ...]]:
    return by_length(_dictionary())


def is_in_dictionary(word: str) -> bool:
    """True if a folded word stands in a dictionary of English, inflected as it is.

    >>> [is_in_dictionary(word) for word in ("cheapest", "rude", "deel")]
    [True, True, False]
    """
    return word in _dictionary()


def english_near(word: str, most: int) -> list[str]:
    """The words of English that are at most `most` edits away from a folded word.

    >>> english_near("cabel", 1)
    ['abel', 'babel', 'cabal', 'caber', 'cable', 'camel', 'label']
    """
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    lengths = _dictionary_by_length()
    near = (
        extract(word, lengths.get(length, ()), scorer=OSA.distance, score_cutoff=most, limit=None)
        for length in range(len(word) - most, len(word) + most + 1)
    )
    return sorted(found for some in near for found, _, _ in some)


def edits(word: str, other: str) -> int:
    """The edits that make one word of another; two letters exchanged are one.

    >>> edits("cabel", "cable")
    1
    """
    from rapidfuzz.distance import OSA

    return int(OSA.distance(word, other))


def likeliest_word(word: str, forms: Iterable[str], held: Container[str]) -> str | None:
    """The one of `forms` that a folded misspelt word is meant for; None if none is likely, or none clearly best.

    A form is likelier the commoner it is in English, if its stem is a term of the collection (`held`), and the
    likelier the slips are that make the word of it.

    >>> likeliest_word("limt", ["list", "limit"], {"list"}), likeliest_word("xyzzy", ["fuzzy"], {})
    ('limit', None)
    """
    known = _dictionary()

    def cost(form: str) -> float:
        return slip_cost(word, form) + known.get(form, _UNLISTED) - (_HELD if stem(form) in held else 0.0)

    ranked = sorted((cost(form), form) for form in set(forms))
    if not ranked or ranked[0][0] > _MOST_COST:
        return None
    least, best = ranked[0]
    is_rival = any(other - least < _LEAD and stem(form) != stem(best) for other, form in ranked[1:])
    return None if is_rival else best


def slip_cost(typed: str, meant: str) -> float:
    """The cost of typing one word for another: the least of any slips that lead there (optimal string alignment).

    >>> slip_cost("acount", "account") < slip_cost("acount", "amount")
    True
    """
    before_last: list[float] = []
    last = [0.0]
    for column in range(1, len(typed) + 1):
        last.append(last[-1] + _cost_of_adding(typed, column))
    for row, letter in enumerate(meant, 1):
        leaving_out = _cost_of_leaving_out(meant, row)
        costs = [last[0] + leaving_out]
        for column, written in enumerate(typed, 1):
            first = _FIRST_LETTER if 1 in (row, column) else 0.0
            other = 0.0 if letter == written else first + _cost_of_other(letter, written)
            least = min(
                last[column - 1] + other,
                last[column] + leaving_out,
                costs[column - 1] + _cost_of_adding(typed, column),
            )
            if row > 1 and column > 1 and letter != written and meant[row - 2 : row] == written + typed[column - 2]:
                least = min(least, before_last[column - 2] + _SWAPPED + (_FIRST_LETTER if row == 2 else 0.0))
            costs.append(least)
        before_last, last = last, costs
    return last[-1]


def _cost_of_leaving_out(meant: str, at: int) -> float:
    """The cost of leaving out the letter at a place, counted from 1."""
    if meant[at - 1] in _neighbours(meant, at):
        return _LEFT_OUT_OF_TWO
    return _LEFT_OUT + (_FIRST_LETTER if at == 1 else 0.0)


def _cost_of_adding(typed: str, at: int) -> float:
    """The cost of the letter at a place, counted from 1, if it is not meant."""
    if typed[at - 1] in _neighbours(typed, at):
        return _ADDED_TWICE
    return _ADDED + (_FIRST_LETTER if at == 1 else 0.0)


def _cost_of_other(meant: str, typed: str) -> float:
    """The cost of one letter in the place of another."""
    if meant in _VOWELS and typed in _VOWELS:
        return _OTHER_VOWEL
    return _OTHER_BESIDE if typed in _keys_beside().get(meant, "") else _OTHER


def _neighbours(word: str, at: int) -> str:
    """The letters before and after a place, counted from 1."""
    return word[max(0, at - 2) : at - 1] + word[at : at + 1]


@lru_cache(maxsize=1)
def _keys_beside() -> dict[str, str]:
    """The keys that touch each key; a row stands half a key to the right of the one above."""
    return {
        key: "".join(
            row[place]
            for number, shift in ((at, (-1, 1)), (at - 1, (0, 1)), (at + 1, (-1, 0)))
            if 0 <= number < len(_ROWS)
            for row in (_ROWS[number],)
            for place in (column + step for step in shift)
            if 0 <= place < len(row)
        )
        for at, keys in enumerate(_ROWS)
        for column, key in enumerate(keys)
    }
