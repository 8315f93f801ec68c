"""The fast judge: signals of words, vectors and a reader, weighed as labelled data taught; no model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.calibration import sigmoid
from assay.core.stages import Embedder, Reader
from assay.judging.query_terms import QueryTerms, content_terms, query_terms_of
from assay.judging.recommendation import Thresholds, quality_of, recommend, triage_of
from assay.judging.signals import (
    Model,
    PassageTerms,
    Weights,
    aspect_cover,
    clip_cosine,
    load_weights,
    read_passage,
    telling_lines,
    vector_signals,
    word_signals,
)
from assay.nlp.blocks import titled
from assay.nlp.cues import asks_alone
from assay.nlp.language import KNOWN_BY_SCRIPT, language_of
from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.tokens import fold, word_spans
from assay.types import Aspect, AspectState, Evidence, Hit, Judgement, Passage, Question, Scores, Span, Triage

# What the reader makes of the passages: whether any of them answers, and which part of the question.


# Passages that are read, the nearest first: as many as a search returns, and a few more of those that were given.
MOST_PASSAGES = 10
# Log odds beyond these tell no more: the reader was trained towards 2 and 98 %.
_LEAST_ODDS, _MOST_ODDS = -4.0, 4.0


@dataclass(frozen=True, slots=True)
class Answerability:
    """The reader's signals by name, each in 0 to 1; the probability that a passage answers, by its id."""

    signals: Mapping[str, float]
    passages: Mapping[str, float]


async def answerability(
    reader: Reader, question: Question, passages: Sequence[Passage], cosines: Mapping[str, float]
) -> Answerability:
    """Read the nearest passages; there must be one."""
    nearest = sorted(passages, key=lambda passage: -cosines.get(passage.passage_id, 0.0))[:MOST_PASSAGES]
    texts = [titled(passage) for passage in nearest]
    odds = [reading.answerable for reading in await reader.read(question.standalone, texts)]
    order = sorted(range(len(odds)), key=lambda at: -odds[at])
    best = [odds[at] for at in order]
    signals = {
        "reader_best": _share(best[0]),
        "reader_second": _share(best[min(1, len(best) - 1)]),
        "reader_third": _share(best[min(2, len(best) - 1)]),
    }
    by_id = {passage.passage_id: sigmoid(one) for passage, one in zip(nearest, odds, strict=True)}
    return Answerability(signals, by_id)


def _share(odds: float) -> float:
    """Log odds within 0 to 1, for a weighted sum.

    >>> _share(-9.0), _share(0.0), _share(4.0)
    (0.0, 0.5, 1.0)
    """
    return (min(max(odds, _LEAST_ODDS), _MOST_ODDS) - _LEAST_ODDS) / (_MOST_ODDS - _LEAST_ODDS)


# What a question asks for and no passage holds, named as the user wrote it.


# Behind these stands a verb, which is no thing: "how do I install", "want to install".
_BEFORE_VERB = word_class("questions.before_verb")
# So it does behind a name that one of these opens a question before: "has Neptune got".
_OPENING = word_class("verbs.auxiliary")


def missing_things(query_terms: QueryTerms, nowhere: Collection[str]) -> tuple[str, ...]:
    """The names and phrases of the question with a term that is found nowhere, the rarest term's first.

    A phrase is the missing words that follow each other, with the word that they stand before.

    >>> from assay.judging.query_terms import query_terms_of
    >>> from assay.types import Question
    >>> asked = "How do I apply for parental leave at Acme Labs?"
    >>> missing_things(query_terms_of(Question(asked, asked)), {"appli", "parent", "acm"})
    ('Acme Labs', 'parental leave')
    """
    found: dict[str, float] = {}
    for span in _phrases(query_terms.text, nowhere):
        phrase = query_terms.text[span.start : span.end]
        weight = max(query_terms.weights.get(term, 0.0) for term in content_terms(phrase))
        found.setdefault(phrase, weight)
    in_phrases = {term for phrase in found for term in content_terms(phrase)}
    unspaced = [
        term for term in nowhere if not term.isascii() and term not in in_phrases and term in query_terms.written
    ]
    found |= {query_terms.written[term]: query_terms.weights[term] for term in unspaced}
    return tuple(sorted(found, key=lambda phrase: (-found[phrase], query_terms.text.find(phrase))))


