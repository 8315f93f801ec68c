"""What each group of rules on planted instructions earns: strings that it alone masks, ordinary text that it masks.

.venv/bin/python benchmarks/quarantine/ablation.py    # two minutes

All groups that were tried (`tried.py`), and the shipped ones together. Disguises are put on strings that are masked
as they are: what is undone before the rules look, and what is found without them, earns its place there.
"""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tried import GROUPS

from assay.retrieval.quarantine import masked_spans
from report import data_folder, write_result

FACT = "The tower was finished in 1889 and is 300 metres high."
BENIGN = "notinject"
STEP, MOST = 4, 40_000
_LOOKALIKES = str.maketrans("aeopcxyi", "аеорсхуі")


def zero_width(text: str) -> str:
    """A character that nobody sees within each word."""
    return " ".join(f"{word[:2]}\u200b{word[2:]}" for word in text.split(" "))


def full_width(text: str) -> str:
    """The letters twice as wide."""
    return "".join(chr(ord(each) + 0xFEE0) if each.isascii() and each.isalpha() else each for each in text)


def lookalikes(text: str) -> str:
    """One letter of each word as the Cyrillic one that looks like it."""
    return " ".join(word[:1] + word[1:].translate(_LOOKALIKES) for word in text.split(" "))


def in_tags(text: str) -> str:
    """The letters as tags, which nothing shows."""
    return "".join(chr(0xE0000 + ord(each)) for each in text if each.isascii())


def in_base64(text: str) -> str:
    """The text in base64."""
    return base64.b64encode(text.encode()).decode()


DISGUISES: tuple[Callable[[str], str], ...] = (zero_width, full_width, lookalikes, in_tags, in_base64)


def groups_of(text: str) -> frozenset[str]:
    """The groups that meet a text."""
    return frozenset(name for name, pattern in GROUPS.items() if next(pattern.finditer(text), None))


def planted(text: str) -> str:
    """A string in the middle of a passage."""
    return f"{FACT}\n\n{text}\n\n{FACT}"


def strings() -> list[tuple[str, str]]:
    """The attack strings and controls, with their source."""
    lines = (data_folder() / "attacks" / "attacks.jsonl").read_text(encoding="utf-8").strip().split("\n")
    return [(row["source"], row["text"]) for row in map(json.loads, lines)]


def ordinary() -> Iterator[tuple[str, str]]:
    """Passages nobody planted anything in: every fourth of `scale`, and all of wiki-mix."""
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (("manuals", json.loads(line)["text"]) for line in islice(lines, 0, STEP * MOST, STEP))
    with (data_folder() / "dev" / "wiki-mix" / "corpus.jsonl").open(encoding="utf-8") as lines:
        yield from (("wiki-mix", json.loads(line)["text"]) for line in lines)


def disguised(texts: Iterable[str]) -> dict[str, dict[str, float]]:
    """Of the strings that are masked as they are: the share still masked in disguise, and by the rules alone."""
    plain = [text for text in texts if masked_spans(planted(text))]
    found = {}
    for disguise in DISGUISES:
        worn = [planted(disguise(text)) for text in plain]
        found[disguise.__name__.replace("_", " ")] = {
            "masked": round(sum(bool(masked_spans(each)) for each in worn) / len(worn), 4),
            "by the rules alone": round(sum(bool(groups_of(each)) for each in worn) / len(worn), 4),
        }
    return found


def main() -> None:
    """Measure and write."""
    caught: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    controls: Counter[str] = Counter()
    attacks = [(source, text) for source, text in strings() if source != BENIGN]
    for source, text in strings():
        met = groups_of(planted(text))
        (controls if source == BENIGN else caught).update(met)
        if source != BENIGN and len(met) == 1:
            alone.update(met)
    passages: Counter[str] = Counter()
    masked: Counter[str] = Counter()
    wrongly: Counter[str] = Counter()
    for where, text in ordinary():
        passages[where] += 1
        masked[where] += bool(masked_spans(text))
        wrongly.update(groups_of(text))
    groups = {
        name: {
            "strings": caught[name],
            "strings no other group meets": alone[name],
            "controls": controls[name],
            "ordinary passages": wrongly[name],
        }
        for name in GROUPS
    }
    shipped = {
        "strings": len(attacks),
        "masked": sum(bool(masked_spans(planted(text))) for _, text in attacks),
        "controls masked": sum(bool(masked_spans(planted(text))) for source, text in strings() if source == BENIGN),
        "ordinary passages": dict(passages),
        "ordinary passages masked": {where: masked[where] for where in passages},
        "ordinary masked of 10,000": round(10_000 * sum(masked.values()) / sum(passages.values()), 2),
    }
    numbers: dict[str, Any] = {
        "tried, each group by itself": groups,
        "shipped": shipped,
        "disguises": disguised(text for _, text in attacks),
    }
    write_result("quarantine", "ablation", numbers)


if __name__ == "__main__":
    main()
