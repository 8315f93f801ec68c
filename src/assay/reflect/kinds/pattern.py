"""pattern: a regular expression of one's own, which an answer must match or must not.

Expressions are RE2's, which takes time linear in the text whatever the expression says; see decision 101.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import re2
from pydantic import Field, field_validator

from assay.reflect.subject import EVERY_EXEMPTION, Broken, Demand, Exempt, Flag, Kind, Phrase, Subject
from assay.types import Span

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
            said = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
            raise ValueError(f"not an RE2 expression: {said}") from None
        if expression.search("") is not None:
            raise ValueError("the expression matches the empty text, so it says nothing")
        return pattern

    def told(self, language: str) -> str:
        """What the rule's author wrote."""
        return self.tell

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """Each match of a forbidden expression; the answer, where a required one matches nowhere."""
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
        """The wording, where the expression is one and must stand in the answer."""
        wording = self.mode == "required" and not _META.intersection(self.pattern)
        return Demand(texts=(self.pattern,)) if wording else Demand()

    @property
    def forbids(self) -> bool:
        """Where the mode says so."""
        return self.mode == "forbidden"


@lru_cache(maxsize=256)
def _compiled(pattern: str, case: bool) -> re2._Regexp:
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = case, False, _MOST_MEMORY
    return re2.compile(pattern, options)
