"""Questions on which two documents of a collection differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.engine import Engine
from assay.evals.make.fact import Fact, Kind
from assay.nlp.tokens import fold, terms

# What two documents may give different values for; two definitions may both be right, and rows of one name
# in two tables are often different things.
_OF_ONE_VALUE = frozenset((Kind.DATE, Kind.PLACE, Kind.MAKER, Kind.NUMBER, Kind.ATTRIBUTE))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Facts of different documents that answer one question differently."""

    facts: tuple[Fact, ...]


def disagreements(groups: Iterable[Sequence[Fact]]) -> tuple[Disagreement, ...]:
    """The groups of facts with one question in which documents differ, and no document with itself."""
    found = []
    for group in groups:
        by_document: dict[str, set[str]] = {}
        for fact in group:
            by_document.setdefault(fact.document_id, set()).add(fold(fact.answer_text))
        if group[0].kind not in _OF_ONE_VALUE or any(len(said) > 1 for said in by_document.values()):
            continue
        first: dict[str, Fact] = {}
        for fact in group:
            first.setdefault(fact.document_id, fact)
        values = [frozenset(terms(fact.answer_text)) for fact in first.values()]
        if len(set(values)) > 1 and not any(one < other for one in values for other in values):
            found.append(Disagreement(tuple(first.values())))
    return tuple(found)


async def is_contradictory(disagreement: Disagreement, engine: Engine) -> bool:
    """Whether assay's own comparison of passages finds the disagreement too, by the values of two of the facts."""
    gathered = await engine.agather(disagreement.facts[0].wording.question)
    for contradiction in gathered.judgement.contradictions:
        readings = [frozenset(terms(reading.value)) for reading in contradiction.readings]
        held = {
            fact.document_id
            for fact in disagreement.facts
            if any(read <= frozenset(terms(fact.answer_text)) for read in readings if read)
        }
        if len(held) > 1:
            return True
    return False
