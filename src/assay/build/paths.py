"""Paths that settings hold, made ready to open."""

from __future__ import annotations

from pathlib import Path

from assay.errors import UsageError


def expanded(path: str, *, named: str, hint: str) -> Path:
    """The path with `~` expanded; UsageError, naming the setting, where nobody has that home folder.

    >>> expanded("models/own", named="--embedder", hint="name a folder").parts
    ('models', 'own')
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # ~name, and no user has that name
        raise UsageError(f"{named}: {path} is in nobody's home folder", hint=hint) from error
