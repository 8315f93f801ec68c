"""show: a recorded run, from its question to its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import Given, takes
from assay.cli.options import AsJson, GroupedCommand, Quiet, Verbose, terminal_of
from assay.cli.terminal import Terminal

if TYPE_CHECKING:
    from assay.record.runs import RunStore

RunName = Annotated[
    str | None, typer.Argument(metavar="RUN", help="A run's id, how it begins, or last; none lists the latest.")
]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command(cls=GroupedCommand)(show)


@takes("data_dir")
def show(
    ctx: typer.Context,
    run: RunName = None,
    *,
    given: Given,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show how an answer came about.

    The steps of the run, the claims with their sources, the checks.

    \b
    assay show          the latest runs
    assay show last
    """
    from assay.cli.run_view import show_run
    from assay.record.runs import RunStore
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    store = RunStore(load_settings(given).settings.runs_file)
    if run is None:
        _show_latest(store, as_json, terminal)
        return
    record = store.load(run)
    if as_json:
        terminal.object(record.to_dict())
    else:
        show_run(record, terminal)


def _show_latest(store: RunStore, as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import run_line

    latest = store.latest()
    if as_json:
        terminal.object({"runs": [each.to_dict() for each in latest]})
        return
    for each in latest:
        terminal.line(run_line(each))
    if not latest:
        terminal.note("no run is recorded yet")
