"""Quality of citations: precision, recall and F1 of what is quoted, validity of marks, accuracy of pages."""

from __future__ import annotations

from functools import lru_cache

from assay.evals.cases import Case, WantedQuote
from assay.evals.metrics.gold import GIVEN
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.metrics.retrieval import is_of_document
from assay.evals.results import CaseResult, CitedQuote
from assay.nlp.tokens import words

# Two quotes are of one place if a run of so many of the shorter one's words is in the longer one (chosen).
_COMMON = 0.5
_CAUSE = "no case says what should be cited"


def meets(wanted: WantedQuote, cited: CitedQuote) -> bool:
    """True if a citation is of the wanted place: of the document, and of the wanted words where there are any.

    Quotes are of one place if half of the shorter one's words stand in the longer one in a run. A wanted quote
    without a document may stand in any. Pages do not count here.

    >>> cited = CitedQuote(0, "d", "/notes/a.md", "The rent is due on the first day of each month.")
    >>> meets(WantedQuote("a.md", "rent is due on the first day"), cited)
    True
    """
    if wanted.document and not is_of_document(wanted.document, cited.document_id, cited.path):
        return False
    return not wanted.quote.strip() or _overlap(wanted.quote, cited.quote)


@lru_cache(maxsize=1024)  # several measures compare the same two
def _overlap(one: str, other: str) -> bool:
    shorter, longer = sorted((words(one), words(other)), key=len)
    length = max(1, round(len(shorter) * _COMMON))
    within = f" {' '.join(longer)} "
    starts = range(len(shorter) - length + 1)
    return any(f" {' '.join(shorter[start : start + length])} " in within for start in starts)


def citation_precision(case: Case, result: CaseResult) -> float | None:
    """The share of what is cited that is wanted, 0 to 1; None where an answer cites nothing, or is none.

    As citation precision by gold evidence (Gao et al. 2023, arXiv 2305.14627, section 3), with people's quotes in
    place of a model's entailment.
    """
    if not result.cited or result.outcome not in GIVEN:
        return None
    return sum(any(meets(wanted, cited) for wanted in case.quotes) for cited in result.cited) / len(result.cited)


def citation_recall(case: Case, result: CaseResult) -> float:
    """The share of the wanted quotes that are cited, 0 to 1; 0 where there is no answer."""
    if result.outcome not in GIVEN:
        return 0.0
    return sum(any(meets(wanted, cited) for cited in result.cited) for wanted in case.quotes) / len(case.quotes)


def citation_f1(case: Case, result: CaseResult) -> float:
    """The harmonic mean of precision and recall, 0 where nothing wanted is cited."""
    precision, found = citation_precision(case, result) or 0.0, citation_recall(case, result)
    return 2 * precision * found / (precision + found) if precision + found else 0.0


def citation_validity(_case: Case, result: CaseResult) -> float | None:
    """The share of an answer's citations that name a source; None where it cites nothing."""
    if result.outcome not in GIVEN:
        return None
    marks = len(result.cited) + result.invalid_citations
    return len(result.cited) / marks if marks else None


def page_accuracy(case: Case, result: CaseResult) -> float | None:
    """Share of the citations of a wanted place with a known page that have that page; None where there are none."""
    pages = [
        (cited.page, {wanted.page for wanted in case.quotes if wanted.page is not None and meets(wanted, cited)})
        for cited in result.cited
    ]
    known = [page in wanted for page, wanted in pages if wanted]
    return sum(known) / len(known) if known else None


def _has_quotes(case: Case) -> bool:
    return bool(case.quotes)


def _has_pages(case: Case) -> bool:
    return any(quote.page is not None for quote in case.quotes)


PRECISION = MeanMeasure("citation_precision", "citations", citation_precision, _CAUSE, _has_quotes)
RECALL = MeanMeasure("citation_recall", "citations", citation_recall, _CAUSE, _has_quotes)
F1 = MeanMeasure("citation_f1", "citations", citation_f1, _CAUSE, _has_quotes)
VALIDITY = MeanMeasure("citation_validity", "citations", citation_validity, "no answer cites anything")
PAGE_ACCURACY = MeanMeasure(
    "page_accuracy", "citations", page_accuracy, "no case says on which page a quote stands", _has_pages
)
MEASURES = (PRECISION, RECALL, F1, VALIDITY, PAGE_ACCURACY)
