"""English main clauses whose parts a question can be made of: subject, verb, and what follows. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.nlp.blocks import BlockKind, blocks, without_markup
from assay.nlp.cues import CONNECTIVES
from assay.nlp.lexicon import word_class
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, fold, is_common, stem, written_words
from assay.nlp.wordnet import part_of_speech
from assay.types import Document, Span

_BE = word_class("verbs.be")
_AUXILIARY = word_class("verbs.auxiliary") | _BE
_ARTICLES = word_class("function_words.articles")
_PRONOUNS = (
    word_class("pronouns.personal")
    | word_class("pronouns.demonstrative")
    | word_class("pronouns.relative")
    | word_class("questions.words")
    | word_class("statements.speakers")
)
# Verbs in the past, with their base form.
_PAST = dict(pair.split("/") for pair in word_class("statements.past"))
# Words that begin a clause of their own, or join one.
_JOINING = word_class("statements.joining")
_PREPOSITIONS = word_class("statements.prepositions")
_OPENERS = word_class("anaphora.sentence_openers") | CONNECTIVES | _PREPOSITIONS | _JOINING
# "Figure 3" in a subject is often the caption of what the layout put beside the sentence.
_LABELS = word_class("numbers.labels")
_NEGATIONS = word_class("negation.cues")
_HEDGES = word_class("modality.hedges") | word_class("modality.open_anywhere")

# More often a noun, and a verb where no article stands before it.
_NOUNS_TOO = frozenset({"costs"})
# Chosen: longer subjects are seldom one noun phrase, and longer sentences seldom one plain statement.
_LONGEST_SUBJECT, _LONGEST_SENTENCE, _SHORTEST_SENTENCE = 8, 40, 4
_WORD = re.compile(r"\S+")
_PARTED = re.compile(r"[,;:()\[\]{}<>|“”\"„«»?!—–=→…]|\s-\s|\.\s")
_CODED = re.compile(r"[_\-./\d]")
# "Thought 3 The bridge": what a page's layout put together.
_NUMBERED = re.compile(r"(?:\A|\s)\d+\s+[A-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_BEFORE_SIGN = re.compile(r"\s([,.;:!?)\]])(?=\s|\Z)")
_FINAL = re.compile(r"[.!]\s*\Z")
# A heading of a plain text with its underline, which a paragraph begins with.
_UNDERLINED = re.compile(r"[^\n]*\n[ \t]*(?:-{3,}|={3,}|~{3,}|\^{3,})[ \t]*\n\s*")
_LIST_MARK = re.compile(r"\A\s*+(?:[-*+•◦▪‣–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s++")
_SMALL_WORD = re.compile(r"(?<![\w./@-])[a-z]++(?![\w/@-]|\.\w)")
_CAPITAL_WITHIN = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]*+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a document whose subject stands before its first verb.

    All spans are offsets in `prose`, the document's text with its markup blanked out, and so in the text itself.
    `rest` ends before the full stop.
    """

    prose: str
    sentence: Span
    subject: Span
    verb: Span
    rest: Span

    def words_of(self, span: Span) -> str:
        """The words of a span on one line."""
        return plain(self.prose[span.start : span.end])


def plain(text: str) -> str:
    """The text on one line, without the gaps that blanked markup leaves.

    >>> plain("the  cup  of\\n tea  , hot")
    'the cup of tea, hot'
    """
    return _BEFORE_SIGN.sub(r"\1", " ".join(text.split()))


def statements(document: Document) -> Iterator[Statement]:
    """The statements of a document's paragraphs and list items, in order."""
    prose = without_markup(document.text, document.format)
    for sentence in prose_sentences(document, prose):
        found = statement_in(prose, sentence)
        if found is not None:
            yield found


def prose_sentences(document: Document, prose: str) -> Iterator[Span]:
    """The sentences of paragraphs and list items, headings, tables and code left out."""
    for block in blocks(document.text, document.format):
        if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST):
            continue
        for item in block.items or (Span(block.start, block.end),):
            for span in sentences(prose[item.start : item.end]):
                start, end = item.start + span.start, item.start + span.end
                title = _UNDERLINED.match(prose, start, end)
                start = title.end() if title else start
                mark = _LIST_MARK.match(prose[start:end])
                yield Span(start + mark.end() if mark else start, end)


def statement_in(prose: str, sentence: Span, *, opens: bool = True) -> Statement | None:
    """The sentence as a statement; None for another kind of sentence, one that denies, doubts or is too long.

    Where it `opens` nothing, as behind "In 1932,", its subject may begin in lower case.
    """
    text = prose[sentence.start : sentence.end]
    final = _FINAL.search(text)
    if final is None or "\n\n" in text or not is_prose(text):
        return None
    words = [Span(sentence.start + match.start(), sentence.start + match.end()) for match in _WORD.finditer(text)]
    if not _SHORTEST_SENTENCE <= len(words) <= _LONGEST_SENTENCE or not _LETTER.search(text):
        return None
    for at, span in enumerate(words[: _LONGEST_SUBJECT + 1]):
        word = prose[span.start : span.end]
        if at and (
            (word.islower() and fold(word) in _AUXILIARY)
            or _is_verb(word, prose[words[at - 1].start : words[at - 1].end])
        ):
            subject = Span(words[0].start, words[at - 1].end)
            if not is_subject(prose[subject.start : subject.end], opens=opens) or _denies(words[at:], prose):
                return None
            return Statement(prose, sentence, subject, span, Span(span.end, sentence.start + final.start()))
    return None


