"""Repairs by rules, without a search or a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.core.stages import Repairer, TextVerifier, Weigher
from assay.repair.citations import repair_citations
from assay.repair.correct import correct_values
from assay.repair.drop import drop_claims
from assay.repair.exchange import exchange_values, shipped_weights
from assay.types import Candidate, Evidence, Question, RepairKind, Review, Sentence, Severity


@dataclass(frozen=True, slots=True)
class RulesRepairer:
    """Repairs citations, corrects values to the sources' own, marks sentences, and drops claims that failed.

    `verifier` says which passages support a claim. With a `weigher` the sources' values are also tried in sentences
    worded freely, where words alone cannot tell which value is meant.
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
        """The sentence repaired in this way; None where that is not possible."""
        match kind:
            case RepairKind.RE_CITE:
                return await repair_citations(self.verifier, evidence, sentence, review)
            case RepairKind.CORRECT:
                corrected = correct_values(question, evidence, sentence, review, begins)
                if corrected is not None or self.weigher is None:
                    return corrected
                weights = shipped_weights()
                return await exchange_values(self.weigher, weights, question, evidence, sentence, review, begins)
            case RepairKind.HEDGE:
                return hedge(evidence, sentence, review)
            case RepairKind.DROP:
                return drop_claims(evidence, sentence, review, begins)
            case _:
                return None


def hedge(evidence: Evidence, sentence: Sentence, review: Review) -> Candidate:
    """The sentence with a mark, and its first blocking finding as the reason."""
    blocking = (finding.message for finding in review.findings if finding.severity is Severity.BLOCK)
    return Candidate(replace(sentence, hedged=True), evidence, next(blocking, ""), "rules")


# Several repairers as one.


@dataclass(frozen=True, slots=True)
class ComposedRepairer:
    """Repairs with the repairer of each kind, and with `default` where a kind has none."""

    default: Repairer
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
        """The sentence repaired in this way; None where that is not possible."""
        repairer = self.by_kind.get(kind, self.default)
        return await repairer.repair(kind, question, evidence, sentence, review, begins)
