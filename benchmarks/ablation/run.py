"""Decorative citations planted into answers: how many are named, and how many true citations are named with them.

    .venv/bin/python benchmarks/ablation/run.py [--checker none] [--show KIND]

A claim gets a second mark, of a passage that does not bear it, and `core.ablation` says what each mark does. The
bar for a citation by itself was chosen on the half of the claims with an odd hash; the other half is
reported. `--show` prints the rows of a kind with what was found.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.ablation import ablate
from assay.core.stages import TextVerifier
from assay.nlp.tokens import terms
from assay.types import Ablation, CitationRole, Claim, Passage, Verdict
from assay.wiring import open_checker
from report import data_folder, write_result

# Claims of each kind.
MOST = 120
DECORATIVE = CitationRole.DECORATIVE


@dataclass(frozen=True)
class Row:
    """A claim, the passages that it cites, and which of them (from 0) was planted; None where none was."""

    kind: str
    claim: str
    cited: tuple[Passage, ...]
    planted: int | None = None

    @property
    def is_reported(self) -> bool:
        """Whether the bar was not chosen on the claim."""
        return int(hashlib.sha256(self.claim.encode()).hexdigest(), 16) % 2 == 0


def main() -> None:
    """Plant, leave out, count, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checker", choices=("bundled", "none"), default="bundled")
    parser.add_argument("--chosen", action="store_true", help="the half that the bar was chosen on")
    parser.add_argument("--show")
    asked = parser.parse_args()
    started = time.process_time()
    with open_checker(profile="fast", checker=asked.checker) as engine:
        verifier = engine._background.run(engine._begin_unrecorded("ablation"))[1].text_verifier
        found = engine._background.run(ablated(data_folder(), verifier, chosen=asked.chosen))
    by_kind = defaultdict(list)
    for row, one in found:
        by_kind[row.kind].append((row, one))
        if asked.show == row.kind:
            show(row, one)
    numbers: dict[str, Any] = {kind: counted(rows) for kind, rows in sorted(by_kind.items())}
    planted = [(row, one) for row, one in found if row.planted is not None]
    true = [(row, one) for row, one in found if row.planted is None]
    numbers["all planted"], numbers["all true"] = counted(planted), counted(true)
    numbers["CPU ms a claim"] = 1000 * (time.process_time() - started) / len(found)
    name = "rules" if asked.checker == "none" else "run"
    if asked.chosen:
        print(json.dumps(numbers, indent=1))
    else:
        write_result("ablation", name, numbers)


def counted(rows: Sequence[tuple[Row, Ablation]]) -> dict[str, float]:
    """The roles of the planted citations, and of all the others."""
    roles = [(n == row.planted, one.role) for row, found in rows for n, one in enumerate(found.citations)]
    planted = Counter(role for is_planted, role in roles if is_planted)
    true = Counter(role for is_planted, role in roles if not is_planted)
    tested_planted = planted.total() - planted[CitationRole.UNTESTED]
    tested_true = true.total() - true[CitationRole.UNTESTED]
    numbers: dict[str, float] = {"claims": len(rows)}
    if planted:
        numbers |= {f"planted: {role.value}": planted[role] for role in CitationRole}
        numbers["planted, found of those tested"] = planted[DECORATIVE] / tested_planted
        numbers["planted, found of all"] = planted[DECORATIVE] / planted.total()
    numbers |= {f"true: {role.value}": true[role] for role in CitationRole}
    if tested_true:
        numbers["true, called decorative of those tested"] = true[DECORATIVE] / tested_true
    return numbers


async def ablated(data: Path, verifier: TextVerifier, *, chosen: bool) -> list[tuple[Row, Ablation]]:
    """Every row with each of its sources left out."""
    found, count = [], Counter[str]()
    for row in [*written(data), *await replied(data, verifier), *paired(data)]:
        if row.is_reported is chosen or count[row.kind] >= MOST:
            continue
        count[row.kind] += 1
        ids = tuple(one.passage_id for one in row.cited)
        claim = Claim(1, row.claim, 0, len(row.claim), ids, Verdict.SUPPORTED, None)
        found.append((row, await ablate((claim,), (), row.cited, verifier)))
    return found


