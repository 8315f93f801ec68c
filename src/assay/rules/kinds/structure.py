"""required_section: a section that an answer has, as follow-up questions at its end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar, Literal, Protocol

from pydantic import Field, field_validator, model_validator

from assay.nlp.citations import citations
from assay.nlp.cues import is_courtesy
from assay.nlp.lexicon import word_class
from assay.rules.kinds.layout import bounds, counted, require_bounds
from assay.rules.layout import (
    Statement,
    blocks,
    has_phrase,
    heading_text,
    is_question,
    phrase_spans,
    quoted_list,
    statements,
    word_count,
)
from assay.rules.rule import Broken, Count, Demand, Exempt, Flag, Interval, Kind, Phrase, Subject, Untested
from assay.types import Edit, Evidence, Question, Scalar, Span

# A line of so many words more than the title is still the section's heading: "You might also want to know more:".
_MORE_WORDS = 4
# The least that a question can be: "Who is it?"
_QUESTION_WORDS = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its heading line, its points, and the start of the first block behind them, if there is one."""

    heading: Span
    items: tuple[Span, ...]
    followed_at: int | None


class RequiredSection(Kind):
    """A section under `title`, with at least `min` and at most `max` points in a list.

    `title` is one for all languages, or one for each by its code; in a language without one nothing is asked.
    `at` "end" wants it last. `questions` wants each point to be a question, `answerable` one that the collection
    answers.
    """

    title: Phrase | dict[str, Phrase]
    at: Literal["end", "anywhere"] = "end"
    min: Count = 0
    max: Count | None = None
    questions: Flag = False
    answerable: Flag = False

    @model_validator(mode="after")
    def _bounded(self) -> RequiredSection:
        if self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        if self.answerable and not self.questions:
            raise ValueError("answerable is about questions: set questions = true")
        return self

    def instruction(self, language: str) -> str:
        """The instruction on the section's place and content."""
        title = self.title_in(language)
        if title is None:
            return ""
        start = "End with" if self.at == "end" else "Write"
        what = "questions" if self.questions else "points"
        count = (
            f" a list of {bounds(self.min, self.max, what)}" if self.min or self.max is not None else " its text"
        )
        answered = ", each of which the sources answer" if self.answerable else ""
        return f'{start} the heading "{title}" and below it{count}{answered}.'

    def title_in(self, language: str) -> str | None:
        """The title in a language; None if the rule has none for it."""
        return self.title if isinstance(self.title, str) else self.title.get(language)

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The section if it is missing or not as asked; the points that should be questions."""
        title = self.title_in(subject.question.language)
        if title is None:
            return ()
        section = _found(subject.plain, title)
        if section is None:
            return (Broken(f'the section "{title}" is missing'),)
        return (
            *self._miscounted(section, title),
            *self._misplaced(section, title),
            *self._statements(subject, section),
        )

    def _miscounted(self, section: Section, title: str) -> tuple[Broken, ...]:
        count = len(section.items)
        if count < self.min:
            return (
                Broken(
                    f'the section "{title}" has {counted(count, "points")}, the least is {self.min}',
                    section.heading,
                ),
            )
        if self.max is not None and count > self.max:
            cause = f'the section "{title}" has {counted(count, "points")}, the most is {self.max}'
            return tuple(Broken(cause, item) for item in section.items[self.max :])
        return ()

    def _misplaced(self, section: Section, title: str) -> tuple[Broken, ...]:
        if self.at == "end" and section.followed_at is not None:
            return (Broken(f'the section "{title}" is not the last', section.heading),)
        return ()

    def _statements(self, subject: Subject, section: Section) -> tuple[Broken, ...]:
        if not self.questions:
            return ()
        wrong = (item for item in section.items if not is_question(subject.plain[item.start : item.end]))
        return tuple(Broken("this point is not a question", item) for item in wrong)

    def asked(self, subject: Subject) -> tuple[Span, ...]:
        """The questions that the collection must answer."""
        title = self.title_in(subject.question.language)
        section = _found(subject.plain, title) if self.answerable and title is not None else None
        items = section.items if section else ()
        return tuple(item for item in items if is_question(subject.plain[item.start : item.end]))

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """Points that are not as asked go, and a heading with nothing below it; nothing is ever invented."""
        title = self.title_in(subject.question.language)
        section = _found(subject.plain, title) if title is not None else None
        if section is None:
            return ()
        removed = [item for item in section.items if item in places]
        if len(removed) == len(section.items) and section.followed_at is None:
            return (_without_section(subject.text, section.heading),)
        return tuple(_without_line(subject.text, item) for item in removed)

    @property
    def languages(self) -> frozenset[str]:
        """The languages with a title of their own."""
        return frozenset() if isinstance(self.title, str) else frozenset(self.title)

    def demand(self, language: str) -> Demand:
        """The title, and room for the points."""
        title = self.title_in(language)
        if title is None:
            return Demand()
        points = max(self.min, 1)
        return Demand(
            added_words=word_count(title) + points * (_QUESTION_WORDS if self.questions else 1),
            added_sentences=points,
            added_paragraphs=1,
            added_points=0 if self.questions else self.min,
            texts=(f"## {title}",),
            heading=title,
            section_points=Interval(0, 0) if self.questions or self.max == 0 else Interval(points, self.max),
        )


def _found(plain: str, title: str) -> Section | None:
    """The last section under that title: a heading, or a line that ends with a colon or stands alone."""
    parts = blocks(plain)
    for at in range(len(parts) - 1, -1, -1):
        line = _title_line(plain, parts[at].start, parts[at].end, title)
        if line is None:
            continue
        rest = parts[at + 1 :]
        below = rest[:1] if rest and rest[0].kind != "heading" else ()
        items = below[0].items if below else ()
        after = rest[len(below) :]
        return Section(line, items, after[0].start if after else None)
    return None


def _title_line(plain: str, start: int, end: int, title: str) -> Span | None:
    """The last line of a block if it is the title."""
    begin = plain.rfind("\n", start, end) + 1 or start
    line = plain[begin:end]
    words = heading_text(line)
    heading = words if words is not None else line.strip()
    close = word_count(heading) <= word_count(title) + _MORE_WORDS
    sentence = words is None and heading.endswith((".", "!", "。"))
    return Span(begin, end) if close and not sentence and has_phrase(heading, (title.rstrip(" :：?？"),)) else None


def _without_line(text: str, span: Span) -> Edit:
    """The edit that takes out a point with its line."""
    start, end = text.rfind("\n", 0, span.start) + 1, span.end
    return Edit(start, end + text.startswith("\n", end), "", "this point is not as asked, and none is made up")


def _without_section(text: str, heading: Span) -> Edit:
    """The edit that takes out a last section from its heading on, with the blank lines before it."""
    start, end = len(text[: heading.start].rstrip()), len(text.rstrip())
    return Edit(start, end, "", "nothing of this section is as asked, and nothing is made up in its place")


# call_to_action: a sentence that invites the reader to act, as where prices are spoken of.


# Words that are a thing as often as an act: "the contact lens", "a schedule of fees".
_AMBIGUOUS = word_class("calls_to_action.ambiguous")
# Words that may stand behind such a verb: whom, what, when, how.
_OBJECT = re.compile(
    r"""\s*(?:us|our|me|my|him|her|them|the|a|an|your|one|sales|support|today|now|here|up|in|with|at|by|for|via|on|through|to
        |[A-Z]\w+)\b(?!\s+of\b)|\s*(?:[.!?,;:)]|\Z)|\s+(?:and|or)\b""",
    re.VERBOSE,
)
# Words that may stand before it, but for the start of the sentence: one that leads to a verb, or another such verb.
_BEFORE_VERB = re.compile(
    r"(?:[,;:]\s*|\b(?:to|please|and|or|can|may|could|should|now|just|then|simply|also|let's|let’s|us)\s+)\Z",
    re.IGNORECASE,
)
_LOOKED_BACK = 40
# An English sentence that speaks to the reader, or opens with the act.
_ADDRESSES = re.compile(
    r"""\b(?:you|your|please|us|our|we|let['’]s)\b
      | \A[\W\d]*(?:contact|call|email|write|book|schedule|request|arrange|reach|get|visit|ask|talk|speak|sign|try
        |start|click|apply|order|feel|let|message|send|find|learn|join|claim|reserve|set)\b""",
    re.VERBOSE | re.IGNORECASE,
)


class CallToAction(Kind):
    """One of the `phrases` in a sentence that invites; with `when.topic`, if that topic comes up."""

    left_alone: ClassVar[frozenset[Exempt]] = frozenset(("quote", "code"))
    phrases: tuple[Phrase, ...] = Field(min_length=1, max_length=100)

    def instruction(self, language: str) -> str:
        """To invite, and in what words."""
        such_as = f"with words such as {quoted_list(self.phrases)}"
        return f"Invite the reader in one sentence to take the next step, {such_as}."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The whole answer if no sentence invites."""
        language = subject.question.language
        if any(invites(statement.plain, self.phrases, language) for statement in statements(subject.plain)):
            return ()
        return (Broken(f"no sentence invites the reader with words such as {quoted_list(self.phrases)}"),)

    def demand(self, language: str) -> Demand:
        """One of the phrases."""
        return Demand(
            added_words=min(map(word_count, self.phrases)) - 1,  # the sentence may be the answer's only one
            texts=tuple(f"Please {phrase}." for phrase in self.phrases),
        )


def invites(sentence: str, phrases: tuple[str, ...], language: str = "en") -> bool:
    """True if a sentence invites with one of the phrases; in other languages than English the phrase is enough.

    >>> phrases = ("contact", "schedule", "consultation")
    >>> [invites(text, phrases) for text in ("Contact us for a quote.", "You see a contact lens.")]
    [True, False]
    """
    if language != "en":
        return bool(phrase_spans(sentence, phrases))
    if not _ADDRESSES.search(sentence):
        return False
    return any(_as_an_act(sentence, span.start, span.end) for span in phrase_spans(sentence, phrases))


def _as_an_act(sentence: str, start: int, end: int) -> bool:
    if sentence[start:end].casefold() not in _AMBIGUOUS:
        return True
    before = sentence[max(0, start - _LOOKED_BACK) : start]
    opens = start < _LOOKED_BACK and not any(map(str.isalpha, before))
    return bool((opens or _BEFORE_VERB.search(before)) and _OBJECT.match(sentence, end))


# citations: how many sources each statement cites.


# A heading, a question, a lead-in, a courtesy and a bare word state nothing that a source could bear out.
_LEAST_WORDS = 3


class Citations(Kind):
    """At least `min` and at most `max` different sources for each sentence that states something."""

    min: Count = 1
    max: Count | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Citations:
        require_bounds(self.min, self.max)
        return self

    def instruction(self, language: str) -> str:
        """The instruction on the number of sources to cite."""
        return f"Cite {bounds(self.min, self.max, 'sources')} in each sentence that states something."

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """Each sentence that cites too few sources or too many."""
        results = []
        for sentence in statements(subject.text, subject.marks):
            if not _states(subject, sentence):
                continue
            cited = _sources(subject.text[sentence.start : sentence.end])
            span = Span(sentence.start, sentence.end)
            if cited < self.min:
                results.append(
                    Broken(f"a sentence cites {counted(cited, 'sources')}, the least is {self.min}", span)
                )
            elif self.max is not None and cited > self.max:
                results.append(
                    Broken(f"a sentence cites {counted(cited, 'sources')}, the most is {self.max}", span)
                )
        return tuple(results)

    def demand(self, language: str) -> Demand:
        """The sources of each sentence."""
        return Demand(citations=Interval(self.min, self.max))


def _sources(text: str) -> int:
    """Number of different sources that a text cites; a mark that names one unknown here counts as one."""
    marks = citations(text)
    return len({number for mark in marks for number in mark.numbers}) + sum(not mark.numbers for mark in marks)


def _states(subject: Subject, sentence: Statement) -> bool:
    plain = sentence.plain.strip()
    if heading_text(plain) is not None or is_question(plain) or plain.endswith((":", "：")) or is_courtesy(plain):
        return False
    own = subject.plain[sentence.start : sentence.end]  # without what is left alone
    return len(own.split()) >= _LEAST_WORDS or (bool(own.strip()) and not own.isascii())


# python: a check written in Python, which an installed package offers as an entry point.


GROUP = "assay.rules"
_MOST_CAUSES = 100


class PythonRule(Protocol):
    """The function that the entry point names: it finds the places that break the rule."""

    def __call__(
        self, text: str, question: Question, evidence: Evidence, options: dict[str, Scalar]
    ) -> Iterable[str]:
        """One cause for each broken place, none if the rule is kept. An exception makes the check unknown."""
        ...


class Python(Kind):
    """`entry_point` is a name in the group `assay.rules`; `options` are handed to it; `tell` is for the writer."""

    entry_point: Phrase
    options: dict[str, Scalar] = Field(default_factory=dict)
    tell: Phrase

    @field_validator("entry_point")
    @classmethod
    def _installed(cls, name: str) -> str:
        if _offered(name) is None:
            raise ValueError(f"no installed package offers {name!r} in the group {GROUP!r}")
        return name

    def instruction(self, language: str) -> str:
        """The instruction that the rule's author wrote."""
        return self.tell

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """The causes that the function gives; unknown if it raises or gives none that can be read."""
        offered = _offered(self.entry_point)
        if offered is None:
            return (Untested(f"no installed package offers {self.entry_point!r} any more"),)
        try:
            rule: PythonRule = offered.load()
            causes = list(rule(subject.plain, subject.question, subject.evidence, dict(self.options)))
        except Exception as error:  # noqa: BLE001 - somebody else's code: whatever it raises, the rule is untested
            return (Untested(f"{self.entry_point} raised {type(error).__name__}: {error}"),)
        if not all(isinstance(cause, str) and cause.strip() for cause in causes):
            return (Untested(f"{self.entry_point} gave something else than the causes as text"),)
        return tuple(Broken(cause) for cause in causes[:_MOST_CAUSES])


def _offered(name: str) -> EntryPoint | None:
    return next(iter(entry_points(group=GROUP, name=name)), None)
