"""What a network reaches on held-out examples."""

from __future__ import annotations

import numpy as np
import torch
from losses import SUPPORTS, support_odds
from packed import CHECKS, READS, Device, Packed, rounded
from torch import Tensor, nn

READ_TOKENS = 131_072
# Groups of held-out questions over documents that are read at most, and spans of each part.
HELD_GROUPS, HELD_SPANS = 2500, 3000
# As models/checker/train.py has them.
PARAPHRASE, PASSED = 0.5, 0.03


@torch.no_grad()
def read(
    model: nn.Module, device: Device, draw: int, rows: np.ndarray, *, spans: bool
) -> tuple[Tensor | None, Tensor, Tensor]:
    """Span logits, all examples' tokens in one row (tokens, 2), in float16; pair logits (examples, 4), verdicts
    (examples, 3). Of examples that are not among `rows` they are 0.
    """
    model.eval()
    length = device.lengths[draw]
    told = torch.zeros(int(length.sum()), 2, dtype=torch.float16, device=device.device) if spans else None
    pairs = torch.zeros(len(length), 4, device=device.device)
    claims = torch.zeros(len(length), 3, device=device.device)
    order = rows[np.argsort(length[rows], kind="stable")]
    at = 0
    while at < len(order):
        size = max(1, READ_TOKENS // rounded(int(length[order[at : at + 1024]].max())))
        of = device.batch(draw, order[at : at + size])
        at += size
        made = model(of["ids"], of["segments"])
        pairs[of["rows"]] = made[1]
        # A student has one head for both tasks.
        claims[of["rows"]] = made[2] if len(made) == 3 else made[1][:, 1:]
        if told is not None:
            place = torch.arange(of["ids"].shape[1], device=device.device)[None, :]
            inside = place < of["length"][:, None]
            told[(of["offset"][:, None] + place)[inside]] = made[0][inside].clamp(min=-6e4).half()
    model.train()
    return told, pairs, claims


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that a positive scores above a negative."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    positive = labels.sum()
    return float(
        (ranks[labels].sum() - positive * (positive + 1) / 2) / max(1, positive * (len(labels) - positive))
    )


def figures(model: nn.Module, device: Device, data: Packed, kinds: tuple[int, ...]) -> dict[str, float]:
    """What the network reaches on held-out examples, read plainly (the last draw)."""
    names = np.array(data.sources)[data.source]
    said: dict[str, float] = {}
    if READS in kinds:
        said |= reader_figures(model, device, data, names)
    if CHECKS in kinds:
        said |= checker_figures(model, device, data, names)
    return {name: round(value, 4) for name, value in said.items()}


def reader_figures(model: nn.Module, device: Device, data: Packed, names: np.ndarray) -> dict[str, float]:
    """AUROC of answerability, how often the passage that answers comes first of its group, and how spans fit."""
    plain = len(device.draws) - 1
    asked = (data.held == 1) & (data.kind == READS)
    groups = np.unique(data.group[asked & (data.group >= 0)])
    kept = np.random.default_rng(0).permutation(groups)[:HELD_GROUPS]
    rows = np.where(asked & ((data.group < 0) | np.isin(data.group, kept)))[0]
    spans, pairs, _ = read(model, device, plain, rows, spans=True)
    odds, flat = pairs[:, 0].cpu().numpy(), spans.float().cpu().numpy()
    said = {"first of group": first_of_group(data, rows, kept, odds)}
    offset, start, end = (device.draws[plain][name].cpu().numpy() for name in ("offset", "start", "end"))
    lengths = device.lengths[plain]
    for part in ("squad2_dev", "written", "asked"):
        here = rows[np.char.startswith(names[rows], part)]
        labelled = here[data.answerable[here] >= 0]
        if len(labelled):
            said[f"auroc {part}"] = auroc(odds[labelled], data.answerable[labelled] == 1)
        some = here[start[here] > 0][:HELD_SPANS]
        exact = touching = 0
        for row in some:
            first, last = flat[offset[row] + 1 : offset[row] + lengths[row]].argmax(0) + 1
            exact += first == start[row] and last == end[row]
            touching += first <= end[row] and last >= start[row]
        if len(some):
            said |= {f"span exact {part}": exact / len(some), f"span touches {part}": touching / len(some)}
    some = rows[data.yes_no[rows] >= 0]
    said["yes_no"] = float((pairs[some, 1:].argmax(-1).cpu().numpy() == data.yes_no[some]).mean())
    return said


def first_of_group(data: Packed, rows: np.ndarray, groups: np.ndarray, odds: np.ndarray) -> float:
    """How often a passage that answers has the highest odds of those compared for its question."""
    asked = right = 0
    for group in groups:
        members = rows[data.group[rows] == group]
        if (data.answerable[members] == 1).any() and (data.answerable[members] == 0).any():
            asked += 1
            right += int(data.answerable[members[odds[members].argmax()]] == 1)
    return right / max(1, asked)


def checker_figures(model: nn.Module, device: Device, data: Packed, names: np.ndarray) -> dict[str, float]:
    """AUROC of support for each part, and what is supported where 3 % of the false written claims are."""
    rows = np.where((data.held == 1) & (data.kind == CHECKS))[0]
    _, _, claims = read(model, device, len(device.draws) - 1, rows, spans=False)
    odds, true = support_odds(claims).cpu().numpy(), data.label == SUPPORTS
    said = {}
    for source in ("written passage", "written genre", "copy passage", "attributionbench", "expertqa", "infotabs"):
        some = rows[np.char.startswith(names[rows], source)]
        if len(some):
            said[f"auroc {source}"] = auroc(odds[some], true[some])
    written = rows[np.char.startswith(names[rows], "written passage")]
    for part in ("documentation", "public"):
        some = written[np.char.endswith(names[written], part)]
        if len(some):
            said[f"auroc {part}"] = auroc(odds[some], true[some])
    false, good = written[~true[written]], written[true[written]]
    free = np.concatenate([false, good[data.overlap[good] <= PARAPHRASE]])
    bar = np.quantile(odds[false], 1 - PASSED)
    return said | {
        "auroc paraphrases": auroc(odds[free], true[free]),
        "true supported": float((odds[good] > bar).mean()),
    }
