"""The difference between a recorded run and the same run under other settings, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import Terminal, first_of_each, one_line

if TYPE_CHECKING:
    from assay.types import CheckChange, ClaimChange, Difference, SentenceChange
    from assay.wiring.what_if import WhatIf

# The most characters of a text that are shown (chosen); `--json` has all.
_WIDTH = 200
# Parts whose changes are shown otherwise: line by line, or not at all.
_APART = frozenset({"text", "warnings", "sources"})


def show_what_if(found: WhatIf, terminal: Terminal) -> None:
    """Print what the settings changed, and what that changed."""
    changed = ", ".join(
        f"{setting.path} {value_text(setting.after)} instead of {value_text(setting.before)}"
        for setting in found.settings
    )
    terminal.line(f"run {found.run_id} with {changed}")
    if found.calls:
        asked = ", ".join(sorted(set(found.calls)))
        terminal.line(f"calls made that are not on the tape: {len(found.calls)} ({asked})")
    if found.drifted:
        terminal.warn(
            "warning: this version of assay answers the run differently even with its own settings; the difference "
            "is not that of the changed settings alone"
        )
    for line in difference_lines(found.difference):
        terminal.line(line)


def difference_lines(found: Difference) -> Iterator[str]:
    """A difference as lines."""
    if found.is_empty:
        yield "nothing differs"
        return
    for change in found.changed:
        if change.path not in _APART:
            yield f"{change.path:24} {value_text(change.before)} → {value_text(change.after)}"
    if found.change("text") is not None:
        yield ""
        for row in found.sentences:
            yield from _sentence_lines(row)
    yield from _listed("claims", map(_claim_line, found.claims))
    yield from _listed("checks", map(_check_line, found.checks))
    if (warnings := found.change("warnings")) is not None:
        yield from ("", "warnings")
        yield from (f"  - {one_line(text)}" for text in _only(warnings.before, warnings.after))
        yield from (f"  + {one_line(text)}" for text in _only(warnings.after, warnings.before))


def value_text(value: Any) -> str:
    """A JSON value on a line."""
    if isinstance(value, list):
        return ", ".join(map(value_text, value)) or "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "none" if value is None or value == "" else one_line(str(value), _WIDTH)


def _only(one: list[str] | None, other: list[str] | None) -> list[str]:
    return [text for text in one or () if text not in (other or ())]


def _listed(heading: str, lines: Iterable[str]) -> Iterator[str]:
    """The first lines under a heading, none where there are none."""
    shown = first_of_each(lines, lambda _line: heading)
    if shown.first:
        yield from ("", heading, *(f"  {line}" for line in shown.first), *shown.left_out())


def _sentence_lines(row: SentenceChange) -> Iterator[str]:
    """A sentence with its sign; a changed one before and after."""
    if row.state == "same":
        yield f"  {one_line(row.before or '', _WIDTH)}"
        return
    for sign, text in (("-", row.before), ("+", row.after)):
        if text is not None:
            yield f"{sign} {one_line(text, _WIDTH)}"


def _claim_line(claim: ClaimChange) -> str:
    before, after = claim.verdict_before or "not there", claim.verdict_after or "not there"
    return f"{before} → {after}: {one_line(claim.text, _WIDTH)}"


def _check_line(check: CheckChange) -> str:
    about = f": {one_line(check.claim, _WIDTH)}" if check.claim else ""
    return f"{check.name} {', '.join(check.before) or 'none'} → {', '.join(check.after) or 'none'}{about}"
