"""forbidden_words: words that an answer does not use, as those that are not the brand's voice."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import re2
from pydantic import Field, field_validator, model_validator

from assay.nlp.language import KNOWN_BY_SCRIPT, language_of
from assay.nlp.negation import negations
from assay.nlp.tokens import STOP_WORDS, word_spans, words
from assay.rules.layout import has_phrase, is_same_phrase, phrase_spans, quoted_list, statements, word_count
from assay.rules.rule import EVERY_EXEMPTION, Broken, Demand, Exempt, Flag, Kind, Phrase, Subject, Swap, Untested
from assay.types import Edit, Span

# One wording in place of another, written as the first was.


def replaced(
    subject: Subject, places: tuple[Span, ...], swaps: tuple[Swap, ...], why: str, case: bool
) -> tuple[Edit, ...]:
    """An edit for each place whose wording has a replacement."""
    edits = []
    for place in places:
        written = subject.text[place.start : place.end]
        plain = written.replace("’", "'")
        swap = next((swap for swap in swaps if is_same_phrase(swap.term, plain, case=case)), None)
        if swap is not None and swap.replacement:
            reason = f'"{written}" {why}'
            edits.append(Edit(place.start, place.end, written_alike(written, swap.replacement), reason))
    return tuple(edits)


def written_alike(model: str, text: str) -> str:
    """The text with the capitals of the model: all, or the first.

    >>> written_alike("Delve", "look"), written_alike("DELVE", "look"), written_alike("delve", "look")
    ('Look', 'LOOK', 'look')
    """
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text


class ForbiddenWords(Kind):
    """`words` are words or phrases; `use` says for some of them what to write instead. `case`: case counts."""

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    words: tuple[Phrase, ...] = Field(min_length=1, max_length=1000)
    use: dict[Phrase, Phrase] = Field(default_factory=dict)
    case: Flag = False

    @model_validator(mode="after")
    def _known(self) -> ForbiddenWords:
        unknown = [
            key for key in self.use if not any(is_same_phrase(key, word, case=self.case) for word in self.words)
        ]
        if unknown:
            raise ValueError(f"use names {quoted_list(tuple(unknown))}, which is not among the words")
        return self

    def instruction(self, language: str) -> str:
        """The instruction on words to leave out."""
        instead = "".join(f' Instead of "{swap.term}" write "{swap.replacement}".' for swap in self.swaps())
        return f"Do not use {quoted_list(self.words)}.{instead}"

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The places of the words."""
        places = phrase_spans(subject.plain, self.words, case=self.case)
        return tuple(Broken(self._cause(subject.text[span.start : span.end]), span) for span in places)

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """The word to use instead, if one is named."""
        return replaced(subject, places, self.swaps(), "is not to be used", self.case)

    def swaps(self) -> tuple[Swap, ...]:
        """The swaps of `use`."""
        return tuple(Swap(term, replacement) for term, replacement in self.use.items())

    @property
    def forbids(self) -> bool:
        """True."""
        return True

    def _cause(self, written: str) -> str:
        instead = next((swap for swap in self.swaps() if has_phrase(written, (swap.term,), case=self.case)), None)
        advice = f': write "{instead.replacement}" instead' if instead else ""
        return f'"{written}" is not to be used{advice}'


# deprecated_terms: terms that have a successor, or none because the thing no longer exists.


# A sentence that says that a term is out of use may use it.
_OUT_OF_USE = re.compile(
    r"""\b(?:formerly|previously|once\scalled|renamed|replaced|superseded|discontinued|retired|deprecated|obsolete|outdated
        |removed|withdrawn|abandoned|known\sas|früher|ehemals|umbenannt|eingestellt|anciennement|renommé|antes)\b
      | 旧称|原名|已停止|改名|廃止|旧名""",
    re.VERBOSE | re.IGNORECASE,
)
# Right before a term: that it is no word for the thing, which is there all the same.
_DENIES_WORD = re.compile(
    r"""(?:\b(?:not|never|no\slonger|nicht(?:\smehr)?)|n['’]t)\s(?:be\s)?
        (?:(?:called|named|termed|labell?ed|referred\sto\sas|genannt)\s)?(?:an?\s|the\s)?["'“„‘«]?\Z""",
    re.VERBOSE | re.IGNORECASE,
)


