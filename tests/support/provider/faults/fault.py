"""What a fault is, and the register of all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from support.provider.exchange import Exchange
from support.provider.rules import Asked, Wire

Group = Literal["connect", "status", "body", "stream", "content"]
Commit = Callable[[Exchange], Awaitable[None]]
Fits = Callable[[Asked], bool]

EVERY_WIRE: frozenset[Wire] = frozenset({"openai", "gemini", "anthropic"})


def always(asked: Asked) -> bool:
    """Fits every request."""
    return True


def streamed(asked: Asked) -> bool:
    """Fits a request for a stream."""
    return asked.stream


def structured(asked: Asked) -> bool:
    """Fits a request for JSON."""
    return asked.schema is not None


def prose(asked: Asked) -> bool:
    """Fits a request for prose."""
    return asked.schema is None


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to misbehave.

    `commit` answers a request wrongly; it is None where no request gets through: the fault lies in the `port`,
    which is closed, or in the `address`. `wires` are the formats that know the fault, `fits` says for which
    requests it makes sense.
    """

    id: str
    group: Group
    meaning: str
    commit: Commit | None
    wires: frozenset[Wire] = EVERY_WIRE
    fits: Fits = always
    place: Literal["reply", "port", "address"] = "reply"


FAULTS: dict[str, Fault] = {}


def register(fault: Fault) -> None:
    """Add a fault; raises ValueError where its id is taken."""
    if fault.id in FAULTS:
        raise ValueError(f"there are two faults {fault.id!r}")
    FAULTS[fault.id] = fault


def fault(
    id: str, group: Group, *, wires: frozenset[Wire] = EVERY_WIRE, fits: Fits = always
) -> Callable[[Commit], Commit]:
    """Register a function as a fault; its docstring says what it does."""

    def registered(commit: Commit) -> Commit:
        register(Fault(id, group, (commit.__doc__ or "").strip(), commit, wires, fits))
        return commit

    return registered