def is_prose(text: str) -> bool:
    """True if at least half of the words are ones of English at large: no badly encoded text, no list of names.

    >>> is_prose("The bridge was opened."), is_prose("VHHDNH DQGD OLNHO is")
    (True, False)
    """
    held = [fold(word) for word in written_words(text)]
    return 2 * sum(word in STOP_WORDS or is_common(stem(word)) for word in held) >= len(held) > 0


def is_subject(text: str, *, opens: bool = True) -> bool:
    """True if words at the start of a sentence are one noun phrase that names its thing by itself.

    >>> [is_subject(text) for text in ("The old bridge", "It", "In 1932 the bridge", "The bridge, which")]
    [True, False, False, False]
    """
    held = [fold(word) for word in text.split()]
    if not held or _PARTED.search(text) or not _LETTER.search(text) or _NUMBERED.search(text):
        return False
    if any(word in _LABELS and after.isdigit() for word, after in pairwise(held)):
        return False
    if held[0] in _OPENERS or (opens and text[0].islower() and not _CODED.search(text)):
        return False
    if any(word in _PRONOUNS or word in _NEGATIONS or word in _JOINING for word in held):
        return False
    if held[-1] in STOP_WORDS or held[-1] in CONNECTIVES or held[-1].endswith("ly"):
        return False
    return held[0] in STOP_WORDS or not _begins_as_verb(text.split()[0])


def is_present(word: str) -> bool:
    """True if a word is a verb in the third person of the present, as far as its form and frequency tell.

    >>> [is_present(word) for word in ("holds", "bridges", "is", "Holds")]
    [True, False, False, False]
    """
    return (
        word.isascii()
        and word.isalpha()
        and word.islower()
        and len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and (part_of_speech(stem(word), word) == "verb" or word in _NOUNS_TOO)
    )


def is_past(word: str) -> bool:
    """True if a word is a verb in the past of which the base form is known."""
    return word in _PAST


def base_form(verb: str) -> str:
    """The base form of a verb in the third person of the present, or of a known one in the past.

    >>> [base_form(verb) for verb in ("holds", "carries", "reaches", "uses", "won")]
    ['hold', 'carry', 'reach', 'use', 'win']
    """
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("sses", "ches", "shes", "xes", "zzes", "oes")) else verb[:-1]


def lowered(subject: str, text: str, *, plural: bool = False) -> str:
    """A subject within a sentence: its first letter small where the text writes that word so elsewhere.

    Where it writes the word nowhere else, nouns of the dictionary and whatever is `plural` are small too.

    >>> [lowered(said, "Cold water is best.") for said in ("The bridge", "Water", "Ada Lovelace", "Your budget")]
    ['the bridge', 'water', 'Ada Lovelace', 'my budget']
    """
    first, _, others = subject.partition(" ")
    if fold(first) == "your":
        return f"my {others}"
    small = first[0].lower() + first[1:]
    if fold(first) in STOP_WORDS:
        return f"{small} {others}".strip()
    if not first[1:].islower() or (others and not others.islower()):
        return subject
    if others and first.isalpha() and is_common(stem(fold(first))):
        return f"{small} {others}"
    counted = _written_alike(text)
    smalls, capitals = counted[small], counted[first]
    noun = smalls == capitals == 0 and (plural or part_of_speech(stem(fold(first)), fold(first)) == "noun")
    return f"{small} {others}".strip() if smalls > capitals or noun else subject


@lru_cache(maxsize=8)
def _written_alike(text: str) -> Counter[str]:
    """Counts of each word in small letters, and with a capital that begins no sentence."""
    return Counter((*_SMALL_WORD.findall(text), *_CAPITAL_WITHIN.findall(text)))


def _is_verb(word: str, before: str) -> bool:
    return (is_present(word) or word in _PAST) and fold(before) not in _ARTICLES


def _begins_as_verb(word: str) -> bool:
    """True if a sentence that begins with this word is likely an order or begins with a participle."""
    small = fold(word)
    if small.endswith(("ing", "ed", "ly")):
        return True
    return word[1:].islower() and not small.endswith("s") and part_of_speech(stem(small), small) == "verb"


def _denies(spans: list[Span], prose: str) -> bool:
    # "May" is a month.
    held = [word.strip(".,;:!") for span in spans if (word := prose[span.start : span.end]).islower()]
    return any(word in _NEGATIONS or word in _HEDGES or word.endswith("n't") for word in held)
