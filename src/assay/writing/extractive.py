"""Answers made of the evidence's own sentences, without a language model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.nlp.answer_types import candidates as stretches
from assay.nlp.lexicon import word_class
from assay.nlp.negation import is_hedge, negations, opposites_of
from assay.nlp.quantities import agree, comparable, quantities
from assay.nlp.rivals import is_of_rival, rivals
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, word_spans, words
from assay.types import (
    AnswerType,
    Contradiction,
    Evidence,
    Finding,
    Finished,
    Passage,
    Question,
    QuestionKind,
    Sentence,
    Span,
)
from assay.writing.blocks import (
    LIST_WORDS,
    Room,
    Shown,
    asks_for_several,
    exclude_rivals,
    list_around,
    remainder_notes,
    shown_around,
)
from assay.writing.candidates import Candidate, candidates
from assay.writing.features import bare_title, extract_features, titles_named, weighing
from assay.writing.ranking import (
    SCATTERED,
    STEPS,
    WORDS_APART,
    WORDS_TOGETHER,
    Ranker,
    direct_answers,
    load_ranker,
    pertinent,
    readable,
    select,
    with_antecedents,
)

# Comparisons: one sentence for each thing compared.


_SETS_SIDE_BY_SIDE = re.compile(
    r"\b(?:or|both|between|than|common|same|difference|differ|versus|vs)\b", re.IGNORECASE
)
_IN_TIME = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|later|latest|younger|youngest|newer|newest|before|after|born"
    r"|longer|recent|recently)\b",
    re.IGNORECASE,
)
# The factor for a dated sentence if the question compares in time (chosen).
_DATED = 4.0
_MOST_SIDES = 3


def sides(question: Question, evidence: Evidence, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """The likeliest sentence on each thing compared, in passage order; empty if nothing is compared.

    A thing is compared when it is the title of a passage and the question names it, beside another one.
    """
    ranks = _named_ranks(question.standalone, evidence)
    compares = question.kind is QuestionKind.COMPARATIVE or _SETS_SIDE_BY_SIDE.search(question.standalone)
    if len(ranks) < 2 or not compares:
        return []
    dated = bool(_IN_TIME.search(question.standalone))
    best = []
    for rank in ranks[:_MOST_SIDES]:
        own = [index for index, candidate in enumerate(pool) if candidate.rank == rank]
        if own:
            best.append(max(own, key=lambda index: shares[index] * _weight(pool[index], dated)))
    return best


def _named_ranks(question: str, evidence: Evidence) -> list[int]:
    """The first passage of each title in the question, without titles inside longer ones."""
    titles = [passage.title for passage in evidence.passages]
    first = {bare_title(title): rank for rank, title in reversed(list(enumerate(titles)))}
    asked = {
        bare_title(title)
        for title, is_named in zip(titles, titles_named(question, titles), strict=True)
        if is_named
    }
    return sorted(
        first[title]
        for title in asked
        if not any(title != other and f" {title} " in f" {other} " for other in asked)
    )


def _weight(candidate: Candidate, dated: bool) -> float:
    """The weight of a sentence in a comparison: short, and dated if dates are compared."""
    short = 1 / math.sqrt(candidate.words)
    return short * _DATED if dated and stretches(candidate.text, AnswerType.DATE) else short


def asks_which_of(question: str) -> bool:
    """True if the question offers alternatives: "A or B".

    >>> asks_which_of("Is it tea or coffee?"), asks_which_of("Is it tea?")
    (True, False)
    """
    return "or" in words(question)


# Lists in an answer of sentences: shown as whole lists if there is room.


_ROOM = Room(LIST_WORDS, LIST_WORDS, LIST_WORDS)
_COLONS = (":", "：")


def with_lists(question: Question, quoted: Sequence[Candidate]) -> tuple[Shown, ...]:
    """The stretches to show, in order; a list with its lead-in replaces its sentences.

    That needs two of its sentences, its lead-in, or one sentence for a question that asks for several things. Other
    sentences are shown alone. Empty if no list is shown.
    """
    lists = [_list_of(candidate) for candidate in quoted]
    chosen = Counter(lists)
    several = asks_for_several(question)
    shown: list[Shown] = []
    has_list = False
    for candidate, listed in zip(quoted, lists, strict=True):
        found = Shown((candidate.span,), candidate.passage)
        if listed is not None and (several or chosen[listed] > 1 or candidate.text.endswith(_COLONS)):
            if any(_shows(shown_block, *listed) for shown_block in shown):
                continue
            found = shown_around(candidate.passage, candidate.span, _ROOM) or found
            has_list = True
            shown = [shown_block for shown_block in shown if not _contains(found, shown_block)]
        shown.append(found)
    return tuple(shown) if has_list else ()


def _list_of(candidate: Candidate) -> tuple[str, Span] | None:
    """The passage and span of the list that the sentence is in or leads to; None without one."""
    listed = list_around(candidate.passage, candidate.span)
    if listed is None or not (candidate.span.start >= listed.start or candidate.text.endswith(_COLONS)):
        return None
    return candidate.passage.passage_id, listed


def _contains(outer: Shown, inner: Shown) -> bool:
    """True if `outer` contains all that `inner` shows."""
    same = outer.passage.passage_id == inner.passage.passage_id
    return same and all(
        any(part.start <= inner_part.start and inner_part.end <= part.end for part in outer.parts)
        for inner_part in inner.parts
    )


def _shows(shown: Shown, passage_id: str, listed: Span) -> bool:
    """True if a part of the list is shown."""
    return shown.passage.passage_id == passage_id and any(
        part.start < listed.end and listed.start < part.end for part in shown.parts
    )


# Questions with several parts: one sentence for each.


# The least share of a part in a sentence that answers it (chosen).
LEAST = 0.5


def sentence_per_part(question: Question, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """The candidate that covers most of each aspect, ties by likelihood; empty for a single aspect.

    A part that no candidate holds half of gets none.
    """
    if len(question.aspects) < 2:
        return []
    found = (_best(replace(question, standalone=aspect), pool, shares) for aspect in question.aspects)
    return list(dict.fromkeys(index for index in found if index is not None))


def _best(part: Question, pool: Sequence[Candidate], shares: Sequence[float]) -> int | None:
    weigh = weighing(part, pool)
    covers = [weigh.cover(frozenset(candidate.terms)) for candidate in pool]
    best = max(range(len(pool)), key=lambda index: (covers[index], shares[index]))
    return best if covers[best] >= LEAST else None


# Yes or no, if a quoted sentence settles it.


# Stems of words that only ask.
_EMPTY = word_class("yes_no.empty_stems")
# Questions about likeness need several sentences.
_LIKENESS = word_class("yes_no.likeness")


def yes_or_no(question: Question, grounds: Sequence[Candidate]) -> bool | None:
    """Tell whether the sentences together say yes; None if they do not settle it or it is not a yes-or-no question.

    A sentence settles it if it holds every content word of the question, or its opposite; negations, opposites and
    different numbers reverse the answer. With several sentences, one for each thing asked about, all must say yes.
    """
    if question.answer_type is not AnswerType.YES_NO or not grounds:
        return None
    asked = words(question.standalone)
    if asks_which_of(question.standalone) or _LIKENESS.intersection(asked):
        return None
    said = [_says_yes(question.standalone, ground, grounds) for ground in grounds]
    if any(verdict is None for verdict in said):
        return False if False in said else None
    return all(said)


def _says_yes(question: str, ground: Candidate, grounds: Sequence[Candidate]) -> bool | None:
    """Tell whether one sentence says yes to the part of the question about its passage's title."""
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
    return (turned + _negation_count(ground.text, wanted) + _negation_count(question, wanted)) % 2 == 0


