"""A value of the source in the place of a wrong one, in a sentence that is not copied.

No single source sentence need say the rest word for word, as for other corrections (repair/correct.py). Each value
of the claim is weighed against those that its sources have of the same kind: by how much likelier a checker finds
the claim with the one than with the other, and by what stands around them. The weights are in `exchange.json`,
fitted by benchmarks/fix/choose.py; benchmarks/fix/run.py measures them on other passages.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from math import isclose
from typing import Literal, Protocol

import re2

from assay.core.stages import Weigher
from assay.nlp.citations import HEDGE_MARK
from assay.nlp.dates import Date, dates
from assay.nlp.names import Name, names
from assay.nlp.negation import negations
from assay.nlp.quantities import Quantity, agree, comparable, quantities
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, encodable, fold, rarity, terms, word_spans, words
from assay.repair.wording import edited, fitted
from assay.types import (
    VALUE_CHECKS,
    Candidate,
    Check,
    Claim,
    Edit,
    Evidence,
    Passage,
    Question,
    Review,
    Sentence,
    Span,
    Status,
    Verdict,
)

# How well a value's place in a source answers to its place in a claim.


# Words on either side of a value: of the claim, and of the source, whose order may be another one.
_NEAR, _NEAR_IN_SOURCE = 3, 5
# The nearness of more than three rare words says no more.
MOST_NEAR = 3.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the best place of a value in a source shares with the claim around the place that it would take.

    `near` is the rarity of the terms that both have beside it, at most 3; `beside` counts the very next words, 2
    for one that says something and 1 for a small one, 0 to 4; `share` is the share of the claim's other terms, by
    rarity, that the source's sentence has, 0 to 1.
    """

    near: float = 0.0
    beside: int = 0
    share: float = 0.0


def surroundings(claim: str, place: Span, source: str, spans: Sequence[Span]) -> Surroundings:
    """The most that any of the source's places has of each; nothing where there are none.

    >>> source = "Horace Jones built it from 1886 to 1894. It is 65 m high."
    >>> surroundings("Jones built the bridge in 1894.", Span(26, 30), source, [Span(27, 31)]).share > 0.5
    True
    """
    before, behind = _beside(claim, place, _NEAR)
    asked = set(terms(" ".join((*before, *behind))))
    rest = {term: rarity(term) for term in set(terms(f"{claim[: place.start]} {claim[place.end :]}"))}
    whole = sum(rest[term] for term in sorted(rest)) or 1.0
    near, beside, share = 0.0, 0, 0.0
    for span in spans:
        around = sentence_of(source, span)
        text = source[around.start : around.end]
        left, right = _beside(text, Span(span.start - around.start, span.end - around.start), _NEAR_IN_SOURCE)
        shared = asked.intersection(terms(" ".join((*left, *right))))
        near = max(near, sum(rarity(term) for term in sorted(shared)))
        beside = max(beside, _same(before[-1:], left[-1:]) + _same(behind[:1], right[:1]))
        share = max(share, sum(rest[term] for term in sorted(rest.keys() & set(terms(text)))) / whole)
    return Surroundings(min(near, MOST_NEAR), beside, share)


def sentence_of(source: str, span: Span) -> Span:
    """The sentence that a place of the source is in; all of the source where it is in none."""
    return next((each for each in _sentences(source) if each.start <= span.start < each.end), Span(0, len(source)))


@lru_cache(maxsize=64)
def _sentences(source: str) -> tuple[Span, ...]:
    return tuple(sentences(source))


def _beside(text: str, place: Span, most: int) -> tuple[list[str], list[str]]:
    """The words before a place, and behind it, at most so many of each."""
    spans = list(word_spans(text))
    before = [fold(text[each.start : each.end]) for each in spans if each.end <= place.start]
    behind = [fold(text[each.start : each.end]) for each in spans if each.start >= place.end]
    return before[-most:], behind[:most]


def _same(mine: list[str], theirs: list[str]) -> int:
    if not mine or mine != theirs:
        return 0
    return 1 if mine[0] in STOP_WORDS else 2


# The values of a claim, and those that a source has in their place.