def _phrases(text: str, nowhere: Collection[str]) -> Iterator[Span]:
    named = [Span(name.start, name.end) for name in names(text) if not name.opens]
    spans = list(word_spans(text))
    at = 0
    while at < len(spans):
        name = next(
            (named_span for named_span in named if named_span.start <= spans[at].start < named_span.end), None
        )
        if name is not None:
            last = max(n for n, span in enumerate(spans) if span.start < name.end)
            if any(term in nowhere for term in content_terms(text[name.start : name.end])):
                yield name
            # The word behind it is the question's verb where an auxiliary stands before it.
            at = last + 1 + (at > 0 and _word(text, spans[at - 1]) in _OPENING)
        elif _is_missing(text, spans[at], nowhere) and not (at and _word(text, spans[at - 1]) in _BEFORE_VERB):
            last = at
            while last + 1 < len(spans) and _follows(text, spans, last) and _content(text, spans[last + 1]):
                last += 1
                if not _is_missing(text, spans[last], nowhere):
                    break
            yield Span(spans[at].start, spans[last].end)
            at = last + 1
        else:
            at += 1


def _word(text: str, span: Span) -> str:
    return fold(text[span.start : span.end])


def _content(text: str, span: Span) -> bool:
    word = text[span.start : span.end]
    return word.isascii() and bool(content_terms(word)) and not word[0].isupper()


def _is_missing(text: str, span: Span, nowhere: Collection[str]) -> bool:
    word = text[span.start : span.end]
    return (word.isascii() or len(content_terms(word)) == 1) and any(t in nowhere for t in content_terms(word))


def _follows(text: str, spans: list[Span], at: int) -> bool:
    """Whether nothing but a space or a hyphen stands before the next word."""
    return text[spans[at].end : spans[at + 1].start] in (" ", "-")


