"""Leave each source of an answer out, and see which claims fall.

ContextCite (Cohen-Wang et al. 2024, arXiv 2409.00729) leaves sources out of a model's context and measures how
much less likely its reply becomes. Here the answer stays, and its claims are tested again on fewer sources: that
needs no language model, and works on any answer whose sources are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from assay.calibration import log_odds
from assay.core.stages import TextVerifier
from assay.errors import UsageError
from assay.nlp.sources import SourceIndex
from assay.nlp.tokens import terms
from assay.types import (
    Ablation,
    Answer,
    Citation,
    CitationAblation,
    CitationRole,
    Claim,
    ClaimEvent,
    Passage,
    SourceAblation,
    SourceSpan,
    Verdict,
)

# A passage does not bear a claim by itself where the log odds of the claim's support, and its coverage by the
# passage's nearest sentence weighed so, are below 0 together; chosen on one half of the rows of benchmarks/ablation
# and measured on the other. The coverage is what a checker alone misses: it gives .46 to "a one-way process" beside
# a passage on insulin.
COVERAGE_WEIGHT = 3.0
# The role of a citation that serves several claims is the first of these that it has for one of them.
_STRONGEST_FIRST = tuple(CitationRole)


# An answer as JSON, as the record has it.
AnswerObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The claims, the citation marks and the sources of an answer; source n is `sources[n - 1]`."""

    claims: tuple[Claim, ...]
    marks: tuple[Citation, ...]
    sources: tuple[Passage, ...]

    @classmethod
    def of(cls, answer: Answer | AnswerObject) -> Self:
        """The parts of an answer, or of its JSON object.

        Raises UsageError for another object, and for an answer that was recorded without texts.
        """
        body = answer.to_dict() if isinstance(answer, Answer) else answer
        try:
            claims = tuple(
                Claim(
                    one["n"],
                    one["text"],
                    one["start"],
                    one["end"],
                    tuple(one["citations"]),
                    Verdict(one["verdict"]),
                    one["support"],
                    tuple(
                        SourceSpan(span["passage_id"], span["start"], span["end"], span["quote"])
                        for span in one["spans"]
                    ),
                    tuple(ClaimEvent(step["state"], step["by"], step["reason"]) for step in one["history"]),
                )
                for one in body["claims"]
            )
            marks = tuple(Citation(one["start"], one["end"], tuple(one["numbers"])) for one in body["citations"])
            sources = tuple(
                Passage(
                    one["passage_id"],
                    one["document_id"],
                    "",
                    one["start"],
                    one["end"],
                    one["quote"],
                    one["title"],
                    source=one.get("path", ""),
                )
                for one in sorted(body["sources"], key=lambda source: int(source["number"]))
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                "this is no answer object of assay", hint="give an Answer, or its to_dict()"
            ) from error
        if not all(claim.text for claim in claims) or not all(source.text for source in sources):
            raise UsageError(
                "the answer was recorded without its texts, so that nothing can be tested again",
                hint="texts of later runs are kept with the setting record = all",
            )
        return cls(claims, marks, sources)


def describe_falls(claims: Sequence[int]) -> str:
    """The loss of an answer without a source, given the numbers of the claims that fall.

    >>> describe_falls((1, 3)), describe_falls(())
    ('without it claims 1 and 3 fall', 'without it no claim falls')
    """
    if not claims:
        return "without it no claim falls"
    *rest, last = map(str, claims)
    return f"without it claims {', '.join(rest)} and {last} fall" if rest else f"without it claim {last} falls"


async def ablate(
    claims: Sequence[Claim], marks: Sequence[Citation], sources: Sequence[Passage], verifier: TextVerifier
) -> Ablation:
    """Test every claim again without each of the sources; source n is `sources[n - 1]`.

    A claim stands on the sources that it cites; on all of them where it cites none, or where those that it cites do
    not support it; else on those that it cites but for one. Claims between the same `marks` share their citations.
    """
    numbers = {passage.passage_id: n for n, passage in enumerate(sources, 1)}
    falls: dict[int, list[int]] = {n: [] for n in numbers.values()}
    citations: list[CitationAblation] = []
    untested: list[int] = []
    for sentence in _sentences(claims, marks):
        cited = tuple(dict.fromkeys(numbers[one] for one in sentence[0].citations if one in numbers))
        roles: dict[int, list[CitationAblation]] = {n: [] for n in cited}
        for claim in sentence:
            tested = _TestedClaim(claim.text, tuple(sources), verifier, _quoted_in(claim, sources))
            scope = await _scope(cited, tuple(falls), tested)
            if not scope:
                untested.append(claim.n)
            for n in scope:
                if await tested.falls_without(n, scope):
                    falls[n].append(claim.n)
            for n in cited:
                roles[n].append(await _ablated(claim.n, n, scope, tested))
        citations += [_strongest(of_source) for of_source in roles.values()]
    found = (
        SourceAblation(n, passage.passage_id, passage.title, tuple(falls[n]))
        for n, passage in enumerate(sources, 1)
    )
    return Ablation(tuple(citations), tuple(found), tuple(untested))


