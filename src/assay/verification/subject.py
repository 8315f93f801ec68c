"""Whether an answer speaks of what the question names, or of a namesake."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.core.stages import Reader
from assay.nlp.blocks import titled, without_markup
from assay.nlp.citations import citations, without_marks
from assay.nlp.language import language_of
from assay.nlp.names import CAPITAL_NOUNS, mentions, names, plain_word
from assay.nlp.rivals import Rival, rivals
from assay.nlp.tokens import STOP_WORDS, rarity, stem, terms, words
from assay.nlp.wordnet import lexicon
from assay.types import (
    AnswerReading,
    Check,
    Claim,
    Evidence,
    Passage,
    Question,
    Sentence,
    Severity,
    Span,
    Status,
    TitledText,
)

# A name of one word has no namesake that shares a part of it.
_WORDS = 2


def subject(question: Question, text: str, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of an answer that names a namesake of what is asked about, and never that itself; none otherwise.

    A namesake shares the last word of a name of the question and has another one before it: the Tay Bridge, where
    the Harbour Bridge was asked for. A title in the place of a name looks the same ("President Obama"), so the
    check is unknown rather than failed.

    >>> asked = Question("When was the Harbour Bridge opened?", "When was the Harbour Bridge opened?")
    >>> [check.cause for check in subject(asked, "The Tay Bridge was opened in 1887.", ())]
    ["the question is about 'harbour bridge', and the answer names 'tay bridge'"]
    >>> subject(asked, "The Harbour Bridge was opened in 1932, the Tay Bridge in 1887.", ())
    ()
    """
    said = set(words(" ".join((text, *(span.quote for claim in claims for span in claim.spans)))))
    named = [name.words for name in names(text) if len(name.words) >= _WORDS]
    for asked in (name.words for name in names(question.standalone) if len(name.words) >= _WORDS):
        if said.intersection(asked[:-1]):
            continue
        rival = next((one for one in named if one[-1] == asked[-1] and one != asked), None)
        if rival is not None:
            cause = f"the question is about {' '.join(asked)!r}, and the answer names {' '.join(rival)!r}"
            return (Check("subject", Status.UNKNOWN, Severity.BLOCK, None, cause),)
    return ()