# How much of an aspect one passage must hold for it to count as covered, and as there in part.
_COVERED, _PARTIAL = 0.6, 0.3
# The sufficiency of the evidence for a part of a question, asked by itself, under which the part is missing, and
# from which on it is covered (benchmarks/parts/thresholds.py). Under .35 are all 36 missing parts of one set of
# questions and .88 of 90 of another, and .05 of 106 and of 266 answered ones. A reading of the part beside the
# whole question, which decided before, takes the answer to the whole for one to the part.
_PART_MISSING, _PART_COVERED = 0.35, 0.6
# Coverage and cosine under which the seed's list of issues names them low.
_LOW_COVER, _LOW_COSINE = 0.3, 0.3
# Characters of a passage that tell its script.
_SCRIPT_SAMPLE = 400
WORDS_ONLY = "fast (words only)"
FAST, FAST_READ = "fast", "fast (read)"
# Characters of passages that are read in about a millisecond.
_SOON_READ = 4000
# At most so many things of a question are named as found nowhere.
_MOST_MISSING = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured: signals by name, the cosine of each passage where known, by which model, and what ran.

    `answerability` is what a reader made of the passages, None where none read them.
    """

    signals: dict[str, float]
    cosines: dict[str, float]
    model: Model
    mode: str
    answerability: Answerability | None = None


@dataclass(frozen=True, slots=True)
class HeuristicJudge:
    """Judge by fitted signals.

    Without an embedder, or for a language that its model does not know, words alone decide and `mode_used`
    says so. Passages keep the cosine that the search gave them; those without one are embedded here. A `reader`
    says whether each passage answers, where it reads the language.
    """

    embedder: Embedder | None = None
    weights: Weights = field(default_factory=load_weights)
    thresholds: Thresholds = field(default_factory=Thresholds)
    reader: Reader | None = None

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement; sufficiency None where there is nothing to measure. Raises what the embedder raises."""
        query_terms = query_terms_of(question)
        if not evidence.hits:
            return self._unmeasured(question, query_terms, "no passages")
        readings, words = await _compared_aside(query_terms, evidence.passages)
        measured = await self._measure(question, query_terms, evidence, readings, words)
        if measured is None:
            return self._unmeasured(question, query_terms, _cause(query_terms), len(readings))
        parts = await self._parts(question, evidence.passages) if measured.answerability else {}
        return self._judged(question, query_terms, readings, measured, parts)

    async def _parts(self, question: Question, passages: Sequence[Passage]) -> dict[str, float]:
        """The sufficiency of the passages for each part that asks by itself; none for a question of one part."""
        found: dict[str, float] = {}
        if self.embedder is None or len(question.aspects) < 2:
            return found
        for part in question.aspects:
            asked = replace(question, text=part, standalone=part, history=(), aspects=(part,))
            query_terms = query_terms_of(asked)
            if not asks_alone(part) or not query_terms.weights:
                continue
            cosines = await _cosines(self.embedder, asked, passages)
            hits = tuple(Hit(passage, 0.0, Scores(cosines[passage.passage_id], None)) for passage in passages)
            readings, words = await _compared_aside(query_terms, passages)
            measured = await self._measure(asked, query_terms, Evidence(hits), readings, words)
            if measured is not None:
                found[part] = measured.model.sufficiency(measured.signals)
        return found

    async def _measure(
        self,
        question: Question,
        query_terms: QueryTerms,
        evidence: Evidence,
        readings: Sequence[PassageTerms],
        words: dict[str, float] | None,
    ) -> Measured | None:
        """Every signal that can be measured; None where there is none."""
        if self.embedder is None or not _speaks(self.embedder, question.language):
            comparable = words and _same_script(question, evidence.passages)
            return Measured(words, {}, self.weights.words, WORDS_ONLY) if words and comparable else None
        known = {hit.passage.passage_id: hit.scores.dense for hit in evidence.hits if hit.scores.dense is not None}
        unknown = tuple(passage for passage in evidence.passages if passage.passage_id not in known)
        cosines = known | (await _cosines(self.embedder, question, unknown) if unknown else {})
        topic = [title for title in (_nearest(evidence.passages, cosines).title,) if title]
        lines = telling_lines(query_terms, readings, cosines)
        asked = self.embedder.model.as_question(question.standalone)
        vectors = await self.embedder.embed([asked, *lines, *topic])
        said = vectors[1 : len(lines) + 1]
        near = vector_signals(list(cosines.values()), vectors[0], said, vectors[-1] if topic else None)
        signals = {**(words or {}), **near}
        if self.reader is None or question.language not in self.reader.model.languages:
            model = self.weights.searched if known else self.weights.given
            return Measured({**dict.fromkeys(model.weights, 0.0), **signals}, cosines, model, FAST)
        read = await answerability(self.reader, question, evidence.passages, cosines)
        model = self.weights.searched_read if known else self.weights.given_read
        signals = {**dict.fromkeys(model.weights, 0.0), **signals, **read.signals}
        return Measured(signals, cosines, model, FAST_READ, read)

    def _judged(
        self,
        question: Question,
        query_terms: QueryTerms,
        readings: Sequence[PassageTerms],
        measured: Measured,
        parts: Mapping[str, float],
    ) -> Judgement:
        """The judgement of what was measured, of the whole question and of each of its `parts`."""
        sufficiency = measured.model.sufficiency(measured.signals)
        # A part that is covered is worth an answer, which names the rest as missing.
        triage = triage_of(max(sufficiency, *parts.values(), 0.0), self.thresholds)
        aspects = self._aspects(query_terms, readings, sufficiency, parts)
        unclear = question.unclear or (None if query_terms.weights else "it has no words to look for")
        recommended = recommend(triage, aspects, len(readings), unclear)
        return Judgement(
            sufficiency=sufficiency,
            recommendation=recommended.action,
            reason=recommended.reason,
            quality=quality_of(sufficiency, self.thresholds),
            triage=triage,
            coverage=measured.signals["cover_all"] if query_terms.weights else None,
            relevance=_relevance(readings, measured.cosines)
            | dict(measured.answerability.passages if measured.answerability else {}),
            aspects=aspects,
            missing=_missing(query_terms, readings, aspects, sufficiency >= self.thresholds.correct),
            issues=_issues(query_terms, measured),
            signals=measured.signals,
            mode_used=measured.mode,
            calibrated=bool(query_terms.weights),  # the fits never saw a question without words
        )

    def _aspects(
        self,
        query_terms: QueryTerms,
        readings: Sequence[PassageTerms],
        sufficiency: float,
        parts: Mapping[str, float],
    ) -> tuple[Aspect, ...]:
        """The state of each aspect: of a lone one by the sufficiency, of several by its own or by what holds it."""
        if len(query_terms.aspects) == 1:
            best = sorted(readings, key=lambda reading: -reading.cover)[:2]
            holding = tuple(reading.passage_id for reading in best if reading.held)
            return (Aspect(query_terms.aspects[0][0], _lone(triage_of(sufficiency, self.thresholds)), holding),)
        found = (_aspect(text, wanted, readings, query_terms) for text, wanted in query_terms.aspects)
        return tuple(
            replace(aspect, state=_part_state(parts[aspect.text])) if aspect.text in parts else aspect
            for aspect in found
        )

    def _unmeasured(self, question: Question, query_terms: QueryTerms, issue: str, passages: int = 0) -> Judgement:
        """The judgement where nothing could be measured."""
        unclear = question.unclear or (None if query_terms.weights else "it has no words to look for")
        recommended = recommend(None, (), passages, unclear)
        return Judgement(
            sufficiency=None,
            recommendation=recommended.action,
            reason=recommended.reason,
            aspects=tuple(Aspect(text, "missing") for text, _ in query_terms.aspects),
            missing=tuple(text for text, _ in query_terms.aspects),
            issues=(issue,),
            mode_used="fast (nothing measured)",
        )


