"""One wording in place of another, written as the first was."""

from __future__ import annotations

from assay.reflect.phrases import same
from assay.reflect.subject import Subject, Swap
from assay.types import Edit, Span


def replaced(
    subject: Subject, places: tuple[Span, ...], swaps: tuple[Swap, ...], why: str, case: bool
) -> tuple[Edit, ...]:
    """An edit for each place whose wording has a replacement."""
    edits = []
    for place in places:
        written = subject.text[place.start : place.end]
        swap = next((each for each in swaps if same(each.term, written.replace("’", "'"), case=case)), None)
        if swap is not None and swap.replacement:
            reason = f'"{written}" {why}'
            edits.append(Edit(place.start, place.end, written_alike(written, swap.replacement), reason))
    return tuple(edits)


def written_alike(model: str, text: str) -> str:
    """The text with capitals where the model has them: all, or the first.

    >>> written_alike("Delve", "look"), written_alike("DELVE", "look"), written_alike("delve", "look")
    ('Look', 'LOOK', 'look')
    """
    if len(model) > 1 and model.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if model[:1].isupper() else text
