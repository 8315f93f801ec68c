"""How alike a claim and its sources are by sentence vectors: the support score's inputs that need an embedder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.text.sentences import sentences
from assay.verify.reading import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Rows = NDArray[np.float32]


def texts_of(reading: Reading) -> tuple[str, ...]:
    """The texts whose vectors `likeness` needs: the claim, its sentences, the source sentences looked at."""
    return (reading.text, *_own(reading), *(reading.ground.texts[each] for each in sorted(reading.order)))


def likeness(reading: Reading, vectors: Mapping[str, Vector]) -> dict[str, float]:
    """Cosines by name, each -1 to 1; `vectors` maps every text of `texts_of` to its vector of length 1."""
    looked_at = sorted(reading.order)
    single = np.stack([vectors[reading.ground.texts[each]] for each in looked_at])
    joined = _neighbours(single, looked_at)
    claim = vectors[reading.text]
    cosines = np.sort(single @ claim)[::-1]
    each = [float((joined @ vectors[text]).max()) for text in _own(reading)] or [float(cosines[0])]
    return {
        "alike_best": float(cosines[0]),
        "alike_joined": float((joined @ claim).max()),
        "alike_top3": float(cosines[:3].mean()),
        "alike_mean": float(cosines.mean()),
        "alike_ahead": float(cosines[0] - cosines.mean()),
        "alike_all": float(_unit(single.mean(axis=0)) @ claim),
        "alike_least": min(each),
        "alike_sentences": sum(each) / len(each),
        "alike_spanned": _spanned(single, claim),
    }


def _own(reading: Reading) -> list[str]:
    return [reading.text[span.start : span.end] for span in sentences(reading.text)]


def _neighbours(single: Rows, numbers: Sequence[int]) -> Rows:
    """The vectors of the sentences, and the directions of two and three neighbouring ones."""
    rows = [single]
    for length in (2, 3):
        starts = [
            at for at in range(len(numbers) - length + 1) if numbers[at + length - 1] == numbers[at] + length - 1
        ]
        rows += [_unit(single[at : at + length].sum(axis=0))[None, :] for at in starts]
    return np.concatenate(rows)


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


def _spanned(single: Rows, claim: Vector) -> float:
    """How much of the claim's vector lies in the space of its three nearest sentences, 0 to 1."""
    nearest = single[np.argsort(-(single @ claim), kind="stable")[:3]]
    basis, _ = np.linalg.qr(nearest.T)
    return float(np.linalg.norm(basis.T @ claim))
