"""Data sets of TREC: a folder with topics and judgements (qrels)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.errors import UsageError
from assay.evals.cases import Case
from assay.evals.datasets.dataset import distinct, line_error
from assay.evals.json_lines import numbered_lines, read_text

# A topic begins with <top> or <topic number="1">; a field ends where the next begins.
_TOPIC = re.compile(r"<top(?:ic)?\b[^<>]{0,200}>", re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s{0,20}(?:Number:)?\s{0,20}([^\s<]{1,200})", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\bnumber=["']([^"']{1,200})["']""", re.IGNORECASE)
_FIELD = re.compile(r"<(title|query|desc|question)>\s{0,20}(?:Topic:|Description:)?([^<]{1,20000})", re.IGNORECASE)
# The field that asks, in order of choice: a question before a few words.
_ASKING = ("question", "query", "title", "desc")


def trec_files(folder: Path) -> tuple[Path, Path] | None:
    """The topics and the judgements of a folder; None where it has not just one of each."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    qrels = [path for path in files if "qrel" in path.name.lower()]
    topics = [path for path in files if re.search("topics|queries", path.name.lower()) and path not in qrels]
    return (topics[0], qrels[0]) if len(topics) == 1 == len(qrels) else None


def read_trec(topics: Path, qrels: Path) -> tuple[Case, ...]:
    """The topics that have a relevant document, in their order.

    Topics are marked up with <top>, as TREC does, or a number and a text between a tab on each line. Raises
    UsageError with file and line.
    """
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for number, line in numbered_lines(qrels):
        columns = line.split()
        try:
            topic, _round, document, gain = columns
            value = float(gain)
        except ValueError as error:
            raise line_error(qrels, number, "it is not a topic, a round, a document and a number") from error
        if value > 0:
            gains[topic][document] = value
    found = (
        (number, Case(topic, text, relevant=gains[topic]))
        for number, topic, text in _topics(topics)
        if topic in gains
    )
    return distinct(topics, found)


def _topics(path: Path) -> Iterator[tuple[int, str, str]]:
    """The line, number and question of each topic."""
    text = read_text(path)
    starts = [match.start() for match in _TOPIC.finditer(text)]
    if not starts:
        yield from _lines(path)
        return
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        topic, line = text[start:end], text.count("\n", 0, start) + 1
        number = _ATTRIBUTE.search(topic) or _NUMBER.search(topic)
        parts = {match[1].lower(): " ".join(match[2].split()) for match in _FIELD.finditer(topic)}
        asked = next((parts[name] for name in _ASKING if parts.get(name)), "")
        if number is None or not asked:
            raise line_error(path, line, "the topic has no number, or neither a title nor a query")
        yield line, number[1], asked


def _lines(path: Path) -> Iterator[tuple[int, str, str]]:
    for number, line in numbered_lines(path):
        topic, tab, text = line.partition("\t")
        if not tab or not text.strip():
            raise line_error(path, number, "it is no topic: a number, a tab and a text")
        yield number, topic.strip(), text.strip()


def refuse_folder(folder: Path) -> UsageError:
    """The error for a folder that is no data set."""
    return UsageError(
        f"{folder} is not a data set",
        hint="a folder has queries.jsonl and qrels/ (BEIR), or topics and qrels (TREC)",
    )
