"""Questions about things of a collection of which it does not state what is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.stages import Embedder
from assay.evals.make.fact import Fact, Kind
from assay.evals.make.filter import ABSENT, LOOKED_THROUGH, QuestionFilter
from assay.evals.make.statements import is_prose, prose_sentences
from assay.evals.make.wording import Wording, is_specific
from assay.nlp.blocks import without_markup
from assay.nlp.lexicon import groups
from assay.nlp.tokens import STOP_WORDS, is_common, stem, terms, words, written_words
from assay.nlp.wordnet import kinship, lexicon
from assay.types import Document, Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What can be asked of another thing than the one that it is stated of.
_ASKABLE = frozenset((Kind.DATE, Kind.PLACE, Kind.MAKER, Kind.NUMBER, Kind.ATTRIBUTE, Kind.CELL, Kind.HOW_TO))
# Things that others are asked of: what a definition or a code names is well known to the collection.
_NAMED = _ASKABLE | {Kind.DEFINITION, Kind.FUNCTION}
_SINGULAR = frozenset(("is", "was", "does", "did", "has", "can", "must", "should", "will", "may"))
_PLURAL = frozenset(("are", "were", "do", "did", "have", "can", "must", "should", "will", "may"))
_ACRONYM = re.compile(r"(?<![\w./$<-])[A-Z]{3,6}(?![\w/=(>-])")
_TIED = re.compile(r"[A-Z\d]")
# What can be asked of any term, name or code, and is seldom told of one; then the words that would tell it.
_Asked = tuple[tuple[Kind, Wording, str], ...]
_OF_A_TERM: _Asked = (
    (Kind.MAKER, Wording("Who", "coined", "the term", "“{}”"), "coin"),
    (Kind.DATE, Wording("When", "was", "the term", "“{}”", "first used"), "first use"),
)
_OF_A_NAME: _Asked = (
    (Kind.PLACE, Wording("Where", "does", "the name", "“{}”", "come from"), "named after"),
    (Kind.DATE, Wording("When", "was", "the name", "“{}”", "first used"), "first use"),
    (Kind.MAKER, Wording("Who", "chose", "the name", "“{}”"), "chose choose"),
)
_OF_A_CODE: _Asked = (
    (Kind.DATE, Wording("When", "was", "", "{}", "introduced"), "introduced"),
    (Kind.MAKER, Wording("Who", "wrote", "", "{}"), "wrote written author"),
)
# Words that say the same of a thing, by stem.
_SAME = tuple(frozenset(term for word in group for term in terms(word)) for group in groups("synonyms"))
# Chosen: so many attributes are tried for a thing, those of the nearest things first, none of one farther off than
# this cosine; what is asked behind the thing has so many words at most, and a column so many cells at least.
_TRIED, _NEAR, _MOST_BEHIND, _LEAST_CELLS = 4, 0.5, 3, 3


@dataclass(frozen=True, slots=True)
class Swap:
    """A question about the thing of one fact by what another fact tells of its own, or by what nobody tells.

    A passage with the thing and one of the `telling` terms may answer it.
    """

    wording: Wording
    kind: Kind
    telling: frozenset[str]


class Swaps:
    """Questions about things of a collection that is told of others only. Made by `open_swaps`."""

    def __init__(self, asked: Sequence[Fact], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self._asked = asked
        self._vectors = vectors

    def of(self, fact: Fact) -> Iterator[Swap]:
        """Questions about a fact's thing: what is told of the things nearest to it, then what any can be asked."""
        yield from self._nearest(fact)
        yield from _of_any(fact)

    def _nearest(self, fact: Fact) -> Iterator[Swap]:
        thing = fact.wording.thing
        if fact.kind not in _NAMED or not is_specific(thing) or thing not in self._vectors:
            return
        near = [
            float(np.round(self._vectors[thing] @ self._vectors[other.wording.thing], 4)) for other in self._asked
        ]
        seen = {fact.wording.attribute}
        own = frozenset(terms(thing))
        for at in sorted(range(len(near)), key=lambda at: -near[at]):
            other = self._asked[at]
            if near[at] < _NEAR or len(seen) > _TRIED:
                return
            apart = (
                own
                and not own & frozenset(terms(other.wording.attribute))
                and own != frozenset(terms(other.wording.thing))
            )
            if apart and other.wording.attribute not in seen and _fits(other, fact):
                seen.add(other.wording.attribute)
                yield Swap(
                    replace(other.wording, thing=thing), other.kind, frozenset(terms(other.wording.attribute))
                )


