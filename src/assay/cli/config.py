"""config show: every setting, its value, and where the value came from."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli.flags import FLAGS, AsJson, Given, GroupedCommand, Quiet, Verbose, takes, terminal_of
from assay.cli.terminal import one_line

Origin = Annotated[bool, typer.Option("--origin", help="Also print where each value comes from.")]


def register(app: typer.Typer) -> None:
    """Give the program the verb `config show`."""
    config = typer.Typer(help="Show the settings.", no_args_is_help=True, rich_markup_mode=None)
    config.command(cls=GroupedCommand)(show)
    config.callback()(_group)
    app.add_typer(config, name="config")


def _group() -> None:
    pass


@takes(*FLAGS)
def show(
    ctx: typer.Context,
    *,
    given: Given,
    origin: Origin = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show every setting. A value comes from the first place that sets it.

    \b
    A flag, the environment (ASSAY_K=5), .env and assay.toml in this folder,
    your own config.toml, the profile, the default.
    """
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    resolved = load_settings(given)
    values = {name: _shown(getattr(resolved.settings, name)) for name in type(resolved.settings).model_fields}
    if as_json:
        rows = {name: {"value": value, "origin": resolved.origins[name]} for name, value in values.items()}
        terminal.object({"settings": rows} if origin else {"settings": values})
        return
    for name, value in values.items():
        text = "none" if value is None else one_line(str(value))
        terminal.line(f"{name:16} {text:32} {resolved.origins[name]}" if origin else f"{name:16} {text}")


def _shown(value: Any) -> Any:
    """The value as JSON, secrets so that only their owner recognises them."""
    from pathlib import Path

    from pydantic import SecretStr

    from assay.settings.files import mask

    if isinstance(value, SecretStr):
        return mask(value)
    return str(value) if isinstance(value, Path) else value
