"""One function for each criterion, with its formula: estimates by rules, not fitted to any label. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from assay.nlp.answer_types import new_candidates, tells
from assay.nlp.citations import without_marks
from assay.nlp.cues import CONNECTIVES
from assay.nlp.language import language_of
from assay.nlp.negation import negations
from assay.nlp.quantities import quantities
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, UNSPACED, terms, words
from assay.types import AnswerType, Claim, Draft, Evidence, Question, QuestionKind, Review, Span, Verdict

# An answer parsed for its assessment: its sentences, its claims, and their sources.


# Chosen: characters of an answer that are quoted as an example.
_LONGEST_QUOTE = 160
# Put by a repair behind an unsupported sentence; it is no part of the statement.
_HEDGE = "⚠"


@dataclass(frozen=True, slots=True)
class Measurement:
    """The score of one criterion, 0 to 1, None if nothing can be measured, with reasons, quotes and suggestions."""

    score: float | None
    reasons: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer beside its question, evidence and review; `text` has spaces for citation marks and ⚠."""

    question: Question
    evidence: Evidence
    draft: Draft
    review: Review
    text: str
    spans: tuple[Span, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences without their marks, with headings and questions."""
        return tuple(self.text[span.start : span.end].strip() for span in self.spans)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the answer."""
        return self.review.claims

    def quote(self, start: int, end: int) -> str:
        """The answer's own words from `start` to `end`, their first 160 characters."""
        return self.draft.text[start:end].strip()[:_LONGEST_QUOTE].rstrip()

    def quote_claim(self, claim: Claim) -> str:
        """A claim in the answer's own words."""
        return self.quote(claim.start, claim.end)


def parse_answer(question: Question, evidence: Evidence, draft: Draft, review: Review) -> ParsedAnswer:
    """Parse the answer once for all criteria."""
    text = without_marks(draft.text, review.citations).replace(_HEDGE, " ")
    spans = tuple(span for span in sentences(text) if terms(text[span.start : span.end], stop_words=True))
    return ParsedAnswer(question, evidence, draft, review, text, spans)


def grounds(answer: ParsedAnswer, claim: Claim) -> str:
    """The text of a claim with its source spans and the titles of the passages that it cites.

    A source often names what the answer only points at: "It opened in 1932" from a page called "The bridge".
    """
    titles = {passage.passage_id: passage.title for passage in answer.evidence.passages}
    cited = (titles.get(citation, "") for citation in claim.citations)
    return " ".join((claim.text, *(span.quote for span in claim.spans), *cited))


# Accuracy, estimated: the share of the answer's claims that its evidence supports.


# Chosen: the most that an answer with a contradicted claim scores, below every sensible floor.
WITH_A_CONTRADICTION = 0.4
_EXAMPLES = 3


def accuracy(answer: ParsedAnswer) -> Measurement:
    """Supported claims / claims; at most 0.4 if one is contradicted; unknown if no claim could be compared.

    A claim whose verdict is unknown counts in the denominator only.
    """
    claims = answer.claims
    if not claims:
        return Measurement(None, ("unknown: the answer states nothing that can be tested",))
    by = {verdict: [claim for claim in claims if claim.verdict is verdict] for verdict in Verdict}
    if len(by[Verdict.UNKNOWN]) == len(claims):
        return Measurement(None, ("unknown: no claim could be compared with the evidence",))
    score = len(by[Verdict.SUPPORTED]) / len(claims)
    if by[Verdict.CONTRADICTED]:
        score = min(score, WITH_A_CONTRADICTION)
    bad = (*by[Verdict.CONTRADICTED], *by[Verdict.UNSUPPORTED], *by[Verdict.UNKNOWN])[:_EXAMPLES]
    first = f"{len(by[Verdict.SUPPORTED])} of {len(claims)} claims are supported by the evidence"
    return Measurement(
        score,
        (first, *(_describe(claim) for claim in bad)),
        tuple(dict.fromkeys(answer.quote_claim(claim) for claim in bad)),
        tuple(dict.fromkeys(_SUGGESTED[claim.verdict] for claim in bad)),
    )


_SUGGESTED = {
    Verdict.CONTRADICTED: "state it as the evidence does, or drop it",
    Verdict.UNSUPPORTED: "drop what the evidence does not say, or find a passage that says it",
    Verdict.UNKNOWN: "stay closer to the words of its passage, so that it can be tested",
}


def _describe(claim: Claim) -> str:
    """A claim's verdict with the last reason of its history."""
    why = claim.history[-1].reason if claim.history else ""
    return f"claim {claim.n} is {claim.verdict.value}" + (f": {why}" if why else "")


# Completeness, estimated: how much of each part of the question the answer speaks of.


# Chosen: a part with a smaller share is reported as left out; the score itself has no threshold.
_LEFT_OUT = 0.5


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    share: float


def completeness(answer: ParsedAnswer) -> Measurement:
    """The mean over the question's parts of the share of the part's own terms that the answer speaks of.

    A part's own terms are those that not every part has. The answer speaks of a term if a claim, or the source of a
    supported claim, has it. A question of one part is covered in full if the answer has the type of thing asked
    for, or says yes or no if that was asked. Words are compared, so a part that is answered in other words, from
    sources in other words, counts as left out.
    """
    parts = answer.question.aspects or (answer.question.standalone,)
    if not answer.text.strip():
        return Measurement(0.0, ("the answer is empty",), (), ("answer the question",))
    spoken = _terms_of_claims(answer)
    if len(parts) == 1 and _gives_what_is_asked(answer):
        return Measurement(1.0, (f"it gives a {answer.question.answer_type.value}, which the question asks for",))
    own = _own_terms(parts)
    covered = [
        _Part(part, len(wanted & spoken) / len(wanted)) for part, wanted in zip(parts, own, strict=True) if wanted
    ]
    if not covered:
        return Measurement(None, ("unknown: the question has no words to compare an answer with",))
    left_out = [part.text for part in covered if part.share < _LEFT_OUT]
    reasons = (f"it covers {len(covered) - len(left_out)} of {len(covered)} parts of the question",)
    return Measurement(
        fmean(part.share for part in covered),
        (*reasons, *(f"no claim covers “{part}”" for part in left_out)),
        tuple(answer.quote_claim(claim) for claim in answer.claims[:1]),
        tuple(f"answer “{part}”, or say that the evidence does not" for part in left_out),
    )


def _terms_of_claims(answer: ParsedAnswer) -> frozenset[str]:
    """The terms of the claims, and of the sources of the supported ones."""
    found: set[str] = set()
    for claim in answer.claims:
        supported = claim.verdict is Verdict.SUPPORTED
        found.update(terms(grounds(answer, claim) if supported else claim.text))
    return frozenset(found)


def _own_terms(parts: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Each part's terms without those that all parts share; all of them if none is left."""
    every = [frozenset(terms(part)) for part in parts]
    shared = frozenset.intersection(*every) if len(every) > 1 else frozenset()
    return tuple(own - shared or own for own in every)


def _gives_what_is_asked(answer: ParsedAnswer) -> bool:
    """True if the answer has the type of thing asked for, or opens with yes or no if that was asked."""
    question = answer.question
    if question.answer_type is AnswerType.YES_NO:
        return opens_with_yes_or_no(answer.text)
    claimed = " ".join(claim.text for claim in answer.claims)
    return bool(new_candidates(claimed, question.answer_type, question.standalone))


def opens_with_yes_or_no(text: str) -> bool:
    """True if the first word is yes or no, in one of the languages that assay knows.

    >>> opens_with_yes_or_no("Yes, in 1932."), opens_with_yes_or_no("Yesterday."), opens_with_yes_or_no("是的。")
    (True, False, True)
    """
    opening = text.lstrip(" \n*_\"'“").casefold()
    first = opening.split(maxsplit=1)[0].strip(".,;:!*_") if opening else ""
    return first in _YES_OR_NO or opening.startswith(("是", "不是", "はい", "いいえ"))


_YES_OR_NO = frozenset("yes no ja nein oui non sí si no sim não nee da нет да ναι όχι".split())


# User alignment, estimated: language, detail and form as this person asked for them.


# The most words of an answer by detail, 1 to 10. The writer is told of sentences and paragraphs at each detail;
# these allow 30 words a sentence and 120 a paragraph, which is long for either. A chapter has no limit.
MOST_WORDS = (30, 30, 90, 120, 150, 240, 360, 600, 1500, None)
# An unspaced script has about this many characters a word.
_CHARACTERS = 2
_UNSPACED_SIGN = re.compile(rf"[{UNSPACED}]")
_ITEM = re.compile(r"^[^\S\n]*+(?:[-*•+]|\d{1,3}[.)])\s+\S", re.MULTILINE)
# A single step or thing needs no list.
_FEWEST_ITEMS = 2


@dataclass(frozen=True, slots=True)
class _Share:
    value: float
    reason: str
    suggestion: str = ""


def user_alignment(answer: ParsedAnswer) -> Measurement:
    """The mean of what applies: language (0 or 1), length (1, or most words / words), form (0 or 1).

    The form applies to steps, lists and yes or no; two or more sentences of steps want a list. Rules
    cannot measure expertise. Too short an answer is a matter of completeness, since the evidence may have no more.
    """
    if not answer.spans:
        return Measurement(None, ("unknown: the answer has no sentences",))
    parts = [part for part in (_language(answer), _length(answer), _form(answer)) if part is not None]
    flawed = [part for part in parts if part.value < 1]
    return Measurement(
        fmean(part.value for part in parts),
        tuple(part.reason for part in parts),
        (answer.quote(answer.spans[0].start, answer.spans[0].end),) if flawed else (),
        tuple(part.suggestion for part in flawed),
    )


def _language(answer: ParsedAnswer) -> _Share | None:
    """Score whether the answer is in the question's language; None if its words do not show one."""
    wanted, found = answer.question.language, language_of(answer.text)
    if "und" in (wanted, found):
        return None
    if wanted == found:
        return _Share(1.0, f"it is in the question's language ({wanted})")
    return _Share(0.0, f"it is in {found}, but the question is in {wanted}", f"answer in {wanted}")


def _length(answer: ParsedAnswer) -> _Share:
    detail = min(max(answer.question.detail, 1), len(MOST_WORDS))
    most, count = MOST_WORDS[detail - 1], counted(answer.text)
    if most is None or count <= most:
        return _Share(1.0, f"its {count} words suit detail {detail}")
    return _Share(most / count, f"its {count} words are more than the {most} for detail {detail}", "shorten it")


def counted(text: str) -> int:
    """The number of words; two characters of a script without spaces count as one.

    >>> counted("It rained."), counted("水素爆弾")
    (2, 2)
    """
    unspaced = len(_UNSPACED_SIGN.findall(text))
    return len(words(_UNSPACED_SIGN.sub(" ", text))) + unspaced // _CHARACTERS


def _form(answer: ParsedAnswer) -> _Share | None:
    """Score the form of steps, lists and yes or no; None if no form is asked for."""
    question = answer.question
    if question.kind is QuestionKind.YES_NO:
        if opens_with_yes_or_no(answer.text):
            return _Share(1.0, "it begins with yes or no")
        return _Share(0.0, "it does not begin with yes or no", "begin with yes or no, then say what shows it")
    listed = question.answer_type in (AnswerType.LIST, AnswerType.PROCEDURE)
    if not (listed or question.kind is QuestionKind.HOW_TO) or len(answer.spans) < _FEWEST_ITEMS:
        return None
    if len(_ITEM.findall(answer.text)) >= _FEWEST_ITEMS:
        return _Share(1.0, "it is a list, as requested")
    return _Share(0.0, "it is prose, but steps or a list were requested", "write one step or item per line")


# Citation quality, estimated: whether each claim cites, and whether its sources support it.


# Chosen: the most that an answer with an invalid mark scores, below every sensible floor.
WITH_AN_INVALID_MARK = 0.4


def citation_quality(answer: ParsedAnswer) -> Measurement:
    """The harmonic mean of recall and precision of citations, as ALCE has them (Gao et al. 2023, section 4.2).

    Recall is the share of claims that cite; precision the share of cited claims with a known verdict that their
    sources support. At most 0.4 if a mark names no source. Without claims, if no cited claim has a known verdict,
    or if nothing is cited and no check asked for it, it is unknown: no marks are not valid marks.
    """
    claims = answer.claims
    if not claims:
        return Measurement(None, ("unknown: the answer states nothing that needs a citation",))
    cited = [claim for claim in claims if claim.citations]
    asked = any(check.name == "sources" for check in answer.review.checks)
    if not cited and not asked and not answer.review.invalid_citations:
        return Measurement(None, ("unknown: it cites no source, and was not asked to",))
    known = [claim for claim in cited if claim.verdict is not Verdict.UNKNOWN]
    if cited and not known and not answer.review.invalid_citations:
        return Measurement(None, ("unknown: no cited claim could be compared with its source",))
    unsupported = [claim for claim in known if claim.verdict is not Verdict.SUPPORTED]
    recall = len(cited) / len(claims)
    precision = 1 - len(unsupported) / len(known) if known else 0.0
    score = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    invalid = answer.review.invalid_citations
    if invalid:
        score = min(score, WITH_AN_INVALID_MARK)
    return _citation_advice(answer, score, [claim for claim in claims if not claim.citations], unsupported)


def _citation_advice(
    answer: ParsedAnswer, score: float, uncited: list[Claim], unsupported: list[Claim]
) -> Measurement:
    """The score with its reasons."""
    claims, invalid = answer.claims, answer.review.invalid_citations
    reasons = [f"{len(claims) - len(uncited)} of {len(claims)} claims cite a source"]
    suggestions = []
    if uncited:
        suggestions.append("after each statement, cite the passage that says it")
    if unsupported:
        reasons.append(f"{len(unsupported)} cited claims are not supported by what they cite")
        suggestions.append("cite the passage that makes the statement")
    if invalid:
        reasons.append(f"{', '.join(invalid[:_EXAMPLES])} refer to no source")
        suggestions.append("drop marks that refer to no source")
    quotes = [answer.quote_claim(claim) for claim in (*uncited, *unsupported)[:_EXAMPLES]]
    return Measurement(
        score, tuple(reasons), tuple(dict.fromkeys((*quotes, *invalid[:_EXAMPLES]))), tuple(suggestions)
    )


# Coherence, estimated: sentences that repeat or contradict another, or an opening or an end that is incomplete.


# Chosen: the Jaccard similarity of the terms of two sentences that say the same, with at least this many terms.
_SAME = 0.9
_FEWEST_TERMS = 3
# Chosen: their similarity without numbers and negations if they are about the same matter.
_SAME_MATTER = 0.8
_FEWEST_MATTER = 2
_LONGEST_WORD = 20
# Each sentence is compared with this many before it: an answer of any length takes linear time.
_BEFORE = 40
_REMOVE = "remove the sentence that repeats another"
_KEEP_ONE = "of two contradictory sentences, keep the one that the evidence supports"
# No English sentence ends with one of these.
_GOES_ON = frozenset("the a an and or of to with by for from as at its their is are was were be than that".split())
_ENDING = re.compile(r"[.!?。！？…:：)\]\"”’»*`|]\s*\Z")
_MARKED_LINE = re.compile(r"\s*(?:#{1,6}\s|\||[-*•+]\s|\d{1,3}[.)]\s|```)")


@dataclass(frozen=True, slots=True)
class _Sentence:
    at: int
    text: str
    terms: frozenset[str]
    matter: frozenset[str]
    numbers: frozenset[tuple[float, float, str]]
    negated: bool


@dataclass(frozen=True, slots=True)
class _Flaw:
    at: int
    reason: str
    suggestion: str
    contradicts: bool = False


def coherence(answer: ParsedAnswer) -> Measurement:
    """1 - flawed sentences / sentences; at most 0.4 if two sentences contradict one another.

    A sentence is flawed that repeats one of the 40 before it (Jaccard of terms at least 0.9), contradicts one (the
    same matter, at least 0.8, with another number or a negation more), opens the answer with a connective, or is
    truncated. For other languages than English only repetition and numbers are measured.
    """
    found = [_parse_sentence(at, text) for at, text in enumerate(answer.sentences)]
    if not found:
        return Measurement(None, ("unknown: the answer has no sentences",))
    flaws = list(chain.from_iterable(look(found) for look in _FLAW_CHECKS))
    score = 1 - len({flaw.at for flaw in flaws}) / len(found)
    if any(flaw.contradicts for flaw in flaws):
        score = min(score, WITH_A_CONTRADICTION)
    if not flaws:
        return Measurement(score, (f"none of {len(found)} sentences repeats or contradicts another",))
    shown = flaws[:_EXAMPLES]
    return Measurement(
        score,
        tuple(f"sentence {flaw.at + 1} {flaw.reason}" for flaw in shown),
        tuple(
            dict.fromkeys(answer.quote(answer.spans[flaw.at].start, answer.spans[flaw.at].end) for flaw in shown)
        ),
        tuple(dict.fromkeys(flaw.suggestion for flaw in shown)),
    )


def _parse_sentence(at: int, text: str) -> _Sentence:
    """Parse a sentence: its terms, its matter without numbers and negations, and these."""
    denied = negations(text)
    values = [quantity for quantity in quantities(text) if _is_value(text, quantity.start)]
    places = [Span(negation.start, negation.end) for negation in denied] + [
        Span(value.start, value.end) for value in values
    ]
    matter = _without(text, places)
    numbers = frozenset((value.low, value.high, value.dimension) for value in values)
    return _Sentence(at, text, frozenset(terms(text)), frozenset(terms(matter)), numbers, bool(denied))


def _without(text: str, places: list[Span]) -> str:
    """The text without these stretches."""
    kept, at = [], 0
    for place in sorted(places, key=lambda place: place.start):
        kept.append(text[at : place.start])
        at = max(at, place.end)
    return " ".join([*kept, text[at:]])


def _is_value(text: str, start: int) -> bool:
    """True if a number says how much or when: behind a small word ("in 1932"), unlike in a name ("step 2")."""
    before = words(text[max(0, start - _LONGEST_WORD) : start])
    return bool(before) and before[-1] in STOP_WORDS


def _similarity(one: frozenset[str], other: frozenset[str], fewest: int) -> float:
    """The Jaccard similarity, 0 to 1; 0 if either has fewer than `fewest` terms."""
    if min(len(one), len(other)) < fewest:
        return 0.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def _repetitions(found: list[_Sentence]) -> Iterator[_Flaw]:
    """The sentences that repeat or contradict one of those shortly before."""
    for sentence in found:
        for before in found[max(0, sentence.at - _BEFORE) : sentence.at]:
            if _contradicts(before, sentence):
                yield _Flaw(sentence.at, f"contradicts sentence {before.at + 1}", _KEEP_ONE, contradicts=True)
            elif _similarity(before.terms, sentence.terms, _FEWEST_TERMS) >= _SAME:
                yield _Flaw(sentence.at, f"repeats sentence {before.at + 1}", _REMOVE)


def _contradicts(before: _Sentence, sentence: _Sentence) -> bool:
    """True if two sentences on one matter differ in a number alone, or in a negation alone."""
    if _similarity(before.matter, sentence.matter, _FEWEST_MATTER) < _SAME_MATTER:
        return False
    if before.negated != sentence.negated:
        return before.numbers == sentence.numbers
    # The same said of another time ("in 1990 …, in 2000 …") has a second number.
    return len(before.numbers) == len(sentence.numbers) == 1 and before.numbers != sentence.numbers


def _dangling_connective(found: list[_Sentence]) -> Iterator[_Flaw]:
    first = next(iter(words(found[0].text)), "")
    if first in CONNECTIVES:
        yield _Flaw(0, f"opens with “{first}”, with nothing before it", "open without the connective")


def _truncation(found: list[_Sentence]) -> Iterator[_Flaw]:
    last = found[-1]
    if _MARKED_LINE.match(last.text) or _ENDING.search(last.text):
        return
    ends_open = last.text.endswith((",", ";", "，", "、", "(", "“", "-", "–"))
    goes_on = next(reversed(words(last.text)), "") in _GOES_ON
    others_end = len(found) > 1 and all(_ENDING.search(sentence.text) for sentence in found[:-1])
    if ends_open or goes_on or others_end:
        yield _Flaw(last.at, "breaks off", "finish the last sentence, or remove it")


_FLAW_CHECKS = (_repetitions, _dangling_connective, _truncation)


# Relevance, estimated: the share of the answer's claims that are about the question.


# Chosen: the most that an answer without the type of thing asked for scores.
WITHOUT_THE_TYPE = 0.5
# Chosen: the weight of a claim that shares no term with the question, but two with a claim that does.
LINKED = 0.5
_SHARED = 2
# Types whose candidates are recognised by words that a good answer need not use.
_LOOSE_TYPES = frozenset(
    {AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.DEFINITION, AnswerType.LIST, AnswerType.NAME}
)


def relevance(answer: ParsedAnswer) -> Measurement:
    """The mean over claims: 1 on the question, 0.5 linked to one that is, 0 beside it.

    A claim is on the question if it, or its source if it is supported, shares a term with the question, or if it
    has the type of thing asked for. An answer without that type scores at most 0.5; of the types only persons,
    places, dates and numbers can be missed.
    """
    claims, question = answer.claims, answer.question
    if not claims:
        return Measurement(None, ("unknown: the answer states nothing",))
    asked = frozenset(terms(question.standalone))
    if not asked:
        return Measurement(None, ("unknown: the question has no words to compare an answer with",))
    claim_terms = [
        frozenset(terms(grounds(answer, claim) if claim.verdict is Verdict.SUPPORTED else claim.text))
        for claim in claims
    ]
    typed = [bool(new_candidates(claim.text, question.answer_type, question.standalone)) for claim in claims]
    on = [bool(own & asked) or has_type for own, has_type in zip(claim_terms, typed, strict=True)]
    subject = frozenset().union(*(own for own, is_on in zip(claim_terms, on, strict=True) if is_on))
    values = [
        1.0 if is_on else LINKED * (len(own & subject) >= _SHARED)
        for own, is_on in zip(claim_terms, on, strict=True)
    ]
    score = sum(values) / len(values)
    beside = [claim for claim, value in zip(claims, values, strict=True) if value < 1]
    reasons = [f"{len(claims) - len(beside)} of {len(claims)} claims are about what the question is about"]
    suggestions = ["remove what is not about the question"] if beside else []
    if _is_missed(answer, any(typed)):
        score = min(score, WITHOUT_THE_TYPE)
        reasons.append(f"no claim gives a {question.answer_type.value}, which the question asks for")
        suggestions.append(f"give the {question.answer_type.value} in the first sentence")
    return Measurement(
        score, tuple(reasons), tuple(answer.quote_claim(claim) for claim in beside[:_EXAMPLES]), tuple(suggestions)
    )


def _is_missed(answer: ParsedAnswer, is_there: bool) -> bool:
    """True if the answer visibly lacks the type of thing asked for."""
    wanted = answer.question.answer_type
    return wanted not in _LOOSE_TYPES and tells(wanted, answer.text) and not is_there
