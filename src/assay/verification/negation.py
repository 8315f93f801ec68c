"""Checks of denials: those that a claim inserts, and those of its sources that it omits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice

from assay.calibration import sigmoid
from assay.nlp.alignment import SAME_STATEMENT, Alignment, Copied, Edit
from assay.nlp.analysis import Analysis, analyse, within
from assay.nlp.lexicon import word_class
from assay.nlp.negation import opposite
from assay.nlp.sources import SourceSentence
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, word_spans, words
from assay.nlp.wordnet import kinship
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.claims import failure, result

# The share of what one denial reaches that another must reach to deny the same; chosen.
SAME_REACH = 0.4
# The share of what a source denies that a claim must hold to state the same; chosen.
REACHED = 0.6
# A negation reaches six words (NegEx, Chapman et al. 2001).
_REACH_WORDS, _LONGEST_REACH = 6, 120
# Characters of a denial with its verb: "it is not true that", "did not manage to".
_LONGEST_DENIAL = 30
# Denials of one claim, and of one source sentence, that are compared; chosen. A sentence has two at most, a list of
# more is none (decision 173).
MOST_DENIED, _MOST_READ = 50, 200
_TOO_MANY = f"it denies more than {MOST_DENIED} things: so many are not compared"
# Denials of a whole statement, which reach to its end.
_WHOLE = re.compile(
    r"\b(?:(?:not|never|isn['’]t|wasn['’]t)\s+(?:true|correct|the\s+case|known)|untrue|false|incorrect|wrong|a\s+myth"
    r"|no\s+(?:evidence|proof|indication|sign))\s+that\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;:!?,。，；！？](?=\s|$)|\s[-–—]\s|\b(?:but|however|although|though|while|whereas|which|who|because)\b"
)
# "Not as deep as" is a comparison.
_RANKS = re.compile(r"\s+(?:as|so)\s+[a-z]+\s+as\b")
# Words that deny without a negation's form.
_DENY = frozenset(map(stem, word_class("negation.denying")))

# "Must not sublet without consent" says the same as "needs consent".
_EXCEPT = re.compile(r"\b(?:without|unless|except|until)\b", re.IGNORECASE)
_ALL_BEHIND = re.compile(r"\s+(?:all|every|each|always|everyone|everybody|everything)\b", re.IGNORECASE)
_PART = word_class("quantifiers.partial")
_YET = re.compile(r"\b(?:yet|so\s+far)\b", re.IGNORECASE)
_AHEAD = re.compile(r"\b(?:plan(?:s|ned|ning)?|will|going\s+to|expected|intends?|future|soon)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial at `place`: the content terms that it reaches, and all those of its clause."""

    place: Span
    reached: frozenset[str]
    clause: frozenset[str]


def denials(text: str) -> tuple[Denial, ...]:
    """The denials of a text in order.

    >>> [sorted(one.reached) for one in denials("It is false that Ulm lies in Spain, though it is not small.")]
    [['lie', 'spain', 'ulm'], ['small']]
    """
    return analyse(text).derive(_denials)


def _denials(read: Analysis) -> tuple[Denial, ...]:
    text = read.text
    of_statements = [Span(match.start(), match.end()) for match in _WHOLE.finditer(text)]
    found = []
    for span in of_statements:
        statement = _terms(text, span.end, clause_end(text, span.end))
        found.append(Denial(span, statement, statement))
    for negation in islice(read.negations, _MOST_READ):
        if any(span.start <= negation.start < span.end for span in of_statements):
            continue
        end = clause_end(text, negation.end)
        clause = _terms(text, clause_start(text, negation.start), negation.start) | _terms(text, negation.end, end)
        reached = _terms(text, negation.end, min(end, _end_of_reach(text, negation.end)))
        found.append(Denial(Span(negation.start, negation.end), reached or clause, clause))
    return tuple(sorted(found, key=lambda denial: denial.place.start))


def _end_of_reach(text: str, at: int) -> int:
    """The end of the words that a denial before a place reaches."""
    following = list(islice(word_spans(text[at : at + _LONGEST_REACH]), _REACH_WORDS))
    return at + following[-1].end if following else at


def clause_end(text: str, at: int) -> int:
    """The end of the clause around a place."""
    match = _CLAUSE_END.search(text, at)
    return match.start() if match else len(text)


def clause_start(text: str, before: int) -> int:
    """The start of the clause around a place."""
    return max((match.end() for match in _CLAUSE_END.finditer(text, 0, before)), default=0)


def _terms(text: str, start: int, end: int) -> frozenset[str]:
    return frozenset(terms(text[start:end])) if start < end else frozenset()


