"""Render a finished answer's text in a citation style. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from assay.types import Answer, Citation, CitationStyle, Claim, Edit, Location, Source, Span

# Characters that could turn a title into a link, a tag or code; titles come from documents.
_AS_TEXT = str.maketrans({"[": "(", "]": ")", "<": "‹", ">": "›", "`": "'"})


def rendered(answer: Answer, style: CitationStyle = CitationStyle.NUMBERED, references: bool = False) -> str:
    """The answer's text with its marks in `style`; with `references` a list of its sources follows.

    Footnotes always bring their notes. A mark that names no source stays as it is, in every style. Titles are
    shown as text: characters that would make a link, a tag or code of them are replaced.
    """
    text = _with_edits(answer.text, _edits(answer, style))
    listed = _references(answer.sources, style) if references or style is CitationStyle.FOOTNOTE else ""
    return f"{text}\n\n{listed}" if listed else text


def with_style(answer: Answer, style: CitationStyle) -> Answer:
    """The answer with its text in `style`, and the offsets of its claims, checks and marks shifted with it.

    Without marks its claims and sources still say where each statement comes from.
    """
    if style is CitationStyle.NUMBERED:
        return answer
    edits = _edits(answer, style)

    def shifted(place: int) -> int:
        return _shifted(place, edits)

    claims = tuple(replace(claim, start=shifted(claim.start), end=shifted(claim.end)) for claim in answer.claims)
    checks = tuple(
        replace(check, answer_span=Span(shifted(check.answer_span.start), shifted(check.answer_span.end)))
        if check.answer_span
        else check
        for check in answer.checks
    )
    marks = tuple(
        replace(citation, start=shifted(citation.start), end=shifted(citation.end))
        for citation in answer.citations
        if style is not CitationStyle.NONE or not _is_known(citation, answer)
    )
    explanation = answer.explanation
    if explanation is not None:
        entries = (replace(row, start=shifted(row.start), end=shifted(row.end)) for row in explanation.source_map)
        explanation = replace(explanation, source_map=tuple(entries))
    text = rendered(answer, style)
    return replace(answer, text=text, claims=claims, checks=checks, citations=marks, explanation=explanation)


def _edits(answer: Answer, style: CitationStyle) -> list[Edit]:
    """The edits that turn the marks of an answer's text into those of a style, in order."""
    sources = {source.number: source for source in answer.sources}
    edits: list[Edit] = []
    for mark in sorted(answer.citations, key=lambda mark: mark.start):
        if not _is_known(mark, answer):
            continue
        if style is CitationStyle.NONE:
            start, end = _with_blanks(mark, answer.text)
            edits.append(Edit(max(start, edits[-1].end if edits else 0), end, "", style))
        else:
            cited = [_as_quoted(sources[number], mark, answer.claims) for number in mark.numbers]
            edits.append(Edit(mark.start, mark.end, _mark(cited, answer.sources, style), style))
    return edits


def _is_known(mark: Citation, answer: Answer) -> bool:
    """True if all that a mark cites are sources of the answer."""
    return bool(mark.numbers) and {source.number for source in answer.sources}.issuperset(mark.numbers)


def _with_blanks(mark: Citation, text: str) -> tuple[int, int]:
    """The span of a mark with the blanks before it, or after it at the beginning of a line."""
    start = len(text[: mark.start].rstrip(" "))
    if start == 0 or text[start - 1] == "\n":
        return mark.start, len(text) - len(text[mark.end :].lstrip(" "))
    return start, mark.end


def _with_edits(text: str, edits: Sequence[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.replacement + text[edit.end :]
    return text


def _shifted(place: int, edits: Sequence[Edit]) -> int:
    """An offset of the text after the edits; one within a mark goes to the end of the new mark."""
    shift = 0
    for edit in edits:
        if place <= edit.start:
            break
        shift += len(edit.replacement) - (min(place, edit.end) - edit.start)
    return place + shift


def _as_quoted(source: Source, mark: Citation, claims: Sequence[Claim]) -> Source:
    """The source, placed where the last claim before the mark quotes it."""
    before = [claim for claim in claims if claim.start < mark.end]
    spans = before[-1].spans if before else ()
    quoted = next((span for span in spans if span.passage_id == source.passage_id), None)
    if quoted is None or quoted.location == Location():
        return source
    return replace(source, location=quoted.location, line=quoted.line)


def _mark(cited: Sequence[Source], sources: Sequence[Source], style: CitationStyle) -> str:
    """A mark in the style, for all the sources that it cites."""
    match style:
        case CitationStyle.NUMBERED:
            return " ".join(f"[{source.number}]" for source in cited)
        case CitationStyle.FOOTNOTE:
            return " ".join(f"[^{source.number}]" for source in cited)
        case CitationStyle.NAMED:
            return " ".join(f"[{_name(source, sources)}]" for source in cited)
        case CitationStyle.AUTHOR_PAGE:
            return f"({'; '.join(_with_page(source) for source in cited)})"
        case CitationStyle.NONE:
            return ""


def _references(sources: Sequence[Source], style: CitationStyle) -> str:
    """The list of sources, one a line."""
    if not sources:
        return ""
    match style:
        case CitationStyle.FOOTNOTE:
            return "\n".join(f"[^{source.number}]: {_full(source)}" for source in sources)
        case CitationStyle.NUMBERED:
            return "\n".join(("Sources:", *(f"- [{source.number}] {_full(source)}" for source in sources)))
        case CitationStyle.NAMED | CitationStyle.AUTHOR_PAGE | CitationStyle.NONE:
            names = dict.fromkeys(_full(source) for source in sources)
            return "\n".join(("Sources:", *(f"- {name}" for name in names)))


def _name(source: Source, among: Collection[Source]) -> str:
    """The source's title, with its place if another source has the same title."""
    same = sum(_title(other) == _title(source) for other in among)
    return _title(source) if same == 1 else _full(source)


def section_within(section: str, title: str) -> str:
    """A section's heading without the title shown before it; empty if it adds nothing.

    >>> section_within("Rates", "The rates"), section_within("Rates > Fees", "rates"), section_within("Fees", "")
    ('Rates', 'Fees', 'Fees')
    """
    outer, _, inner = section.partition(" > ")
    return inner if _same(outer, title) else section


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _full(source: Source) -> str:
    place = source.location
    shown = replace(place, section=section_within(place.section or "", source.title))
    return _joined(_title(source), _as_text(str(shown)))


def _with_page(source: Source) -> str:
    """The title and the page, as "p. 3"; another place where there is no page."""
    place = source.location
    page = f"p. {place.page}" if place.page is not None else str(Location(slide=place.slide, row=place.row))
    return _joined(_title(source), page)


def _joined(title: str, place: str) -> str:
    return f"{title}, {place}" if place else title


def _title(source: Source) -> str:
    return _as_text(source.title) or f"source {source.number}"


def _as_text(text: str) -> str:
    """The text on one line, without the signs that markup is made of."""
    return " ".join(text.split()).translate(_AS_TEXT)
