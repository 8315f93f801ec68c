"""Labelled claims as JSON lines, each beside its evidence; read strictly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.evals.labels_file import Line, lines, refused, told
from assay.types import Passage, Verdict

# What a label may be: a verdict, or as `assay audit` has it; of a claim that is only called wrong, nobody said
# whether its evidence contradicts it.
_LABELS = {each.value: each for each in (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED)}


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, what its evidence says of it, that evidence, and the number of the line that tells so."""

    number: int
    claim: str
    label: Verdict
    passages: tuple[Passage, ...]

    @property
    def group(self) -> str:
        """The evidence as one text: claims of one group have the same."""
        return "\n".join(each.text for each in self.passages)


def labelled_claims(path: Path) -> tuple[LabelledClaim, ...]:
    """The claims of a file: {"claim", "evidence": a text or a list of texts, "label"} a line.

    A label is supported, contradicted or unsupported. What `assay audit` reads is understood too: "context" is
    evidence, true is supported, false is unsupported. UsageError, naming the line, for what is none of it, and for
    a claim that comes twice beside the same evidence.
    """
    found: dict[tuple[str, str], LabelledClaim] = {}
    for line in lines(path):
        one = LabelledClaim(line.number, *_claim_and_label(path, line), _passages(path, line))
        key = " ".join(one.claim.split()), one.group
        if key in found:
            raise refused(path, line.number, f"the claim stands in line {found[key].number} already")
        found[key] = one
    return tuple(found.values())


def counted(claims: Sequence[LabelledClaim]) -> str:
    """How many claims there are of each label, in words.

    >>> rain, snow = (LabelledClaim(n, "It rained.", Verdict.SUPPORTED, ()) for n in (1, 2))
    >>> counted([rain, snow])
    '2 labelled claims: 2 supported, 0 contradicted, 0 unsupported'
    """
    by_label = Counter(each.label for each in claims)
    parts = ", ".join(f"{by_label[each]} {name}" for name, each in _LABELS.items())
    return f"{len(claims)} labelled claims: {parts}"


def _claim_and_label(path: Path, line: Line) -> tuple[str, Verdict]:
    claim, label = line.body.get("claim"), line.body.get("label")
    if not isinstance(claim, str) or not claim.strip():
        raise refused(path, line.number, "it has no claim")
    if isinstance(label, bool):
        return claim, Verdict.SUPPORTED if label else Verdict.UNSUPPORTED
    if not isinstance(label, str) or label not in _LABELS:
        known = ", ".join(_LABELS)
        raise refused(path, line.number, f"its label is {told(label)}; a label is {known}, or true or false")
    return claim, _LABELS[label]


def _passages(path: Path, line: Line) -> tuple[Passage, ...]:
    given: Any = line.body.get("evidence", line.body.get("context"))
    texts = given if isinstance(given, list) else [given]
    if not texts or not all(isinstance(each, str) and each.strip() for each in texts):
        raise refused(path, line.number, "it has no evidence: a text, or a list of texts")
    return tuple(Passage(str(n), str(n), "", 0, len(text), text) for n, text in enumerate(texts, 1))
