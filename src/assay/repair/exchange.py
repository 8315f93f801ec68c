"""A value of the source in the place of a wrong one, in a sentence that is not copied.

No single source sentence need say the rest word for word, as for other corrections (repair/correct.py). Each value
of the claim is weighed against those that its sources have of the same kind: by how much likelier a checker finds
the claim with the one than with the other, and by what stands around them. The weights are in `exchange.json`,
fitted by benchmarks/fix/choose.py; benchmarks/fix/run.py measures them on other passages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from assay.repair.surroundings import Surroundings, sentence_of, surroundings
from assay.repair.values import StatedValue, others, places, stated_values
from assay.repair.wording import edited, fitted
from assay.stages import Weigher
from assay.text.citation_marks import HEDGE_MARK
from assay.text.negation import negations
from assay.text.tokens import words
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

# Candidates of one claim that a checker reads, the likeliest by their surroundings first.
_MOST_READ = 12
# Log odds of a checker: above the first it is as sure as it need be.
_SURE = 4.0


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
    and no check doubts it, `doubted` where one does, and `number` is 1 for numbers and dates.
    """

    edit: Edit
    text: str
    inputs: Mapping[str, float]


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
        best = surest(weights, await weighed(on, said, offered, cited))
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
        replace(each, inputs={**each.inputs, "checker": min(odds, _SURE) - min(now, _SURE)})
        for each, odds in zip(likeliest, then, strict=True)
        if odds is not None
    )


def surest(weights: Weights, read: Sequence[Offer]) -> Offer | None:
    """The offer whose odds against all the others and against none reach the bar; None where there is none."""
    if not read:
        return None
    scores = [weights.score(each.inputs) for each in read]
    best = max(range(len(read)), key=lambda at: scores[at])
    rest = [0.0, *(score for at, score in enumerate(scores) if at != best)]
    against = math.log(math.fsum(math.exp(score) for score in rest))
    return read[best] if scores[best] - against >= weights.bar else None


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
