"""The verifier that needs no language model: every claim with its verdict, every check with its state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from assay.core.budget import READING, Timing, untimed
from assay.core.stages import Checker, Embedder, Reader, RowFinder
from assay.nlp.blocks import readable, without_markup
from assay.nlp.citations import HEDGE_MARK, citations, invalid, names_of, without_marks
from assay.nlp.language import language_of
from assay.nlp.markup import blanked, code_in
from assay.nlp.rivals import rivals, titled_without
from assay.types import (
    Check,
    Citation,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    FindingKind,
    Passage,
    Question,
    Quote,
    Review,
    Severity,
    SourceSpan,
    Span,
    Status,
    Verdict,
)
from assay.verification.checks import FACT_CHECKS, findings_of, untested_code, untested_in
from assay.verification.citations import find_verbatim, mark_checks
from assay.verification.claims import (
    Case,
    Task,
    as_one_claim,
    cases_of,
    claims_nothing,
    split_claims,
    untested_cases,
)
from assay.verification.directives import directives
from assay.verification.subject import (
    column_checks,
    heading_checks,
    namesake_checks,
    number_checks,
    rival_checks,
    row_checks,
    row_word_checks,
    subject_checks,
)
from assay.verification.support import texts_of
from assay.verification.verdict import Entailment, MeasuredClaim, Measures, entailments, evaluate_claim, pairs_of

if TYPE_CHECKING:
    from assay.verification.support import Vector

# Drafts of quotes only, compared with the stored text character for character.

# A bold yes or no that the writer puts before a quote.
_POLARITIES = ("**Yes**", "**No**")


def only_quotes(draft: Draft, after: int) -> bool:
    """Tell whether the sentences from `after` on claim nothing beside their quotes."""
    sentences = list(zip(draft.spans[after:], draft.quotes[after:], strict=True)) if draft.quotes else []
    quoted = any(quotes for _, quotes in sentences)
    return quoted and all(_is_covered(draft.text[span.start : span.end], quotes) for span, quotes in sentences)


def _is_covered(sentence: str, quotes: Sequence[Quote]) -> bool:
    return all(quote.text in sentence for quote in quotes) if quotes else claims_nothing(sentence)


def quotation_review(draft: Draft, after: int, marks: tuple[Citation, ...], held: Mapping[str, Passage]) -> Review:
    """The review with a claim per quote of the sentences from `after` on, supported where its passage holds it."""
    evaluated = [
        _quoted_claim(number, quote, start, held) for number, (quote, start) in enumerate(_places(draft, after), 1)
    ]
    checks = tuple(check for _, check in evaluated)
    return Review(tuple(claim for claim, _ in evaluated), checks, findings_of(checks), marks)


def outside_quotes(draft: Draft, marks: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """The marks outside quotes: the footnotes of a quoted source cite nothing here."""
    quoted: list[Span] = []
    for span, quotes in zip(draft.spans, draft.quotes, strict=False):
        if quotes and _is_covered(draft.text[span.start : span.end], quotes):
            quoted += [Span(at, at + len(quote.text)) for quote, at in _in_order(draft.text, span, quotes)]
    return tuple(mark for mark in marks if not any(quote.start <= mark.start < quote.end for quote in quoted))


def polarity_at(draft: Draft, after: int) -> Span | None:
    """The place of a bold Yes or No at the start of the sentences from `after` on; None without one."""
    start = draft.spans[after].start
    start += len(draft.text[start:]) - len(draft.text[start:].lstrip())
    word = next((one for one in _POLARITIES if draft.text.startswith(one, start)), None)
    return None if word is None else Span(start, start + len(word))


def _places(draft: Draft, after: int) -> Iterator[tuple[Quote, int]]:
    """The quotes in order, each with its start in the draft."""
    for span, quotes in zip(draft.spans[after:], draft.quotes[after:], strict=True):
        yield from _in_order(draft.text, span, quotes)


def _in_order(text: str, span: Span, quotes: Sequence[Quote]) -> Iterator[tuple[Quote, int]]:
    at = span.start
    for quote in quotes:
        start = text.index(quote.text, at)
        yield quote, start
        at = start + len(quote.text)


def _quoted_claim(number: int, quote: Quote, start: int, held: Mapping[str, Passage]) -> tuple[Claim, Check]:
    source, where = quote.source, Span(start, start + len(quote.text))
    cause = _difference(quote, held.get(source.passage_id))
    verdict = Verdict.SUPPORTED if cause is None else Verdict.UNSUPPORTED
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(verdict.value, "quote", cause or ""))
    spans = (source,) if cause is None else ()
    support = 1.0 if cause is None else 0.0
    claim = Claim(
        number, quote.text, where.start, where.end, (source.passage_id,), verdict, support, spans, history
    )
    status = Status.PASSED if cause is None else Status.FAILED
    kind = None if cause is None else FindingKind.UNSUPPORTED_ADDITION
    return claim, Check("quotes", status, Severity.BLOCK, number, cause, where, source, kind)


def _difference(quote: Quote, passage: Passage | None) -> str | None:
    """The difference of the quote from its source; None where there is none."""
    source = quote.source
    if passage is None:
        return "the quoted passage is not among the evidence"
    start, end = source.start - passage.start, source.end - passage.start
    if not 0 <= start < end <= len(passage.text) or passage.text[start:end] != source.quote:
        return "the source does not contain these words at that place"
    prose = " ".join(without_markup(passage.text)[start:end].split())
    if quote.text in (source.quote, prose) or quote.text == readable(passage, start, end):
        return None
    return "the answer changes the quoted words"


# The verifier.


# Characters of sources, summed over claims, that are searched in about a millisecond.
_QUICK_LOOKUP = 10_000
# Claims tested between two checks of a deadline, some tenths of a second.
_BATCH = 64
# Claims of a text, or one per so many characters; chosen: prose has one in 100 characters, a table of numbers one
# in 20. The claims beyond are unknown (decision 173).
MOST_CLAIMS, CHARACTERS_A_CLAIM = 300, 15
TOO_DENSE = f"the text has more than one claim in {CHARACTERS_A_CLAIM} characters: those beyond are not tested"
# The probability that a reader must give a yes or no of an answer; chosen.
AGREED_POLARITY = 0.85
Evaluated = tuple[Claim, list[Check]]
CHECKS = ("citations", "sources", "passages", "quotes", *FACT_CHECKS, "support", "subject", "directive", "polarity")


@dataclass(frozen=True, slots=True)
class DeterministicVerifier:
    """Tests drafts by rules, exact quotes and a fitted support score.

    `skip` names checks of `CHECKS` to leave out. Without an embedder, or in a language that it does not know, the
    support score uses words alone. `timing` measures each check; claims that a source says word for word need no
    other. A `checker` reads the other claims, in its languages. `lateness` returns, per review, a function that
    says whether it is late: claims not yet tested are then unknown, with the cause "deadline". An `answer_reader`
    is asked about a yes or no before a quote, and `rows` about the table row that a question names.
    """

    embedder: Embedder | None = None
    skip: frozenset[str] = field(default=frozenset())
    timing: Timing = field(default=untimed, repr=False, compare=False)
    lateness: Callable[[], Callable[[], bool]] | None = None
    checker: Checker | None = None
    answer_reader: Reader | None = None
    rows: RowFinder | None = None

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Test every claim of the draft on the passages that it cites, or on all where it cites none.

        Each sentence of the writer is cut into claims by itself, so that testing sentence by sentence gives the
        same as testing all at once.
        """
        held = {passage.passage_id: passage for passage in evidence.passages}
        numbered = tuple(held.get(passage_id) for passage_id in draft.sources)
        start = draft.spans[after].start if after else 0
        every = citations(draft.text, tuple(passage.title if passage else "" for passage in numbered))
        marks = outside_quotes(draft, tuple(mark for mark in every if mark.start >= start))
        if only_quotes(draft, after):
            review = quotation_review(draft, after, marks, held)
            review = _with(review, await self._polarity(question, draft, after, held))
            if self.checker is not None and "directive" not in self.skip:
                review = _with(review, await directives(self.checker, review.claims, held))
            review = self._on_subject(question, evidence, review, begins=after == 0)
            return review if after else _with(review, await self._row(question, evidence, review.claims))
        claims = tuple(split_claims(draft.text, marks, draft.spans[after:]))
        review = await self._reviewed(Task(draft.text, marks, claims, numbered, evidence.passages, True))
        return self._on_subject(question, evidence, review, begins=after == 0)

    def _on_subject(self, question: Question, evidence: Evidence, review: Review, *, begins: bool) -> Review:
        """The review with checks that its claims are about what the question names.

        `begins` is True where the review is of the beginning of the answer.
        """
        if "subject" in self.skip:
            return review
        with self.timing("subject"):
            apart = subject_checks(question, evidence, review.claims)
            apart = apart or number_checks(question, evidence, review.claims)
            apart = apart or rival_checks(question, evidence, review.claims)
            first = review.claims[:1] if begins else ()
            return _with(review, apart or heading_checks(question, evidence, first))

    async def _row(self, question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
        """The check that an answer's quotes are of the table row and column that the question names."""
        if "subject" in self.skip or len(question.aspects) > 1:
            return ()
        found = column_checks(question, evidence, claims) or row_word_checks(question, evidence, claims)
        if self.rows is None or found:
            return found
        row = await self.rows.find(question.standalone, evidence.passages)
        return row_checks(question, row, evidence, claims)

    async def _polarity(
        self, question: Question, draft: Draft, after: int, held: Mapping[str, Passage]
    ) -> tuple[Check, ...]:
        """The check that the reader finds the same Yes or No in the quoted passage."""
        where = polarity_at(draft, after)
        if where is None:
            return ()
        word = draft.text[where.start : where.end]
        quotes = draft.quotes[after]
        passage = held.get(quotes[0].source.passage_id) if quotes else None
        if self.answer_reader is None or passage is None:
            cause = "a bare yes or no is not tested without a reader"
            return (Check("polarity", Status.UNKNOWN, Severity.BLOCK, None, cause, where),)
        found = rivals(question, (passage,))
        (reading,) = await self.answer_reader.read(question.standalone, [titled_without(passage, found)])
        agreed = reading.yes if "Yes" in word else reading.no
        if agreed >= AGREED_POLARITY:
            return (Check("polarity", Status.PASSED, Severity.BLOCK, None, None, where),)
        cause = f"the reader finds {word.strip('*')} only {100 * agreed:.0f} % likely"
        return (Check("polarity", Status.UNKNOWN, Severity.BLOCK, None, cause, where),)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review with checks of the whole draft: no claims, a bare yes or no, a namesake."""
        with self.timing("support"):
            # Quotes are compared with their headings and lead-ins.
            compared = "support" in self.skip or only_quotes(draft, 0)
            untested = () if compared else untested_in(draft.text, review, Severity.BLOCK)
        with self.timing("subject"):
            apart = () if "subject" in self.skip else namesake_checks(question, draft.text, review.claims)
        return _with(review, untested + apart)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Test every claim of a text on passages; `[n]` in it, or its id, cites `passages[n - 1]`.

        With `one_claim` the text is a single claim. Otherwise its code is no claim, and reported as untested.
        """
        marks = citations(text, names_of(passages))
        code = () if one_claim else code_in(without_marks(text, marks).replace(HEDGE_MARK, " "))
        prose = blanked(text, code)
        claims = tuple(as_one_claim(text, marks) if one_claim else split_claims(prose, marks))
        review = await self._reviewed(Task(text, marks, claims, passages, passages, bool(marks)))
        if "support" in self.skip:
            return review
        return _with(review, untested_in(prose, review, Severity.WARN) + untested_code(code))

    async def measure(self, text: str, passages: tuple[Passage, ...]) -> MeasuredClaim | None:
        """The measurements behind the verdict of `check` on a text as one claim; None where it claims nothing."""
        marks = citations(text, names_of(passages))
        task = Task(text, marks, tuple(as_one_claim(text, marks)), passages, passages, bool(marks))
        cases = await asyncio.to_thread(_cases, task, 1)
        measures = await self._measures(cases)
        return next((MeasuredClaim.of(case, measures) for case in cases), None)

    async def weigh(self, claims: Sequence[str], passages: tuple[Passage, ...]) -> tuple[float | None, ...]:
        """The checker's log odds that the passages support each claim; None where it does not read the claim."""
        if self.checker is None or not passages:
            return (None,) * len(claims)
        known = self.checker.model.languages
        readable = {n: claim for n, claim in enumerate(claims) if language_of(claim) in known}
        pairs = await asyncio.to_thread(lambda: {n: pairs_of(claim, passages) for n, claim in readable.items()})
        every = list(chain(*pairs.values()))
        read = entailments(self.checker.model.id, pairs, await self.checker.check(every)) if every else {}
        return tuple(read[n].support if n in read else None for n in range(len(claims)))

    async def _reviewed(self, task: Task) -> Review:
        given, most = task, max(MOST_CLAIMS, len(task.text) // CHARACTERS_A_CLAIM)
        beyond = replace(task, claims=task.claims[most:])
        task = replace(task, claims=task.claims[:most]) if beyond.claims else task
        evaluated = await self._tested_in_time(task)
        evaluated += self._evaluated(beyond, untested_cases(beyond, TOO_DENSE, most + 1), Measures())
        return _review(given, evaluated, self.skip, self.timing)

    async def _tested_in_time(self, task: Task) -> list[Evaluated]:
        """The task's claims with their checks; those after the deadline are unknown."""
        if self.lateness is None:
            return await self._tested(task)
        is_late, evaluated = self.lateness(), list[Evaluated]()
        for at in range(0, len(task.claims), _BATCH):
            part = replace(task, claims=task.claims[at : at + _BATCH])
            if is_late():
                evaluated += self._evaluated(part, untested_cases(part, "deadline", at + 1), Measures())
            else:
                evaluated += await self._tested(part, at + 1)
        return evaluated

    async def _tested(self, task: Task, first: int = 1) -> list[Evaluated]:
        """The task's claims, numbered from `first`, with their checks."""
        with self.timing(READING):
            quoted = _quick_cases(task, first)
            if quoted is None:
                cases = await asyncio.to_thread(_cases, task, first)
                measures = await self._measures(cases)
        if quoted is not None:
            return self._evaluated(task, quoted, Measures())
        return await asyncio.to_thread(self._evaluated, task, cases, measures)

    def _evaluated(self, task: Task, cases: Sequence[Case], measures: Measures) -> list[Evaluated]:
        """The claims with their checks, computed on the calling thread."""
        return [evaluate_claim(case, task, measures, self.skip, self.timing) for case in cases]

    async def _measures(self, cases: Sequence[Case]) -> Measures:
        """The models' measurements of the cases; none where support is not tested."""
        if "support" in self.skip:
            return Measures()
        vectors, entailed = await asyncio.gather(self._vectors(cases), self._entailments(cases))
        return Measures(vectors, entailed, self.checker.model.policy if self.checker else None)

    async def _entailments(self, cases: Sequence[Case]) -> Mapping[int, Entailment]:
        """The checker's readings by case number; none in languages that it does not read."""
        if self.checker is None:
            return {}
        known = self.checker.model.languages
        read = [(case, case.compared) for case in cases if case.compared and language_of(case.claim.text) in known]
        # Values as the sources write them: a checker takes 24 months for another time than two years.
        pairs = await asyncio.to_thread(
            lambda: {case.n: pairs_of(claim.written, case.scope) for case, claim in read}
        )
        every = list(chain(*pairs.values()))
        return entailments(self.checker.model.id, pairs, await self.checker.check(every)) if every else {}

    async def _vectors(self, cases: Sequence[Case]) -> dict[str, Vector]:
        """The vectors of the cases' texts; none in languages that the model does not know."""
        if self.embedder is None:
            return {}
        known = self.embedder.model.languages
        claims = [case.compared for case in cases if case.compared and language_of(case.claim.text) in known]
        texts = await asyncio.to_thread(lambda: list(dict.fromkeys(chain(*map(texts_of, claims)))))
        return dict(zip(texts, await self.embedder.embed(texts), strict=True)) if texts else {}


def _quick_cases(task: Task, first: int) -> tuple[Case, ...] | None:
    """The cases where each claim is verbatim in a source and that is quickly found; None otherwise."""
    quotes = quotes_of(task) if _is_quick(task) else (None,)
    return None if None in quotes else cases_of(task, quotes, first)


def _is_quick(task: Task) -> bool:
    """Tell whether searching the sources for the claims is quicker than a change of thread."""
    return sum(len(passage.text) for claim in task.claims for passage in task.scope(claim)) <= _QUICK_LOOKUP


def quotes_of(task: Task) -> tuple[SourceSpan | None, ...]:
    """The place of each claim in a source that says it word for word, None where none does."""
    return tuple(
        None if claim.is_too_long else find_verbatim(claim.text, task.scope(claim)) for claim in task.claims
    )


def _cases(task: Task, first: int) -> tuple[Case, ...]:
    return cases_of(task, quotes_of(task), first)


def least_support(review: Review) -> float | None:
    """The lowest support of a claim, 0 to 1; None where none was measured."""
    return min((claim.support for claim in review.claims if claim.support is not None), default=None)


def _review(task: Task, evaluated: Sequence[Evaluated], skip: frozenset[str], timing: Timing) -> Review:
    """The review of evaluated claims, with the checks of the text's marks."""
    wrong = [*invalid(task.marks, len(task.numbered))]
    known = {mark.start for mark in wrong}
    missing = {n for n, passage in enumerate(task.numbered, 1) if passage is None}
    wrong += [m for m in task.marks if m.start not in known and not missing.isdisjoint(m.numbers)]
    checks = [Check(name, Status.SKIPPED, Severity.BLOCK, None, "switched off") for name in CHECKS if name in skip]
    if "citations" not in skip:
        with timing("citations"):
            checks += mark_checks(task, wrong)
    checks += [check for _, found in evaluated for check in found]
    claims = tuple(claim for claim, _ in evaluated)
    unknown = tuple(task.text[mark.start : mark.end] for mark in wrong)
    return Review(claims, tuple(checks), findings_of(checks), task.marks, unknown)


def _with(review: Review, checks: tuple[Check, ...]) -> Review:
    return replace(review, checks=(*review.checks, *checks), findings=(*review.findings, *findings_of(checks)))
