"""Output rules as values: one rule, when it applies, and a file of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from assay.reflect.exempt import blanked, exempt_spans
from assay.reflect.phrases import has, named
from assay.reflect.subject import Broken, Exempt, Kind, Subject, Untested
from assay.text.citation_marks import citations
from assay.types import Evidence, Question, QuestionKind, Severity, Span

# What the names of a rule's checks begin with.
PREFIX = "rule:"


@dataclass(frozen=True, slots=True)
class When:
    """When a rule applies; what is empty asks nothing.

    `topics` are words of which one must stand in the question or the answer, `languages` ISO 639-1 codes of the
    question.
    """

    question_kinds: frozenset[QuestionKind] = frozenset()
    topics: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()

    def asked(self, question: Question) -> bool:
        """Whether the rule may apply to answers to this question."""
        return self.asked_of(question.kind, question.language)

    def asked_of(self, kind: QuestionKind, language: str) -> bool:
        """Whether the rule may apply to answers to questions of that kind in that language."""
        return (not self.question_kinds or kind in self.question_kinds) and (
            not self.languages or language in self.languages
        )

    def applies(self, question: Question, text: str) -> bool:
        """Whether the rule applies to this answer."""
        return self.asked(question) and (not self.topics or has(f"{question.standalone}\n\n{text}", self.topics))

    def __str__(self) -> str:
        """When, in words; empty for always."""
        kinds = f"for {', '.join(sorted(self.question_kinds))} questions" if self.question_kinds else ""
        languages = f"in {', '.join(sorted(self.languages))}" if self.languages else ""
        topics = f"where it speaks of {named(self.topics)}" if self.topics else ""
        return " ".join(part for part in (kinds, languages, topics) if part)


@dataclass(frozen=True, slots=True)
class Rule:
    """One output rule; `line` is where it begins in its file. `message` is the advice where it is not kept.

    `instruct` says whether the writer is told of it, besides the answer's being checked.
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
        """The sentence for the writer; empty where there is nothing to tell."""
        told = self.params.told(language) if self.instruct else ""
        if not told or not self.when.topics:
            return told
        return f"Where the answer speaks of {named(self.when.topics)}: {told[:1].lower()}{told[1:]}"

    def advice(self, language: str) -> str:
        """How to mend an answer that does not keep the rule."""
        return self.message or self.params.told(language)

    def subject(self, question: Question, evidence: Evidence, text: str) -> Subject:
        """The answer as this rule reads it."""
        return subject_of(self.exempt, question, evidence, text)

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """Where the answer does not keep the rule, and what could not be tested."""
        return self.params.broken(subject)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one file, in its order; `name` is the file, `sha256` the hash of its text in hex."""

    name: str
    rules: tuple[Rule, ...]
    sha256: str

    def named(self, check: str) -> Rule | None:
        """The rule whose checks have that name."""
        return next((rule for rule in self.rules if rule.check == check), None)

    def asked(self, question: Question) -> tuple[Rule, ...]:
        """The rules that may apply to answers to this question."""
        return tuple(rule for rule in self.rules if rule.when.asked(question))


def subject_of(exempt: frozenset[Exempt], question: Question, evidence: Evidence, text: str) -> Subject:
    """The answer as rules read it that leave the same alone."""
    marks = citations(text)
    left_out = exempt_spans(text, exempt, (hit.passage.title for hit in evidence.hits))
    blanks = (*left_out, *(Span(mark.start, mark.end) for mark in marks))
    return Subject(text, blanked(text, blanks), question, evidence, marks)


def hash_of(text: str) -> str:
    """The SHA-256 of a file's text, in hex."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
