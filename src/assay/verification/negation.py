"""What a claim denies, and what its sources deny, matched by what each denial reaches."""

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
from assay.nlp.negation import opposite
from assay.nlp.sources import SourceSentence
from assay.nlp.tokens import STOP_WORDS, fold, stem, terms, word_spans, words
from assay.nlp.wordnet import kinship
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.claims import failure, result

# How much of what one denial reaches another must reach to deny the same; chosen.
SAME_REACH = 0.4
# What a source denies is denied of the claim where the claim holds this much of what the denial reaches.
REACHED = 0.6
# NegEx (Chapman et al. 2001) lets a negation reach six words.
_REACH_WORDS, _LONGEST_REACH = 6, 120
# Characters of a denial with its verb: "it is not true that", "did not manage to".
_LONGEST_DENIAL = 30
# Denials of one claim, and of one source sentence, that are compared; chosen. A sentence has two at most, a list of
# more is none (decision 173).
MOST_DENIED, _MOST_READ = 50, 200
_TOO_MANY = f"it denies more than {MOST_DENIED} things: so many are not compared"
# A denial of a whole statement reaches to the statement's end.
_WHOLE = re.compile(
    r"\b(?:(?:not|never|isn['’]t|wasn['’]t)\s+(?:true|correct|the\s+case|known)|untrue|false|incorrect|wrong|a\s+myth"
    r"|no\s+(?:evidence|proof|indication|sign))\s+that\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;:!?,。，；！？](?=\s|$)|\s[-–—]\s|\b(?:but|however|although|though|while|whereas|which|who|because)\b"
)
# "Not as deep as" compares.
_RANKS = re.compile(r"\s+(?:as|so)\s+[a-z]+\s+as\b")
# Words that deny without a negation's form.
_DENY = frozenset(
    map(
        stem,
        """against avoid dislike disagree doubt few fewer hate ignore impossible instead insufficient less little
        loses lose lost low miss missing none nothing only oppose prevent rarely reject rejected seldom stop stopped
        unable unclear unlikely unsure unknown without worse contrary negative except rather reduce reduced decline
        declined cancel cancelled canceled end ended inability absence absent free deficient deficiency deprived
        loss limited poor failure hardly""".split(),
    )
)