async def _compared_aside(
    query_terms: QueryTerms, passages: Sequence[Passage]
) -> tuple[list[PassageTerms], dict[str, float] | None]:
    """As `_compared`; not on the event loop where it takes longer than changing the thread is worth."""
    if sum(len(passage.text) for passage in passages) <= _SOON_READ:
        return _compared(query_terms, passages)
    return await asyncio.to_thread(_compared, query_terms, passages)


def _compared(
    query_terms: QueryTerms, passages: Sequence[Passage]
) -> tuple[list[PassageTerms], dict[str, float] | None]:
    """The passages read for the question, and the signals of words where the question has any."""
    readings = [read_passage(passage, query_terms) for passage in passages]
    return readings, word_signals(query_terms, readings) if query_terms.weights else None


async def _cosines(embedder: Embedder, question: Question, passages: Sequence[Passage]) -> dict[str, float]:
    """The cosine of each passage, by id."""
    asked = embedder.model.as_question(question.standalone)
    vectors = await embedder.embed([asked, *(_embedded(passage.title, passage.text) for passage in passages)])
    near = (float(cosine) for cosine in vectors[1:] @ vectors[0])
    return dict(zip((passage.passage_id for passage in passages), near, strict=True))


def _nearest(passages: Sequence[Passage], cosines: dict[str, float]) -> Passage:
    """The passage of the highest cosine; one without a known cosine comes last."""
    return max(passages, key=lambda passage: cosines.get(passage.passage_id, -1.0))


def _embedded(title: str, text: str) -> str:
    """A passage as it is embedded: its title on a line before it."""
    return f"{title}\n{text}" if title else text


def _speaks(embedder: Embedder, language: str) -> bool:
    """Whether the model reads the language; one in Latin letters is tried with any model, as the search does."""
    return language not in KNOWN_BY_SCRIPT or language in embedder.model.languages


