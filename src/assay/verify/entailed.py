"""What a checker says of a claim beside its sources, and how that joins what words, vectors and facts say."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.calibration import log_odds, sigmoid
from assay.nlp.blocks import without_markup
from assay.nlp.reading import titled
from assay.prompting.tokens import estimated_tokens
from assay.stages import Pair
from assay.text.rarity import rarity
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Passage, Verdict
from assay.verify.window import WIDTH, covering, lines_of, window
from assay.verify.words import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The checks whose failing is an input of a policy's line, beside the others.
WEIGHED = ("numbers", "dates", "names", "negation", "comparison")
INPUTS = frozenset({"checker", "trees", "overlap", "trees x overlap", "checker x overlap"}).union(
    f"failed {name}" for name in WEIGHED
)
# No failed check speaks for a claim.
NEVER_ABOVE = frozenset(f"failed {name}" for name in WEIGHED)
# A longer claim is not read whole, in tokens as estimated.
LONGEST = 96
# A claim of more sentences is not read; the longest labelled one has 25.
_MOST_SENTENCES = 32
# Passages that a claim is read against together.
_MOST_PASSAGES = 3
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|\Z))")


@dataclass(frozen=True, slots=True)
class Entailed:
    """What a checker says of a claim: the log odds that its sources support it, the least of its sentences.

    `against` is the probability that they contradict it, the highest of its sentences.
    """

    by: str
    support: float
    against: float

    @property
    def likelier(self) -> Verdict:
        """What it says by itself: unknown where neither is likelier than not."""
        support = sigmoid(self.support)
        if max(support, self.against) <= 0.5:
            return Verdict.UNKNOWN
        return Verdict.SUPPORTED if support >= self.against else Verdict.CONTRADICTED

    @property
    def told(self) -> str:
        """How likely it finds either, in words."""
        return f"supports {sigmoid(self.support):.2f}, contradicts {self.against:.2f}"

    def inputs(self, aligned: float, overlap: float, failed: Collection[str]) -> dict[str, float]:
        """What a policy weighs, with what words and vectors say (0 to 1) and the checks that failed.

        `overlap` is the share of the claim's terms that its sources hold.
        """
        trees = log_odds(aligned)
        return {
            "checker": self.support,
            "trees": trees,
            "overlap": overlap,
            "trees x overlap": trees * overlap,
            "checker x overlap": self.support * overlap,
            **{f"failed {name}": float(name in failed) for name in WEIGHED},
        }


def plain(text: str) -> str:
    """A claim without markup, as the checker reads it.

    >>> plain("Set **k** with `--k 5`.")
    'Set k with --k 5.'
    """
    return _BEFORE_STOP.sub("", " ".join(without_markup(text).split()))


def pairs_of(claim: str, passages: Sequence[Passage]) -> tuple[Pair, ...]:
    """The pairs that a checker reads of a claim, one a sentence; none where one is too long to be read whole."""
    whole = plain(claim)
    found = [text for span in sentences(whole) if words_of(text := whole[span.start : span.end])]
    if len(found) > _MOST_SENTENCES or any(map(_is_long, found)):
        return ()
    return tuple(Pair(one, evidence(one, passages)) for one in found)


def _is_long(text: str) -> bool:
    return estimated_tokens(text) > LONGEST


def evidence(claim: str, passages: Sequence[Passage]) -> str:
    """What the checker reads the claim against: the sentences of its sources that together hold most of it.

    Each stands under its passage's title; where several passages are needed, the one that holds most comes first.
    """
    asked = {term: rarity(term) for term in terms(claim)}
    texts = [titled(each) for each in passages]
    held = [frozenset(terms(each.title)).union(*lines_of(each.text).terms) for each in texts]
    best = covering(asked, held)[:_MOST_PASSAGES] or [0]
    width = WIDTH // len(best)
    parts = ((texts[at].title, window(claim, texts[at].title, texts[at].text, width)) for at in best)
    # A window that begins with its title does not need it twice.
    return "\n".join(f"{title}\n{text}" if title and not text.startswith(title) else text for title, text in parts)


def entailed(by: str, said: NDArray[np.float32]) -> Entailed:
    """What the probabilities of `pairs_of` say together, shape (pairs, 3)."""
    return Entailed(by, log_odds(float(said[:, 0].min())), float(said[:, 1].max()))


def by_claim(by: str, pairs: Mapping[int, Sequence[Pair]], said: NDArray[np.float32]) -> dict[int, Entailed]:
    """What the probabilities of all claims' pairs, one claim after another, say of each."""
    found, at = {}, 0
    for n, own in pairs.items():
        if own:
            found[n] = entailed(by, said[at : at + len(own)])
            at += len(own)
    return found
