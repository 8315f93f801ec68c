"""Understanding by rules alone: no model, no call, the same for the same words."""

from __future__ import annotations

from dataclasses import dataclass

from assay.text.language import language_of
from assay.types import AnswerType, Message, Question
from assay.understand.aspects import aspects
from assay.understand.dialogue import LONGEST, standalone
from assay.understand.kinds import answer_type_of, detail_of, expertise_of, kind_of


@dataclass(frozen=True, slots=True)
class RulesUnderstander:
    """Work out what is asked by rules for English, with the commonest Chinese question words.

    Total: every text gives a Question; only the first `LONGEST` characters of a longer one are read by rules.
    """

    async def understand(self, text: str, history: tuple[Message, ...]) -> Question:
        """The question that `text` asks at the end of `history`; never raises."""
        return understood(text, history)


def understood(text: str, history: tuple[Message, ...] = ()) -> Question:
    """The same without a wait, for pipes and benchmarks.

    >>> question = understood("Who wrote it?", (Message("user", "When was Emma published?"),))
    >>> question.standalone, question.kind.value, question.answer_type.value
    ('Who wrote Emma?', 'follow-up', 'person')
    """
    turn = standalone(text, history)
    asked = turn.standalone[:LONGEST]
    parts = aspects(asked)
    # Several questions of different types have no one type that each sentence of an answer could hold.
    mixed = len({answer_type_of(part) for part in parts}) > 1
    answer_type = AnswerType.OTHER if mixed else answer_type_of(asked)
    kind = kind_of(asked, carried=turn.carried)
    return Question(
        text=text,
        standalone=turn.standalone,
        history=history,
        aspects=parts,
        kind=kind,
        answer_type=answer_type,
        language=language_of(asked),
        expertise=expertise_of(text[:LONGEST]),
        detail=detail_of(text[:LONGEST], answer_type, kind),
        unclear=f'nothing says what "{turn.unresolved}" stands for' if turn.unresolved else None,
    )
