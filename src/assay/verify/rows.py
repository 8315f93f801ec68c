"""Whether a value belongs to what the claim gives it for, where a source's rows give it for another thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.quantities import Quantity, agree
from assay.text.tokens import STOP_WORDS, terms, words
from assay.types import Check, Severity, Span, Status
from assay.verify.comparison import MOST_COMPARED, SAME_MATTER, Comparison, overlaps, quantities_in

_RULE = re.compile(r"[|:\s-]*")
_LIST_MARK = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+")
_LINE = re.compile(r"(?P<head>[^:|]{1,60}):\s+(?P<value>[^:|]{1,60})")
# Words by which two sentences of one shape may differ, the numbers apart; the words they must share.
_MOST_APART, _LEAST_SHARED = 4, 2


@dataclass(frozen=True, slots=True)
class _Row:
    """What a row is about as words, and as written; its other cells."""

    name: tuple[str, ...]
    head: str
    cells: tuple[str, ...]


def of_another_row(over: Comparison) -> list[Check]:
    """An open check for each number of a claim that a row, or a sentence like its own, gives for another thing.

    Of "| Brewlet 3 | 189 EUR |" and "| Brewlet 3 Pro | 279 EUR |" a claim that the Brewlet 3 Pro costs 189 EUR
    takes the other's. A claim that names several rows compares them, and none of its numbers is looked at.
    """
    claim = over.claim.plain
    tables = [table for passage in over.sources.passages for table in _tables(passage.text)]
    for quantity in quantities_in(claim)[:MOST_COMPARED]:
        owner = next(filter(None, (_owner_in_table(claim, quantity, table) for table in tables)), "")
        owner = owner or _owner_of_like_shape(over, quantity)
        if owner:
            cause = (
                f"{claim[quantity.start : quantity.end].strip()!r} may be of something else: the source has it of"
            )
            return [over.check("belonging", Status.UNKNOWN, Severity.BLOCK, f"{cause} {owner!r}", quantity)]
    return _cell_of_another(over)


# Many claims stand on the same few passages.
@lru_cache(maxsize=256)
def _tables(text: str) -> tuple[tuple[_Row, ...], ...]:
    """The runs of lines that are a table's rows, or each name something and say its value after a colon."""
    tables: list[tuple[_Row, ...]] = []
    run: list[_Row] = []
    for line in (*text.split("\n"), ""):
        row = _row(line)
        if row is not None:
            run.append(row)
        elif not (line.strip() and _RULE.fullmatch(line)):
            tables.append(tuple(run))
            run = []
    return tuple(table for table in tables if len(table) > 1)


def _row(line: str) -> _Row | None:
    mark = _LIST_MARK.match(line)
    bare = line[mark.end() if mark else 0 :].strip()
    pair = _LINE.fullmatch(bare)
    if pair is not None:
        head, *cells = pair["head"].strip(), pair["value"].strip()
    elif bare.startswith("|") and not _RULE.fullmatch(bare):
        head, *cells = (cell.strip() for cell in bare.strip("|").split("|"))
    else:
        return None
    name = tuple(words(head))
    return _Row(name, head, tuple(cells)) if name and cells else None


def _owner_in_table(claim: str, quantity: Quantity, table: Sequence[_Row]) -> str:
    """The row with the claim's number, where the claim is of another one with such a number there; else empty."""
    named = _named(words(claim), table)
    if len(named) != 1 or _is_in_name(claim, quantity, named[0]):
        return ""
    [own] = named
    if any(agree(quantity, each) for cell in own.cells for each in quantities_in(cell)):
        return ""
    for row in table:
        for at, cell in enumerate(row.cells[: len(own.cells)]):
            has_it = row is not own and any(agree(quantity, each) for each in quantities_in(cell))
            if has_it and any(each.dimension == quantity.dimension for each in quantities_in(own.cells[at])):
                return row.head
    return ""


