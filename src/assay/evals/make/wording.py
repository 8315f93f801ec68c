"""How a question about a fact is worded: in its plain form, and in others that ask the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.nlp.tokens import fold, terms
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
        """What is asked of the thing, in the question's words."""
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
    """Whether words name one thing wherever they stand: by a name, a code or a number, or without an article.

    >>> [is_specific(thing) for thing in ("the book", "the Harbour Bridge", "water", "the 4.0 release")]
    [False, True, True, True]
    """
    first, _, others = thing.partition(" ")
    if fold(first) not in ("the", "my", "our"):
        return True
    return _MARKED.search(others) is not None


def _joined(*parts: str) -> str:
    return _SPACES.sub(" ", " ".join(part for part in parts if part)).strip()
