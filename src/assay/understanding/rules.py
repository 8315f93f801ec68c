"""Understanding by rules, without a model: equal words give equal results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.core.stages import Understander
from assay.nlp.cues import ASKS, asks_alone
from assay.nlp.language import language_of
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms
from assay.types import AnswerType, Message, Question, QuestionKind
from assay.understanding.dialogue import LONGEST, focus, standalone
from assay.understanding.kinds import answer_type_of, detail_of, expertise_of, kind_of

# Aspects: the parts that an answer must cover, in the words of the question.


# A question has at most this many parts (chosen); more are a list, which is one part.
MOST = 8
# The beginning of a part; a preposition may precede the question word ("and on which day").
_BEGINS = rf"(?:{ASKS}|(?:about|after|at|before|by|for|from|in|of|on|since|to|under|until|with)\s+(?:wh\w+|how))\b"
# White space is bounded in these patterns, so that a question of blanks takes linear time.
_CLAUSES = re.compile(
    rf"\s{{0,20}}(?:,|;|\?)?\s{{0,20}}\b(?:and|or|but|also|as well as)\b\s{{1,20}}(?={_BEGINS})"
    rf"|\s{{0,20}}[;；]\s{{0,20}}(?={_BEGINS})"
    r"|，(?=.{0,1000}[谁什何哪几多])",
    re.I,
)
_JOINING = re.compile(r"\A\s*(?:and|but|or|also|plus)\b[\s,]{0,20}", re.I)
# Joins two things asked without a second question word. Of the questions of models/data/asked that _CLAUSES leaves
# whole, 213 of 231 so joined, with LEAST_TERMS on both sides, ask two things of which the documents answer one; 7 %
# of all questions there do. On the written questions, which it was not made on, 408 of 472 splits by all of these
# are of questions in parts, as are 8 % of all.
_JOINED = re.compile(
    r"[,;]?\s{0,20}\bplus\b(?:\s{1,20}also\b)?\s{1,20}|[,;]\s{0,20}(?:and\s{1,20})?also\b\s{0,20}|;\s{1,20}|,\s{0,20}and\s{1,20}",
    re.I,
)
# A list of three or more has "and" after a comma, too, and is one part.
_SERIES = re.compile(r",[^,]+,\s*(?:and|or)\s", re.I)
LEAST_TERMS = 2
_ASKING = re.compile(rf"{ASKS}\b", re.I)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.I)
_PAIR = re.compile(
    r"\b(?:differences?|similarit(?:y|ies)|comparison|relation(?:ship)?|distance|compare|in common)\b"
    r"(?:\s{1,20}(?:between|of|with))?\s{1,20}(?P<first>[^,?]{2,80}?)\s{1,20}(?:and|with|to|vs\.?|versus)\s{1,20}(?P<second>[^,?.]{2,80})",
    re.I,
)
_CHOICE = re.compile(
    r"(?:[,:]|\b(?:older|younger|larger|smaller|better|worse|first|earlier|later|faster|longer))\s{1,20}"
    r"(?P<first>[^,?]{2,60}?),?\s{1,20}or\s{1,20}(?P<second>[^,?.]{2,60})\?",
    re.I,
)
_BOTH = re.compile(
    r"\bboth\s{1,20}(?P<first>[^,?]{2,60}?)\s{1,20}and\s{1,20}(?P<second>[A-Z][^,?.]{1,60}?)(?=\s{1,20}(?:[a-z]+)|\?|$)"
)


# A quotation of several words, and its marks that would part a question, as characters for private use.
_QUOTED = re.compile(r'"[^"\n]{3,300}"|“[^”\n]{3,300}”|„[^“\n]{3,300}“|«[^»\n]{3,300}»')
_CLOSED = {ord(sign): 0xE000 + at for at, sign in enumerate(".?!;:,")}
_OPENED = {there: here for here, there in _CLOSED.items()}


def aspects(question: str) -> tuple[str, ...]:
    """The aspects: one for each question and each side of a comparison, or the whole question.

    None where the question has no words to cover.

    >>> aspects("When did it open, and how much did it cost?")
    ('When did it open', 'how much did it cost')
    >>> aspects("How long is it? And in which year was it built?")
    ('How long is it', 'in which year was it built')
    >>> aspects("Where is the museum, and how much is it?")
    ('Where is the museum', 'how much is the museum')
    >>> aspects("What is the difference between a hub and a switch?")
    ('a hub', 'a switch')
    >>> aspects("Ports the server opens, plus the size of its log files?")
    ('Ports the server opens', 'the size of its log files')
    >>> aspects("I removed a conffile. Does an update restore it, and how often?")
    ('I removed a conffile, Does an update restore it', 'how often')
    >>> aspects('Who said "Start where you are. Use what you have."?')
    ('Who said "Start where you are. Use what you have."',)
    """
    # A quotation stays whole.
    closed = _QUOTED.sub(lambda match: match[0].translate(_CLOSED), question)
    parts = [
        part.translate(_OPENED)
        for sentence in sentences(closed)
        for clause in _CLAUSES.split(closed[sentence.start : sentence.end])
        for part in _split_clause(clause)
    ]
    found: list[str] = []
    for part in _with_settings(parts):
        # A conjunction that opens the question joins nothing: "Plus plan price", "Or Tambo airport".
        sides = [side for side in _sides(_JOINING.sub("", part) if found else part) if terms(side)]
        found += _with_subject(sides, found) if len(sides) == 1 else sides
    return tuple(dict.fromkeys(found))[:MOST]


def _with_subject(part: Sequence[str], before: Sequence[str]) -> Sequence[str]:
    """A part without a name, with the subject of the part before it: "how much are they"."""
    if not before or focus(part[0]) is not None or not asks_alone(part[0]):
        return part
    turn = standalone(part[0], (Message("user", before[-1]),))
    whole = turn.standalone.strip(" ?.!？。,")
    return (f"{whole} ({turn.topic})" if turn.topic else whole,)


def _split_clause(clause: str) -> list[str]:
    """The parts that a clause joins; the clause itself if one of them would be too short."""
    parts = [clause] if _SERIES.search(clause) else _JOINED.split(clause)
    return parts if all(len(terms(part)) >= LEAST_TERMS for part in parts) else [clause]


def _with_settings(parts: list[str]) -> list[str]:
    """The parts; one without a question is joined with the question after it.

    Of the questions of models/data/asked that begin so, one in ten asks two things.
    """
    kept: list[str] = []
    follows = False  # whether the part behind begins as a question, or with the setting of one
    for part in reversed(parts):
        begins = bool(_ASKING.match(part.strip()))
        if follows and not begins and not _QUESTION_WORD.search(part):
            kept[-1] = f"{part.strip(' ?.!？。,')}, {kept[-1].strip()}"
        else:
            kept.append(part)
            follows = begins
    return kept[::-1]


def _sides(part: str) -> tuple[str, ...]:
    """The two sides of a comparison, or the part itself."""
    for pattern in (_PAIR, _CHOICE, _BOTH):
        match = pattern.search(part)
        if match and terms(match.group("first")) and terms(match.group("second")):
            return match.group("first").strip(), match.group("second").strip(" ?.!")
    return (part.strip(" ?.!？。,"),)


@dataclass(frozen=True, slots=True)
class RulesUnderstander:
    """Understand by rules for English, with the commonest Chinese question words.

    Total: every text gives a Question; only the first `LONGEST` characters of a longer one are read by rules.
    """

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question of `text` at the end of `history`; never raises."""
        return understand_by_rules(text, history)


