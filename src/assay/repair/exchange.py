"""Correction of a wrong value in a freely worded sentence.

Unlike in repair/correct.py, no source sentence need say the rest word for word. Each value of the claim is compared
with the sources' values of its kind: by how much likelier a checker finds the claim with the other value, and by
the words around both. The weights are in `exchange.json`, fitted by benchmarks/fix/choose.py and measured by
benchmarks/fix/run.py on other passages.
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
from typing import Literal

import re2

from assay.core.stages import Weigher
from assay.nlp.analysis import Place, overlaps
from assay.nlp.citations import HEDGE_MARK
from assay.nlp.controls import encodable
from assay.nlp.dates import Date, dates
from assay.nlp.names import Name, names
from assay.nlp.negation import negations
from assay.nlp.quantities import Quantity, agree, comparable, quantities
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, fold, rarity, terms, word_spans, words
from assay.repair.wording import apply_edit, fit_value
from assay.types import (
    VALUE_CHECKS,
    Candidate,
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

# The match of the words around a value in a source with those around its place in a claim.


# Words on either side of a value, in the claim and in the source, whose order may differ; chosen.
_NEAR, _NEAR_IN_SOURCE = 3, 5
# Upper limit of `near`: more than three rare words add nothing; chosen.
MOST_NEAR = 3.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Match of the words around a value in a source with those around its place in the claim.

    `near` is the summed rarity of the terms near both, at most 3; `beside` scores the adjacent words, 2 for a
    content word and 1 for a stop word, 0 to 4; `share` is the share, by rarity, of the claim's other terms that the
    source's sentence holds, 0 to 1.
    """

    near: float = 0.0
    beside: int = 0
    share: float = 0.0


def surroundings(claim: str, place: Span, source: str, spans: Sequence[Span]) -> Surroundings:
    """The best match of each kind over the value's places in a source; zeros where there are none.

    >>> source = "Horace Jones built it from 1886 to 1894. It is 65 m high."
    >>> surroundings("Jones built the bridge in 1894.", Span(26, 30), source, [Span(27, 31)]).share > 0.5
    True
    """
    before, behind = _beside(claim, place, _NEAR)
    claim_near = set(terms(" ".join((*before, *behind))))
    rest = {term: rarity(term) for term in set(terms(f"{claim[: place.start]} {claim[place.end :]}"))}
    total = sum(rest[term] for term in sorted(rest)) or 1.0
    near, beside, share = 0.0, 0, 0.0
    for span in spans:
        around = sentence_of(source, span)
        text = source[around.start : around.end]
        left, right = _beside(text, Span(span.start - around.start, span.end - around.start), _NEAR_IN_SOURCE)
        shared = claim_near.intersection(terms(" ".join((*left, *right))))
        near = max(near, sum(rarity(term) for term in sorted(shared)))
        beside = max(beside, _match_score(before[-1:], left[-1:]) + _match_score(behind[:1], right[:1]))
        share = max(share, sum(rest[term] for term in sorted(rest.keys() & set(terms(text)))) / total)
    return Surroundings(min(near, MOST_NEAR), beside, share)


def sentence_of(source: str, span: Span) -> Span:
    """The sentence that holds a place of the source; all of the source where none does."""
    around = (one for one in _sentences(source) if one.start <= span.start < one.end)
    return next(around, Span(0, len(source)))


@lru_cache(maxsize=64)
def _sentences(source: str) -> tuple[Span, ...]:
    return tuple(sentences(source))


def _beside(text: str, place: Span, most: int) -> tuple[list[str], list[str]]:
    """The folded words before and behind a place, at most `most` of each."""
    spans = list(word_spans(text))
    before = [fold(text[word.start : word.end]) for word in spans if word.end <= place.start]
    behind = [fold(text[word.start : word.end]) for word in spans if word.start >= place.end]
    return before[-most:], behind[:most]


def _match_score(claim_word: list[str], source_word: list[str]) -> int:
    if not claim_word or claim_word != source_word:
        return 0
    return 1 if claim_word[0] in STOP_WORDS else 2


# The values of a claim, and the alternatives in a source.