def _cause(query_terms: QueryTerms) -> str:
    """Why nothing could be measured though there are passages."""
    if query_terms.weights:
        return "the question and the passages are in different scripts, and no embedding model reads both"
    return "the question has no words to look for"


def _same_script(question: Question, passages: Sequence[Passage]) -> bool:
    """Whether words can be compared at all: a question in a script of its own needs a passage in that script."""
    if question.language not in KNOWN_BY_SCRIPT:
        return True
    return any(language_of(passage.text[:_SCRIPT_SAMPLE]) in KNOWN_BY_SCRIPT for passage in passages)


def _lone(triage: Triage | None) -> AspectState:
    """The state of the only aspect, which is the whole question."""
    return "covered" if triage is Triage.CORRECT else "missing" if triage is Triage.INCORRECT else "partial"


def _aspect(text: str, wanted: frozenset[str], readings: Sequence[PassageTerms], query_terms: QueryTerms) -> Aspect:
    """One aspect of several, and the passages that hold about as much of it as the best one."""
    covers = {reading.passage_id: aspect_cover(wanted, reading, query_terms) for reading in readings}
    most = max(covers.values())
    holding = tuple(key for key, cover in covers.items() if cover >= max(most - 0.1, _PARTIAL))
    return Aspect(text, _state(most), holding[:3])


def _part_state(sufficiency: float) -> AspectState:
    """The state of a part of a question that the evidence suffices for so far."""
    return "missing" if sufficiency < _PART_MISSING else "covered" if sufficiency >= _PART_COVERED else "partial"


def _state(cover: float) -> AspectState:
    """The state of an aspect of which one passage holds this much."""
    if cover >= _COVERED:
        return "covered"
    return "partial" if cover >= _PARTIAL else "missing"


def _relevance(readings: Sequence[PassageTerms], cosines: dict[str, float]) -> dict[str, float]:
    """Each passage's relevance: the mean of its coverage and its cosine, coverage alone where that is unknown."""
    return {
        reading.passage_id: (reading.cover + clip_cosine(cosines[reading.passage_id])) / 2
        if reading.passage_id in cosines
        else reading.cover
        for reading in readings
    }


def _missing(
    query_terms: QueryTerms, readings: Sequence[PassageTerms], aspects: Sequence[Aspect], enough: bool
) -> tuple[str, ...]:
    """The aspects nothing covers and, where the evidence is not enough, what it names and is found nowhere."""
    open_aspects = tuple(aspect.text for aspect in aspects if aspect.state == "missing" and len(aspects) > 1)
    if enough:
        return open_aspects
    held = frozenset().union(*(reading.held for reading in readings))
    nowhere = query_terms.weights.keys() - held
    things = missing_things(query_terms, nowhere)[:_MOST_MISSING]
    # A thing of a part that is named already is not named again.
    named = [thing for thing in things if not any(fold(thing) in fold(part) for part in open_aspects)]
    whole = tuple(aspect.text for aspect in aspects if aspect.state == "missing" and len(aspects) == 1)
    return tuple(dict.fromkeys((*open_aspects, *named))) or whole


def _issues(query_terms: QueryTerms, measured: Measured) -> tuple[str, ...]:
    """What is weak about the evidence, in words."""
    found = []
    if not query_terms.weights:
        found.append("the question has no words to look for")
    elif (cover := measured.signals["cover_all"]) < _LOW_COVER:
        found.append(f"low coverage of the question's words: {cover:.2f}")
    if measured.cosines and max(measured.cosines.values()) < _LOW_COSINE:
        found.append(f"no passage is near the question: best cosine {max(measured.cosines.values()):.2f}")
    for what, share in (("a name", "names"), ("a number", "numbers")):
        if query_terms.weights and getattr(query_terms, share) and measured.signals[share] < 1:
            found.append(f"{what} of the question stands in no passage")
    if measured.mode == WORDS_ONLY:
        found.append("judged by words alone: no embedding model for this question")
    return tuple(found)
