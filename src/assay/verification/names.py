"""Checks of the names of a claim, with acronyms and their expansions, against its sources."""

from __future__ import annotations

import re
from dataclasses import replace
from string import ascii_lowercase

from assay.nlp.alignment import SAME_MATTER, Alignment
from assay.nlp.analysis import analyse, overlaps
from assay.nlp.names import Name, says_nation
from assay.nlp.sources import SourceIndex
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, words
from assay.nlp.wordnet import lexicon
from assay.types import Check, FindingKind, Severity, SourceSpan, Span, Status
from assay.verification.claims import MOST_COMPARED, failure, result, uncompared

_NOT_ALNUM = re.compile(r"[\W_]+")
# Letters of an acronym that are looked up; chosen: any long text holds two by chance.
_LEAST_LETTERS = 3
_QUARTER = re.compile(r"[qh][1-4]\Z")
_CODE = re.compile(r"(?P<letters>[a-zà-ÿ]+)(?P<digits>\d+)[a-z]?\Z")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_BEFORE_BRACKET = 80
_ALSO = re.compile(r"\s\((?P<short>[^()\s]{2,12})\)")
# The head of an item of a list: "**Capacity:** 48 cars", "Opening hours: 9 to 5", "**Founder** – Greta Lindqvist".
_LABEL = re.compile(
    r"\W*(?P<bold>\*\*|__)?(?P<label>[^\W\d][^:.!?;\n*_]{0,58}?)\s?(?(bold)(?::(?:\*\*|__)|(?:\*\*|__)\s*[:–—-])|:)\s+"
)
_MOST_LABEL_WORDS = 6
# An absolute path of two parts or more, and a long option of a command: both are written in one way only.
_LITERAL = re.compile(r"(?<![\w/.:~-])(?:~?(?:/[\w.+@-]*\w){2,}|--[a-z][\w-]*\w)")


def names(claim: Alignment) -> list[Check]:
    """The checks of the claim's names: the sources hold all words of a name, or its acronym or expansion.

    In a changed copy of a source sentence, a name must be the one in its place there. The capitalised label of an
    item is no name.
    """
    units = [quantity for quantity in claim.analysis.quantities if quantity.dimension]
    found = [
        name
        for name in _names_beside_label(claim.plain)
        if not _QUARTER.match(name.words[0]) and not any(overlaps(name, unit) for unit in units)
    ]
    checks = [check for one in found[:MOST_COMPARED] if (check := _name(claim, one)) is not None]
    return [*checks, *uncompared(claim, "names", found), *_literals(claim)]


def _literals(claim: Alignment) -> list[Check]:
    """An open check of each path and option of a command that no source of the claim writes: "/bin/bash", "--all".

    It is not failed: a source may write a folder and its file apart.
    """
    checks: list[Check] = []
    for match in _LITERAL.finditer(claim.plain):
        if not any(_writes(passage.text, match.group()) for passage in claim.sources.passages):
            cause = f"no source of this claim contains {match.group()!r}"
            place = Span(match.start(), match.end())
            checks.append(result(claim, "names", Status.UNKNOWN, Severity.BLOCK, cause, place))
    return checks[:MOST_COMPARED]


def _writes(text: str, literal: str) -> bool:
    """Tell whether a text has a path or an option as a whole.

    >>> _writes("Use --all-extras.", "--all"), _writes("Use --all.", "--all")
    (False, True)
    """
    at = text.find(literal)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(literal) : at + len(literal) + 1]
        if not (before.isalnum() or before in ("/", "-", "_")) and not (after.isalnum() or after in ("-", "_")):
            return True
        at = text.find(literal, at + 1)
    return False


def _names_beside_label(text: str) -> list[Name]:
    """The names of a claim, without a label that consists of dictionary words.

    >>> [text[name.start : name.end] for text in ("**First Winner:** Ann Lee", "Ann Lee: first winner")
    ...     for name in _names_beside_label(text)]
    ['Ann Lee', 'Ann Lee']
    """
    found = list(analyse(text).names)
    label = _LABEL.match(text)
    if label is None or not found or len(label["label"].split()) > _MOST_LABEL_WORDS:
        return found
    first = found[0]
    if first.start != label.start("label") or first.end > label.end("label") or first.acronym:
        return found
    if len(first.words) == 1:
        found[0] = replace(first, opens=True)
    elif all(word in STOP_WORDS or lexicon().get(stem(word)) is not None for word in first.words):
        del found[0]
    return found


