"""Workers that end their process, as one without memory does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.wiring.cluster.rows import FileRequest
from assay.wiring.cluster.workers import FileWorker


class DyingWorker(FileWorker):
    """Ends its process at each file called poison."""

    def rows(self, number: int, request: FileRequest) -> Iterator[list[dict[str, Any]]]:
        """The rows of any other file."""
        if request.seen.file.stem == "poison":
            os._exit(1)
        yield from super().rows(number, request)


class DyingOnce:
    """An actor whose process ends at the first call there ever is of it: a file remembers that."""

    def __init__(self, memory: str) -> None:
        self._memory = Path(memory)

    def ready(self) -> bool:
        """Whether it can be called."""
        return True

    def double(self, number: int) -> int:
        """Twice the number."""
        if not self._memory.exists():
            self._memory.touch()
            os._exit(1)
        return 2 * number


class Broken:
    """An actor that cannot be made."""

    def __init__(self) -> None:
        raise ModuleNotFoundError("no module named tea")

    def ready(self) -> bool:
        """Never asked."""
        return True
