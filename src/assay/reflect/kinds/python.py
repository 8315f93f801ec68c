"""python: a check written in Python, which an installed package offers as an entry point.

A rule file names it and can never bring code of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from pydantic import Field, field_validator

from assay.reflect.subject import Broken, Kind, Phrase, Subject, Untested
from assay.types import Evidence, Question, Scalar

GROUP = "assay.rules"
_MOST_CAUSES = 100


class PythonRule(Protocol):
    """What the entry point names: a function that says where a text does not keep the rule."""

    def __call__(
        self, text: str, question: Question, evidence: Evidence, options: dict[str, Scalar]
    ) -> Iterable[str]:
        """One cause for each place; none where the rule is kept. What it raises makes the check unknown."""
        ...


class Python(Kind):
    """`entry_point` is a name in the group `assay.rules`; `options` are handed to it; `tell` is for the writer."""

    entry_point: Phrase
    options: dict[str, Scalar] = Field(default_factory=dict)
    tell: Phrase

    @field_validator("entry_point")
    @classmethod
    def _installed(cls, name: str) -> str:
        if _offered(name) is None:
            raise ValueError(f"no installed package offers {name!r} in the group {GROUP!r}")
        return name

    def told(self, language: str) -> str:
        """What the rule's author wrote."""
        return self.tell

    def broken(self, subject: Subject) -> tuple[Broken | Untested, ...]:
        """What the function says; unknown where it raises or says nothing that makes sense."""
        offered = _offered(self.entry_point)
        if offered is None:
            return (Untested(f"no installed package offers {self.entry_point!r} any more"),)
        try:
            rule: PythonRule = offered.load()
            causes = list(rule(subject.plain, subject.question, subject.evidence, dict(self.options)))
        except Exception as error:  # noqa: BLE001 - somebody else's code: whatever it raises, the rule is untested
            return (Untested(f"{self.entry_point} raised {type(error).__name__}: {error}"),)
        if not all(isinstance(cause, str) and cause.strip() for cause in causes):
            return (Untested(f"{self.entry_point} gave something else than the causes as text"),)
        return tuple(Broken(cause) for cause in causes[:_MOST_CAUSES])


def _offered(name: str) -> EntryPoint | None:
    return next(iter(entry_points(group=GROUP, name=name)), None)
