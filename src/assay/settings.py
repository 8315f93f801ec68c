"""Every setting, where its value came from, and the three profiles.

This is the only file that reads the environment. A value is taken from the first place that has it:
command line flag, environment (`ASSAY_K=5`), `.env` in the working folder, `assay.toml` in the working
folder, the user's `config.toml`, the profile, the default.

A `.env` or `assay.toml` belongs to whoever wrote the folder, which may have been cloned from anywhere. So
neither may say to which server a key from the user's own environment is sent (CVE-2026-21852 and
CVE-2026-56259 were that): such a pair is refused.
"""

from __future__ import annotations

import difflib
import io
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from assay.errors import UsageError
from assay.types import Limits, SearchMode

PROJECT_FILE = "assay.toml"
USER_FILE = "config.toml"
PREFIX = "ASSAY_"

# What each depth may use for one question (design.md, Defaults). `calls` counts model calls.
PROFILES: Mapping[str, Mapping[str, int | float]] = MappingProxyType(
    {
        "fast": MappingProxyType({"rounds": 1, "repairs": 2, "calls": 1, "deadline": 10.0}),
        "balanced": MappingProxyType({"rounds": 2, "repairs": 4, "calls": 8, "deadline": 30.0}),
        "thorough": MappingProxyType({"rounds": 3, "repairs": 8, "calls": 24, "deadline": 90.0}),
    }
)
# The profiles that something here can carry out; the others need a judge that asks a language model.
RUNNABLE = frozenset({"fast"})

# Settings that other programs name too; the first variable that is set counts.
VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai_api_key": ("ASSAY_OPENAI_API_KEY", "OPENAI_API_KEY"),
        "openai_base_url": ("ASSAY_OPENAI_BASE_URL", "OPENAI_BASE_URL"),
    }
)
# Which key is sent to which address.
KEY_OF_URL: Mapping[str, str] = MappingProxyType({"openai_base_url": "openai_api_key"})


class Settings(BaseModel):
    """Every setting, checked and frozen.

    >>> Settings(k=5).k
    5
    >>> Settings(openai_api_key="sk-abcdefghijkl").openai_api_key
    SecretStr('**********')
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, hide_input_in_errors=True)

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("assay"),
        description="folder that holds the collections and the runs",
    )
    collection: str = Field(
        "default",
        pattern=r"^\w[\w.-]{0,63}$",
        description="the collection's name: letters, digits, dot, dash and underscore, at most 64",
    )
    profile: Literal["fast", "balanced", "thorough"] = Field("fast", description="how deep to look")
    k: int = Field(8, ge=1, le=200, description="how many passages a search returns")
    mode: SearchMode = Field(SearchMode.HYBRID, description="how a search runs: hybrid, dense or sparse")
    fusion: Literal["scaled", "rrf"] = Field("scaled", description="how a hybrid search joins its two lists")
    mmr: float | None = Field(
        None, ge=0, le=1, description="diversity of the passages: 1 is relevance only; none switches it off"
    )
    weights: Literal["fitted", "seed"] = Field("fitted", description="which weights the judge scores with")
    correct: float = Field(0.7, ge=0, le=1, description="a passage scored above this is relevant")
    incorrect: float = Field(0.3, ge=0, le=1, description="a passage scored below this is not")
    rounds: int = Field(1, ge=1, le=10, description="how often one question may search")
    repairs: int = Field(2, ge=0, le=20, description="how many repairs one answer may have")
    calls: int = Field(1, ge=0, le=200, description="how many model calls one question may make")
    deadline: float = Field(10.0, gt=0, le=3600, description="seconds for one question")
    embedder: str = Field(
        "bundled",
        min_length=1,
        description="who makes the vectors: bundled, a folder with an ONNX model, or openai:MODEL",
    )
    openai_base_url: str | None = Field(
        None, pattern=r"^https?://\S+$", description="address of an OpenAI-compatible service"
    )
    openai_api_key: SecretStr | None = Field(None, description="its key")

    @field_validator("data_dir")
    @classmethod
    def _expanded(cls, value: Path) -> Path:
        try:
            return value.expanduser().absolute()
        except RuntimeError as error:  # ~name of nobody here
            raise ValueError(f"{value} is in nobody's home folder") from error

    @model_validator(mode="after")
    def _ordered(self) -> Settings:
        if self.incorrect > self.correct:
            raise ValueError("incorrect must not be above correct")
        return self

    @property
    def limits(self) -> Limits:
        """What one question may use."""
        return Limits(rounds=self.rounds, repairs=self.repairs, calls=self.calls, seconds=self.deadline)

    @property
    def runs_file(self) -> Path:
        """Where the runs are recorded."""
        return self.data_dir / "runs.sqlite"


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings from one place, unchecked; `origin` names the place as a user would look for it.

    `project` marks a place that whoever wrote the working folder controls.
    """

    origin: str
    values: Mapping[str, Any]
    project: bool = False


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
    return _resolve(layers)


