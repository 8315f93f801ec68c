"""The verifier that needs no language model: every claim with its verdict, every check with its state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from assay.core.budget import READING, Timing, untimed
from assay.core.stages import Checker, Embedder, Reader
from assay.nlp.blocks import without_markup
from assay.nlp.citations import HEDGE_MARK, citations, invalid, names_of, without_marks
from assay.nlp.language import language_of
from assay.nlp.markup import blanked, code_in
from assay.nlp.rivals import rivals, titled_without
from assay.nlp.sentences import sentences
from assay.types import (
    Check,
    Citation,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    Finding,
    FindingKind,
    Passage,
    Question,
    Quote,
    Review,
    Severity,
    Span,
    Status,
    Verdict,
)
from assay.verification.cases import Case, SourceReader, Task, cases_of, quotes_of, untested_cases
from assay.verification.checker import Entailed, by_claim, pairs_of
from assay.verification.claims import abstains, claims_nothing, says_only_yes_or_no, stated, whole
from assay.verification.evaluation import FACTS, MeasuredClaim, Measures, judged
from assay.verification.subject import off_rivals, off_subject, subject
from assay.verification.support import texts_of

if TYPE_CHECKING:
    from assay.verification.support import Vector


# From checks to findings: what did not pass, with advice on how to mend it.


_ADVICE: Mapping[str, str] = {
    "citations": "cite one of the numbered sources, or drop the mark",
    "sources": "cite the passage that says this, or drop the sentence",
    "passages": "cite the passage that says this",
    "quotes": "quote the source's own words, or drop the quotation marks",
    "numbers": "use the source's number",
    "dates": "use the source's date",
    "names": "use the names that the source uses",
    "negation": "state it as the source does",
    "comparison": "state the direction that the source states",
    "roles": "say of each what the source says of it",
    "additions": "drop what no source says",
    "support": "restate it closer to the source, or drop it",
    "subject": "answer for what the question names",
    "polarity": "read the source yourself, and say yes or no only where it does",
    "verifier": "ask again, or use another verifier model",
    "max-risk": "read claims like this yourself, or ask for no promise",
    "agreement": "read the sentence and its source, and decide",
}


def findings_of(checks: Iterable[Check]) -> tuple[Finding, ...]:
    """The findings of some checks: those that failed, and those that could not be made."""
    return tuple(finding_of(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))


def finding_of(check: Check) -> Finding:
    """The finding of a check that did not pass."""
    return Finding(check.name, check.claim, check.severity, check.cause or "", _advice(check), check.kind)


def _advice(check: Check) -> str:
    """What to do: with the source's own value where there is one."""
    if check.kind is FindingKind.DECORATIVE_CITATION:
        return "drop the mark"
    advice = _ADVICE[check.name]
    return advice if check.expected is None else f"{advice}: {check.expected}"


# Sentences that only quote: each quote is compared with the stored text, character for character.


# A bold word that says yes or no before a quote, which the quote itself does not.
_POLARITIES = ("**Yes**", "**No**")


def only_quotes(draft: Draft, after: int) -> bool:
    """Whether all that the sentences from `after` on claim is in their quotes."""
    sentences = list(zip(draft.spans[after:], draft.quotes[after:], strict=True)) if draft.quotes else []
    quoted = any(quotes for _, quotes in sentences)
    return quoted and all(_is_covered(draft.text[span.start : span.end], quotes) for span, quotes in sentences)


def _is_covered(said: str, quotes: Sequence[Quote]) -> bool:
    return all(quote.text in said for quote in quotes) if quotes else claims_nothing(said)


def quotation_review(draft: Draft, after: int, marks: tuple[Citation, ...], held: Mapping[str, Passage]) -> Review:
    """One claim for each quote of the sentences from `after` on, supported where it stands in its passage."""
    made = [_judged(number, quote, start, held) for number, (quote, start) in enumerate(_places(draft, after), 1)]
    checks = tuple(check for _, check in made)
    return Review(tuple(claim for claim, _ in made), checks, findings_of(checks), marks)


def polarity_at(draft: Draft, after: int) -> Span | None:
    """Where the sentences from `after` on begin with a bold Yes or No; None where they do not."""
    start = draft.spans[after].start
    start += len(draft.text[start:]) - len(draft.text[start:].lstrip())
    word = next((each for each in _POLARITIES if draft.text.startswith(each, start)), None)
    return None if word is None else Span(start, start + len(word))


