"""The fit of a `ClaimPolicy` on labelled claims: a logistic line, and bars on its probability."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.calibration.risk_guarantee import CONFIDENCE, binomial_tail

# On the squared weights, each times the spread of its input, beside a mean loss over the claims.
PENALTY = 1e-3
# Fewer flagged claims do not show how many are contradicted.
_FEWEST_FLAGGED = 20
# A claim is never called contradicted if the checker finds that less likely than not.
_LIKELIER = 0.5
_STEPS = 200
# An input that spreads less has nothing to weigh.
_LEVEL = 1e-9


@dataclass(frozen=True, slots=True)
class Line:
    """The weights of a `ClaimPolicy`, and its shift."""

    weights: Mapping[str, float]
    shift: float

    def probabilities(self, rows: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """The probability of each row, shape (rows,), 0 to 1."""
        total = [
            self.shift + math.fsum(weight * row[name] for name, weight in self.weights.items()) for row in rows
        ]
        return np.asarray(1 / (1 + np.exp(-np.clip(total, -700, 700))), np.float64)


@dataclass(frozen=True, slots=True)
class Aims:
    """The aims that bars are to keep.

    Of the false claims at most the share `passed` is called supported, of the true ones at most `flagged` is called
    not supported, and of what is called contradicted at least `precision` is. With `unseen` that is said of claims
    to come, as few labels need: the shares by the ranks of split conformal prediction (Papadopoulos 2002), the
    precision by the exact one-sided bound of `promise`. Without it, of the labels themselves.
    """

    passed: float
    flagged: float
    precision: float
    unseen: bool = True

    @property
    def fewest_contradicted(self) -> int:
        """Number of flagged claims that show the precision if each of them is contradicted.

        >>> Aims(0.03, 0.06, 0.9).fewest_contradicted
        22
        """
        return fewest(1 - self.precision) if self.unseen else _FEWEST_FLAGGED

    def shows_precision(self, wrong: int, flagged: int) -> bool:
        """True if so few `wrong` ones among those flagged show the precision."""
        if not self.unseen:
            return flagged - wrong >= self.precision * flagged
        return binomial_tail(wrong, flagged, 1 - self.precision) <= 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of a `ClaimPolicy`."""

    supported: float
    unsupported: float
    contradicted: float | None


def fewest(share: float) -> int:
    """Number of labels, none a failure, that shows that failures are at most this share (0 to 1), at 90 %.

    >>> fewest(0.03), fewest(0.06)
    (76, 38)
    """
    return math.ceil(math.log(1 - CONFIDENCE) / math.log(1 - share))