def _hedges(text: str) -> set[str]:
    # Capitalised "May" is the month.
    return {word for word in words(text.replace("May", "")) if is_hedge(word)}


def _negation_count(text: str, wanted: Sequence[str]) -> int:
    """The number of negations whose scope holds a wanted term."""
    asked = set(wanted)
    return sum(
        bool(asked & _stems(text[negation.scope.start : negation.scope.end])) for negation in negations(text)
    )


def _stems(text: str) -> set[str]:
    found = (fold(text[span.start : span.end]) for span in word_spans(text))
    return {stem(word) for word in found if word not in STOP_WORDS}


def _measures(question: str, text: str) -> list[bool]:
    """For each number of the question with comparable numbers in the text: whether it agrees with one."""
    there = quantities(text)
    met = [
        (asked, [quantity for quantity in there if comparable(asked, quantity)]) for asked in quantities(question)
    ]
    return [any(agree(asked, quantity) for quantity in same_kind) for asked, same_kind in met if same_kind]


# Contradictions: one sentence for each reading, so that none is picked silently.


def sentence_per_reading(evidence: Evidence, pool: Sequence[Candidate], shares: Sequence[float]) -> list[int]:
    """The likeliest sentence with the value of each reading of the contradictions, without repetition.

    Empty without contradictions, or if fewer than two readings can be quoted.
    """
    chosen: dict[int, None] = {}
    for contradiction in evidence.contradictions:
        for reading in contradiction.readings:
            holding = [
                index
                for index, candidate in enumerate(pool)
                if candidate.passage.passage_id in reading.passage_ids and reading.value in candidate.text
            ]
            if holding:
                chosen.setdefault(max(holding, key=lambda index: shares[index]))
    return list(chosen) if len(chosen) > 1 else []


def describe_readings(evidence: Evidence, passages: Sequence[Passage]) -> str:
    """The contradictions for a prompt, one a line: readings with passage numbers and dates.

    Readings without a passage among these are left out, as are contradictions with fewer than two readings; "" if
    none is left.
    """
    number = {passage.passage_id: n for n, passage in enumerate(passages, 1)}
    lines = (_line(contradiction, number) for contradiction in evidence.contradictions)
    return "\n".join(line for line in lines if line)


