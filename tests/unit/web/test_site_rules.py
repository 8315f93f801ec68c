"""A site is asked once for its rules: who waits, who gives up, and what is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from assay.errors import ProviderFailed
from assay.web.egress import EgressRules
from assay.web.guard import Link, SsrfGuard
from assay.web.robots import Robots, SiteRules

HALF_A_DAY = 12 * 3600.0


@dataclass
class ManualClock:
    """A clock that stands where it is put."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        raise AssertionError("no date is asked for")

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing sleeps here")


def link(path: str) -> Link:
    return SsrfGuard(EgressRules(enabled=True)).link(f"https://tea.example{path}")


@dataclass
class Site:
    """Answers when it is let, as it is told: with rules, or with an error."""

    answers: list[Robots | Exception]
    let: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def __call__(self, asked: Link) -> Robots:
        self.asked += 1
        await self.let.wait()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def waiting(*, all_of: int, rules: SiteRules) -> list[asyncio.Task[Robots]]:
    tasks = [asyncio.create_task(rules.of(link(f"/{n}"))) for n in range(all_of)]
    await asyncio.sleep(0)
    return tasks


async def test_all_who_want_pages_of_a_site_share_one_answer():
    site = Site([Robots()])
    tasks = await waiting(all_of=3, rules=SiteRules(site, ManualClock()))
    site.let.set()
    assert await asyncio.gather(*tasks) == [Robots()] * 3
    assert site.asked == 1


async def test_an_error_is_told_to_all_and_not_kept():
    site = Site([ProviderFailed("busy", hint=""), Robots()])
    rules = SiteRules(site, ManualClock())
    tasks = await waiting(all_of=2, rules=rules)
    site.let.set()
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in told] == [ProviderFailed] * 2
    assert await rules.of(link("/later")) == Robots()
    assert site.asked == 2


async def test_where_the_one_who_asks_gives_up_another_one_asks():
    site = Site([Robots()])
    first, second = await waiting(all_of=2, rules=SiteRules(site, ManualClock()))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    site.let.set()
    assert await second == Robots()
    assert site.asked == 2


async def test_one_who_waits_and_gives_up_stops_nobody():
    site = Site([Robots()])
    first, second = await waiting(all_of=2, rules=SiteRules(site, ManualClock()))
    second.cancel()
    site.let.set()
    assert await first == Robots()
    assert site.asked == 1


async def test_rules_are_kept_for_half_a_day():
    site, clock = Site([Robots(), Robots()]), ManualClock()
    site.let.set()
    rules = SiteRules(site, clock)
    await rules.of(link("/"))
    clock.now += HALF_A_DAY
    await rules.of(link("/"))
    assert site.asked == 1
    clock.now += 1
    await rules.of(link("/"))
    assert site.asked == 2
