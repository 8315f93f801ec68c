"""Contradictions on ramdocs, and false alarms where the passages do not disagree.

.venv/bin/python benchmarks/contradictions/run.py            # the numbers; half a minute
.venv/bin/python benchmarks/contradictions/run.py --rows     # each row of ramdocs with its readings too
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import assay_models

from assay.judging.contradictions import confirmed, contradictions, read_contradictions
from assay.models.checker import OnnxChecker
from assay.models.reader import OnnxReader
from assay.nlp.dates import dates
from assay.types import Contradiction, Evidence, Hit, Passage, Sentence
from assay.understanding.rules import understand_by_rules
from assay.writing.extractive import ExtractiveWriter
from report import data_folder, write_result

# Sets of which sufficient rows hold one answer; they are false alarms where they are flagged.
ALARMS = ("rgb-en", "hotpot100", "musique100", "rgb-en-fact")
CHECKER = OnnxChecker.load(assay_models.folder("minilm-l6-checker-int8"))
READER = OnnxReader.load(assay_models.folder("minilm-l6-reader-int8"))
_UNTOLD = frozenset("the a an people inhabitants persons".split())


@dataclass(frozen=True, slots=True)
class Row:
    """One question: the answers its passages are labelled with, the right and the wrong ones, what was found.

    `quoted` is the answer of quoted sentences, `alone` the same where nobody handed the contradiction over.
    """

    question: str
    given: frozenset[str]
    gold: tuple[str, ...]
    wrong: tuple[str, ...]
    readings: tuple[str, ...]
    quoted: str
    alone: str

    @property
    def conflicting(self) -> bool:
        """Whether two passages are labelled with different answers."""
        return len(self.given) > 1

    @property
    def found(self) -> list[bool]:
        """For each right answer whether a reading says it."""
        return [any(says(value, answer) for value in self.readings) for answer in self.gold]

    @property
    def misled(self) -> bool:
        """Whether the readings hold a wrong answer and no right one."""
        return bool(self.readings) and not any(self.found) and bool(self.hits(self.wrong))

    def misquoted(self, text: str) -> bool:
        """Whether an answer holds a wrong answer and no right one."""
        wrong, right = (any(says_in(text, each) for each in answers) for answers in (self.wrong, self.gold))
        return wrong and not right

    def hits(self, answers: Sequence[str]) -> int:
        """How many readings say one of the answers."""
        return sum(any(says(value, answer) for answer in answers) for value in self.readings)


def plain(text: str) -> str:
    """The text's words without case, accents, articles and grouping commas."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return " ".join(word for word in re.findall(r"\w+", re.sub(r"(?<=\d),(?=\d)", "", bare)) if word not in _UNTOLD)


def says(value: str, answer: str) -> bool:
    """Whether a reading says an answer: one holds the other, or their dates fit."""
    one, other = plain(value), plain(answer)
    if one and other and (f" {one} " in f" {other} " or f" {other} " in f" {one} "):
        return True
    short, long = sorted((one.replace(" ", ""), other.replace(" ", "")), key=len)
    if len(short) > 3 and short in long:
        return True
    first, second = dates(value), dates(answer)
    return bool(first and second) and _fit(first[0], second[0])


def says_in(text: str, answer: str) -> bool:
    """Whether a text holds the words of an answer."""
    return bool(plain(answer)) and f" {plain(answer)} " in f" {plain(text)} "


def _fit(one: Any, other: Any) -> bool:
    if one.year != other.year:
        return False
    return None in (one.month, other.month) or (one.month, one.day) == (other.month, other.day)


def evidence(row: dict[str, Any]) -> Evidence:
    """The row's passages, without titles."""
    passages = (Passage(each["id"], each["id"], "", 0, len(each["text"]), each["text"]) for each in row["passages"])
    return Evidence(tuple(Hit(passage, 0.0) for passage in passages))


def quoted(query: str, found: Evidence) -> str:
    """The answer that is quoted from the evidence."""

    async def gather() -> str:
        parts = [part async for part in ExtractiveWriter().write(understand_by_rules(query), found, ())]
        return " ".join(part.text for part in parts if isinstance(part, Sentence))

    return asyncio.run(gather())


