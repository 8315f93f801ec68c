"""The places that settings come from.

This is the only file that reads the environment. A value is taken from the first place that has it:
command line flag, environment (`ASSAY_K=5`), `.env` in the working folder, `assay.toml` in the working
folder, the user's `config.toml`, the profile, the default.

A `.env` or `assay.toml` belongs to whoever wrote the folder, which may have been cloned from anywhere. So
neither may say to which server a key from the user's own environment is sent (CVE-2026-21852 and
CVE-2026-56259 were that): such a pair is refused.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from platformdirs import user_config_path
from pydantic import SecretStr, ValidationError

from assay.core.profiles import PROFILES
from assay.errors import UsageError
from assay.prompting import REPLY_SHARE
from assay.settings.files import KEY_OF_URL, PREFIX, VARIABLES, display_name, read_dotenv, read_toml, variable_of
from assay.settings.values import ROUNDS_OUTSIDE, Settings
from assay.types import AskOptions

PROJECT_FILE = "assay.toml"
USER_FILE = "config.toml"


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings from one place, unchecked; `origin` names the place as a user would look for it.

    `project` marks a place that whoever wrote the working folder controls; `variables` are those that were set.
    """

    origin: str
    values: Mapping[str, Any]
    project: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)

    def display_name(self, name: str) -> str:
        """The name in messages of a setting of this place."""
        return display_name(name, self.origin, self.variables.get(name))


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings, and for each the place that its value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    config_file: Path | None = None,
) -> Resolved:
    """The settings in force, for flags (those that are None count as not given) and this process.

    `environment`, `folder` (the working folder) and `config_file` (the user's) are for callers that must not
    look at the real ones. Raises UsageError, naming the place and the setting.

    >>> load_settings({"k": 5}, environment={}, folder=Path("/nowhere")).origins["k"]
    'flag'
    """
    env = os.environ if environment is None else environment
    folder = Path.cwd() if folder is None else folder
    config_file = user_config_path("assay") / USER_FILE if config_file is None else config_file
    layers = [
        Layer("flag", {name: value for name, value in (flags or {}).items() if value is not None}),
        _variables(env, "environment"),
        _dotenv(folder / ".env"),
        _toml(folder / PROJECT_FILE, PROJECT_FILE, project=True),
        _toml(config_file, str(config_file), project=False),
    ]
    resolved = _resolve(layers)
    _refuse_redirected_password(resolved, env, {layer.origin for layer in layers if layer.project})
    return resolved


def _resolve(layers: list[Layer]) -> Resolved:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    display_names: dict[str, str] = {}
    from_project: set[str] = set()
    for layer in layers:
        for name, value in layer.values.items():
            if name not in Settings.model_fields:
                raise _unknown(name, layer.origin)
            if name not in values:
                values[name], origins[name], display_names[name] = value, layer.origin, layer.display_name(name)
                if layer.project:
                    from_project.add(name)
    _refuse_redirected_keys(values, origins, from_project)
    _fill_in_profile(values, origins)
    settings = _refused_together(_checked(values, display_names))
    return Resolved(
        settings, MappingProxyType({name: origins.get(name, "default") for name in Settings.model_fields})
    )


def with_options(settings: Settings, options: AskOptions) -> Settings:
    """The settings with the options of one question over them, checked as settings are. Raises UsageError.

    What the engine's profile filled in gives way to another profile, and a model named here writes.

    >>> engine = load_settings({"max_calls": 3}, environment={}, folder=Path("/nowhere")).settings
    >>> asked = with_options(engine, AskOptions(k=5, deadline=60))
    >>> asked.k, asked.limits("fast").seconds, asked.limits("fast").calls
    (5, 60.0, 3)
    """
    given = options.values
    values = {name: getattr(settings, name) for name in Settings.model_fields}
    if "profile" in given:
        values |= {name: None for name in PROFILES["fast"] if not settings.was_set(name)}
    if "model" in given:
        values |= {"writer_model": None, "simple_model": None}
    display_names = dict(settings._display_names) | {name: f"the option {name}" for name in given}
    return _refused_together(_checked(values | given, display_names))


# The settings' names in messages, beside their values.
_CALLED = "display names"


def sent_settings(settings: Settings) -> dict[str, Any]:
    """The settings as JSON types, for a process on another machine; those that are secret stay behind.

    >>> sent = sent_settings(Settings(k=5, openai_api_key="sk-secret"))
    >>> sent["k"], "openai_api_key" in sent
    (5, False)
    """
    public = {name for name, value in settings if not isinstance(value, SecretStr)}
    return {**settings.model_dump(mode="json", include=public), _CALLED: dict(settings._display_names)}


def received_settings(sent: Mapping[str, Any]) -> Settings:
    """The settings that were sent, with the secrets that this process is given. Raises UsageError."""
    values = dict(sent)
    names = values.pop(_CALLED)
    own = {name: value for name, value in load_settings().settings if isinstance(value, SecretStr)}
    return _checked({**own, **values}, names)