def _places(draft: Draft, after: int) -> Iterator[tuple[Quote, int]]:
    """Each quote and where it begins in the draft, in order."""
    for span, quotes in zip(draft.spans[after:], draft.quotes[after:], strict=True):
        at = span.start
        for quote in quotes:
            start = draft.text.index(quote.text, at)
            yield quote, start
            at = start + len(quote.text)


def _judged(number: int, quote: Quote, start: int, held: Mapping[str, Passage]) -> tuple[Claim, Check]:
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
    """How the quote differs from what its source stores; None where it does not."""
    source = quote.source
    if passage is None:
        return "the quoted passage is not among the evidence"
    start, end = source.start - passage.start, source.end - passage.start
    if not 0 <= start < end <= len(passage.text) or passage.text[start:end] != source.quote:
        return "the source does not hold these words at that place"
    prose = " ".join(without_markup(passage.text)[start:end].split())
    return None if quote.text in (source.quote, prose) else "the answer changes the quoted words"


# What a text says that no check tests, told as open checks.


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
    for span in sentences(text, lowered=True):
        said = text[span.start : span.end]
        number = any(each.isdigit() for each in said.lstrip(_LIST_MARKS))
        if number and claims_nothing(said) and not abstains(said):
            yield span


def _open(span: Span, cause: str) -> Check:
    return Check("support", Status.UNKNOWN, Severity.WARN, None, cause, span)


# Characters of sources, counted for each claim, that are looked through in about a millisecond.
_SOON_LOOKED_UP = 10_000
# Claims that are tested between two looks at the time, where a deadline was asked for: some tenths of a second.
_IN_A_STRETCH = 64
# How likely a reader must find a yes or no that an answer gives: chosen.
AGREED_POLARITY = 0.85
Judged = tuple[Claim, list[Check]]
CHECKS = ("citations", "sources", "passages", "quotes", *FACTS, "support", "subject", "polarity")


