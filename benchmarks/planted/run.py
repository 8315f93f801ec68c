"""Errors planted into copied and reworded texts: how many the checks find without a model, and their false alarms.

.venv/bin/python benchmarks/planted/run.py                  # about 10 minutes; reports the half nobody looked at
.venv/bin/python benchmarks/planted/run.py --look FILE      # the other half: every miss and false alarm to FILE

A claim is flagged when it is shown as contradicted or unsupported, or when a blocking check of it failed. Unknown
is no flag and is counted apart; nor is a sentence flagged that only lacks a mark.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from drafts import Draft, drafts

from assay.types import Check, Claim, Passage, Review, Severity, Status, Verdict
from report import bundled_checker, write_result

WRONG = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


@dataclass(frozen=True)
class Outcome:
    """What came of one draft: was the planted sentence flagged, or left unknown; for clean ones, each sentence.

    `kinds` are the kinds of the findings on the planted sentence.
    """

    draft: Draft
    flagged: int
    unknown: int
    claims: int
    kinds: tuple[str, ...]
    causes: tuple[str, ...]


def failed(check: Check) -> bool:
    """Whether the user sees the check as failed."""
    return check.status is Status.FAILED and check.severity is Severity.BLOCK


def flagged(claim: Claim, review: Review) -> bool:
    """Whether the user sees something wrong about a claim."""
    return claim.verdict in WRONG or any(failed(check) for check in about(claim, review))


def about(claim: Claim, review: Review) -> list[Check]:
    """The claim's checks, marks behind or inside it included."""
    following = min((each.start for each in review.claims if each.start >= claim.end), default=10**9)
    return [
        check
        for check in review.checks
        if check.claim == claim.n
        or (check.claim is None and check.answer_span and claim.start <= check.answer_span.start < following)
    ]


def outcome(draft: Draft, review: Review) -> Outcome:
    """The draft's claims, those of the planted sentence where one is planted."""
    claims = [c for c in review.claims if draft.kind is None or (c.start < draft.end and draft.start < c.end)]
    wrong = [each for each in claims if flagged(each, review)]
    open_ = [each for each in claims if each not in wrong and each.verdict is Verdict.UNKNOWN]
    checks = [check for each in wrong for check in about(each, review) if failed(check)]
    kinds = tuple(sorted({check.kind.value for check in checks if check.kind is not None}))
    causes = tuple(f"{check.name}: {check.cause}" for check in checks)
    return Outcome(draft, len(wrong), len(open_), len(claims), kinds, causes)


async def _checked(some: Sequence[Draft], checker: bool) -> list[Outcome]:
    import assay_models

    from assay.models.embed_local import LocalEmbedder
    from assay.verification.verifier import DeterministicVerifier

    reads = bundled_checker() if checker else None
    verifier = DeterministicVerifier(LocalEmbedder.load(assay_models.folder(), threads=1), checker=reads)
    found = []
    for draft in some:
        passages = tuple(
            Passage(f"p{n}", f"d{n}", "", 0, len(text), text) for n, text in enumerate(draft.passages, 1)
        )
        found.append(outcome(draft, await verifier.check(draft.text, passages)))
    return found


def checked(some: Sequence[Draft], checker: bool) -> list[Outcome]:
    """The outcomes of some drafts, with the bundled `checker` or without it."""
    return asyncio.run(_checked(some, checker))


def every(some: Sequence[Draft], workers: int, checker: bool) -> list[Outcome]:
    """All outcomes, in as many processes as wanted."""
    size = 50
    pieces = [some[at : at + size] for at in range(0, len(some), size)]
    with ProcessPoolExecutor(workers) as pool:
        return [one for piece in pool.map(partial(checked, checker=checker), pieces) for one in piece]


def share(part: int, whole: int) -> float | None:
    """The share, three places; None of nothing."""
    return round(part / whole, 3) if whole else None


def table(found: Iterable[Outcome]) -> dict[str, Any]:
    """By kind of error: drafts, found, left unknown, named rightly; and the clean ones flagged."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for each in found:
        by_kind[each.draft.kind or "clean"].append(each)
    clean = by_kind.pop("clean", [])
    claims = sum(each.claims for each in clean)
    rows: dict[str, Any] = {
        "clean": {
            "drafts": len(clean),
            "sentences": claims,
            "flagged": share(sum(each.flagged for each in clean), claims),
            "unknown": share(sum(each.unknown for each in clean), claims),
            "drafts flagged": share(sum(each.flagged > 0 for each in clean), len(clean)),
        }
    }
    planted = [each for group in by_kind.values() for each in group]
    rows["all errors"] = counted(planted)
    for kind, group in by_kind.items():
        ways = Counter(each.draft.change.way for each in group if each.draft.change)
        rows[kind] = counted(group) | {
            "by way": {
                way: f"{sum(e.flagged > 0 for e in group if e.draft.change and e.draft.change.way == way)} of {n}"
                for way, n in sorted(ways.items())
            }
        }
    return rows


def counted(group: Sequence[Outcome]) -> dict[str, Any]:
    """Of drafts with an error: how many, found, and of those not found, unknown."""
    right = sum(RIGHT.get(each.draft.kind or "", "") in each.kinds for each in group)
    return {
        "drafts": len(group),
        "found": share(sum(each.flagged > 0 for each in group), len(group)),
        "unknown": share(sum(not each.flagged and each.unknown > 0 for each in group), len(group)),
        "named as what it is": share(right, len(group)),
    }


RIGHT = {
    "number": "wrong-number",
    "date": "wrong-date",
    "name": "wrong-name",
    "negation": "negation",
    "addition": "unsupported-addition",
    "roles": "contradicted",
    "citation": "wrong-passage",
}


def look(found: Iterable[Outcome], path: Path) -> None:
    """Every miss and false alarm, one JSON a line."""
    with path.open("w", encoding="utf-8") as out:
        for each in found:
            clean = each.draft.kind is None
            if clean == (each.flagged > 0):
                change = each.draft.change
                row = {
                    "stratum": each.draft.clean.stratum, "set": each.draft.clean.source, "kind": each.draft.kind,
                    "way": change and change.way, "before": change and change.before,
                    "after": change and change.after,
                    "sentence": change.text if change else each.draft.text, "causes": each.causes,
                    "unknown": each.unknown, "passages": each.draft.passages,
                }  # fmt: skip
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    """Plant, check, count."""
    asked = argparse.ArgumentParser()
    asked.add_argument(
        "--look", type=Path, help="use the half for looking at; misses and false alarms to this file"
    )
    asked.add_argument("--workers", type=int, default=1)
    asked.add_argument("--rules", action="store_true", help="without the checker; the result is kept apart")
    asked.add_argument("--stratum", choices=["copied", "reworded"])
    args = asked.parse_args()
    half = "looked at" if args.look else "reported"
    some = [each for each in drafts() if each.clean.half == half and args.stratum in (None, each.clean.stratum)]
    found = every(some, args.workers, not args.rules)
    numbers: dict[str, Any] = {"half": half, "drafts with an error": sum(each.kind is not None for each in some)}
    for stratum in ("copied", "reworded"):
        numbers[stratum] = table(each for each in found if each.draft.clean.stratum == stratum)
    if args.look:
        look(found, args.look)
        print(json.dumps(numbers, indent=1))
    else:
        write_result("planted", "rules" if args.rules else "planted", numbers)


if __name__ == "__main__":
    main()
