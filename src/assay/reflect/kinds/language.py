"""language: the language that an answer is in."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from assay.reflect.blocks import word_count
from assay.reflect.subject import EVERY_EXEMPTION, Broken, Demand, Exempt, Kind, Subject, Untested
from assay.text.language import KNOWN_BY_SCRIPT, language_of
from assay.text.tokens import STOP_WORDS, word_spans, words

NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "ja": "Japanese", "ko": "Korean", "zh": "Chinese", "th": "Thai", "he": "Hebrew", "ar": "Arabic",
    "hi": "Hindi", "el": "Greek", "ru": "Russian",
}  # fmt: skip
# In fewer words a language shows too rarely: they may be names and numbers, alike in many languages.
_LEAST_WORDS = 8
# A text of so many words that shows no language is odd enough to say so.
_MANY_WORDS = 20


class Language(Kind):
    """`is` is an ISO 639-1 code, or "question" for the language of the question."""

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    is_: Literal["question"] | Annotated[str, Field(pattern="^[a-z]{2}$")] = Field(alias="is")

    def told(self, language: str) -> str:
        """Which language to write in."""
        code = language if self.is_ == "question" else self.is_
        return f"Answer in {NAMES[code]}." if code in NAMES else "Answer in the question's language."

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """The whole answer, where it shows another language."""
        wanted = subject.question.language if self.is_ == "question" else self.is_
        shown, count = _shown(subject.plain), word_count(subject.plain)
        if wanted in shown or wanted == "und" or count < (_MANY_WORDS if not shown else _least(shown)):
            return ()
        if len(shown) != 1 or wanted not in NAMES:
            return (Untested(f"whether the answer is in the language {wanted!r} cannot be told from its words"),)
        return (Broken(f"the answer is in {NAMES[next(iter(shown))]}, not in {NAMES[wanted]}"),)

    @property
    def languages(self) -> frozenset[str]:
        """The one that is wanted, if it is named."""
        return frozenset() if self.is_ == "question" else frozenset((self.is_,))

    def demand(self, language: str) -> Demand:
        """The language."""
        return Demand(language=self.is_)


def _least(shown: frozenset[str]) -> int:
    """From how many words on a language counts as shown; a script shows it in a few."""
    return 2 if shown <= KNOWN_BY_SCRIPT else _LEAST_WORDS


def _shown(plain: str) -> frozenset[str]:
    """The languages that the halves of a text show: one foreign name does not make a text foreign."""
    spans = list(word_spans(plain))
    middle = spans[len(spans) // 2].start if spans else 0
    halves = (_guessed(plain[:middle]), _guessed(plain[middle:]))
    found = frozenset(code for code in halves if code is not None)
    # In a short text one half may be a name: "Robin van Persie has missed …".
    return found & KNOWN_BY_SCRIPT if None in halves and len(spans) < _MANY_WORDS else found


def _guessed(text: str) -> str | None:
    """The language that a text shows; English, which is the default of the guess, only by words of its own."""
    code = language_of(text)
    if code == "und" or (code == "en" and not any(word in STOP_WORDS for word in words(text))):
        return None
    return code
