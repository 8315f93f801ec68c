"""API keys: made once, shown once, and verified quickly in every process that shares where they are stored."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.errors import StoreError, UsageError
from assay.records.sqlite_file import SqliteFile
from assay.server.api_key import (
    DEFAULT_TENANT,
    SCRYPT,
    Cost,
    Key,
    Scope,
    StoredKey,
    id_in,
    new_text,
    refuse_bad_name,
    refuse_bad_tenant,
    scrypt_hash,
)

# A version is never changed, only followed by another.
_KEYS = """
CREATE TABLE keys (
  key_id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  created REAL NOT NULL, expires REAL, revoked REAL, used REAL,
  salt BLOB NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, r INTEGER NOT NULL, p INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER keys_stay BEFORE DELETE ON keys BEGIN SELECT RAISE(ABORT, 'keys are only revoked'); END;
"""
_COLUMNS = "key_id, name, tenant, scope, created, expires, revoked, used, salt, hash, n, r, p"


class KeyRecords(Protocol):
    """The stored keys. Every method may wait, may be called from any thread, and raises StoreError."""

    def any(self) -> bool:
        """True if there is a key, valid or not."""
        ...

    def all(self) -> tuple[StoredKey, ...]:
        """Every key, oldest first."""
        ...

    def find(self, key_id: str) -> StoredKey | None:
        """The key of this id."""
        ...

    def add(self, stored: StoredKey) -> None:
        """Add a key."""
        ...

    def revoke(self, key_id: str, at: float) -> None:
        """Note when a key was revoked; the first time counts."""
        ...

    def note_use(self, key_id: str, at: float, *, unless_after: float) -> None:
        """Note when a key was used, unless a use after `unless_after` stands there."""
        ...


class KeysFile:
    """Reads and writes the file, from any thread. Raises StoreError or a subclass if it cannot."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path, (_KEYS,), "the API keys")

    def any(self) -> bool:
        """True if there is a key, valid or not."""
        return bool(self._rows("SELECT 1 FROM keys LIMIT 1"))

    def all(self) -> tuple[StoredKey, ...]:
        """Every key, oldest first."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys ORDER BY created, key_id")  # noqa: S608 - a constant
        return tuple(_stored(row) for row in rows)

    def find(self, key_id: str) -> StoredKey | None:
        """The key of this id."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys WHERE key_id = ?", key_id)  # noqa: S608 - a constant
        return _stored(rows[0]) if rows else None

    def add(self, stored: StoredKey) -> None:
        """Add a key."""
        key, cost = stored.key, stored.cost
        values = (
            *(key.key_id, key.name, key.tenant, key.scope, key.created, key.expires, key.revoked, key.used),
            *(stored.salt, stored.hash, cost.n, cost.r, cost.p),
        )
        marks = ", ".join("?" * len(values))
        self._write(f"INSERT INTO keys ({_COLUMNS}) VALUES ({marks})", *values)  # noqa: S608 - constants

    def revoke(self, key_id: str, at: float) -> None:
        """Note when a key was revoked; the first time counts."""
        self._write("UPDATE keys SET revoked = ? WHERE key_id = ? AND revoked IS NULL", at, key_id)

    def note_use(self, key_id: str, at: float, *, unless_after: float) -> None:
        """Note when a key was used, unless a use after `unless_after` stands there."""
        self._write(
            "UPDATE keys SET used = ? WHERE key_id = ? AND (used IS NULL OR used <= ?)", at, key_id, unless_after
        )

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._file.reading() as connection:
            return [] if connection is None else connection.execute(query, values).fetchall()

    def _write(self, statement: str, *values: object) -> None:
        with self._file.writing() as connection:
            connection.execute(statement, values)


def _stored(row: tuple[object, ...]) -> StoredKey:
    *about, salt, digest, n, r, p = row
    return StoredKey(Key(*about), salt, digest, Cost(n, r, p))  # type: ignore[arg-type]


FILE_NAME = "keys.sqlite"
# Seconds for which a verified key is taken from memory, without a look at what is stored. Chosen.
FRESH = 1.0
# Seconds between two writes of when a key was last used. Chosen.
USED_EVERY = 60.0
# Verified keys that are remembered. Chosen.
REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class _Verified:
    """A key whose text was right, and when what is stored was last read for it, in monotonic seconds."""

    stored: StoredKey
    checked: float


