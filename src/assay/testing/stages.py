"""The stages of one question, each a fake that was told nothing, with those that a test is about in their place."""

from __future__ import annotations

from typing import Any

from assay.stages import Stages
from assay.testing.fakes import (
    KeepingSelector,
    PlainDecliner,
    PlainRater,
    ScriptedJudge,
    ScriptedRefiner,
    ScriptedRepairer,
    ScriptedRetriever,
    ScriptedUnderstander,
    ScriptedVerifier,
    ScriptedWriter,
)
from assay.types import Check, Claim, Finding, ModelsUsed, Review, Severity, Status, Usage, Verdict
from assay.worth import Worth

_STATES = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}


def scripted_stages(**given: Any) -> Stages:
    """Fakes that raise Unscripted whatever they are asked, but for those `given` by the name of their stage.

    Without a `quoter` of its own, the writer quotes too.

    >>> scripted_stages(rules=None).models.writer
    'scripted'
    """
    writer = given.get("writer", ScriptedWriter({}))
    told: dict[str, Any] = {
        "understander": ScriptedUnderstander(),
        "retriever": ScriptedRetriever({}),
        "outside": ScriptedRetriever({}),
        "refiner": ScriptedRefiner(),
        "selector": KeepingSelector(),
        "judge": ScriptedJudge({}),
        "writer": writer,
        "quoter": writer,
        "decliner": PlainDecliner(),
        "verifier": ScriptedVerifier({}),
        "repairer": ScriptedRepairer({}),
        "rules": None,
        "assessor": None,
        "rater": PlainRater(),
        "models": ModelsUsed("scripted", "scripted", "scripted"),
        "able": frozenset(),
        "mends": frozenset(),
        "worth": Worth(),
        "spent": Usage,
    }
    return Stages(**(told | given))


def review_of(*claims: tuple[str, Verdict], expected: str | None = None) -> Review:
    """A review of claims, each a text and a verdict, with a support check each that tells what is `expected`.

    >>> [check.status.value for check in review_of(("It rained.", Verdict.UNKNOWN)).checks]
    ['unknown']
    """
    made = tuple(Claim(n, text, 0, len(text), (), verdict, None) for n, (text, verdict) in enumerate(claims, 1))
    checks = tuple(
        Check("support", _STATES.get(each.verdict, Status.FAILED), Severity.BLOCK, each.n, "why", expected=expected)
        for each in made
    )
    wrong = (each for each in checks if each.status is not Status.PASSED)
    return Review(made, checks, tuple(Finding("support", each.claim, each.severity, "why", "") for each in wrong))
