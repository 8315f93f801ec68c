"""What becomes of planted errors, and of clean sentences, when drafts are fixed without a model.

.venv/bin/python benchmarks/repair/run.py                # the half nobody looked at; about 20 minutes
.venv/bin/python benchmarks/repair/run.py --look FILE    # the other half: what did not end well, one JSON a line

The drafts are those of benchmarks/planted. Each is fixed twice: what cannot be mended is marked, or dropped. An
error counts as found as it does there. Where a planted sentence went is followed through the changes that `fix`
reports; whether the error is still in it is told from the words that were planted, never from the checks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "planted"))
from drafts import Draft, drafts

from assay.nlp.cited_sentences import Numbered
from assay.nlp.segments import cut
from assay.types import Check, Fixed, Passage, Review, Severity, Status, Verdict
from assay.wiring import open_checker
from report import write_result

SIGN = "⚠"
VALUES = ("number", "name")
WRONG = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
End = Literal["corrected", "gone", "dropped", "marked", "unmarked"]
_MARK = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True)
class Outcome:
    """What came of one draft in one way of fixing it.

    `end` is what became of the planted error: corrected (the clean sentence's words are back), gone (otherwise not
    there any more), dropped with its sentence, marked, or unmarked. The counts are of sentences: all, those taken
    out, the clean ones, of these the untouched and those whose words changed; `broken` counts claims of theirs that
    passed before and fail now.
    """

    draft: Draft
    drops: bool
    found: bool
    end: End | None
    sentences: int
    dropped: int
    clean: int
    untouched: int
    reworded: int
    broken: int
    after: str
    reasons: tuple[str, ...]


def words(text: str) -> str:
    """A sentence without its marks and sign, with single spaces."""
    return " ".join(_MARK.sub("", text).replace(SIGN, "").split())


def became(piece: str, fixed: Fixed) -> str:
    """What the changes made of a piece of the draft."""
    for made in fixed.repairs:
        if made.before == piece:
            piece = made.after
    return piece


def outcome(draft: Draft, before: Review, fixed: Fixed, drops: bool, numbered: Numbered) -> Outcome:
    """What a fix did to a draft."""
    planted: list[tuple[str, str]] = []
    clean: list[tuple[str, str]] = []
    for piece in cut(draft.text, numbered):
        start = piece.start + len(piece.gap)
        ours = draft.kind is not None and start < draft.end and draft.start < piece.start + len(piece.written)
        written = piece.written.strip()
        (planted if ours else clean).append((written, became(written, fixed)))
    every = planted + clean
    after = " ".join(new for _, new in planted if new)
    return Outcome(
        draft=draft,
        drops=drops,
        found=draft.kind is not None and is_found(draft, before),
        end=None if draft.kind is None else ended(draft, after),
        sentences=len(every),
        dropped=sum(not new for _, new in every),
        clean=len(clean),
        untouched=sum(old == new for old, new in clean),
        reworded=sum(words(old) != words(new) for old, new in clean),
        broken=broken(draft, before, fixed.review),
        after=after,
        reasons=tuple(f"{made.kind.value}: {made.reason}" for made in fixed.repairs),
    )


def ended(draft: Draft, after: str) -> End:
    """What became of the planted error, told from the words of the sentence that holds it."""
    change = draft.change
    assert change is not None
    if not after:
        return "dropped"
    if draft.kind == "citation":
        numbers = re.findall(r"\[(\d+)\]", after)
        there = change.after in numbers
        right = numbers == [change.before]
    else:
        right = any(words(after) == words(each) for each in draft.clean.sentences)
        there = not right and is_there(change.before, change.after, words(after))
    if not there:
        return "corrected" if right or (change.before and has(words(after), change.before)) else "gone"
    return "marked" if SIGN in after else "unmarked"


def is_there(before: str, wrong: str, text: str) -> bool:
    """Whether the planted words stand in a sentence that is not the clean one; swapped names always do."""
    if "…" in wrong:
        return True
    return not has(text, before) if before and has(before, wrong) else has(text, wrong)


def has(text: str, part: str) -> bool:
    """Whether a text holds a part, as whole words."""
    return re.search(rf"(?<![\w.,]){re.escape(' '.join(part.split()))}(?!\w)", text) is not None


def is_found(draft: Draft, review: Review) -> bool:
    """Whether the user was shown something wrong about the planted sentence, as benchmarks/planted counts it."""
    ours = [each for each in review.claims if each.start < draft.end and draft.start < each.end]
    numbers = {each.n for each in ours}
    return any(each.verdict in WRONG for each in ours) or any(
        check.status is Status.FAILED
        and check.severity is not Severity.WARN
        and (check.claim in numbers or (check.claim is None and within(check, draft)))
        for check in review.checks
    )


def within(check: Check, draft: Draft) -> bool:
    """Whether a check is about a mark in the planted sentence."""
    return check.answer_span is not None and draft.start <= check.answer_span.start < draft.end


def broken(draft: Draft, before: Review, after: Review) -> int:
    """Claims of clean sentences that passed before and, in the same words, fail now."""
    ours = [] if draft.kind is None else [c for c in before.claims if c.start < draft.end and draft.start < c.end]
    passed = {each.text for each in before.claims if each.verdict is Verdict.SUPPORTED and each not in ours}
    return sum(each.text in passed and each.verdict in WRONG for each in after.claims)


async def _fixed(some: Sequence[Draft]) -> list[Outcome]:
    found = []
    async with open_checker(models=False) as engine:
        for draft in some:
            passages = tuple(
                Passage(f"p{n}", f"d{n}", "", 0, len(text), text) for n, text in enumerate(draft.passages, 1)
            )
            before = await engine.acheck(draft.text, passages)
            for drops in (False, True):
                fixed = await engine.afix(draft.text, passages, drop=drops)
                found.append(outcome(draft, before, fixed, drops, Numbered(passages)))
    return found


def fixed(some: Sequence[Draft]) -> list[Outcome]:
    """The outcomes of some drafts."""
    return asyncio.run(_fixed(some))


def every(some: Sequence[Draft], workers: int) -> list[Outcome]:
    """All outcomes, in as many processes as wanted."""
    pieces = [some[at : at + 25] for at in range(0, len(some), 25)]
    with ProcessPoolExecutor(workers) as pool:
        return [one for piece in pool.map(fixed, pieces) for one in piece]


def share(part: int, whole: int) -> float | None:
    """The share, three places; None of nothing."""
    return round(part / whole, 3) if whole else None


def table(found: Sequence[Outcome]) -> dict[str, Any]:
    """The measures of one way of fixing one stratum."""
    planted = [each for each in found if each.end is not None]
    seen = [each for each in planted if each.found]
    values = [each for each in planted if each.draft.kind in VALUES]
    clean = sum(each.clean for each in found)
    return {
        "drafts": len(found),
        "planted": len(planted),
        "found": share(len(seen), len(planted)),
        "of those found, left unmarked": share(sum(each.end == "unmarked" for each in seen), len(seen)),
        "planted numbers and names corrected": share(sum(e.end == "corrected" for e in values), len(values)),
        "sentences": sum(each.sentences for each in found),
        "sentences dropped": share(sum(each.dropped for each in found), sum(each.sentences for each in found)),
        "clean sentences": clean,
        "clean sentences untouched": share(sum(each.untouched for each in found), clean),
        "clean sentences whose words changed": sum(each.reworded for each in found),
        "clean claims broken": sum(each.broken for each in found),
        "by kind": {kind: ends(planted, kind) for kind in sorted({each.draft.kind or "" for each in planted})},
    }


def ends(planted: Iterable[Outcome], kind: str) -> dict[str, int]:
    """How the errors of a kind ended, and how many of them were found."""
    group = [each for each in planted if each.draft.kind == kind]
    counted = Counter(str(each.end) for each in group)
    return {"planted": len(group), "found": sum(each.found for each in group), **dict(sorted(counted.items()))}


def look(found: Iterable[Outcome], path: Path) -> None:
    """What did not end well: errors left or only marked, clean sentences that were touched."""
    with path.open("w", encoding="utf-8") as out:
        for each in found:
            if each.end in ("unmarked", "marked", "dropped", "gone") or each.untouched < each.clean or each.broken:
                change = each.draft.change
                row = {
                    "stratum": each.draft.clean.stratum, "drops": each.drops, "kind": each.draft.kind,
                    "end": each.end, "found": each.found, "way": change and change.way,
                    "before": change and change.before, "wrong": change and change.after,
                    "draft": each.draft.text, "after": each.after,
                    "touched": each.clean - each.untouched, "reworded": each.reworded, "broken": each.broken,
                    "reasons": each.reasons, "passages": each.draft.passages,
                }  # fmt: skip
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    """Fix, follow, count."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--look", type=Path, help="use the half for looking at; what did not end well to this file")
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--stratum", choices=["copied", "reworded"])
    asked.add_argument("--one-in", type=int, default=1, help="only every so manyth of the reworded drafts")
    args = asked.parse_args()
    half = "looked at" if args.look else "reported"
    some = [each for each in drafts() if each.clean.half == half and args.stratum in (None, each.clean.stratum)]
    copied = [each for each in some if each.clean.stratum == "copied"]
    reworded = [each for each in some if each.clean.stratum == "reworded"][:: args.one_in]
    found = every(copied + reworded, args.workers)
    numbers: dict[str, Any] = {"half": half, "of the reworded drafts, one in": args.one_in}
    for stratum in ("copied", "reworded"):
        for drops in (False, True):
            group = [each for each in found if each.draft.clean.stratum == stratum and each.drops is drops]
            if not group:
                continue
            numbers[f"{stratum}, {'dropping' if drops else 'marking'}"] = table(group)
    if args.look:
        look(found, args.look)
        print(json.dumps(numbers, indent=1))
    else:
        write_result("repair", "repair", numbers)


if __name__ == "__main__":
    main()
