"""A verifier model is not asked again for what it ruled on the same basis; anything else asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assay.core.tape import Tape
from assay.errors import Diverged
from assay.records.validations import RunValidations, ValidationCache
from assay.types import Claim, Passage, SourceSpan, Verdict
from assay.verification.model_verifier import ClaimRequest, Ruling
from assay.wiring.verdict_cache import CachedTier

RUN = "01J"
TEXT = "The bridge was opened on 3 May 1932."
BRIDGE = Passage("p1", "d", "r", 0, len(TEXT), TEXT)
QUOTE = SourceSpan("p1", 4, 10, "bridge")
SUPPORTED = Ruling(Verdict.SUPPORTED, "the source says so", (QUOTE,))
UNKNOWN = Ruling(Verdict.UNKNOWN, "the model failed")


@dataclass
class Scripted:
    """Rules as it is told, and remembers what it was asked; raises where it is told nothing more."""

    rulings: list[tuple[Ruling, ...]]
    asked: list[tuple[str, ...]] = field(default_factory=list)
    name: str = "scripted"
    cost: int = 1

    async def rule(self, asked: Sequence[ClaimRequest]) -> tuple[Ruling, ...]:
        self.asked.append(tuple(one.claim.text for one in asked))
        await asyncio.sleep(0)
        return self.rulings.pop(0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "validations.sqlite"


def claims(*texts: str, passages: tuple[Passage, ...] = (BRIDGE,)) -> list[ClaimRequest]:
    return [
        ClaimRequest(Claim(n, text, 0, len(text), (), Verdict.UNKNOWN, None, (), ()), passages)
        for n, text in enumerate(texts, 1)
    ]


def kept(tier: Scripted, path: Path, told: list[int], verifier: str = "scripted 1") -> CachedTier:
    return CachedTier(tier, RunValidations(ValidationCache(path), RUN), verifier, told.append)


async def test_what_was_ruled_is_not_asked_again_and_says_so(path: Path):
    tier, told = Scripted([(SUPPORTED,)]), []
    assert await kept(tier, path, told).rule(claims("It opened.")) == (SUPPORTED,)
    (again,) = await kept(tier, path, told).rule(claims("It opened."))
    assert (again.verdict, again.spans) == (SUPPORTED.verdict, SUPPORTED.spans)
    assert again.reason == "the source says so (as in an earlier test)"
    assert (tier.asked, told) == ([("It opened.",)], [1])


@pytest.mark.parametrize(
    "other",
    [
        claims("It closed."),
        claims("It opened.", passages=(replace(BRIDGE, text=TEXT.replace("1932", "1933")),)),
        claims("It opened.", passages=(BRIDGE, replace(BRIDGE, passage_id="p2"))),
        claims("The tunnel is long.", "It opened."),
        claims("It opened.", "The tunnel is long."),
    ],
)
async def test_another_basis_is_asked(path: Path, other: list[ClaimRequest]):
    ruled = (SUPPORTED,) * len(other)
    tier, told = Scripted([(SUPPORTED,), ruled]), []
    await kept(tier, path, told).rule(claims("It opened."))
    assert await kept(tier, path, told).rule(other) == ruled
    assert (len(tier.asked), told) == (2, [])


async def test_another_verifier_is_asked(path: Path):
    tier, told = Scripted([(SUPPORTED,), (SUPPORTED,)]), []
    await kept(tier, path, told).rule(claims("It opened."))
    await kept(tier, path, told, "scripted 2").rule(claims("It opened."))
    assert (len(tier.asked), told) == (2, [])


async def test_where_one_verdict_is_not_known_all_claims_are_asked(path: Path):
    asked = claims("It opened.", "It is long.")
    tier, told = Scripted([(SUPPORTED, UNKNOWN), (SUPPORTED, SUPPORTED)]), []
    await kept(tier, path, told).rule(asked)
    assert await kept(tier, path, told).rule(asked) == (SUPPORTED, SUPPORTED)
    assert tier.asked == [("It opened.", "It is long.")] * 2
    assert len(await kept(tier, path, told).rule(asked)) == 2
    assert told == [2]


async def test_many_runs_at_once_keep_and_find_the_same(path: Path):
    tier = Scripted([(SUPPORTED,)] * 20)
    told: list[int] = []
    cache = ValidationCache(path)
    tiers = [CachedTier(tier, RunValidations(cache, RUN), "scripted 1", told.append) for _ in range(20)]
    ruled = await asyncio.gather(*(each.rule(claims("It opened.")) for each in tiers))
    assert {each[0].verdict for each in ruled} == {Verdict.SUPPORTED}
    assert len(tier.asked) + sum(told) == 20
    asked = len(tier.asked)
    await kept(tier, path, told).rule(claims("It opened."))
    assert len(tier.asked) == asked


async def test_a_replay_finds_and_misses_what_the_run_did_without_the_cache(path: Path):
    missed, found = Tape(), Tape()
    tier, told = Scripted([(SUPPORTED,)]), []
    cache = ValidationCache(path)
    first = await CachedTier(tier, RunValidations(cache, RUN, missed), "1", told.append).rule(claims("It opened."))
    second = await CachedTier(tier, RunValidations(cache, RUN, found), "1", told.append).rule(claims("It opened."))
    cache.close()
    path.unlink()
    again = Scripted([(SUPPORTED,)])
    for tape, then, asks in ((missed, first, 1), (found, second, 1)):
        replayed = CachedTier(again, RunValidations(None, RUN, Tape(tape.entries)), "", told.append)
        assert await replayed.rule(claims("It opened.")) == then
        assert len(again.asked) == asks
    assert not path.exists()


async def test_a_replay_that_asks_for_another_claim_diverges(path: Path):
    tape = Tape()
    tier = Scripted([(SUPPORTED,)])
    await CachedTier(tier, RunValidations(ValidationCache(path), RUN, tape), "1", print).rule(claims("It opened."))
    replayed = CachedTier(tier, RunValidations(None, RUN, Tape(tape.entries)), "", print)
    with pytest.raises(Diverged):
        await replayed.rule(claims("It closed."))
