"""An answer with each of its sources left out, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli.terminal import Terminal, one_line
from assay.core.ablation import describe_falls

if TYPE_CHECKING:
    from assay.types import Ablation


def show_ablation(found: Ablation, terminal: Terminal) -> None:
    """Print what falls without each source, then the role of each citation, and the decorative ones last."""
    if not found.sources:
        terminal.note("the answer has no sources")
        return
    for source in found.sources:
        terminal.line(f"[{source.number}] {one_line(source.title, 80)}: {describe_falls(source.falls)}")
    for one in found.citations:
        support = "" if one.support is None else f" (support by itself {one.support:.2f})"
        terminal.line(f"  {_claims(one.claims)} [{one.source}]: {one.role.value}, {one.reason}{support}")
    if found.untested:
        terminal.note(f"not supported by the tests of today, so that nothing can fall: {_claims(found.untested)}")
    count = len(found.decorative)
    if count:
        terminal.note(f"{count} decorative citation{'' if count == 1 else 's'}")


def _claims(numbers: Sequence[int]) -> str:
    """The numbers of some claims.

    >>> _claims((1,)), _claims((1, 2))
    ('claim 1', 'claims 1, 2')
    """
    return f"claim{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