def check_denials(claim: Alignment) -> list[Check]:
    """The checks of the denials that the claim inserts into a copied sentence, and of those that it omits."""
    if len(every := denials(claim.plain)) > MOST_DENIED:
        part = Span(every[0].place.start, every[-1].place.end)
        return [result(claim, "negation", Status.UNKNOWN, Severity.BLOCK, _TOO_MANY, part)]
    denied = [denial for denial in every if not _RANKS.match(claim.plain, denial.place.end)]
    inserted = [check for denial in denied if (check := _check_in_copy(claim, denial)) is not None]
    return [*inserted, *_check_omitted(claim, denied)]


def _check_in_copy(claim: Alignment, denial: Denial) -> Check | None:
    """The check of a denial against the copied sentence: kept from it, or inserted; None where that is unclear."""
    if claim.copied is None:
        return None
    sentence, edits = claim.copied.sentence, claim.copied.copy.edits_at(denial.place)
    if not edits:
        return result(claim, "negation", Status.PASSED, Severity.BLOCK, None, denial.place, sentence.span)
    if (
        not all(_is_short(edit) for edit in edits)
        or not _is_held(claim, denial)
        or _is_reworded(claim.copied, denial)
    ):
        if denials(sentence.text):
            return None
        cause = "the answer denies something, but the source sentence does not"
        return result(claim, "negation", Status.UNKNOWN, Severity.BLOCK, cause, denial.place, sentence.span)
    replaced = " ".join(sentence.text[edit.source.start : edit.source.end] for edit in edits)
    if (
        _leaves_open(claim, denial, sentence)
        or denials(replaced)
        or _DENY & set(terms(replaced))
        or _says_opposite(replaced, denial)
    ):
        return None
    cause = "the answer denies what the source says"
    return failure(claim, "negation", cause, denial.place, FindingKind.NEGATION, sentence.span)


def _is_reworded(copied: Copied, denial: Denial) -> bool:
    """Tell whether a denial that the claim omits reaches the same words, so that it was only reworded."""
    return any(
        held_share(denial.reached, sorted(stored.reached)) >= SAME_REACH or _share_clause(denial, stored)
        for stored in denials(copied.sentence.text)
        if any(within(stored.place, edit.source) for edit in copied.copy.edits)
    )


def _is_held(claim: Alignment, denial: Denial) -> bool:
    """Tell whether the copied sentence holds most of what the denial reaches."""
    assert claim.copied is not None  # noqa: S101 - asked for only where there is one
    return held_share(denial.reached, claim.copied.sentence.terms) >= REACHED


def held_share(wanted: Iterable[str], held: Sequence[str]) -> float:
    """The share of some terms that others hold, themselves or as a synonym."""
    terms_wanted, terms_held = list(wanted), set(held)
    count = sum(
        term in terms_held or any(kinship(term, other) == "same" for other in terms_held) for term in terms_wanted
    )
    return count / len(terms_wanted) if terms_wanted else 0.0


def _leaves_open(claim: Alignment, denial: Denial, sentence: SourceSentence) -> bool:
    """Tell whether "not all" is compared with a statement on a part, or "not yet" with one on a plan."""
    if _ALL_BEHIND.match(claim.plain, denial.place.end) and not _PART.isdisjoint(words(sentence.text)):
        return True
    text = claim.plain
    return bool(_YET.search(text) and _AHEAD.search(sentence.text) and not _AHEAD.search(text))


def _check_omitted(claim: Alignment, denied: Sequence[Denial]) -> list[Check]:
    """The check that the claim does not state what a source sentence denies."""
    inserted = [denial for denial in denied if claim.copied is None or claim.copied.copy.edits_at(denial.place)]
    for sentence, stored in _omitted_denials(claim, denied):
        stated = terms(claim.plain)
        if (
            not stored.reached
            or _says_opposite(claim.plain, stored)
            or any(_denies_same(denial, stored) for denial in inserted)
        ):
            continue
        if held_share(stored.reached, stated) >= REACHED:
            part = _place_of(claim.plain, stored.reached & set(stated))
            if _has_exception(claim, sentence, stored):
                cause = "the source denies it with an exception"
                return [result(claim, "negation", Status.UNKNOWN, Severity.BLOCK, cause, part, sentence.span)]
            return [failure(claim, "negation", "the source denies it", part, FindingKind.NEGATION, sentence.span)]
    return []


