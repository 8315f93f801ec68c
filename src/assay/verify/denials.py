"""What a claim denies, and what its sources deny, matched by what each denial reaches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.negation import negations, opposite
from assay.text.tokens import STOP_WORDS, fold, stem, terms, word_spans
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_STATEMENT, Comparison
from assay.verify.lexicon import kinship
from assay.verify.sources import Aligned, SourceSentence, aligned

# How much of a denial's clause, and of what it reaches, one source sentence must hold to be about the same.
SAME_CLAUSE = 0.5
# What a source denies is denied of the claim where the claim holds this much of what the denial reaches.
REACHED = 0.6
_LOOKED_AT = 3
# A denial of a whole statement reaches to the statement's end.
_WHOLE = re.compile(
    r"\b(?:(?:not|never|isn['’]t|wasn['’]t)\s+(?:true|correct|the\s+case|known)|untrue|false|incorrect|wrong|a\s+myth"
    r"|no\s+(?:evidence|proof|indication|sign))\s+that\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;:!?,。，；！？](?=\s|$)|\s[-–—]\s|\b(?:but|however|although|though|while|whereas|which|who|because)\b"
)
# Words that deny without a negation's form.
_DENY = frozenset(
    map(
        stem,
        """against avoid dislike disagree doubt few fewer hate ignore impossible instead insufficient less little
        loses lose lost low miss missing none nothing only oppose prevent rarely reject rejected seldom stop stopped
        unable unclear unlikely unsure unknown without worse contrary negative except rather reduce reduced decline
        declined cancel cancelled canceled end ended inability absence free""".split(),
    )
)


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial at `place`: the content terms that it reaches, and all those of its clause."""

    place: Span
    reached: frozenset[str]
    clause: frozenset[str]


@lru_cache(maxsize=256)
def denials(text: str) -> tuple[Denial, ...]:
    """The denials of a text in order.

    >>> [(sorted(each.reached)) for each in denials("It is false that Ulm lies in Spain, though it is not small.")]
    [['lie', 'spain', 'ulm'], ['small']]
    """
    whole = [Span(match.start(), match.end()) for match in _WHOLE.finditer(text)]
    found = [Denial(span, (reached := _terms(text, span.end, _end(text, span.end))), reached) for span in whole]
    for each in negations(text):
        if any(span.start <= each.start < span.end for span in whole):
            continue
        end = _end(text, each.end)
        clause = _terms(text, _start(text, each.start), each.start) | _terms(text, each.end, end)
        found.append(Denial(Span(each.start, each.end), _terms(text, each.end, end) or clause, clause))
    return tuple(sorted(found, key=lambda each: each.place.start))


def _end(text: str, at: int) -> int:
    match = _CLAUSE_END.search(text, at)
    return match.start() if match else len(text)


def _start(text: str, before: int) -> int:
    return max((match.end() for match in _CLAUSE_END.finditer(text, 0, before)), default=0)


def _terms(text: str, start: int, end: int) -> frozenset[str]:
    return frozenset(terms(text[start:end])) if start < end else frozenset()


def negated(over: Comparison) -> list[Check]:
    """Each denial of the claim beside what its sources say of the same, then what only the sources deny."""
    mine = denials(over.claim.plain)
    checks = [_answers_denial(over, each) for each in mine]
    return [*checks, *_only_theirs(over, mine)]


def _answers_denial(over: Comparison, mine: Denial) -> Check:
    """A source that says the same must deny it too, in whatever words."""
    about = [each for each in aligned(sorted(mine.clause), over.sources, _LOOKED_AT) if _same(mine, each)]
    if not about:
        cause = "no source sentence is near enough to compare what is denied"
        return over.check("negation", Status.UNKNOWN, Severity.WARN, cause, mine.place)
    denying = next((each for each in about if _denies(each.sentence, mine)), None)
    if denying is not None:
        return over.check("negation", Status.PASSED, Severity.BLOCK, None, mine.place, denying.sentence.span)
    cause = "the answer denies what the source says"
    return over.wrong("negation", cause, mine.place, FindingKind.NEGATION, about[0].sentence.span)


def _same(mine: Denial, each: Aligned) -> bool:
    """Whether a source sentence speaks of what is denied."""
    if each.coverage < SAME_CLAUSE or not mine.reached:
        return False
    held = each.sentence.terms
    return _share(mine.reached, held) >= SAME_CLAUSE


def _share(wanted: Iterable[str], held: Sequence[str]) -> float:
    """The share of some terms that others hold, a word of the same meaning counted as the word."""
    every = list(wanted)
    there = set(held)
    kept = sum(each in there or any(kinship(each, other) == "same" for other in there) for each in every)
    return kept / len(every) if every else 0.0


def _denies(sentence: SourceSentence, mine: Denial) -> bool:
    """Whether a sentence denies anything, or says the opposite of a word that the denial reaches."""
    if denials(sentence.text) or _DENY & set(sentence.terms):
        return True
    return any(
        opposite(one, other) or kinship(one, other) == "opposite"
        for one in mine.reached
        for other in sentence.terms
    )


def _only_theirs(over: Comparison, mine: Sequence[Denial]) -> list[Check]:
    """A denial in the sentence that says nearly the same, of what the claim states without denying it."""
    close = over.near(SAME_STATEMENT)
    if not close:
        return []
    sentence, stated = close[0].sentence, set(terms(over.claim.plain))
    if mine or _DENY & stated:
        return []
    for each in denials(sentence.text):
        held = each.reached & stated
        if each.reached and len(held) >= REACHED * len(each.reached) and not _turned(over.claim.plain, each):
            part = _place_of(over.claim.plain, held)
            return [over.wrong("negation", "the source denies it", part, FindingKind.NEGATION, sentence.span)]
    return []


def _turned(claim: str, theirs: Denial) -> bool:
    """Whether the claim says by an opposite what the source says by a denial."""
    return any(opposite(one, other) for one in theirs.reached for other in terms(claim))


def _place_of(claim: str, held: Iterable[str]) -> Span:
    """From the first to the last of some terms in the claim; all of it where none stands there as a word."""
    wanted = set(held)
    found = [
        span
        for span in word_spans(claim)
        if (word := fold(claim[span.start : span.end])) not in STOP_WORDS and stem(word) in wanted
    ]
    return Span(found[0].start, found[-1].end) if found else Span(0, len(claim))
