"""What the settings say of every question, over what the question itself says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from assay.stages import Understander
from assay.types import Message, Question


@dataclass(frozen=True, slots=True)
class AsSetUnderstander:
    """Sets the detail (1 to 10) and the expertise of every question, where they are set."""

    inner: Understander
    detail: int | None = None
    expertise: Literal["beginner", "general", "expert"] | None = None

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question as the wrapped one understands it, for the reader that the settings name."""
        question = await self.inner.understand(text, history)
        return replace(
            question,
            detail=question.detail if self.detail is None else self.detail,
            expertise=question.expertise if self.expertise is None else self.expertise,
        )
