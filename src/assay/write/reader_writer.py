"""Answers quoted where a reader finds them: the short answer first, then the block it stands in."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from assay.nlp.reading import titled
from assay.stages import Reader, Writer
from assay.types import (
    AnswerSpan,
    AnswerType,
    Evidence,
    Finding,
    Finished,
    Passage,
    PassageReading,
    Question,
    QuestionKind,
    Quote,
    Sentence,
    Span,
)
from assay.write.blocks import LIST_WORDS, Shown, room_for, shown_around

# How much the search's order counts beside the reader's log odds, and a span's own log odds
# (benchmarks/answers/choose.py).
RANK_WEIGHT, SPAN_WEIGHT = 0.6, 0.2
# A second block is shown where its score is this near to the best, as long as the answer stays this short.
NEAR, MOST_BLOCKS = 2.0, 3
# Log odds of a span from which on a short answer is put first, and its greatest length in words.
SURE_SPAN, SHORT_WORDS = 2.0, 8
# Probability from which on yes or no is said.
SURE_POLARITY = 0.85
# A part of a question is quoted for where a passage answers it with at least these log odds.
LEAST_PART = -1.0
_SHORT_TYPES = frozenset(
    {AnswerType.PERSON, AnswerType.PLACE, AnswerType.DATE, AnswerType.NUMBER, AnswerType.NAME, AnswerType.OTHER}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A likely place of the answer: a span of the passage at a rank of the evidence, and its score."""

    rank: int
    passage: Passage
    span: AnswerSpan
    score: float


@dataclass(frozen=True, slots=True)
class ReaderWriter:
    """Quotes whole blocks around the places where the reader finds the answer, word for word.

    Questions in a language that the reader does not know go to `other`, and so do those whose sources disagree. It
    writes the same answer whatever the advice: a quotation cannot be improved.
    """

    reader: Reader
    other: Writer

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The answer's blocks, the likeliest first, then `Finished("stop")`; none where nothing can be quoted."""
        known = question.language in self.reader.model.languages and evidence.hits
        if not known or evidence.contradictions:
            async for part in self.other.write(question, evidence, advice):
                yield part
            return
        sentences = await self._sentences(question, evidence)
        for sentence in sentences:
            yield sentence
        yield Finished("stop")

    async def _sentences(self, question: Question, evidence: Evidence) -> list[Sentence]:
        parts = [part for part in question.aspects if part not in evidence.uncovered]
        several = len(question.aspects) > 1 and bool(parts)
        made: list[Sentence] = []
        for part in parts if several else [question.standalone]:
            places = await self.places(part, evidence)
            if several and places and places[0].score < LEAST_PART:
                places = []
            for shown, place in _chosen(question, places, made):
                made.append(_sentence(len(made) + 1, question, shown, place, await self._polarity(question, place)))
                if several:
                    break
        if made and evidence.uncovered:
            named = "; ".join(evidence.uncovered)
            made.append(Sentence(len(made) + 1, f"\n\nThe documents do not answer: {named}."))
        return made

    async def places(self, asked: str, evidence: Evidence) -> list[Place]:
        """The likely places of an answer, best first."""
        passages = evidence.passages
        readings = await self.reader.read(asked, [titled(each) for each in passages])
        found = [
            Place(rank, passage, span, _score(rank, reading, span))
            for rank, (passage, reading) in enumerate(zip(passages, readings, strict=True))
            for span in reading.spans
        ]
        return sorted(found, key=lambda place: -place.score)

    async def _polarity(self, question: Question, place: Place) -> str:
        """Yes or No where the reader is sure of it, else nothing."""
        if question.answer_type is not AnswerType.YES_NO:
            return ""
        (reading,) = await self.reader.read(question.standalone, [titled(place.passage)])
        if reading.yes >= SURE_POLARITY:
            return "Yes"
        return "No" if reading.no >= SURE_POLARITY else ""


def _score(rank: int, reading: PassageReading, span: AnswerSpan) -> float:
    """How likely the answer stands there, in log odds up to a constant."""
    return reading.answerable + SPAN_WEIGHT * span.score - RANK_WEIGHT * math.log(1 + rank)


def _chosen(question: Question, places: Sequence[Place], before: Sequence[Sentence]) -> list[tuple[Shown, Place]]:
    """The blocks to show, likeliest first: the best, and others near it while the answer stays short."""
    room = room_for(question)
    chosen: list[tuple[Shown, Place]] = []
    for place in places:
        if chosen and (
            place.score < chosen[0][1].score - NEAR or len(chosen) == MOST_BLOCKS or room.answer == LIST_WORDS
        ):
            break
        shown = shown_around(place.passage, Span(place.span.start, place.span.end), room.block)
        if shown is None or _is_shown(shown, before, chosen):
            continue
        if chosen and sum(each.words for each, _ in chosen) + shown.words > room.answer:
            continue
        chosen.append((shown, place))
    return chosen


def _is_shown(shown: Shown, before: Sequence[Sentence], chosen: Sequence[tuple[Shown, Place]]) -> bool:
    """Whether the block, or one that holds it, is shown already."""
    return any(shown.text in each.text for each in before) or any(
        shown.text in each.text or each.text in shown.text for each, _ in chosen
    )


def _sentence(number: int, question: Question, shown: Shown, place: Place, polarity: str) -> Sentence:
    """One block as a sentence of the answer, with the short answer before it where there is a sure one."""
    passage = place.passage
    quotes = [_quote(passage, part) for part in shown.parts]
    short = polarity or _short(question, shown, place)
    text = shown.text
    if short:
        apart = "\n\n" if text.startswith(("- ", "* ", "+ ", "|", "```", "1.", "    ")) else " — "
        text = f"**{short}**{apart}{text}"
        if not polarity:
            quotes.insert(0, Quote(short, passage.span_of(place.span.start, place.span.end)))
    if text.endswith(("```", "~~~")):
        text += "\n"
    lead = "\n\n" if number > 1 else ""
    return Sentence(number, lead + text, (passage.passage_id,), quotes=tuple(quotes))


def _short(question: Question, shown: Shown, place: Place) -> str:
    """The words of the span, where they are a short answer that the block does not begin with."""
    said = " ".join(titled(place.passage).text[place.span.start : place.span.end].split())
    if question.answer_type not in _SHORT_TYPES or question.kind is QuestionKind.HOW_TO:
        return ""
    if place.span.score < SURE_SPAN or not said or len(said.split()) > SHORT_WORDS:
        return ""
    return "" if shown.words <= 2 * len(said.split()) else said


def _quote(passage: Passage, part: Span) -> Quote:
    source = passage.span_of(part.start, part.end)
    return Quote(source.quote, source)
