"""The checks of a claim's quotations and facts in one table, and the findings that checks become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.core.budget import Timing, untimed
from assay.nlp.alignment import Alignment
from assay.nlp.citations import without_marks
from assay.nlp.sentences import sentences
from assay.types import Check, Finding, FindingKind, Review, Severity, Span, Status
from assay.verification.citations import locate_parts, quoted
from assay.verification.claims import Case, abstains, claims_nothing, result, says_only_yes_or_no
from assay.verification.comparison import additions, comparisons, roles
from assay.verification.names import names
from assay.verification.negation import check_denials
from assay.verification.values import dates, numbers

Effect = Literal["decides", "decides with a source", "is weighed", "informs"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a failed check does to a claim that a checker read, and how far it is right beyond the base rate.

    The figures are shares of false claims among those that it fails less that among all, on natural and on labelled
    claims, None where it failed none (benchmarks/checks/results/ablation.json).
    """

    effect: Effect
    natural: float | None = None
    labelled: float | None = None


@dataclass(frozen=True, slots=True)
class FactCheck:
    """A check of facts: what in a claim calls for it, how that is compared, and what its failing does.

    `in_copy` is for changed copies of a source sentence, `elsewhere` for claims in words of their own.
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
        in_copy=Outcome("decides", 0.262, 0.088),
        elsewhere=Outcome("is weighed", 0.073, 0.367),
    ),
    FactCheck(
        "dates",
        "days, months, years, decades, centuries",
        dates,
        in_copy=Outcome("decides", 0.5, 0.258),
        elsewhere=Outcome("decides with a source", 0.304, 0.339),
    ),
    FactCheck(
        "names",
        "capitalised words, acronyms, codes",
        names,
        in_copy=Outcome("decides", 0.333, 0.401),
        elsewhere=Outcome("decides with a source", 0.339, 0.353),
    ),
    FactCheck(
        "negation",
        "denials put into or left out of what the source says",
        check_denials,
        in_copy=Outcome("decides", 0.125, 0.335),
        elsewhere=Outcome("is weighed", -0.01, 0.242),
    ),
    FactCheck(
        "comparison",
        "comparatives, directions, opposites, least and most",
        comparisons,
        in_copy=Outcome("decides", 0.3, 0.151),
        elsewhere=Outcome("is weighed", 0.232, 0.276),
    ),
    FactCheck(
        # Kept for what no checker sees: 51 of 55 planted swaps are found (benchmarks/planted).
        "roles",
        "names and stretches around one verb",
        roles,
        in_copy=Outcome("decides", -0.045, -0.099),
        elsewhere=Outcome("informs"),
    ),
    FactCheck(
        # Kept for what no checker sees: 122 of 154 planted additions are found (benchmarks/planted).
        "additions",
        "words put into a copied sentence",
        additions,
        in_copy=Outcome("decides", -0.038, 0.29),
        elsewhere=Outcome("informs", None, 0.101),
    ),
)
FACT_CHECKS: Mapping[str, FactCheck] = {row.name: row for row in _ROWS}


def compared_checks(case: Case, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The checks of a claim that is compared with its sources: its quotations and its facts."""
    if case.compared is None:
        return []
    checks: list[Check] = []
    if "quotes" not in skip:
        with timing("quotes"):
            checks += quote_checks(case.compared)
    return checks + [check for part in case.parts for check in fact_checks(part, skip, timing)]


def fact_checks(claim: Alignment, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The claim's fact checks, those in `skip` left out."""
    checks: list[Check] = []
    for name, row in FACT_CHECKS.items():
        if name not in skip:
            with timing(name):
                checks += row.relation(claim)
    return checks


def quote_checks(claim: Alignment) -> list[Check]:
    """Each quotation of the claim stands in its sources, word for word."""
    checks = []
    for span in quoted(claim.plain):
        place = locate_parts(claim.plain[span.start : span.end], claim.sources.passages)
        cause = None if place else "these quoted words do not stand in the sources of this claim"
        status = Status.PASSED if place else Status.FAILED
        checks.append(result(claim, "quotes", status, Severity.BLOCK, cause, span, place))
    return checks


# What a text says that no check tests, told as open checks.


_LIST_MARKS = "-*•+#0123456789.) "


def untested_in(text: str, review: Review, without_claims: Severity) -> tuple[Check, ...]:
    """A text without any claim, a bare yes or no, and headings, lead-ins and questions that hold a number.

    An answer `without_claims` must not count as verified; anyone's text may well claim nothing.
    """
    if not review.claims:
        cause = "the text claims nothing that can be tested"
        return (Check("support", Status.UNKNOWN, without_claims, None, cause),)
    blanked = without_marks(text, review.citations)
    found = [_open(span, "a number in a heading, a lead-in or a question is not tested") for span in _led(blanked)]
    opening = blanked.split(".")[0]
    if says_only_yes_or_no(opening):
        cause = "a bare yes or no is not tested, only the ground given for it"
        found.insert(0, _open(Span(0, len(opening)), cause))
    return tuple(found)


def untested_code(code: Sequence[Span]) -> tuple[Check, ...]:
    """The code of anyone's text, each stretch of which is told to be untested."""
    return tuple(_open(span, "code is not tested") for span in code)


def _led(text: str) -> Iterator[Span]:
    """The sentences that claim nothing by their form, and hold a number all the same."""
    for span in sentences(text, lowered=True):
        said = text[span.start : span.end]
        number = any(one.isdigit() for one in said.lstrip(_LIST_MARKS))
        if number and claims_nothing(said) and not abstains(said):
            yield span


def _open(span: Span, cause: str) -> Check:
    return Check("support", Status.UNKNOWN, Severity.WARN, None, cause, span)


# From checks to findings: what did not pass, with advice on how to mend it.


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
    """The findings of some checks: those that failed, and those that could not be made."""
    return tuple(finding_of(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))


def finding_of(check: Check) -> Finding:
    """The finding of a check that did not pass."""
    return Finding(check.name, check.claim, check.severity, check.cause or "", _advice(check), check.kind)


def _advice(check: Check) -> str:
    """What to do: with the source's own value where there is one."""
    if check.kind is FindingKind.DECORATIVE_CITATION:
        return "drop the mark"
    advice = _ADVICE[check.name]
    return advice if check.expected is None else f"{advice}: {check.expected}"