def off_subject(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that is of something else than the question names; none for all others.

    The question names something that some passage knows, written with a capital wherever the evidence has it. The
    claim is of something else where neither its own words nor the documents that it cites, as far as they are
    evidence, have any name of the question, a part, an abbreviation or the long form of one. What a passage on the
    name leads to is followed, two steps far: the claim may name, or cite a document titled with, someone named
    beside it. Names may be missed, so the check is unknown rather than failed.
    """
    named = _asked(question.standalone)
    asked = tuple(word for word in named if _is_name(word, evidence.passages))
    if not asked or language_of(question.standalone) in CAPITAL_NOUNS:
        return ()
    name = repr(" ".join(asked))
    cause = f"the question is about {name}, which neither this sentence nor what it cites names"
    return tuple(
        _unsure(claim, cause) for claim in claims if claim.citations and not _is_on(named, claim, evidence.passages)
    )


def off_rivals(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that rests on what its source tells of a rival of what the question names.

    The claim does so where most of what it quotes is of rivals and nothing of it names the asked one
    (`assay.nlp.rivals`). It may be an honest comparison, so the check is unknown rather than failed.
    """
    found = rivals(question, evidence.passages)
    starts = {passage.passage_id: passage.start for passage in evidence.passages}
    pairs = ((claim, _rival_of(claim, found, starts)) for claim in claims if found)
    return tuple(
        _unsure(
            claim,
            f"the question is about {' '.join(rival.asked)!r}, the source says this of {' '.join(rival.rival)!r}",
        )
        for claim, rival in pairs
        if rival is not None
    )


def _unsure(claim: Claim, cause: str) -> Check:
    return Check("subject", Status.UNKNOWN, Severity.BLOCK, claim.n, cause, Span(claim.start, claim.end))


def _rival_of(claim: Claim, found: Mapping[str, Sequence[Rival]], starts: Mapping[str, int]) -> Rival | None:
    """The rival that most of what a claim quotes is of; None where that is not so."""
    held: Counter[Rival] = Counter()
    for span in claim.spans:
        for rival in found.get(span.passage_id, ()):
            first, last = (starts[span.passage_id] + one for one in (rival.span.start, rival.span.end))
            held[rival] += max(0, min(span.end, last) - max(span.start, first))
    if 2 * held.total() <= sum(span.end - span.start for span in claim.spans):
        return None
    ((most, _),) = held.most_common(1)
    return None if any(mentions(span.quote, most.key) for span in claim.spans) else most


def _asked(question: str) -> tuple[str, ...]:
    """The words of the question's names; a first word that the dictionary has is none."""
    found = (
        word
        for name in names(question)
        for word in map(plain_word, name.words)
        if not (name.opens and _is_common(word)) and word not in STOP_WORDS and len(word) > 1
    )
    return tuple(dict.fromkeys(found))


def _is_name(word: str, passages: Sequence[Passage]) -> bool:
    """Whether the passages have a folded word, each time with a capital."""
    written = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    held = [match.group() for passage in passages for match in written.finditer(_whole(passage))]
    return bool(held) and all(word[0].isupper() for word in held)


def _is_on(asked: Sequence[str], claim: Claim, passages: Sequence[Passage]) -> bool:
    """Whether a claim is on what was asked about, or on what a passage on it leads to."""
    cited = [passage for passage in passages if passage.passage_id in claim.citations]
    documents = {one.document_id for one in cited}
    whole = [passage for passage in passages if passage.document_id in documents]
    if any(mentions(text, asked) for text in (claim.text, *map(_whole, whole))):
        return True
    leads = set(_names_of(claim.text)).union(*(_names_of(one.title, title=True) for one in cited))
    return any(leads & set(_names_of(_whole(passage))) for passage in _led_to(asked, passages))


def _led_to(asked: Sequence[str], passages: Sequence[Passage]) -> list[Passage]:
    """The passages with a word that was asked, and those titled with a name that one of these has."""
    found = [passage for passage in passages if mentions(_whole(passage), asked)]
    known = {word for one in found for word in _names_of(_whole(one))}
    return found + [
        passage
        for passage in passages
        if passage not in found and known & set(_names_of(passage.title, title=True))
    ]


def _names_of(text: str, *, title: bool = False) -> Iterator[str]:
    """The words of the names of a text; a first word that the dictionary has is none, unless in a title."""
    for name in names(text):
        if title or not (name.opens and _is_common(name.words[0])):
            yield from (plain_word(word) for word in name.words if word not in STOP_WORDS)


def _is_common(word: str) -> bool:
    """Whether the dictionary has a word, so that a capital at the start of a sentence tells nothing."""
    return word in STOP_WORDS or lexicon().get(stem(plain_word(word))) is not None


def _whole(passage: Passage) -> str:
    return f"{passage.title}\n{passage.location.section or ''}\n{passage.text}"


# Whether a finished answer answers its question, by the reader.


@dataclass(frozen=True, slots=True)
class ReaderRelevance:
    """Reads the answer's own text beside the question, as it reads a passage."""

    reader: Reader

    async def read(
        self, question: Question, sentences: Sequence[Sentence], text: str, sources: Sequence[Passage]
    ) -> AnswerReading | None:
        """The reading of the answer; None in a language that the reader does not read."""
        if question.language not in self.reader.model.languages:
            return None
        said = without_markup(without_marks(text, citations(text)))
        titles = dict.fromkeys(titled(one).title for one in sources)
        (reading,) = await self.reader.read(question.standalone, [TitledText("; ".join(titles), said)])
        held, rarest = held_of(question.standalone, " ".join((*titles, said)))
        apart = min((sentence.apart for sentence in sentences if sentence.apart is not None), default=None)
        return AnswerReading(reading.answerable, held, rarest, apart)


def held_of(question: str, text: str) -> tuple[float, float]:
    """The share of the question's words, by rarity, that a text holds, and that of its two rarest; 1 without words.

    >>> held_of("When did the bridge open?", "The bridge opened in 1932.")
    (1.0, 1.0)
    """
    weights = {term: rarity(term) for term in terms(question)}
    there = set(terms(text))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:2]
    if not weights:
        return 1.0, 1.0
    total = math.fsum(weights.values())
    held = math.fsum(weight for term, weight in weights.items() if term in there) / total
    return held, sum(term in there for term in rarest) / len(rarest)