@dataclass(frozen=True, slots=True)
class DeterministicVerifier:
    """Tests drafts by rules, exact quotes and a fitted support score.

    `skip` names checks of `CHECKS` to leave out. Without an embedder, or in a language that it does not know,
    the support score goes by words alone. `timing` counts how long each check takes; a claim that a source says
    word for word is read, and nothing else is compared. A `checker` is asked about each that is compared, in a
    language that it reads. `lateness` tells each review whether it is late: what
    it has not tested then is unknown, with the cause "deadline"; without it no review is ever late. An
    `answer_reader` is asked about a yes or no that stands before a quote.
    """

    embedder: Embedder | None = None
    skip: frozenset[str] = field(default=frozenset())
    reader: SourceReader = field(default_factory=SourceReader, repr=False, compare=False)
    timing: Timing = field(default=untimed, repr=False, compare=False)
    lateness: Callable[[], Callable[[], bool]] | None = None
    checker: Checker | None = None
    answer_reader: Reader | None = None

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim of the draft against the passages that it cites, or against all where it cites none.

        Claims are told apart within each sentence as its writer gave it, so that testing sentence by sentence
        gives what testing all at once does.
        """
        held = {passage.passage_id: passage for passage in evidence.passages}
        numbered = tuple(held.get(each) for each in draft.sources)
        start = draft.spans[after].start if after else 0
        every = citations(draft.text, tuple(passage.title if passage else "" for passage in numbered))
        marks = tuple(mark for mark in every if mark.start >= start)
        if only_quotes(draft, after):
            review = quotation_review(draft, after, marks, held)
            review = _with(review, await self._polarity(question, draft, after, held))
            return self._on_subject(question, evidence, review)
        claims = tuple(stated(draft.text, marks, draft.spans[after:]))
        review = await self._reviewed(Task(draft.text, marks, claims, numbered, evidence.passages, True))
        return self._on_subject(question, evidence, review)

    def _on_subject(self, question: Question, evidence: Evidence, review: Review) -> Review:
        """The review with a check of each claim that is of something else than the question names."""
        if "subject" in self.skip:
            return review
        with self.timing("subject"):
            apart = off_subject(question, evidence, review.claims)
            return _with(review, apart or off_rivals(question, evidence, review.claims))

    async def _polarity(
        self, question: Question, draft: Draft, after: int, held: Mapping[str, Passage]
    ) -> tuple[Check, ...]:
        """The check of a bold Yes or No before a quote: whether the reader reads the quoted passage so, too."""
        where = polarity_at(draft, after)
        if where is None:
            return ()
        said = draft.text[where.start : where.end]
        quotes = draft.quotes[after]
        passage = held.get(quotes[0].source.passage_id) if quotes else None
        if self.answer_reader is None or passage is None:
            cause = "a bare yes or no is not tested without a reader"
            return (Check("polarity", Status.UNKNOWN, Severity.BLOCK, None, cause, where),)
        told = rivals(question, (passage,))
        (reading,) = await self.answer_reader.read(question.standalone, [titled_without(passage, told)])
        agreed = reading.yes if "Yes" in said else reading.no
        if agreed >= AGREED_POLARITY:
            return (Check("polarity", Status.PASSED, Severity.BLOCK, None, None, where),)
        cause = f"the reader finds {said.strip('*')} only {100 * agreed:.0f} % likely"
        return (Check("polarity", Status.UNKNOWN, Severity.BLOCK, None, cause, where),)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review with what no claim's check tests: a draft without claims, a bare yes or no, a namesake."""
        with self.timing("support"):
            # A quote is compared whole, its headings and lead-ins too.
            compared = "support" in self.skip or only_quotes(draft, 0)
            untested = () if compared else untested_in(draft.text, review, Severity.BLOCK)
        with self.timing("subject"):
            apart = () if "subject" in self.skip else subject(question, draft.text, review.claims)
        return _with(review, untested + apart)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Every claim of a text against passages; `[n]` in it, or its id, marks `passages[n - 1]`.

        With `one_claim` the text is judged whole, as a single claim. Else code is none, and told to be untested.
        """
        marks = citations(text, names_of(passages))
        code = () if one_claim else code_in(without_marks(text, marks).replace(HEDGE_MARK, " "))
        prose = blanked(text, code)
        claims = tuple(whole(text, marks) if one_claim else stated(prose, marks))
        review = await self._reviewed(Task(text, marks, claims, passages, passages, bool(marks)))
        if "support" in self.skip:
            return review
        return _with(review, untested_in(prose, review, Severity.WARN) + untested_code(code))

    async def measure(self, text: str, passages: tuple[Passage, ...]) -> MeasuredClaim | None:
        """What the verdict of `check` on a text judged whole comes from; None where it claims nothing."""
        marks = citations(text, names_of(passages))
        task = Task(text, marks, tuple(whole(text, marks)), passages, passages, bool(marks))
        cases = await asyncio.to_thread(_cases, task, self.reader, 1)
        measures = await self._measures(cases)
        return next((MeasuredClaim.of(case, measures) for case in cases), None)

    async def weigh(self, claims: Sequence[str], passages: tuple[Passage, ...]) -> tuple[float | None, ...]:
        """The log odds, by the checker alone, that the passages support each claim; None where it reads none."""
        if self.checker is None:
            return (None,) * len(claims)
        known = self.checker.model.languages
        read = {n: claim for n, claim in enumerate(claims) if language_of(claim) in known}
        pairs = await asyncio.to_thread(lambda: {n: pairs_of(claim, passages) for n, claim in read.items()})
        every = list(chain(*pairs.values()))
        said = by_claim(self.checker.model.id, pairs, await self.checker.check(every)) if every else {}
        return tuple(said[n].support if n in said else None for n in range(len(claims)))

    async def _reviewed(self, task: Task) -> Review:
        if self.lateness is None:
            return _review(task, await self._tested(task), self.skip, self.timing)
        late, made = self.lateness(), list[Judged]()
        for at in range(0, len(task.claims), _IN_A_STRETCH):
            part = replace(task, claims=task.claims[at : at + _IN_A_STRETCH])
            if late():
                made += self._judged(part, untested_cases(part, "deadline", at + 1), Measures())
            else:
                made += await self._tested(part, at + 1)
        return _review(task, made, self.skip, self.timing)

    async def _tested(self, task: Task, first: int = 1) -> list[Judged]:
        """The task's claims, numbered from `first`, with their checks."""
        with self.timing(READING):
            quoted = _soon_quoted(task, self.reader, first)
            if quoted is None:
                cases = await asyncio.to_thread(_cases, task, self.reader, first)
                measures = await self._measures(cases)
        if quoted is not None:
            return self._judged(task, quoted, Measures())
        return await asyncio.to_thread(self._judged, task, cases, measures)

    def _judged(self, task: Task, cases: Sequence[Case], measures: Measures) -> list[Judged]:
        """Each claim with its checks, on the calling thread."""
        return [judged(case, task, measures, self.skip, self.reader, self.timing) for case in cases]

    async def _measures(self, cases: Sequence[Case]) -> Measures:
        """What models say of the cases; nothing where support is not tested."""
        if "support" in self.skip:
            return Measures()
        vectors, said = await asyncio.gather(self._vectors(cases), self._entailed(cases))
        return Measures(vectors, said, self.checker.model.policy if self.checker else None)

    async def _entailed(self, cases: Sequence[Case]) -> Mapping[int, Entailed]:
        """What the checker says of each case, by its number; nothing in languages that it does not read."""
        if self.checker is None:
            return {}
        known = self.checker.model.languages
        read = [(case, case.reading) for case in cases if case.reading and language_of(case.claim.text) in known]
        # Values stand as the sources write them: a checker takes 24 months for another time than two years.
        pairs = await asyncio.to_thread(lambda: {case.n: pairs_of(held.text, case.scope) for case, held in read})
        every = list(chain(*pairs.values()))
        return by_claim(self.checker.model.id, pairs, await self.checker.check(every)) if every else {}

    async def _vectors(self, cases: Sequence[Case]) -> dict[str, Vector]:
        """The vectors that the cases need, each text once; none for languages that the model does not know."""
        if self.embedder is None:
            return {}
        known = self.embedder.model.languages
        readings = [each.reading for each in cases if each.reading and language_of(each.claim.text) in known]
        texts = list(dict.fromkeys(text for reading in readings for text in texts_of(reading)))
        return dict(zip(texts, await self.embedder.embed(texts), strict=True)) if texts else {}


