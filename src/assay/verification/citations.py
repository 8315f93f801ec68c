"""Quotes and citations: where words stand in a source exactly, and whether a claim cites what bears it."""

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
# One character for one character: what typing and typesetting write differently.
_SAME = str.maketrans("“”„«»‘’‚`´–—−‐‑\u00a0\u202f\t\n", "\"\"\"\"\"'''''-----    ")
_OPEN_WORDS = word_class("modality.open_anywhere")
# Before a statement, these leave it open: "it is likely that".
_OPEN_BEFORE = word_class("modality.open_before")
# A quote that breaks off before "or" says the one of two for certain.
_ALTERNATIVE = re.compile(r"\s*+(?:\([^)]{0,200}\)\s*+)?or\s")
_SPACES = re.compile(r" {2,}")
_ELLIPSIS = re.compile(r"\s?(?:\.{3}|…|\[\.{3}\]|\[…\])\s?")


def quotations(text: str) -> list[Span]:
    """The stretches of `text` in quotation marks, marks excluded, of at least three words; titles are none.

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
    """Whether most words begin with a capital, as in the name of a work: what it names is compared as a name.

    >>> _is_title("Master of Puppets Revisited"), _is_title("We did not get the balance right")
    (True, False)
    """
    first = [word[0] for word in text.split() if word[0].isalpha()]
    return 2 * sum(letter.isupper() for letter in first) > len(first)


def locate(quote: str, passages: Iterable[Passage]) -> SourceSpan | None:
    """Where the first passage holds the quote; white space, quotation marks and dashes may be written otherwise.

    The span's own quote is what the document says. None when no passage holds it.

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
    """Like `locate`, for a quote with omissions ("a … b"): its first part, when all parts are held."""
    held = [locate(part, passages) for part in _ELLIPSIS.split(quote) if part.strip()]
    return held[0] if held and all(held) else None


def find_verbatim(claim: str, passages: Sequence[Passage]) -> SourceSpan | None:
    """Where a passage says the claim word for word, and nothing around it in that sentence takes it back.

    >>> held = Passage("p", "d", "r", 0, 52, "It rained in Ulm. It is false that it snowed in Ulm.")
    >>> find_verbatim("It rained in Ulm.", [held]) is None, find_verbatim("It snowed in Ulm.", [held]) is None
    (False, True)

    A few words are said only where they are a whole sentence of the passage.

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
    """The sentence that is the claim, whatever its signs; a question states nothing."""
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
    """Whether the rest of the sentences that hold the quote denies it or leaves it open."""
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
    """The text with marks and spaces written alike, and the same with runs of spaces as one."""
    flat = read.text.translate(_SAME)
    return flat, _SPACES.sub(" ", flat)


def _find(wanted: str, text: str) -> Span | None:
    """Where `text` holds the squeezed quote as whole words."""
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
    """Whether the quote's first or last character is cut off from its word; only Latin words are looked at."""
    return edge.isascii() and edge.isalnum() and (beyond.isalnum() or beyond == "_")


def _original_span(flat: str, span: Span) -> Span:
    """The place in `flat` of a place in the same text with each run of spaces as one."""
    kept = [at for at, each in enumerate(flat) if each != " " or at == 0 or flat[at - 1] != " "]
    return Span(kept[span.start], kept[span.end - 1] + 1)


# Whether a claim cites the passages that bear it out: another one that does, and marks that it stands without.


# Another passage is the right one only where it bears the claim so much better than those cited.
LEAST_GAIN = 0.3
# A passage is read closely where one of its sentences holds this much of the claim, by rarity.
LEAST_COVERAGE = 0.5
# Stems differ from their words at the end.
_BEGINNING = 5
# Support that a citation takes along when it is left out, below which it bore nothing.
MOST_DECORATIVE = 0.05


