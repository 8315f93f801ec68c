"""doctor: what is installed, what works, and what to do about the rest."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import FOR_DOCTOR, AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.cli.examine import Examined

Store = Annotated[bool, typer.Option("--store", help="Also read every collection and check that it is intact.")]


@takes(*FOR_DOCTOR)
def doctor(
    terminal: Terminal,
    *,
    given: Given,
    store: Store = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation: what is installed and what works.

    Lists versions, folders and extras, and each role with its model and the host that prompts go to. Each
    configured model is asked for a word in every way that assay needs, and each outside source is searched once.

    \b
    assay doctor -m openai:gpt-5-mini
    """
    from assay.cli.examine import examine
    from assay.cli.examine_models import (
        examine_checker,
        examine_embedder,
        examine_models,
        examine_outside,
        examine_reader,
        examine_reranker,
    )
    from assay.settings import load_settings
    from assay.types import Status

    resolved = load_settings(given)
    parts = {
        Exit.STORE: chain(
            examine(resolved.settings, store=store),
            examine_embedder(resolved),
            examine_reader(resolved),
            examine_checker(resolved),
            examine_reranker(resolved),
        ),
        Exit.PROVIDER: chain(examine_models(resolved), examine_outside(resolved)),
    }
    examined, code = [], Exit.OK
    for code_of_part, part in parts.items():
        for finding in part:
            examined.append(finding)
            code = code or (code_of_part if finding.status is Status.FAILED else Exit.OK)
            if not as_json:
                _show(finding, terminal)
    if as_json:
        terminal.object({"ok": code is Exit.OK, "examined": [finding.to_dict() for finding in examined]})
    raise typer.Exit(code)


def _show(examined: Examined, terminal: Terminal) -> None:
    from assay.cli.answer_view import marked

    terminal.console().print(marked(examined.status.value, f"{examined.name}: {one_line(examined.detail)}"))


VERBS = (doctor,)
