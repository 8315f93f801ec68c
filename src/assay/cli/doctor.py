"""doctor: what is installed, what works, and what to do about the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import FOR_DOCTOR, Given, takes
from assay.cli.options import AsJson, GroupedCommand, Quiet, Verbose, terminal_of
from assay.cli.terminal import one_line

Store = Annotated[bool, typer.Option("--store", help="Also read every collection and test that it is whole.")]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command(cls=GroupedCommand)(doctor)


@takes(*FOR_DOCTOR)
def doctor(
    ctx: typer.Context,
    *,
    given: Given,
    store: Store = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """See what is installed and what works.

    Versions, models, folders, extras; with --store every collection too.
    """
    from assay.cli.examine import examine
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    settings = load_settings(given).settings
    examined = list(examine(settings, store=store))
    broken = any(each.status == "failed" for each in examined)
    if as_json:
        terminal.object({"ok": not broken, "examined": [each.to_dict() for each in examined]})
    else:
        from assay.cli.answer_view import marked

        console = terminal.console()
        for each in examined:
            console.print(marked(each.status.value, f"{each.name}: {one_line(each.detail)}"))
    if broken:
        raise typer.Exit(Exit.STORE)