def _name(claim: Alignment, stated: Name) -> Check | None:
    """The check of one name; None for a first word, which may be no name, unless it replaces a name."""
    instead = _in_its_place(claim, stated)
    if instead is not None:
        cause = (
            f"the answer names {claim.plain[stated.start : stated.end]!r}, but the source names {instead.quote!r}"
        )
        return failure(claim, "names", cause, stated, FindingKind.WRONG_NAME, instead, instead.quote)
    if stated.opens:
        return None
    missing = [word for word in stated.words if not _is_known(word, claim)]
    if missing and _known_as(claim, stated):
        missing = []
    if not missing:
        return result(claim, "names", Status.PASSED, Severity.BLOCK, None, stated, _where(stated, claim))
    return _unknown(claim, stated, missing)


def _unknown(claim: Alignment, stated: Name, missing: list[str]) -> Check:
    """The check of a name that the sources lack."""
    said = claim.plain[stated.start : stated.end]
    if stated.acronym or _ACRONYMS.fullmatch(said) or all(_CODE.match(word) for word in missing):
        other = _other_code(claim, missing)
        if other is None:  # genes and models go by many codes, and a source may write in full what is abbreviated
            cause = f"no source of this claim contains {said!r}; it may have another name there"
            return result(claim, "names", Status.UNKNOWN, Severity.BLOCK, cause, stated)
        cause = f"the answer says {said!r}, the source {other.quote!r}"
        return failure(claim, "names", cause, stated, FindingKind.WRONG_NAME, other)
    if _is_descriptive(stated):
        cause = f"the sources do not contain {said!r}, which may not be a name"
        return result(claim, "names", Status.UNKNOWN, Severity.BLOCK, cause, stated)
    similar = _similar_name(claim, stated)
    if similar is None and 2 * len(missing) <= len(stated.words):
        cause = f"the sources contain only a part of the name {said!r}"
        return result(claim, "names", Status.UNKNOWN, Severity.BLOCK, cause, stated)
    cause = f"no source of this claim names {said!r}"
    return failure(
        claim, "names", cause, stated, FindingKind.WRONG_NAME, similar, similar.quote if similar else None
    )


def _in_its_place(claim: Alignment, stated: Name) -> SourceSpan | None:
    """The name in its place in the copied sentence."""
    stored = claim.copied and claim.copied.copy.instead_of(Span(stated.start, stated.end))
    if not claim.copied or not stored:
        return None
    sentence = claim.copied.sentence
    found = [name for name in sentence.analysis.names if overlaps(name, stored)]
    if (
        len(found) != 1
        or _set(stated) <= set(terms(sentence.text, stop_words=True))
        or _may_be_same(stated, found[0], claim)
    ):
        return None
    if all(_is_common(one, claim) for one in (stated, found[0])):
        return None
    if not all(_is_name(one, claim) for one in (stated, found[0])):
        return None
    return claim.copied.sentence.part(Span(found[0].start, found[0].end))


def _is_name(name: Name, claim: Alignment) -> bool:
    """Tell whether a capitalised first word is a name: no dictionary word, and capitalised within some sentence."""
    if not name.opens:
        return True
    word = name.words[0]
    if word in STOP_WORDS or lexicon().get(stem(word)) is not None:
        return False
    within = re.compile(rf"(?<=[a-z,;] ){re.escape(word)}\b", re.IGNORECASE)
    return any(
        match.group()[0].isupper()
        for text in (claim.plain, *(passage.text for passage in claim.sources.passages))
        for match in within.finditer(text)
    )


def _is_common(name: Name, claim: Alignment) -> bool:
    """Tell whether a name is one word that the texts also write in lower case: "the Report", "a report"."""
    if len(name.words) > 1 or lexicon().get(stem(name.words[0])) is None:
        return False
    small = re.compile(rf"\b{re.escape(name.words[0])}s?\b")
    return any(small.search(text) for text in (claim.plain, *(passage.text for passage in claim.sources.passages)))


def _is_descriptive(name: Name) -> bool:
    """Tell whether a name is one dictionary word that is no noun: "Higher"."""
    entry = lexicon().get(stem(name.words[0])) if len(name.words) == 1 else None
    return entry is not None and not entry.counts[0] and any(entry.counts)


def _may_be_same(stated: Name, stored: Name, claim: Alignment) -> bool:
    """Tell whether two names may be the same: one is a part, the initials, or the start or end of the other."""
    one, other = _set(stated), _set(stored)
    if one & other:
        return one <= other or other <= one
    if any(_begins_or_ends(a, b) or _begins_or_ends(b, a) for a in one for b in other):
        return True
    first, second = ("".join(word[0] for word in name.words) for name in (stated, stored))
    return first in other or second in one or _expands(stated, stored, claim) or _expands(stored, stated, claim)


