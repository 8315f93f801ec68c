"""Write training examples from questions asked over whole documents: the passages that a search finds, compared.

    .venv/bin/python models/reader/asked.py SETS OUT [--only NAME …]

SETS is the folder that models/data/asked/get.py and convert.py fill, a folder of documents for each set. Each
question of models/data/asked is searched for as `assay ask` would, in both its wordings; the passage that holds the
answer and up to four others that were found become a group. OUT gets NAME.jsonl.gz for each set, in the form of
examples.py.
Runs in the project's own environment.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.engine import Engine
from assay.nlp.blocks import in_context, titled
from assay.nlp.tokens import terms
from assay.types import Document, Passage
from assay.understanding.rules import understand_by_rules
from assay.wiring import open_engine

DATA = Path(__file__).resolve().parents[1] / "data" / "asked"
QUESTIONS = DATA / "questions.jsonl.gz"
# Whole sets that teach nothing: to choose constants and to fit on.
HELD = frozenset((DATA / "held.txt").read_text().split())
YES, NO = 0, 1
# Passages beside the one that answers; of those for a question that nothing answers.
OTHERS, NEAREST = 4, 3
# An answer as short as this may stand by chance in a passage that does not answer.
LEAST_ANSWER = 10
# How far behind the beginning of its block an answer stands at most, in characters.
FARTHEST = 3_000
# How often two questions about one page are put together, so that each is read as a part.
JOINED = 0.4


def lines(sets: Path) -> Iterator[dict]:
    """The questions, with the words of the answer (`a`) and of the beginning of its block (`b`) from the files."""
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            short = {
                "set": "set",
                "file": "f",
                "kind": "k",
                "question": "q",
                "other": "r",
                "yes_no": "y",
                "missing": "m",
            }
            made = {short[name]: value for name, value in row.items() if name in short}
            if "start" in row:
                text = (sets / row["set"] / row["file"]).read_text(errors="replace")
                first, last = row["block"]
                made |= {"a": text[row["start"] : row["end"]], "b": text[first:last]}
            yield made


def place(text: str, answer: str, block: str) -> tuple[int, int] | None:
    """Where the answer stands in the document: the first place behind the beginning of its block."""
    for begun in _found(text, block):
        for start, end in _found(text, answer):
            if 0 <= start - begun[0] < FARTHEST:
                return start, end
    return next(_found(text, answer), None)


def _found(text: str, part: str) -> Iterator[tuple[int, int]]:
    words = [re.escape(word) for word in part.split()]
    return (match.span() for match in re.finditer(r"\s+".join(words), text)) if words else iter(())


def example(row: dict, wording: str, passage: Passage, group: str | None, span: tuple[int, int] | None) -> dict:
    """One line of the file; the span stands in the passage."""
    read = titled(passage)
    answers = span is not None
    said = {"yes": YES, "no": NO}.get(row.get("y") or "") if answers else None
    start, end = (span[0] - passage.start, span[1] - passage.start) if span else (None, None)
    return {
        "question": wording,
        "title": read.title,
        "passage": read.text,
        "start": start,
        "end": end,
        "answerable": int(answers),
        "yes_no": said,
        "source": f"asked-{row['k']}",
        "group": group,
    }


@dataclass(frozen=True)
class Answered:
    """A line's wording with the passage that answers it, the place in it, and others that were found."""

    row: dict
    wording: str
    group: str
    passage: Passage
    where: tuple[int, int]
    others: tuple[Passage, ...]

    def examples(self, asked: str, mark: str = "") -> Iterator[dict]:
        """The group: the passage that answers what is asked, and the others."""
        yield example(self.row, asked, self.passage, self.group + mark, self.where)
        for each in self.others:
            yield example(self.row, asked, each, self.group + mark, None)


def searched(
    opened: Engine, row: dict, number: int, documents: dict[str, Document], draw: random.Random
) -> list[Answered]:
    """The line's two wordings with what a search finds for them."""
    document = next((each for name, each in documents.items() if name.endswith("/" + row["f"])), None)
    where = place(document.text, row["a"], row["b"]) if document else None
    if document is None or where is None:
        print("no place:", row["f"], row["q"], file=sys.stderr)
        return []
    made = []
    for key in ("q", "r"):
        found = opened.search(row[key]).passages
        holding = [each for each in found if holds(each, document, where)]
        if not holding:
            again = opened.search(f"{row['b']} {row['a']}").passages
            holding = [each for each in again if holds(each, document, where)]
        if not holding:
            continue
        others = [each for each in found if is_other(each, row, document, where)][:6]
        drawn = tuple(sorted(draw.sample(others, min(OTHERS, len(others))), key=others.index))
        made.append(Answered(row, row[key], f"{row['set']}-{number}-{key}", holding[0], where, drawn))
    return made


