"""Kept answers that are given again only where the present documents still bear them out.

A kept answer is served after the question was searched anew: as for an answer, and plainly, since an answer's
evidence has what its first passages lead to in the place of some that the search itself ranks. For the same
question both must find the very passages that they found for the kept one, no more and no fewer; where one of them
moved, the claims are tested on it again. For another question that asks the same, the passages that the answer
cites must be among those found, and the reader must find that the answer answers the new question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.core.answer_cache import AnswerCache
from assay.core.draft import compose
from assay.core.finalise import source
from assay.core.reuse import cited_ids
from assay.core.stages import (
    Concluder,
    ConfidenceEstimator,
    Embedder,
    Index,
    Relevance,
    Retriever,
    Verifier,
)
from assay.core.tape import Tape, key_of
from assay.errors import AssayError
from assay.nlp.same_question import names_agree, normal_form
from assay.records.kept_answers import KeptRow, digest_of, meaning_of, read_kept, written
from assay.records.run_records import RunRecords
from assay.types import (
    Answer,
    Claim,
    Evidence,
    KeptAnswer,
    Lookup,
    Passage,
    Question,
    Review,
    Sentence,
    Source,
    SourceSpan,
    Verdict,
)

# Chosen: in benchmarks/reuse the forms of the questions decide; this only keeps out what two forms share by
# accident.
LEAST_COSINE = 0.7


@dataclass(frozen=True, slots=True)
class Checks:
    """The documents and readers that a kept answer is held against. None of them asks a language model.

    The `retriever` finds what answers stand on, the `plain` one what the search itself ranks first. `relevance` is
    None without a reader: then only the same question is served.
    """

    index: Index
    retriever: Retriever
    plain: Retriever
    embedder: Embedder
    verifier: Verifier
    concluder: Concluder
    relevance: Relevance | None
    estimator: ConfidenceEstimator


@dataclass(slots=True)
class RecordedAnswers:
    """The kept answers of a collection for one run; `key` names the settings that they were made under.

    With `near`, a question that asks the same in other words is served, too. `tell` hears what was looked up, and
    `warn` what could not be.
    """

    records: RunRecords
    run_id: str
    key: str
    checks: Checks
    near: bool
    tell: Callable[[Lookup], None]
    warn: Callable[[str], None]
    _version: int = field(default=-1, init=False)
    _ranked: frozenset[str] = field(default=frozenset(), init=False)

    async def find(self, question: Question) -> KeptAnswer | None:
        """A kept answer that the present documents bear out; None if there is none."""
        # Both before anything is judged: a change in the meantime counts as one after it.
        self._version = await self.checks.index.version()
        self._ranked = await self._plain_digests(question.standalone)
        found = await self._first_that_holds(question)
        self.tell(Lookup() if found is None else Lookup(True, found.answer.usage.calls))
        return found

    async def keep(
        self, question: Question, evidence: Evidence, answer: Answer, sentences: tuple[Sentence, ...]
    ) -> None:
        """Keep the answer; it is written with the record of its run."""
        digests = {passage.passage_id: digest_of(passage) for passage in evidence.passages}
        kept = KeptAnswer(
            question.standalone,
            self._version,
            tuple(sorted(self._ranked.union(digests.values()))),
            {passage_id: digests[passage_id] for passage_id in sorted(cited_ids(answer))},
            sentences,
            answer,
        )
        self.records.keep_answer(self.run_id, KeptRow.of(self.key, kept, question.language))

    async def _first_that_holds(self, question: Question) -> KeptAnswer | None:
        candidates = await self._candidates(question)
        if not candidates:
            return None
        present = await self._search(question.standalone)
        for kept in candidates:
            current = await self._current(kept, question, present)
            if current is not None:
                return current
        return None

    async def _candidates(self, question: Question) -> Sequence[KeptAnswer]:
        """Kept answers to questions that ask the same, those of the same words first."""
        form = normal_form(question.standalone)
        meaning = meaning_of(question.standalone, question.language) if self.near else None
        try:
            found = await asyncio.to_thread(self.records.kept_answers, self.key, form, meaning)
        except AssayError as error:  # an answer can be made without the record
            self.warn(f"no kept answer was looked for: {error}")
            return ()
        return [kept for kept in found if names_agree(kept.question, question.standalone)]

    async def _search(self, query: str) -> Evidence:
        return await self.checks.retriever.retrieve((query,))

    async def _plain_digests(self, query: str) -> frozenset[str]:
        return _digests(await self.checks.plain.retrieve((query,)))

    async def _current(self, kept: KeptAnswer, question: Question, present: Evidence) -> KeptAnswer | None:
        """The kept answer as the present passages have it, None if they do not bear it out for this question."""
        is_same = normal_form(kept.question) == normal_form(question.standalone)
        if not await self._is_evidence_unchanged(kept, present, is_same):
            return None
        places = _places(kept.cited, present.passages)
        if places is None:
            return None
        starts = {one.passage_id: one.start for one in kept.answer.sources}
        here = replace(kept, sentences=tuple(_at(places, starts, one) for one in kept.sentences))
        answer = _where_it_was(kept.answer, places) or await self._tested_again(here, question, present, places)
        if answer is not None and not is_same:
            answer = await self._for_question(answer, here, question, tuple(places.values()))
        return None if answer is None else replace(here, answer=answer)

    async def _is_evidence_unchanged(self, kept: KeptAnswer, present: Evidence, is_same: bool) -> bool:
        """True if nothing that a search ranks among the evidence came, changed or went since the kept answer.

        Other words for the question may find other passages of the same version. Of another version, they must find
        no passage that was not there, and the kept question just what it found.
        """
        found, then = _digests(present) | self._ranked, frozenset(kept.evidence)
        if is_same:
            return found == then
        if kept.version == self._version:
            return True
        own = _digests(await self._search(kept.question)) | await self._plain_digests(kept.question)
        return found <= then and own == then

    async def _tested_again(
        self, here: KeptAnswer, question: Question, present: Evidence, places: Mapping[str, Passage]
    ) -> Answer | None:
        """The answer with every claim tested on the passages as they are; None if one is not supported."""
        answer, draft = here.answer, compose(here.sentences)
        if draft.text != answer.text:
            return None
        review = await self.checks.verifier.review(question, present, draft)
        review = self.checks.concluder.conclude(question, draft, review)
        if review.verdict is not Verdict.SUPPORTED or review.invalid_citations or review.findings:
            return None
        again = {check.name for check in (*review.checks, *answer.judgement.checks)}
        others = (check for check in answer.checks if check.name not in again)
        tested = replace(
            answer,
            claims=review.claims,
            sources=_sources(answer, review.claims, places),
            citations=review.citations,
            checks=(*answer.judgement.checks, *review.checks, *others),
            findings=(),
            explanation=None,
        )
        return tested if tested.validate() else None

    async def _for_question(
        self, answer: Answer, here: KeptAnswer, question: Question, cited: Sequence[Passage]
    ) -> Answer | None:
        """The answer with the confidence that it answers this question; None if the reader does not say so."""
        if self.checks.relevance is None:
            return None
        vectors = await self.checks.embedder.embed([question.standalone, here.question])
        if float(vectors[0] @ vectors[1]) < LEAST_COSINE:
            return None
        reading = await self.checks.relevance.read(question, here.sentences, answer.text, cited)
        if reading is None:
            return None
        review = Review(answer.claims, answer.checks, answer.findings)
        confidence = self.checks.estimator.rate(answer.judgement, review, reading)
        return replace(answer, confidence=confidence) if confidence.answers == "yes" else None


def _digests(evidence: Evidence) -> frozenset[str]:
    return frozenset(digest_of(passage) for passage in evidence.passages)


def _places(cited: Mapping[str, str], present: Sequence[Passage]) -> dict[str, Passage] | None:
    """The present passage with the text of each cited one, by its former id; None if one has none of its own."""
    by_digest: dict[str, dict[str, Passage]] = {}
    for passage in present:
        by_digest.setdefault(digest_of(passage), {})[passage.passage_id] = passage
    places: dict[str, Passage] = {}
    for old, digest in cited.items():
        same_text = by_digest.get(digest)
        if same_text is None:
            return None
        places[old] = same_text.get(old) or next(iter(same_text.values()))
    is_one_each = len({passage.passage_id for passage in places.values()}) == len(places)
    return places if is_one_each else None


def _at(places: Mapping[str, Passage], starts: Mapping[str, int], sentence: Sentence) -> Sentence:
    """The sentence with its citations and quotes where their passages are now; `starts` is where these were."""
    return replace(
        sentence,
        passage_ids=tuple(places[old].passage_id for old in sentence.passage_ids),
        quotes=tuple(replace(quote, source=_span_at(places, starts, quote.source)) for quote in sentence.quotes),
    )


def _span_at(places: Mapping[str, Passage], starts: Mapping[str, int], span: SourceSpan) -> SourceSpan:
    """The span in the present passage; unchanged, for the tests to refuse, if it was not within the former one."""
    place, start = places.get(span.passage_id), starts.get(span.passage_id)
    if place is None or start is None or span.start < start:
        return span
    return place.span_of(span.start - start, span.end - start)


def _where_it_was(answer: Answer, places: Mapping[str, Passage]) -> Answer | None:
    """The answer on its present passages; None if one of them, or a quote of theirs, is not where it was.

    A passage with the same text at the same place supports what it supported.
    """
    starts = {one.passage_id: one.start for one in answer.sources}
    spans = [span for claim in answer.claims for span in claim.spans]
    stays = all(
        (place.passage_id, place.start) == (old, starts.get(old, place.start)) for old, place in places.items()
    )
    if not stays or not all(_stands(places[span.passage_id], span) for span in spans):
        return None
    return replace(answer, sources=_sources(answer, answer.claims, places))


def _sources(answer: Answer, claims: Sequence[Claim], places: Mapping[str, Passage]) -> tuple[Source, ...]:
    """The answer's sources as the present passages have them."""
    return tuple(source(one.number, places[one.passage_id], claims) for one in answer.sources)


def _stands(passage: Passage, span: SourceSpan) -> bool:
    at = span.start - passage.start
    return at >= 0 and passage.text[at : at + len(span.quote)] == span.quote


# The kept answers as one run sees them: on its tape.


# The port of the look for a kept answer, and its entry where none was served.
REUSE, NOTHING = "reuse", b"null"


@dataclass(frozen=True, slots=True)
class TapedAnswers:
    """Kept answers on the tape: what was served, and that nothing was. A replay has no kept answers."""

    inner: AnswerCache | None
    tape: Tape

    async def find(self, question: Question) -> KeptAnswer | None:
        """The kept answer, now or as it was."""
        key = key_of(question.standalone.encode(errors="surrogatepass"))
        if self.tape.plays(REUSE, key):
            return read_kept(self.tape.recall(REUSE, key))
        found = None if self.inner is None else await self.inner.find(question)
        if not self.tape.replaying:
            self.tape.record(REUSE, key, NOTHING if found is None else written(found).encode())
        return found

    async def keep(
        self, question: Question, evidence: Evidence, answer: Answer, sentences: tuple[Sentence, ...]
    ) -> None:
        """Keep the answer; a replay keeps none."""
        if self.inner is not None:
            await self.inner.keep(question, evidence, answer, sentences)
