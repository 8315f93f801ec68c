"""compare: two evaluations, metric by metric, and a gate for CI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import AsJson, takes
from assay.cli.terminal import Terminal, reason_of
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evals.compare import Comparison

First = Annotated[Path | None, typer.Argument(metavar="A", help="Folder of an evaluation, as `assay eval` wrote it.")]
Second = Annotated[Path | None, typer.Argument(metavar="B", help="Folder of the evaluation to hold against it.")]
Requirements = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        metavar="TEXT",
        help="What may not happen, e.g. 'groundedness may not fall by more than 0.01; cost may not rise by more than "
        "10 %'; repeatable.",
    ),
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.md", help="Write the comparison as Markdown too.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing report.")]
