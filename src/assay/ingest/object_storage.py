"""Files in object storage, by their address: `s3://bucket/folder`. Read through fsspec, if it is there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from assay.errors import EgressRefused, MissingExtra, UsageError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://.")
# The packages that read each kind of storage; `memory` is that of this process, for trying things out. Whatever
# else fsspec knows stays closed: http would go round the rules for what is fetched, chains open what nobody named.
_PACKAGES = {
    "s3": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "oss": "ossfs",
    "memory": "fsspec",
}
_LOCAL = frozenset({"memory"})


def is_address(path: str) -> bool:
    """Tell whether a path is an address.

    >>> is_address("s3://manuals/2026"), is_address("manuals/2026")
    (True, False)
    """
    return _ADDRESS.match(path) is not None


def protocol_of(address: str) -> str:
    """The kind of storage that an address names.

    >>> protocol_of("s3://manuals/2026")
    's3'
    """
    return address.partition("://")[0]


def refuse_remote(paths: Iterable[Path | str]) -> None:
    """Raise EgressRefused for the address of another machine, as offline mode demands.

    >>> refuse_remote(["manuals", "s3://manuals"])
    Traceback (most recent call last):
    ...
    assay.errors.EgressRefused: offline mode refuses s3://manuals
    """
    for path in paths:
        if isinstance(path, str) and is_address(path) and protocol_of(path) not in _LOCAL:
            raise EgressRefused(
                f"offline mode refuses {path}", hint="copy the files to this machine, or leave --offline out"
            )


def listed(address: str) -> list[str]:
    """The addresses of the object that is named, or of all below it, sorted.

    Raises UsageError for a kind of storage that is not read, MissingExtra, and OSError where it cannot be listed.
    """
    system = _opened(address)
    try:
        paths = system.find(address)
    except Exception as error:
        raise _unreadable(error) from error
    return sorted(f"{protocol_of(address)}://{path.lstrip('/')}" for path in paths)


def open_object(address: str) -> IO[bytes]:
    """Open an object for reading. Raises OSError, and as `listed`."""
    system = _opened(address)
    try:
        return cast("IO[bytes]", system.open(address, "rb"))
    except Exception as error:
        raise _unreadable(error) from error


def _opened(address: str) -> AbstractFileSystem:
    protocol = protocol_of(address)
    if protocol not in _PACKAGES or "::" in address:
        known = ", ".join(f"{name}://" for name in sorted(_PACKAGES.keys() - _LOCAL))
        raise UsageError(f"{address}: no storage that is read", hint=f"copy the files to a folder, or use {known}")
    try:
        import fsspec

        return cast("AbstractFileSystem", fsspec.filesystem(protocol))
    except ImportError as error:
        raise MissingExtra(
            f"{protocol}:// needs the package {_PACKAGES[protocol]}",
            hint=f"pip install fsspec {_PACKAGES[protocol]}",
        ) from error


def _unreadable(error: Exception) -> OSError:
    """The error as one of files: what a service's own package raises is unknown here."""
    if isinstance(error, OSError):
        return error
    known: Any = str(error) or type(error).__name__
    return OSError(f"{type(error).__name__}: {known}")
