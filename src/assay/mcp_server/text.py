"""Results as plain text, for clients that read no structure.

Texts of documents and models are data. They stand behind "> " or within quotation marks on one line; links and
images become words, control characters escapes. None of it can pass for a line of assay's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.agents.shapes import (
    AnswerResult,
    ClaimResult,
    CollectionResults,
    ContradictionResult,
    EvidenceResult,
    Excerpt,
    PassageResult,
    ReviewResult,
    SearchResults,
    SourceResult,
)
from assay.errors import AssayError
from assay.nlp.controls import visible
from assay.nlp.markup import strip_links
from assay.types import Outcome

_OUTCOMES = {
    Outcome.ANSWERED: "Answered",
    Outcome.PARTIAL: "Answered in part",
    Outcome.CLARIFY: "No answer: the question is unclear",
    Outcome.ABSTAINED: "No answer",
}
_FITS = {
    "yes": "It answers the question.",
    "unsure": "It may not answer the question.",
    "no": "It does not answer the question.",
}


def harmless(text: str) -> str:
    r"""The text without links and images, with control characters as escapes.

    >>> harmless("See ![it](http://x.example/a.png)\x1b[2J.")
    'See it (x.example/a.png)\\x1b[2J.'
    """
    return visible(strip_links(text).text)


def line(text: str) -> str:
    """The text on one line, without what could act."""
    return harmless(" ".join(text.split()))


def quoted(text: str) -> str:
    r"""The text with "> " before each of its lines.

    >>> quoted("It rained.\n\nSources:")
    '> It rained.\n>\n> Sources:'
    """
    return "\n".join(f"> {part}".rstrip() for part in harmless(text).split("\n"))


def of_error(error: AssayError) -> str:
    """The cause, and what to do next."""
    return f"error: {line(str(error))}\nhint: {line(error.hint)}"


def of_answer(result: AnswerResult) -> str:
    """The answer, what is not verified, its sources."""
    return _joined(
        [_status(result)],
        [quoted(result.text)] if result.text else [],
        _listed("Ask again with one of:", map(line, result.choices)),
        _listed("Left out, since not verified:", (f"“{line(s.text)}” ({line(s.reason)})" for s in result.left_out)),
        _listed("Open checks:", map(line, result.open_checks)),
        _listed("Missing:", map(line, result.missing)),
        _listed("The sources disagree:", map(_disagreement, result.contradictions)),
        _source_lines(result.sources),
        _listed("Warnings:", map(line, result.warnings)),
    )


def of_search(result: SearchResults) -> str:
    """The passages, best first."""
    return _joined(
        [_counted(len(result.passages), "passage")],
        *(_passage_lines(n, passage) for n, passage in enumerate(result.passages, 1)),
        _listed("Warnings:", map(line, result.warnings)),
    )


def of_evidence(result: EvidenceResult) -> str:
    """Write whether the passages suffice, and then the passages."""
    known = "not measured" if result.sufficiency is None else f"{result.sufficiency:.2f}"
    return _joined(
        [f"{result.recommendation.value}: {line(result.reason)}", f"sufficiency of the evidence: {known}"],
        _listed("Missing:", map(line, result.missing)),
        _listed("Parts of the question:", (f"{line(part.text)}: {part.state}" for part in result.aspects)),
        _listed("The sources disagree:", map(_disagreement, result.contradictions)),
        _listed("Issues:", map(line, result.issues)),
        *(_passage_lines(n, passage) for n, passage in enumerate(result.passages, 1)),
    )


def of_excerpt(result: Excerpt) -> str:
    """The stretch with the text around it."""
    name = _place(result.title, result.location, result.path, result.line)
    first, last = result.start - len(result.before), result.end + len(result.after)
    return _joined(
        [
            f"{name} (document_id {line(result.document_id)})",
            f"characters {result.start} to {result.end} of {result.characters}, shown from {first} to {last}",
            *(["parts that read like instructions to a model are blanked"] if result.masked else []),
        ],
        ["Before:", quoted(result.before)] if result.before else [],
        ["Text:", quoted(result.text)],
        ["After:", quoted(result.after)] if result.after else [],
    )


def of_review(result: ReviewResult) -> str:
    """Each claim with its verdict."""
    verified = sum(claim.verified for claim in result.claims)
    return _joined(
        [f"{result.verdict.value}: {verified} verified of {_counted(len(result.claims), 'claim')}"],
        *(_claim_lines(claim) for claim in result.claims),
        _listed("Open checks of the whole text:", map(line, result.open_checks)),
        _source_lines(result.sources),
    )


def of_collections(result: CollectionResults) -> str:
    """The collections, one a line."""
    rows = [
        f"{line(row.name)}: {'unreadable' if row.documents is None else _counted(row.documents, 'document')}"
        f"{' (default)' if row.name == result.default else ''}"
        for row in result.collections
    ]
    return "\n".join(rows) if rows else "there is no collection yet"


def _status(result: AnswerResult) -> str:
    """The outcome, what was verified, and whether the question is answered."""
    outcome = _OUTCOMES[result.outcome]
    if result.outcome in (Outcome.CLARIFY, Outcome.ABSTAINED):
        return f"{outcome}."
    if not result.text:
        return f"{outcome}, but no sentence is verified."
    verified = " and verified." if result.verified else ". The sentences are verified, the whole answer is not."
    fits = "" if result.answers_question is None else f" {_FITS[result.answers_question]}"
    return f"{outcome}{verified}{fits}"


def _counted(count: int, noun: str) -> str:
    """The number with its noun.

    >>> _counted(1, "claim"), _counted(0, "claim")
    ('1 claim', '0 claims')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _joined(*parts: Sequence[str]) -> str:
    """The parts, each some lines, with a blank line between them."""
    return "\n\n".join("\n".join(part) for part in parts if part)


