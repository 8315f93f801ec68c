"""Drafts with marked errors, and what becomes of their sentences with a stage off."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from stage_questions import module, some
from stages_off import Off, taken_out

from assay.types import Verdict
from assay.wiring import open_checker
from report import data_folder

# Replies, and drafts to be fixed, without --full.
REPLIES, FIXED, ALL_FIXED = 24, 40, 150
FAILED = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


@dataclass(frozen=True)
class Drafted:
    """Shares of the sentences of one draft, 0 to 1, None where it has none of the kind; CPU time."""

    set: str
    good_kept: float | None
    good_flagged: float | None
    bad_passed: float | None
    bad_caught: float | None
    corrected: float | None
    cpu_ms: float


def reply_ends(off: Off, *, full: bool) -> dict[str, Drafted]:
    """Replies as a strong model writes them, good and with errors, played by the scripted model."""
    replies = module("replies/run.py")
    rows = [json.loads(line) for line in (data_folder() / "dev" / "replies" / "replies.jsonl").open()]
    rows = some(rows, None if full else REPLIES)
    found = {}
    for kind in ("good", "bad"):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.json"
            rules = [{"role": "writer", "contains": row["question"], "reply": row[kind]} for row in rows]
            script.write_text(json.dumps(rules), encoding="utf-8")
            with open_checker(
                model=f"fake:{script}", profile="fast", data_dir=Path(folder), **off.settings
            ) as opened:
                engine = taken_out(opened, off)
                for number, row in enumerate(rows):
                    began = time.process_time()
                    answer = replies.played(engine, row, None)
                    spent = 1000 * (time.process_time() - began)
                    said = list(replies.said(row, kind, answer))
                    found[f"replies/{kind}/{number}"] = _reply(f"replies, {kind}", said, spent)
    return found


def _reply(name: str, said: Sequence[Any], spent: float) -> Drafted:
    good, bad = [one for one in said if not one.bad], [one for one in said if one.bad]
    return Drafted(
        name,
        _share([one.unchanged and one.verdict not in FAILED for one in good]),
        _share([one.verdict in FAILED for one in good]),
        _share([one.verdict is Verdict.SUPPORTED for one in bad]),
        _share([one.verdict in FAILED for one in bad]),
        None,
        spent,
    )


def fixed_ends(off: Off, *, full: bool) -> dict[str, Drafted]:
    """Drafts of three true sentences and two with a wrong value, given to `fix`."""
    fix = module("fix/run.py")
    looked_at = {one.passage.passage_id for one in fix.drafts(fix.MORE_TRUE, fix.LOOKED_AT)}
    found = {}
    with open_checker(models=False, **off.settings) as opened:
        engine = taken_out(opened, off)
        for number, draft in enumerate(fix.drafts(fix.TRUE, ALL_FIXED if full else FIXED, looked_at)):
            text = " ".join(given for _, given in draft.lines)
            began = time.process_time()
            fixed = engine.fix(text, (draft.passage,))
            spent = 1000 * (time.process_time() - began)
            became = [fix.became(given, true, fixed) for true, given in draft.lines]
            true, wrong = [x for x in became if not x.is_wrong], [x for x in became if x.is_wrong]
            found[f"fix/{number}"] = Drafted(
                "fix",
                _share([x.end == "left" for x in true]),
                _share([x.end == "marked" for x in true]),
                _share([x.end == "left" for x in wrong]),
                _share([x.end != "left" for x in wrong]),
                _share([x.end == "corrected rightly" for x in wrong]),
                spent,
            )
    return found


def _share(values: Sequence[bool]) -> float | None:
    return mean(map(float, values)) if values else None
