"""Quotations and citations: verbatim places in sources, and whether a claim cites what supports it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from assay.nlp.alignment import Alignment
from assay.nlp.analysis import Analysis, analyse
from assay.nlp.lexicon import word_class
from assay.nlp.negation import negations
from assay.nlp.sources import SourceIndex
from assay.nlp.tokens import terms, words
from assay.types import Check, Citation, FindingKind, Passage, Severity, SourceSpan, Span, Status, Verdict
from assay.verification.claims import Case, Task
from assay.verification.support import SUPPORTED, UNSUPPORTED, support_of

LEAST_WORDS = 3
_QUOTED = re.compile(
    r'"([^"\n]{1,1000})"|“([^“”\n]{1,1000})”|«([^«»\n]{1,1000})»|「([^「」\n]{1,1000})」|『([^『』\n]{1,1000})』'
)
# Characters that typing and typesetting write differently, one for one.
_SAME = str.maketrans("“”„«»‘’‚`´–—−‐‑\u00a0\u202f\t\n", "\"\"\"\"\"'''''-----    ")
_OPEN_WORDS = word_class("modality.open_anywhere")
_OPEN_BEFORE = word_class("modality.open_before")
# A quote that stops before "or" states one of two alternatives as a fact.
_ALTERNATIVE = re.compile(r"\s*+(?:\([^)]{0,200}\)\s*+)?or\s")
_SPACES = re.compile(r" {2,}")
_ELLIPSIS = re.compile(r"\s?(?:\.{3}|…|\[\.{3}\]|\[…\])\s?")


def quotations(text: str) -> list[Span]:
    """The quotations of `text` without their marks, of at least three words; titles are none.

    >>> text = 'He said "it is far too late" and left.'
    >>> [text[span.start:span.end] for span in quotations(text)]
    ['it is far too late']
    """
    found = []
    for match in _QUOTED.finditer(text):
        group = match.lastindex or 0
        inside = match.group(group)
        if _is_long_enough(inside) and not _is_title(inside):
            found.append(Span(match.start(group), match.end(group)))
    return found


def _is_title(text: str) -> bool:
    """Tell whether most words begin with a capital, as in the title of a work, which is compared as a name.

    >>> _is_title("Master of Puppets Revisited"), _is_title("We did not get the balance right")
    (True, False)
    """
    first = [word[0] for word in text.split() if word[0].isalpha()]
    return 2 * sum(letter.isupper() for letter in first) > len(first)


def locate(quote: str, passages: Iterable[Passage]) -> SourceSpan | None:
    """The place of the quote in the first passage that holds it; spaces, quotation marks and dashes may differ.

    The quote of the span is the document's own wording. None where no passage holds it.

    >>> passage = Passage("p", "d", "r", 100, 121, "It is “far”  too late.")
    >>> locate('"far" too late', [passage])
    SourceSpan(passage_id='p', start=106, end=121, quote='“far”  too late')
    """
    wanted = _normalised(quote.strip()).rstrip(" .,;:!?。")
    if not wanted:
        return None
    for passage in passages:
        span = _find(wanted, passage.text)
        if span is not None:
            return passage.span_of(span.start, span.end)
    return None


def locate_parts(quote: str, passages: Iterable[Passage]) -> SourceSpan | None:
    """Like `locate`, for a quote with omissions ("a … b"): the place of its first part, where all are held."""
    held = [locate(part, passages) for part in _ELLIPSIS.split(quote) if part.strip()]
    return held[0] if held and all(held) else None


def find_verbatim(claim: str, passages: Sequence[Passage]) -> SourceSpan | None:
    """The place where a passage says the claim word for word, and its sentence does not qualify it.

    >>> held = Passage("p", "d", "r", 0, 52, "It rained in Ulm. It is false that it snowed in Ulm.")
    >>> find_verbatim("It rained in Ulm.", [held]) is None, find_verbatim("It snowed in Ulm.", [held]) is None
    (False, True)

    A claim of a few words must be a whole sentence of the passage.

    >>> find_verbatim("It rained.", [Passage("p", "d", "r", 0, 27, "It rained. It rained in Ulm")]).end
    10
    """
    if not _is_long_enough(claim):
        return _as_sentence(claim, passages)
    for passage in passages:
        span = locate(claim, (passage,))
        if span is not None and not _is_qualified(span, passage):
            return span
    return None


def _as_sentence(claim: str, passages: Sequence[Passage]) -> SourceSpan | None:
    """The sentence with the words of the claim; a question is none."""
    wanted = words(claim)
    for passage in passages if wanted else ():
        read = analyse(passage.text)
        for span, part in zip(read.sentences, read.parts, strict=True):
            if [token.folded for token in part.tokens] == wanted and "?" not in part.text:
                return passage.span_of(span.start, span.end)
    return None


def _is_long_enough(text: str) -> bool:
    return len(words(text)) >= LEAST_WORDS or (not text.isascii() and len(text) >= 2 * LEAST_WORDS)


def _is_qualified(span: SourceSpan, passage: Passage) -> bool:
    """Tell whether the rest of the quote's sentences denies it or leaves it open."""
    start, end = span.start - passage.start, span.end - passage.start
    for sentence in analyse(passage.text).sentences:
        if sentence.end <= start or end <= sentence.start:
            continue
        before = passage.text[sentence.start : max(sentence.start, start)]
        rest = f"{before} {passage.text[min(end, sentence.end) : sentence.end]}"
        if (
            _ALTERNATIVE.match(passage.text, min(end, sentence.end))
            or negations(rest)
            or not _OPEN_WORDS.isdisjoint(words(rest))
            or not _OPEN_BEFORE.isdisjoint(words(before))
        ):
            return True
    return False


