"""The options that several verbs share and that are no settings, and how a verb's help shows all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from assay.cli.flags import Given
from assay.cli.terminal import Terminal
from assay.errors import UsageError

if TYPE_CHECKING:
    from typer import _click


def terminal_of(ctx: typer.Context) -> Terminal:
    """The terminal of this call."""
    found = ctx.find_root().obj
    assert isinstance(found, Terminal)  # noqa: S101 - `assay.cli.app.run` puts it there
    return found


def _quieten(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).quiet |= value
    return value


def _explain(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).verbose |= value
    return value


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsJsonLines = Annotated[
    bool, typer.Option("--jsonl", help="Read JSON lines from standard input; print one object per line.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_quieten, expose_value=True, help="Print only results and errors.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", callback=_explain, help="Print more; show the traceback of a bug.")
]


AtOnce = Annotated[
    int | None,
    typer.Option(
        "--at-once", metavar="N", min=1, max=256, help="Lines to process at once. [default: 8 with a model, else 1]"
    ),
]


def at_once(given: int | None, flags: Given) -> int:
    """How many lines of a pipe are answered together; waiting for a model is no work, all else is."""
    from assay.settings import MODEL_SETTINGS, load_settings

    settings = load_settings(flags).settings
    asks = any(getattr(settings, name) is not None for name in MODEL_SETTINGS)
    return given or (8 if asks else 1)


def one_format(as_json: bool, as_json_lines: bool) -> None:
    """Refuse both machine formats at once."""
    if as_json and as_json_lines:
        raise UsageError(
            "--json and --jsonl exclude one another", hint="use --json for one input, --jsonl for many"
        )


def one_of_two(yes: bool, no: bool, flags: str) -> bool | None:
    """What was decided with two flags, `flags` by name; None where neither was given. Raises UsageError for both.

    >>> one_of_two(False, True, "--accept and --reject")
    False
    """
    if yes and no:
        raise UsageError(f"{flags} exclude one another", hint="leave one of the two out")
    return True if yes else False if no else None


class GroupedCommand(TyperCommand):
    """A verb whose help lists its flags in groups, the verb's own options first."""

    def format_options(self, ctx: _click.Context, formatter: _click.HelpFormatter) -> None:
        """Write a section for each group of flags."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(_section(parameter), []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _section(parameter: _click.core.Parameter) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or "Options"
