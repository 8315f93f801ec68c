"""Train the checker on the examples, for a fixed time, with checkpoints.

    python train.py EXAMPLES [EXAMPLES …] --held HELD --wheel WHEEL --out OUT [--start CHECKPOINT] [--minutes M]
        [--passes P] [--seed S] [--rate R] [--threads T] [--most N]

EXAMPLES and HELD are files that examples.py wrote. `--start` is a checkpoint or the weights of a reader or checker;
without it the run begins from the sentence encoder of the wheel. The network is the reader's (models/reader): its
yes, no and neither stand for supports, contradicts and neither. OUT/checkpoint.pt is renewed every 200 steps;
started again with the same seed, the run goes on from it. OUT/weights.safetensors holds the weights at the end,
OUT/log.jsonl the losses and figures on the held-out examples. A file OUT/stop ends the run early.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

MODELS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(MODELS / "export"), str(MODELS / "reader")]
from export_minilm import read_wheel, without_fixed_length
from network import Reader
from training import NONE, auroc, batches, grouped, rounded, rows_of, train

LABELS = ("supports", "contradicts", "neither", "unsupported")
SUPPORTS, CONTRADICTS, NEITHER, UNSUPPORTED = range(4)
TOKENS_A_STEP, SMOOTHING, COMPARED_WEIGHT = 4096, 0.02, 1.0
# The claim's and the pair's tokens at most.
MOST_CLAIM_TOKENS, MOST_TOKENS = 96, 320
# A true claim is a paraphrase where at most this share of its terms stands in the passage.
PARAPHRASE = 0.5
# The share of false claims that may pass as supported, and the precision that "contradicts" must have.
PASSED, PRECISION = 0.03, 0.9
# Held claims that are read while the run goes on; at its end all are.
WATCHED = 1200


@dataclass(frozen=True, slots=True)
class Pair:
    """An example as the network reads it; the passage begins at token `second`."""

    ids: tuple[int, ...]
    second: int
    label: int
    group: str | None


def pairs_of(tokenizer: Tokenizer, rows: Sequence[dict]) -> list[Pair]:
    """The examples as `[CLS] claim [SEP] evidence [SEP]`."""
    made: list[Pair] = []
    for first in range(0, len(rows), 4096):
        some = rows[first : first + 4096]
        claims = tokenizer.encode_batch([row["claim"] for row in some], add_special_tokens=False)
        texts = tokenizer.encode_batch([row["evidence"] for row in some], add_special_tokens=False)
        for row, claim, text in zip(some, claims, texts, strict=True):
            asked = claim.ids[:MOST_CLAIM_TOKENS]
            ids = (101, *asked, 102, *text.ids[: MOST_TOKENS - len(asked) - 3], 102)
            made.append(Pair(ids, len(asked) + 2, LABELS.index(row["label"]), row["group"]))
    return made


def tensors(batch: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor]:
    """ids and segments (pairs, tokens), targets (pairs, 2): label and number of the group."""
    width = rounded(max(len(pair.ids) for pair in batch))
    ids, segments = (torch.zeros(len(batch), width, dtype=torch.long) for _ in range(2))
    numbers: dict[str, int] = {}
    targets = []
    for row, pair in enumerate(batch):
        ids[row, : len(pair.ids)] = torch.tensor(pair.ids)
        segments[row, pair.second : len(pair.ids)] = 1
        targets.append((pair.label, NONE if pair.group is None else numbers.setdefault(pair.group, len(numbers))))
    return ids, segments, torch.tensor(targets)


def verdicts(model: Reader, ids: Tensor, segments: Tensor) -> Tensor:
    """Logits (pairs, 3) of supports, contradicts, neither."""
    return model(ids, segments)[1][:, 1:]


def batch_loss(model: Reader, batch: Sequence[Pair]) -> Tensor:
    """The loss of one batch."""
    ids, segments, targets = tensors(batch)
    with torch.autocast("cpu", torch.bfloat16):
        logits = verdicts(model, ids, segments)
    return loss_of(logits, targets)


def support_odds(logits: Tensor) -> Tensor:
    """The log odds of "supports" against both others."""
    return logits[:, SUPPORTS] - logits[:, SUPPORTS + 1 :].logsumexp(-1)


def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
    """The mean cross entropy, and how the claims of a group compare.

    Where a label does not tell contradicts from neither, the loss is that of their sum: -log(1 - p(supports)).
    """
    labels, groups = targets.unbind(1)
    full = labels != UNSUPPORTED
    total = logits.sum() * 0
    if full.any():
        part = functional.cross_entropy(logits[full], labels[full], label_smoothing=SMOOTHING)
        total = total + part * full.float().mean()
    if not full.all():
        total = total + functional.softplus(support_odds(logits[~full])).mean() * (~full).float().mean()
    return total + COMPARED_WEIGHT * compared_loss(support_odds(logits), labels == SUPPORTS, groups)


def compared_loss(odds: Tensor, supported: Tensor, groups: Tensor) -> Tensor:
    """How far each supported claim stands from beating each other one of its group.

    The mean over pairs of log(1 + exp(other - supported)) (RankNet, Burges and others 2005, eq. 3), then over
    groups, scaled by the share of groups among what the batch holds.
    """
    lost = []
    for number in range(int(groups.max()) + 1):
        of = groups == number
        true, false = odds[of & supported], odds[of & ~supported]
        if len(true) and len(false):
            lost.append(functional.softplus(false[:, None] - true[None, :]).mean())
    if not lost:
        return odds.sum() * 0
    singles = int((groups == NONE).sum())
    return torch.stack(lost).mean() * len(lost) / (len(lost) + singles)


@torch.no_grad()
def logits_of(model: Reader, pairs: Sequence[Pair]) -> Tensor:
    """Logits (pairs, 3), in order."""
    model.eval()
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at].ids))
    found = torch.zeros(len(pairs), 3)
    for start in range(0, len(order), 24):
        places = order[start : start + 24]
        ids, segments, _ = tensors([pairs[at] for at in places])
        with torch.autocast("cpu", torch.bfloat16):
            found[places] = verdicts(model, ids, segments)
    model.train()
    return found


def figures(logits: Tensor, held: Sequence[dict]) -> dict[str, float]:
    """What the checker reaches on the held rows.

    On the written claims over passages that nothing was trained on: AUROC of support in all, for each genre and for
    paraphrases against falsehoods; at the threshold that 3 % of the false claims pass, the share supported of true
    claims, of paraphrases, and of true claims beside a passage that lacks them; how often "contradicts" is right,
    and the share of contradicted claims found at a precision of .9. Then the AUROC of each other part.
    """
    odds = support_odds(logits).tolist()
    parts: dict[str, list[int]] = {}
    for at, row in enumerate(held):
        parts.setdefault(f"{row['source']} {row.get('held', '')}".strip(), []).append(at)
    written = parts.pop("written passage", [])
    false = [at for at in written if held[at]["label"] != "supports"]
    true = [at for at in written if held[at]["label"] == "supports"]
    free = [at for at in true if held[at]["overlap"] <= PARAPHRASE]
    said = {"auroc": _auroc(odds, held, written), "auroc paraphrases": _auroc(odds, held, [*free, *false])}
    for genre in sorted({held[at]["genre"] for at in written}):
        places = [at for at in written if held[at]["genre"] == genre]
        said[f"auroc {genre.partition(',')[0]}"] = _auroc(odds, held, places)
    if false:
        bar = sorted((odds[at] for at in false), reverse=True)[int(PASSED * len(false))]
        said |= {"threshold": bar, "true supported": _above(odds, true, bar)}
        said |= {"paraphrases supported": _above(odds, free, bar)}
        said["elsewhere supported"] = _above(odds, parts.pop("elsewhere passage", []), bar)
        said |= contradictions(logits[written], [held[at]["label"] == "contradicts" for at in written])
    parts = {name: places for name, places in parts.items() if not name.startswith("elsewhere")}
    return said | {f"auroc {name}": _auroc(odds, held, places) for name, places in parts.items()}


def contradictions(logits: Tensor, labels: Sequence[bool]) -> dict[str, float]:
    """How often the likeliest label "contradicts" is right, and the most that is found at a precision of .9."""
    called = (logits.argmax(-1) == CONTRADICTS).tolist()
    right = sum(label for label, call in zip(labels, called, strict=True) if call)
    scores = logits.softmax(-1)[:, CONTRADICTS].tolist()
    hits = most = 0
    for many, (_, label) in enumerate(sorted(zip(scores, labels, strict=True), reverse=True), start=1):
        hits += label
        if hits >= PRECISION * many:
            most = hits
    return {"contradicts right": right / max(1, sum(called)), "contradicted found": most / max(1, sum(labels))}


def _auroc(odds: Sequence[float], held: Sequence[dict], places: Sequence[int]) -> float:
    return auroc([odds[at] for at in places], [int(held[at]["label"] == "supports") for at in places])


def _above(odds: Sequence[float], places: Sequence[int], bar: float) -> float:
    return sum(odds[at] > bar for at in places) / max(1, len(places))


def begun(path: Path | None, wheel: dict) -> Reader:
    """The network of a checkpoint or of weights, else the sentence encoder's under heads that know nothing yet."""
    if path is None:
        return Reader.from_weights(wheel)
    if path.suffix == ".safetensors":
        return Reader.from_weights(load_file(path))
    model = Reader.from_weights(wheel)
    model.load_state_dict(torch.load(path, weights_only=True)["model"])
    return model


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", type=Path, nargs="+")
    for name in ("held", "wheel", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--start", type=Path, default=None)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most", type=int, default=None)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(asked.seed)
    torch.set_num_threads(asked.threads)
    weights, text = read_wheel(asked.wheel)
    tokenizer = Tokenizer.from_str(without_fixed_length(text))
    draw = random.Random(asked.seed)
    rows = [row for path in asked.examples for row in rows_of(path)]
    draw.shuffle(rows)
    groups = grouped(pairs_of(tokenizer, rows[: asked.most]))
    dealt = (draw.sample(groups, len(groups)) for _ in range(asked.passes))
    order = [batch for some in dealt for batch in batches(some, TOKENS_A_STEP, draw)]
    held = draw.sample(found := rows_of(asked.held), min(asked.most or len(found), len(found)))
    pairs = pairs_of(tokenizer, held)
    model = begun(asked.start, weights)
    # Word vectors stay as they were: most words stand in few examples. Spans are the reader's alone.
    for part in (model.words, model.span):
        part.requires_grad_(False)

    def watch(whole: bool) -> dict[str, float]:
        most = None if whole else WATCHED
        return figures(logits_of(model, pairs[:most]), held[:most])

    train(model, order, partial(batch_loss, model), watch, asked)
    save_file({name: value.copy() for name, value in model.to_weights().items()}, asked.out / "weights.safetensors")


if __name__ == "__main__":
    main()
