"""What searching again is worth: expected gain against cost, learned from recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.types import Action, Triage

# The actions that search again; cheapest first.
SEARCHING = (Action.REFINE, Action.EXTERNAL)


@dataclass(frozen=True, slots=True)
class Worth:
    """What searching again is worth: `gains`, how often an action has turned evidence that did not suffice into
    an answer that is right, by action and triage, less how often it has turned a right refusal into a wrong
    answer; and `costs`, the seconds that it took. `price` is how much gain a second must bring. `sure` is the
    sufficiency, 0 to 1, from which on evidence is answered without another search, and that evidence must reach
    which was searched for again: the best of two searches looks better than it is.

    The shipped numbers are learned from recorded runs; see benchmarks/correct.
    """

    gains: Mapping[tuple[Action, Triage], float] = field(default_factory=dict)
    costs: Mapping[Action, float] = field(default_factory=dict)
    price: float = 0.0
    sure: float = 0.0

    def of(self, action: Action, triage: Triage | None, taken: int) -> float:
        """The expected gain less its price; each time that the action was taken halves what it may still bring."""
        gain = self.gains.get((action, triage or Triage.INCORRECT), 0.0)
        return float(gain / 2**taken) - self.price * self.costs.get(action, 0.0)
