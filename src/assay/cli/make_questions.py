"""make, a verb of the group `eval`: questions with known answers from the documents of a collection."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.export import refuse_place, write_lines
from assay.cli.flags import ASKING, Given, takes
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal

if TYPE_CHECKING:
    from assay.evals.make.maker import Made

Collection = Annotated[str, typer.Argument(metavar="COLLECTION", help="The collection to make questions from.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The file to write. [default: standard output]"),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Count = Annotated[
    int, typer.Option("--count", metavar="N", min=1, max=100_000, help="Number of questions to make.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="S", help="Seed; another one makes other questions.")]


_Share = partial(typer.Option, metavar="0-1", min=0, max=1)
Unanswerable = Annotated[
    float, _Share("--unanswerable", help="Share of questions without an answer in the documents.")
]
Half = Annotated[float, _Share("--half", help="Share of questions with two halves, of which one is answered.")]
Contradictory = Annotated[
    float, _Share("--contradictory", help="Maximum share of questions on which two documents disagree.")
]
Typos = Annotated[float, _Share("--typos", help="Share of questions asked again with a typing error.")]
Reworded = Annotated[float, _Share("--reworded", help="Share of questions asked again in other words.")]
_FLAGS = (
    *("data_dir", "embedder", "reader", "model", "writer_model", *ASKING),
    *("offline", "openai_base_url", "anthropic_base_url", "gemini_base_url", "request_seconds", "prices"),
)


@takes(*_FLAGS)
def make(
    terminal: Terminal,
    collection: Collection,
    *,
    given: Given,
    out: Out = None,
    count: Count = 100,
    seed: Seed = 0,
    unanswerable: Unanswerable = 0.2,
    half: Half = 0.1,
    contradictory: Contradictory = 0.05,
    typos: Typos = 0.1,
    reworded: Reworded = 0.15,
    force: Force = False,
) -> None:
    """Make questions with known answers from the documents of a collection.

    Rules find facts in the documents and phrase the questions; if a language model is set, it writes the plain
    ones. Only questions that the reader is sure about are kept. The same seed makes the same questions from the
    same documents. English documents only.

    \b
    assay eval make handbook -o questions.jsonl
    assay eval make handbook -o questions.jsonl --count 300 --unanswerable 0.3 --seed 7
    """
    from assay.evals.json_lines import to_line
    from assay.evals.make.maker import Shares
    from assay.evals.make.making import make_questions

    if out is not None:
        refuse_place(out, force)
    shares = Shares(unanswerable, half, contradictory, typos, reworded)
    with ProgressBar(terminal, "questions", count) as bar:
        made = make_questions({**given, "collection": collection}, count, seed, shares, on_case=bar.advance)
    lines = (to_line(case) for case in made.cases)
    if out is None:
        for line in lines:
            terminal.line(line)
    else:
        write_lines(out, map(json.loads, lines))
    _tell(terminal, made, count, out)


def _tell(terminal: Terminal, made: Made, count: int, out: Path | None) -> None:
    """Say how many of each kind were made, and what kept it from more."""
    kinds = ", ".join(f"{number} {form}" for form, number in made.counts.items())
    place = "" if out is None else f" in {out}"
    terminal.note(f"{len(made.cases)} questions{place}: {kinds}")
    terminal.detail(
        f"{made.facts} facts found, {made.read} questions read, the reader was sure of {made.kept} facts"
    )
    if len(made.cases) < count:
        terminal.warn(f"warning: too few facts for {count} questions; made {len(made.cases)}")
    for note in made.notes:
        terminal.warn(f"warning: {note}")


VERBS = (make,)
