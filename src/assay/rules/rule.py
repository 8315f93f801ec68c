"""Output rules as values: one rule, when it applies, and a file of them."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.nlp.citations import citations, code_spans
from assay.nlp.quantities import quantities
from assay.rules.layout import has_phrase, quoted_list
from assay.types import Citation, Edit, Evidence, Question, QuestionKind, Severity, Span

# The input and the results of a kind of rule.


# Parts that a rule may exempt: quotations, code and tables, titles and headings.
Exempt = Literal["quote", "code", "title"]
EVERY_EXEMPTION: frozenset[Exempt] = frozenset(("quote", "code", "title"))

Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Flag = Annotated[bool, Field(strict=True)]
Phrase = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


@dataclass(frozen=True, slots=True)
class Subject:
    """An answer as one rule reads it.

    `text` is the answer as written; `plain` is as long and has blanks for citation marks and for what the rule
    exempts. `marks` are the citation marks of `text`.
    """

    text: str
    plain: str
    question: Question
    evidence: Evidence = field(default_factory=Evidence)
    marks: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """One place where a rule is broken; `span` None means the answer as a whole."""

    cause: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Untested:
    """The reason why a rule could not be tested here."""

    cause: str


@dataclass(frozen=True, slots=True)
class Interval:
    """Whole numbers from `low` to `high`, both included; `high` None is without bound."""

    low: int = 0
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """The numbers that a rule demands of every answer that it applies to, for the search for contradictions.

    The intervals bound the whole answer, `citations` a sentence; `added_*` come in addition to one sentence.
    One of `texts` must stand in the answer, and `heading` over a part of it, "" for none. Something is asked only
    of answers of more than `over_words` words. `longest` is how many words a paragraph may have, `language` a code,
    or "question" for the question's own. `section_points` is how many of the answer's points its section holds.
    """

    words: Interval = Interval()
    sentences: Interval = Interval()
    characters: Interval = Interval()
    paragraphs: Interval = Interval()
    points: Interval = Interval()
    citations: Interval = Interval()
    added_words: int = 0
    added_sentences: int = 0
    added_paragraphs: int = 0
    added_points: int = 0
    over_words: int = 0
    longest: int | None = None
    language: str | None = None
    texts: tuple[str, ...] = ()
    heading: str = ""
    section_points: Interval = Interval(0, 0)


@dataclass(frozen=True, slots=True)
class Swap:
    """A wording and what is to be written instead."""

    term: str
    replacement: str


class Kind(BaseModel, ABC):
    """One kind of rule with its parameters: from them come the writer's instruction, the check and the edits.

    Unknown parameters are refused. `left_alone` is what rules of the kind exempt, unless the rule says otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    left_alone: ClassVar[frozenset[Exempt]] = frozenset(("code",))

    @abstractmethod
    def instruction(self, language: str) -> str:
        """The sentence for the writer of an answer in that language; empty if there is none."""

    @abstractmethod
    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """The places where the answer breaks the rule; empty if it keeps it."""

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """Changes of wording or layout that fix the answer at broken places; empty if none is certain."""
        return ()

    def demand(self, language: str) -> Demand:
        """The demand of the rule on every answer in that language, in numbers."""
        return Demand()

    def swaps(self) -> tuple[Swap, ...]:
        """The wordings that the rule replaces, with their replacements."""
        return ()

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the rule distinguishes."""
        return frozenset()

    @property
    def forbids(self) -> bool:
        """True if words in a text break the rule, whatever else the text says."""
        return False


# Parts that rules leave alone and no edit may touch: quotations, code and tables, titles, numbers, marks.


_QUOTES = re.compile(
    r'"[^"\n]{1,1000}"|“[^“”\n]{1,1000}”|„[^„“”\n]{1,1000}[“”]|«[^«»\n]{1,1000}»|‘[^‘’\n]{1,1000}’(?!\w)'
    r"|「[^「」\n]{1,1000}」|『[^『』\n]{1,1000}』|^[ \t]{0,3}>[^\n]*$",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^[ \t]{0,3}(?P<fence>```|~~~)[^\n]*\n(?:.*?^[ \t]{0,3}(?P=fence)[^\n]*$|.*\Z)"
    r"|`[^`\n]{1,1000}`|^[ \t]*\|[^\n]*\|[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_TITLES = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t][^\n]*$|^[ \t]*\*\*[^*\n]{1,200}\*\*:?[ \t]*$|《[^《》\n]{1,200}》"
    r"|(?<![\w*])\*(?=[A-Z])[^*\n]{2,200}\*(?![\w*])|(?<!\w)_(?=[A-Z])[^_\n]{2,200}_(?!\w)",
    re.MULTILINE,
)
_BY_NAME = {"quote": _QUOTES, "code": _CODE, "title": _TITLES}
_NOT_SPACE = re.compile(r"\S")
# A source's name is known by its words; a name of one word is a word like any other.
_LEAST_TITLE_WORDS = 2


def exempt_spans(text: str, exempt: frozenset[Exempt], titles: Iterable[str] = ()) -> tuple[Span, ...]:
    """The places of what is left alone, in any order; `titles` are the names of the sources.

    >>> text = 'He "delves" into `delve`.'
    >>> sorted(text[s.start : s.end] for s in exempt_spans(text, frozenset(("quote", "code"))))
    ['"delves"', '`delve`']
    """
    found = [Span(*match.span()) for name in sorted(exempt) for match in _BY_NAME[name].finditer(text)]
    if "title" in exempt:
        known = {title for title in titles if len(title.split()) >= _LEAST_TITLE_WORDS}
        found += [Span(*match.span()) for title in sorted(known) for match in re.finditer(re.escape(title), text)]
    return tuple(found)


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans blanked out, except for line ends; offsets are unchanged.

    >>> blanked("a bc d", [Span(2, 4)])
    'a    d'
    """
    parts, at = [], 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start = max(span.start, at)
        if span.end > start:
            parts += [text[at:start], _NOT_SPACE.sub(" ", text[start : span.end])]
            at = span.end
    return "".join([*parts, text[at:]])