class DeprecatedTerms(Kind):
    """`terms` maps each term to what is written now, or to "" if nothing replaces it. `case`: case counts.

    A sentence that says that a term is out of use keeps the rule. So does one that denies it: the word itself if
    it has a successor ("not called telephone"), else what it names ("we do not offer it").
    """

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    terms: dict[Phrase, str] = Field(min_length=1, max_length=1000)
    case: Flag = False

    def instruction(self, language: str) -> str:
        """The instruction on what to write instead, and what not to speak of."""
        swaps = self.swaps()
        dropped = tuple(term for term, replacement in self.terms.items() if not replacement.strip())
        instead = [f'Write "{swap.replacement}" instead of "{swap.term}".' for swap in swaps]
        without = [f"Do not present {quoted_list(dropped)} as current."] if dropped else []
        return " ".join((*instead, *without))

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The places where a term is used as if it were current."""
        results = []
        for sentence in statements(subject.plain):
            if _OUT_OF_USE.search(sentence.plain):
                continue
            for span in phrase_spans(sentence.plain, tuple(self.terms), case=self.case):
                if self._denied(sentence.plain, span):
                    continue
                place = Span(sentence.start + span.start, sentence.start + span.end)
                results.append(Broken(self._cause(subject.text[place.start : place.end]), place))
        return tuple(results)

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """The term's successor, if it has one."""
        return replaced(subject, places, self.swaps(), "is out of use", self.case)

    def swaps(self) -> tuple[Swap, ...]:
        """The terms that have a successor."""
        return tuple(Swap(term, new) for term, new in self.terms.items() if new.strip())

    @property
    def forbids(self) -> bool:
        """True."""
        return True

    def _denied(self, sentence: str, place: Span) -> bool:
        """True if a sentence denies the term: the word if it has a successor, else the thing itself."""
        if self._swap(sentence[place.start : place.end]) is None:
            return bool(negations(sentence))
        return _DENIES_WORD.search(sentence[: place.start]) is not None

    def _swap(self, written: str) -> Swap | None:
        return next((swap for swap in self.swaps() if has_phrase(written, (swap.term,), case=self.case)), None)

    def _cause(self, written: str) -> str:
        swap = self._swap(written)
        return f'"{written}" is out of use' + (f': write "{swap.replacement}"' if swap else "")


# pattern: a regular expression of one's own, which an answer must match or must not.


# Beyond this an expression is compiled to nothing; RE2's own default is 8 MiB.
_MOST_MEMORY = 1 << 20
# Half a character, which RE2's UTF-8 cannot hold.
_SURROGATE = re.compile("[\ud800-\udfff]")
# Characters that mean something in an expression: without them it is a wording.
_META = frozenset(r"\.^$*+?()[]{}|")


class Pattern(Kind):
    """`mode` says whether the expression is "forbidden" or "required"; `tell` is the sentence for the writer."""

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    pattern: Annotated[str, Field(min_length=1, max_length=500)]
    mode: Literal["forbidden", "required"] = "forbidden"
    tell: Phrase
    case: Flag = False

    @field_validator("pattern")
    @classmethod
    def _valid(cls, pattern: str) -> str:
        try:
            expression = _compiled(pattern, True)
        except re2.error as error:
            detail = error.args[0] if error.args else ""
            message = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
            raise ValueError(f"not an RE2 expression: {message}") from None
        if expression.search("") is not None:
            raise ValueError("the expression matches the empty text, so it says nothing")
        return pattern

    def instruction(self, language: str) -> str:
        """The instruction that the rule's author wrote."""
        return self.tell

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """The matches of a forbidden expression; the answer if a required one matches nowhere."""
        expression = _compiled(self.pattern, self.case)
        text = _SURROGATE.sub("\ufffd", subject.plain)
        if self.mode == "required":
            return () if expression.search(text) else (Broken(f"nothing in the answer matches {self.pattern!r}"),)
        spans = (Span(*match.span()) for match in expression.finditer(text))
        return tuple(
            Broken(f"{subject.text[span.start : span.end]!r} matches {self.pattern!r}", span)
            for span in spans
            if span.end > span.start
        )

    def demand(self, language: str) -> Demand:
        """The wording if the expression is plain text that the answer must have."""
        wording = self.mode == "required" and not _META.intersection(self.pattern)
        return Demand(texts=(self.pattern,)) if wording else Demand()

    @property
    def forbids(self) -> bool:
        """True if the mode forbids it."""
        return self.mode == "forbidden"


@lru_cache(maxsize=256)
def _compiled(pattern: str, case: bool) -> re2._Regexp:
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = case, False, _MOST_MEMORY
    return re2.compile(pattern, options)


# language: the language that an answer is in.


NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "ja": "Japanese", "ko": "Korean", "zh": "Chinese", "th": "Thai", "he": "Hebrew", "ar": "Arabic",
    "hi": "Hindi", "el": "Greek", "ru": "Russian",
}  # fmt: skip
# In fewer words a language shows too rarely: they may be names and numbers, alike in many languages.
_LEAST_WORDS = 8
# A text of so many words that shows no language is odd enough to say so.
_MANY_WORDS = 20


# A row of a table as assay quotes it: names and numbers show no language.
_ROW = re.compile(r"^[^\n]* \| [^\n]*|^[^:;\n]{1,80}: [^;\n]*+; [^:;\n]{1,80}: [^\n]*", re.MULTILINE)


class Language(Kind):
    """`is` is an ISO 639-1 code, or "question" for the language of the question."""

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    is_: Literal["question"] | Annotated[str, Field(pattern="^[a-z]{2}$")] = Field(alias="is")

    def instruction(self, language: str) -> str:
        """The instruction on the language to write in."""
        code = language if self.is_ == "question" else self.is_
        return f"Answer in {NAMES[code]}." if code in NAMES else "Answer in the question's language."

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """The whole answer if it shows another language."""
        wanted = subject.question.language if self.is_ == "question" else self.is_
        plain = _ROW.sub("", subject.plain)
        shown, count = _shown(plain), word_count(plain)
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
