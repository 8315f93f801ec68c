"""Yes or no, where a quoted sentence settles it."""

from __future__ import annotations

from collections.abc import Sequence

from assay.text.negation import is_hedge, negations, opposites_of
from assay.text.quantities import agree, comparable, quantities
from assay.text.tokens import STOP_WORDS, fold, stem, terms, word_spans, words
from assay.types import AnswerType, Question
from assay.write.candidates import Candidate
from assay.write.comparison import asks_which_of

# Words that ask and say nothing of their own, as stems.
_EMPTY = frozenset({"ever", "actual", "realli", "still", "alreadi", "also", "yet"})
# Questions after likeness are settled by comparing sentences, not by one of them.
_LIKENESS = frozenset({"same", "different", "similar", "alike", "more", "less"})


def yes_or_no(question: Question, grounds: Sequence[Candidate]) -> bool | None:
    """Whether the grounds together say yes; None where they do not settle it or the question asks something else.

    A ground settles it when it holds every content word of the question, or its opposite; negations, opposites
    and numbers that differ turn the answer. With several grounds, one a thing asked about, all must say yes.
    """
    if question.answer_type is not AnswerType.YES_NO or not grounds:
        return None
    asked = words(question.standalone)
    if asks_which_of(question.standalone) or _LIKENESS.intersection(asked):
        return None
    said = [_says(question.standalone, ground, grounds) for ground in grounds]
    if any(each is None for each in said):
        return False if False in said else None
    return all(said)


def _says(question: str, ground: Candidate, grounds: Sequence[Candidate]) -> bool | None:
    """Whether one sentence says yes to the question, as far as the question is about its passage's title."""
    elsewhere = {term for other in grounds if other is not ground for term in terms(other.passage.title)}
    here = set(ground.terms) | set(terms(ground.passage.title))
    measured = _measures(question, ground.text)
    wanted = [
        term
        for term in terms(question)
        if term not in _EMPTY and (term not in elsewhere or term in here) and not (measured and term[0].isdigit())
    ]
    turned = 0
    for term in wanted:
        if term in here:
            continue
        if not opposites_of(term) & here:
            return None
        turned += 1
    if not wanted or _hedges(ground.text) - _hedges(question):
        return None
    if False in measured:
        return False
    return (turned + _negated(ground.text, wanted) + _negated(question, wanted)) % 2 == 0


def _hedges(text: str) -> set[str]:
    # "May" with its capital is the month.
    return {word for word in words(text.replace("May", "")) if is_hedge(word)}


def _negated(text: str, wanted: Sequence[str]) -> int:
    """How many negations of the text reach a wanted term."""
    asked = set(wanted)
    return sum(bool(asked & _stems(text[each.scope.start : each.scope.end])) for each in negations(text))


def _stems(text: str) -> set[str]:
    found = (fold(text[span.start : span.end]) for span in word_spans(text))
    return {stem(word) for word in found if word not in STOP_WORDS}


def _measures(question: str, text: str) -> list[bool]:
    """For each number of the question that meets numbers of its kind in the text: whether it agrees with one."""
    there = quantities(text)
    met = [(asked, [each for each in there if comparable(asked, each)]) for asked in quantities(question)]
    return [any(agree(asked, each) for each in same_kind) for asked, same_kind in met if same_kind]
