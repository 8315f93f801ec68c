"""The source of a sentence that its writer did not name: the passage that holds its words, where one clearly does.

Whether the passage bears the sentence out is for the verifier to say; this only says where to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.text.tokens import terms
from assay.types import Passage, Sentence

# Fewer words of content fit almost any passage.
LEAST_TERMS = 3
# The share of a sentence's terms that its source holds. Half of an unrelated sentence's words may stand in a long
# passage on the same topic; numbers must be held whatever the share.
LEAST_SHARE = 0.6


def attributed(sentence: Sentence, passages: Sequence[Passage]) -> Sentence:
    """The sentence, citing the passage that holds most of its words where it cites nothing and one holds enough.

    >>> tower = Passage("p7", "d", "r", 0, 40, "The harbour tower was opened in 1932.")
    >>> attributed(Sentence(1, "The tower opened in 1932."), [tower]).passage_ids
    ('p7',)
    >>> attributed(Sentence(1, "The tower opened in 1933."), [tower]).passage_ids
    ()
    """
    if sentence.passage_ids or sentence.unknown_marks:
        return sentence
    wanted = frozenset(terms(sentence.text))
    if len(wanted) < LEAST_TERMS or not passages:
        return sentence
    numbers = {term for term in wanted if term[0].isdigit()}
    held = [wanted.intersection(terms(f"{passage.title}\n{passage.text}")) for passage in passages]
    best = max(range(len(passages)), key=lambda each: len(held[each]))
    if len(held[best]) < LEAST_SHARE * len(wanted) or not numbers <= held[best]:
        return sentence
    return replace(sentence, passage_ids=(passages[best].passage_id,))
