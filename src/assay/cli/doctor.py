"""doctor: what is installed and what works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.exits import Exit
from assay.cli.flags import FOR_DOCTOR, AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.diagnosis.installation import Diagnosis

Store = Annotated[bool, typer.Option("--store", help="Also read every collection and check its integrity.")]


@takes(*FOR_DOCTOR)
def doctor(
    terminal: Terminal,
    *,
    given: Given,
    store: Store = False,
    as_json: AsJson = False,
) -> None:
    """Check the installation: what is installed and what works.

    Lists versions, folders and extras, and each role with its model and the host that receives its prompts. Each
    configured model is called once in every way that assay needs, and each outside source is searched once.

    \b
    assay doctor -m openai:gpt-5-mini
    """
    from assay.diagnosis import diagnose_services, diagnose_setup
    from assay.settings import load_settings
    from assay.types import Status

    resolved = load_settings(given)
    parts = {Exit.STORE: diagnose_setup(resolved, store=store), Exit.PROVIDER: diagnose_services(resolved)}
    found, code = [], Exit.OK
    for code_of_part, part in parts.items():
        for finding in part:
            found.append(finding)
            code = code or (code_of_part if finding.status is Status.FAILED else Exit.OK)
            if not as_json:
                _show(finding, terminal)
    if as_json:
        terminal.object({"ok": code is Exit.OK, "examined": [finding.to_dict() for finding in found]})
    raise typer.Exit(code)


def _show(found: Diagnosis, terminal: Terminal) -> None:
    from assay.cli.answer_view import with_mark

    terminal.console().print(with_mark(found.status.value, f"{found.name}: {one_line(found.detail)}"))


VERBS = (doctor,)
