"""A calibration as it ships: its curve, what it was fitted for, its measured error, what it can promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.calibration.curves import Isotonic
from assay.types import ReliabilityBin, Value


@dataclass(frozen=True, slots=True)
class MadeFor(Value):
    """The origin that a score must have for a fit to apply to it.

    `embedding` is the SHA-256 of the embedding model, `judge`, `writer` and `verifier` name what did these parts,
    "" where the score does not depend on it. `weights` is the hash of the fitted weights behind the score.
    """

    embedding: str
    judge: str
    writer: str
    verifier: str
    weights: str

    def differs(self, live: MadeFor) -> str | None:
        """The first part in which a live score comes from something else; None where the fit applies.

        >>> MadeFor("a", "fast", "", "", "w").differs(MadeFor("b", "fast", "extractive", "", "w"))
        'another embedding model'
        """
        parts = {
            "embedding model": (self.embedding, live.embedding),
            "judge": (self.judge, live.judge),
            "writer": (self.writer, live.writer),
            "verifier": (self.verifier, live.verifier),
            "version of the weights": (self.weights, live.weights),
        }
        return next((f"another {name}" for name, (own, other) in parts.items() if own and own != other), None)


@dataclass(frozen=True, slots=True)
class Measured(Value):
    """The measured error of a fit, on rows that it was not fitted on: debiased ECE, Brier score, bins and rows."""

    n: int
    ece: float
    brier: float
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True, slots=True)
class Rung(Value):
    """A step of the ladder: the labelled rows that score at least `score`, and the wrong ones among them.

    `design` is the design effect of their groups, at least 1: how many rows are worth one independent row.
    """

    score: float
    shown: int
    wrong: int
    design: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit(Value):
    """A fitted calibration.

    `kind` is what the probability is of, `data` what it was fitted on in words. `reference` are signals of the
    fit, for the test whether live ones look like them. `ladder` goes from the highest threshold to the lowest; its
    last rung holds all rows. Where the probability is of an answer, both are of the sufficiency of its evidence.
    `elsewhere` is the debiased ECE on sets kept out of the fit, over what no alarm held back; None where there are
    none.
    """

    kind: str
    data: str
    made_for: MadeFor
    curve: Isotonic
    measured: Measured
    reference: tuple[float, ...]
    ladder: tuple[Rung, ...]
    elsewhere: float | None = None

    def probability(self, score: float) -> float:
        """The probability of a score, 0 to 1."""
        return self.curve.probability(score)

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """The fit as `to_dict` wrote it. Raises KeyError or TypeError for another form."""
        measured = body["measured"]
        return cls(
            kind=str(body["kind"]),
            data=str(body["data"]),
            made_for=MadeFor(**body["made_for"]),
            curve=Isotonic(tuple(body["curve"]["scores"]), tuple(body["curve"]["probabilities"])),
            measured=Measured(
                measured["n"],
                measured["ece"],
                measured["brier"],
                tuple(ReliabilityBin(**bin_) for bin_ in measured["bins"]),
            ),
            reference=tuple(body["reference"]),
            ladder=tuple(Rung(**rung) for rung in body["ladder"]),
            elsewhere=body.get("elsewhere"),
        )
