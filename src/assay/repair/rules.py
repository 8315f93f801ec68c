"""Repairs by rules: what needs no search and no model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.core.stages import Repairer, TextVerifier, Weigher
from assay.repair.citations import recited
from assay.repair.correct import corrected
from assay.repair.drop import dropped
from assay.repair.exchange import exchanged, shipped
from assay.types import Candidate, Evidence, Question, RepairKind, Review, Sentence, Severity


@dataclass(frozen=True, slots=True)
class RulesRepairer:
    """Points citations at what bears a sentence out, puts the sources' values in, marks, and drops what failed.

    `verifier` says which passages bear a claim out. With a `weigher` the values of the sources are tried in
    sentences in words of their own, too: words alone do not tell one value from another.
    """

    verifier: TextVerifier
    weigher: Weigher | None = None

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence as this kind of repair would have it; None where it has nothing to offer."""
        match kind:
            case RepairKind.RE_CITE:
                return await recited(self.verifier, evidence, sentence, review)
            case RepairKind.CORRECT:
                found = corrected(question, evidence, sentence, review, begins)
                if found is None and self.weigher is not None:
                    found = await exchanged(self.weigher, shipped(), question, evidence, sentence, review, begins)
                return found
            case RepairKind.HEDGE:
                return hedged(evidence, sentence, review)
            case RepairKind.DROP:
                return dropped(evidence, sentence, review, begins)
            case _:
                return None


def hedged(evidence: Evidence, sentence: Sentence, review: Review) -> Candidate:
    """The sentence marked, for the first reason why it may not be shown as verified."""
    why = next((each.message for each in review.findings if each.severity is Severity.BLOCK), "")
    return Candidate(replace(sentence, hedged=True), evidence, why, "rules")


# One repairer made of several, each for its own kinds of repair.


@dataclass(frozen=True, slots=True)
class ComposedRepairer:
    """Mends by the repairer of each kind; `usual` has the others."""

    usual: Repairer
    by_kind: Mapping[RepairKind, Repairer]

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence as this kind of repair would have it; None where it has nothing to offer."""
        repairer = self.by_kind.get(kind, self.usual)
        return await repairer.repair(kind, question, evidence, sentence, review, begins)
