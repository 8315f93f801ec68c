"""What pack.py wrote, as it is read where a network runs: draws of the examples, batches, tensors."""

from __future__ import annotations

import io
import json
import random
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

READS, CHECKS = 0, 1
NONE, NO_ANSWER = -1, -2
MOST_TOKENS, WIDTH_STEP, POOL = 320, 32, 16_384
# How often a passage comes without its title.
UNTITLED = 0.35
CLASS, SEPARATOR = 101, 102


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

        def put(array: np.ndarray) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        self.tokens = put(
            np.concatenate([data.question_tokens, data.title_tokens, data.passage_tokens]).astype(np.int32)
        )
        after_questions = len(data.question_tokens)
        after_titles = after_questions + len(data.title_tokens)
        self.draws = []
        for each in draws:
            offset = np.concatenate([[0], np.cumsum(each.length)])
            begins = {"title": after_questions, "passage": after_titles}
            self.draws.append(
                {
                    name: put((getattr(each, name) + begins.get(name, 0)).astype(np.int64))
                    for name in each.__dataclass_fields__
                }
                | {"offset": put(offset.astype(np.int64))}
            )
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
        asked, titled, told = (
            of[name][at][:, None] for name in ("question_length", "title_length", "passage_length")
        )
        second = asked + 2
        third = second + titled
        last = third + told
        index = torch.where(
            place < second, of["question"][at][:, None] + place - 1, of["title"][at][:, None] + place - second
        )
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
