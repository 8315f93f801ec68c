"""The wording of a question about a fact: plain, in others that ask the same, with a slip, as a search. Pure."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from assay.nlp.tokens import STOP_WORDS, fold, is_common, stem, terms
from assay.types import Value

_SPACES = re.compile(r"\s+")
_DO = ("do", "does", "did")
_INDIRECT = ("Do you know {}?", "Could you tell me {}?", "I would like to know {}.")
_HOW_TO = ("What do I need to do to {}?", "Can you explain how to {}?", "I want to {}. How is that done?")
_MARKED = re.compile(r"[A-Z\d_]")
_LONGEST_TITLE = 60
_ARTICLES = re.compile(r"\b(?:an?|the)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wording(Value):
    """The parts of a question in their order: question words, verb, what leads to the thing, the thing, the rest.

    The thing is what another one can be put in the place of. The context is the title of a document or section.
    """

    asks: str
    verb: str
    lead: str
    thing: str
    rest: str = ""
    context: str = ""

    def under(self, title: str) -> Wording | None:
        """The wording with the title of what it is asked of, where its thing does not say which one is meant.

        None where it needs a title and this one is none.

        >>> Wording("When", "was", "", "the book", "published").under("Tides")  # doctest: +ELLIPSIS
        Wording(asks='When', ..., context='Tides')
        """
        shown = " ".join(title.split()).strip("“”\"' ")
        if is_specific(self.thing) or (shown and set(terms(shown)) <= set(terms(self.thing))):
            return self
        return replace(self, context=shown) if shown and len(shown) <= _LONGEST_TITLE else None

    @property
    def question(self) -> str:
        """The question.

        >>> Wording("When", "was", "", "the bridge", "opened").question
        'When was the bridge opened?'
        """
        asked = f"{_joined(self.asks, self.verb, self.lead, self.thing, self.rest)}?"
        return f"According to “{self.context}”, {asked[0].lower()}{asked[1:]}" if self.context else asked

    @property
    def attribute(self) -> str:
        """The attribute that is asked for, in the question's words."""
        return _joined(self.asks, self.lead, self.rest)

    def rewordings(self) -> tuple[str, ...]:
        """Questions in other words that ask the same.

        >>> Wording("When", "was", "", "the bridge", "opened").rewordings()[0]
        'Do you know when the bridge was opened?'
        >>> Wording("How", "do", "I add", "a key").rewordings()[0]
        'What do I need to do to add a key?'
        """
        if self.asks == "How" and self.lead.startswith("I "):
            done = _joined(self.lead[2:], self.thing, self.rest)
            return tuple(pattern.format(done) for pattern in _HOW_TO)
        if self.verb in ("", *_DO):
            return ()
        asks = self.asks[0].lower() + self.asks[1:]
        asked = _joined(asks, self.lead, self.thing, self.verb, self.rest)
        if self.lead.endswith(" by"):  # "what is meant by …"
            asked = _joined(asks, self.verb, self.lead, self.thing, self.rest)
        where = f" according to “{self.context}”" if self.context else ""
        return tuple(pattern.format(f"{asked}{where}") for pattern in _INDIRECT)

    def typed(self) -> str:
        """The question as people type it into a search box: small letters, no articles, no question mark.

        >>> Wording("When", "was", "", "the Harbour Bridge", "opened").typed()
        'when was harbour bridge opened'
        """
        return _ARTICLES.sub("", self.question.removesuffix("?")).lower()


def is_specific(thing: str) -> bool:
    """True if words name one thing wherever they stand: by a name, a code or a number, or without an article.

    >>> [is_specific(thing) for thing in ("the book", "the Harbour Bridge", "water", "the 4.0 release")]
    [False, True, True, True]
    """
    first, _, others = thing.partition(" ")
    if fold(first) not in ("the", "my", "our"):
        return True
    return _MARKED.search(others) is not None


def _joined(*parts: str) -> str:
    return _SPACES.sub(" ", " ".join(part for part in parts if part)).strip()


# The keys beside each on a keyboard of the layout QWERTY, in its rows.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(r"(?<![\w\-./`“])[a-z]{6,}(?![\w\-/`”]|\.\w)")


def misspelt(question: str, chance: random.Random) -> str | None:
    """The question with one slip in an ordinary word: two letters swapped, one lost, doubled or a wrong key.

    The first letter stays, as it does in most slips (Pollock and Zamora 1983). None where it has no such word of at
    least six letters: names, numbers and codes stay whole.

    >>> misspelt("How many people does the hall hold?", random.Random(3))
    'How many pepple does the hall hold?'
    """
    places = [match for match in _WORD.finditer(question) if _is_ordinary(match.group())]
    if not places:
        return None
    match = chance.choice(places)
    word = match.group()
    slips = [slip for slip in _slips(word, chance) if slip != word and not is_common(stem(slip))]
    if not slips:
        return None
    return question[: match.start()] + chance.choice(slips) + question[match.end() :]


def reworded(wording: Wording, chance: random.Random) -> str | None:
    """The question in other words, or as a search; None where no other wording is known."""
    known = (*wording.rewordings(), wording.typed())
    other = [text for text in known if text != wording.question]
    return chance.choice(other) if other else None


def _is_ordinary(word: str) -> bool:
    return fold(word) not in STOP_WORDS and is_common(stem(fold(word)))


def _slips(word: str, chance: random.Random) -> tuple[str, ...]:
    at = chance.randrange(1, len(word) - 1)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    lost = word[:at] + word[at + 1 :]
    doubled = word[: at + 1] + word[at:]
    missed = word[:at] + chance.choice(_beside(word[at])) + word[at + 1 :]
    return swapped, lost, doubled, missed


def _beside(letter: str) -> str:
    row = next(row for row in _ROWS if letter in row)
    at = row.index(letter)
    return row[max(0, at - 1) : at] + row[at + 1 : at + 2]
