"""The hash of a file."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hex; raises OSError.

    >>> digest_of(sample)[:8]
    'b7ee139a'
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def steady_digest(path: Path) -> str:
    """What `digest_of` gives, computed once for as long as the file has the same size, times and place on the disk.

    For weights, which each engine of a process would hash anew. Raises OSError.

    >>> steady_digest(sample) == digest_of(sample)
    True
    """
    now = path.stat()
    return _digest(path, (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns))


@lru_cache(maxsize=32)
def _digest(path: Path, state: tuple[int, ...]) -> str:
    return digest_of(path)
