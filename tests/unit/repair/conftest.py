"""Two short sources, and a sentence's review by the deterministic verifier."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.core.draft import compose
from assay.types import Evidence, Hit, Passage, Question, Review, Sentence
from assay.verification.verifier import DeterministicVerifier

BRIDGE = "The bridge was opened on 3 May 1932 by the mayor. It cost 4 million dollars."
TUNNEL = "The tunnel was not closed in 1950. Its length is 5.2 km, and it was dug by John Smith."
QUESTION = Question("What is known of them?", "What is known of them?")


def passage(passage_id: str, text: str) -> Passage:
    return Passage(passage_id, f"d-{passage_id}", "r", 0, len(text), text, title=passage_id.title())


EVIDENCE = Evidence((Hit(passage("bridge", BRIDGE), 1.0), Hit(passage("tunnel", TUNNEL), 0.9)))


@pytest.fixture
def evidence() -> Evidence:
    return EVIDENCE


@dataclass(frozen=True)
class Case:
    """A sentence with its review; `begins` is where it begins in the draft that was reviewed."""

    sentence: Sentence
    review: Review
    begins: int


@pytest.fixture
def reviewed():
    """Reviews a sentence behind another one, so that places in the draft are not those in the sentence."""

    async def review(text: str, *cited: str, unknown: tuple[str, ...] = (), evidence: Evidence = EVIDENCE) -> Case:
        first = Sentence(1, "The bridge was opened on 3 May 1932 by the mayor.", ("bridge",))
        sentence = Sentence(2, text, cited, unknown)
        draft = compose((first, sentence))
        made = await DeterministicVerifier().review(QUESTION, evidence, draft, after=1)
        return Case(sentence, made, draft.spans[-1].start)

    return review