Kind = Literal["date", "quantity", "name"]
# Nobody's words are changed within quotation marks, nor code.
UNTOUCHED = re2.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|`[^`\n]+`")
# A longer run of capitals is a heading, or the links of a page.
_MOST_WORDS = 5
# "I'd" has a capital, and names nobody; whether "Ada" or "Ada's" is meant, no source tells.
_WITH_APOSTROPHE = re.compile(r"['’](?:s|d|m|ll|ve)?\Z", re.IGNORECASE)
# A difference or a sum is the writer's own count.
_DIFFERENCE = re.compile(r"[\s-](?:more|fewer|less)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(?:com(?:es?|ing)|amount(?:s|ing)?|add(?:s|ing)? up) to\b|\bwork(?:s|ing)? out\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value of a text and where it stands."""

    kind: Kind
    place: Span
    value: Date | Quantity | Name


def stated_values(text: str) -> tuple[StatedValue, ...]:
    """The values of a claim that may be exchanged.

    A number written as a word, a difference and a sum are their writer's own counts, and the one capitalised
    word that opens a sentence may be no name. They are left, as is what is quoted, a range or a possessive.

    >>> text = "In 1894 the two towers of Horace Jones were 65 m high."
    >>> [text[each.place.start : each.place.end] for each in stated_values(text)]
    ['1894', '65 m', 'Horace Jones']
    """
    found: list[StatedValue] = [StatedValue("date", Span(each.start, each.end), each) for each in dates(text)]
    dated = [each.place for each in found]
    for number in quantities(text):
        if _is_one(number) and not _is_own_count(text, number) and not _within(number, dated):
            found.append(StatedValue("quantity", Span(number.start, number.end), number))
    for name in names(text):
        if not name.opens and not _is_possessive(text, name) and not _within(name, dated):
            found.append(StatedValue("name", Span(name.start, name.end), name))
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(encodable(text))]
    return tuple(each for each in found if not _within(each.place, quoted))


def others(mine: StatedValue, said: str, source: str) -> dict[str, tuple[Span, ...]]:
    """The values of a source that may stand in the place of one of a claim, each with where the source has it.

    They are written as the source does, but for a unit that the claim, `said`, writes otherwise. What says the same
    as the claim's own value is none of them.

    >>> said = "It is 65 metres high."
    >>> [*others(stated_values(said)[0], said, "Its height of 70 m is well known.")]
    ['70 metres']
    """
    found: dict[str, list[Span]] = {}
    for span, value in _of_kind(mine, said, source):
        found.setdefault(value, []).append(span)
    return {value: tuple(spans) for value, spans in found.items()}


def places(value: str, source: str) -> tuple[Span, ...]:
    """Where the words of a value stand in a source."""
    wanted, there = words(value), list(word_spans(source))
    said = [fold(source[each.start : each.end]) for each in there]
    return tuple(
        Span(there[at].start, there[at + len(wanted) - 1].end)
        for at in range(len(said) - len(wanted) + 1)
        if wanted and said[at : at + len(wanted)] == wanted
    )


def _of_kind(mine: StatedValue, said: str, source: str) -> Iterator[tuple[Span, str]]:
    """The source's values of the kind of the claim's, with the words for them."""
    own = mine.value
    if isinstance(own, Date):
        for date in dates(source):
            if (date.month is None, date.day is None) == (own.month is None, own.day is None):
                yield Span(date.start, date.end), source[date.start : date.end]
    elif isinstance(own, Quantity):
        spans = [Span(each.start, each.end) for each in dates(source)]
        for number in quantities(source):
            alike = comparable(own, number) and number.low == number.high
            if alike and not agree(own, number) and not _within(number, spans):
                yield Span(number.start, number.end), _in_its_unit(own, said, number, source)
    else:
        for name in names(source):
            if not name.opens and len(name.words) <= _MOST_WORDS and not _is_possessive(source, name):
                yield Span(name.start, name.end), source[name.start : name.end]


def _in_its_unit(own: Quantity, said: str, number: Quantity, source: str) -> str:
    """The source's number with the claim's unit where both are the same, else with its own."""
    mine, theirs = said[own.start : own.end], source[number.start : number.end]
    old, new = _DIGITS.findall(mine), _DIGITS.findall(theirs)
    known = len(old) == len(new) == 1 and own.written and number.written
    same = known and isclose(own.low / own.written, number.low / number.written)
    return mine.replace(old[0], new[0], 1) if same else theirs


def _is_one(number: Quantity) -> bool:
    """Whether it is one number, in digits."""
    return not number.spelled and number.low == number.high


def _is_own_count(text: str, number: Quantity) -> bool:
    """Whether the text says that the number was worked out."""
    return _DIFFERENCE.match(text, number.end) is not None or _SUM.search(text, 0, number.start) is not None


def _is_possessive(text: str, name: Name) -> bool:
    return _WITH_APOSTROPHE.search(text, name.start, name.end) is not None or text.startswith(("'", "’"), name.end)


class _Placed(Protocol):
    """Something at its place."""

    @property
    def start(self) -> int:
        """Its first character."""

    @property
    def end(self) -> int:
        """Behind its last."""


def _within(value: _Placed, spans: Sequence[Span]) -> bool:
    return any(value.start < each.end and each.start < value.end for each in spans)


# Candidates of one claim that a checker reads, the likeliest by their surroundings first.
_MOST_READ = 12
# Log odds of a checker: above the first it is as sure as it need be.
_SURE = 4.0
# The bar where a check failed and names the value, and the checker finds the claim likelier with it than not: on 70
# passages that fitted no weight all 33 such exchanges were right (benchmarks/fix/choose.py, seed 5).
_BAR_OF_NAMED = 1.0


@dataclass(frozen=True, slots=True)
class Weights:
    """How likely an exchange is right: `bias` plus the sum of weight x input, the inputs of `Offer`, in log odds.

    An exchange is made where its log odds against all others and against leaving the claim as it is reach `bar`.
    The weights hold for the verdicts of one `checker` alone.
    """

    checker: str
    bias: float
    weights: Mapping[str, float]
    bar: float

    def score(self, inputs: Mapping[str, float]) -> float:
        """The log odds of one exchange against none; raises KeyError where an input is missing."""
        return self.bias + math.fsum(weight * inputs[name] for name, weight in self.weights.items())


@cache
def shipped() -> Weights:
    """The weights that ship with the package.

    >>> sorted(shipped().weights)
    ['beside', 'checker', 'doubted', 'held', 'near', 'number', 'share']
    """
    body = json.loads(files("assay.repair").joinpath("exchange.json").read_text(encoding="utf-8"))
    return Weights(body["checker"], body["bias"], body["weights"], body["bar"])


@dataclass(frozen=True, slots=True)
class Offer:
    """A value of a source for one of a claim: the `edit` within the claim, and the claim as it would be.

    `inputs` are the differences to the value that stands there, of its surroundings in the sources (near, beside,
    share) and, once read, of the checker's log odds (checker); `held` is 1 where the sources have the claim's value
    and no check doubts it, `doubted` where one does, and `number` is 1 for numbers and dates. `then` are the
    checker's log odds of the claim as it would be, 0 before it read that.
    """

    edit: Edit
    text: str
    inputs: Mapping[str, float]
    then: float = 0.0


async def exchanged(
    on: Weigher,
    weights: Weights,
    question: Question,
    evidence: Evidence,
    sentence: Sentence,
    review: Review,
    begins: int,
) -> Candidate | None:
    """The sentence with a value of its sources where that is surely meant; None where none is, or several may be.

    A claim that is supported is left, and so is a value that the question names. In each claim one value at most is
    exchanged. `begins` is where the sentence begins in the draft.
    """
    text, reasons = sentence.text, list[str]()
    for claim in reversed(review.claims):
        own = Span(max(0, claim.start - begins), min(claim.end - begins, len(sentence.text)))
        if claim.verdict is Verdict.SUPPORTED or own.start >= own.end:
            continue
        cited = tuple(each for each in evidence.passages if each.passage_id in claim.citations) or evidence.passages
        said = sentence.text[own.start : own.end]
        offered = offers(weights, said, doubts(review, claim), question, cited)
        best = surest(weights, await weighed(on, said, offered, cited), named_values(review, claim))
        if best is not None:
            made = replace(best.edit, start=best.edit.start + own.start, end=best.edit.end + own.start)
            text = edited(text, made)
            reasons.append(made.reason)
    if not reasons:
        return None
    reason = "; ".join(reversed(reasons))
    return Candidate(replace(sentence, text=text), evidence, reason, "rules", weighed=True)


def offers(
    weights: Weights, said: str, doubted: Sequence[Span], question: Question, passages: Sequence[Passage]
) -> tuple[Offer, ...]:
    """What the passages offer for the values of a claim, not yet read by a checker, likeliest first.

    `doubted` are the places of the claim that a check of values failed or could not find. A number or a date that
    no source has and no check doubts was worked out from them. In a claim that denies something a number may be the
    rest of the source's ("90 % do not", of "10 % do"), and a name right where the source denies nothing. None of
    them is exchanged.
    """
    asked, denied = set(words(question.standalone)), bool(negations(said))
    found: dict[tuple[str, ...], Offer] = {}
    for mine in stated_values(said):
        value = said[mine.place.start : mine.place.end]
        is_doubted = any(each.start < mine.place.end and mine.place.start < each.end for each in doubted)
        held = [(passage, there) for passage in passages if (there := places(value, passage.text))]
        was_worked_out = mine.kind != "name" and (denied or not (held or is_doubted))
        if set(words(value)) <= asked or was_worked_out:
            continue
        now = _most([surroundings(said, mine.place, passage.text, there) for passage, there in held])
        for passage in passages:
            for other, spans in others(mine, said, passage.text).items():
                offer = _offer(said, mine, other, passage, spans, now, held=bool(held), doubted=is_doubted)
                known = None if offer is None else found.get(tuple(words(offer.text)))
                if offer is not None and (known is None or known.inputs["near"] < offer.inputs["near"]):
                    found[tuple(words(offer.text))] = offer
    return tuple(sorted(found.values(), key=lambda each: -weights.score({**each.inputs, "checker": 0.0})))


async def weighed(
    on: Weigher, said: str, offered: Sequence[Offer], passages: tuple[Passage, ...]
) -> tuple[Offer, ...]:
    """The likeliest of the offers, read by a checker; none where it does not read the claim."""
    likeliest = offered[:_MOST_READ]
    if not likeliest:
        return ()
    texts = [said, *(each.text for each in likeliest)]
    now, *then = await on.weigh([text.replace(HEDGE_MARK, "") for text in texts], passages)
    if now is None:
        return ()
    return tuple(
        replace(each, inputs={**each.inputs, "checker": min(odds, _SURE) - min(now, _SURE)}, then=odds)
        for each, odds in zip(likeliest, then, strict=True)
        if odds is not None
    )


def surest(weights: Weights, read: Sequence[Offer], named: Sequence[str] = ()) -> Offer | None:
    """The offer whose odds against all the others and against none reach the bar; None where there is none.

    The bar is lower for a value of those `named` by failed checks, with which the checker bears the claim out.
    """
    if not read:
        return None
    scores = [weights.score(each.inputs) for each in read]
    best = max(range(len(read)), key=lambda at: scores[at])
    rest = [0.0, *(score for at, score in enumerate(scores) if at != best)]
    against = math.log(math.fsum(math.exp(score) for score in rest))
    sure = read[best].then > 0 and _is_named(read[best], named)
    return (
        read[best] if scores[best] - against >= (min(_BAR_OF_NAMED, weights.bar) if sure else weights.bar) else None
    )


def named_values(review: Review, claim: Claim) -> tuple[str, ...]:
    """The sources' own values that failed checks of the claim name."""
    found = (each for each in review.checks if each.claim == claim.n and each.status is Status.FAILED)
    return tuple(each.expected for each in found if each.expected and each.name in VALUE_CHECKS)


def _is_named(offer: Offer, named: Sequence[str]) -> bool:
    """Whether an offer puts one of some values in, be it with other words for its unit."""
    return any(set(words(value)) & set(words(offer.edit.replacement)) for value in named)


def _offer(
    said: str,
    mine: StatedValue,
    other: str,
    passage: Passage,
    spans: tuple[Span, ...],
    now: Surroundings,
    *,
    held: bool,
    doubted: bool,
) -> Offer | None:
    """The value of a passage in the place of the claim's; None where that says nothing else, or is not sure."""
    value = said[mine.place.start : mine.place.end]
    if set(words(other)) <= set(words(said)):
        return None
    sources = [passage.text[each.start : each.end] for each in (sentence_of(passage.text, span) for span in spans)]
    if negations(said) and not any(map(negations, sources)):
        return None
    edit = fitted(said, mine.place, other, f"the source says {other!r} and not {value!r}")
    text = edited(said, edit)
    if words(text) == words(said):
        return None
    then = surroundings(said, mine.place, passage.text, spans)
    inputs = {
        "near": then.near - now.near,
        "beside": float(then.beside - now.beside),
        "share": then.share - now.share,
        "held": float(held and not doubted),
        "doubted": float(held and doubted),
        "number": float(mine.kind != "name"),
    }
    return Offer(edit, text, inputs)


def _most(found: Sequence[Surroundings]) -> Surroundings:
    """The most of each."""
    if not found:
        return Surroundings()
    return Surroundings(
        max(each.near for each in found), max(each.beside for each in found), max(each.share for each in found)
    )


def doubts(review: Review, claim: Claim) -> tuple[Span, ...]:
    """The values of the claim, by their places in it, that a check failed or could not find."""
    return tuple(
        Span(each.answer_span.start - claim.start, each.answer_span.end - claim.start)
        for each in review.checks
        if each.claim == claim.n and each.answer_span is not None and _speaks_against(each)
    )


def _speaks_against(check: Check) -> bool:
    return check.name in VALUE_CHECKS and check.status in (Status.FAILED, Status.UNKNOWN)
