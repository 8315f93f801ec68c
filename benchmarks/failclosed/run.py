"""Faults of a verifier model's reply on a claim that no source bears out: what passes it in silence?

.venv/bin/python benchmarks/failclosed/run.py      # a second

Beside assay's verifier stand two ways of reading such a reply that published agents use: a search for the word
SUPPORTED, and a JSON evaluation with scores to fall back on. A silent pass is a claim taken as good with nothing
that says that it was not tested. An exception is none: it is told.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.errors import ProviderUnreachable
from assay.models.run_model import RunModel
from assay.testing.fakes import ScriptedModel
from assay.types import Passage, Status, Verdict
from assay.verification.model_verifier import ModelTier, ModelVerifier
from assay.verification.verifier import DeterministicVerifier
from report import write_result

SOURCE = (
    "The old mill stood by the river for two centuries. It burned down in the winter of 1901. Nobody rebuilt it."
)
# Near enough to its source that words and vectors settle nothing.
CLAIM = "Fire destroyed the ancient mill and the bakery beside the river."
Reply = str | Exception


def honest() -> dict[str, Any]:
    """What a verifier that works says in assay's own form."""
    return {"claims": [{"number": 1, "parts": [{"text": CLAIM, "verdict": "unsupported", "sentences": []}]}]}


def claimed(sentences: list[int], number: int = 1) -> str:
    """A reply in assay's form that calls the claim supported."""
    return json.dumps(
        {"claims": [{"number": number, "parts": [{"text": CLAIM, "verdict": "supported", "sentences": sentences}]}]}
    )


def evaluated(score: float) -> str:
    """A reply in the form of a scored evaluation."""
    return json.dumps({"accuracy": {"score": score}, "overall_score": score, "needs_improvement": score < 0.7})


# Each fault as the three readers meet it: assay's form, a word in prose, a scored evaluation.
FAULTS: Mapping[str, tuple[Reply, Reply, Reply]] = {
    "timeout": (TimeoutError("no reply"),) * 3,
    "unreachable": (ConnectionError("refused"),) * 3,
    "status 500": (RuntimeError("500"),) * 3,
    "empty": ("",) * 3,
    "white space": (" \n ",) * 3,
    "bad JSON": (json.dumps(honest())[:-1] + ",,", "- the bakery,,", evaluated(0.2)[:-1] + ",,"),
    "truncated": (json.dumps(honest())[:40], "UNSUPP", evaluated(0.2)[:30]),
    "truncated within the word": (
        json.dumps(honest())[:60],
        "The claim is UNSUPPORTED: the bak",
        evaluated(0.2)[:-3],
    ),
    "null": ("null",) * 3,
    "a list": ("[]",) * 3,
    "an apology": ("I am sorry, I cannot help with that.",) * 3,
    "an error page": ("<html><title>502</title></html>",) * 3,
    "wrong keys": (json.dumps({"the_claims": []}), "Verdict: none", json.dumps({"the_score": 0.2})),
    "score as words": (json.dumps({"claims": "none"}), "2 of 10", json.dumps({"overall_score": "2 of 10"})),
    "NaN": (json.dumps({"claims": float("nan")}), "NaN", json.dumps({"overall_score": float("nan")})),
    "a denial that holds the word": (json.dumps(honest()), "NOT SUPPORTED", evaluated(0.2)),
    "claims without marks": (json.dumps(honest()), "1. The bakery is not in the context.", evaluated(0.2)),
    "a sentence never given": (claimed([97]), "SUPPORTED by 97", evaluated(0.9)),
    "no sentence": (claimed([]), "SUPPORTED", evaluated(0.9)),
    "the claim left out": (json.dumps({"claims": []}), "", json.dumps({})),
    "another claim": (claimed([1], number=2), "Claim 2: SUPPORTED", evaluated(0.9)),
}


def by_word(reply: Reply) -> bool:
    """Whether a search for the word, bullets otherwise, takes the claim as good."""
    if isinstance(reply, Exception):
        raise reply
    if "SUPPORTED" in reply:
        return True
    return not [line for line in reply.split("\n") if line.strip().startswith("-")]


def by_score(reply: Reply) -> bool:
    """Whether an evaluation, .75 where it cannot be read, takes the claim as good."""
    if isinstance(reply, Exception):
        raise reply
    try:
        evaluation = json.loads(reply)
        _ = (0.5 + evaluation["overall_score"]) / 2
    except Exception:  # noqa: BLE001 - the fallback is what is measured
        evaluation = {"overall_score": 0.75, "needs_improvement": False}
    return not evaluation.get("needs_improvement", False)


def by_assay(reply: Reply) -> bool:
    """Whether assay takes the claim as good without a check that says otherwise."""
    if isinstance(reply, Exception):
        reply = ProviderUnreachable(str(reply), hint="")
    model = RunModel(ScriptedModel(reply, reply))
    verifier = ModelVerifier(DeterministicVerifier(), ModelTier(model, fence=lambda: "5eed" * 8))
    review = asyncio.run(verifier.check(CLAIM, (Passage("p", "p", "", 0, len(SOURCE), SOURCE),)))
    told = any(each.status in (Status.UNKNOWN, Status.FAILED) for each in review.checks)
    return all(claim.verdict is Verdict.SUPPORTED for claim in review.claims) or not told


def outcome(reader: Callable[[Reply], bool], reply: Reply) -> str:
    """What the reader makes of the reply."""
    try:
        return "silent pass" if reader(reply) else "told"
    except Exception as error:  # noqa: BLE001 - an error of any kind is told
        return f"error: {type(error).__name__}"


def main() -> None:
    """Every fault through every reader."""
    rows = {
        fault: {
            "assay": outcome(by_assay, forms[0]),
            "search for a word": outcome(by_word, forms[1]),
            "evaluation with a fallback": outcome(by_score, forms[2]),
        }
        for fault, forms in FAULTS.items()
    }
    passes = {
        reader: sum(row[reader] == "silent pass" for row in rows.values())
        for reader in ("assay", "search for a word", "evaluation with a fallback")
    }
    write_result("failclosed", "failclosed", {"faults": len(rows), "silent passes": passes, "each": rows})


if __name__ == "__main__":
    main()
