"""The checks of a claim's quotations and facts in one table, and the findings made of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.core.budget import Timing, untimed
from assay.nlp.alignment import Alignment
from assay.nlp.citations import without_marks
from assay.nlp.sentences import sentences
from assay.types import Check, Finding, FindingKind, Review, Severity, Span, Status
from assay.verification.citations import locate_parts, quotations
from assay.verification.claims import Case, abstains, claims_nothing, result, says_only_yes_or_no
from assay.verification.comparison import additions, comparisons, roles
from assay.verification.names import names
from assay.verification.negation import check_denials
from assay.verification.values import dates, numbers

Effect = Literal["decides", "decides with a source", "is weighed", "informs"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of a failed check on a claim that a checker read, and its precision beyond the base rate.

    The figures are the share of false claims among those that it fails, less that among all claims of the same
    place, on natural and on labelled claims; None where it failed none (benchmarks/checks/results/ablation.json).
    """

    effect: Effect
    natural: float | None = None
    labelled: float | None = None


@dataclass(frozen=True, slots=True)
class FactCheck:
    """A check of facts: its cues in a claim, the function that compares them, and the effect of a failure.

    `in_copy` is for changed copies of a source sentence, `elsewhere` for freely worded claims.
    """

    name: str
    cues: str
    relation: Callable[[Alignment], list[Check]]
    in_copy: Outcome
    elsewhere: Outcome


_ROWS = (
    FactCheck(
        "numbers",
        "numbers with their units and rates, no part of a date",
        numbers,
        in_copy=Outcome("decides", 0.46, 0.242),
        elsewhere=Outcome("is weighed", 0.02, 0.282),
    ),
    FactCheck(
        "dates",
        "days, months, years, decades, centuries",
        dates,
        in_copy=Outcome("decides", 0.71, 0.413),
        elsewhere=Outcome("decides with a source", 0.258, 0.254),
    ),
    FactCheck(
        "names",
        "capitalised words, acronyms, codes, paths, options of commands",
        names,
        in_copy=Outcome("decides", 0.568, 0.556),
        elsewhere=Outcome("decides with a source", 0.294, 0.268),
    ),
    FactCheck(
        "negation",
        "denials put into or left out of what the source says",
        check_denials,
        in_copy=Outcome("decides", 0.407, 0.489),
        elsewhere=Outcome("is weighed", 0.227, 0.05),
    ),
    FactCheck(
        "comparison",
        "comparatives, directions, opposites, least and most",
        comparisons,
        in_copy=Outcome("decides", 0.51, 0.306),
        elsewhere=Outcome("is weighed", 0.181, 0.191),
    ),
    FactCheck(
        # The checker misses swaps: of planted ones this check finds 51 of 55 (benchmarks/planted).
        "roles",
        "names and words that have changed places",
        roles,
        in_copy=Outcome("decides", 0.165, 0.056),
        elsewhere=Outcome("informs"),
    ),
    FactCheck(
        # The checker misses additions: without this check .695 of the planted ones are found (decision 171).
        "additions",
        "words put into a copied sentence",
        additions,
        in_copy=Outcome("decides", 0.175, 0.445),
        elsewhere=Outcome("informs", None, 0.016),
    ),
)
FACT_CHECKS: Mapping[str, FactCheck] = {row.name: row for row in _ROWS}


def compared_checks(case: Case, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The checks of quotations and facts of a claim that is compared with its sources."""
    if case.compared is None:
        return []
    checks: list[Check] = []
    if "quotes" not in skip:
        with timing("quotes"):
            checks += quote_checks(case.compared)
    return checks + [check for part in case.parts for check in fact_checks(part, skip, timing)]


def fact_checks(claim: Alignment, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The claim's fact checks, without those in `skip`."""
    checks: list[Check] = []
    for name, row in FACT_CHECKS.items():
        if name not in skip:
            with timing(name):
                checks += row.relation(claim)
    return checks


def quote_checks(claim: Alignment) -> list[Check]:
    """The checks that each quotation of the claim stands in its sources word for word."""
    checks = []
    for span in quotations(claim.plain):
        place = locate_parts(claim.plain[span.start : span.end], claim.sources.passages)
        cause = None if place else "these quoted words are not in the sources of this claim"
        status = Status.PASSED if place else Status.FAILED
        checks.append(result(claim, "quotes", status, Severity.BLOCK, cause, span, place))
    return checks


# Open checks of what no other check tests.

_LIST_MARKS = "-*•+#0123456789.) "


def untested_in(text: str, review: Review, without_claims: Severity) -> tuple[Check, ...]:
    """Open checks of a text without claims, a bare yes or no, and headings, lead-ins and questions with a number.

    `without_claims` is the severity for a text without claims: an answer must not count as verified then, while a
    user's text may well claim nothing.
    """
    if not review.claims:
        cause = "the text claims nothing that can be tested"
        return (Check("support", Status.UNKNOWN, without_claims, None, cause),)
    blanked = without_marks(text, review.citations)
    cause = "a number in a heading, a lead-in or a question is not tested"
    found = [_untested(span, cause) for span in _unclaimed_numbers(blanked)]
    opening = blanked.split(".")[0]
    if says_only_yes_or_no(opening):
        cause = "a bare yes or no is not tested, only the reason given for it"
        found.insert(0, _untested(Span(0, len(opening)), cause))
    return tuple(found)


def untested_code(code: Sequence[Span]) -> tuple[Check, ...]:
    """One open check per stretch of code in a user's text."""
    return tuple(_untested(span, "code is not tested") for span in code)


def _unclaimed_numbers(text: str) -> Iterator[Span]:
    """The sentences that hold a number, though by their form they claim nothing."""
    for span in sentences(text, lowered=True):
        sentence = text[span.start : span.end]
        has_number = any(character.isdigit() for character in sentence.lstrip(_LIST_MARKS))
        if has_number and claims_nothing(sentence) and not abstains(sentence):
            yield span


def _untested(span: Span, cause: str) -> Check:
    return Check("support", Status.UNKNOWN, Severity.WARN, None, cause, span)


# The findings of checks that did not pass, with advice.

_ADVICE: Mapping[str, str] = {
    "citations": "cite one of the numbered sources, or drop the mark",
    "sources": "cite the passage that says this, or drop the sentence",
    "passages": "cite the passage that says this",
    "quotes": "quote the source's own words, or drop the quotation marks",
    "numbers": "use the source's number",
    "dates": "use the source's date",
    "names": "use the names that the source uses",
    "negation": "state it as the source does",
    "comparison": "state the direction that the source states",
    "roles": "say of each what the source says of it",
    "additions": "drop what no source says",
    "support": "restate it closer to the source, or drop it",
    "subject": "answer for what the question names",
    "directive": "read the source yourself: it may state nothing",
    "polarity": "read the source yourself, and say yes or no only where it does",
    "verifier": "ask again, or use another verifier model",
    "max-risk": "read claims like this yourself, or ask for no promise",
    "agreement": "read the sentence and its source, and decide",
}


def findings_of(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """The findings of the failed and open checks."""
    return tuple(finding_of(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))


def finding_of(check: Check) -> Finding:
    """The finding of a failed or open check."""
    return Finding(check.name, check.claim, check.severity, check.cause or "", _advice(check), check.kind)


def _advice(check: Check) -> str:
    """The advice for a check, with the source's own value where there is one."""
    if check.kind is FindingKind.DECORATIVE_CITATION:
        return "drop the mark"
    advice = _ADVICE[check.name]
    return advice if check.expected is None else f"{advice}: {check.expected}"
