"""Sentences to label by hand: 50 delivered unmarked and 50 of the raw drafts, shuffled, without saying which.

Delivered sentences that are no copies of a passage are few, so each of them is to be labelled besides.

.venv/bin/python benchmarks/delivered/sample.py [PROFILE]           # writes to-label.jsonl into ASSAY_BENCH_CACHE
.venv/bin/python benchmarks/delivered/sample.py [PROFILE] FILE      # takes the labels in, without any text

What is drawn goes by a hash of each sentence, so that sentences which a later run delivers again stay drawn, and
their labels stay good. FILE has lines of JSON: sentence (its hash), label (supported or unsupported) and reason.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from counted import copied
from stated import CACHE, LABELS, RUNS, Drafts, Stated, drafts, labelled, of_run

SEED, DRAWN = "2026", 50


def drawn(found: Sequence[Drafts]) -> list[Stated]:
    """So many sentences of each run, in an order that says nothing of where they come from."""
    picked = [each for run in RUNS for each in sorted(of_run(found, run), key=_rank)[:DRAWN]]
    return sorted(picked, key=lambda each: each.sha256)


def own_words(found: Sequence[Drafts]) -> list[Stated]:
    """The sentences delivered unmarked that no passage has word for word."""
    return [each for one in found for each in of_run([one], "delivered") if not copied(each.text, one.passages)]


def to_label(found: Sequence[Drafts]) -> list[Stated]:
    """What is drawn, then what else is delivered in words of its own."""
    return list(dict.fromkeys([*drawn(found), *own_words(found)]))


def _rank(stated: Stated) -> str:
    return hashlib.sha256(f"{SEED}\0{stated.sha256}".encode()).hexdigest()


def show(found: Sequence[Drafts]) -> Path:
    """The file of what is to be labelled and has no label yet, each with its question and passages."""
    by_question = {each.question: each for each in found}
    known = {row["sentence"] for row in labelled()}
    path = CACHE / "to-label.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for each in to_label(found):
            if each.sha256 not in known:
                of = by_question[each.question]
                row = {"sentence": each.sha256, "asked": of.asked, "text": each.text, "passages": of.passages}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def take_in(found: Sequence[Drafts], path: Path) -> None:
    """Keep the labels of sentences that are to have one, with the run that each is of; others are let go."""
    given = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = {row["sentence"]: row for row in [*labelled(), *given]}
    known = [(each, rows[each.sha256]) for each in to_label(found) if each.sha256 in rows]
    lines = [
        {"sentence": each.sha256, "run": each.run, "label": row["label"], "reason": row["reason"]}
        for each, row in known
    ]
    LABELS.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    kept = drafts(sys.argv[1] if len(sys.argv) > 1 else "fast")
    if len(sys.argv) > 2:
        take_in(kept, Path(sys.argv[2]))
    else:
        print(show(kept))
