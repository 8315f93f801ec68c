"""Lists in an answer of sentences: shown as lists, and whole where there is room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.types import Question, Span
from assay.write.blocks import LIST_WORDS, Room, Shown, asks_for_several, list_around, shown_around
from assay.write.candidates import Candidate

_ROOM = Room(LIST_WORDS, LIST_WORDS, LIST_WORDS)
_COLONS = (":", "：")


def with_lists(question: Question, quoted: Sequence[Candidate]) -> tuple[Shown, ...]:
    """What to show of the chosen sentences, in order: in the place of a list's sentences the list with its lead-in.

    That is so where two of them were chosen, its lead-in, or one for a question that asks for several. Any other
    sentence is shown alone. Empty where no list is shown so.
    """
    lists = [_list_of(each) for each in quoted]
    chosen = Counter(lists)
    several = asks_for_several(question)
    shown: list[Shown] = []
    has_list = False
    for candidate, listed in zip(quoted, lists, strict=True):
        found = Shown((candidate.span,), candidate.passage)
        if listed is not None and (several or chosen[listed] > 1 or candidate.text.endswith(_COLONS)):
            if any(_shows(each, *listed) for each in shown):
                continue
            found = shown_around(candidate.passage, candidate.span, _ROOM) or found
            has_list = True
            shown = [each for each in shown if not _holds(found, each)]
        shown.append(found)
    return tuple(shown) if has_list else ()


def _list_of(candidate: Candidate) -> tuple[str, Span] | None:
    """The passage and the place of the list that the sentence stands in or leads to; None without one."""
    listed = list_around(candidate.passage, candidate.span)
    if listed is None or not (candidate.span.start >= listed.start or candidate.text.endswith(_COLONS)):
        return None
    return candidate.passage.passage_id, listed


def _holds(outer: Shown, inner: Shown) -> bool:
    """Whether one shows all that the other shows."""
    same = outer.passage.passage_id == inner.passage.passage_id
    return same and all(
        any(part.start <= each.start and each.end <= part.end for part in outer.parts) for each in inner.parts
    )


def _shows(shown: Shown, passage_id: str, listed: Span) -> bool:
    """Whether something of a list is shown."""
    return shown.passage.passage_id == passage_id and any(
        part.start < listed.end and listed.start < part.end for part in shown.parts
    )
