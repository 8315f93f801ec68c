"""models: fetch, list and remove models of the Hugging Face hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.flags import AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line
from assay.errors import EgressRefused

if TYPE_CHECKING:
    from assay.models.hub import PulledModels

Name = Annotated[
    str, typer.Argument(metavar="hf:ORG/NAME@REVISION", help="The model and its tag, commit or branch.")
]
File = Annotated[
    str | None, typer.Option("--file", metavar="PATH", help="Which of the model's ONNX networks to fetch.")
]
Labels = Annotated[
    str | None,
    typer.Option("--labels", metavar="LIST", help="Meaning of its classes, in order: unsupported,supported."),
]
QueryPrefix = Annotated[
    str | None,
    typer.Option("--query-prefix", metavar="TEXT", help="Prefix that an embedder expects before a question."),
]
PassagePrefix = Annotated[
    str | None,
    typer.Option("--passage-prefix", metavar="TEXT", help="Prefix that an embedder expects before a passage."),
]
Languages = Annotated[
    str | None,
    typer.Option("--languages", metavar="LIST", help="Languages that the model reads: en,de. [default: en]"),
]


@takes("data_dir", "offline")
def pull(
    terminal: Terminal,
    name: Name,
    *,
    given: Given,
    file: File = None,
    labels: Labels = None,
    query_prefix: QueryPrefix = None,
    passage_prefix: PassagePrefix = None,
    languages: Languages = None,
    as_json: AsJson = False,
) -> None:
    """Fetch a model from the Hugging Face Hub.

    Its JSON files and one ONNX network are stored in the data folder and pinned by their hashes; code and pickle
    files are never fetched. No token is sent.

    \b
    assay models pull hf:cross-encoder/ms-marco-MiniLM-L6-v2@main
    assay ask "When was it opened?" --reranker hf:cross-encoder/ms-marco-MiniLM-L6-v2@main
    """
    from assay.models.hub import HubName
    from assay.settings import load_settings

    settings = load_settings(given).settings
    wanted = HubName.read(name)
    if settings.offline:
        raise EgressRefused(
            f"offline mode refuses to fetch {wanted}", hint="leave out --offline, or name a local folder"
        )
    from assay.models.hub_pull import pull as pull_model

    lists = {"labels": labels, "languages": languages}
    said = {key: [item.strip() for item in value.split(",")] for key, value in lists.items() if value is not None}
    prefixes = {"query_prefix": query_prefix, "passage_prefix": passage_prefix}
    texts = {key: value for key, value in prefixes.items() if value is not None}
    pulled = pull_model(wanted, _models(given), network=file, said={**said, **texts}, tell=terminal.note)
    if as_json:
        terminal.object(pulled.to_dict())
    else:
        terminal.line(f"{pulled.name}, commit {pulled.commit}, {pulled.network}, {pulled.size / 1e6:,.1f} MB")


@takes("data_dir")
def list_(
    terminal: Terminal,
    *,
    given: Given,
    as_json: AsJson = False,
) -> None:
    """List the pulled models.

    Prints commit, network and size, and whether a checker has been fitted.
    """
    from assay.settings import load_settings
    from assay.wiring.networks import policy_in_use

    found = _models(given).all()
    settings = load_settings(given).settings
    fitted = [policy_in_use(settings, model) for model in found]
    if as_json:
        listed = zip(found, fitted, strict=True)
        terminal.object(
            {
                "models": [
                    {**model.to_dict(), "fitted": told if told is None else bool(told)} for model, told in listed
                ]
            }
        )
        return
    for model, told in zip(found, fitted, strict=True):
        network = one_line(model.network)
        checker = {None: "", "": "  not fitted: assay calibrate --claims"}.get(told, f"  fitted: {told}")
        terminal.line(
            f"{model.name}  {one_line(model.commit[:12])}  {network}  {model.size / 1e6:,.1f} MB{checker}"
        )
    if not found:
        terminal.note("no models have been pulled")


@takes("data_dir")
def remove(
    terminal: Terminal,
    name: Name,
    *,
    given: Given,
) -> None:
    """Remove a pulled model.

    Policies that `assay calibrate` fitted for it are kept.
    """
    from assay.models.hub import HubName

    wanted = HubName.read(name)
    _models(given).remove(wanted)
    terminal.note(f"removed {wanted}")


def _models(given: Given) -> PulledModels:
    from assay.settings import load_settings
    from assay.wiring.paths import pulled_models

    return pulled_models(load_settings(given).settings)


VERBS = (pull, list_, remove)