def _soon_quoted(task: Task, reader: SourceReader, first: int) -> tuple[Case, ...] | None:
    """The claims, where it is soon seen that each stands in a source word for word: nothing is to be compared."""
    quotes = quotes_of(task) if _soon_looked_up(task) else (None,)
    return None if None in quotes else cases_of(task, quotes, reader, first)


def _soon_looked_up(task: Task) -> bool:
    """Whether looking for the claims in their sources takes less than changing the thread for it is worth."""
    return sum(len(passage.text) for claim in task.claims for passage in task.scope(claim)) <= _SOON_LOOKED_UP


def _cases(task: Task, reader: SourceReader, first: int) -> tuple[Case, ...]:
    return cases_of(task, quotes_of(task), reader, first)


def least_support(review: Review) -> float | None:
    """The support of the weakest claim, 0 to 1; None where no claim's was measured."""
    return min((claim.support for claim in review.claims if claim.support is not None), default=None)


def _review(task: Task, made: Sequence[Judged], skip: frozenset[str], timing: Timing) -> Review:
    """The review of claims that were judged, with the checks of the text's marks."""
    wrong = [*invalid(task.text, task.marks, len(task.numbered))]
    known = {mark.start for mark in wrong}
    gone = {n for n, passage in enumerate(task.numbered, 1) if passage is None}
    wrong += [m for m in task.marks if m.start not in known and not gone.isdisjoint(m.numbers)]
    checks = [Check(name, Status.SKIPPED, Severity.BLOCK, None, "switched off") for name in CHECKS if name in skip]
    if "citations" not in skip:
        with timing("citations"):
            checks += _citation_checks(task, wrong)
    checks += [check for _, found in made for check in found]
    claims = tuple(claim for claim, _ in made)
    unknown = tuple(task.text[mark.start : mark.end] for mark in wrong)
    return Review(claims, tuple(checks), findings_of(checks), task.marks, unknown)


def _citation_checks(task: Task, wrong: Sequence[Citation]) -> list[Check]:
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


def _with(review: Review, checks: tuple[Check, ...]) -> Review:
    return replace(review, checks=(*review.checks, *checks), findings=(*review.findings, *findings_of(checks)))