def understand_by_rules(text: str, history: tuple[Message, ...] = ()) -> Question:
    """The synchronous form, for pipes and benchmarks.

    >>> question = understand_by_rules("Who wrote it?", (Message("user", "When was Emma published?"),))
    >>> question.standalone, question.kind.value, question.answer_type.value
    ('Who wrote Emma?', 'follow-up', 'person')
    """
    turn = standalone(text, history)
    asked = turn.standalone[:LONGEST]
    parts = aspects(asked)
    # Several questions of different types have no common answer type.
    mixed = len({answer_type_of(part) for part in parts}) > 1
    answer_type = AnswerType.OTHER if mixed else answer_type_of(asked)
    kind = kind_of(asked, carried=turn.carried)
    return Question(
        text=text,
        standalone=turn.standalone,
        topic=turn.topic,
        history=history,
        aspects=parts,
        kind=kind,
        answer_type=answer_type,
        language=language_of(asked),
        expertise=expertise_of(text[:LONGEST]),
        detail=detail_of(text[:LONGEST], answer_type, kind),
        unclear=f'it is not clear what "{turn.unresolved}" refers to' if turn.unresolved else None,
    )


# Settings that override what a question says.


@dataclass(frozen=True, slots=True)
class AsSetUnderstander:
    """Override the detail (1 to 10), expertise and kind of every question by the settings."""

    inner: Understander
    detail: int | None = None
    expertise: Literal["beginner", "general", "expert"] | None = None
    kind: QuestionKind | None = None

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question of `inner` with the settings applied."""
        question = await self.inner.understand(text, history)
        return replace(
            question,
            detail=question.detail if self.detail is None else self.detail,
            expertise=question.expertise if self.expertise is None else self.expertise,
            kind=self.kind or question.kind,
        )