def _of_any(fact: Fact) -> Iterator[Swap]:
    """Questions for whatever a definition or a function names."""
    thing = fact.wording.thing.strip("“”")
    bare = re.sub(r"\A(?:an?|the|The)\s", "", thing)
    if fact.kind not in (Kind.FUNCTION, Kind.DEFINITION):
        return
    named = _OF_A_NAME if bare[:1].isupper() else _OF_A_TERM
    asked = _OF_A_CODE if fact.kind is Kind.FUNCTION else named
    turn = len(bare) % len(asked)  # not always the same one first
    for kind, wording, telling in (*asked[turn:], *asked[:turn]):
        shown = wording.thing.format(thing if fact.kind is Kind.FUNCTION else bare)
        yield Swap(replace(wording, thing=shown), kind, frozenset(terms(telling)))


async def open_swaps(facts: Sequence[Fact], embedder: Embedder) -> Swaps:
    """The swaps between these facts; things are compared by their vectors."""
    columns = Counter(fact.wording.attribute for fact in facts if fact.kind is Kind.CELL)
    asked = [
        fact
        for fact in facts
        if fact.kind in _ASKABLE
        and not fact.wording.context
        and not _TIED.search(fact.wording.lead + fact.wording.rest)
        and len(fact.wording.rest.split()) <= _MOST_BEHIND
        and (fact.kind is not Kind.CELL or columns[fact.wording.attribute] >= _LEAST_CELLS)
    ]
    things = list(dict.fromkeys(fact.wording.thing for fact in facts if fact.kind in _NAMED))
    return Swaps(asked, dict(zip(things, await embedder.embed(things), strict=True)) if things else {})


def _fits(asked: Fact, thing: Fact) -> bool:
    """True if a question goes with a thing: both in the plural or neither, columns with rows, deeds with deeds."""
    for kind in (Kind.CELL, Kind.HOW_TO):
        if (asked.kind is kind) != (thing.kind is kind):
            return False
    if asked.kind in (Kind.CELL, Kind.HOW_TO):
        return True
    verb = asked.wording.verb
    return verb in (_SINGULAR if thing.wording.verb in _SINGULAR else _PLURAL)


def unexplained(documents: Iterable[Document], explained: Iterable[str]) -> list[str]:
    """The acronyms in a collection's sentences that it nowhere explains, sorted; words written large are none."""
    known = set(explained)
    found: set[str] = set()
    spelled: set[str] = set()
    written: set[str] = set()
    for document in documents:
        prose = without_markup(document.text, document.format)
        for span in prose_sentences(document, prose):
            sentence = prose[span.start : span.end]
            if is_prose(sentence):
                found.update(match.group() for match in _ACRONYM.finditer(sentence))
        written.update(word.lower() for word in set(written_words(document.text)) if not word.isupper())
        spelled |= _initials(document.text)
    several = {f"{word}S" for word in found}
    return sorted(
        word
        for word in found - known - several
        if word.lower() not in spelled | written and not _is_word(word.lower())
    )


def _is_word(word: str) -> bool:
    return word in STOP_WORDS or is_common(stem(word)) or stem(word) in lexicon()


def _initials(text: str) -> set[str]:
    """The initials of each run of three to six words of a text."""
    held = [word[0] for word in words(text)]
    return {"".join(held[at : at + size]) for size in range(3, 7) for at in range(len(held) - size + 1)}


async def is_unanswered(swap: Swap, reads: QuestionFilter) -> bool:
    """True if the reader finds no answer, and no passage has the thing beside what is asked of it."""
    question = swap.wording.question
    found = await reads.passages(question, LOOKED_THROUGH)
    held = frozenset(terms(swap.wording.thing))
    thing = frozenset(filter(str.isalpha, held)) or held  # "7-pipes" may stand without its number
    if any(_tells(passage, thing, swap.telling) for passage in found):
        return False
    return await reads.likeliest(question) < ABSENT


def _tells(passage: Passage, thing: frozenset[str], attribute: frozenset[str]) -> bool:
    held = frozenset(terms(f"{passage.title}\n{passage.location.section or ''}\n{passage.searched}"))
    return thing <= held and any(_same(term, held) for term in attribute)


def _same(term: str, held: frozenset[str]) -> bool:
    if term in held or any(term in group and group & held for group in _SAME):
        return True
    return any(kinship(term, other) == "same" for other in held)
