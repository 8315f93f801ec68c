"""rubrics: what answers are assessed by, its hash, and how to have it worded anew."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.flags import FOR_DOCTOR, AsJson, Given, GroupedCommand, Quiet, Verbose, takes, terminal_of

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Replace the existing file.")]


def register(app: typer.Typer) -> None:
    """Give the program the verbs `rubrics show`, `rubrics hash` and `rubrics renew`."""
    rubrics = typer.Typer(
        help="Show or renew what answers are assessed by.", no_args_is_help=True, rich_markup_mode=None
    )
    for verb in (show, hash_, renew):
        rubrics.command(name=verb.__name__.strip("_"), cls=GroupedCommand)(verb)
    app.add_typer(rubrics, name="rubrics")


@takes("data_dir")
def show(
    ctx: typer.Context,
    *,
    given: Given,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show the rubrics and strategies in force, as TOML with their hash."""
    from assay.assessment.rubrics import as_toml, rubrics_in
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    found = rubrics_in(load_settings(given).settings.data_dir)
    if as_json:
        terminal.object({"sha256": found.sha256, **found.model_dump(mode="json")})
    else:
        terminal.line(as_toml(found).rstrip("\n"))


@takes("data_dir")
def hash_(
    ctx: typer.Context,
    *,
    given: Given,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Print the hash of the rubrics and strategies in force; every assessment records it."""
    from assay.assessment.rubrics import rubrics_in
    from assay.settings import load_settings

    terminal_of(ctx).line(rubrics_in(load_settings(given).settings.data_dir).sha256)


@takes(*FOR_DOCTOR)
def renew(
    ctx: typer.Context,
    *,
    given: Given,
    yes: Yes = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Have the judge's model rewrite rubrics and strategies, and use them from now on.

    Names and scores stay. The file in the data folder is pinned by its hash; remove it to go back.

    \b
    assay rubrics renew --model openai:NAME
    """
    from assay.settings import load_settings
    from assay.wiring.calibrated import renew as renewed

    terminal = terminal_of(ctx)
    written = renewed(load_settings(given).settings, replacing=yes)
    terminal.note(f"wrote {written.path}")
    terminal.line(written.sha256)