def is_other(passage: Passage, row: dict, document: Document, where: tuple[int, int]) -> bool:
    """Whether the passage lies off the answer's place and does not say the same."""
    if passage.document_id == document.document_id and passage.start < where[1] and where[0] < passage.end:
        return False
    short = " ".join(row["a"].split()).lower()
    return len(short) < LEAST_ANSWER or short not in " ".join(passage.text.split()).lower()


def halved(of: Answered) -> Iterator[dict]:
    """The parts of a question of which the documents answer one, each read as a part of the whole."""
    parts = understand_by_rules(of.wording).aspects
    if len(parts) != 2:
        return
    missing = set(terms(of.row["m"]))
    shares = [len(missing & set(terms(part))) / max(1, len(set(terms(part)))) for part in parts]
    if shares[0] == shares[1]:
        return
    lacking = parts[shares[1] > shares[0]]
    (answered,) = (part for part in parts if part != lacking)
    yield from of.examples(in_context(answered, of.wording), "-part")
    for passage in (of.passage, *of.others[:1]):
        yield example(of.row, in_context(lacking, of.wording), passage, None, None)


def joined(one: Answered, other: Answered, draw: random.Random) -> Iterator[dict]:
    """Two questions put together, each read as a part: a passage that answers the one need not answer the other."""
    second = other.wording.rstrip("?. ")
    second = second if second[:2].isupper() else second[0].lower() + second[1:]
    whole = f"{one.wording.rstrip('?. ')}{draw.choice((' and ', ', and ', '; ', ', plus ', '? And '))}{second}?"
    for part, of, apart in ((one.wording.rstrip("?. "), one, other), (second, other, one)):
        asked = in_context(part, whole)
        yield example(of.row, asked, of.passage, of.group + "-joined", of.where)
        held = apart.passage
        if held.passage_id != of.passage.passage_id and " ".join(of.row["a"].split()) not in " ".join(
            held.text.split()
        ):
            yield example(of.row, asked, held, of.group + "-joined", None)


def examples(
    opened: Engine, rows: list[dict], documents: dict[str, Document], draw: random.Random
) -> Iterator[dict]:
    """All that the lines of one set teach."""
    by_page: defaultdict[str, list[Answered]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row["k"] == "none":
            for wording in (row["q"], row["r"]):
                for passage in opened.search(wording).passages[:NEAREST]:
                    yield example(row, wording, passage, None, None)
            continue
        for each in searched(opened, row, number, documents, draw):
            yield from each.examples(each.wording)
            if row["k"] == "half":
                yield from halved(each)
            else:
                by_page[row["f"]].append(each)
    for some in by_page.values():
        draw.shuffle(some)
        for one, other in zip(some[::2], some[1::2], strict=False):
            if one.row is not other.row and draw.random() < JOINED:
                yield from joined(one, other, draw)


def holds(passage: Passage, document: Document, where: tuple[int, int]) -> bool:
    """Whether the passage holds the answer's place."""
    return passage.document_id == document.document_id and passage.start <= where[0] and where[1] <= passage.end


def main() -> None:
    """Add, search, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("sets", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--only", nargs="*", default=None)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(0)
    by_set: defaultdict[str, list[dict]] = defaultdict(list)
    for row in lines(asked.sets):
        by_set[row["set"]].append(row)
    for name, rows in sorted(by_set.items()):
        if name in HELD if asked.only is None else name not in asked.only:
            continue
        with open_engine(
            data_dir=asked.out / "collections" / name, collection=name, profile="fast", offline=True, deadline=600
        ) as opened:
            if not opened.documents():
                opened.add([asked.sets / name])
            documents = {}
            for record in opened.documents():
                document = asyncio.run(opened.adocument(record.document_id))
                if document is not None:
                    documents[document.source] = document
            made = list(examples(opened, rows, documents, draw))
        with gzip.open(asked.out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in made)
        answered = sum(row["answerable"] for row in made)
        print(name, len(rows), "questions,", len(made), "examples,", answered, "answering", flush=True)


if __name__ == "__main__":
    main()