def _normalised(text: str) -> str:
    return _SPACES.sub(" ", text.translate(_SAME))


def _flat(read: Analysis) -> tuple[str, str]:
    """The text with marks and spaces unified, and the same with each run of spaces as one."""
    flat = read.text.translate(_SAME)
    return flat, _SPACES.sub(" ", flat)


def _find(wanted: str, text: str) -> Span | None:
    """The place of the normalised quote in `text`, as whole words."""
    flat, squeezed = analyse(text).derive(_flat)
    start = squeezed.find(wanted)
    while start != -1:
        end = start + len(wanted)
        before, behind = squeezed[max(0, start - 1) : start], squeezed[end : end + 1]
        if not _splits_word(wanted[0], before) and not _splits_word(wanted[-1], behind):
            return _original_span(flat, Span(start, end))
        start = squeezed.find(wanted, start + 1)
    return None


def _splits_word(edge: str, beyond: str) -> bool:
    """Tell whether the edge of the quote splits a Latin word."""
    return edge.isascii() and edge.isalnum() and (beyond.isalnum() or beyond == "_")


def _original_span(flat: str, span: Span) -> Span:
    """The place in `flat` of a place in the same text with each run of spaces as one."""
    offsets = [at for at, letter in enumerate(flat) if letter != " " or at == 0 or flat[at - 1] != " "]
    return Span(offsets[span.start], offsets[span.end - 1] + 1)


# Wrong and decorative citations.

# The least lead of another passage's support over that of those cited; chosen.
LEAST_GAIN = 0.3
# The share of a claim, by rarity, that a passage or its best sentence must hold to be read; chosen.
LEAST_COVERAGE = 0.5
# Letters of a stem that are looked for in a text: stems differ from their words at the end.
_BEGINNING = 5
# Support lost without a citation, up to which the citation is decorative; chosen.
MOST_DECORATIVE = 0.05


def citation_checks(
    case: Case, task: Task, measured: float | None, verdict: Verdict, *, by_words: bool
) -> list[Check]:
    """The checks that a claim cites the right passages, and none that is decorative.

    A passage that supports the claim better in other words is reported only `by_words`, where no checker read the
    claim: of what a checker left unknown, that fails as many right citations as wrong ones (benchmarks/replies).
    """
    if not case.cited:
        return []
    if verdict is not Verdict.SUPPORTED:
        right = _right_passage(case, task, measured or 0.0, by_words=by_words)
        return [] if right is None else [_wrong_passage(case, right)]
    return [_decorative(case, task, one) for one in _decorative_passages(case)]


