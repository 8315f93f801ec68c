"""Fit what `fix` weighs the values of sources by, and show what each bar would correct; `--write` keeps it.

    .venv/bin/python benchmarks/fix/choose.py [--seed S] [--more N] [--write BAR]

The sentences are the true claims over the 60 passages that benchmarks/fix/run.py looks at and does not report, and
each of them with a wrong number and with a wrong name (models/checker/twins.py). Which of a claim's exchanges is
right, none among them, is a choice with one weight an input (a conditional logit); the table is of passages that
the weights were not fitted on, six parts in turn. Run it again whenever the checker or its policy is another one:
the weights hold for that one alone. Where they are of another, `fix` exchanges nothing in reworded sentences.

`--more` shows the same over so many passages of the held-out genre (models/checker/examples.py), which fit no
weight: what is seldom wrong needs many sentences to be seen. They tell nothing of a checker that was taught them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "checker"))
from examples import HELD_GENRES, Written, written_passages
from run import LOOKED_AT, MORE_TRUE, drafts, is_sentence
from scipy.optimize import minimize
from twins import wrong_name, wrong_number

from assay.nlp.tokens import words
from assay.repair import exchange
from assay.repair.exchange import Offer, Weights, best_offer, offers, shipped_weights, weigh_offers
from assay.types import Claim, Passage, Question, Review, Verdict
from assay.verification.verifier import DeterministicVerifier
from assay.wiring import open_checker
from report import bundled_checker, data_folder

OUT = Path(exchange.__file__).with_name("exchange.json")
PARTS = 6
# Keeps a weight small that the few sentences hardly tell.
RIDGE = 0.3
BARS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
NOTHING = Question("", "")
INPUTS = ("beside", "checker", "doubted", "held", "near", "number", "share")


@dataclass(frozen=True)
class Case:
    """A sentence as it is true and as it is given, and its exchanges, read; the place of the right one, if any."""

    passage: str
    true: str
    given: str
    read: tuple[Offer, ...]

    @property
    def right(self) -> int | None:
        """Which of the exchanges makes the sentence true again; None where none does, or where it is true."""
        if self.true == self.given:
            return None
        made = (n for n, each in enumerate(self.read) if words(each.text) == words(self.true))
        return next(made, None)


def looked_at() -> list[Written]:
    """The passages that benchmarks/fix/run.py does not report."""
    seen = {each.passage.passage_id for each in drafts(MORE_TRUE, LOOKED_AT)}
    return [each for each in written() if each.pid in seen]


def of_genre(most: int) -> list[Written]:
    """At most so many passages of the genre that is held out."""
    held = [each for each in written() if each.held == "genre"]
    return random.Random(0).sample(held, min(most, len(held)))


def written() -> list[Written]:
    """All written passages."""
    return written_passages(data_folder() / "train" / "written", HELD_GENRES)


def sentences_of(some: Sequence[Written], seed: int) -> list[tuple[Passage, str, str]]:
    """Each sentence over the passages, as it is true and as it is given."""
    draw = random.Random(seed)
    found: list[tuple[Passage, str, str]] = []
    for each in some:
        for claim in (row["claim"] for row in each.claims if row["verdict"] == "s" and is_sentence(row)):
            changed = (way(claim, each.text, draw) for way in (wrong_number, wrong_name))
            found += [(each.passage, claim, given) for given in (claim, *changed) if given is not None]
    return found


async def cases(some: Sequence[Written], seed: int) -> list[Case]:
    """Every sentence with its exchanges, as `fix` would have them; of one that is supported there are none."""
    weigher = DeterministicVerifier(checker=bundled_checker())
    found = []
    async with open_checker(models=False) as engine:
        for passage, true, given in sentences_of(some, seed):
            review = await engine.acheck(given, (passage,))
            read: tuple[Offer, ...] = ()
            if (claim := only(review)) is not None:
                offered = offers(
                    shipped_weights(), given, exchange.doubted_places(review, claim), NOTHING, (passage,)
                )
                read = await weigh_offers(weigher, given, offered, (passage,))
            found.append(Case(passage.passage_id, true, given, read))
    return found


def only(review: Review) -> Claim | None:
    """The only claim of a sentence, where it is not supported."""
    one = review.claims[0] if len(review.claims) == 1 else None
    return None if one is None or one.verdict is Verdict.SUPPORTED else one


def fitted(some: Sequence[Case], checker: str) -> Weights:
    """The weights under which what is right of each case is likeliest."""
    choices = []
    for case in some:
        if case.read:
            rows = [[1.0, *(each.inputs[name] for name in INPUTS)] for each in case.read]
            none = [0.0] * (len(INPUTS) + 1)
            choices.append((np.array([*rows, none]), len(rows) if case.right is None else case.right))

    def loss(weights: np.ndarray) -> float:
        total = RIDGE * float(weights @ weights)
        for rows, right in choices:
            scores = rows @ weights
            total += float(np.logaddexp.reduce(scores) - scores[right])
        return total

    bias, *weights = minimize(loss, np.zeros(len(INPUTS) + 1), method="L-BFGS-B").x
    named = {name: round(float(weight), 4) for name, weight in zip(INPUTS, weights, strict=True)}
    return Weights(checker, round(float(bias), 4), named, math.inf)


def without_own(some: Sequence[Case], checker: str) -> dict[str, Weights]:
    """For each passage the weights that were fitted without its part."""
    part = {pid: n % PARTS for n, pid in enumerate(sorted({each.passage for each in some}))}
    by_part = [fitted([each for each in some if part[each.passage] != n], checker) for n in range(PARTS)]
    return {pid: by_part[n] for pid, n in part.items()}


def counted(some: Sequence[Case], weights: Mapping[str, Weights]) -> Iterator[dict[str, float]]:
    """For each bar what is corrected rightly and wrongly, each passage by its weights."""
    wrong = sum(each.given != each.true for each in some)
    for bar in BARS:
        made = [(each, best_offer(replace(weights[each.passage], threshold=bar), each.read)) for each in some]
        ends = [(case, is_right(case, offer)) for case, offer in made if offer is not None]
        yield {
            "bar": bar,
            "corrected rightly": sum(right for _, right in ends),
            "corrected wrongly": sum(case.true != case.given and not right for case, right in ends),
            "of wrong ones": wrong,
            "true ones changed": sum(case.true == case.given for case, _ in ends),
            "of true ones": len(some) - wrong,
        }


def is_right(case: Case, offer: Offer) -> bool:
    """Whether the exchange makes the sentence true again."""
    return case.right is not None and offer is case.read[case.right]


def main() -> None:
    """Read, fit, show, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--more", type=int, default=0, metavar="N")
    parser.add_argument("--write", type=float, metavar="BAR")
    asked = parser.parse_args()
    checker = bundled_checker().model.id
    some = asyncio.run(cases(looked_at(), asked.seed))
    print(*map(json.dumps, counted(some, without_own(some, checker))), sep="\n")
    weights = fitted(some, checker)
    if asked.more:
        more = asyncio.run(cases(of_genre(asked.more), asked.seed))
        print(*map(json.dumps, counted(more, dict.fromkeys((each.passage for each in more), weights))), sep="\n")
    body = {
        "made_by": "benchmarks/fix/choose.py",
        "checker": checker,
        "weights": dict(weights.weights),
        "bias": weights.bias,
        "threshold": asked.write,
    }
    print(json.dumps(body, indent=1))
    if asked.write is not None:
        OUT.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
