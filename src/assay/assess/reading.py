"""An answer read for its assessment: its sentences, its claims, and what those stand on. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from assay.text.citation_marks import without_marks
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Claim, Draft, Evidence, Question, Review, Span

# What is quoted of an answer as an example.
_LONGEST_QUOTE = 160
# What a repair puts behind a sentence that could not be borne out; it is no part of what the sentence says.
_HEDGE = "⚠"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a rule found for one criterion: the score, 0 to 1, None where nothing can be measured, and why."""

    score: float | None
    reasons: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer beside its question, evidence and review; `text` has spaces for citation marks and ⚠."""

    question: Question
    evidence: Evidence
    draft: Draft
    review: Review
    text: str
    spans: tuple[Span, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences without their marks, headings and questions among them."""
        return tuple(self.text[span.start : span.end].strip() for span in self.spans)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the answer states."""
        return self.review.claims

    def quote(self, start: int, end: int) -> str:
        """The answer's own words from `start` to `end`, their first 160 characters."""
        return self.draft.text[start:end].strip()[:_LONGEST_QUOTE].rstrip()

    def quote_claim(self, claim: Claim) -> str:
        """A claim in the answer's own words."""
        return self.quote(claim.start, claim.end)


def read(question: Question, evidence: Evidence, draft: Draft, review: Review) -> Reading:
    """The answer, taken apart once for all criteria."""
    text = without_marks(draft.text, review.citations).replace(_HEDGE, " ")
    spans = tuple(span for span in sentences(text) if terms(text[span.start : span.end], stop_words=True))
    return Reading(question, evidence, draft, review, text, spans)


def grounds(reading: Reading, claim: Claim) -> str:
    """What a claim says together with what it stands on: its source spans, and the titles of what it cites.

    A source often names what the answer only points at: "It opened in 1932" from a page called "The bridge".
    """
    titles = {each.passage_id: each.title for each in reading.evidence.passages}
    cited = (titles.get(each, "") for each in claim.citations)
    return " ".join((claim.text, *(span.quote for span in claim.spans), *cited))
