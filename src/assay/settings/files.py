"""The files and variables that settings are read from. A file that is not there is an empty one."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import SecretStr

from assay.errors import UsageError

PREFIX = "ASSAY_"
# An address up to what names the user: RFC 3986, section 3.2.1.
_USERINFO = re.compile(r"^(https?://)[^/?#\s]*@", re.IGNORECASE)
_DATABASE = re.compile(r"postgres(ql)?://")
# Settings that other programs name too; the first variable that is set counts.
VARIABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai_api_key": ("ASSAY_OPENAI_API_KEY", "OPENAI_API_KEY"),
        "openai_base_url": ("ASSAY_OPENAI_BASE_URL", "OPENAI_BASE_URL"),
        "anthropic_api_key": ("ASSAY_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        "anthropic_base_url": ("ASSAY_ANTHROPIC_BASE_URL", "ANTHROPIC_BASE_URL"),
        # Google's own client prefers the second of these two as well, so that both choose the same key.
        "gemini_api_key": ("ASSAY_GEMINI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "gemini_base_url": ("ASSAY_GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        # The name that OpenTelemetry's conventions for generative AI gave it.
        "telemetry_texts": ("ASSAY_TELEMETRY_TEXTS", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
        "searxng_url": ("ASSAY_SEARXNG_URL", "SEARXNG_URL"),
        "brave_api_key": ("ASSAY_BRAVE_API_KEY", "BRAVE_API_KEY"),
        "tavily_api_key": ("ASSAY_TAVILY_API_KEY", "TAVILY_API_KEY"),
    }
)
# The key that is sent to each address.
KEY_OF_URL: Mapping[str, str] = MappingProxyType(
    {
        "openai_base_url": "openai_api_key",
        "anthropic_base_url": "anthropic_api_key",
        "gemini_base_url": "gemini_api_key",
    }
)


def display_name(setting: str, origin: str, variable: str | None = None) -> str:
    """A setting as whoever gave it knows it: its flag, its variable, or its line in a file; keys have no flag.

    >>> display_name("max_cost", "flag"), display_name("max_cost", "assay.toml")
    ('--max-cost', 'max_cost in assay.toml')
    """
    if origin == "flag":
        return setting if setting.endswith("_api_key") else f"--{setting.replace('_', '-')}"
    return (variable or setting) if origin == "environment" else f"{variable or setting} in {origin}"


def variable_of(setting: str) -> str:
    """The variable of a setting, as other programs name it where they do."""
    return VARIABLES.get(setting, (PREFIX + setting.upper(),))[-1]


def mask(value: SecretStr) -> str:
    """The secret so that its owner recognises it and nobody else can use it.

    >>> mask(SecretStr("sk-proj-0123456789abcdef"))
    'sk-…cdef'
    >>> mask(SecretStr("short"))
    '…'
    >>> mask(SecretStr("postgresql://ann:s3cret@db.example/assay?sslpassword=x"))
    'postgresql://db.example/assay'
    """
    secret = value.get_secret_value()
    if scheme := _DATABASE.match(secret):
        # A password may hold any sign: what is shown begins behind the last @ and ends before the parameters.
        return f"{scheme.group()}{secret[scheme.end() :].rpartition('@')[2].partition('?')[0]}"
    if len(secret) < 12:
        return "…"
    return f"{'sk-' if secret.startswith('sk-') else ''}…{secret[-4:]}"


def shown_value(value: Any) -> Any:
    """A setting's value as JSON that anybody may see: keys are masked, addresses lose their user and password.

    >>> shown_value("http://ann:secret@models.example/v1"), shown_value(SecretStr("short"))
    ('http://models.example/v1', '…')
    """
    if isinstance(value, SecretStr):
        return mask(value)
    if isinstance(value, str):
        return without_userinfo(value)
    return str(value) if isinstance(value, Path) else value


def without_userinfo(text: str) -> str:
    """The text without the user and password of the address that it may be.

    >>> without_userinfo("https://ann@models.example/@v1"), without_userinfo("ann@models.example")
    ('https://models.example/@v1', 'ann@models.example')
    """
    return _USERINFO.sub(r"\1", text, count=1)


def read_toml(path: Path, origin: str) -> Mapping[str, Any]:
    """The values of a TOML file; `origin` names it in errors. Raises UsageError."""
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(_text(path, origin))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: not valid TOML: {error}", hint=f"correct {path}, or move it away") from error


def read_dotenv(path: Path, origin: str) -> Mapping[str, str | None]:
    """The variables of a `.env` file, taken as they are written. Raises UsageError."""
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    return dotenv_values(stream=io.StringIO(_text(path, origin)), interpolate=False)


def _text(path: Path, origin: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{origin}: not UTF-8 text", hint=f"save {path} as UTF-8") from error
    except OSError as error:
        raise UsageError(
            f"{origin}: cannot be read: {error.strerror}", hint=f"check the permissions of {path}"
        ) from error
