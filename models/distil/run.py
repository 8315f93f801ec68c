"""Train a teacher and, with what it says, a reader and a checker, on a machine with a GPU.

    python run.py teacher PACKED.tar.xz KEPT --start MPNET.safetensors … --seconds S
    python run.py reader PACKED.tar.xz KEPT --start READER.safetensors … --seconds S --out OUT
    python run.py checker PACKED.tar.xz KEPT --start CHECKER.safetensors … --seconds S --out OUT

PACKED is what pack.py wrote. The teacher learns both tasks at once and leaves in KEPT what it says of each example; the
other two learn from the labels and from that (Hinton and others 2015, arXiv 1503.02531). Word vectors stay as they were.
Rates follow the share of the time that is over, so that each run ends at a rate near zero when it must.
OUT gets NAME.N.safetensors, the weights but for the words in float16, in files below 15 MiB.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "export"), str(HERE.parent / "reader"), str(HERE)]
from network import Reader
from shrink import read as read_weights
from teacher import Teacher
from training import rate

READS, CHECKS = 0, 1
NONE, NO_ANSWER = -1, -2
SUPPORTS, UNSUPPORTED = 0, 3
MOST_TOKENS, WIDTH_STEP, POOL = 320, 32, 16_384
UNTITLED = 0.35
DRAWS = 2
TEACHER_TOKENS, STUDENT_TOKENS, READ_TOKENS = 49_152, 24_576, 131_072
TEACHER_RATE, DECAY, SMOOTHING, LIST_WEIGHT, YES_NO_WEIGHT = 5e-5, 0.01, 0.02, 1.0, 0.7
# What the labels weigh beside what the teacher says.
LABELS_WEIGHT = 0.5
MOST_BYTES = 14 * 2**20
HELD_GROUPS = 2500


class Packed:
    """The arrays that pack.py wrote."""

    def __init__(self, path: Path) -> None:
        arrays: dict[str, np.ndarray] = {}
        with tarfile.open(path) as packed:
            for entry in packed:
                content = packed.extractfile(entry).read()
                if entry.name == "sources.json":
                    self.sources = json.loads(content)
                else:
                    arrays[entry.name.removesuffix(".npy")] = np.load(io.BytesIO(content))
        table, self.spans = arrays["table"].copy(), arrays["spans"].astype(np.int64)
        self.kind, self.label, self.group = table[:, 0], table[:, 8], table[:, 9]
        self.ways, self.title, self.passage = table[:, 1:4], table[:, 4], table[:, 5]
        self.answerable, self.yes_no = table[:, 6], table[:, 7]
        self.source, self.held, self.overlap = table[:, 10], table[:, 11], table[:, 12] / 1000
        # Claims stand behind the questions in one list.
        many = len(arrays["questions_starts"]) - 1
        self.ways = self.ways + many * (self.kind == CHECKS)[:, None]
        self.question_tokens = np.concatenate([arrays["questions_tokens"], arrays["claims_tokens"]])
        self.question_starts = np.concatenate(
            [arrays["questions_starts"], arrays["claims_starts"][1:] + arrays["questions_starts"][-1]]
        )
        self.title_tokens, self.title_starts = arrays["titles_tokens"], arrays["titles_starts"]
        self.passage_tokens, self.passage_starts = arrays["passages_tokens"], arrays["passages_starts"]


@dataclass
class Draw:
    """One way of reading every example: how its question is typed, whether its title is there, where it is cut.

    Arrays over the examples: first token and length of question, title and passage as read, the span's places
    (NONE for unknown), and the length of all.
    """

    question: np.ndarray
    question_length: np.ndarray
    title: np.ndarray
    title_length: np.ndarray
    passage: np.ndarray
    passage_length: np.ndarray
    start: np.ndarray
    end: np.ndarray
    length: np.ndarray


def drawn(data: Packed, seed: int | None) -> Draw:
    """A draw; without a seed the plain one."""
    many = len(data.kind)
    draw = np.random.default_rng(seed or 0)
    way = np.zeros(many, np.int64)
    titled = data.kind == READS
    if seed is not None:
        of_group = draw.integers(0, data.ways.shape[1], data.group.max() + 2)
        way = np.where(data.group >= 0, of_group[data.group], draw.integers(0, data.ways.shape[1], many))
        titled &= draw.random(many) >= UNTITLED
    number = data.ways[np.arange(many), way]
    question, asked = data.question_starts[number], np.diff(data.question_starts)[number]
    title, titles = data.title_starts[data.title], np.where(titled, np.diff(data.title_starts)[data.title], 0)
    passage, told = data.passage_starts[data.passage], np.diff(data.passage_starts)[data.passage]
    room = MOST_TOKENS - 3 - asked
    start, end = data.spans[:, 0].copy(), data.spans[:, 1].copy()
    known = start >= 0
    # A long passage is cut around its answer; the title goes with what is cut.
    begin, finish = start + titles, end + titles
    spare = (draw.random(many) * (room // 3)).astype(np.int64) if seed is not None else room // 6
    skip = np.where(known & (finish >= room), np.maximum(0, np.minimum(begin - 10, finish - room + 1 + spare)), 0)
    finish = np.minimum(finish, skip + room - 1)
    in_title = np.minimum(skip, titles)
    title, titles = title + in_title, titles - in_title
    passage, told = passage + (skip - in_title), told - (skip - in_title)
    titles = np.minimum(titles, room)
    told = np.minimum(told, room - titles)
    first = asked + 2 - skip
    start = np.where(known, begin + first, np.where(start == NO_ANSWER, 0, NONE))
    end = np.where(known, finish + first, np.where(end == NO_ANSWER, 0, NONE))
    return Draw(question, asked, title, titles, passage, told, start, end, asked + titles + told + 3)


def batches(data: Packed, draw: Draw, rows: np.ndarray, tokens: int, seed: int) -> list[np.ndarray]:
    """Batches of about so many tokens, alike in length, in a drawn order; a group stays together."""
    shuffled = random.Random(seed)
    groups: dict[int, list[int]] = {}
    for row in rows.tolist():
        groups.setdefault(int(data.group[row]) if data.group[row] >= 0 else -row - 1, []).append(row)
    order = list(groups.values())
    shuffled.shuffle(order)
    made: list[list[int]] = []
    for first in range(0, len(order), POOL):
        pool: list[list[int]] = []
        for group in sorted(order[first : first + POOL], key=lambda group: draw.length[group].max()):
            width = rounded(int(draw.length[group].max()))
            if pool and (len(pool[-1]) + len(group)) * width <= tokens:
                pool[-1] += group
            else:
                pool.append(list(group))
        made += pool
    shuffled.shuffle(made)
    return [np.array(batch) for batch in made]


def rounded(tokens: int) -> int:
    """The width of a batch whose longest example has so many tokens."""
    return -(-tokens // WIDTH_STEP) * WIDTH_STEP


class Device:
    """The examples where the network runs."""

    def __init__(self, data: Packed, draws: list[Draw], device: str) -> None:
        self.device = device
        put = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(device)  # noqa: E731
        self.tokens = put(
            np.concatenate([data.question_tokens, data.title_tokens, data.passage_tokens]).astype(np.int32)
        )
        after_questions = len(data.question_tokens)
        after_titles = after_questions + len(data.title_tokens)
        self.draws = []
        for each in draws:
            offset = np.concatenate([[0], np.cumsum(each.length)])
            self.draws.append({
                "question": put(each.question.astype(np.int64)), "question_length": put(each.question_length.astype(np.int64)),
                "title": put(each.title.astype(np.int64) + after_questions), "title_length": put(each.title_length.astype(np.int64)),
                "passage": put(each.passage.astype(np.int64) + after_titles), "passage_length": put(each.passage_length.astype(np.int64)),
                "start": put(each.start.astype(np.int64)), "end": put(each.end.astype(np.int64)),
                "length": put(each.length.astype(np.int64)), "offset": put(offset.astype(np.int64)),
            })  # fmt: skip
        self.of = {
            name: put(getattr(data, name).astype(np.int64))
            for name in ("kind", "label", "group", "answerable", "yes_no")
        }
        self.lengths = [each.length for each in draws]

    def batch(self, draw: int, rows: np.ndarray) -> dict[str, Tensor]:
        """ids and segments (pairs, width), and what is known of each pair."""
        of = self.draws[draw]
        at = torch.from_numpy(rows).to(self.device)
        width = rounded(int(self.lengths[draw][rows].max()))
        place = torch.arange(width, device=self.device)[None, :]
        asked, titled, told = (of[name][at][:, None] for name in ("question_length", "title_length", "passage_length"))
        second = asked + 2
        third = second + titled
        last = third + told
        index = torch.where(place < second, of["question"][at][:, None] + place - 1, of["title"][at][:, None] + place - second)
        index = torch.where(place >= third, of["passage"][at][:, None] + place - third, index)
        ids = self.tokens[index.clamp(0, len(self.tokens) - 1)].long()
        ids = torch.where((place == asked + 1) | (place == last), 102, ids)
        ids = torch.where(place == 0, 101, ids)
        ids = torch.where(place > last, 0, ids)
        segments = ((place >= second) & (place <= last)).long()
        known = {name: values[at] for name, values in self.of.items()}
        return known | {
            "ids": ids, "segments": segments, "start": of["start"][at], "end": of["end"][at],
            "rows": at, "offset": of["offset"][at], "length": of["length"][at],
        }  # fmt: skip


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
    """How far the reader stands from what the teacher says of spans, of answerability, within groups, of yes and no."""
    total = pair.sum() * 0
    for place in (0, 1):
        told = said["spans"][:, :, place].log_softmax(-1)
        total = total + functional.kl_div(spans[:, :, place].log_softmax(-1), told, log_target=True, reduction="batchmean") / 2
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


def learn(model: nn.Module, steps: list[tuple[int, np.ndarray]], loss_of, highest: float, seconds: float, log) -> Optimiser:
    """Go through the steps, again where they end before the time does."""
    optimiser = Optimiser(model, highest)
    model.train()
    started, step, lost = time.monotonic(), 0, []
    while (passed := time.monotonic() - started) < seconds:
        optimiser_share = passed / seconds
        draw, rows = steps[step % len(steps)]
        loss = loss_of(draw, rows)
        loss.backward()
        optimiser.step(optimiser_share)
        lost.append(loss.detach())
        step += 1
        if step % 100 == 0:
            mean = torch.stack(lost).mean().item()
            lost = []
            print(json.dumps({"run": log, "step": step, "of": len(steps), "seconds": round(passed, 1), "loss": round(mean, 4)}), flush=True)
            if mean != mean:
                raise SystemExit("the loss is no number")
    print(json.dumps({"run": log, "steps": step, "passes": round(step / len(steps), 2)}), flush=True)
    return optimiser


@torch.no_grad()
def read(model: nn.Module, device: Device, data: Packed, draw: int, rows: np.ndarray, spans: bool, checks: bool):
    """Span logits of the tokens of all rows in one row of tokens (float16), and the pairs' logits, (examples, n)."""
    model.eval()
    length = device.lengths[draw]
    told = torch.zeros(int(length.sum()), 2, dtype=torch.float16, device=device.device) if spans else None
    pairs = torch.zeros(len(length), 4, device=device.device)
    claims = torch.zeros(len(length), 3, device=device.device)
    order = rows[np.argsort(length[rows], kind="stable")]
    at = 0
    while at < len(order):
        size = max(1, READ_TOKENS // rounded(int(length[order[at : at + 1024]].max())))
        some = order[at : at + size]
        at += size
        of = device.batch(draw, some)
        made = model(of["ids"], of["segments"])
        pairs[of["rows"]] = made[1]
        if checks:
            claims[of["rows"]] = made[2] if len(made) == 3 else made[1][:, 1:]
        if spans:
            place = torch.arange(of["ids"].shape[1], device=device.device)[None, :]
            inside = place < of["length"][:, None]
            told[(of["offset"][:, None] + place)[inside]] = made[0][inside].clamp(min=-6e4).half()
    model.train()
    return told, pairs, claims


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """The chance that a positive scores above a negative."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positive = labels.sum()
    negative = len(labels) - positive
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / max(1, positive * negative))


def figures(model: nn.Module, device: Device, data: Packed, kinds: tuple[int, ...]) -> dict[str, float]:
    """What the network reaches on held-out examples, read plainly (the last draw)."""
    plain = len(device.draws) - 1
    held = data.held == 1
    said: dict[str, float] = {}
    names = np.array(data.sources)[data.source]
    if READS in kinds:
        asked = held & (data.kind == READS)
        groups = np.unique(data.group[asked & (data.group >= 0)])
        kept = np.random.default_rng(0).permutation(groups)[:HELD_GROUPS]
        rows = np.where(asked & ((data.group < 0) | np.isin(data.group, kept)))[0]
        spans, pairs, _ = read(model, device, data, plain, rows, True, False)
        odds = pairs[:, 0].cpu().numpy()
        for part in ("squad2_dev", "written", "asked"):
            some = rows[np.char.startswith(names[rows], part) & (data.answerable[rows] >= 0)]
            if len(some):
                said[f"auroc {part}"] = auroc(odds[some], data.answerable[some] == 1)
        first = right = 0
        for group in kept:
            members = rows[data.group[rows] == group]
            if (data.answerable[members] == 1).any() and (data.answerable[members] == 0).any():
                first += 1
                right += int(data.answerable[members[odds[members].argmax()]] == 1)
        said["first of group"] = right / max(1, first)
        offset, flat = device.draws[plain]["offset"].cpu().numpy(), spans.float().cpu().numpy()
        lengths, start, end = (device.lengths[plain], device.draws[plain]["start"].cpu().numpy(), device.draws[plain]["end"].cpu().numpy())
        for part in ("squad2_dev", "written", "asked"):
            some = rows[np.char.startswith(names[rows], part) & (start[rows] > 0)][:3000]
            hits = overlaps = 0
            for row in some:
                logits = flat[offset[row] : offset[row] + lengths[row]].copy()
                logits[0] = -1e4
                first, last = logits[:, 0].argmax(), logits[:, 1].argmax()
                hits += first == start[row] and last == end[row]
                overlaps += first <= end[row] and last >= start[row]
            if len(some):
                said[f"span exact {part}"], said[f"span touches {part}"] = hits / len(some), overlaps / len(some)
        some = rows[data.yes_no[rows] >= 0]
        said["yes_no"] = float((pairs[some, 1:].argmax(-1).cpu().numpy() == data.yes_no[some]).mean())
    if CHECKS in kinds:
        rows = np.where(held & (data.kind == CHECKS))[0]
        _, _, claims = read(model, device, data, plain, rows, False, True)
        odds = support_odds(claims).cpu().numpy()
        true = data.label == SUPPORTS
        parts = {"written passage": "written passage", "copy": "copy passage", "genre": "written genre"}
        for name, start in parts.items():
            some = rows[np.char.startswith(names[rows], start)]
            if len(some):
                said[f"auroc {name}"] = auroc(odds[some], true[some])
        written = rows[np.char.startswith(names[rows], "written passage")]
        if len(written):
            for part in ("documentation", "public"):
                some = written[np.char.endswith(names[written], part)]
                if len(some):
                    said[f"auroc {part}"] = auroc(odds[some], true[some])
            free = written[~true[written] | (data.overlap[written] <= 0.5)]
            said["auroc paraphrases"] = auroc(odds[free], true[free])
            false = written[~true[written]]
            bar = np.quantile(odds[false], 0.97)
            good = written[true[written]]
            said["true supported at 3 %"] = float((odds[good] > bar).mean())
        for source in ("attributionbench", "expertqa", "fool-me-twice", "infotabs"):
            some = rows[np.char.startswith(names[rows], source)]
            if len(some):
                said[f"auroc {source}"] = auroc(odds[some], true[some])
    return {name: round(value, 4) for name, value in said.items()}


def steps_of(data: Packed, draws: list[Draw], rows: np.ndarray, tokens: int, passes: int, seed: int):
    """Batches of several passes, each over one of the draws in turn."""
    made = []
    for number in range(passes):
        draw = number % DRAWS
        made += [(draw, batch) for batch in batches(data, draws[draw], rows, tokens, seed + number)]
    return made


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("teacher", "reader", "checker"))
    parser.add_argument("packed", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--start", type=Path, nargs="+", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--name", default=None)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--rate", type=float, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--most", type=int, default=None)
    asked = parser.parse_args()
    begun, name = time.monotonic(), asked.name or asked.what
    asked.kept.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(asked.seed)
    data = Packed(asked.packed)
    draws = [drawn(data, seed) for seed in range(1, DRAWS + 1)] + [drawn(data, None)]
    kinds = {"teacher": (READS, CHECKS), "reader": (READS,), "checker": (CHECKS,)}[asked.what]
    rows = np.where((data.held == 0) & np.isin(data.kind, kinds))[0]
    if asked.most:
        rows = np.random.default_rng(0).permutation(rows)[: asked.most]
    tokens = TEACHER_TOKENS if asked.what == "teacher" else STUDENT_TOKENS
    steps = steps_of(data, draws, rows, tokens, asked.passes, asked.seed)
    device = Device(data, draws, asked.device)
    print(json.dumps({"run": name, "ready": round(time.monotonic() - begun, 1), "rows": len(rows), "steps": len(steps), "tokens a pass": int(draws[0].length[rows].sum())}), flush=True)
    start = read_weights(asked.start)
    if asked.what == "teacher":
        model = Teacher(len(start["embeddings.word_embeddings.weight"]))
        model.start_from(start)
        frozen = (model.words, model.distances)
    else:
        model = Reader.from_weights({name: value.numpy() for name, value in start.items()})
        frozen = (model.words,) if asked.what == "reader" else (model.words, model.span)
    for part in frozen:
        part.requires_grad_(False)
    model = model.to(asked.device, torch.bfloat16)
    if asked.what != "teacher":
        said = [torch.load(asked.kept / f"said.{number}.pt", weights_only=True, map_location=asked.device) for number in range(DRAWS)]
        print(json.dumps({"run": name, "before": figures(model, device, data, kinds)}), flush=True)

    def loss_of(draw: int, some: np.ndarray) -> Tensor:
        of = device.batch(draw, some)
        if asked.what == "teacher":
            spans, pair, claims = model(of["ids"], of["segments"])
            reads = of["kind"] == READS
            share = reads.float().mean()
            total = pair.sum() * 0
            if reads.any():
                total = total + share * reader_loss(spans[reads], pair[reads], part_of(of, reads))
            if not reads.all():
                total = total + (1 - share) * checker_loss(claims[~reads], part_of(of, ~reads))
            return total
        spans, pair = model(of["ids"], of["segments"])
        told = said[draw]
        if asked.what == "checker":
            return LABELS_WEIGHT * checker_loss(pair[:, 1:], of) + checker_soft_loss(pair[:, 1:], told["claims"][of["rows"]])
        place = torch.arange(spans.shape[1], device=spans.device)[None, :]
        index = (of["offset"][:, None] + place).clamp(max=len(told["spans"]) - 1)
        inside = (place < of["length"][:, None])[:, :, None]
        taught = torch.where(inside, told["spans"][index].float(), -1e4).clamp(min=-1e4)
        soft = {"spans": taught, "pair": told["pairs"][of["rows"]]}
        return LABELS_WEIGHT * reader_loss(spans, pair, of) + reader_soft_loss(spans, pair, of, soft)

    highest = asked.rate or (TEACHER_RATE if asked.what == "teacher" else 2.5e-4)
    optimiser = learn(model, steps, loss_of, highest, asked.seconds, name)
    if asked.what == "teacher":
        for number in range(DRAWS):
            spans, pairs, claims = read(model, device, data, number, rows, True, True)
            torch.save({"spans": spans, "pairs": pairs, "claims": claims}, asked.kept / f"said.{number}.pt")
        print(json.dumps({"run": "teacher", "said": round(time.monotonic() - begun, 1)}), flush=True)
        torch.save(model.state_dict(), asked.kept / "teacher.pt")
    print(json.dumps({"run": name, "after": figures(model, device, data, kinds), "seconds": round(time.monotonic() - begun, 1)}), flush=True)
    if asked.out:
        asked.out.mkdir(parents=True, exist_ok=True)
        names = [each_name for each_name, each in model.named_parameters() if each.requires_grad]
        state = {each: exact.half().cpu() for each, exact in zip(names, optimiser.exact, strict=True)}
        write_parts(state, asked.out, name)


def part_of(of: dict[str, Tensor], some: Tensor) -> dict[str, Tensor]:
    """The pairs of one kind."""
    return {name: value[some] for name, value in of.items()}


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


if __name__ == "__main__":
    main()
