"""Words that may be meant by a misspelt one: by their edits, among the terms and words of a collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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


def by_length(counts: Mapping[str, int]) -> dict[int, tuple[str, ...]]:
    """The terms that are words, by their length."""
    found: dict[int, list[str]] = {}
    for term in counts:
        if term.isalpha():
            found.setdefault(len(term), []).append(term)
    return {length: tuple(terms) for length, terms in found.items()}


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


def nearest_word(word: str, forms: Iterable[str], most: int) -> str | None:
    """The form with the fewest edits to a folded word, at most `most`; the first of equals, None without one.

    Endings do not count: a form in another inflection is as near as its stem.

    >>> nearest_word("reimbursment", ["reimbursed", "reimbursement", "reimburse"], 2)
    'reimbursement'
    """
    from rapidfuzz.distance import OSA

    def edits(form: str) -> tuple[int, int]:
        whole = OSA.distance(word, form)
        return min(whole, OSA.distance(stem(word), stem(form))), whole

    within = [form for form in forms if edits(form)[0] <= most]
    return min(within, key=edits) if within else None
