"""How people are shown where a file is."""

from __future__ import annotations

import os


def from_here(path: str) -> str:
    """The path; that of a file below this folder as seen from it."""
    try:
        here = os.path.join(os.path.realpath(os.getcwd()), "")
    except OSError:  # the folder was removed meanwhile
        return path
    return path.removeprefix(here)