def lines(name: str) -> list[dict[str, Any]]:
    """The rows of one file of the development half."""
    return [json.loads(line) for line in (data_folder() / "dev" / name).read_text(encoding="utf-8").splitlines()]


def measured(row: dict[str, Any]) -> tuple[tuple[Contradiction, ...], float]:
    """The contradictions of a row, and the CPU milliseconds they took."""
    question, found = understand_by_rules(row["query"]), evidence(row)
    begun = time.process_time()
    made = contradictions(question, found)
    made = asyncio.run(confirmed(question, found, made, CHECKER, READER))
    made = made or asyncio.run(read_contradictions(question, found, READER, CHECKER))
    return made, (time.process_time() - begun) * 1000


def share(rows: Sequence[bool]) -> float:
    """The share of rows for which something holds."""
    return round(sum(rows) / len(rows), 4)


def main() -> None:
    """Measure and write."""
    rows, spent = [], []
    for row in lines("ramdocs/conflict.jsonl"):
        made, took = measured(row)
        spent.append(took)
        answers = (each["answer"] for each in row["passages"])
        found = evidence(row)
        rows.append(
            Row(
                question=row["query"],
                given=frozenset(plain(answer) for answer in answers if answer not in ("unknown", "")),
                gold=tuple(row["gold"]),
                wrong=tuple(dict.fromkeys(row["wrong"])),
                readings=tuple(reading.value for each in made for reading in each.readings),
                quoted=quoted(row["query"], replace(found, contradictions=made)),
                alone=quoted(row["query"], found),
            )
        )
    if "--rows" in sys.argv:
        for each in rows:
            print(each.question, "|", each.gold, "|", each.wrong, "->", each.readings)
    conflicting = [each for each in rows if each.conflicting]
    flagged = [each for each in conflicting if each.readings]
    single = [each for each in rows if not each.conflicting]
    lone = [each for each in rows if len({plain(answer) for answer in (*each.gold, *each.wrong)}) == 1]
    values = sum(len(each.readings) for each in flagged)
    misinformed = [each for each in conflicting if each.wrong]
    alarms = {}
    for name in ALARMS:
        found = [bool(measured(row)[0]) for row in lines(f"{name}/evidence.jsonl") if row["sufficient"]]
        alarms[name] = {"rows": len(found), "flagged": round(sum(found) / len(found), 4)}
    write_result(
        "contradictions",
        "ramdocs",
        {
            "conflicting rows": len(conflicting),
            "flagged": round(len(flagged) / len(conflicting), 4),
            "all right answers among the readings": round(
                sum(all(each.found) for each in flagged) / len(conflicting), 4
            ),
            "reading precision": round(sum(each.hits((*each.gold, *each.wrong)) for each in flagged) / values, 4),
            "readings that say a right answer": round(sum(each.hits(each.gold) for each in flagged) / values, 4),
            "rows with misinformation": len(misinformed),
            "misinformation among the readings": round(
                sum(bool(each.hits(each.wrong)) for each in misinformed) / len(misinformed), 4
            ),
            "misinformation without a right answer": round(
                sum(each.misled for each in misinformed) / len(misinformed), 4
            ),
            "quoted answers with misinformation alone": {
                "per reading": share([each.misquoted(each.quoted) for each in misinformed]),
                "one answer": share([each.misquoted(each.alone) for each in misinformed]),
            },
            "rows whose passages give one answer": {
                "rows": len(single),
                "flagged": round(sum(bool(each.readings) for each in single) / len(single), 4),
            },
            "rows with one answer and no wrong one": {
                "rows": len(lone),
                "flagged": round(sum(bool(each.readings) for each in lone) / len(lone), 4),
            },
            "sufficient rows of": alarms,
            "cpu ms": {
                "mean": round(float(np.mean(spent)), 2),
                "p95": round(float(np.percentile(spent, 95)), 2),
            },
        },
    )


if __name__ == "__main__":
    main()
