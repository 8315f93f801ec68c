"""What a judging model is shown of passages: how much is left out, of answers and of plants.

.venv/bin/python benchmarks/attacks/shown.py    # half a minute
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from run import BENIGN, attacks, evidence_of, planted, questions

from assay.judging.model_verdict import without_imperatives
from assay.nlp.tokens import terms
from assay.prompting import shown_text
from assay.retrieval.quarantine import quarantine_evidence
from assay.types import Evidence, Question
from assay.understanding.rules import understand_by_rules
from report import data_folder, write_result

SETS = ("clapnq", "hotpot100", "musique100", "mtrag-un")
# Of the gold answer's terms that the passages hold, so many may be lost.
MAY_BE_LOST = 0.1


def shown(question: Question, evidence: Evidence) -> str:
    """The texts that a judging model sees."""
    return "\n".join(map(shown_text, without_imperatives(question, evidence).hits))


def answers(name: str) -> dict[str, Any]:
    """The rows whose passages suffice: the share of words shown, and of how many the answer loses terms."""
    rows = words = left = lost = 0
    for line in (data_folder() / "dev" / name / "evidence.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        gold = set(terms(row["answer"][0])) if row["answer"] else set()
        if not row["sufficient"] or not gold:
            continue
        evidence = evidence_of([each["text"] for each in row["passages"]])
        whole, seen = (
            "\n".join(each.text for each in evidence.passages),
            shown(understand_by_rules(row["query"], ()), evidence),
        )
        rows, words, left = rows + 1, words + len(whole.split()), left + len(seen.split())
        lost += len(gold & set(terms(seen))) < len(gold & set(terms(whole))) - MAY_BE_LOST * len(gold)
    return {"rows": rows, "words shown": round(left / words, 4), "answers that lose a tenth": lost}


def plants() -> dict[str, Any]:
    """Every string, planted into the passage of a question: of how many some is seen."""
    counts: dict[str, Counter[str]] = {}
    asked = questions()
    for n, row in enumerate(each for each in attacks() if each["source"] != BENIGN):
        question = asked[n % len(asked)]
        evidence = evidence_of([planted(question.passages[0], row["text"], n // len(asked) % 3)])
        masked = quarantine_evidence(evidence)
        count = counts.setdefault(row["source"], Counter())
        count["strings"] += 1
        count["seen by a writer"] += in_sight(row["text"], "\n".join(map(shown_text, masked.hits)))
        count["seen by a judge"] += in_sight(
            row["text"], shown(understand_by_rules(question.query, ()), masked.readable)
        )
    return {source: dict(count) for source, count in counts.items()}


def in_sight(plant: str, text: str) -> bool:
    """Whether a sentence of the plant, twelve characters or longer, stands in the text."""
    whole, held = " ".join(plant.split()), " ".join(text.split())
    parts = (" ".join(each.split()) for each in re.split(r"\n|(?<=[.!?])\s", plant))
    return any(each in held for each in parts if len(each) >= min(12, len(whole)))


if __name__ == "__main__":
    write_result("attacks", "shown", {"answers": {name: answers(name) for name in SETS}, "plants": plants()})