def _line(contradiction: Contradiction, number: Mapping[str, int]) -> str:
    readings = [
        f"{reading.value} {marks}" + (f" ({reading.date})" if reading.date else "")
        for reading in contradiction.readings
        if (marks := "".join(f"[{number[key]}]" for key in reading.passage_ids if key in number))
    ]
    aspect = " ".join(contradiction.aspect.split())
    return f"- {aspect}: {'; '.join(readings)}" if len(readings) > 1 else ""


# The number of likeliest sentences that may settle a yes-or-no question (chosen).
_GROUNDS = 3
_WORD = {True: "Yes.", False: "No."}


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan of an answer: yes, no or neither, the sentences that settle it, and the sentences to quote.

    `listed` is what is shown of these where a list is among them.
    """

    verdict: str = ""
    grounds: tuple[Candidate, ...] = ()
    quoted: tuple[Candidate, ...] = ()
    listed: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractiveWriter:
    """Quote the sentences that answer, word for word, each with its passage.

    The advice is ignored: a quotation cannot be improved.
    """

    ranker: Ranker = field(default_factory=load_ranker)

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's sentences in reading order, then `Finished("stop")`; none if nothing can be quoted."""
        plan = self._plan(question, evidence)
        if plan.listed:
            for sentence in _list_sentences(question, plan.listed):
                yield sentence
            yield Finished("stop")
            return
        if plan.verdict:
            yield Sentence(
                1, plan.verdict, tuple(dict.fromkeys(ground.passage.passage_id for ground in plan.grounds))
            )
        for number, candidate in enumerate(plan.quoted, 2 if plan.verdict else 1):
            yield Sentence(number, candidate.text, (candidate.passage.passage_id,))
        yield Finished("stop")

    def scattered(self, question: Question, evidence: Evidence) -> float:
        """The probability that the answer is spread over several passages."""
        pool = candidates(evidence)
        return self.ranker.scattered(extract_features(question, evidence, pool)) if pool else 0.0

    def _plan(self, question: Question, evidence: Evidence) -> _Plan:
        """Plan the answer: yes or no if settled, and the sentences to quote in order."""
        rivals_found = rivals(question, evidence.passages)
        pool = tuple(
            candidate
            for candidate in candidates(evidence)
            if not is_of_rival(candidate.passage, candidate.span, rivals_found)
        )
        if not pool:
            return _Plan()
        reading = extract_features(question, evidence, pool)
        scattered = self.ranker.scattered(reading)
        shares = self.ranker.shares(reading)
        # In an answer of several steps the last need not mention the question's terms.
        shares = shares if scattered >= STEPS else pertinent(question, pool, reading, shares)
        disagreeing = sentence_per_reading(evidence, pool, shares)
        if disagreeing:
            return _Plan(quoted=tuple(pool[index] for index in with_antecedents(disagreeing, pool)))
        compared = sides(question, evidence, pool, shares)
        grounds, settled = _settle(question, pool, shares, compared)
        parts = [] if compared else sentence_per_part(question, pool, shares)
        if settled is not None:
            chosen = list(grounds)
        elif len(parts) == len(question.aspects) > 1:
            chosen = parts
        else:
            words = WORDS_APART if scattered >= SCATTERED else WORDS_TOGETHER
            chosen = select(pool, shares, words, compared or parts or direct_answers(reading, shares))
        quoted = tuple(pool[index] for index in readable(chosen, pool))
        if settled is None:
            listed = (exclude_rivals(block, rivals_found) for block in with_lists(question, quoted))
            return _Plan(quoted=quoted, listed=tuple(block for block in listed if block is not None))
        return _Plan(_WORD[settled], tuple(pool[index] for index in grounds), quoted)


def _list_sentences(question: Question, shown: Sequence[Shown]) -> list[Sentence]:
    """A sentence for each part shown; only its quotes are claims, not the note on omitted items."""
    rests = remainder_notes(question, shown)
    return [
        Sentence(
            number,
            ("\n\n" if number > 1 else "") + shown_block.readable + rest,
            (shown_block.passage.passage_id,),
            quotes=shown_block.quotes,
        )
        for number, (shown_block, rest) in enumerate(zip(shown, rests, strict=True), 1)
    ]


def _settle(
    question: Question, pool: Sequence[Candidate], shares: Sequence[float], compared: Sequence[int]
) -> tuple[Sequence[int], bool | None]:
    """The sentences that settle yes or no, and the verdict: the compared ones, else the likeliest that does."""
    likeliest = sorted(range(len(pool)), key=lambda index: -shares[index])[:_GROUNDS]
    for grounds in [compared] if compared else [[index] for index in likeliest]:
        settled = yes_or_no(question, [pool[index] for index in grounds])
        if settled is not None:
            return grounds, settled
    return compared, None
