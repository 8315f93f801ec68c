"""What a claim's verdict comes from, measured and not yet ruled on: what a checker's policy is fitted on."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Check
from assay.verify.cases import Case
from assay.verify.entailed import Entailed
from assay.verify.judged import Measures, aligned_of, compared_checks, overlap_of
from assay.verify.verdicts import decides, failed_of, of_truth, withholds


@dataclass(frozen=True, slots=True)
class MeasuredClaim:
    """A claim that was compared with its sources, whole, with the checks of its quotations and facts.

    `aligned` is how far words and vectors bear it out, 0 to 1, None where that cannot be measured; `said` is what
    the checker says, None where it was not asked: of a quote, of what is too long, in a language it does not read.
    """

    case: Case
    checks: tuple[Check, ...]
    aligned: float | None
    said: Entailed | None

    @classmethod
    def of(cls, case: Case, measures: Measures) -> MeasuredClaim:
        """The claim, from what models measured of it."""
        checks = compared_checks(case)
        aligned = None if case.quote is not None else aligned_of(case, measures.vectors, checks)
        return cls(case, tuple(checks), aligned, measures.entailed.get(case.n))

    @property
    def is_weighed(self) -> bool:
        """Whether a policy rules on the claim: it was compared and read, and no source says it but for a value."""
        return self.said is not None and self.aligned not in (None, 1.0)

    @property
    def inputs(self) -> dict[str, float]:
        """What a policy weighs; raises ValueError where it does not rule on the claim."""
        if self.said is None or self.aligned is None:
            raise ValueError("the claim was not compared")
        return self.said.inputs(self.aligned, overlap_of(self.case), failed_of(self.checks))

    @property
    def decisive(self) -> tuple[Check, ...]:
        """The failed checks that settle the claim whatever a checker says."""
        return tuple(each for each in of_truth(self.checks) if decides(each, self.case))

    @property
    def withheld(self) -> tuple[Check, ...]:
        """The checks that keep the claim from being called supported."""
        return tuple(each for each in self.checks if withholds(each, self.case, is_read=True))
