"""A finished answer, printed as the flags and settings want it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.answer_view import show_answer
from assay.cli.flags import Given
from assay.cli.terminal import Terminal
from assay.rendering import rendered
from assay.settings import load_settings

if TYPE_CHECKING:
    from assay.cli.progress import Progress
    from assay.types import Answer


def tell(
    answer: Answer,
    given: Given,
    as_json: bool,
    terminal: Terminal,
    *,
    with_ids: bool = False,
    progress: Progress | None = None,
) -> None:
    """Print the answer, as its object or for people.

    What `progress` printed, with its numbers, is not printed again.
    """
    if as_json:
        terminal.object(answer.to_dict())
        return
    settings = load_settings(given).settings
    if progress is not None and progress.printed:
        listed = rendered(answer, references=settings.references).removeprefix(answer.text)
        text = f"{_left_out(progress.dropped)}{listed}".strip()
    else:
        text = rendered(answer, settings.citation_style, settings.references)
    show_answer(answer.to_dict(), answer.validate(), terminal, text=text, with_ids=with_ids)


def _left_out(sentences: int) -> str:
    """That some sentences were dropped, empty where none was."""
    if not sentences:
        return ""
    many = f"{sentences} sentences were" if sentences > 1 else "1 sentence was"
    return f"({many} dropped: not borne out; `assay show last` says why)"
