"""The fast judge: signals of words, vectors and a reader, with fitted weights and no language model."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.calibration import sigmoid
from assay.core.stages import Embedder, Reader, RowFinder
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
from assay.types import (
    Aspect,
    AspectState,
    Evidence,
    FoundRow,
    Hit,
    Judgement,
    Passage,
    Question,
    Scores,
    Span,
    Triage,
)

# The reader's signals: whether a passage answers.


# At most this many passages are read, nearest first: more than a search returns, for passages given by a caller.
MOST_PASSAGES = 10
# Log odds are clipped to these: the reader was trained towards 2 and 98 %.
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
    """The log odds clipped and scaled to 0 to 1.

    >>> _share(-9.0), _share(0.0), _share(4.0)
    (0.0, 0.5, 1.0)
    """
    return (min(max(odds, _LEAST_ODDS), _MOST_ODDS) - _LEAST_ODDS) / (_MOST_ODDS - _LEAST_ODDS)


# The things of a question that no passage mentions, as the user wrote them.


# Words before a verb, which is not a thing: "how do I install", "want to install".
_BEFORE_VERB = word_class("questions.before_verb")
# Auxiliaries: a verb follows the name, "has Neptune got", and none belongs to a thing, "gifts may".
_OPENING = word_class("verbs.auxiliary")


def missing_things(query_terms: QueryTerms, nowhere: Collection[str]) -> tuple[str, ...]:
    """The names and phrases of the question with a term that no passage holds, rarest term first.

    A phrase is a run of missing words with the word after them.

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
            # After an auxiliary and a name comes the question's verb.
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
    named = word.isascii() and not word[0].isupper() and fold(word) not in _OPENING
    return named and bool(content_terms(word))


def _is_missing(text: str, span: Span, nowhere: Collection[str]) -> bool:
    word = text[span.start : span.end]
    return (word.isascii() or len(content_terms(word)) == 1) and any(t in nowhere for t in content_terms(word))


def _follows(text: str, spans: list[Span], at: int) -> bool:
    """True if only a space or a hyphen separates a word from the next."""
    return text[spans[at].end : spans[at + 1].start] in (" ", "-")


