"""Planted instructions: how many strings of data/attacks are masked, and how much ordinary text.

.venv/bin/python benchmarks/quarantine/run.py    # half a minute
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.retrieval.quarantine import masked_spans
from report import data_folder, write_result

FACT = "The tower was finished in 1889 and is 300 metres high."
PASSAGES = 20_000


def planted(text: str) -> bool:
    """Whether a string that stands in the middle of a passage is masked, in whole or in part."""
    return bool(masked_spans(f"{FACT}\n\n{text}\n\n{FACT}"))


def attacks() -> dict[str, dict[str, Any]]:
    """Each source and kind of the strings: how many there are, and the share masked."""
    found: dict[str, list[bool]] = defaultdict(list)
    for line in (data_folder() / "attacks" / "attacks.jsonl").read_text(encoding="utf-8").strip().split("\n"):
        row = json.loads(line)
        found[f"{row['source']} {row['kind']}"].append(planted(row["text"]))
    return {name: {"strings": len(each), "masked": round(sum(each) / len(each), 4)} for name, each in found.items()}


def natural(texts: Iterable[str]) -> dict[str, Any]:
    """Passages nobody planted anything in: the share masked, and CPU milliseconds of each."""
    count = masked = 0
    begun = time.process_time()
    for text in texts:
        count += 1
        masked += bool(masked_spans(text))
    spent = (time.process_time() - begun) * 1000 / count
    return {"passages": count, "masked": round(masked / count, 6), "cpu ms each": round(spent, 3)}


def wiki() -> Iterator[str]:
    """The passages of wiki-mix."""
    with (data_folder() / "dev" / "wiki-mix" / "corpus.jsonl").open(encoding="utf-8") as lines:
        yield from (json.loads(line)["text"] for line in lines)


def manuals() -> Iterator[str]:
    """Passages of manuals, which are full of orders to their readers."""
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line)["text"] for line in islice(lines, PASSAGES))


def main() -> None:
    """Measure and write."""
    write_result(
        "quarantine", "attacks", {"strings": attacks(), "wiki-mix": natural(wiki()), "manuals": natural(manuals())}
    )


if __name__ == "__main__":
    main()