# "Must not sublet without consent" is what "needs consent" says.
_EXCEPT = re.compile(r"\b(?:without|unless|except|until)\b", re.IGNORECASE)
_ALL_BEHIND = re.compile(r"\s+(?:all|every|each|always|everyone|everybody|everything)\b", re.IGNORECASE)
_PART = frozenset("some several many most few part partly half majority minority sometimes often usually".split())
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

    >>> [(sorted(each.reached)) for each in denials("It is false that Ulm lies in Spain, though it is not small.")]
    [['lie', 'spain', 'ulm'], ['small']]
    """
    return analyse(text).derive(_denials)


def _denials(read: Analysis) -> tuple[Denial, ...]:
    text = read.text
    whole = [Span(match.start(), match.end()) for match in _WHOLE.finditer(text)]
    found = []
    for span in whole:
        held = _terms(text, span.end, clause_end(text, span.end))
        found.append(Denial(span, held, held))
    for one in islice(read.negations, _MOST_READ):
        if any(span.start <= one.start < span.end for span in whole):
            continue
        end = clause_end(text, one.end)
        clause = _terms(text, clause_start(text, one.start), one.start) | _terms(text, one.end, end)
        reached = _terms(text, one.end, min(end, _after_words(text, one.end)))
        found.append(Denial(Span(one.start, one.end), reached or clause, clause))
    return tuple(sorted(found, key=lambda one: one.place.start))


def _after_words(text: str, at: int) -> int:
    """Where the few words end that a denial reaches."""
    following = list(islice(word_spans(text[at : at + _LONGEST_REACH]), _REACH_WORDS))
    return at + following[-1].end if following else at


def clause_end(text: str, at: int) -> int:
    """Where the clause ends that holds a place."""
    match = _CLAUSE_END.search(text, at)
    return match.start() if match else len(text)


def clause_start(text: str, before: int) -> int:
    """Where the clause begins that holds a place."""
    return max((match.end() for match in _CLAUSE_END.finditer(text, 0, before)), default=0)


def _terms(text: str, start: int, end: int) -> frozenset[str]:
    return frozenset(terms(text[start:end])) if start < end else frozenset()


def check_denials(claim: Alignment) -> list[Check]:
    """Each denial of the claim beside what its sources say of the same, then what only the sources deny."""
    if len(every := denials(claim.plain)) > MOST_DENIED:
        part = Span(every[0].place.start, every[-1].place.end)
        return [result(claim, "negation", Status.UNKNOWN, Severity.BLOCK, _TOO_MANY, part)]
    denied = [denial for denial in every if not _RANKS.match(claim.plain, denial.place.end)]
    inserted = [check for denial in denied if (check := _check_in_copy(claim, denial)) is not None]
    return [*inserted, *_check_left_out(claim, denied)]


def _check_in_copy(claim: Alignment, denial: Denial) -> Check | None:
    """The denial beside the sentence that the claim is a changed copy of: kept from there, or put in."""
    if claim.copied is None:
        return None
    sentence, edits = claim.copied.sentence, claim.copied.copy.edits_at(denial.place)
    if not edits:
        return result(claim, "negation", Status.PASSED, Severity.BLOCK, None, denial.place, sentence.span)
    if not all(_short(edit) for edit in edits) or not _keeps(claim, denial) or _put_otherwise(claim.copied, denial):
        return None
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


def _put_otherwise(copied: Copied, denial: Denial) -> bool:
    """Whether a denial that the claim did not keep reaches the same words: it was only put otherwise."""
    return any(
        held_share(denial.reached, sorted(stored.reached)) >= SAME_REACH or _of_one_clause(denial, stored)
        for stored in denials(copied.sentence.text)
        if any(within(stored.place, edit.source) for edit in copied.copy.edits)
    )


def _keeps(claim: Alignment, denial: Denial) -> bool:
    """Whether the sentence says most of what the denial reaches."""
    assert claim.copied is not None  # noqa: S101 - asked for only where there is one
    return held_share(denial.reached, claim.copied.sentence.terms) >= REACHED


def held_share(wanted: Iterable[str], held: Sequence[str]) -> float:
    """The share of some terms that others hold, a word of the same meaning counted as the word."""
    every = list(wanted)
    there = set(held)
    kept = sum(term in there or any(kinship(term, other) == "same" for other in there) for term in every)
    return kept / len(every) if every else 0.0


def _leaves_open(claim: Alignment, denial: Denial, sentence: SourceSentence) -> bool:
    """Whether "not all" stands beside a sentence on a part, or "not yet" beside one on what is planned."""
    if _ALL_BEHIND.match(claim.plain, denial.place.end) and not _PART.isdisjoint(words(sentence.text)):
        return True
    said = claim.plain
    return bool(_YET.search(said) and _AHEAD.search(sentence.text) and not _AHEAD.search(said))


def _check_left_out(claim: Alignment, denied: Sequence[Denial]) -> list[Check]:
    """A denial of a source sentence, of what the claim states without denying it."""
    put_in = [denial for denial in denied if claim.copied is None or claim.copied.copy.edits_at(denial.place)]
    for sentence, stored in _left_out_denials(claim, denied):
        stated = terms(claim.plain)
        if (
            not stored.reached
            or _says_opposite(claim.plain, stored)
            or any(_denies_same(one, stored) for one in put_in)
        ):
            continue
        if held_share(stored.reached, stated) >= REACHED:
            part = _place_of(claim.plain, stored.reached & set(stated))
            if _with_exception(claim, sentence, stored):
                cause = "the source denies it with an exception"
                return [result(claim, "negation", Status.UNKNOWN, Severity.BLOCK, cause, part, sentence.span)]
            return [failure(claim, "negation", "the source denies it", part, FindingKind.NEGATION, sentence.span)]
    return []


def _with_exception(claim: Alignment, sentence: SourceSentence, stored: Denial) -> bool:
    """Whether a denial has an exception that the claim leaves out, or is that exception: "not without consent"."""
    others = [denial.place for denial in denials(sentence.text) if denial is not stored]
    excepts = _EXCEPT.match(sentence.text, stored.place.start) is not None
    if claim.copied is not None:
        left_out = [
            place for place in others if any(within(place, edit.source) for edit in claim.copied.copy.edits)
        ]
        return any(excepts or _EXCEPT.match(sentence.text, one.start) for one in left_out)
    if excepts:
        return any(place.end <= stored.place.start for place in others)
    return _EXCEPT.search(sentence.text, stored.place.end) is not None


def _denies_same(denial: Denial, stored: Denial) -> bool:
    """Whether the claim denies the same, be it in another place: "no beavers were seen"."""
    if held_share(stored.reached, sorted(denial.reached)) >= SAME_REACH:
        return True
    if stored.reached & denial.reached:
        return held_share(stored.reached, sorted(denial.clause)) >= REACHED
    return _of_one_clause(denial, stored)


def _of_one_clause(denial: Denial, stored: Denial) -> bool:
    """Whether two clauses of the same words are denied as wholes: "nothing they say is", "what they say isn't"."""
    return (
        held_share(denial.reached, sorted(stored.clause)) >= REACHED
        and held_share(stored.reached, sorted(denial.clause)) >= REACHED
    )


def _left_out_denials(claim: Alignment, denied: Sequence[Denial]) -> Iterator[tuple[SourceSentence, Denial]]:
    """The denials that the claim leaves out of the sentence it copies; else those of the one that says the same."""
    if claim.copied is not None:
        left_out = [edit for edit in claim.copied.copy.edits if not denials(_edited_text(claim, edit))]
        for stored in denials(claim.copied.sentence.text):
            if any(within(stored.place, one.source) and _ends(stored, one) for one in left_out):
                yield claim.copied.sentence, stored
        return
    close = claim.near(SAME_STATEMENT)
    if close and not denied and not _DENY & set(terms(claim.plain)):
        for stored in denials(close[0].sentence.text):
            yield close[0].sentence, stored


def _edited_text(claim: Alignment, edit: Edit) -> str:
    return claim.plain[edit.claim.start : edit.claim.end]


def _short(edit: Edit) -> bool:
    """Whether little more than a denial can have been left out: no clause of its own."""
    return edit.source.end - edit.source.start <= _LONGEST_DENIAL


def _ends(stored: Denial, edit: Edit) -> bool:
    """Whether what was left out ends with a denial: what it denies is kept."""
    return edit.source.end - stored.place.start <= _LONGEST_DENIAL


def _says_opposite(claim: str, stored: Denial) -> bool:
    """Whether the one text says by an opposite what the other says by a denial."""
    return any(opposite(one, other) for one in stored.reached for other in terms(claim))


def _place_of(claim: str, held: Iterable[str]) -> Span:
    """From the first to the last of some terms in the claim; all of it where none stands there as a word."""
    wanted = set(held)
    found = [
        span
        for span in word_spans(claim)
        if (word := fold(claim[span.start : span.end])) not in STOP_WORDS and stem(word) in wanted
    ]
    return Span(found[0].start, found[-1].end) if found else Span(0, len(claim))


# Sentences that say that the sources do not tell something: "Whether pets are allowed isn't stated."


# Words in a run at most.
LONGEST_RUN = 3


@dataclass(frozen=True, slots=True)
class Absence:
    """The fitted model: the log odds of a sentence are `bias` plus the `weights` of its runs.

    `bar` is the probability from which on a sentence counts as one.
    """

    bias: float
    bar: float
    weights: Mapping[str, float]

    def probability(self, text: str) -> float:
        """How likely the text is such a sentence, 0 to 1."""
        return sigmoid(self.bias + sum(self.weights.get(run, 0.0) for run in runs(text)))


def runs(text: str) -> frozenset[str]:
    """The runs of one to three words, with the text's beginning and end as words, and any number as 0.

    >>> sorted(runs("Paid 20"))
    ['0', '0 >', '<', '< paid', '< paid 0', '>', 'paid', 'paid 0', 'paid 0 >']
    """
    said = ["<", *("0" if word.isdigit() else word for word in words(text)), ">"]
    return frozenset(
        " ".join(said[at : at + length])
        for length in range(1, LONGEST_RUN + 1)
        for at in range(len(said) - length + 1)
    )


def tells_of_absence(text: str) -> bool:
    """Whether a sentence says that the sources do not tell something.

    >>> [tells_of_absence(each) for each in ("The passages do not mention the price.", "Prices do not change.")]
    [True, False]
    """
    model = _model()
    return model.probability(text) >= model.bar


@cache
def _model() -> Absence:
    return Absence(**json.loads(files("assay.verification").joinpath("absence.json").read_text(encoding="utf-8")))
