"""Search results, judgements and reviews as people read them."""

from __future__ import annotations

from assay.cli.answer_view import check_lines, first_check_lines, indented, location, origin_parts
from assay.cli.first_of_each import first_of_each
from assay.cli.terminal import Terminal, one_line
from assay.types import Evidence, Hit, Judgement, Review, Status, plain
from assay.verify.review import least_support

# How much of a passage a list of hits shows.
EXCERPT = 240


def show_evidence(evidence: Evidence, terminal: Terminal) -> None:
    """Print the hits, best first, with the raw scores beside the joined one."""
    console = terminal.console()
    for number, hit in enumerate(evidence.hits, 1):
        place = location(plain(hit.passage.location), hit.passage.title)
        parts = (one_line(hit.passage.title, 80), place, *origin_parts(plain(hit.passage.origin)))
        where = " · ".join(each for each in parts if each)
        console.print(f"{number}. {where or hit.passage.document_id}")
        indented(console, _scores(hit), 3)
        indented(console, one_line(hit.passage.text, EXCERPT), 3)
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
        for each in found:
            console.print(f"  {name}: {one_line(each)}")
    open_checks = [each for each in judgement.checks if each.status in (Status.FAILED, Status.UNKNOWN)]
    for line in check_lines(plain(open_checks)):
        console.print(line)
    if judgement.mode_used not in ("fast", "fast (read)"):
        indented(console, f"judged {one_line(judgement.mode_used)}", 2)


def show_review(review: Review, terminal: Terminal) -> None:
    """Print the first claims of each verdict with what the passages say of them, then the first checks."""
    console = terminal.console()
    claims = first_of_each(review.claims, lambda claim: claim.verdict.value)
    for claim in claims.first:
        console.print(f"{claim.n}. {claim.verdict.value}: {one_line(claim.text, EXCERPT)}")
        for span in claim.spans:
            indented(console, f"“{one_line(span.quote, EXCERPT)}”", 4)
    for line in (*claims.left_out(), *first_check_lines(plain(review.checks))):
        console.print(line)
    least = least_support(review)
    console.print(f"{review.verdict.value} · support {'unknown' if least is None else f'{least:.2f}'}")


def _scores(hit: Hit) -> str:
    raw = [f"{name} {value:.3f}" for name, value in plain(hit.scores).items() if value is not None]
    return ", ".join([f"score {hit.score:.3f}", *raw])
