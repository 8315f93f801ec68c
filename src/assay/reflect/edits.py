"""Edits of an answer's text: which are safe to make, and how they are made."""

from __future__ import annotations

from collections.abc import Iterable

from assay.reflect.exempt import untouchable
from assay.text.quantities import quantities
from assay.types import Edit


def safe(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits in order that overlap neither one another nor what no edit may touch, and bring in no number.

    Of two that overlap, the one that begins first is kept.
    """
    kept: list[Edit] = []
    protected = sorted(untouchable(text), key=lambda span: span.start)
    for edit in sorted(dict.fromkeys(edits), key=lambda each: (each.start, each.end)):
        touched = any(span.start < edit.end and edit.start < span.end for span in protected)
        overlaps = bool(kept) and edit.start < kept[-1].end
        if not touched and not overlaps and not quantities(edit.replacement):
            kept.append(edit)
    return tuple(kept)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits made; they must be in order and must not overlap.

    >>> edited("We delve.", [Edit(3, 8, "look", "voice")])
    'We look.'
    """
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])