class KeyStore:
    """The keys in one place. Raises StoreError or a subclass where it cannot be read or written.

    `stored` is where they are: a file, or a database. `cost` is what `hasher` is to spend on new keys; stored ones
    keep theirs. `remembered` verified keys are kept in memory. `now` gives Unix seconds, `monotonic` those that
    only rise.

    All methods may be called from any thread. `create` and the first `verify` of a key hash for about 0.2 s; one
    hash is made at a time, so that guesses cannot fill the memory.
    """

    def __init__(
        self,
        stored: KeyRecords,
        *,
        cost: Cost = SCRYPT,
        hasher: Callable[[str, bytes, Cost], bytes] = scrypt_hash,
        remembered: int = REMEMBERED,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stored = stored
        self._cost = cost
        self._hash = hasher
        self._most = remembered
        self._now = now
        self._monotonic = monotonic
        self._hashing = threading.Lock()
        self._remembering = threading.Lock()
        self._verified: OrderedDict[bytes, _Verified] = OrderedDict()
        # Texts are remembered by a hash that only this process can make, and so are never in its memory.
        self._process_key = secrets.token_bytes(32)
        self._salt_of_unknown = secrets.token_bytes(16)
        self._any = False
        self._any_checked: float | None = None

    # --- for whoever administers keys ------------------------------------------------------------

    def create(
        self, *, name: str, tenant: str = DEFAULT_TENANT, scope: Scope = "read", expires: float | None = None
    ) -> tuple[Key, str]:
        """Make a key; beside it its text, which a client sends and which cannot be had again.

        `expires` is in Unix seconds. Raises UsageError for what cannot be a name or a tenant, and for a key that
        would be expired already.
        """
        refuse_bad_tenant(tenant)
        refuse_bad_name(name)
        now = self._now()
        if expires is not None and expires <= now:
            raise UsageError("the key would be expired already", hint="name a time in the future")
        key_id, text = new_text()
        key = Key(key_id, name, tenant, scope, created=now, expires=expires)
        salt = secrets.token_bytes(16)
        with self._hashing:
            stored = StoredKey(key, salt, self._hash(text, salt, self._cost), self._cost)
        self._stored.add(stored)
        self._any = True
        return key, text

    def list(self, tenant: str | None = None) -> tuple[Key, ...]:
        """Every key, or every one of a tenant, oldest first; those revoked or expired too."""
        return tuple(stored.key for stored in self._stored.all() if tenant in (None, stored.key.tenant))

    def revoke(self, key_id: str, *, tenant: str | None = None) -> Key:
        """Revoke a key for good, if it is one of the tenant's where one is named.

        Raises UsageError where there is no such key.
        """
        self._find(key_id, tenant)
        self._stored.revoke(key_id, self._now())
        return self._find(key_id, tenant)

    def any(self) -> bool:
        """True if a key was ever made, even if none is valid by now; another process's is seen within a second.

        Revoking the last key does not let everybody in again.
        """
        known = self.fresh_any()
        if known is not None:
            return known
        checked = self._monotonic()
        if self._stored.any():
            self._any = True
        self._any_checked = checked  # only now: what cannot be read must not count as no keys
        return self._any

    def fresh_any(self) -> bool | None:
        """As `any`, but reads nothing stored; None where that is needed."""
        if self._any:
            return True
        is_fresh = self._any_checked is not None and self._monotonic() - self._any_checked < FRESH
        return False if is_fresh else None

    def _find(self, key_id: str, tenant: str | None) -> Key:
        stored = self._stored.find(key_id)
        if stored is None or tenant not in (None, stored.key.tenant):
            raise UsageError(f"there is no key {key_id[:20]!r}", hint="`assay keys list` shows the ids of all")
        return stored.key

    # --- for every request -----------------------------------------------------------------------

    def fresh(self, text: str) -> Key | None:
        """The key of this text if it was found valid within the last second; reads nothing stored."""
        verified = self._remembered(self._digest(text))
        if verified is None or self._monotonic() - verified.checked >= FRESH:
            return None
        return verified.stored.key if verified.stored.key.state_at(self._now()) == "active" else None

    def remembers(self, text: str) -> bool:
        """True if `verify` needs no hash for this text, only a look at what is stored."""
        return self._remembered(self._digest(text)) is not None

    def verify(self, text: str) -> Key | None:
        """The key of this text; None where it is unknown, wrong, expired or revoked.

        One hash is made for each key and process; after that what is stored is read, so that what another process
        revoked ends at once here, and within a second where `fresh` is asked first.
        """
        key_id = id_in(text)
        if key_id is None:
            return None
        digest = self._digest(text)
        verified = self._remembered(digest)
        if verified is None:
            with self._hashing:
                verified = self._remembered(digest)  # another thread may have hashed the same text meanwhile
                if verified is None:
                    return self._valid(self._hashed(key_id, text), digest)
        stored = self._stored.find(key_id)
        unchanged = stored is not None and stored.hash == verified.stored.hash
        return self._valid(stored if unchanged else None, digest)

    def _hashed(self, key_id: str, text: str) -> StoredKey | None:
        """The stored key of this text; that it is unknown takes as long to find out as that it is wrong."""
        stored = self._stored.find(key_id)
        salt, cost, wanted = (
            (self._salt_of_unknown, self._cost, bytes(32))
            if stored is None
            else (stored.salt, stored.cost, stored.hash)
        )
        return stored if hmac.compare_digest(self._hash(text, salt, cost), wanted) else None

    def _valid(self, stored: StoredKey | None, digest: bytes) -> Key | None:
        """The key if it can be used now, which is noted and remembered; else None, and it is forgotten."""
        now = self._now()
        if stored is None or stored.key.state_at(now) != "active":
            with self._remembering:
                self._verified.pop(digest, None)
            return None
        if stored.key.used is None or now - stored.key.used >= USED_EVERY:
            with suppress(StoreError):  # a full disk locks nobody out
                self._stored.note_use(stored.key.key_id, now, unless_after=now - USED_EVERY)
        with self._remembering:
            self._verified[digest] = _Verified(stored, self._monotonic())
            self._verified.move_to_end(digest)
            if len(self._verified) > self._most:
                self._verified.popitem(last=False)
        return stored.key

    def _remembered(self, digest: bytes) -> _Verified | None:
        with self._remembering:
            return self._verified.get(digest)

    def _digest(self, text: str) -> bytes:
        return hmac.digest(self._process_key, text.encode(errors="replace"), "sha256")
