"""The files that settings are read from. A file that is not there is an empty one."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import UsageError


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
            f"{origin}: cannot be read: {error.strerror}", hint=f"check the rights of {path}"
        ) from error