def citation_checks(
    case: Case, task: Task, measured: float | None, verdict: Verdict, *, by_words: bool
) -> list[Check]:
    """Of a claim that cites: the passage that bears it better than those cited, or its marks that bear nothing.

    A passage that bears it better in other words is told only `by_words`, where no checker read the claim: of
    what a checker left unknown, that fails as many right citations as wrong ones (benchmarks/replies).
    """
    if not case.cited:
        return []
    if verdict is not Verdict.SUPPORTED:
        right = _right_passage(case, task, measured or 0.0, by_words=by_words)
        return [] if right is None else [_wrong_passage(case, right)]
    return [_decorative(case, task, one) for one in _decorative_passages(case)]


def _wrong_passage(case: Case, right: SourceSpan) -> Check:
    where = Span(case.claim.start, case.claim.end)
    cause = "the cited passages do not bear this out, another passage does"
    kind = FindingKind.WRONG_PASSAGE
    return Check("passages", Status.FAILED, Severity.BLOCK, case.n, cause, where, right, kind)


def _right_passage(case: Case, task: Task, measured: float, *, by_words: bool) -> SourceSpan | None:
    """Where a passage that is not cited bears the claim out, word for word or much better than those cited."""
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
    """Whether a passage holds the beginnings of enough of the claim's words to be worth taking apart."""
    text = passage.text.casefold()
    return sum(term[:_BEGINNING] in text for term in wanted) >= LEAST_COVERAGE * len(wanted)


def _nearest(case: Case, passage: Passage) -> SourceSpan | None:
    """The passage's sentence nearest to the claim; None where the passage is about something else."""
    near = SourceIndex((passage,)).nearest(terms(case.claim.text), 1)
    return near[0].sentence.span if near and near[0].coverage >= LEAST_COVERAGE else None


def _support(case: Case, passages: Sequence[Passage]) -> float:
    """The claim's support by some passages alone, by words; 0 where there are none to read."""
    text = case.claim.text
    if find_verbatim(text, passages) is not None:
        return 1.0
    claim = Alignment(text, text, SourceIndex(passages), is_verbatim=True)
    return support_of(claim, {}) if claim.is_readable else 0.0


def _decorative_passages(case: Case) -> list[Passage]:
    """The cited passages without which the claim stands as it stood, and which bear nothing of it by themselves."""
    if len(case.cited) < 2:
        return []
    whole = _support(case, case.cited)
    found = []
    for passage in case.cited:
        rest = tuple(other for other in case.cited if other is not passage)
        if _support(case, rest) >= whole - MOST_DECORATIVE and _support(case, (passage,)) < UNSUPPORTED:
            found.append(passage)
    return found if len(found) < len(case.cited) else []


def _decorative(case: Case, task: Task, passage: Passage) -> Check:
    cause = f"the claim stands without its citation of {passage.title or passage.passage_id!r}, which bears nothing"
    where, nowhere = _mark_of(case, task, passage), passage.span_of(0, 0)
    kind = FindingKind.DECORATIVE_CITATION
    return Check("passages", Status.FAILED, Severity.WARN, case.n, cause, where, nowhere, kind)


def _mark_of(case: Case, task: Task, passage: Passage) -> Span:
    """The claim's mark for a passage: the first at or behind the claim that stands for it."""
    first = bisect_left(task.marks, case.claim.start, key=lambda mark: mark.start)
    behind = (task.marks[at] for at in range(first, len(task.marks)))
    held = (mark for mark in behind if any(task.numbered[n - 1] is passage for n in mark.numbers if task.has(n)))
    mark = next(held, None)
    return Span(mark.start, mark.end) if mark else Span(case.claim.start, case.claim.end)


def mark_checks(task: Task, wrong: Sequence[Citation]) -> list[Check]:
    """One check a mark: it stands for sources that exist."""
    checks, unknown = [], {mark.start for mark in wrong}
    for mark in task.marks:
        cause = f"{task.text[mark.start : mark.end]} stands for no source" if mark.start in unknown else None
        status = Status.FAILED if cause else Status.PASSED
        kind = FindingKind.FABRICATED_REFERENCE if cause else None
        checks.append(
            Check("citations", status, Severity.BLOCK, None, cause, Span(mark.start, mark.end), None, kind)
        )
    return checks
