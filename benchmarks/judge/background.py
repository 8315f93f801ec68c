"""Make src/assay/nlp/background.txt: in how many of a few thousand passages each stem occurs.

Texts: the passages of the sets whose licence allows fits (see `SOURCES`), at most `MOST` of each, so that no
set's subject decides what is common. Words in fewer than `LEAST` passages are left out: they count as rare.

    .venv/bin/python benchmarks/judge/background.py
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.nlp.tokens import terms

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data")) / "dev"
TARGET = ROOT / "src" / "assay" / "nlp" / "background.txt"
SOURCES = ("clapnq", "mtrag-un", "scifact", "hotpot100", "musique100", "wice", "factcheck-gpt")
MOST, LEAST = 2500, 3


def passages(name: str) -> Iterator[str]:
    """The distinct passages of one set, in file order."""
    seen: set[str] = set()
    for file in ("evidence.jsonl", "grounding.jsonl", "corpus.jsonl"):
        path = DATA / name / file
        if not path.exists():
            continue
        for line in path.open():
            row = json.loads(line)
            texts = [each["text"] for each in row.get("passages", ())] or [row.get("context") or row.get("text")]
            for text in texts:
                if isinstance(text, str) and text not in seen:
                    seen.add(text)
                    yield text[:2000]


def main() -> None:
    """Count and write."""
    if not DATA.exists():
        raise SystemExit(f"no data at {DATA}: set ASSAY_BENCH_DATA to the folder that holds dev/")
    counts: Counter[str] = Counter()
    total = 0
    for name in SOURCES:
        for number, text in enumerate(passages(name)):
            if number == MOST:
                break
            total += 1
            counts.update(set(terms(text)))
    kept = sorted((term, n) for term, n in counts.items() if n >= LEAST and term.isascii() and term.isalpha())
    TARGET.write_text(f"{total}\n" + "".join(f"{term} {n}\n" for term, n in kept))
    print(f"{TARGET}: {total} passages, {len(kept)} stems, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