Kind = Literal["date", "quantity", "name"]
# Quotations and code, which are never changed.
UNTOUCHED = re2.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|`[^`\n]+`")
# A longer run of capitalised words is a heading or a row of links, not a name; chosen.
_MOST_WORDS = 5
# "I'd" is no name, and a source cannot tell whether "Ada" or "Ada's" is meant.
_WITH_APOSTROPHE = re.compile(r"['’](?:s|d|m|ll|ve)?\Z", re.IGNORECASE)
# Differences and sums are the writer's own results.
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

    Left out are spelled numbers, differences and sums (the writer's own results), a single capitalised word that
    opens a sentence (it may be no name), quotations, ranges and possessives.

    >>> text = "In 1894 the two towers of Horace Jones were 65 m high."
    >>> [text[value.place.start : value.place.end] for value in stated_values(text)]
    ['1894', '65 m', 'Horace Jones']
    """
    found: list[StatedValue] = [StatedValue("date", Span(date.start, date.end), date) for date in dates(text)]
    dated = [value.place for value in found]
    for number in quantities(text):
        if _is_single_figure(number) and not _is_own_result(text, number) and not _within(number, dated):
            found.append(StatedValue("quantity", Span(number.start, number.end), number))
    for name in names(text):
        if not name.opens and not _is_possessive(text, name) and not _within(name, dated):
            found.append(StatedValue("name", Span(name.start, name.end), name))
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(encodable(text))]
    return tuple(value for value in found if not _within(value.place, quoted))


def alternatives(stated: StatedValue, claim: str, source: str) -> dict[str, tuple[Span, ...]]:
    """A source's values that may replace one of a claim, with their places; equal values are left out.

    They are written as in the source, but keep the claim's unit where that is the same unit written otherwise.

    >>> claim = "It is 65 metres high."
    >>> [*alternatives(stated_values(claim)[0], claim, "Its height of 70 m is well known.")]
    ['70 metres']
    """
    found: dict[str, list[Span]] = {}
    for span, value in _of_kind(stated, claim, source):
        found.setdefault(value, []).append(span)
    return {value: tuple(spans) for value, spans in found.items()}


def places(value: str, source: str) -> tuple[Span, ...]:
    """The places of a value's words in a source."""
    wanted, spans = words(value), list(word_spans(source))
    folded = [fold(source[word.start : word.end]) for word in spans]
    return tuple(
        Span(spans[at].start, spans[at + len(wanted) - 1].end)
        for at in range(len(folded) - len(wanted) + 1)
        if wanted and folded[at : at + len(wanted)] == wanted
    )


def _of_kind(stated: StatedValue, claim: str, source: str) -> Iterator[tuple[Span, str]]:
    """The source's values of the same kind as the claim's, and how they are written."""
    own = stated.value
    if isinstance(own, Date):
        for date in dates(source):
            if (date.month is None, date.day is None) == (own.month is None, own.day is None):
                yield Span(date.start, date.end), source[date.start : date.end]
    elif isinstance(own, Quantity):
        dated = [Span(date.start, date.end) for date in dates(source)]
        for number in quantities(source):
            same_kind = comparable(own, number) and number.low == number.high
            if same_kind and not agree(own, number) and not _within(number, dated):
                yield Span(number.start, number.end), _in_claim_unit(own, claim, number, source)
    else:
        for name in names(source):
            if not name.opens and len(name.words) <= _MOST_WORDS and not _is_possessive(source, name):
                yield Span(name.start, name.end), source[name.start : name.end]


def _in_claim_unit(own: Quantity, claim: str, number: Quantity, source: str) -> str:
    """The source's number with the claim's unit where both units are equal, else with its own."""
    claim_value, source_value = claim[own.start : own.end], source[number.start : number.end]
    old, new = _DIGITS.findall(claim_value), _DIGITS.findall(source_value)
    known = len(old) == len(new) == 1 and own.written and number.written
    same_unit = known and isclose(own.low / own.written, number.low / number.written)
    return claim_value.replace(old[0], new[0], 1) if same_unit else source_value


def _is_single_figure(number: Quantity) -> bool:
    """True if the quantity is one number in digits, no range."""
    return not number.spelled and number.low == number.high


def _is_own_result(text: str, number: Quantity) -> bool:
    """True if the text says that the number was calculated."""
    return _DIFFERENCE.match(text, number.end) is not None or _SUM.search(text, 0, number.start) is not None


def _is_possessive(text: str, name: Name) -> bool:
    return _WITH_APOSTROPHE.search(text, name.start, name.end) is not None or text.startswith(("'", "’"), name.end)


def _within(value: Place, spans: Sequence[Span]) -> bool:
    return any(overlaps(value, span) for span in spans)


# Offers for one claim that a checker reads, the likeliest by their surroundings first; chosen.
_MOST_READ = 12
# A checker's log odds count up to here; chosen.
_MOST_ODDS = 4.0
# The threshold where a failed check names the value, and the checker finds the claim likelier with it than not: on
# 70 passages that fitted no weight all 33 such exchanges were right (benchmarks/fix/choose.py, seed 5).
_THRESHOLD_OF_NAMED = 1.0


@dataclass(frozen=True, slots=True)
class Weights:
    """A linear model of the log odds that an exchange is right, over the inputs of `Offer`.

    An exchange is made where its log odds against all others and against no exchange reach `threshold`. The weights
    hold for the verdicts of one `checker` only.
    """

    checker: str
    bias: float
    weights: Mapping[str, float]
    threshold: float

    def score(self, inputs: Mapping[str, float]) -> float:
        """The log odds of one exchange against none; raises KeyError where an input is missing."""
        return self.bias + math.fsum(weight * inputs[name] for name, weight in self.weights.items())


@cache
def shipped_weights() -> Weights:
    """The weights that ship with the package.

    >>> sorted(shipped_weights().weights)
    ['beside', 'checker', 'doubted', 'held', 'near', 'number', 'share']
    """
    body = json.loads(files("assay.repair").joinpath("exchange.json").read_text(encoding="utf-8"))
    return Weights(body["checker"], body["bias"], body["weights"], body["threshold"])


@dataclass(frozen=True, slots=True)
class Offer:
    """A source's value for one of a claim: the `edit` within the claim, and the claim's `text` after it.

    `inputs` are the differences to the present value: of `Surroundings` (near, beside, share) and, once read, the
    checker's log odds (checker); `held` is 1 where the sources have the claim's value and no check doubts it,
    `doubted` where one does, and `number` is 1 for numbers and dates. `odds` are the checker's log odds of `text`,
    0 until it was read.
    """

    edit: Edit
    text: str
    inputs: Mapping[str, float]
    odds: float = 0.0


async def exchange_values(
    weigher: Weigher,
    weights: Weights,
    question: Question,
    evidence: Evidence,
    sentence: Sentence,
    review: Review,
    begins: int,
) -> Candidate | None:
    """The sentence with its sources' values where one is clearly likeliest; None where none is.

    Supported claims and values of the question are left. At most one value is exchanged in each claim. `begins` is
    where the sentence begins in the draft.
    """
    text, reasons = sentence.text, list[str]()
    for claim in reversed(review.claims):
        place = Span(max(0, claim.start - begins), min(claim.end - begins, len(sentence.text)))
        if claim.verdict is Verdict.SUPPORTED or place.start >= place.end:
            continue
        cited = tuple(one for one in evidence.passages if one.passage_id in claim.citations) or evidence.passages
        wording = sentence.text[place.start : place.end]
        offered = offers(weights, wording, doubted_places(review, claim), question, cited)
        read = await weigh_offers(weigher, wording, offered, cited)
        best = best_offer(weights, read, named_values(review, claim))
        if best is not None:
            edit = replace(best.edit, start=best.edit.start + place.start, end=best.edit.end + place.start)
            text = apply_edit(text, edit)
            reasons.append(edit.reason)
    if not reasons:
        return None
    reason = "; ".join(reversed(reasons))
    return Candidate(replace(sentence, text=text), evidence, reason, "rules", weighed=True)


def offers(
    weights: Weights, claim: str, doubted: Sequence[Span], question: Question, passages: Sequence[Passage]
) -> tuple[Offer, ...]:
    """The passages' offers for the values of a claim, not yet read by a checker, likeliest first.

    `doubted` are the places of the claim where a check of values failed or stayed open. A number or date that no
    source has and no check doubts is the writer's own result. In a claim with a denial a number may be the
    complement of the source's ("90 % do not", of "10 % do"), and a name right where the source denies nothing. None
    of these is exchanged.
    """
    asked, denied = set(words(question.standalone)), bool(negations(claim))
    found: dict[tuple[str, ...], Offer] = {}
    for stated in stated_values(claim):
        value = claim[stated.place.start : stated.place.end]
        is_doubted = _within(stated.place, doubted)
        held = [(passage, spans) for passage in passages if (spans := places(value, passage.text))]
        is_calculated = stated.kind != "name" and (denied or not (held or is_doubted))
        if set(words(value)) <= asked or is_calculated:
            continue
        present = _best([surroundings(claim, stated.place, passage.text, spans) for passage, spans in held])
        for passage in passages:
            for other, spans in alternatives(stated, claim, passage.text).items():
                offer = _offer(claim, stated, other, passage, spans, present, held=bool(held), doubted=is_doubted)
                known = None if offer is None else found.get(tuple(words(offer.text)))
                if offer is not None and (known is None or known.inputs["near"] < offer.inputs["near"]):
                    found[tuple(words(offer.text))] = offer
    return tuple(sorted(found.values(), key=lambda offer: -weights.score({**offer.inputs, "checker": 0.0})))


async def weigh_offers(
    weigher: Weigher, claim: str, offered: Sequence[Offer], passages: tuple[Passage, ...]
) -> tuple[Offer, ...]:
    """The likeliest offers after a checker read them; none where it does not read the claim."""
    likeliest = offered[:_MOST_READ]
    if not likeliest:
        return ()
    texts = [claim, *(offer.text for offer in likeliest)]
    present, *changed = await weigher.weigh([text.replace(HEDGE_MARK, "") for text in texts], passages)
    if present is None:
        return ()
    gains = [None if odds is None else min(odds, _MOST_ODDS) - min(present, _MOST_ODDS) for odds in changed]
    return tuple(
        replace(offer, inputs={**offer.inputs, "checker": gain}, odds=odds)
        for offer, gain, odds in zip(likeliest, gains, changed, strict=True)
        if gain is not None and odds is not None
    )


def best_offer(weights: Weights, read: Sequence[Offer], named: Sequence[str] = ()) -> Offer | None:
    """The offer whose log odds against all others and against none reach the threshold; None where none does.

    The threshold is lower for a value that failed checks named, where the checker supports the claim with it.
    """
    if not read:
        return None
    scores = [weights.score(offer.inputs) for offer in read]
    best = max(range(len(read)), key=lambda at: scores[at])
    rest = [0.0, *(score for at, score in enumerate(scores) if at != best)]
    against = math.log(math.fsum(math.exp(score) for score in rest))
    threshold = weights.threshold
    if read[best].odds > 0 and _is_named(read[best], named):
        threshold = min(_THRESHOLD_OF_NAMED, threshold)
    return read[best] if scores[best] - against >= threshold else None


def named_values(review: Review, claim: Claim) -> tuple[str, ...]:
    """The sources' own values that failed checks of the claim name."""
    failed = (check for check in review.checks if check.claim == claim.n and check.status is Status.FAILED)
    return tuple(check.expected for check in failed if check.expected and check.name in VALUE_CHECKS)


def _is_named(offer: Offer, named: Sequence[str]) -> bool:
    """True if an offer inserts one of these values, with whatever unit."""
    return any(set(words(value)) & set(words(offer.edit.replacement)) for value in named)


def _offer(
    claim: str,
    stated: StatedValue,
    other: str,
    passage: Passage,
    spans: tuple[Span, ...],
    present: Surroundings,
    *,
    held: bool,
    doubted: bool,
) -> Offer | None:
    """The passage's value in the place of the claim's; None where that changes nothing or crosses a denial."""
    value = claim[stated.place.start : stated.place.end]
    if set(words(other)) <= set(words(claim)):
        return None
    sentences_held = (sentence_of(passage.text, span) for span in spans)
    if negations(claim) and not any(negations(passage.text[one.start : one.end]) for one in sentences_held):
        return None
    edit = fit_value(claim, stated.place, other, f"the source says {other!r} and not {value!r}")
    text = apply_edit(claim, edit)
    if words(text) == words(claim):
        return None
    changed = surroundings(claim, stated.place, passage.text, spans)
    inputs = {
        "near": changed.near - present.near,
        "beside": float(changed.beside - present.beside),
        "share": changed.share - present.share,
        "held": float(held and not doubted),
        "doubted": float(held and doubted),
        "number": float(stated.kind != "name"),
    }
    return Offer(edit, text, inputs)


def _best(found: Sequence[Surroundings]) -> Surroundings:
    """The maximum of each field; zeros where there are none."""
    return Surroundings(
        max((one.near for one in found), default=0.0),
        max((one.beside for one in found), default=0),
        max((one.share for one in found), default=0.0),
    )


def doubted_places(review: Review, claim: Claim) -> tuple[Span, ...]:
    """The places within the claim where a check of values failed or stayed open."""
    return tuple(
        Span(check.answer_span.start - claim.start, check.answer_span.end - claim.start)
        for check in review.checks
        if check.claim == claim.n
        and check.answer_span is not None
        and check.name in VALUE_CHECKS
        and check.status in (Status.FAILED, Status.UNKNOWN)
    )