def _has_exception(claim: Alignment, sentence: SourceSentence, stored: Denial) -> bool:
    """Tell whether a denial has an exception that the claim omits, or is one: "not without consent"."""
    others = [denial.place for denial in denials(sentence.text) if denial is not stored]
    is_exception = _EXCEPT.match(sentence.text, stored.place.start) is not None
    if claim.copied is not None:
        edits = claim.copied.copy.edits
        omitted = [place for place in others if any(within(place, edit.source) for edit in edits)]
        return any(is_exception or _EXCEPT.match(sentence.text, place.start) for place in omitted)
    if is_exception:
        return any(place.end <= stored.place.start for place in others)
    return _EXCEPT.search(sentence.text, stored.place.end) is not None


def _denies_same(denial: Denial, stored: Denial) -> bool:
    """Tell whether a denial of the claim denies the same as the source's: "no beavers were seen"."""
    if held_share(stored.reached, sorted(denial.reached)) >= SAME_REACH:
        return True
    if stored.reached & denial.reached:
        return held_share(stored.reached, sorted(denial.clause)) >= REACHED
    return _share_clause(denial, stored)


def _share_clause(denial: Denial, stored: Denial) -> bool:
    """Tell whether both denials have clauses of the same words: "nothing they say is", "what they say isn't"."""
    return (
        held_share(denial.reached, sorted(stored.clause)) >= REACHED
        and held_share(stored.reached, sorted(denial.clause)) >= REACHED
    )


def _omitted_denials(claim: Alignment, denied: Sequence[Denial]) -> Iterator[tuple[SourceSentence, Denial]]:
    """The denials that the claim omits from the sentence it copies, else those of a sentence nearly the same."""
    if claim.copied is not None:
        edits = [
            edit for edit in claim.copied.copy.edits if not denials(claim.plain[edit.claim.start : edit.claim.end])
        ]
        for stored in denials(claim.copied.sentence.text):
            if any(within(stored.place, edit.source) and _ends_with_denial(stored, edit) for edit in edits):
                yield claim.copied.sentence, stored
        return
    close = claim.near(SAME_STATEMENT)
    if close and not denied and not _DENY & set(terms(claim.plain)):
        for stored in denials(close[0].sentence.text):
            yield close[0].sentence, stored


def _is_short(edit: Edit) -> bool:
    """Tell whether the edit omits at most a denial, no clause."""
    return edit.source.end - edit.source.start <= _LONGEST_DENIAL


def _ends_with_denial(stored: Denial, edit: Edit) -> bool:
    """Tell whether the omitted words end with the denial, so that what it denies is kept."""
    return edit.source.end - stored.place.start <= _LONGEST_DENIAL


def _says_opposite(claim: str, stored: Denial) -> bool:
    """Tell whether a text expresses the denial by an opposite."""
    return any(opposite(one, other) for one in stored.reached for other in terms(claim))


def _place_of(claim: str, held: Iterable[str]) -> Span:
    """The stretch from the first to the last of some terms in the claim; all of the claim where none occurs."""
    wanted = set(held)
    found = [
        span
        for span in word_spans(claim)
        if (word := fold(claim[span.start : span.end])) not in STOP_WORDS and stem(word) in wanted
    ]
    return Span(found[0].start, found[-1].end) if found else Span(0, len(claim))


# Reports of absence, that the sources do not tell something: "Whether pets are allowed isn't stated."

# Words of a run, at most.
LONGEST_RUN = 3


@dataclass(frozen=True, slots=True)
class Absence:
    """A fitted model: the log odds that a sentence reports an absence are `bias` plus the `weights` of its runs.

    From the probability `threshold` on a sentence counts as such a report.
    """

    bias: float
    threshold: float
    weights: Mapping[str, float]

    def probability(self, text: str) -> float:
        """The probability that the text is such a report, 0 to 1."""
        return sigmoid(self.bias + sum(self.weights.get(run, 0.0) for run in runs(text)))


def runs(text: str) -> frozenset[str]:
    """The runs of one to three words; the start and the end of the text count as words, any number as 0.

    >>> sorted(runs("Paid 20"))
    ['0', '0 >', '<', '< paid', '< paid 0', '>', 'paid', 'paid 0', 'paid 0 >']
    """
    marked = ["<", *("0" if word.isdigit() else word for word in words(text)), ">"]
    return frozenset(
        " ".join(marked[at : at + length])
        for length in range(1, LONGEST_RUN + 1)
        for at in range(len(marked) - length + 1)
    )


def reports_absence(text: str) -> bool:
    """Tell whether a sentence says that the sources do not tell something.

    >>> [reports_absence(text) for text in ("The passages do not mention the price.", "Prices do not change.")]
    [True, False]
    """
    model = _model()
    return model.probability(text) >= model.threshold


@cache
def _model() -> Absence:
    return Absence(**json.loads(files("assay.verification").joinpath("absence.json").read_text(encoding="utf-8")))
