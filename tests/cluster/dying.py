"""Workers that end their process, as one without memory does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from assay.wiring.cluster.rows import FileRequest
from assay.wiring.cluster.workers import Worker


class DyingWorker(Worker):
    """Ends its process at each file called poison."""

    def items(self, request: FileRequest, *, dry_run: bool) -> Iterator[bytes]:
        """What is in any other file."""
        if request.seen.file.stem == "poison":
            os._exit(1)
        yield from super().items(request, dry_run=dry_run)


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