# The share of an aspect in one passage from which it is covered, and partly covered (chosen).
_COVERED, _PARTIAL = 0.6, 0.3
# A part of a question, judged by itself, is missing below the first sufficiency and covered from the second. Below
# .5 lie all 36 missing parts of one set of questions and .89 of 90 of another, and .04 and .06 of the 106 and 266
# answered parts (benchmarks/parts/thresholds.py); of 173 questions over eleven documentations that are answered in
# half, .60 have the right part below .5 and .53 below .35.
_PART_MISSING, _PART_COVERED = 0.5, 0.6
# Coverage and cosine below these are reported as low (chosen).
_LOW_COVER, _LOW_COSINE = 0.3, 0.3
# The script of a passage is told from this many characters (chosen).
_SCRIPT_SAMPLE = 400
WORDS_ONLY = "fast (words only)"
_OTHER_SCRIPT = "the question and the passages are in different scripts, and no embedding model reads both"
FAST, FAST_READ = "fast", "fast (read)"
# Passages of at most this many characters are read in about a millisecond.
_SOON_READ = 4000
# At most this many missing things are named (chosen).
_MOST_MISSING = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements: signals by name, known cosines by passage id, the fitted model to use, and the mode.

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

    Without an embedder, or for a language that its model does not know, only words count, and `mode_used` says so.
    Cosines from the search are reused; passages without one are embedded here. The `reader`, if it knows the
    language, estimates whether each passage answers. Evidence suffices at least as likely as a table's row answers,
    which `rows` finds.
    """

    embedder: Embedder | None = None
    weights: Weights = field(default_factory=load_weights)
    thresholds: Thresholds = field(default_factory=Thresholds)
    reader: Reader | None = None
    rows: RowFinder | None = None

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """Judge the evidence; sufficiency is None if nothing can be measured. Raises what the embedder raises."""
        query_terms = query_terms_of(question)
        if not evidence.hits:
            return self._unmeasured(question, query_terms, "no passages")
        if not query_terms.weights:  # the fits never saw such a question, and its nearest passages are any
            return self._unmeasured(
                question, query_terms, "the question has no words to look for", len(evidence.hits)
            )
        readings, words = await _compare_in_thread(query_terms, evidence.passages)
        measured = await self._measure(question, query_terms, evidence, readings, words)
        if measured is None:
            return self._unmeasured(question, query_terms, _OTHER_SCRIPT, len(readings))
        parts = await self._parts(question, evidence.passages) if measured.answerability else {}
        row = await self._row(question, evidence.passages) if measured.answerability else None
        return self._judged(question, query_terms, readings, measured, parts, row)

    async def _row(self, question: Question, passages: Sequence[Passage]) -> FoundRow | None:
        """The table row that most likely answers a question of one part; None without one."""
        if self.rows is None or len(question.aspects) > 1:
            return None
        return await self.rows.find(question.standalone, passages)

    async def _parts(self, question: Question, passages: Sequence[Passage]) -> dict[str, float]:
        """The sufficiency for each part that is a question by itself; empty for a question with one part."""
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
            readings, words = await _compare_in_thread(query_terms, passages)
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
        words: dict[str, float],
    ) -> Measured | None:
        """Measure every signal available; None if there is none."""
        if self.embedder is None or not _reads_language(self.embedder, question.language):
            comparable = _same_script(question, evidence.passages)
            return Measured(words, {}, self.weights.words, WORDS_ONLY) if comparable else None
        known = {hit.passage.passage_id: hit.scores.dense for hit in evidence.hits if hit.scores.dense is not None}
        unknown = tuple(passage for passage in evidence.passages if passage.passage_id not in known)
        cosines = known | (await _cosines(self.embedder, question, unknown) if unknown else {})
        topic = [title for title in (_nearest(evidence.passages, cosines).title,) if title]
        lines = telling_lines(query_terms, readings, cosines)
        asked = self.embedder.model.as_question(question.standalone)
        vectors = await self.embedder.embed([asked, *lines, *topic])
        said = vectors[1 : len(lines) + 1]
        near = vector_signals(list(cosines.values()), vectors[0], said, vectors[-1] if topic else None)
        signals = {**words, **near}
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
        row: FoundRow | None,
    ) -> Judgement:
        """The judgement from the measurements of the whole question, of its `parts` and of a table's row."""
        by_row = {} if row is None else {row.passage_id: sigmoid(row.odds)}
        sufficiency = max(measured.model.sufficiency(measured.signals), *by_row.values(), 0.0)
        # A covered part is enough for an answer, which names the rest as missing.
        triage = triage_of(max(sufficiency, *parts.values(), 0.0), self.thresholds)
        aspects = self._aspects(query_terms, readings, sufficiency, parts)
        recommended = recommend(triage, aspects, len(readings), question.unclear)
        return Judgement(
            sufficiency=sufficiency,
            recommendation=recommended.action,
            reason=recommended.reason,
            quality=quality_of(sufficiency, self.thresholds),
            triage=triage,
            coverage=measured.signals["cover_all"],
            relevance=_relevance(readings, measured.cosines) | _likelier(measured.answerability, by_row),
            aspects=aspects,
            missing=_missing(query_terms, readings, aspects, sufficiency >= self.thresholds.correct),
            issues=_issues(query_terms, measured),
            signals=measured.signals,
            mode_used=measured.mode,
            calibrated=True,
        )

    def _aspects(
        self,
        query_terms: QueryTerms,
        readings: Sequence[PassageTerms],
        sufficiency: float,
        parts: Mapping[str, float],
    ) -> tuple[Aspect, ...]:
        """The state of each aspect: by the sufficiency if there is one, else by its own sufficiency or coverage."""
        if len(query_terms.aspects) == 1:
            best = sorted(readings, key=lambda reading: -reading.cover)[:2]
            holding = tuple(reading.passage_id for reading in best if reading.held)
            return (
                Aspect(query_terms.aspects[0][0], _single_state(triage_of(sufficiency, self.thresholds)), holding),
            )
        found = (_aspect(text, wanted, readings, query_terms) for text, wanted in query_terms.aspects)
        return tuple(
            replace(aspect, state=_part_state(parts[aspect.text])) if aspect.text in parts else aspect
            for aspect in found
        )

    def _unmeasured(self, question: Question, query_terms: QueryTerms, issue: str, passages: int = 0) -> Judgement:
        """The judgement if nothing could be measured."""
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


async def _compare_in_thread(
    query_terms: QueryTerms, passages: Sequence[Passage]
) -> tuple[list[PassageTerms], dict[str, float]]:
    """As `_compare`, in a thread if the passages are long."""
    if sum(len(passage.text) for passage in passages) <= _SOON_READ:
        return _compare(query_terms, passages)
    return await asyncio.to_thread(_compare, query_terms, passages)


def _compare(query_terms: QueryTerms, passages: Sequence[Passage]) -> tuple[list[PassageTerms], dict[str, float]]:
    """The terms of each passage, and the word signals of a question with terms."""
    readings = [read_passage(passage, query_terms) for passage in passages]
    return readings, word_signals(query_terms, readings)


async def _cosines(embedder: Embedder, question: Question, passages: Sequence[Passage]) -> dict[str, float]:
    """The cosine of each passage, by id."""
    asked = embedder.model.as_question(question.standalone)
    vectors = await embedder.embed([asked, *(_embedding_text(passage.title, passage.text) for passage in passages)])
    near = (float(cosine) for cosine in vectors[1:] @ vectors[0])
    return dict(zip((passage.passage_id for passage in passages), near, strict=True))


