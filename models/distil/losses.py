"""The losses of models/reader/train.py and models/checker/train.py over large batches, and a teacher's."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SUPPORTS, UNSUPPORTED = 0, 3
SMOOTHING, LIST_WEIGHT, YES_NO_WEIGHT = 0.02, 1.0, 0.7


def within(groups: Tensor) -> tuple[Tensor, Tensor, int]:
    """Which rows stand in a group, their groups' numbers from 0, and how many groups there are."""
    some = groups >= 0
    named, numbers = torch.unique(groups[some], return_inverse=True)
    return some, numbers, len(named)


def group_logsumexp(values: Tensor, numbers: Tensor, many: int) -> Tensor:
    """The logarithm of the sum of exp of each group's values; -1e4 where it has none."""
    most = torch.full((many,), -1e4, device=values.device).scatter_reduce(0, numbers, values.detach(), "amax")
    summed = torch.zeros(many, device=values.device).index_add(0, numbers, (values - most[numbers]).exp())
    return most + summed.clamp(min=1e-30).log()


def reader_loss(spans: Tensor, pair: Tensor, of: dict[str, Tensor]) -> Tensor:
    """models/reader/train.py's loss."""
    total = pair.sum() * 0
    known = of["start"] >= 0
    if known.any():
        for place, name in enumerate(("start", "end")):
            total = total + functional.cross_entropy(spans[known][:, :, place], of[name][known]) / 2
    known = of["answerable"] >= 0
    if known.any():
        wanted = 0.02 + 0.96 * of["answerable"][known].float()
        total = total + functional.binary_cross_entropy_with_logits(pair[known, 0], wanted)
    known = of["yes_no"] >= 0
    if known.any():
        share = known.float().mean()
        total = total + YES_NO_WEIGHT * share * functional.cross_entropy(pair[known, 1:], of["yes_no"][known])
    some, numbers, many = within(of["group"])
    if many:
        odds, right = pair[some, 0], of["answerable"][some] == 1
        both = torch.zeros(many, device=odds.device).index_add(0, numbers, right.float())
        size = torch.zeros(many, device=odds.device).index_add(0, numbers, torch.ones_like(odds))
        mixed = (both > 0) & (both < size)
        if mixed.any():
            lost = group_logsumexp(odds, numbers, many) - group_logsumexp(odds[right], numbers[right], many)
            total = total + LIST_WEIGHT * lost[mixed].mean() * mixed.sum() / (mixed.sum() + (~some).sum())
    return total


def reader_soft_loss(spans: Tensor, pair: Tensor, of: dict[str, Tensor], said: dict[str, Tensor]) -> Tensor:
    """How far the reader is from the teacher: spans, answerability, order within groups, yes and no."""
    total = pair.sum() * 0
    for place in (0, 1):
        told = said["spans"][:, :, place].log_softmax(-1)
        total = (
            total
            + functional.kl_div(spans[:, :, place].log_softmax(-1), told, log_target=True, reduction="batchmean")
            / 2
        )
    total = total + functional.binary_cross_entropy_with_logits(pair[:, 0], said["pair"][:, 0].sigmoid())
    known = of["yes_no"] >= 0
    if known.any():
        told = said["pair"][known, 1:].log_softmax(-1)
        lost = functional.kl_div(pair[known, 1:].log_softmax(-1), told, log_target=True, reduction="batchmean")
        total = total + YES_NO_WEIGHT * known.float().mean() * lost
    some, numbers, many = within(of["group"])
    if many:
        odds, told = pair[some, 0], said["pair"][some, 0]
        log_share = odds - group_logsumexp(odds, numbers, many)[numbers]
        share = (told - group_logsumexp(told, numbers, many)[numbers]).exp()
        total = total - LIST_WEIGHT * (share * log_share).sum() / (many + (~some).sum())
    return total


def support_odds(logits: Tensor) -> Tensor:
    """The log odds of "supports" against both others."""
    return logits[:, SUPPORTS] - logits[:, SUPPORTS + 1 :].logsumexp(-1)


def checker_loss(logits: Tensor, of: dict[str, Tensor]) -> Tensor:
    """models/checker/train.py's loss."""
    labels = of["label"]
    full = labels != UNSUPPORTED
    total = logits.sum() * 0
    if full.any():
        part = functional.cross_entropy(logits[full], labels[full], label_smoothing=SMOOTHING)
        total = total + part * full.float().mean()
    if not full.all():
        total = total + functional.softplus(support_odds(logits[~full])).mean() * (~full).float().mean()
    odds, true, groups = support_odds(logits), labels == SUPPORTS, of["group"]
    pairs = (groups[:, None] == groups[None, :]) & (groups >= 0)[:, None] & true[:, None] & ~true[None, :]
    if pairs.any():
        some, numbers, many = within(groups)
        own = torch.full_like(groups, 0)
        own[some] = numbers
        lost = functional.softplus(odds[None, :] - odds[:, None])[pairs]
        number = own[:, None].expand_as(pairs)[pairs]
        summed = torch.zeros(many, device=odds.device).index_add(0, number, lost)
        counted = torch.zeros(many, device=odds.device).index_add(0, number, torch.ones_like(lost))
        both = counted > 0
        total = total + (summed[both] / counted[both]).mean() * both.sum() / (both.sum() + (~some).sum())
    return total


def checker_soft_loss(logits: Tensor, said: Tensor) -> Tensor:
    """How far the checker stands from the teacher's verdicts."""
    return functional.kl_div(logits.log_softmax(-1), said.log_softmax(-1), log_target=True, reduction="batchmean")
