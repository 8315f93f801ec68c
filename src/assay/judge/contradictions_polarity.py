"""Passages of which one says yes and another no to a yes-or-no question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.judge.probe import content_terms
from assay.text.negation import is_hedge, negations, opposites_of
from assay.text.sentences import sentences
from assay.text.tokens import fold, stem, terms, word_spans, words
from assay.types import AnswerType, Contradiction, Evidence, Hit, Question, Reading, Span

LONGEST = 4000
MOST_WORDS = 8
# A question of fewer content words would be met by any sentence about its topic.
_LEAST_TERMS = 2


def yes_and_no(question: Question, evidence: Evidence) -> Contradiction | None:
    """The contradiction between sentences that hold every content word of the question, or its opposite.

    The better supported answer comes first, of equals the newer. None for other questions, and where the passages
    agree.
    """
    wanted = content_terms(question.standalone)
    if question.answer_type is not AnswerType.YES_NO or len(wanted) < _LEAST_TERMS:
        return None
    said: dict[bool, list[tuple[str, Hit]]] = {True: [], False: []}
    for hit in evidence.hits:
        found = list(_answers(wanted, hit))
        if len({polarity for polarity, _ in found}) == 1:
            said[found[0][0]].append((found[0][1], hit))
    if not said[True] or not said[False]:
        return None
    readings = sorted(map(_reading, said.values()), key=_support, reverse=True)
    return Contradiction(question.standalone, tuple(readings))


def _answers(wanted: Sequence[str], hit: Hit) -> Iterator[tuple[bool, str]]:
    """Yes (True) or no for each sentence that settles the question, with the words that say so."""
    text = hit.readable[:LONGEST]
    titled = frozenset(terms(hit.passage.title))
    for span in sentences(text):
        sentence = text[span.start : span.end]
        held = titled | frozenset(terms(sentence))
        turned = [term for term in wanted if term not in held]
        if any(opposites_of(term).isdisjoint(held) for term in turned) or any(map(is_hedge, words(sentence))):
            continue
        against = [each for each in negations(sentence) if _reaches(sentence, each.scope, wanted)]
        yield (len(turned) + len(against)) % 2 == 0, _words(sentence, wanted, [each.start for each in against])


def _reaches(sentence: str, scope: Span, wanted: Sequence[str]) -> bool:
    """Whether a negation's scope holds a word of the question."""
    return not frozenset(wanted).isdisjoint(terms(sentence[scope.start : scope.end]))


def _words(sentence: str, wanted: Sequence[str], negated: Sequence[int]) -> str:
    """The eight words, or fewer, that hold most of the question and its negation."""
    spans = list(word_spans(sentence))
    telling = [
        3 * (span.start in negated) + (stem(fold(sentence[span.start : span.end])) in wanted) for span in spans
    ]
    first = max(range(len(spans)), key=lambda at: (sum(telling[at : at + MOST_WORDS]), -at))
    chosen = spans[first : first + MOST_WORDS]
    return sentence[chosen[0].start : chosen[-1].end]


def _support(reading: Reading) -> tuple[int, str]:
    return len(reading.passage_ids), reading.date or ""


def _reading(said: Sequence[tuple[str, Hit]]) -> Reading:
    """One answer as its first passage words it, with all passages that give it in these words."""
    value = said[0][0]
    holding = [hit for _, hit in said if value in hit.passage.text] or [said[0][1]]
    date = max((day for hit in holding if (day := hit.passage.origin.date)), default=None)
    return Reading(value, tuple(hit.passage.passage_id for hit in holding), date)
