"""copy: a collection from one store to another."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.flags import AsJson, Given, takes
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal

_PLACE = "A data folder, or the address of a Postgres database."
Source = Annotated[str, typer.Argument(metavar="FROM", help=_PLACE)]
Target = Annotated[str, typer.Argument(metavar="TO", help=_PLACE)]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Name of the copy. [default: same name]")]


@takes("collection", "tenant")
def copy(
    terminal: Terminal,
    source: Source,
    target: Target,
    *,
    given: Given,
    name: As = None,
    as_json: AsJson = False,
) -> None:
    """Copy a collection elsewhere, and verify the copy.

    Source and copy can be data folders or databases. Every document is read back from both and compared, with its
    passages, vectors and word counts. Run an interrupted copy again to resume it. The source is not changed.

    \b
    assay copy ~/.local/share/assay postgresql://assay@db.example/assay -c manual
    assay copy postgresql://assay@db.example/assay /backup/assay -c manual
    """
    from assay.wiring.copying import copy_collection

    with ProgressBar(terminal, "documents") as bar:
        copied = copy_collection(source, target, name=name, told=bar.advance, **given)
    if as_json:
        terminal.object(copied.to_dict())
        return
    before = f", {copied.present:,} of them already there" if copied.present else ""
    terminal.line(
        f"copied and verified {copied.documents:,} documents, {copied.passages:,} passages{before}; "
        f"SHA-256 {copied.sha256[:16]}"
    )


VERBS = (copy,)
