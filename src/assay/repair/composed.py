"""One repairer made of several, each for its own kinds of repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.stages import Repairer
from assay.types import Candidate, Evidence, Question, RepairKind, Review, Sentence


@dataclass(frozen=True, slots=True)
class ComposedRepairer:
    """Mends by the repairer of each kind; `usual` has the others."""

    usual: Repairer
    by_kind: Mapping[RepairKind, Repairer]

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
        repairer = self.by_kind.get(kind, self.usual)
        return await repairer.mend(kind, question, evidence, sentence, review, begins)
