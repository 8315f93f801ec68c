"""Questions with golds over the wiki-mix corpus, and whether a text shows a gold."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.nlp.tokens import terms, words
from report import data_folder

SOURCES = {"clapnq": "clapnq", "hotpot": "hotpot100", "musique": "musique100"}
LONG_WORDS = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One question; `golds` is empty where the corpus has no answer."""

    id: str
    text: str
    group: str
    source: str
    golds: tuple[str, ...]


def wiki_mix() -> Path:
    """The folder of the corpus and its questions; ends the program where it is not there."""
    folder = data_folder() / "dev" / "wiki-mix"
    if not (folder / "corpus.jsonl").is_file():
        sys.exit(f"no corpus.jsonl in {folder}: set ASSAY_BENCH_DATA to the folder of evaluation data")
    return folder


def read_lines(path: Path) -> list[dict[str, object]]:
    """The objects of a .jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def golds_by_question() -> dict[str, tuple[str, ...]]:
    """The golds of every question text in the three sources' evidence."""
    golds: dict[str, tuple[str, ...]] = {}
    for source in SOURCES.values():
        for row in read_lines(wiki_mix().parent / source / "evidence.jsonl"):
            if row["answer"]:
                golds.setdefault(str(row["query"]), tuple(map(str, row["answer"])))  # type: ignore[call-overload]
    return golds


def questions() -> list[Asked]:
    """The answerable questions that have golds, then the unanswerable ones."""
    folder, golds = wiki_mix(), golds_by_question()
    found = []
    for name in ("queries.jsonl", "queries_unanswerable.jsonl"):
        for row in read_lines(folder / name):
            text, answerable = str(row["text"]), name == "queries.jsonl"
            if not answerable or text in golds:
                source = str(row["id"]).partition(":")[0] if answerable else "unanswerable"
                known = golds[text] if answerable else ()
                found.append(Asked(str(row["id"]), text, str(row["group"]), source, known))
    return found


def judged() -> dict[str, tuple[str, ...]]:
    """The ids of the documents that answer, by question id."""
    found: dict[str, tuple[str, ...]] = {}
    for line in (wiki_mix() / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, _ = line.split("\t")
        found[question] = (*found.get(question, ()), document)
    return found


def shows_gold(text: str, golds: tuple[str, ...]) -> bool:
    """Whether the text shows one of the golds.

    Yes and no must be the first of the two words; a short gold must occur as words; of a long one half of
    the distinct content words must.
    """
    return any(_shows(text, gold) for gold in golds)


def _shows(text: str, gold: str) -> bool:
    gold_words, shown = words(gold), words(text)
    if gold_words in (["yes"], ["no"]):
        return next((word for word in shown if word in ("yes", "no")), "") == gold_words[0]
    if len(gold_words) > LONG_WORDS:
        return gold_share(text, gold) >= 0.5
    return f" {' '.join(gold_words)} " in f" {' '.join(shown)} "


def gold_share(text: str, gold: str) -> float:
    """The share of the gold's distinct content terms that the text holds."""
    wanted = set(terms(gold))
    return len(wanted & set(terms(text))) / len(wanted) if wanted else 0.0
