"""What checks take is counted by name, from any thread, also where a check raises."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from assay.core.budget import READING, Meter
from assay.types import CheckCost, Passage, Usage
from assay.verification.checks import FACT_CHECKS
from assay.verification.verifier import DeterministicVerifier

CALL = Usage(prompt_tokens=5, completion_tokens=2, total_tokens=7, calls=1, cost=0.5)
UNTOLD = Usage(None, None, None, None, calls=1, cost=None)


@dataclass
class TickingClock:
    """A clock that goes on by a second each time it is read."""

    now: float = 0.0

    def monotonic(self) -> float:
        self.now += 1
        return self.now

    def time(self) -> float:
        raise AssertionError("no date is asked for")

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing sleeps here")


def test_times_add_up_by_name_also_where_the_check_raises():
    meter = Meter(TickingClock())
    with meter.timing("numbers"):
        pass
    with pytest.raises(ValueError, match="broken"), meter.timing("numbers"):
        raise ValueError("broken")
    with meter.timing("names"):
        pass
    assert {name: cost.ms for name, cost in meter.costs.items()} == {"numbers": 2000.0, "names": 1000.0}


def test_calls_add_up_and_what_is_unknown_stays_so():
    meter = Meter(TickingClock())
    meter.asked("verifier", CALL)
    meter.asked("verifier", CALL)
    meter.asked("assessment", CALL)
    meter.asked("assessment", UNTOLD)
    assert (meter.costs["verifier"].usage.calls, meter.costs["verifier"].usage.cost) == (2, 1.0)
    assert (meter.costs["assessment"].usage.calls, meter.costs["assessment"].usage.cost) == (2, None)


def test_known_verdicts_are_counted_and_are_no_calls():
    meter = Meter(TickingClock())
    meter.knew("verifier", 3)
    assert meter.costs == {"verifier": CheckCost(kept=3)}


def test_no_count_is_lost_between_threads():
    meter = Meter(TickingClock())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _n: meter.asked("verifier", CALL), range(400)))
    assert meter.costs["verifier"].usage.calls == 400


@pytest.mark.parametrize("cost", [CheckCost(1.5, CALL, 2), CheckCost(0.0, UNTOLD)])
def test_a_cost_is_read_as_it_was_stored(cost: CheckCost):
    assert CheckCost.read(json.loads(json.dumps(cost.to_dict()))) == cost


async def test_each_check_of_a_compared_claim_is_timed_by_itself():
    meter = Meter(TickingClock())
    text = "The bridge was opened on 3 May 1932."
    verifier = DeterministicVerifier(timing=meter.timing)
    await verifier.check("The bridge was opened on 4 May 1932.", (Passage("a", "a", "", 0, len(text), text),))
    assert set(meter.costs) == {READING, "citations", "quotes", *FACT_CHECKS, "support", "passages"}
    assert {cost.ms for cost in meter.costs.values()} == {1000.0}


async def test_a_check_that_is_switched_off_takes_no_time():
    meter = Meter(TickingClock())
    text = "The bridge was opened on 3 May 1932."
    verifier = DeterministicVerifier(skip=frozenset({"dates", "quotes"}), timing=meter.timing)
    await verifier.check("The bridge was opened on 4 May 1932.", (Passage("a", "a", "", 0, len(text), text),))
    assert not {"dates", "quotes"} & set(meter.costs)
