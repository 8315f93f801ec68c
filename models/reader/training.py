"""What the training of reader and checker shares: batches of groups, the steps with their checkpoints, AUROC."""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import torch
from torch import Tensor, nn

WARM_UP, DECAY, LAST_RATE = 0.05, 0.01, 0.02
POOL, WIDTH_STEP = 2048, 32
# Steps from one checkpoint to the next, and from one look at the held-out examples to the next.
KEPT_EVERY, WATCHED_EVERY = 200, 1000
# What is unknown of an example, such as the group of one that is compared with none.
NONE = -1


class Example(Protocol):
    """An example as a network reads it; those of one group are compared."""

    @property
    def ids(self) -> tuple[int, ...]:
        """Its tokens."""

    @property
    def group(self) -> str | None:
        """Its group's name, None for an example alone."""


Some = TypeVar("Some", bound=Example)


def rows_of(path: Path) -> list[dict]:
    """The examples of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rounded(tokens: int) -> int:
    """The width of a batch whose longest example has so many tokens.

    >>> rounded(33), rounded(320)
    (64, 320)
    """
    return -(-tokens // WIDTH_STEP) * WIDTH_STEP


def grouped(examples: Sequence[Some]) -> list[list[Some]]:
    """The passages of one question together, in the order of each group's first."""
    groups: dict[object, list[Some]] = {}
    for number, each in enumerate(examples):
        groups.setdefault(number if each.group is None else each.group, []).append(each)
    return list(groups.values())


def batches(order: Sequence[list[Some]], tokens: int, draw: random.Random) -> Iterator[list[Some]]:
    """Batches of about so many tokens, alike in length within a pool of 2,048 groups, in a drawn order.

    A group stays together, so that its passages can be compared.
    """
    for start in range(0, len(order), POOL):
        made: list[list[Some]] = []
        for group in sorted(order[start : start + POOL], key=longest):
            if made and (len(made[-1]) + len(group)) * rounded(longest(group)) <= tokens:
                made[-1] += group
            else:
                made.append(list(group))
        draw.shuffle(made)
        yield from made


def longest(group: Sequence[Example]) -> int:
    """The tokens of the longest passage of a group."""
    return max(len(each.ids) for each in group)


def rate(share: float) -> float:
    """The learning rate's share after this share of the run: up at first, then down along half a cosine.

    >>> rate(0.025), rate(0.05), round(rate(1.0), 2)
    (0.5, 1.0, 0.02)
    """
    if share < WARM_UP:
        return share / WARM_UP
    return LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, (share - WARM_UP) / (1 - WARM_UP)))) / 2


def auroc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The chance that a positive scores above a negative."""
    ranked = [label for _, label in sorted(zip(scores, labels, strict=True))]
    positives = sum(ranked)
    below = wins = 0
    for label in ranked:
        wins += below * label
        below += 1 - label
    return wins / max(1, positives * (len(ranked) - positives))


def train(
    model: nn.Module,
    order: Sequence[list[Some]],
    loss_of: Callable[[list[Some]], Tensor],
    watch: Callable[[bool], dict[str, float]],
    asked: argparse.Namespace,
) -> None:
    """Go through the batches from where the checkpoint stands; stop at the end or when the time is over.

    `watch` gives the figures on the held-out examples, on all of them where it is told that this is the end.
    `asked` has `out`, `minutes` and `rate`.
    """
    optimiser = torch.optim.AdamW(
        (each for each in model.parameters() if each.requires_grad), lr=asked.rate, weight_decay=DECAY, fused=True
    )
    kept, log = asked.out / "checkpoint.pt", (asked.out / "log.jsonl").open("a")
    step, done = 0, 0.0
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        step, done = state["step"], state["seconds"]
    started = time.monotonic() - done
    losses: list[float] = []
    while step < len(order):
        seconds = time.monotonic() - started
        if seconds > 60 * asked.minutes or (asked.out / "stop").exists():
            break
        share = max((step + 1) / len(order), seconds / (60 * asked.minutes))
        for group in optimiser.param_groups:
            group["lr"] = asked.rate * rate(share)
        loss = loss_of(order[step])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        step += 1
        if step % KEPT_EVERY == 0:
            save(kept, model, optimiser, step, time.monotonic() - started)
            told = {"step": step, "of": len(order), "seconds": round(seconds)}
            told |= {"loss": round(sum(losses[-KEPT_EVERY:]) / len(losses[-KEPT_EVERY:]), 4)}
            if step % WATCHED_EVERY == 0:
                told |= {name: round(value, 3) for name, value in watch(False).items()}
            print(json.dumps(told), file=log, flush=True)
    if losses:
        save(kept, model, optimiser, step, time.monotonic() - started)
    told = {"step": step, "of": len(order)} | {name: round(value, 4) for name, value in watch(True).items()}
    print(json.dumps(told), file=log, flush=True)


def save(path: Path, model: nn.Module, optimiser: torch.optim.Optimizer, step: int, seconds: float) -> None:
    """Write the checkpoint whole or not at all."""
    state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "seconds": seconds}
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)