def _sentences(claims: Sequence[Claim], marks: Sequence[Citation]) -> Iterator[list[Claim]]:
    """The claims of each sentence: neighbours with the same citations and no mark between them."""
    sentence: list[Claim] = []
    for claim in claims:
        if sentence:
            last = sentence[-1]
            is_apart = any(last.end <= mark.start < claim.start for mark in marks)
            if is_apart or claim.citations != last.citations:
                yield sentence
                sentence = []
        sentence.append(claim)
    if sentence:
        yield sentence


async def _scope(cited: tuple[int, ...], every: tuple[int, ...], tested: _TestedClaim) -> tuple[int, ...]:
    """The sources that the claim stands on; none where it is supported by no such choice."""
    without_one = (_without(n, cited) for n in reversed(cited))
    for scope in dict.fromkeys((cited, every, *without_one)):
        if await tested.is_supported(scope):
            return scope
    return ()


async def _ablated(claim: int, n: int, scope: Sequence[int], tested: _TestedClaim) -> CitationAblation:
    """The claim without source `n`, which it cites; it stands on the sources `scope`."""
    role, reason = await _role(n, scope, tested)
    support = (await tested.result((n,))).support
    return CitationAblation((claim,), n, role, reason, None if support is None else round(support, 4))


async def _role(n: int, scope: Sequence[int], tested: _TestedClaim) -> tuple[CitationRole, str]:
    rest, alone = _without(n, scope), await tested.result((n,))
    if not scope:
        return CitationRole.UNTESTED, "its sources do not support the claim"
    if await tested.falls_without(n, scope):
        return CitationRole.CARRYING, "the claim falls without it"
    if not await tested.is_supported(rest):
        return CitationRole.SHARED, "a source that the claim does not cite supports it as well"
    if alone.verdict is Verdict.SUPPORTED:
        return CitationRole.SHARED, "another source supports the claim as well"
    for other in rest if len(rest) > 1 else ():
        if not await tested.is_supported((other,)) and await tested.is_supported((other, n)):
            return CitationRole.SHARED, f"with [{other}] it supports the claim, as another source does"
    if alone.verdict is Verdict.CONTRADICTED:
        return CitationRole.DECORATIVE, "the claim stands without it, and it says otherwise"
    if tested.is_beside(n, alone):
        return CitationRole.DECORATIVE, "the claim stands without it, and by itself it does not support the claim"
    return CitationRole.UNSURE, "the claim stands without it, and it may support the claim"


def _strongest(roles: Sequence[CitationAblation]) -> CitationAblation:
    """One citation's role over all claims of its sentence."""
    strongest = min(roles, key=lambda one: _STRONGEST_FIRST.index(one.role))
    support = max((one.support for one in roles if one.support is not None), default=None)
    claims = tuple(n for one in roles for n in one.claims)
    return CitationAblation(claims, strongest.source, strongest.role, strongest.reason, support)


def _quoted_in(claim: Claim, sources: Sequence[Passage]) -> frozenset[int]:
    """The sources that a claim quotes exactly: they support it however short the quote is."""
    if not any(step.by == "quote" for step in claim.history):
        return frozenset()
    by_id = {passage.passage_id: (n, passage) for n, passage in enumerate(sources, 1)}
    quoted = ((*by_id[span.passage_id], span) for span in claim.spans if span.quote and span.passage_id in by_id)
    return frozenset(
        n
        for n, passage, span in quoted
        if passage.text[span.start - passage.start : span.end - passage.start] == span.quote
    )


def _without(n: int, numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(other for other in numbers if other != n)


@dataclass(frozen=True, slots=True)
class _Result:
    """The verdict on a claim by some sources, and its support."""

    verdict: Verdict
    support: float | None


@dataclass(frozen=True, slots=True)
class _TestedClaim:
    """A claim that is tested on some of the answer's sources, once on each choice of them."""

    text: str
    sources: tuple[Passage, ...]
    verifier: TextVerifier
    quoted_in: frozenset[int]
    known: dict[frozenset[int], _Result] = field(default_factory=dict)

    async def result(self, numbers: Sequence[int]) -> _Result:
        """The result of testing on these sources only; unknown for a text that claims nothing."""
        key = frozenset(numbers)
        if not key:
            return _Result(Verdict.UNSUPPORTED, None)
        if key & self.quoted_in:
            return _Result(Verdict.SUPPORTED, 1.0)
        if key not in self.known:
            passages = tuple(self.sources[n - 1] for n in sorted(key))
            review = await self.verifier.check(self.text, passages, one_claim=True)
            supports = [claim.support for claim in review.claims if claim.support is not None]
            self.known[key] = _Result(review.verdict, min(supports, default=None))
        return self.known[key]

    async def is_supported(self, numbers: Sequence[int]) -> bool:
        """True if these sources support the claim."""
        return (await self.result(numbers)).verdict is Verdict.SUPPORTED

    def is_beside(self, n: int, alone: _Result) -> bool:
        """True if source `n` does not bear the claim, by the result of testing on it `alone`."""
        if alone.support is None:
            return False
        near = SourceIndex((self.sources[n - 1],)).nearest(terms(self.text), 1)
        coverage = near[0].coverage if near else 0.0
        return log_odds(alone.support) + COVERAGE_WEIGHT * coverage < 0

    async def falls_without(self, n: int, scope: Sequence[int]) -> bool:
        """True if neither the rest of `scope` nor all other sources of the answer support the claim."""
        others = _without(n, range(1, len(self.sources) + 1))
        return not await self.is_supported(_without(n, scope)) and not await self.is_supported(others)
