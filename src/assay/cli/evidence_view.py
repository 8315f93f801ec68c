"""Search results, judgements, reviews and assessments for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.cli.answer_view import (
    Json,
    check_lines,
    first_check_lines,
    location,
    origin_parts,
    print_indented,
    with_mark,
)
from assay.cli.terminal import Terminal, first_of_each, one_line
from assay.types import Evidence, Hit, Judgement, Review, Status, plain

if TYPE_CHECKING:
    from rich.text import Text


# Characters of a passage in a list of hits. Chosen.
EXCERPT = 240


def show_evidence(evidence: Evidence, terminal: Terminal) -> None:
    """Print the hits, best first, with their scores."""
    console = terminal.console()
    for number, hit in enumerate(evidence.hits, 1):
        place = location(plain(hit.passage.location), hit.passage.title)
        parts = (one_line(hit.passage.title, 80), place, *origin_parts(plain(hit.passage.origin)))
        where = " · ".join(part for part in parts if part)
        console.print(f"{number}. {where or hit.passage.document_id}")
        print_indented(console, _scores(hit), 3)
        print_indented(console, one_line(hit.passage.text, EXCERPT), 3)
    if not evidence.hits:
        terminal.note("nothing found")


def show_judgement(judgement: Judgement, terminal: Terminal) -> None:
    """Print whether the evidence suffices, and what is missing."""
    console = terminal.console()
    sufficiency = "unknown" if judgement.sufficiency is None else f"{judgement.sufficiency:.2f}"
    calibrated = "" if judgement.calibrated else " (uncalibrated)"
    console.print(f"{judgement.recommendation.value} · {one_line(judgement.reason)}")
    console.print(f"sufficiency {sufficiency}{calibrated} · quality {judgement.quality}")
    for aspect in judgement.aspects:
        console.print(f"  {aspect.state}: {one_line(aspect.text)}")
    for name, found in (("missing", judgement.missing), ("issue", judgement.issues)):
        for text in found:
            console.print(f"  {name}: {one_line(text)}")
    open_checks = [check for check in judgement.checks if check.status in (Status.FAILED, Status.UNKNOWN)]
    for line in check_lines(plain(open_checks)):
        console.print(line)
    if judgement.mode_used not in ("fast", "fast (read)"):
        print_indented(console, f"judged {one_line(judgement.mode_used)}", 2)


def show_review(review: Review, terminal: Terminal) -> None:
    """Print the first claims of each verdict with their quotes, then the first checks."""
    from assay.verification.verifier import least_support

    console = terminal.console()
    claims = first_of_each(review.claims, lambda claim: claim.verdict.value)
    for claim in claims.first:
        console.print(f"{claim.n}. {claim.verdict.value}: {one_line(claim.text, EXCERPT)}")
        for span in claim.spans:
            print_indented(console, f"“{one_line(span.quote, EXCERPT)}”", 4)
    for line in (*claims.left_out(), *first_check_lines(plain(review.checks))):
        console.print(line)
    least = least_support(review)
    console.print(f"{review.verdict.value} · support {'unknown' if least is None else f'{least:.2f}'}")


def _scores(hit: Hit) -> str:
    raw = [f"{name} {value:.3f}" for name, value in plain(hit.scores).items() if value is not None]
    return ", ".join([f"score {hit.score:.3f}", *raw])


# --- assessments ------------------------------------------------------------------------------------------


# Criteria that need a question.
OF_A_QUESTION = ("relevance", "completeness")


def weakness_lines(answer: Json) -> Iterator[Text]:
    """A line for a failed assessment: the score, the threshold, and the weakest criterion.

    An overall score that was reached leaves the floor as what was not. Records of earlier versions may lack both.
    """
    assessment = answer.get("assessment")
    if not assessment or assessment["passed"] is not False:
        return
    overall, bar = assessment["overall"], assessment.get("bar")
    asked = "" if bar is None else f", at least {bar:.3f} needed"
    criterion = assessment.get("weakest")
    scored = [format_score(score) for score in assessment["scores"] if score["criterion"] == criterion]
    floor = "" if assessment.get("floor") is None else f" of {assessment['floor']:.3f}"
    below = f"below the floor{floor}" if bar is not None and overall >= bar else "the weakest"
    weakest = f"; {below}: {scored[0]}" if scored else ""
    yield with_mark("failed", f"assessed as weak: {overall:.3f} overall{asked}{weakest}")


def assessment_lines(assessment: Json | None, asked: bool) -> Iterator[str]:
    """A line for an assessment: the overall score, the known scores, and what needs a question."""
    if not assessment:
        return
    known = [format_score(score) for score in assessment["scores"] if score["score"] is not None]
    open_ones = [score["criterion"] for score in assessment["scores"] if score["score"] is None]
    needed = [criterion for criterion in OF_A_QUESTION if criterion in open_ones and not asked]
    hint = [f"give --question to assess {' and '.join(needed)}"] if needed else []
    overall = format_score({"criterion": "overall", "score": assessment["overall"]})
    yield "; ".join([f"assessed: {overall}", *([", ".join(known)] if known else []), *hint])


def format_score(score: Json) -> str:
    """A criterion with its score.

    >>> format_score({"criterion": "user_alignment", "score": 0.5})
    'user alignment 0.500'
    """
    known = "unknown" if score["score"] is None else f"{score['score']:.3f}"
    return f"{score['criterion'].replace('_', ' ')} {known}"
