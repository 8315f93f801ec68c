"""The output rules applied: instructions for the writer, checks of the answer, edits."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from assay.core.budget import RULES, Timing, untimed
from assay.errors import AssayError
from assay.nlp.quantities import quantities
from assay.rules.kinds.structure import RequiredSection
from assay.rules.rule import Broken, Exempt, Rule, RuleSet, Subject, Untested, untouchable
from assay.types import Check, Edit, Evidence, Finding, Question, Span, Status

# Edits of an answer's text: which are safe, and how they are applied.


def safe_edits(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits in order that overlap neither one another nor untouchable text, and add no number.

    Of two that overlap, the one that begins first is kept.
    """
    kept: list[Edit] = []
    protected = _merged(untouchable(text))
    for edit in sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end)):
        at = (
            bisect_left(protected, edit.end, key=lambda span: span.start) - 1
        )  # the last that begins before its end
        touched = at >= 0 and edit.start < protected[at].end
        overlaps = bool(kept) and edit.start < kept[-1].end
        if not touched and not overlaps and not quantities(edit.replacement):
            kept.append(edit)
    return tuple(kept)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


# The test that the collection answers a question.
Answerable = Callable[[str], Awaitable[bool]]
# Chosen: violations of one rule that an answer is told of.
MOST_PLACES = 20
_LONGEST_QUESTION = 500


# A longer text is examined in a thread: nothing may hold the event loop for over 5 ms.
_SOON_READ = 1_000


@dataclass(frozen=True, slots=True)
class _RuleResult:
    """The results of one rule for an answer, before the collection is asked."""

    rule: Rule
    subject: Subject
    results: tuple[Broken | Untested, ...]


@dataclass(frozen=True, slots=True)
class OutputRules:
    """One set of rules in its uses: instructions for the writer, checks of the answer, and edits.

    `answerable` says whether the collection answers a question; without it, checks that need it are unknown. `skip`
    are ids of rules that are switched off: they give no instruction, and their checks are skipped.
    `timing` counts how long each check takes.
    """

    rules: RuleSet
    answerable: Answerable | None = None
    skip: frozenset[str] = field(default=frozenset())
    timing: Timing = field(default=untimed, repr=False, compare=False)

    def instructions(self, question: Question) -> tuple[str, ...]:
        """The instructions for the writer of an answer to this question, one or more sentences a rule.

        They come from the rules alone: no word of the question or of a document is in them.
        """
        sentences = (rule.instruction(question.language) for rule in self._active(question))
        return tuple(dict.fromkeys(filter(None, sentences)))

    async def examine(
        self, question: Question, evidence: Evidence, text: str
    ) -> tuple[tuple[Check, ...], tuple[Finding, ...]]:
        """The checks of an answer, and a finding for each that failed or is unknown, with the rule's advice.

        A check is named `rule:` and the rule's id: one that passed, or one for each place that failed. A rule that
        does not apply to this answer has none. Offsets count code points of `text`.
        """
        apply = partial(self._apply, question, evidence, text)
        results = await asyncio.to_thread(apply) if len(text) > _SOON_READ else apply()
        checks: list[Check] = []
        for result in results:
            with self.timing(result.rule.check):
                checks += await self._checks(result)
        skipped = (_skipped(rule) for rule in self.rules.asked(question) if rule.id in self.skip)
        every = (*skipped, *checks)
        return every, self._findings(question, every)

    def _apply(self, question: Question, evidence: Evidence, text: str) -> tuple[_RuleResult, ...]:
        """The results of each rule that applies, in the order of the file."""
        read: dict[frozenset[Exempt], Subject] = {}  # the text as rules with the same exemptions read it
        looked = []
        for rule in self._active(question):
            if rule.when.applies(question, text):
                if rule.exempt not in read:
                    with self.timing(RULES):
                        read[rule.exempt] = rule.subject(question, evidence, text)
                with self.timing(rule.check):
                    looked.append(_RuleResult(rule, read[rule.exempt], rule.broken(read[rule.exempt])))
        return tuple(looked)

    def _findings(self, question: Question, checks: Sequence[Check]) -> tuple[Finding, ...]:
        found = []
        for check in checks:
            rule = self.rules.rule_of(check.name)
            if rule is not None and check.status in (Status.FAILED, Status.UNKNOWN):
                advice = rule.advice(question.language)
                found.append(Finding(check.name, None, check.severity, check.cause or "", advice))
        return tuple(found)

    def edits(self, question: Question, text: str, checks: Sequence[Check]) -> tuple[Edit, ...]:
        """Changes of wording and layout that fix what the `checks` of this text found broken.

        In order and without overlap; none touches a quotation, a number, a citation mark, code or a table, and none
        adds a statement. A rule that only warns changes nothing.
        """
        edits: list[Edit] = []
        failed = [check for check in checks if check.status is Status.FAILED and check.severity != "warn"]
        for name in dict.fromkeys(check.name for check in failed):
            rule = self.rules.rule_of(name)
            if rule is None:
                continue
            places = tuple(check.answer_span for check in failed if check.name == name and check.answer_span)
            edits += rule.params.edits(rule.subject(question, Evidence(), text), places)
        return safe_edits(text, edits)

    def _active(self, question: Question) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules.asked(question) if rule.id not in self.skip)

    async def _checks(self, result: _RuleResult) -> list[Check]:
        """The checks of one rule on one answer."""
        rule, results = result.rule, list(result.results)
        if isinstance(rule.params, RequiredSection):
            results += await self._unanswered(result.subject, rule.params.asked(result.subject))
        if not results:
            return [Check(rule.check, Status.PASSED, rule.severity)]
        checks = [_check(rule, place) for place in results[:MOST_PLACES]]
        if len(results) > MOST_PLACES:
            cause = f"showing {MOST_PLACES} of {len(results)} violations"
            checks.append(Check(rule.check, Status.FAILED, rule.severity, None, cause))
        return checks

    async def _unanswered(self, subject: Subject, places: Sequence[Span]) -> list[Broken | Untested]:
        """The questions at those places that the collection does not answer or could not be asked."""
        if places and self.answerable is None:
            return [Untested("without a search, nobody can say whether the collection answers these questions")]
        results: list[Broken | Untested] = []
        for place in places[:MOST_PLACES]:
            question = " ".join(subject.plain[place.start : place.end].split())[:_LONGEST_QUESTION]
            try:
                answered = self.answerable is not None and await self.answerable(question)
            except AssayError as error:
                results.append(Untested(f"could not find out whether the collection answers {question!r}: {error}"))
                continue
            if not answered:
                results.append(Broken(f"the collection does not answer {question!r}", place))
        return results


def _skipped(rule: Rule) -> Check:
    return Check(rule.check, Status.SKIPPED, rule.severity, None, "switched off")


def _check(rule: Rule, result: Broken | Untested) -> Check:
    """The check of one result."""
    if isinstance(result, Untested):
        return Check(rule.check, Status.UNKNOWN, rule.severity, None, result.cause)
    return Check(rule.check, Status.FAILED, rule.severity, None, result.cause, result.span)
