"""config show: every setting with its value and origin."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.flags import FLAGS, AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line

Origin = Annotated[bool, typer.Option("--origin", help="Also print where each value comes from.")]


@takes(*FLAGS)
def show(
    terminal: Terminal,
    *,
    given: Given,
    origin: Origin = False,
    as_json: AsJson = False,
) -> None:
    """Show every setting. A value comes from the first place that sets it.

    \b
    A flag, the environment (ASSAY_K=5), .env and assay.toml in this folder,
    your own config.toml, the profile, the default.
    """
    from assay.settings import load_settings
    from assay.settings.files import shown_value

    resolved = load_settings(given)
    values = {name: shown_value(getattr(resolved.settings, name)) for name in type(resolved.settings).model_fields}
    if as_json:
        rows = {name: {"value": value, "origin": resolved.origins[name]} for name, value in values.items()}
        terminal.object({"settings": rows} if origin else {"settings": values})
        return
    for name, value in values.items():
        text = "none" if value is None else one_line(str(value))
        terminal.line(f"{name:16} {text:32} {resolved.origins[name]}" if origin else f"{name:16} {text}")


VERBS = (show,)
