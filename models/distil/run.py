"""Train a teacher and, with what it says, a reader and a checker, on a machine with a GPU.

    python run.py teacher PACKED.tar.xz KEPT --start MPNET.safetensors … --seconds S
    python run.py reader PACKED.tar.xz KEPT --start READER.safetensors … --seconds S --out OUT
    python run.py checker PACKED.tar.xz KEPT --start CHECKER.safetensors … --seconds S --out OUT

PACKED is what pack.py wrote. The teacher learns both tasks at once and leaves in KEPT what it says of each example;
the other two learn from the labels and from that (Hinton and others 2015, arXiv 1503.02531). Word vectors stay as
they were.
Rates follow the share of the time that is over, so that each run ends at a rate near zero when it must.
OUT gets NAME.N.safetensors, the weights but for the words in float16, in files below 15 MiB.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "export"), str(HERE.parent / "reader"), str(HERE)]
from figures import figures, read
from losses import checker_loss, checker_soft_loss, reader_loss, reader_soft_loss
from network import Reader
from packed import CHECKS, READS, Device, Packed, batches, drawn
from shrink import read as read_weights
from teacher import Teacher
from training import rate

KINDS = {"teacher": (READS, CHECKS), "reader": (READS,), "checker": (CHECKS,)}
RATES = {"teacher": 5e-5, "reader": 2e-4, "checker": 1.2e-4}
TOKENS = {"teacher": 49_152, "reader": 24_576, "checker": 24_576}
DECAY = 0.01
# What the labels weigh beside what the teacher says.
LABELS_WEIGHT = 0.5
MOST_BYTES = 14 * 2**20


class Optimiser:
    """AdamW over float32 copies of weights in bfloat16."""

    def __init__(self, model: nn.Module, highest: float) -> None:
        self.own = [each for each in model.parameters() if each.requires_grad]
        self.exact = [each.detach().float().clone() for each in self.own]
        self.highest = highest
        fused = self.exact[0].is_cuda
        self.adam = torch.optim.AdamW(self.exact, lr=highest, weight_decay=DECAY, fused=fused)

    @torch.no_grad()
    def step(self, share: float) -> None:
        """One step at this share of the run."""
        for group in self.adam.param_groups:
            group["lr"] = self.highest * rate(share)
        for exact, own in zip(self.exact, self.own, strict=True):
            exact.grad = torch.zeros_like(exact) if own.grad is None else own.grad.float()
            own.grad = None
        torch.nn.utils.clip_grad_norm_(self.exact, 1.0)
        self.adam.step()
        torch._foreach_copy_(self.own, self.exact)


def learn(
    model: nn.Module,
    steps: Sequence[np.ndarray],
    loss_of: Callable[[np.ndarray], Tensor],
    highest: float,
    seconds: float,
) -> Optimiser:
    """Go through the steps until the time is over, again from the first where they end before."""
    optimiser = Optimiser(model, highest)
    model.train()
    started, step = time.monotonic(), 0
    losses: list[Tensor] = []
    while (passed := time.monotonic() - started) < seconds:
        loss = loss_of(steps[step % len(steps)])
        loss.backward()
        optimiser.step(passed / seconds)
        losses.append(loss.detach())
        step += 1
        if step % 100 == 0:
            tell(step=step, of=len(steps), seconds=round(passed), loss=round(torch.stack(losses).mean().item(), 4))
            losses = []
    tell(step=step, of=len(steps))
    return optimiser


def tell(**what: object) -> None:
    """One line of the log."""
    print(json.dumps(what), flush=True)


class Lesson:
    """What is learnt from: labels, and for a student what the teacher said of the same draw of the examples."""

    def __init__(self, what: str, device: Device, kept: Path) -> None:
        self.what, self.device = what, device
        self.said: dict[str, Tensor] = {}
        if what != "teacher":
            self.said = torch.load(kept / "said.pt", weights_only=True, map_location=device.device)

    def loss(self, model: nn.Module, rows: np.ndarray) -> Tensor:
        """The loss of one batch."""
        of = self.device.batch(0, rows)
        if self.what == "teacher":
            return both_losses(*model(of["ids"], of["segments"]), of)
        spans, pair = model(of["ids"], of["segments"])
        if self.what == "checker":
            soft = checker_soft_loss(pair[:, 1:], self.said["claims"][of["rows"]])
            return LABELS_WEIGHT * checker_loss(pair[:, 1:], of) + soft
        place = torch.arange(spans.shape[1], device=spans.device)[None, :]
        index = (of["offset"][:, None] + place).clamp(max=len(self.said["spans"]) - 1)
        inside = (place < of["length"][:, None])[:, :, None]
        taught = torch.where(inside, self.said["spans"][index].float(), -1e4).clamp(min=-1e4)
        soft = reader_soft_loss(spans, pair, of, {"spans": taught, "pair": self.said["pairs"][of["rows"]]})
        return LABELS_WEIGHT * reader_loss(spans, pair, of) + soft


def both_losses(spans: Tensor, pair: Tensor, claims: Tensor, of: dict[str, Tensor]) -> Tensor:
    """The teacher's loss: that of each task by its share of the batch."""
    reads = of["kind"] == READS
    share = reads.float().mean()
    total = pair.sum() * 0
    if reads.any():
        total = total + share * reader_loss(spans[reads], pair[reads], part_of(of, reads))
    if not reads.all():
        total = total + (1 - share) * checker_loss(claims[~reads], part_of(of, ~reads))
    return total