def _listed(heading: str, items: Iterable[str]) -> list[str]:
    """The items under their heading; nothing without items."""
    rows = [f"- {item}" for item in items]
    return [heading, *rows] if rows else []


def _place(title: str, location: str, path: str, number: int | None) -> str:
    """Title, location and file of a source; the location where it says more than the title."""
    file = f"{path}:{number}" if path and number is not None else path
    parts = (title, "" if location == title else location, file)
    return " · ".join(line(part) for part in parts if part) or "untitled"


def _source_lines(sources: Sequence[SourceResult]) -> list[str]:
    rows: list[str] = []
    for source in sources:
        rows.append(f"[{source.number}] {_place(source.title, source.location, source.path, source.line)}")
        rows[-1] += f" · {line(source.date)}" if source.date else ""
        rows.append(f"    document_id {line(source.document_id)}, start {source.start}, end {source.end}")
        rows += [f"    “{line(source.quote)}”"] if source.quote else []
    return ["Sources:", *rows] if rows else []


def _passage_lines(number: int, passage: PassageResult) -> list[str]:
    relevance = "" if passage.relevance is None else f", relevance {passage.relevance:.2f}"
    name = _place(passage.title, passage.location, passage.path, passage.line)
    masked = ", parts that read like instructions to a model are blanked" if passage.masked else ""
    return [
        f"{number}. {name}",
        f"document_id {line(passage.document_id)}, start {passage.start}, end {passage.end}{relevance}{masked}",
        quoted(passage.text),
    ]


def _claim_lines(claim: ClaimResult) -> list[str]:
    cause = f": {line(claim.cause)}" if claim.cause else ""
    return [f"{claim.n}. {claim.verdict.value}{cause}", f"    “{line(claim.text)}”", *_quotation_lines(claim)]


def _quotation_lines(claim: ClaimResult) -> Iterator[str]:
    for quotation in claim.quotations:
        number = "" if quotation.number is None else f"[{quotation.number}] "
        yield f"    {number}“{line(quotation.quote)}”"


def _disagreement(found: ContradictionResult) -> str:
    readings = (
        f"“{line(reading.value)}”{f' ({line(reading.date)})' if reading.date else ''}" for reading in found.readings
    )
    return f"{line(found.aspect)}: {' or '.join(readings)}"