def untouchable(text: str) -> tuple[Span, ...]:
    """The spans that no edit may touch: quotations, code, tables, citation marks and numbers.

    Code is also what the marks are read without: where a fence within a line goes, brackets behind it become marks.
    """
    marks = (Span(mark.start, mark.end) for mark in citations(text))
    numbers = (Span(quantity.start, quantity.end) for quantity in quantities(text))
    return (*exempt_spans(text, frozenset(("quote", "code"))), *code_spans(text), *marks, *numbers)


# The prefix of the names of a rule's checks.
PREFIX = "rule:"


@dataclass(frozen=True, slots=True)
class When:
    """The condition of a rule; an empty field asks nothing.

    `topics` are words of which one must stand in the question or the answer, `languages` ISO 639-1 codes of the
    question.
    """

    question_kinds: frozenset[QuestionKind] = frozenset()
    topics: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()

    def asked(self, question: Question) -> bool:
        """True if the rule may apply to answers to this question."""
        return self.asked_of(question.kind, question.language)

    def asked_of(self, kind: QuestionKind, language: str) -> bool:
        """True if the rule may apply to answers to questions of that kind in that language."""
        return (not self.question_kinds or kind in self.question_kinds) and (
            not self.languages or language in self.languages
        )

    def applies(self, question: Question, text: str) -> bool:
        """True if the rule applies to this answer."""
        spoken = f"{question.standalone}\n\n{text}"
        return self.asked(question) and (not self.topics or has_phrase(spoken, self.topics))

    def __str__(self) -> str:
        """The condition in words; empty for always."""
        kinds = f"for {', '.join(sorted(self.question_kinds))} questions" if self.question_kinds else ""
        languages = f"in {', '.join(sorted(self.languages))}" if self.languages else ""
        topics = f"where it speaks of {quoted_list(self.topics)}" if self.topics else ""
        return " ".join(part for part in (kinds, languages, topics) if part)


@dataclass(frozen=True, slots=True)
class Rule:
    """One output rule; `line` is where it begins in its file. `message` is the advice if it is broken.

    `instruct` says whether the writer is told of it; the answer is checked either way.
    """

    id: str
    kind: str
    params: Kind
    when: When
    severity: Severity
    exempt: frozenset[Exempt]
    message: str
    line: int
    instruct: bool = True

    @property
    def check(self) -> str:
        """The name of its checks."""
        return PREFIX + self.id

    def instruction(self, language: str) -> str:
        """The sentence for the writer; empty if there is none."""
        sentence = self.params.instruction(language) if self.instruct else ""
        if not sentence or not self.when.topics:
            return sentence
        return f"Where the answer speaks of {quoted_list(self.when.topics)}: {sentence[:1].lower()}{sentence[1:]}"

    def advice(self, language: str) -> str:
        """Advice on how to change an answer so that it keeps the rule."""
        return self.message or self.params.instruction(language)

    def subject(self, question: Question, evidence: Evidence, text: str) -> Subject:
        """The answer as this rule reads it."""
        return subject_of(self.exempt, question, evidence, text)

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """The places where the answer breaks the rule, and what could not be tested."""
        return self.params.broken(subject)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one file, in its order; `name` is the file, `sha256` the hash of its text in hex."""

    name: str
    rules: tuple[Rule, ...]
    sha256: str

    def rule_of(self, check: str) -> Rule | None:
        """The rule whose checks have that name."""
        return next((rule for rule in self.rules if rule.check == check), None)

    def asked(self, question: Question) -> tuple[Rule, ...]:
        """The rules that may apply to answers to this question."""
        return tuple(rule for rule in self.rules if rule.when.asked(question))


def subject_of(exempt: frozenset[Exempt], question: Question, evidence: Evidence, text: str) -> Subject:
    """The answer as rules with the same exemptions read it."""
    marks = citations(text)
    left_out = exempt_spans(text, exempt, (hit.passage.title for hit in evidence.hits))
    blanks = (*left_out, *(Span(mark.start, mark.end) for mark in marks))
    return Subject(text, blanked(text, blanks), question, evidence, marks)


def hash_of(text: str) -> str:
    """The SHA-256 of a file's text, in hex."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
