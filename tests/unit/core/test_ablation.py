"""Leaving sources out: what each citation does, by the verdicts scripted for each choice of sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from assay.core.ablation import CitedAnswer, ablate
from assay.errors import UsageError
from assay.testing.fakes import Unscripted
from assay.types import Citation, Claim, ClaimEvent, Passage, Review, SourceSpan, Verdict

RAIN, SNOW, HAIL = "It rained in Ulm.", "Whales are mammals.", "It hailed in Bonn."
TEXT = "It rained in Ulm on Monday."
YES, NO, MAYBE = (Verdict.SUPPORTED, 0.9), (Verdict.UNSUPPORTED, 0.05), (Verdict.UNKNOWN, 0.6)
AGAINST = (Verdict.CONTRADICTED, 0.02)


def passage(passage_id: str, text: str = SNOW) -> Passage:
    return Passage(passage_id, passage_id, "", 0, len(text), text, passage_id.title())


def claim(*cited: str, n: int = 1, text: str = TEXT, start: int = 0, end: int = 10) -> Claim:
    return Claim(n, text, start, end, cited, Verdict.SUPPORTED, 0.9)


@dataclass(frozen=True)
class BySources:
    """Gives the verdict and support scripted for the ids of the passages ("ab"); raises Unscripted for others."""

    script: Mapping[str, tuple[Verdict, float | None]]
    asked: list[str] = field(default_factory=list)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        assert one_claim
        ids = "".join(sorted(one.passage_id for one in passages))
        self.asked.append(ids)
        if ids not in self.script:
            raise Unscripted(f"no verdict on {text!r} by {ids}")
        verdict, support = self.script[ids]
        return Review((Claim(1, text, 0, len(text), (), verdict, support),), (), ())


async def roles(script: Mapping[str, tuple[Verdict, float | None]], cited: str, sources: str) -> list[str]:
    found = await ablate([claim(*cited)], (), [passage(one) for one in sources], BySources(script))
    return [one.role.value for one in found.citations]


@pytest.mark.parametrize(
    ("cited", "sources", "script", "expected"),
    [
        ("a", "a", {"a": YES}, ["carrying"]),
        ("ab", "ab", {"ab": YES, "a": YES, "b": NO}, ["carrying", "decorative"]),
        ("ab", "ab", {"ab": YES, "a": YES, "b": YES}, ["shared", "shared"]),
        ("ab", "ab", {"ab": YES, "a": MAYBE, "b": MAYBE}, ["carrying", "carrying"]),
        ("a", "ab", {"a": YES, "b": YES}, ["shared"]),
        ("a", "ab", {"a": YES, "b": NO}, ["carrying"]),
        ("ab", "ab", {"ab": YES, "a": YES, "b": AGAINST}, ["carrying", "decorative"]),
        ("ab", "ab", {"ab": YES, "a": YES, "b": (Verdict.UNKNOWN, None)}, ["carrying", "unsure"]),
        ("b", "ab", {"b": NO, "ab": YES, "a": YES}, ["decorative"]),
        ("ab", "ab", {"ab": NO, "a": YES, "b": NO}, ["carrying", "decorative"]),
        ("ab", "ab", {"ab": NO, "a": NO, "b": NO}, ["untested", "untested"]),
        # Either the first two together or the third by itself: none of them is decorative.
        (
            "abc",
            "abc",
            {"abc": YES, "ab": YES, "ac": YES, "bc": YES, "a": NO, "b": NO, "c": YES},
            ["shared", "shared", "shared"],
        ),
    ],
)
async def test_the_role_of_each_citation(cited, sources, script, expected):
    assert await roles(script, cited, sources) == expected


async def test_a_source_with_the_words_of_a_claim_is_only_unsure():
    sources = [passage("a"), passage("b", "On Monday it rained in Ulm, some say.")]
    script = {"ab": YES, "a": YES, "b": (Verdict.UNKNOWN, 0.4)}
    found = await ablate([claim("a", "b")], (), sources, BySources(script))
    assert found.citations[1].role.value == "unsure"
    far = [passage("a"), passage("b", SNOW)]
    found = await ablate([claim("a", "b")], (), far, BySources(script))
    assert found.citations[1].role.value == "decorative"


async def test_the_claims_that_fall_without_each_source():
    sources = [passage("a"), passage("b")]
    script = {"a": YES, "b": NO, "ab": YES}
    claims = [claim("a", n=1), claim(n=2, start=20, end=30)]  # the second cites nothing and stands on all sources
    found = await ablate(claims, (), sources, BySources(script))
    assert [source.falls for source in found.sources] == [(1, 2), ()]
    assert found.untested == ()


async def test_a_mark_that_bears_one_claim_of_its_sentence_is_not_decorative():
    """Both claims stand before the same two marks; the second source bears the second claim alone."""

    class ByClaim(BySources):
        async def check(self, text, passages, *, one_claim=False):
            ids = "".join(sorted(one.passage_id for one in passages))
            verdict, support = YES if ("a" if text == RAIN else "b") in ids else NO
            return Review((Claim(1, text, 0, len(text), (), verdict, support),), (), ())

    claims = [
        claim("a", "b", n=1, text=RAIN, start=0, end=10),
        claim("a", "b", n=2, text=HAIL, start=12, end=30),
    ]
    sources = [passage("a"), passage("b")]
    found = await ablate(claims, [Citation(31, 37, (1, 2))], sources, ByClaim({}))
    assert [(one.claims, one.source, one.role.value) for one in found.citations] == [
        ((1, 2), 1, "carrying"),
        ((1, 2), 2, "carrying"),
    ]
    apart = await ablate(claims, [Citation(10, 12, (1, 2)), Citation(31, 37, (1, 2))], sources, ByClaim({}))
    assert [one.role.value for one in apart.citations] == ["carrying", "decorative", "decorative", "carrying"]
    assert [one.source for one in apart.decorative] == [2, 1]


async def test_an_exact_quote_stands_on_its_source_however_short_it_is():
    quoted = Claim(
        *(1, "100", 0, 3, ("a",), Verdict.SUPPORTED, 1.0),
        (SourceSpan("a", 3, 6, "100"),),
        (ClaimEvent("supported", "quote", ""),),
    )
    found = await ablate([quoted], (), [passage("a", "At 100 degrees.")], BySources({}))
    assert found.citations[0].role.value == "carrying"
    changed = await ablate([quoted], (), [passage("a", "At 200 degrees.")], BySources({"a": NO}))
    assert changed.untested == (1,)


async def test_each_choice_of_sources_is_tested_once():
    verifier = BySources({"ab": YES, "a": YES, "b": NO})
    await ablate([claim("a", "b")], (), [passage("a"), passage("b")], verifier)
    assert sorted(verifier.asked) == ["a", "ab", "b"]


@pytest.mark.parametrize("body", [{}, {"claims": [{}], "citations": [], "sources": []}, {"claims": 3}])
def test_another_object_is_refused(body):
    with pytest.raises(UsageError, match="no answer object"):
        CitedAnswer.of(body)
