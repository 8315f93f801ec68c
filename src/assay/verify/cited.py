"""Whether a claim cites the passages that bear it out: another one that does, and marks that it stands without."""

from __future__ import annotations

from bisect import bisect_left

from assay.text.tokens import terms
from assay.types import Check, FindingKind, Passage, Severity, SourceSpan, Span, Status, Verdict
from assay.verify.cases import Case, SourceReader, Task
from assay.verify.quotes import said_whole
from assay.verify.reading import read
from assay.verify.scored import SUPPORTED, UNSUPPORTED, support_by_words
from assay.verify.sources import aligned
from assay.verify.words import words_of

# Another passage is the right one only where it bears the claim so much better than those cited.
BETTER = 0.3
# A passage is read closely where one of its sentences holds this much of the claim, by rarity.
WORTH_READING = 0.5
# Stems differ from their words at the end.
_BEGINNING = 5
# Support that a citation takes along when it is left out, below which it bore nothing.
NOTHING = 0.05


def cited_checks(
    case: Case, task: Task, measured: float | None, reader: SourceReader, verdict: Verdict, *, by_words: bool
) -> list[Check]:
    """Of a claim that cites: the passage that bears it better than those cited, or its marks that bear nothing.

    A passage that bears it better in other words is told only `by_words`, where no checker read the claim: of
    what a checker left unknown, that fails as many right citations as wrong ones (benchmarks/replies).
    """
    if not case.cited:
        return []
    if verdict is not Verdict.SUPPORTED:
        right = _right_passage(case, task, measured or 0.0, reader, by_words=by_words)
        return [] if right is None else [_wrong_passage(case, right)]
    return [_decorative(case, task, each) for each in _bears_nothing(case, reader)]


def _wrong_passage(case: Case, right: SourceSpan) -> Check:
    where = Span(case.claim.start, case.claim.end)
    cause = "the cited passages do not bear this out, another passage does"
    kind = FindingKind.WRONG_PASSAGE
    return Check("passages", Status.FAILED, Severity.BLOCK, case.n, cause, where, right, kind)


def _right_passage(
    case: Case, task: Task, measured: float, reader: SourceReader, *, by_words: bool
) -> SourceSpan | None:
    """Where a passage that is not cited bears the claim out, word for word or much better than those cited."""
    cited = {passage.passage_id for passage in case.cited}
    wanted = set(terms(case.claim.text))
    others = [each for each in task.passages if each.passage_id not in cited and _may_bear(each, wanted)]
    quote = said_whole(case.claim.text, others)
    if quote is not None or not by_words:
        return quote
    found = [(borne, span) for each in others if (span := _nearest(case, each, reader)) is not None
             and (borne := _support(case, (each,), reader)) >= max(SUPPORTED, measured + BETTER)]  # fmt: skip
    return max(found, key=lambda each: each[0])[1] if found else None


def _may_bear(passage: Passage, wanted: set[str]) -> bool:
    """Whether a passage holds the beginnings of enough of the claim's words to be worth taking apart."""
    text = passage.text.casefold()
    return sum(term[:_BEGINNING] in text for term in wanted) >= WORTH_READING * len(wanted)


def _nearest(case: Case, passage: Passage, reader: SourceReader) -> SourceSpan | None:
    """The passage's sentence nearest to the claim; None where the passage is about something else."""
    sources, _ = reader.read((passage,))
    near = aligned(terms(case.claim.text), sources, 1)
    return near[0].sentence.span if near and near[0].coverage >= WORTH_READING else None


def _support(case: Case, passages: tuple[Passage, ...], reader: SourceReader) -> float:
    """The claim's support by some passages alone, by words; 0 where there are none to read."""
    if said_whole(case.claim.text, passages) is not None:
        return 1.0
    _, ground = reader.read(passages)
    if not ground.stems or not words_of(case.claim.text):
        return 0.0
    return support_by_words(read(case.claim.text, ground))


def _bears_nothing(case: Case, reader: SourceReader) -> list[Passage]:
    """The cited passages without which the claim stands as it stood, and which bear nothing of it by themselves."""
    if len(case.cited) < 2:
        return []
    whole = _support(case, case.cited, reader)
    found = []
    for passage in case.cited:
        rest = tuple(each for each in case.cited if each is not passage)
        if _support(case, rest, reader) >= whole - NOTHING and _support(case, (passage,), reader) < UNSUPPORTED:
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
