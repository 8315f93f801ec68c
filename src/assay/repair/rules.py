"""Repairs by rules: what needs no search and no model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.types import Candidate, Evidence, Question, RepairKind, Review, Sentence, Severity


@dataclass(frozen=True, slots=True)
class RulesRepairer:
    """Marks what could not be borne out, and drops what failed."""

    async def mend(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence as this kind of repair would have it; None where it has nothing to offer."""
        why = next((each.message for each in review.findings if each.severity is Severity.BLOCK), "")
        if kind is RepairKind.HEDGE:
            return Candidate(replace(sentence, hedged=True), evidence, why, "rules")
        if kind is RepairKind.DROP:
            return Candidate(None, evidence, why, "rules")
        return None
