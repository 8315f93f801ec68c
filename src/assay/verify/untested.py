"""What a text says that no check tests, told as open checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.text.citation_marks import without_marks
from assay.text.sentences import sentences
from assay.types import Check, Review, Severity, Span, Status
from assay.verify.claims import abstains, claims_nothing, says_only_yes_or_no

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
    for span in sentences(text):
        said = text[span.start : span.end]
        number = any(each.isdigit() for each in said.lstrip(_LIST_MARKS))
        if number and claims_nothing(said) and not abstains(said):
            yield span


def _open(span: Span, cause: str) -> Check:
    return Check("support", Status.UNKNOWN, Severity.WARN, None, cause, span)
