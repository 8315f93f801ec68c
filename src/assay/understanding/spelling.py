"""Spelling: misspelt words are replaced by the words that are meant, for the search."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import re2

from assay.core.stages import Index, Speller, Understander
from assay.nlp.controls import encodable
from assay.nlp.names import names
from assay.nlp.spelling import (
    by_length,
    edits,
    english_near,
    is_english,
    is_in_dictionary,
    likeliest_word,
    most_edits,
    near_terms,
)
from assay.nlp.tokens import STOP_WORDS, UNSPACED, fold, stem, terms, written_words
from assay.types import Correction, Message, Question, QuestionKind, Span

# A plain word: quotations, code, paths and flags are taken literally.
_WORD = re.compile(rf"(?<![\w./\\@#$:=-])[^\W\d_{UNSPACED}]+(?![\w/\\@#$=(]|[.:-]\w|['’]\w)")
_AS_IT_IS = re2.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“]*“|«[^»]*»")
# The number of passages read for the words behind a term (chosen).
_READ = 5
# The most words corrected in a question (chosen).
_MOST = 4
_MOST_REMEMBERED = 1 << 10


@dataclass(frozen=True, slots=True)
class SpellingUnderstander:
    """Understand the question in the collection's spelling; `text` stays the user's."""

    inner: Understander
    speller: Speller

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question of `inner`, with its standalone form corrected and a note for each correction."""
        question = await self.inner.understand(text, history)
        corrections = await self.speller.corrections(question.standalone)
        if not corrections:
            return question
        anew = await self.inner.understand(apply_corrections(question.standalone, corrections), ())
        return replace(
            anew,
            text=question.text,
            history=question.history,
            kind=question.kind if question.kind is QuestionKind.FOLLOW_UP else anew.kind,
            topic=question.topic,
            expertise=question.expertise,
            detail=question.detail,
            unclear=question.unclear,
            notes=(*question.notes, *map(note_of, corrections)),
            corrections=corrections,
        )


def apply_corrections(text: str, corrections: Sequence[Correction]) -> str:
    """The text with the corrections applied.

    >>> apply_corrections("Is reimbursment slow?", (Correction("reimbursment", "reimbursement"),))
    'Is reimbursement slow?'
    """
    instead = {correction.written: correction.searched for correction in corrections}
    return _WORD.sub(lambda word: instead.get(word.group(), word.group()), text)


def note_of(correction: Correction) -> str:
    """The note on a correction and how to undo it."""
    return (
        f"“{correction.written}” is in no document; searched for “{correction.searched}” instead "
        "(--no-spelling turns this off)"
    )


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The terms of one version of a collection."""

    version: int
    counts: Mapping[str, int]
    lengths: Mapping[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class CollectionSpeller:
    """Correct words by English and by the documents of an index.

    A word that the collection has, or that is one of English, is never corrected: it is not misspelt, only absent.
    The vocabulary is read when a word is unknown, and kept until the collection changes.
    """

    index: Index
    _known: list[_Vocabulary] = field(default_factory=list, repr=False, compare=False)
    _found: dict[tuple[int, str, int], str | None] = field(default_factory=dict, repr=False, compare=False)

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """The misspelt words of the text, at most four, each with the word that is meant."""
        asked = {word: most for word, most in suspect_words(text).items() if not is_english(fold(word))}
        known = await self.index.term_counts([stem(fold(word)) for word in asked]) if asked else {}
        unknown = [word for word in asked if stem(fold(word)) not in known and not is_in_dictionary(fold(word))]
        if not unknown:
            return ()
        vocabulary = await self._vocabulary()
        found = [(word, await self._meant(fold(word), asked[word], vocabulary)) for word in unknown[:_MOST]]
        return tuple(
            Correction(word, meant.title() if word.istitle() else meant)
            for word, meant in found
            if meant is not None
        )

    async def _vocabulary(self) -> _Vocabulary:
        version = await self.index.version()
        if not self._known or self._known[-1].version != version:
            counts = await self.index.term_counts()
            self._known[:] = [_Vocabulary(version, counts, by_length(counts))]
        return self._known[-1]

    async def _meant(self, word: str, most: int, vocabulary: _Vocabulary) -> str | None:
        """The word that is meant, at most so many edits away; None if none clearly is."""
        key = (vocabulary.version, word, most)
        if key not in self._found:
            if len(self._found) >= _MOST_REMEMBERED:
                self._found.clear()
            english = english_near(word, most)
            unlisted = set(near_terms(word, vocabulary.lengths, vocabulary.counts)) - set(map(stem, english))
            held = [
                form for term in sorted(unlisted) for form in await self._forms(term) if edits(word, form) <= most
            ]
            self._found[key] = likeliest_word(word, english + held, vocabulary.counts)
        return self._found[key]

    async def _forms(self, term: str) -> tuple[str, ...]:
        """The folded words behind a term, from a few passages."""
        passages = await self.index.passages(await self.index.holding(term, _READ))
        written = (fold(word) for passage in passages for word in written_words(f"{passage.title} {passage.text}"))
        return tuple(dict.fromkeys(word for word in written if word.isalpha() and stem(word) == term))


def suspect_words(text: str) -> dict[str, int]:
    """The words of a text that may be misspelt, with the most edits to undo in each.

    No number, no identifier, no short or stop word, nothing in quotation marks or code.

    >>> suspect_words("Does NASA's load_file take the `reimbursment` polcy of Iran?")
    {'take': 1, 'polcy': 1}
    """
    kept = [match.span() for match in _AS_IT_IS.finditer(encodable(text))]
    named = [Span(name.start, name.end) for name in names(text) if not name.opens]
    found: dict[str, int] = {}
    for match in _WORD.finditer(text):
        word, at = match.group(), match.start()
        folded = fold(word)
        if folded in STOP_WORDS or not terms(word) or not (word.islower() or word.istitle()):
            continue
        if any(start <= at < end for start, end in kept):
            continue
        most = most_edits(folded, is_name=any(span.start <= at < span.end for span in named))
        if most:
            found.setdefault(word, most)
    return found