def _wrong_passage(case: Case, right: SourceSpan) -> Check:
    where = Span(case.claim.start, case.claim.end)
    cause = "the cited passages do not support this, but another passage does"
    kind = FindingKind.WRONG_PASSAGE
    return Check("passages", Status.FAILED, Severity.BLOCK, case.n, cause, where, right, kind)


def _right_passage(case: Case, task: Task, measured: float, *, by_words: bool) -> SourceSpan | None:
    """The place where an uncited passage supports the claim, verbatim or much better than those cited."""
    cited = {passage.passage_id for passage in case.cited}
    wanted = set(terms(case.claim.text))
    others = [
        passage for passage in task.passages if passage.passage_id not in cited and _may_support(passage, wanted)
    ]
    quote = find_verbatim(case.claim.text, others)
    if quote is not None or not by_words:
        return quote
    found = [
        (support, span)
        for passage in others
        if (span := _nearest(case, passage)) is not None
        and (support := _support(case, (passage,))) >= max(SUPPORTED, measured + LEAST_GAIN)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _may_support(passage: Passage, wanted: set[str]) -> bool:
    """Tell whether a passage holds the beginnings of enough of the claim's words to be read."""
    text = passage.text.casefold()
    return sum(term[:_BEGINNING] in text for term in wanted) >= LEAST_COVERAGE * len(wanted)


def _nearest(case: Case, passage: Passage) -> SourceSpan | None:
    """The passage's sentence nearest to the claim; None where it holds too little of it."""
    near = SourceIndex((passage,)).nearest(terms(case.claim.text), 1)
    return near[0].sentence.span if near and near[0].coverage >= LEAST_COVERAGE else None


def _support(case: Case, passages: Sequence[Passage]) -> float:
    """The claim's support by some passages, by words alone; 0 without words to compare."""
    text = case.claim.text
    if find_verbatim(text, passages) is not None:
        return 1.0
    claim = Alignment(text, text, SourceIndex(passages), is_verbatim=True)
    return support_of(claim, {}) if claim.is_readable else 0.0


def _decorative_passages(case: Case) -> list[Passage]:
    """The cited passages that add nothing to the claim's support, nor support it by themselves."""
    if len(case.cited) < 2:
        return []
    total = _support(case, case.cited)
    found = []
    for passage in case.cited:
        rest = tuple(other for other in case.cited if other is not passage)
        if _support(case, rest) >= total - MOST_DECORATIVE and _support(case, (passage,)) < UNSUPPORTED:
            found.append(passage)
    return found if len(found) < len(case.cited) else []


def _decorative(case: Case, task: Task, passage: Passage) -> Check:
    cause = f"the claim is supported without its citation of {passage.title or passage.passage_id!r}"
    where, start = _mark_of(case, task, passage), passage.span_of(0, 0)
    kind = FindingKind.DECORATIVE_CITATION
    return Check("passages", Status.FAILED, Severity.WARN, case.n, cause, where, start, kind)


def _mark_of(case: Case, task: Task, passage: Passage) -> Span:
    """The claim's mark of a passage: the first one in or behind the claim; the claim where there is none."""
    first = bisect_left(task.marks, case.claim.start, key=lambda mark: mark.start)
    behind = (task.marks[at] for at in range(first, len(task.marks)))
    held = (mark for mark in behind if any(task.numbered[n - 1] is passage for n in mark.numbers if task.has(n)))
    mark = next(held, None)
    return Span(mark.start, mark.end) if mark else Span(case.claim.start, case.claim.end)


def mark_checks(task: Task, wrong: Sequence[Citation]) -> list[Check]:
    """One check per mark: its sources exist."""
    checks, unknown = [], {mark.start for mark in wrong}
    for mark in task.marks:
        cause = f"{task.text[mark.start : mark.end]} refers to no source" if mark.start in unknown else None
        status = Status.FAILED if cause else Status.PASSED
        kind = FindingKind.FABRICATED_REFERENCE if cause else None
        checks.append(
            Check("citations", status, Severity.BLOCK, None, cause, Span(mark.start, mark.end), None, kind)
        )
    return checks
