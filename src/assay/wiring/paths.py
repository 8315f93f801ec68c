"""Paths that settings hold, made ready to open."""

from __future__ import annotations

from pathlib import Path

from assay.errors import UsageError
from assay.models.hub import PREFIX, HubName, PulledModels
from assay.records.policies import CheckerPolicies
from assay.settings import Settings


def expanded(path: str, *, named: str, hint: str) -> Path:
    """The path with `~` expanded; UsageError, naming the setting, where nobody has that home folder.

    >>> expanded("models/own", named="--embedder", hint="name a folder").parts
    ('models', 'own')
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~name, and no user has that name
        raise UsageError(f"{named}: {path} is in no one's home folder", hint=hint) from error


def in_hub_layout(place: Path) -> bool:
    """True if a model is laid out as on the Hugging Face hub, not as in `assay-models`; a file is."""
    return place.is_file() or ((place / "config.json").is_file() and not (place / "manifest.json").is_file())


def pulled_models(settings: Settings) -> PulledModels:
    """The models of the hub in the data folder."""
    return PulledModels(settings.data_dir / "models")


def policies_of(sha256: str, settings: Settings) -> CheckerPolicies:
    """The policies that were fitted, in the data folder, for the checker of this hash."""
    return CheckerPolicies(settings.data_dir / "policies", sha256)


def named_model(name: str, settings: Settings, *, named: str, what: str) -> Path:
    """The folder, or the file, of a model that a setting names.

    Raises UsageError for a folder that nobody has and for a model that was not pulled, DamagedStore for one whose
    files are not what was pulled.
    """
    if name.startswith(PREFIX):
        return pulled_models(settings).network(HubName.read(name))
    return expanded(name, named=named, hint=f"name another folder with --{what}, or leave it out")


def model_folder(name: str, settings: Settings, *, what: str, bundled: str) -> Path:
    """The folder of a network: that of the model `bundled` of assay-models, or the one that a setting names.

    `what` is what the network is, and the option that exchanges it. Raises UsageError where the installed
    assay-models has none, and as `named_model`.
    """
    if name != "bundled":
        return named_model(name, settings, named=settings.display_name(what), what=what)
    import assay_models

    try:
        return assay_models.folder(bundled)
    except LookupError as error:
        hint = f"in the clone of assay: pip install ./models; or do without: --{what} none"
        raise UsageError(f"the installed assay-models has no {what}", hint=hint) from error