def _nearest(passages: Sequence[Passage], cosines: dict[str, float]) -> Passage:
    """The passage with the highest cosine; passages without a cosine come last."""
    return max(passages, key=lambda passage: cosines.get(passage.passage_id, -1.0))


def _embedding_text(title: str, text: str) -> str:
    """The text of a passage for embedding: its title on a line before it."""
    return f"{title}\n{text}" if title else text


def _reads_language(embedder: Embedder, language: str) -> bool:
    """True if the model reads the language; languages in Latin script are tried with any model, as in search."""
    return language not in KNOWN_BY_SCRIPT or language in embedder.model.languages


def _same_script(question: Question, passages: Sequence[Passage]) -> bool:
    """True if words can be compared: a question in its own script needs a passage in that script."""
    if question.language not in KNOWN_BY_SCRIPT:
        return True
    return any(language_of(passage.text[:_SCRIPT_SAMPLE]) in KNOWN_BY_SCRIPT for passage in passages)


def _single_state(triage: Triage | None) -> AspectState:
    """The state of the only aspect, which is the whole question."""
    return "covered" if triage is Triage.CORRECT else "missing" if triage is Triage.INCORRECT else "partial"


def _aspect(text: str, wanted: frozenset[str], readings: Sequence[PassageTerms], query_terms: QueryTerms) -> Aspect:
    """One of several aspects, with the passages that cover about as much of it as the best one."""
    covers = {reading.passage_id: aspect_cover(wanted, reading, query_terms) for reading in readings}
    most = max(covers.values())
    holding = tuple(key for key, cover in covers.items() if cover >= max(most - 0.1, _PARTIAL))
    return Aspect(text, _state(most), holding[:3])


def _part_state(sufficiency: float) -> AspectState:
    """The state of a part with this sufficiency."""
    return "missing" if sufficiency < _PART_MISSING else "covered" if sufficiency >= _PART_COVERED else "partial"


def _state(cover: float) -> AspectState:
    """The state of an aspect with this coverage."""
    if cover >= _COVERED:
        return "covered"
    return "partial" if cover >= _PARTIAL else "missing"


def _relevance(readings: Sequence[PassageTerms], cosines: dict[str, float]) -> dict[str, float]:
    """The relevance by passage id: the mean of coverage and cosine, or the coverage without a cosine."""
    return {
        reading.passage_id: (reading.cover + clip_cosine(cosines[reading.passage_id])) / 2
        if reading.passage_id in cosines
        else reading.cover
        for reading in readings
    }


def _likelier(read: Answerability | None, by_row: Mapping[str, float]) -> dict[str, float]:
    """Likelihood of each passage to answer, by the reader or by its row, whichever is more."""
    found = {} if read is None else dict(read.passages)
    return found | {key: max(likely, found.get(key, 0.0)) for key, likely in by_row.items()}


def _missing(
    query_terms: QueryTerms, readings: Sequence[PassageTerms], aspects: Sequence[Aspect], enough: bool
) -> tuple[str, ...]:
    """The uncovered aspects and, if the evidence is insufficient, the things that no passage mentions."""
    open_aspects = tuple(aspect.text for aspect in aspects if aspect.state == "missing" and len(aspects) > 1)
    if enough:
        return open_aspects
    held = frozenset().union(*(reading.held for reading in readings))
    nowhere = query_terms.weights.keys() - held
    things = missing_things(query_terms, nowhere)[:_MOST_MISSING]
    # Things inside a part that is named already are not repeated.
    named = [thing for thing in things if not any(fold(thing) in fold(part) for part in open_aspects)]
    whole = tuple(aspect.text for aspect in aspects if aspect.state == "missing" and len(aspects) == 1)
    return tuple(dict.fromkeys((*open_aspects, *named))) or whole


def _issues(query_terms: QueryTerms, measured: Measured) -> tuple[str, ...]:
    """The weaknesses of the evidence, in words."""
    found = []
    if (cover := measured.signals["cover_all"]) < _LOW_COVER:
        found.append(f"low coverage of the question's words: {cover:.2f}")
    if measured.cosines and max(measured.cosines.values()) < _LOW_COSINE:
        found.append(f"no passage is near the question: best cosine {max(measured.cosines.values()):.2f}")
    for what, share in (("a name", "names"), ("a number", "numbers")):
        if getattr(query_terms, share) and measured.signals[share] < 1:
            found.append(f"{what} of the question is in no passage")
    if measured.mode == WORDS_ONLY:
        found.append("judged by words alone: no embedding model for this question")
    return tuple(found)
