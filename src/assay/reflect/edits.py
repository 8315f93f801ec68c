"""Edits of an answer's text: which are safe to make, and how they are made."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from assay.reflect.exempt import untouchable
from assay.text.quantities import quantities
from assay.types import Edit, Span


def safe(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits in order that overlap neither one another nor what no edit may touch, and bring in no number.

    Of two that overlap, the one that begins first is kept.
    """
    kept: list[Edit] = []
    protected = _merged(untouchable(text))
    for edit in sorted(dict.fromkeys(edits), key=lambda each: (each.start, each.end)):
        at = (
            bisect_left(protected, edit.end, key=lambda span: span.start) - 1
        )  # the last that begins before its end
        touched = at >= 0 and edit.start < protected[at].end
        overlaps = bool(kept) and edit.start < kept[-1].end
        if not touched and not overlaps and not quantities(edit.replacement):
            kept.append(edit)
    return tuple(kept)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda each: (each.start, each.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


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
