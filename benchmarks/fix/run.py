"""What `fix` does to drafts in words of their own: three true sentences and two with a wrong value.

    .venv/bin/python benchmarks/fix/run.py [--passages N] [--look FILE]

The sentences are claims that people wrote over passages nothing was trained on (`train/written`), labelled as
supported. The two wrong ones are such claims with one number or name exchanged (models/checker/twins.py). What
cannot be mended is marked. Corrected rightly means that the words are those of the true claim again; wrongly, that
they are changed and are not. 60 passages, with five true sentences, were looked at and are not reported; `--look`
writes what did not end well with them, one JSON a line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "checker"))
from examples import HELD_GENRES, written_passages
from twins import wrong_name, wrong_number

from assay.nlp.tokens import words
from assay.types import Fixed, Passage
from assay.wiring import open_checker
from report import data_folder, write_result

SIGN = "⚠"
# True sentences of a draft that is reported, and of those looked at: few passages have as many.
TRUE, MORE_TRUE, WRONG, LOOKED_AT = 3, 5, 2, 60
End = Literal["corrected rightly", "corrected wrongly", "marked", "left", "gone"]


@dataclass(frozen=True)
class Line:
    """A sentence of a draft, as it was true, as it stands there, and what became of it."""

    true: str
    given: str
    after: str
    end: End

    @property
    def is_wrong(self) -> bool:
        """Whether a wrong value was planted."""
        return self.true != self.given


@dataclass(frozen=True)
class Draft:
    """Sentences over one passage: each as it is true, and as it is given."""

    passage: Passage
    lines: tuple[tuple[str, str], ...]


def drafts(true: int, most: int, leave_out: Collection[str] = ()) -> Iterator[Draft]:
    """A draft for each of at most so many passages that have enough true claims, two of them with a value."""
    draw = random.Random(0)
    held = [
        each
        for each in written_passages(data_folder() / "train" / "written", HELD_GENRES)
        if each.held == "passage"
    ]
    made = 0
    for each in draw.sample(held, len(held)):
        claims = [row["claim"] for row in each.claims if row["verdict"] == "s" and is_sentence(row)]
        draw.shuffle(claims)
        wrong = list(twins(claims, each.text, draw))
        kept = [claim for claim in claims if claim not in {claim for claim, _ in wrong}][:true]
        if len(wrong) < WRONG or len(kept) < true or each.pid in leave_out:
            continue
        lines = [*((claim, claim) for claim in kept), *wrong]
        draw.shuffle(lines)
        yield Draft(each.passage, tuple(lines))
        made += 1
        if made == most:
            return


def is_sentence(row: dict) -> bool:
    """Whether a claim is one sentence that stands by itself."""
    return not row.get("question") and row["claim"].endswith(".") and ". " not in row["claim"]


def twins(true: Sequence[str], passage: str, draw: random.Random) -> Iterator[tuple[str, str]]:
    """Two of the claims with a wrong value."""
    made = 0
    for claim in true:
        ways = [wrong_number, wrong_name]
        draw.shuffle(ways)
        given = next((changed for way in ways if (changed := way(claim, passage, draw)) is not None), None)
        if given is not None:
            yield claim, given
            made += 1
        if made == WRONG:
            return


def became(given: str, true: str, fixed: Fixed) -> Line:
    """What the changes made of a sentence."""
    after = given
    for made in fixed.repairs:
        if made.before.strip() == after.strip():
            after = made.after
    bare = after.replace(SIGN, "")
    if not bare.strip():
        end: End = "gone"
    elif words(bare) != words(given):
        end = "corrected rightly" if words(bare) == words(true) else "corrected wrongly"
    else:
        end = "marked" if SIGN in after else "left"
    return Line(true, given, after, end)


async def lines_of(some: Sequence[Draft]) -> list[Line]:
    """What became of every sentence."""
    found = []
    async with open_checker(models=False) as engine:
        for draft in some:
            text = " ".join(given for _, given in draft.lines)
            fixed = await engine.afix(text, (draft.passage,))
            found += [became(given, true, fixed) for true, given in draft.lines]
    return found


def main() -> None:
    """Fix, count, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=150)
    parser.add_argument("--look", type=Path)
    asked = parser.parse_args()
    looked_at = list(drafts(MORE_TRUE, LOOKED_AT))
    seen = {each.passage.passage_id for each in looked_at}
    some = looked_at if asked.look else list(drafts(TRUE, asked.passages, seen))
    found = asyncio.run(lines_of(some))
    parts = {
        "wrong": [each for each in found if each.is_wrong],
        "true": [each for each in found if not each.is_wrong],
    }
    numbers: dict[str, object] = {"drafts": len(some)}
    for name, lines in parts.items():
        count = Counter(each.end for each in lines)
        numbers[name] = {
            "sentences": len(lines),
            **{end: round(count[end] / len(lines), 4) for end in get_args(End)},
        }
    if asked.look:
        shown = [each for each in found if each.end != ("corrected rightly" if each.is_wrong else "left")]
        asked.look.write_text("".join(json.dumps(asdict(each)) + "\n" for each in shown), encoding="utf-8")
        print(json.dumps(numbers, indent=1))
        return
    write_result("fix", "fix", numbers)


if __name__ == "__main__":
    main()
