"""The text of a finished answer in each citation style. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from urllib.parse import quote

from assay.types import Answer, Citation, CitationStyle, Claim, Edit, Location, Source, Span

# Titles come from documents: these characters could turn one into a link, a tag or code.
_AS_TEXT = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'"})
# Characters that an address keeps: RFC 3986's, without the brackets and quotes that end a link in Markdown.
_IN_ADDRESSES = "%/:?#@!$&*+,;=~-._"


def rendered(answer: Answer, style: CitationStyle = CitationStyle.NUMBERED, references: bool = False) -> str:
    """The answer's text with its citation marks in `style`, followed by a list of its sources if `references`.

    Footnotes always have the list. A mark that cites no source of the answer is left as it is. Titles are shown as
    plain text: signs that would turn them into a link, a tag or code are replaced.
    """
    text = apply_edits(answer.text, _mark_edits(answer, style))
    sources = _reference_list(answer.sources, style) if references or style is CitationStyle.FOOTNOTE else ""
    return f"{text}\n\n{sources}" if sources else text


def with_style(answer: Answer, style: CitationStyle) -> Answer:
    """The answer with its text in `style`; the offsets of claims, checks and marks are moved with the text.

    With style NONE, the claims and sources still say where each statement comes from.
    """
    if style is CitationStyle.NUMBERED:
        return answer
    edits = _mark_edits(answer, style)

    def shift(offset: int) -> int:
        return _shift(offset, edits)

    claims = tuple(replace(claim, start=shift(claim.start), end=shift(claim.end)) for claim in answer.claims)
    checks = tuple(
        replace(check, answer_span=Span(shift(check.answer_span.start), shift(check.answer_span.end)))
        if check.answer_span
        else check
        for check in answer.checks
    )
    marks = tuple(
        replace(mark, start=shift(mark.start), end=shift(mark.end))
        for mark in answer.citations
        if style is not CitationStyle.NONE or not _is_known(mark, answer)
    )
    explanation = answer.explanation
    if explanation is not None:
        entries = (replace(row, start=shift(row.start), end=shift(row.end)) for row in explanation.source_map)
        explanation = replace(explanation, source_map=tuple(entries))
    text = rendered(answer, style)
    return replace(answer, text=text, claims=claims, checks=checks, citations=marks, explanation=explanation)


def _mark_edits(answer: Answer, style: CitationStyle) -> list[Edit]:
    """The edits that rewrite an answer's citation marks in a style, in order."""
    sources = {source.number: source for source in answer.sources}
    edits: list[Edit] = []
    for mark in sorted(answer.citations, key=lambda mark: mark.start):
        if not _is_known(mark, answer):
            continue
        if style is CitationStyle.NONE:
            start, end = _with_blanks(mark, answer.text)
            edits.append(Edit(max(start, edits[-1].end if edits else 0), end, "", style))
        else:
            cited = [_at_quote(sources[number], mark, answer.claims) for number in mark.numbers]
            edits.append(Edit(mark.start, mark.end, _mark(cited, answer.sources, style), style))
    return edits


def _is_known(mark: Citation, answer: Answer) -> bool:
    """True if a mark cites only sources of the answer."""
    return bool(mark.numbers) and {source.number for source in answer.sources}.issuperset(mark.numbers)


