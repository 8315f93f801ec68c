"""What a claim denies, and what its sources deny, matched by what each denial reaches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from assay.text.negation import negations, opposite
from assay.text.tokens import STOP_WORDS, fold, stem, terms, word_spans
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_STATEMENT, Comparison
from assay.verify.edits import Edit
from assay.verify.lexicon import kinship
from assay.verify.sources import Aligned, SourceSentence, aligned

# How much of a denial's clause, and of what it reaches, one source sentence must hold to be about the same.
SAME_CLAUSE = 0.5
# What a source denies is denied of the claim where the claim holds this much of what the denial reaches.
REACHED = 0.6
# A source that holds this much of a denial's clause may deny the same in other words.
SAME_TOPIC = 0.3
_LOOKED_AT = 8
# NegEx (Chapman et al. 2001) lets a negation reach six words.
_REACH_WORDS, _LONGEST_REACH = 6, 120
# Characters of a denial with its verb: "it is not true that", "did not manage to".
_LONGEST_DENIAL = 30
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
        declined cancel cancelled canceled end ended inability absence absent free deficient deficiency deprived loss
        limited poor failure hardly""".split(),
    )
)


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial at `place`: the content terms that it reaches, the first of them, and all those of its clause.

    `first` is empty where the denial is of a whole statement.
    """

    place: Span
    reached: frozenset[str]
    first: str
    clause: frozenset[str]


@lru_cache(maxsize=256)
def denials(text: str) -> tuple[Denial, ...]:
    """The denials of a text in order.

    >>> [(sorted(each.reached)) for each in denials("It is false that Ulm lies in Spain, though it is not small.")]
    [['lie', 'spain', 'ulm'], ['small']]
    """
    whole = [Span(match.start(), match.end()) for match in _WHOLE.finditer(text)]
    found = []
    for span in whole:
        stated = _terms(text, span.end, _end(text, span.end))
        found.append(Denial(span, stated, "", stated))
    for each in negations(text):
        if any(span.start <= each.start < span.end for span in whole):
            continue
        end = _end(text, each.end)
        clause = _terms(text, _start(text, each.start), each.start) | _terms(text, each.end, end)
        reached = terms(text[each.end : min(end, _after_words(text, each.end))])
        first = reached[0] if reached else ""
        found.append(Denial(Span(each.start, each.end), frozenset(reached) or clause, first, clause))
    return tuple(sorted(found, key=lambda each: each.place.start))


def _after_words(text: str, at: int) -> int:
    """Where the few words end that a denial reaches."""
    following = list(islice(word_spans(text[at : at + _LONGEST_REACH]), _REACH_WORDS))
    return at + following[-1].end if following else at


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
    checks = [_copied(over, each) or _answers_denial(over, each) for each in mine]
    return [*checks, *_only_theirs(over, mine)]


def _copied(over: Comparison, mine: Denial) -> Check | None:
    """The denial beside the sentence that the claim is a changed copy of: kept from there, or put in."""
    if over.copied is None:
        return None
    sentence, edits = over.copied.sentence, over.copied.copy.edits_at(mine.place)
    if not edits:
        return over.check("negation", Status.PASSED, Severity.BLOCK, None, mine.place, sentence.span)
    theirs = " ".join(sentence.text[each.theirs.start : each.theirs.end] for each in edits)
    if denials(theirs) or _DENY & set(terms(theirs)) or not _keeps(over, mine):
        return None
    cause = "the answer denies what the source says"
    return over.wrong("negation", cause, mine.place, FindingKind.NEGATION, sentence.span)


def _keeps(over: Comparison, mine: Denial) -> bool:
    """Whether the sentence says most of what the denial reaches."""
    assert over.copied is not None  # noqa: S101 - asked for only where there is one
    return _share(mine.reached, over.copied.sentence.terms) >= REACHED


def _answers_denial(over: Comparison, mine: Denial) -> Check:
    """A source that says the same must deny it too, in whatever words."""
    near = [each for each in aligned(sorted(mine.clause), over.sources, _LOOKED_AT) if each.coverage >= SAME_TOPIC]
    about = [each for each in near if _same(mine, each)]
    if not about:
        cause = "no source sentence is near enough to compare what is denied"
        return over.check("negation", Status.UNKNOWN, Severity.WARN, cause, mine.place)
    denying = next((each for each in near if _denies(each.sentence, mine)), None)
    if denying is not None:
        return over.check("negation", Status.PASSED, Severity.BLOCK, None, mine.place, denying.sentence.span)
    cause = "the answer denies what the source says"
    return over.wrong("negation", cause, mine.place, FindingKind.NEGATION, about[0].sentence.span)


def _same(mine: Denial, each: Aligned) -> bool:
    """Whether a source sentence speaks of what is denied."""
    if each.coverage < SAME_CLAUSE or not mine.reached:
        return False
    held = each.sentence.terms
    predicate = not mine.first or _share([mine.first], held) == 1.0
    return predicate and _share(mine.reached, held) >= SAME_CLAUSE


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
    """A denial of a source sentence, of what the claim states without denying it."""
    for sentence, theirs in _theirs(over, mine):
        stated = set(terms(over.claim.plain))
        held = theirs.reached & stated
        if theirs.reached and len(held) >= REACHED * len(theirs.reached) and not _turned(over.claim.plain, theirs):
            part = _place_of(over.claim.plain, held)
            return [over.wrong("negation", "the source denies it", part, FindingKind.NEGATION, sentence.span)]
    return []


def _theirs(over: Comparison, mine: Sequence[Denial]) -> Iterator[tuple[SourceSentence, Denial]]:
    """The denials of the sentence that the claim copies, those left out of it; else of the one that says the same."""
    if over.copied is not None:
        left_out = [each for each in over.copied.copy.edits if not denials(_mine(over, each))]
        for theirs in denials(over.copied.sentence.text):
            if any(_within(theirs.place, each.theirs) and _short(each) for each in left_out):
                yield over.copied.sentence, theirs
        return
    close = over.near(SAME_STATEMENT)
    if close and not mine and not _DENY & set(terms(over.claim.plain)):
        for theirs in denials(close[0].sentence.text):
            yield close[0].sentence, theirs


def _mine(over: Comparison, edit: Edit) -> str:
    return over.claim.plain[edit.mine.start : edit.mine.end]


def _within(place: Span, other: Span) -> bool:
    return other.start <= place.start and place.end <= other.end


def _short(edit: Edit) -> bool:
    """Whether little more than a denial can have been left out: no clause of its own."""
    return edit.theirs.end - edit.theirs.start <= _LONGEST_DENIAL


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
