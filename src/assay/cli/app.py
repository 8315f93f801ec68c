"""The program `assay`: its verbs, and the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer
from typer.main import get_command

from assay import __version__
from assay.cli import (
    audit,
    calibrate,
    chat,
    checks,
    compare,
    config,
    doctor,
    documents,
    evaluate,
    exits,
    export,
    figures,
    keys,
    labels,
    learn,
    make_questions,
    models,
    questions,
    record,
    rubrics,
    rules,
    runs,
    serve,
)
from assay.cli.exits import Exit
from assay.cli.flags import add_verbs
from assay.cli.terminal import OutputClosed, Terminal, reason_of
from assay.errors import AssayError, StoreError, StoreFull, UsageError
from assay.nlp.controls import visible

if TYPE_CHECKING:
    from typer import _click

# The parser's words, and plainer ones.
_PLAIN = {
    "Value error, ": "",  # pydantic's prefix of assay's own messages
    "Input should be a valid integer, unable to parse string as an integer": "give a whole number",
    "Input should be a valid number, unable to parse string as a number": "give a number",
    "Input should be": "it must be",
}
# New objects between two passes of the garbage collector, 700 by default. Imports make next to no garbage, and a
# tenth of a cold `assay ask` went into looking for it.
_NEW_OBJECTS = 20_000
_STOPPED = "stopped; the collection is intact"

app = typer.Typer(
    name="assay",
    help="Answer questions from your documents, and check every answer before you see it.",
    epilog=exits.HELP,
    no_args_is_help=True,
    rich_markup_mode=None,  # rich would cost `--help` a tenth of a second
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    documents,
    questions,
    chat,
    runs,
    checks,
    labels,
    figures,
    export,
    calibrate,
    learn,
    audit,
    compare,
    doctor,
    serve,
):
    add_verbs(app, module.VERBS)
for name, module, what in (
    ("rubrics", rubrics, "Show or rewrite the rubrics that answers are assessed by."),
    ("rules", rules, "Check and show output rules."),
    ("runs", record, "List or delete recorded runs."),
    ("models", models, "Fetch, list or remove models from the Hugging Face Hub."),
    ("keys", keys, "Create, list or revoke API keys for the server."),
    ("config", config, "Show the settings."),
):
    group = typer.Typer(help=what, no_args_is_help=True, rich_markup_mode=None)
    group.callback()(lambda: None)  # a group stays one if it has a single verb
    add_verbs(group, module.VERBS)
    app.add_typer(group, name=name)
evaluation = typer.Typer(
    cls=evaluate.EvalGroup,
    help="Measure answers to the questions of a data set.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
evaluation.callback()(lambda: None)
add_verbs(evaluation, (*evaluate.VERBS, *make_questions.VERBS))
app.add_typer(evaluation, name="eval")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@cache
def _program() -> _click.Command:
    return get_command(app)


def run(arguments: Sequence[str], terminal: Terminal | None = None) -> int:
    """Carry out one command; returns its exit code and raises nothing."""
    terminal = terminal or Terminal()
    try:
        code = _program().main(list(arguments), prog_name="assay", standalone_mode=False, obj=terminal)
        if code == Exit.INTERRUPTED:  # typer's result of Ctrl-C
            terminal.note(_STOPPED)
        return code if isinstance(code, int) else Exit.OK
    except AssayError as error:
        terminal.error(error)
        return exits.of_error(error)
    except typer.TyperException as error:
        return _misused(error, terminal)
    except (KeyboardInterrupt, typer.Abort):
        terminal.note(_STOPPED)
        return Exit.INTERRUPTED
    except (OutputClosed, BrokenPipeError):
        _discard_output()
        return Exit.OUTPUT_CLOSED
    except OSError as error:
        terminal.error(_of_system(error))
        return Exit.STORE
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        _discard_output()  # the output was closed while typer printed a help page
        return Exit.OUTPUT_CLOSED
    except Exception as error:  # noqa: BLE001 - the boundary: no user ever sees a traceback unasked
        return _bug(error, terminal)


def main() -> None:
    """The console script."""
    os.umask(0o077)  # stored text may be private
    gc.set_threshold(_NEW_OBJECTS)
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a sign that the terminal cannot show must not fail
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        code = Exit.OUTPUT_CLOSED
    except OSError:  # the disk it goes to is full; `run` has said so
        _discard_output()
    sys.exit(code)


def _open_what_is_closed() -> None:
    """A standard stream that was closed (`>&-`) is like /dev/null; no file of the store may get its number."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - open as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _misused(error: typer.TyperException, terminal: Terminal) -> int:
    """Tell of arguments that the parser refused; asking for nothing shows the help."""
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        terminal.line(context.get_help() if context else "")
        return Exit.USAGE
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    where = context.command_path if context else "assay"
    for words, plain in _PLAIN.items():
        message = message.replace(words, plain, 1)
    message = message[:1].lower() + message[1:].rstrip(".")
    terminal.error(UsageError(message, hint=f"see `{where} --help`"))
    return Exit.USAGE


def _of_system(error: OSError) -> AssayError:
    """The error for a refusal of the file system that nothing nearer understood."""
    place = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return StoreFull(f"{place}the disk is full", hint="free some space and run the same command again")
    return StoreError(f"{place}{reason_of(error)}", hint="check the path and its permissions")


def _bug(error: Exception, terminal: Terminal) -> int:
    if terminal.verbose:
        import traceback

        terminal.err.write(visible("".join(traceback.format_exception(error))))
    what = f"{type(error).__name__}: {error}"
    terminal.err.write(
        f"error: a bug in assay: {visible(what)}\nhint: run it again with -v and report what it prints\n"
    )
    return Exit.BUG


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that Python does not complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