def _is_in_name(claim: str, quantity: Quantity, row: _Row) -> bool:
    """Whether a number is part of the row's name in the claim: the 3 of "Brewlet 3" is no value."""
    place = claim.lower().find(row.head.lower())
    return place >= 0 and overlaps(quantity, Span(place, place + len(row.head)))


def _named(said: Sequence[str], table: Sequence[_Row]) -> list[_Row]:
    """The rows that some words name; of a name inside a longer one at the same place only the longer."""
    places = [
        (at, at + len(row.name), row)
        for row in table
        for at in range(len(said) - len(row.name) + 1)
        if tuple(said[at : at + len(row.name)]) == row.name
    ]
    kept = [
        row
        for start, end, row in places
        if not any(s <= start and end <= e and e - s > end - start for s, e, _ in places)
    ]
    return list({row.name: row for row in kept}.values())


def _owner_of_like_shape(over: Comparison, quantity: Quantity) -> str:
    """The sentence with the claim's number, where the claim has the name in another of its shape; else empty."""
    said = words(over.claim.plain)
    near = [each.sentence.text for each in over.near(SAME_MATTER)]
    for theirs in near:
        for other in near:
            if other == theirs or theirs.lstrip().startswith("|"):
                continue
            for ours, rival in _two_apart(theirs, other, quantity):
                if _is_of(said, rival, ours) and not _also_said(near, theirs, quantity, rival, ours):
                    return theirs
    return ""


def _two_apart(theirs: str, other: str, quantity: Quantity) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words by which two sentences differ, where they differ in one place and in one number of a kind."""
    for mine in quantities_in(theirs):
        if not agree(quantity, mine):
            continue
        for rival in quantities_in(other):
            if rival.dimension != mine.dimension or agree(quantity, rival):
                continue
            one, two = _without(theirs, mine), _without(other, rival)
            start = _shared(one, two)
            end = _shared(one[start:][::-1], two[start:][::-1])
            apart = tuple(one[start : len(one) - end]), tuple(two[start : len(two) - end])
            shared = [word for word in one[:start] + one[len(one) - end :] if word and word not in STOP_WORDS]
            if apart[0] != apart[1] and max(map(len, apart)) <= _MOST_APART and len(shared) >= _LEAST_SHARED:
                yield apart


def _without(text: str, quantity: Quantity) -> list[str]:
    """The words of a sentence, a number's place empty."""
    return [*words(text[: quantity.start]), "", *words(text[quantity.end :])]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words from the first on are the same."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _is_of(said: Sequence[str], rival: Sequence[str], ours: Sequence[str]) -> bool:
    """Whether words have what is one sentence's own, and nothing of what is the other's."""
    own, others = (frozenset(each) - STOP_WORDS for each in (rival, ours))
    return own <= set(said) and not others & set(said) and "" not in (*rival, *ours) and bool(own or others)


def _also_said(
    near: Sequence[str], theirs: str, quantity: Quantity, rival: Sequence[str], ours: Sequence[str]
) -> bool:
    """Whether another sentence near has the number, with the words that the claim has and the first lacks."""
    return any(
        _is_of(words(each), rival, ours)
        for each in near
        if each != theirs and any(agree(quantity, one) for one in quantities_in(each))
    )


def _cell_of_another(over: Comparison) -> list[Check]:
    """An open check of a table's row in words whose value no source sentence has together with what it is of."""
    row = _row(over.claim.plain) if over.claim.plain.lstrip().startswith("|") else None
    if row is None or any(map(str.isdigit, over.claim.plain)):
        return []
    about = frozenset(terms(row.head))
    said = [frozenset(each.terms) for each in over.sources.sentences]
    of_it = [each for each in said if about <= each]
    if not about or not of_it:
        return []
    for cell in row.cells:
        value = frozenset(terms(cell))
        elsewhere = value and any(value <= each for each in said)
        if elsewhere and not any(value & each for each in of_it):
            cause = f"{cell!r} may be of something else: no source sentence says it with {row.head!r}"
            place = Span(0, len(over.claim.plain))
            return [over.check("belonging", Status.UNKNOWN, Severity.BLOCK, cause, place)]
    return []
