"""A script for fakes that has the same for everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Always(Mapping[Any, Any]):
    """A mapping that holds every key, each with the same value."""

    value: Any

    def __getitem__(self, key: Any) -> Any:
        return self.value

    def __contains__(self, key: object) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0
