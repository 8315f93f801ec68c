"""rubrics: show, hash and reword what answers are assessed by."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.flags import FOR_DOCTOR, AsJson, Given, takes
from assay.cli.terminal import Terminal

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Replace the existing file.")]


@takes("data_dir")
def show(
    terminal: Terminal,
    *,
    given: Given,
    as_json: AsJson = False,
) -> None:
    """Show the rubrics and strategies in use, as TOML with their hash."""
    from assay.assessment.rubrics import as_toml, rubrics_in
    from assay.settings import load_settings

    found = rubrics_in(load_settings(given).settings.data_dir)
    if as_json:
        terminal.object({"sha256": found.sha256, **found.model_dump(mode="json")})
    else:
        terminal.line(as_toml(found).rstrip("\n"))


@takes("data_dir")
def hash_(
    terminal: Terminal,
    *,
    given: Given,
) -> None:
    """Print the hash of the rubrics in use; assessments record it."""
    from assay.assessment.rubrics import rubrics_in
    from assay.settings import load_settings

    terminal.line(rubrics_in(load_settings(given).settings.data_dir).sha256)


@takes(*FOR_DOCTOR)
def renew(
    terminal: Terminal,
    *,
    given: Given,
    yes: Yes = False,
) -> None:
    """Let the judge model reword rubrics and strategies.

    The new wording is used from now on; names and scores stay the same. The file in the data folder is pinned by
    its hash; delete it to undo.

    \b
    assay rubrics renew --model openai:NAME
    """
    from assay.settings import load_settings
    from assay.wiring.calibrated import renew as renewed

    written = renewed(load_settings(given).settings, replacing=yes)
    terminal.note(f"wrote {written.path}")
    terminal.line(written.sha256)


VERBS = (show, hash_, renew)