def balanced(supported: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of claims by which both labels count alike, 1 together; raises ValueError where one is missing.

    >>> balanced(np.array([True, False, False])).tolist()
    [0.5, 0.25, 0.25]
    """
    true, false = int(supported.sum()), int((~supported).sum())
    if not true or not false:
        raise ValueError("the claims are all true or all false")
    return np.where(supported, 0.5 / true, 0.5 / false)


def line(
    rows: Sequence[Mapping[str, float]],
    supported: NDArray[np.bool_],
    weights: NDArray[np.float64],
    *,
    never_above: Collection[str] = (),
    penalty: float = PENALTY,
) -> Line:
    """The logistic line of the least penalised loss over the claims, each counted by its weight.

    Inputs in `never_above` get no weight above 0; one that is the same in all rows gets none. By Newton's method on
    the weights that are not held at 0: with its penalty (ridge; Hoerl and Kennard 1970) the loss has one minimum.
    Raises ValueError where all inputs are the same in all rows.

    >>> rows = [{"said": 1.0}, {"said": 2.0}, {"said": -1.0}, {"said": -2.0}]
    >>> found = line(rows, np.array([True, True, False, False]), np.full(4, 0.25))
    >>> found.weights["said"] > 1, abs(found.shift) < 1e-9
    (True, True)
    """
    names = sorted(rows[0])
    values = np.array([[row[name] for name in names] for row in rows], np.float64)
    spread = values.std(0)
    names = [name for name, width in zip(names, spread, strict=True) if width > _LEVEL]
    if not names:
        raise ValueError("all claims measure alike")
    scaled = np.concatenate([(values / np.maximum(spread, _LEVEL))[:, spread > _LEVEL], np.ones((len(rows), 1))], 1)
    most = np.array([*(0.0 if name in never_above else math.inf for name in names), math.inf])
    ridge = 2 * penalty * np.array([*(1.0 for _ in names), 0.0])
    beta = np.zeros(len(most))

    def lost(at: NDArray[np.float64]) -> float:
        z = scaled @ at
        return float((weights * (np.logaddexp(0, z) - supported * z)).sum() + (ridge * at**2).sum() / 2)

    loss = lost(beta)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(scaled @ beta, -700, 700)))
        slope = scaled.T @ (weights * (p - supported)) + ridge * beta
        free = ~((beta >= most) & (slope < 0))
        bend = (scaled[:, free].T * (weights * p * (1 - p))) @ scaled[:, free] + np.diag(ridge[free] + 1e-12)
        step = np.zeros(len(beta))
        step[free] = np.linalg.solve(bend, slope[free])
        before, loss = loss, lost(np.minimum(beta - step, most))
        while loss > before and np.abs(step).max() > 1e-12:
            step /= 2
            loss = lost(np.minimum(beta - step, most))
        beta = np.minimum(beta - step, most)
        if np.abs(step[free]).max() < 1e-10:
            break
    found = beta[:-1] / spread[spread > _LEVEL]
    return Line({name: float(weight) for name, weight in zip(names, found, strict=True)}, float(beta[-1]))


def bars(
    p: NDArray[np.float64],
    true: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    against: NDArray[np.float64],
    vetoed: NDArray[np.bool_],
    aims: Aims,
) -> Bars:
    """The bars that keep the aims on claims of these probabilities `p`, each array of shape (claims,).

    `wrong` are the contradicted ones, `against` is the checker's own probability of that, and a claim that is
    `vetoed` cannot be called supported. Where too few are flagged to show the precision, nothing is called
    contradicted. Raises ValueError where there are too few claims for a share.
    """
    unsupported = _lower(np.sort(p[true]), aims)
    supported = _upper(np.sort(np.where(vetoed, 0.0, p)[~true])[::-1], aims)
    if (
        unsupported > supported
    ):  # the labels are told apart with room to spare: neither bar needs to be at its limit
        supported = unsupported = (supported + unsupported) / 2
    flagged = p < unsupported
    contradicted = None
    for bar in np.unique(against[flagged & (against >= _LIKELIER)])[::-1]:
        above = flagged & (against >= bar)
        if above.sum() < aims.fewest_contradicted:
            continue
        if not aims.shows_precision(int((~wrong[above]).sum()), int(above.sum())):
            break
        contradicted = float(bar)
    return Bars(supported, unsupported, contradicted)


def _upper(falling: NDArray[np.float64], aims: Aims) -> float:
    """The bar for false claims of these probabilities, the highest first."""
    at = math.floor(aims.passed * (len(falling) + 1)) - 1 if aims.unseen else int(aims.passed * len(falling))
    if at < 0:
        raise ValueError("there are too few false claims")
    bar = float(falling[at])
    if (falling >= bar).sum() > at + 1:  # several have this probability, and all of them would pass
        bar = float(np.nextafter(bar, math.inf))
    if bar > 1:
        raise ValueError("false claims are as likely as can be")
    return bar


def _lower(rising: NDArray[np.float64], aims: Aims) -> float:
    """The bar for true claims of these probabilities, the lowest first; what is below it is flagged."""
    if not aims.unseen:
        return float(np.quantile(rising, aims.flagged))
    at = math.floor(aims.flagged * (len(rising) + 1)) - 1
    if at < 0:
        raise ValueError("there are too few true claims")
    return float(rising[at])
