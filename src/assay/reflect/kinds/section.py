"""required_section: a section that an answer has, as follow-up questions at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import model_validator

from assay.reflect.blocks import blocks, heading_text, is_question, word_count
from assay.reflect.kinds.length import bounds, counted
from assay.reflect.phrases import has
from assay.reflect.subject import Broken, Count, Demand, Flag, Interval, Kind, Phrase, Subject
from assay.types import Edit, Span

# A line of so many words more than the title is still the section's heading: "You might also want to know more:".
_MORE_WORDS = 4
# The least that a question can be: "Who is it?"
_QUESTION_WORDS = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A section found: its heading line, its points, and where the first block behind them begins, if one does."""

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

    def told(self, language: str) -> str:
        """Where the section stands and what is in it."""
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
        """The title in a language; None where the rule has none for it."""
        return self.title if isinstance(self.title, str) else self.title.get(language)

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The section, where it is missing or not as asked; each point that should be a question."""
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
        gone = [item for item in section.items if item in places]
        if len(gone) == len(section.items) and section.followed_at is None:
            return (_without_section(subject.text, section.heading),)
        return tuple(_without_line(subject.text, item) for item in gone)

    @property
    def languages(self) -> frozenset[str]:
        """Those that have a title of their own."""
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
    """The last line of a block, where it is the title."""
    begin = plain.rfind("\n", start, end) + 1 or start
    line = plain[begin:end]
    words = heading_text(line)
    said = words if words is not None else line.strip()
    close = word_count(said) <= word_count(title) + _MORE_WORDS
    sentence = words is None and said.endswith((".", "!", "。"))
    return Span(begin, end) if close and not sentence and has(said, (title.rstrip(" :：?？"),)) else None


def _without_line(text: str, span: Span) -> Edit:
    """The edit that takes out a point with its line."""
    start, end = text.rfind("\n", 0, span.start) + 1, span.end
    return Edit(start, end + text.startswith("\n", end), "", "this point is not as asked, and none is made up")


def _without_section(text: str, heading: Span) -> Edit:
    """The edit that takes out a last section from its heading on, with the blank lines before it."""
    start, end = len(text[: heading.start].rstrip()), len(text.rstrip())
    return Edit(start, end, "", "nothing of this section is as asked, and nothing is made up in its place")
