"""What a caller may set for one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from assay.types.assessment import Criterion
from assay.types.claims import CitationStyle
from assay.types.question import QuestionKind
from assay.types.search import SearchMode
from assay.types.value import Metadata, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions(Value):
    """Settings of one question, over those of the engine; None leaves a setting as the engine has it.

    The names, units and bounds are those of the settings (docs/reference/settings.md), and they are checked where
    the options are used. Three do more than the setting of the same name: `history_messages` is how many of the
    last messages of the dialogue count at all, `citation_style` is that of the answer object's own text, and
    `model` writes also where the engine has a `writer_model` or a `simple_model`. `rounds` above 1, where passages
    are given, lets assay search for more.

    >>> AskOptions(profile="balanced", k=5).values
    {'profile': 'balanced', 'k': 5}
    """

    profile: Literal["fast", "balanced", "thorough", "auto"] | None = None
    importance: Literal["low", "normal", "high"] | None = None
    kind: QuestionKind | str | None = None
    detail: int | None = None
    expertise: Literal["beginner", "general", "expert"] | None = None
    history_messages: int | None = None
    ask_back: bool | None = None
    where: Metadata | None = None
    k: int | None = None
    mode: SearchMode | str | None = None
    rounds: int | None = None
    repairs: int | None = None
    deadline: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    model: str | None = None
    writer_temperature: float | None = None
    reply_tokens: int | None = None
    system_prompt: str | None = None
    citation_style: CitationStyle | str | None = None
    criteria: Sequence[Criterion | str] | None = None
    explain: bool | None = None
    quality: float | None = None
    floor: float | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The settings that these options change, by name."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