def _begins_or_ends(word: str, other: str) -> bool:
    return len(other) > 1 and (word.startswith(other) or word.endswith(other))


def _expands(short: Name, long: Name, claim: Alignment) -> bool:
    known = {**claim.sources.acronyms, **claim.analysis.acronyms}
    return bool(set(known.get("".join(short.words).replace(".", ""), ())) & set(long.words))


def _set(name: Name) -> set[str]:
    return {part for word in name.words for part in terms(word, stop_words=True)}


def _similar_name(claim: Alignment, stated: Name) -> SourceSpan | None:
    """The only name of a near sentence that shares a word with the name: "Ada Lovelace" for "Ada Smith".

    A shorter form of the name is none.
    """
    if len(stated.words) < 2:
        return None
    for near in claim.near(SAME_MATTER):
        found = [one for one in near.sentence.analysis.names if len(one.words) > 1 and _set(one) & _set(stated)]
        if len(found) == 1 and not _set(found[0]) <= _set(stated):
            return near.sentence.part(found[0])
    return None


def _other_code(claim: Alignment, missing: list[str]) -> SourceSpan | None:
    """A code of the same letters with other digits, in a near sentence: "NLRP1" for "NLRP3"."""
    letters = {match["letters"] for word in missing if (match := _CODE.match(word))} - set(ascii_lowercase)
    for near in claim.near(SAME_MATTER):
        for one in near.sentence.analysis.names:
            if any((match := _CODE.match(word)) and match["letters"] in letters for word in one.words):
                return near.sentence.part(one)
    return None


def _is_known(word: str, claim: Alignment) -> bool:
    """Tell whether the sources hold a word of a name in any form."""
    sources = claim.sources
    if word in STOP_WORDS or len(word) == 1:
        return True
    parts = set(terms(word, stop_words=True))
    # The parts of an identifier may stand apart: "Y2", "K".
    if (len(parts) == 1 and parts <= sources.terms) or stem(word) in sources.terms:
        return True
    plain = word.replace(".", "")
    singular = plain.removesuffix("s")
    if plain in sources.acronyms or singular in sources.acronyms:
        return True
    if any(word in long for long in sources.acronyms.values()):
        return True
    if any(says_nation(plain, passage.text) for passage in sources.passages):
        return True
    return _spelled(singular, sources) or _initials(singular, sources) or _explained(singular, claim.plain)


def _spelled(written: str, sources: SourceIndex) -> bool:
    """Tell whether the sources write the word with the same or other spaces, hyphens and underscores: "NLRP-3"."""
    written = _NOT_ALNUM.sub("", written)
    if len(written) < _LEAST_LETTERS:
        return False
    return any(written in _NOT_ALNUM.sub("", passage.text.casefold()) for passage in sources.passages)


def _initials(written: str, sources: SourceIndex) -> bool:
    """Tell whether the letters are the initials of adjacent words of a source sentence: SSRI, ORFs."""
    if len(written) < _LEAST_LETTERS or not written.isalpha():
        return False
    for sentence in sources.sentences:
        folded = words(sentence.text)
        content = [word for word in folded if word not in STOP_WORDS]
        if any(written in "".join(word[0] for word in some) for some in (folded, content)):
            return True
    return False


def _explained(written: str, claim: str) -> bool:
    """Tell whether the claim itself introduces the word in brackets: "vitamin B6 (VB6)"."""
    for match in re.finditer(r"\(([^()\s]{2,12})\)", claim):
        if fold(match.group(1)).replace(".", "").removesuffix("s") != written:
            continue
        before = fold(claim[max(0, match.start() - _BEFORE_BRACKET) : match.start()])
        return _is_subsequence(written, before)
    return False


def _known_as(claim: Alignment, stated: Name) -> bool:
    """Tell whether the claim gives another form of the name in brackets, and the sources hold that."""
    match = _ALSO.match(claim.plain, stated.end)
    return (
        match is not None
        and _is_known(fold(match["short"]), claim)
        and match["short"][0].upper() == (claim.plain[stated.start].upper())
    )


def _is_subsequence(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _where(name: Name, claim: Alignment) -> SourceSpan | None:
    """The nearest sentence that holds all words of the name."""
    wanted = {part for word in name.words for part in terms(word)}
    return next((near.sentence.span for near in claim.nearest if wanted <= set(near.sentence.terms)), None)