def part_of(of: dict[str, Tensor], some: Tensor) -> dict[str, Tensor]:
    """The pairs of one kind."""
    return {name: value[some] for name, value in of.items()}


def network(what: str, start: Sequence[Path]) -> nn.Module:
    """The network with the weights it starts from; those that stay as they are want no gradient."""
    weights = read_weights(start)
    if what == "teacher":
        model: nn.Module = Teacher(len(weights["embeddings.word_embeddings.weight"]))
        model.start_from(weights)
        frozen = (model.words, model.distances)
    else:
        model = Reader.from_weights({name: value.numpy() for name, value in weights.items()})
        frozen = (model.words,) if what == "reader" else (model.words, model.span)
    for part in frozen:
        part.requires_grad_(False)
    return model


def write_parts(state: dict[str, Tensor], out: Path, name: str) -> None:
    """Files below the size that is brought back."""
    parts: list[dict[str, Tensor]] = [{}]
    size = 0
    for key, value in state.items():
        if size + value.numel() * 2 > MOST_BYTES:
            parts.append({})
            size = 0
        parts[-1][key] = value.contiguous()
        size += value.numel() * 2
    for number, part in enumerate(parts):
        save_file(part, out / f"{name}.{number}.safetensors")


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=tuple(KINDS))
    for name in ("packed", "kept"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--start", type=Path, nargs="+", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--name")
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--most", type=int)
    asked = parser.parse_args()
    asked.kept.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(asked.seed)
    data = Packed(asked.packed)
    draws = [drawn(data, 1), drawn(data, None)]
    kinds = KINDS[asked.what]
    rows = np.where((data.held == 0) & np.isin(data.kind, kinds))[0]
    if asked.most:
        rows = np.random.default_rng(0).permutation(rows)[: asked.most]
    tokens = TOKENS[asked.what]
    steps = [
        batch
        for number in range(asked.passes)
        for batch in batches(data, draws[0], rows, tokens, asked.seed + number)
    ]
    device = Device(data, draws, asked.device)
    model = network(asked.what, asked.start).to(asked.device, torch.bfloat16)
    lesson = Lesson(asked.what, device, asked.kept)
    tell(run=asked.name or asked.what, rows=len(rows), tokens=int(draws[0].length[rows].sum()))
    highest = asked.rate or RATES[asked.what]
    optimiser = learn(model, steps, partial(lesson.loss, model), highest, asked.seconds)
    if asked.what == "teacher":
        torch.save(model.state_dict(), asked.kept / "teacher.pt")
        spans, pairs, claims = read(model, device, 0, rows, spans=True)
        torch.save({"spans": spans, "pairs": pairs, "claims": claims}, asked.kept / "said.pt")
    if asked.out:
        asked.out.mkdir(parents=True, exist_ok=True)
        named = [name for name, each in model.named_parameters() if each.requires_grad]
        state = {name: exact.half().cpu() for name, exact in zip(named, optimiser.exact, strict=True)}
        write_parts(state, asked.out, asked.name or asked.what)
    tell(reached=figures(model, device, data, kinds))


if __name__ == "__main__":
    main()
