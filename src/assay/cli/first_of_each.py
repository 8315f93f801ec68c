"""The first few of each kind: a long text gives a hundred thousand lines, which nobody reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

# Lines of one kind that people are shown; what `--json` prints is whole.
MOST = 50

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class FirstOfEach(Generic[Item]):
    """The `first` of each kind, in their order, and how many more there are of a kind, by its name."""

    first: tuple[Item, ...]
    more: Mapping[str, int]

    def left_out(self) -> Iterator[str]:
        """A line for each kind of which there are more.

        >>> list(FirstOfEach((), {"citations, failed": 1200}).left_out())
        ['… and 1,200 more: citations, failed (--json has all)']
        """
        return (f"… and {count:,} more: {kind} (--json has all)" for kind, count in self.more.items())


def first_of_each(items: Iterable[Item], kind: Callable[[Item], str], most: int = MOST) -> FirstOfEach[Item]:
    """The first `most` of each kind.

    >>> first_of_each(["ant", "bee", "asp", "auk"], lambda word: word[0], most=2)
    FirstOfEach(first=('ant', 'bee', 'asp'), more={'a': 1})
    """
    seen: Counter[str] = Counter()
    first: list[Item] = []
    for item in items:
        name = kind(item)
        seen[name] += 1
        if seen[name] <= most:
            first.append(item)
    return FirstOfEach(tuple(first), {name: count - most for name, count in seen.items() if count > most})
