"""What a claim adds that no source says: words put into a source's sentence, and clauses on another matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.alignment import SAME_MATTER, SAME_STATEMENT, Comparison
from assay.verification.sources import Sources, kinship

# What a claim adds to a list: heating, where the source has the tenant pay for electricity and water alone.


# The last of a list, or one between commas: a single word, with or without an article.
_ITEM = re.compile(
    r"(?:,|\band|\bor)\s+(?:(?:an?|the|its|their|his|her)\s+)?(?P<item>[^\W\d_]+)"
    r"(?=\s*+(?:(?:[.!?]++\s*+)?\Z|,)|\s+(?:and|or)\s)"
)
_CLAUSE = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+|(?<!\s)\s++(?:but|while|whereas)\s+")


def listed(over: Comparison) -> list[Check]:
    """An open check of an item of a list that the clause does not have which says the rest of the claim.

    Another clause may say it of the item too, in other words, so it is unknown rather than failed.
    """
    claimed, seen = terms(over.claim.plain), set[str]()
    for match in _ITEM.finditer(over.claim.plain):
        item = stem(fold(match["item"]))
        if fold(match["item"]) in STOP_WORDS or item in seen:
            continue
        seen.add(item)
        rest = [term for term in claimed if term != item]
        if len(rest) < 2:
            continue
        found = _says(rest, over)
        if found is not None and not any(each == item or kinship(item, each) == "same" for each in found):
            cause = f"the source does not say it of {match['item']!r}"
            part = Span(match.start("item"), match.end("item"))
            return [over.check("additions", Status.UNKNOWN, Severity.BLOCK, cause, part)]
    return []


def _says(rest: list[str], over: Comparison) -> frozenset[str] | None:
    """The terms of the clause of a near sentence that holds most of a claim, None where none does."""
    clauses = (
        frozenset(terms(part)) for near in over.near(SAME_MATTER) for part in _CLAUSE.split(near.sentence.text)
    )
    best = max(clauses, key=lambda each: len(each.intersection(rest)), default=frozenset[str]())
    return best if len(best.intersection(rest)) >= SAME_STATEMENT * len(set(rest)) else None


# An addition is no mere wording from this many content words on; put into a copied sentence, from this many words.
LEAST_WORDS = 4
LEAST_INSERTED = 4
# What is put into a copied sentence must stand elsewhere to this share; of a clause, no more than this is borne.
ELSEWHERE = 0.5
BORNE = 0.15
_ADDED_CLAUSE = re.compile(
    r"[,;:]\s+|\s[-–—]+\s|\s\(|\)\s|(?<=[.!?])\s+|\s(?=(?:which|who|because|while|whereas|although)\s)"
)


def added(over: Comparison) -> list[Check]:
    """The stretches of the claim that no source bears out, though the rest of it may be borne out.

    What was put into a copied sentence is surely added; a clause in words of its own may only be put otherwise.
    """
    kind, cause = FindingKind.UNSUPPORTED_ADDITION, "no source of this claim says this part of it"
    if over.copied:
        return [over.wrong("additions", cause, each, kind) for each in _inserted(over)] or listed(over)
    unclear = f"{cause} in words that can be compared"
    return [
        over.check("additions", Status.UNKNOWN, Severity.BLOCK, unclear, each, kind=kind) for each in _clauses(over)
    ] or listed(over)


def _inserted(over: Comparison) -> Iterator[Span]:
    """Words that were put into the sentence that the claim is copied from, and that no sentence holds."""
    assert over.copied is not None  # noqa: S101 - asked for only where there is one
    for edit in over.copied.copy.edits:
        text = over.claim.plain[edit.mine.start : edit.mine.end]
        if len(words(text)) < LEAST_INSERTED or 2 * (edit.theirs.end - edit.theirs.start) > len(text):
            continue  # little is put in; or it stands in the place of something, and may say the same
        if _most_in_one(terms(text), over.sources) < ELSEWHERE:
            yield edit.mine


def _most_in_one(wanted: Iterable[str], sources: Sources) -> float:
    """The largest share of some terms that one sentence holds."""
    every = set(wanted)
    if not every:
        return 1.0
    return max((len(every & set(each.terms)) for each in sources.sentences), default=0) / len(every)


def _clauses(over: Comparison) -> Iterator[Span]:
    """Clauses of which next to nothing stands in the sources, in whatever words."""
    start = 0
    text = over.claim.plain
    for cut in (*_ADDED_CLAUSE.finditer(text), None):
        end = cut.start() if cut else len(text)
        every = set(terms(text[start:end]))
        measured = any(term[0].isdigit() for term in every)  # its numbers have a check of their own
        if len(every) >= LEAST_WORDS and not measured and not _is_borne(every, over.sources):
            yield Span(start, end)
        start = cut.end() if cut else end


def _is_borne(wanted: set[str], sources: Sources) -> bool:
    """Whether the sources hold more than a trace of some terms, words of the same or a narrower meaning counted."""
    enough = BORNE * len(wanted)
    missing = wanted - sources.terms
    if len(wanted) - len(missing) > enough:
        return True
    akin = sum(any(kinship(each, other) in ("same", "broader") for other in sources.terms) for each in missing)
    return len(wanted) - len(missing) + akin > enough
