"""forbidden_words: words that an answer does not use, as those that are not the brand's voice."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from assay.reflect.kinds.swapping import replaced
from assay.reflect.phrases import found, has, named, same
from assay.reflect.subject import EVERY_EXEMPTION, Broken, Exempt, Flag, Kind, Phrase, Subject, Swap
from assay.types import Edit, Span


class ForbiddenWords(Kind):
    """`words` are words or phrases; `use` says for some of them what to write instead. `case`: case counts."""

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    words: tuple[Phrase, ...] = Field(min_length=1, max_length=1000)
    use: dict[Phrase, Phrase] = Field(default_factory=dict)
    case: Flag = False

    @model_validator(mode="after")
    def _known(self) -> ForbiddenWords:
        unknown = [key for key in self.use if not any(same(key, word, case=self.case) for word in self.words)]
        if unknown:
            raise ValueError(f"use names {named(tuple(unknown))}, which is not among the words")
        return self

    def told(self, language: str) -> str:
        """Which words to leave out."""
        instead = "".join(f' Instead of "{each.term}" write "{each.replacement}".' for each in self.swaps())
        return f"Do not use {named(self.words)}.{instead}"

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """Each place where one of the words stands."""
        places = found(subject.plain, self.words, case=self.case)
        return tuple(Broken(self._cause(subject.text[span.start : span.end]), span) for span in places)

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """The word to use instead, where one is named."""
        return replaced(subject, places, self.swaps(), "is not to be used", self.case)

    def swaps(self) -> tuple[Swap, ...]:
        """What `use` says."""
        return tuple(Swap(term, replacement) for term, replacement in self.use.items())

    @property
    def forbids(self) -> bool:
        """Always."""
        return True

    def _cause(self, written: str) -> str:
        instead = next((each for each in self.swaps() if has(written, (each.term,), case=self.case)), None)
        told = f': write "{instead.replacement}" instead' if instead else ""
        return f'"{written}" is not to be used{told}'