def mask(value: SecretStr) -> str:
    """The secret so that its owner recognises it and nobody else can use it.

    >>> mask(SecretStr("sk-proj-0123456789abcdef"))
    'sk-…cdef'
    >>> mask(SecretStr("short"))
    '…'
    """
    secret = value.get_secret_value()
    if len(secret) < 12:
        return "…"
    return f"{'sk-' if secret.startswith('sk-') else ''}…{secret[-4:]}"


def _resolve(layers: list[Layer]) -> Resolved:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    from_project: set[str] = set()
    for layer in layers:
        for name, value in layer.values.items():
            if name not in Settings.model_fields:
                raise _unknown(name, layer.origin)
            if name not in values:
                values[name], origins[name] = value, layer.origin
                if layer.project:
                    from_project.add(name)
    _refuse_redirected_keys(values, origins, from_project)
    _fill_in_profile(values, origins)
    settings = _checked(values, origins)
    return Resolved(
        settings, MappingProxyType({name: origins.get(name, "default") for name in Settings.model_fields})
    )


def _fill_in_profile(values: dict[str, Any], origins: dict[str, str]) -> None:
    name = values.get("profile", "fast")
    if not isinstance(name, str):  # refused by the check that follows, in its own words
        return
    for key, value in PROFILES.get(name, {}).items():
        if key not in values:
            values[key], origins[key] = value, "default" if name == "fast" else f"profile {name}"


def _checked(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    try:
        settings = Settings(**values)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "incorrect"
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(
            f"{origins.get(name, 'default')}: setting {name!r}: {what[:1].lower()}{what[1:]}",
            hint=f"{name} is {Settings.model_fields[name].description}; see `assay config show --origin`",
        ) from None  # the cause may quote a secret
    if settings.profile not in RUNNABLE:
        raise UsageError(
            f"profile {settings.profile!r} needs a judge that asks a language model, and there is none here",
            hint="use --profile fast",
        )
    return settings


def _refuse_redirected_keys(values: Mapping[str, Any], origins: Mapping[str, str], from_project: set[str]) -> None:
    for url, key in KEY_OF_URL.items():
        if url in from_project and key in values and key not in from_project:
            raise UsageError(
                f"{origins[url]} in this folder sets {url}, which would send {key} from your "
                f"{origins[key]} to a server that the folder chose",
                hint=f"if you trust it, set {VARIABLES[url][-1]} in your own environment or user config",
            )


def _unknown(name: str, origin: str) -> UsageError:
    close = difflib.get_close_matches(name, Settings.model_fields, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "`assay config show` lists every setting"
    return UsageError(f"{origin}: there is no setting {name!r}", hint=hint)


def _variables(environment: Mapping[str, str], origin: str, *, project: bool = False) -> Layer:
    """The settings among environment variables; an empty variable counts as not set.

    Other variables that begin with ASSAY_ are not ours to judge, unless one looks like a slip of the pen.
    """
    values: dict[str, str] = {}
    known: dict[str, str] = {}
    for name in Settings.model_fields:
        for variable in VARIABLES.get(name, (PREFIX + name.upper(),)):
            known[variable] = name
            if environment.get(variable) and name not in values:
                values[name] = environment[variable]
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known:
            _refuse_misspelt(variable, known, origin)
    return Layer(origin, values, project)


def _refuse_misspelt(variable: str, known: Mapping[str, str], origin: str) -> None:
    close = difflib.get_close_matches(variable, known, n=1, cutoff=0.85)
    if close:
        raise UsageError(f"{origin}: {variable} is not a setting", hint=f"did you mean {close[0]}?")


def _dotenv(path: Path) -> Layer:
    if not path.is_file():
        return Layer(".env", {}, project=True)
    from dotenv import dotenv_values

    pairs = dotenv_values(stream=io.StringIO(_read(path, ".env")), interpolate=False)
    return _variables({name: value for name, value in pairs.items() if value}, ".env", project=True)


def _toml(path: Path, origin: str, *, project: bool) -> Layer:
    if not path.is_file():
        return Layer(origin, {}, project)
    try:
        values = tomllib.loads(_read(path, origin))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: not valid TOML: {error}", hint=f"correct {path}, or move it away") from error
    return Layer(origin, values, project)


def _read(path: Path, origin: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{origin}: not UTF-8 text", hint=f"save {path} as UTF-8") from error
    except OSError as error:
        raise UsageError(
            f"{origin}: cannot be read: {error.strerror}", hint=f"check the rights of {path}"
        ) from error
