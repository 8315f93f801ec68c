"""An API key: its text, its scopes, its tenant, when it ends, and the slow hash of it that is stored."""

from __future__ import annotations

import hashlib
import re
import secrets
import string
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from assay.errors import UsageError
from assay.types import Value

Scope = Literal["read", "write", "admin"]
# Each scope includes those before it.
SCOPES: tuple[Scope, ...] = get_args(Scope)
DEFAULT_TENANT = "default"

_TENANT = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)
_LONGEST_NAME = 100
_ID_LETTERS = string.ascii_lowercase + string.digits
_ID_LENGTH = 8
_SECRET_LETTERS = string.ascii_letters + string.digits
# 43 letters of 62 hold 256 bits.
_SECRET_LENGTH = 43
_TEXT = re.compile(r"assay_([a-z0-9]{8})_[A-Za-z0-9]{43}", re.ASCII)
_DURATION = re.compile(r"([1-9][0-9]{0,3})([hdw])", re.ASCII)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class Key(Value):
    """An API key without its secret. Times are Unix seconds; `expires`, `revoked` and `used` may be None.

    >>> Key("k3x9w2ab", "laptop", "default", "write", created=0.0).scopes
    ('read', 'write')
    """

    key_id: str
    name: str
    tenant: str
    scope: Scope
    created: float
    expires: float | None = None
    revoked: float | None = None
    used: float | None = None

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Everything that the key may be used for."""
        return scopes_within(self.scope)

    def state_at(self, now: float) -> Literal["active", "expired", "revoked"]:
        """The state of the key: usable, or the reason why not."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "active"


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one hash: the parameters N, r and p of scrypt (RFC 7914); it takes 128 * N * r bytes."""

    n: int
    r: int
    p: int


# The one that takes 16 MiB of the equivalent settings in OWASP's Password Storage Cheat Sheet.
SCRYPT = Cost(n=2**14, r=8, p=5)


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key as it is stored: with a salt of its own, and the hash of its text."""

    key: Key
    salt: bytes
    hash: bytes
    cost: Cost


def scrypt_hash(text: str, salt: bytes, cost: Cost) -> bytes:
    """The hash of a key's text, 32 bytes."""
    needed = 128 * cost.r * (cost.n + cost.p + 2)  # as OpenSSL counts it
    return hashlib.scrypt(text.encode(), salt=salt, n=cost.n, r=cost.r, p=cost.p, maxmem=needed, dklen=32)


def new_text() -> tuple[str, str]:
    """The id of a new key, and its text: `assay_ID_SECRET`."""
    key_id = _random(_ID_LETTERS, _ID_LENGTH)
    return key_id, f"assay_{key_id}_{_random(_SECRET_LETTERS, _SECRET_LENGTH)}"


def id_in(text: str) -> str | None:
    """The id in a key's text; None where the text cannot be a key."""
    match = _TEXT.fullmatch(text)
    return match[1] if match else None


def scopes_within(scope: Scope) -> tuple[Scope, ...]:
    """The scope and all that it includes.

    >>> scopes_within("admin")
    ('read', 'write', 'admin')
    """
    return SCOPES[: SCOPES.index(scope) + 1]


def refuse_bad_tenant(tenant: str) -> None:
    """Raise UsageError for what cannot be the name of a tenant, which also names a folder.

    >>> refuse_bad_tenant("../other")
    Traceback (most recent call last):
    ...
    assay.errors.UsageError: '../other' cannot be the name of a tenant
    """
    if _TENANT.fullmatch(tenant) is None:
        raise UsageError(
            f"{tenant[:50]!r} cannot be the name of a tenant",
            hint="use at most 32 small letters, digits and dashes, and no dash first",
        )


def refuse_bad_name(name: str) -> None:
    """Raise UsageError for a name that is empty, long, or would not stay on one line of a log."""
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UsageError(
            f"{name[:50]!r} cannot be the name of a key",
            hint=f"say in up to {_LONGEST_NAME} printable characters what the key is for",
        )


def expiry(text: str, now: float) -> float:
    """The end of a key, in Unix seconds: after `90d`, `12h` or `2w`, or at an ISO date or time (by default UTC).

    Raises UsageError for anything else, and for a time that has passed.

    >>> expiry("2d", now=0.0), expiry("2027-01-31", now=0.0)
    (172800.0, 1801353600.0)
    """
    duration = _DURATION.fullmatch(text)
    if duration is not None:
        return now + int(duration[1]) * _UNITS[duration[2]].total_seconds()
    try:
        moment = datetime.fromisoformat(text)
        ends = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"{text[:50]!r} is not a time at which a key could expire", hint="e.g. 90d, 12h, 2w or 2027-01-31"
        ) from error
    if ends <= now:
        raise UsageError(f"{text[:50]} has passed", hint="name a time in the future")
    return ends


def _random(letters: str, length: int) -> str:
    return "".join(secrets.choice(letters) for _ in range(length))


def tenant_folder(data_dir: Path, tenant: str) -> Path:
    """The folder of a tenant: for "default" the data folder itself, for others one in it.

    >>> str(tenant_folder(Path("data"), "default")), str(tenant_folder(Path("data"), "acme"))
    ('data', 'data/tenants/acme')
    """
    return data_dir if tenant == DEFAULT_TENANT else data_dir / "tenants" / tenant