def _with_blanks(mark: Citation, text: str) -> tuple[int, int]:
    """The start and end of a mark with the blanks before it or, at the beginning of a line, after it."""
    start = len(text[: mark.start].rstrip(" "))
    if start == 0 or text[start - 1] == "\n":
        return mark.start, len(text) - len(text[mark.end :].lstrip(" "))
    return start, mark.end


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits applied; they must be in order and must not overlap.

    >>> apply_edits("We delve.", [Edit(3, 8, "look", "voice")])
    'We look.'
    """
    for edit in reversed(edits):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text


def _shift(offset: int, edits: Sequence[Edit]) -> int:
    """The offset after the edits; an offset inside a mark moves to the end of the new mark."""
    shift = 0
    for edit in edits:
        if offset <= edit.start:
            break
        shift += len(edit.replacement) - (min(offset, edit.end) - edit.start)
    return offset + shift


def _at_quote(source: Source, mark: Citation, claims: Sequence[Claim]) -> Source:
    """The source with the location that the last claim before the mark quotes."""
    before = [claim for claim in claims if claim.start < mark.end]
    spans = before[-1].spans if before else ()
    quoted = next((span for span in spans if span.passage_id == source.passage_id), None)
    if quoted is None or quoted.location == Location():
        return source
    return replace(source, location=quoted.location, line=quoted.line)


def _mark(cited: Sequence[Source], sources: Sequence[Source], style: CitationStyle) -> str:
    """One mark in the style for all the sources that it cites."""
    match style:
        case CitationStyle.NUMBERED:
            return " ".join(f"[{source.number}]" for source in cited)
        case CitationStyle.FOOTNOTE:
            return " ".join(f"[^{source.number}]" for source in cited)
        case CitationStyle.NAMED:
            return " ".join(f"[{_name(source, sources)}]" for source in cited)
        case CitationStyle.AUTHOR_PAGE:
            return f"({'; '.join(_title_and_page(source) for source in cited)})"
        case CitationStyle.NONE:
            return ""


def _reference_list(sources: Sequence[Source], style: CitationStyle) -> str:
    """The sources, one per line, each with its date and link if it has them."""
    if not sources:
        return ""
    match style:
        case CitationStyle.FOOTNOTE:
            return "\n".join(f"[^{source.number}]: {_reference(source)}" for source in sources)
        case CitationStyle.NUMBERED:
            return "\n".join(("Sources:", *(f"- [{source.number}] {_reference(source)}" for source in sources)))
        case CitationStyle.NAMED | CitationStyle.AUTHOR_PAGE | CitationStyle.NONE:
            references = dict.fromkeys(_reference(source) for source in sources)
            return "\n".join(("Sources:", *(f"- {reference}" for reference in references)))


def _name(source: Source, among: Collection[Source]) -> str:
    """The source's title, with its location if another source has the same title."""
    same_title = sum(_title(other) == _title(source) for other in among)
    return _title(source) if same_title == 1 else _title_and_location(source)


def section_within(section: str, title: str) -> str:
    """A section's heading without the document's title; empty if nothing else is left.

    >>> section_within("Rates", "The rates"), section_within("Rates > Fees", "rates"), section_within("Fees", "")
    ('Rates', 'Fees', 'Fees')
    """
    outer, _, inner = section.partition(" > ")
    return inner if _is_same(outer, title) else section


def _is_same(text: str, other: str) -> bool:
    return " ".join(text.split()).casefold() == " ".join(other.split()).casefold()


def _reference(source: Source) -> str:
    """The line of a reference list: title, location, date, link."""
    parts = (_title_and_location(source), _as_text(source.origin.date or ""), _link(source))
    return ", ".join(part for part in parts if part)


def _link(source: Source) -> str:
    """The address of a web source, encoded so that nothing but the address becomes a link; else empty."""
    link = source.origin.link or ""
    return quote(link, safe=_IN_ADDRESSES) if link.startswith(("https://", "http://")) else ""


def _title_and_location(source: Source) -> str:
    location = source.location
    shown = replace(location, section=section_within(location.section or "", source.title))
    return ", ".join(part for part in (_title(source), _as_text(str(shown))) if part)


def _title_and_page(source: Source) -> str:
    """The title and the page as "p. 3", or the slide or row if there is no page."""
    location = source.location
    page = (
        f"p. {location.page}"
        if location.page is not None
        else str(Location(slide=location.slide, row=location.row))
    )
    return f"{_title(source)}, {page}" if page else _title(source)


def _title(source: Source) -> str:
    return _as_text(source.title) or f"source {source.number}"


def _as_text(text: str) -> str:
    """The text on one line, without the characters of markup."""
    return " ".join(text.split()).translate(_AS_TEXT)
