"""Whether a claim states for certain, or as done, what its source only plans, expects or thinks possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from assay.text.tokens import terms, word_spans
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_STATEMENT, Comparison
from assay.verify.denials import REACHED, clause_end, clause_start, held_share
from assay.verify.sources import SourceSentence

# How sure a statement is that one of these governs; what none governs is stated as a fact.
_POSSIBLE, _PLANNED, _COMING, _FACT = range(4)
_MARKERS = (
    (
        _POSSIBLE,
        r"may|might|could|can|would|possibly|perhaps|maybe|probably|likely|apparently|allegedly|reportedly|supposedly"
        r"|seems?\s+to|seemed\s+to|appears?\s+to|appeared\s+to|(?:said|thought|believed|alleged|rumou?red)\s+to"
        r"|potentially|potential|risks?\s+of",
    ),
    (
        _PLANNED,
        r"(?:plan|hope|intend|aim|want|wish|propose|vote|decide|agree|promise|pledge|threaten|attempt|prepare|offer|seek|try)(?:s|ed|d|ning|ing)?"
        r"\s+(?:to|a|an|the)|(?:plann|hop|intend|aim|tr[iy]|propos|vot|decid|agre|promis)(?:ing|ed|es|ies)?\s+to"
        r"|(?:expected|scheduled|due|set|supposed|planned|slated)\s+to|plans\s+for",
    ),
    (_COMING, r"will|shall|going\s+to|about\s+to|['’]ll"),
)
_FORMS = tuple((sure, re.compile(rf"(?<![^\W_])(?:{form})\b", re.IGNORECASE)) for sure, form in _MARKERS)
# Of what stands before them: "support for Windows is planned".
_OF_BEFORE = re.compile(
    r"\b(?:is|are|was|were|being|been)\s+(?:(?:still|now|also|only|currently)\s+)?"
    r"(?:(?:planned|expected|proposed|scheduled|intended)(?!\s+to\b)"
    r"|under\s+(?:consideration|discussion|development|review))",
    re.IGNORECASE,
)
# No doubt where the source says it: "users can export", "he would become king".
_NO_DOUBT = frozenset(("can", "would", "potential"))
_REACH_WORDS, _LONGEST_REACH = 6, 120
# Characters from the first of the words left out to what they govern: "is planning to", "might in the end".
_LONGEST_MARKER = 30


_DUTY = re.compile(r"\b(?:must|(?:ha(?:s|ve|d)|needs?|needed|required|obliged|forced)\s+to)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """Words at `place` that make what they reach less than a fact; `sure` is higher the nearer to one.

    `governs` is the first term that it reaches, "" where there is none.
    """

    place: Span
    sure: int
    governs: str
    reached: frozenset[str]


@lru_cache(maxsize=256)
def markers(text: str) -> tuple[Marker, ...]:
    """The markers of a text.

    >>> [(each.sure, sorted(each.reached)) for each in markers("We plan to open a mill, which may fall.")]
    [(0, ['fall']), (1, ['mill', 'open'])]
    """
    ahead = (
        _marker(text, Span(match.start(), match.end()), sure)
        for sure, form in _FORMS
        for match in form.finditer(text)
        if match.group() != "May"  # the month
    )
    return (*ahead, *(_marker_behind(text, match) for match in _OF_BEFORE.finditer(text)))


def _marker(text: str, place: Span, sure: int) -> Marker:
    at = place.end
    following = list(islice(word_spans(text[at : at + _LONGEST_REACH]), _REACH_WORDS))
    reached = terms(text[at : min(clause_end(text, at), at + following[-1].end if following else at)])
    return Marker(place, sure, reached[0] if reached else "", frozenset(reached))


def _marker_behind(text: str, match: re.Match[str]) -> Marker:
    reached = terms(text[clause_start(text, match.start()) : match.start()])
    return Marker(Span(match.start(), match.end()), _PLANNED, reached[-1] if reached else "", frozenset(reached))


def certain(over: Comparison) -> list[Check]:
    """What the source sentence only supposes or allows, and the claim states more surely."""
    mine = min((each.sure for each in markers(over.claim.plain)), default=_FACT)
    for sentence, theirs in _left_out(over):
        said = sentence.text[theirs.place.start : theirs.place.end]
        if (mine > theirs.sure and said.casefold() not in _NO_DOUBT) or _made_a_duty(over, theirs):
            cause = f"the source says only {said!r} of this"
            part = Span(0, len(over.claim.plain))
            if over.copied is None or theirs.sure == _COMING or said.casefold() == "could":
                return [over.check("certainty", Status.UNKNOWN, Severity.BLOCK, cause, part, sentence.span)]
            return [over.wrong("certainty", cause, part, FindingKind.CONTRADICTED, sentence.span)]
    return []


def _left_out(over: Comparison) -> Iterator[tuple[SourceSentence, Marker]]:
    """The markers that the claim leaves out of the sentence it copies; else those of the one that says the same."""
    stated = terms(over.claim.plain)
    if over.copied is not None:
        sentence = over.copied.sentence
        for each in markers(sentence.text):
            inside = any(_ends(each.place, edit.theirs) for edit in over.copied.copy.edits)
            if inside and each.governs and held_share((each.governs,), stated):
                yield sentence, each
        return
    for near in over.near(SAME_STATEMENT)[:1]:
        for each in markers(near.sentence.text):
            if each.reached and held_share(each.reached, stated) >= REACHED:
                yield near.sentence, each


def _ends(place: Span, left_out: Span) -> bool:
    """Whether a stretch that was left out ends with a marker: what it governs is kept."""
    inside = left_out.start <= place.start and place.end <= left_out.end
    return inside and left_out.end - place.start <= _LONGEST_MARKER


def _made_a_duty(over: Comparison, theirs: Marker) -> bool:
    """Whether what a copied sentence allows is a duty in the claim: "users must" for "users can"."""
    if over.copied is None or theirs.sure != _POSSIBLE:
        return False
    sentence, claim = over.copied.sentence.text, over.claim.plain
    edits = [each for each in over.copied.copy.edits if _ends(theirs.place, each.theirs)]
    return not _DUTY.search(sentence) and any(_DUTY.search(claim[e.mine.start : e.mine.end]) for e in edits)