def with_changes(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings of a recorded run with others in their place, checked as settings are. Raises UsageError.

    Who set what is not recorded: what is as the recorded profile has it gives way to another profile.

    >>> with_changes(Settings(max_calls=4), {"rounds": "3"}).limits("balanced").calls
    8
    """
    unknown = [name for name in changes if name not in Settings.model_fields]
    if unknown:
        raise _unknown(unknown[0], "the change")
    values = {name: getattr(settings, name) for name in Settings.model_fields}
    usual = PROFILES.get(settings.profile, {})
    values |= {name: None for name in usual if values[name] == usual[name]}
    return _refused_together(_checked(values | dict(changes), {name: f"the change of {name}" for name in changes}))


def _refused_together(settings: Settings) -> Settings:
    """The settings; raises UsageError where they do not go together."""
    _refuse_depth_without_model(settings)
    _refuse_outside_without_services(settings)
    _refuse_reply_beyond_window(settings)
    return settings


def _fill_in_profile(values: dict[str, Any], origins: dict[str, str]) -> None:
    name = values.get("profile", "fast")
    if not isinstance(name, str):  # refused by the check that follows, in its own words
        return
    for key, value in PROFILES.get(name, {}).items():
        if key not in values:
            values[key], origins[key] = value, "default" if name == "fast" else f"profile {name}"
    if values.get("outside") and origins.get("rounds") == "default":
        values["rounds"], origins["rounds"] = ROUNDS_OUTSIDE, "outside"


def _checked(values: Mapping[str, Any], display_names: Mapping[str, str]) -> Settings:
    try:
        settings = Settings(**values)
        settings._display_names = display_names
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        what = (
            first["msg"]
            .removeprefix("Value error, ")
            .replace("Input should", "must", 1)
            .partition(", unable to parse")[0]
        )
        # An error of two settings names both: first the lower one, last the upper.
        lower, *_rest, upper = what.split()
        name = str(first["loc"][0]) if first["loc"] else upper if upper in display_names else lower
        raise UsageError(
            f"{display_names.get(name, name)}: {what[:1].lower()}{what[1:]}",
            hint=f"{name}: {Settings.model_fields[name].description}; see `assay config show --origin`",
        ) from None  # the cause may quote a secret
    return settings


def _refuse_depth_without_model(settings: Settings) -> None:
    if settings.profile in ("balanced", "thorough") and settings.model_of("judge") is None:
        raise UsageError(
            f"{settings.display_name('profile')} {settings.profile!r} needs a judge with a language model, "
            "but no model is set",
            hint="set one with --model, e.g. --model openai:NAME or --model local:FILE.gguf, or use fast",
        )


def _refuse_outside_without_services(settings: Settings) -> None:
    if settings.verify_outside and not settings.outside:
        raise UsageError(
            f"{settings.display_name('verify_outside')} needs an outside search service, but none is set",
            hint="name one with --outside, e.g. --outside wikipedia",
        )


def _refuse_reply_beyond_window(settings: Settings) -> None:
    reply, window = settings.reply_tokens, settings.context_tokens
    if reply is not None and reply > window // REPLY_SHARE:
        raise UsageError(
            f"{settings.display_name('reply_tokens')} {reply}: a reply may have at most a third of context_tokens, "
            f"which is {window}; the rest is for the evidence",
            hint=f"set it to {window // REPLY_SHARE} at most, or --context-tokens to {REPLY_SHARE * reply} or more "
            "where the model can take them",
        )


def _refuse_redirected_keys(values: Mapping[str, Any], origins: Mapping[str, str], from_project: set[str]) -> None:
    for url, key in KEY_OF_URL.items():
        if url in from_project and key in values and key not in from_project:
            raise UsageError(
                f"{origins[url]} in this folder sets {url}, which would send {key} from your "
                f"{origins[key]} to a server that the folder chose",
                hint=f"if you trust it, set {variable_of(url)} in your own environment or user config",
            )


def _refuse_redirected_password(resolved: Resolved, environment: Mapping[str, str], projects: set[str]) -> None:
    """Libpq sends this password to any server; those of ~/.pgpass each belong to one."""
    origin = resolved.origins["store"]
    if origin in projects and environment.get("PGPASSWORD"):
        raise UsageError(
            f"{origin} in this folder sets store, which would send the PGPASSWORD of your environment to a server "
            "that the folder chose",
            hint=f"if you trust it, set {variable_of('store')} in your own environment or user config",
        )


def _unknown(name: str, origin: str) -> UsageError:
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`assay config show` lists every setting"
    place = "" if origin == "flag" else f"{origin}: "
    return UsageError(f"{place}there is no setting {name!r}", hint=hint)


def _variables(environment: Mapping[str, str], origin: str, *, project: bool = False) -> Layer:
    """The settings among environment variables; an empty variable counts as not set.

    Other variables that begin with ASSAY_ are not ours to judge, unless one looks like a slip of the pen.
    """
    values: dict[str, str] = {}
    used: dict[str, str] = {}
    known: dict[str, str] = {}
    for name in Settings.model_fields:
        for variable in VARIABLES.get(name, (PREFIX + name.upper(),)):
            known[variable] = name
            if environment.get(variable) and name not in values:
                values[name], used[name] = environment[variable], variable
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known:
            _refuse_misspelt(variable, known, origin)
    return Layer(origin, values, project, used)


def _refuse_misspelt(variable: str, known: Mapping[str, str], origin: str) -> None:
    close = difflib.get_close_matches(variable, known, n=1, cutoff=0.85)
    if close:
        raise UsageError(f"{origin}: {variable} is not a setting", hint=f"did you mean {close[0]}?")


def _dotenv(path: Path) -> Layer:
    pairs = read_dotenv(path, ".env")
    return _variables({name: value for name, value in pairs.items() if value}, ".env", project=True)


def _toml(path: Path, origin: str, *, project: bool) -> Layer:
    return Layer(origin, read_toml(path, origin), project)
