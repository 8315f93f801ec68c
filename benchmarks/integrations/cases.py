"""Questions of clapnq with a sentence of their gold passage, and the same sentence with a number changed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import data_folder

COUNT = 40
_NUMBER = re.compile(r"(?<![\w.,])\d{2,4}(?![\w.,]*\d)")


def written(folder: Path) -> None:
    """Write documents/, one file a passage, and cases.jsonl, which asks for some of them."""
    documents, cases = folder / "documents", []
    documents.mkdir(parents=True)
    rows = (data_folder() / "dev" / "clapnq" / "evidence.jsonl").read_text(encoding="utf-8").split("\n")
    for at, row in enumerate(json.loads(line) for line in rows if line):
        for n, passage in enumerate(row["passages"]):
            (documents / f"{at:03}-{n}.txt").write_text(passage["text"], encoding="utf-8")
        case = _case(row["query"], row.get("gold_sentences") or [], " ".join(p["text"] for p in row["passages"]))
        if case is not None and len(cases) < COUNT:
            cases.append(case)
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)) + "\n", encoding="utf-8")


def _case(question: str, sentences: list[str], evidence: str) -> dict[str, str] | None:
    """The first gold sentence with one number, and that number raised until no passage has it; else None."""
    for sentence in sentences:
        found = _NUMBER.findall(sentence)
        if len(found) != 1 or sentence not in evidence:
            continue
        changed = int(found[0]) + 3
        while str(changed) in evidence:
            changed += 1
        wrong = _NUMBER.sub(str(changed), sentence)
        return {"question": question, "clean": sentence, "wrong": wrong, "right_number": found[0]}
    return None