def written(data: Path) -> Iterator[Row]:
    """True written claims beside the passage that is nearest by words, beside any other, joined, and copied."""
    chance = random.Random(7)
    texts = {row["pid"]: row for row in rows_of(data / "train" / "written" / "passages.jsonl.gz")}
    words = {pid: set(terms(f"{row['title']} {row['text']}")) for pid, row in texts.items()}
    rarity = Counter(term for some in words.values() for term in some)
    claims = [
        row
        for row in rows_of(data / "train" / "written" / "claims.jsonl.gz")
        if row["verdict"] == "s" and len(row["claim"].split()) > 5
    ]
    chance.shuffle(claims)
    for row, other in zip(claims[: 3 * MOST], claims[3 * MOST :], strict=False):
        own, wanted = texts[row["pid"]], set(terms(row["claim"]))
        others = [pid for pid in texts if texts[pid]["text"] != own["text"]]
        near = max(others, key=lambda pid: sum(1 / rarity[term] for term in wanted & words[pid]))
        true = passage("own", own)
        yield Row("planted: nearest by words", row["claim"], (true, passage("planted", texts[near])), 1)
        yield Row("planted: any", row["claim"], (true, passage("planted", texts[chance.choice(others)])), 1)
        if other["pid"] != row["pid"]:
            joined = f"{row['claim'].rstrip('.')}, and {other['claim'][0].lower()}{other['claim'][1:]}"
            yield Row("true: each bears a half", joined, (true, passage("other", texts[other["pid"]])))


async def replied(data: Path, verifier: TextVerifier) -> list[Row]:
    """Claims of replies with two citations as they were written, and with one of another passage."""
    chance, found = random.Random(7), list[Row]()
    replies = rows_of(data / "dev" / "replies" / "replies.jsonl")
    for reply in replies:
        held = tuple(passage(one["id"], one) for one in reply["passages"])
        by_id = {one.passage_id: one for one in held}
        for claim in (await verifier.check(reply["good"], held)).claims:
            cited = tuple(by_id[one] for one in claim.citations)
            if claim.verdict is not Verdict.SUPPORTED or not cited:
                continue
            if len(cited) > 1:
                found.append(Row("true: replies with two", claim.text, cited))
            wanted = set(terms(claim.text))
            least = min(
                (one for one in held if one not in cited), key=lambda one: len(wanted & set(terms(one.text)))
            )
            far = passage("far", chance.choice([one for one in replies if one is not reply])["passages"][0])
            found += [
                Row("planted: least like it of those found", claim.text, (*cited, least), len(cited)),
                Row("planted: found for another question", claim.text, (*cited, far), len(cited)),
            ]
    return found


def paired(data: Path) -> Iterator[Row]:
    """Claims beside two texts, each of which people said to support it."""
    sets = {
        "climate-fever": "dev/climate-fever/grounding.jsonl",
        "VitaminC": "train/checker/vitaminc-real.jsonl.gz",
    }
    for name, path in sets.items():
        texts = defaultdict[str, list[str]](list)
        for row in rows_of(data / path):
            if row.get("supported") or row.get("label") == "supported":
                texts[row["claim"]].append(row["context"])
        for claim, supporting in texts.items():
            if len(some := list(dict.fromkeys(supporting))) > 1:
                both = tuple(passage(str(n), {"text": some[n]}) for n in (0, 1))
                yield Row(f"true: each supports it, {name}", claim, both)


def passage(passage_id: str, row: dict[str, Any]) -> Passage:
    """A passage of the data under an id."""
    return Passage(passage_id, passage_id, "", 0, len(row["text"]), row["text"], row.get("title", ""))


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def show(row: Row, found: Ablation) -> None:
    """Print a row."""
    print(f"\n{row.kind}: {row.claim}")
    for one, cited in zip(found.citations, row.cited, strict=True):
        print(f"  [{one.source}] {one.role.value} ({one.support}): {' '.join(cited.text.split())[:300]}")


if __name__ == "__main__":
    main()
