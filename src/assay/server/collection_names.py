"""The names that collections have over HTTP."""

from __future__ import annotations

import re

from assay.errors import UsageError

# Those of the settings in ASCII: what JSON Schema's patterns say of other letters differs by their reader.
PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$"
_NAME = re.compile(PATTERN)


def refuse_bad_collection(name: str) -> None:
    """Raise UsageError for what cannot be the name of a collection, such as a path.

    >>> refuse_bad_collection("../other")
    Traceback (most recent call last):
    ...
    assay.errors.UsageError: '../other' cannot be the name of a collection
    """
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"{name[:100]!r} cannot be the name of a collection",
            hint="use letters, digits, dot, dash and underscore, at most 64, beginning with a letter or digit",
        )
