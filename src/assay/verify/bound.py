"""Whether what a claim says belongs to what it says it of, where a source sentence speaks of several things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.quantities import Quantity, quantities
from assay.text.tokens import STOP_WORDS, fold, stem, terms, word_spans
from assay.types import Check, Severity, Span, Status
from assay.verify.comparison import SAME_MATTER, Comparison, quantities_in
from assay.verify.lexicon import part_of_speech
from assay.verify.parallel import CLAUSE, joined_across
from assay.verify.rows import of_another_row

_NEXT_CLAUSE = re.compile(r"(?:[;,]\s+|\s)(?:and|but|while|whereas)\s+|;\s+")
# Nouns by the dictionary that say when, and name no one.
_WHEN = frozenset("today yesterday tomorrow now then later soon once also still this that year month week".split())


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence with one number: its text, the terms before the number, and all of its terms."""

    text: str
    quantity: Quantity
    before: frozenset[str]
    terms: frozenset[str]


def bound(over: Comparison) -> list[Check]:
    """An open check for each number that a source sentence gives for something else than the claim does.

    In "cars pay 4 pounds, lorries pay 12 pounds" 12 pounds are the lorries'; a claim that says them of cars names
    what another clause gives another number of the same kind for. It is unknown rather than failed: a sentence may
    list its subjects first and its numbers behind them.
    """
    checks = []
    for quantity in quantities_in(over.claim.plain):
        before = frozenset(terms(over.claim.plain[: quantity.start]))
        for near in over.near(SAME_MATTER):
            theirs = _of_another(quantity, before, _clauses(near.sentence.text))
            if theirs:
                number = over.claim.plain[quantity.start : quantity.end].strip()
                cause = f"{number!r} may be of something else: the source has it in {theirs!r}"
                checks.append(over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, quantity))
                break
    return checks or _of_another_clause(over) or joined_across(over) or of_another_row(over)


def _of_another_clause(over: Comparison) -> list[Check]:
    """An open check of a copy that leaves out a clause's subject: its words may be said of another clause's.

    Of "cyclists cross free of charge, while drivers pay" a claim that cyclists pay leaves out the drivers.
    """
    if over.copied is None:
        return []
    for edit in over.copied.copy.edits:
        opens = not over.claim.plain[: edit.mine.start].strip(" |")
        if edit.mine.start < edit.mine.end or opens or edit.mine.start >= len(over.claim.plain.rstrip(" .")):
            continue
        subject = next(filter(_names_someone, _subjects(over.copied.sentence.text, edit.theirs)), None)
        if subject is not None:
            cause = f"it may be said of something else: the source says it of {subject!r}"
            part, place = Span(edit.mine.start, len(over.claim.plain)), over.copied.span(edit.theirs)
            return [over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, part, place)]
    return []


def _subjects(text: str, left_out: Span) -> Iterator[str]:
    """What stands first in the clause that goes on where the left out words end, in each way of aligning them.

    "The one ran the [bakery, the other ran the] mill" is "the one [ran the bakery, the other] ran the mill" too.
    """
    spans = list(word_spans(text))
    first = next((n for n, each in enumerate(spans) if each.start >= left_out.start), len(spans))
    last = next((n for n, each in enumerate(spans) if each.end >= left_out.end), len(spans) - 1)
    while True:
        cut = list(_NEXT_CLAUSE.finditer(text, spans[first].start, spans[last].end))
        if cut:
            yield text[cut[-1].end() : spans[last].end]
        before, ending = (text[spans[n].start : spans[n].end] for n in (first - 1, last))
        if not cut or first < 1 or fold(before) != fold(ending):
            return
        first, last = first - 1, last - 1


def _names_someone(words: str) -> bool:
    """Whether a few words end with a noun or a name."""
    found = [words[each.start : each.end] for each in word_spans(words)]
    last = fold(found[-1]) if found else ""
    if not last or last in STOP_WORDS or last in _WHEN or last[0].isdigit():
        return False
    return found[-1][0].isupper() or part_of_speech(stem(last), last) == "noun"


# Many claims are compared with the same few source sentences.
@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[_Clause, ...]:
    """The parts of a sentence that hold one number each."""
    parts = ((part, quantities(part)) for part in CLAUSE.split(text))
    return tuple(
        _Clause(part.strip(), found[0], frozenset(terms(part[: found[0].start])), frozenset(terms(part)))
        for part, found in parts
        if len(found) == 1
    )


def _of_another(quantity: Quantity, before: frozenset[str], clauses: Sequence[_Clause]) -> str:
    """The clause that has this number, where the claim says it of another clause's subject; else empty."""
    own = [each for each in clauses if _alike(each.quantity, quantity)]
    if len(own) != 1:
        return ""
    rivals = (each for each in clauses if each is not own[0] and each.quantity.dimension == quantity.dimension)
    claimed = not before <= own[0].terms and any(before <= rival.terms for rival in rivals)
    return own[0].text if claimed and own[0].before - before else ""


def _alike(one: Quantity, other: Quantity) -> bool:
    return (one.low, one.high, one.dimension) == (other.low, other.high, other.dimension)
