"""Postgres' errors as errors of assay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from assay.errors import AssayError, DamagedStore, StoreError, StoreFull, UsageError
from assay.postgres.address import Address

# The most characters of a server's message that are shown.
_SHOWN = 300
# Errors of the values, not of the database.
_UNFIT = (
    UnicodeEncodeError,
    OverflowError,
    psycopg.DataError,
    psycopg.IntegrityError,
    errors.ProgramLimitExceeded,
)
# Errors that roll a transaction back and are gone when it is made again.
CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected)


@contextmanager
def store_errors(address: Address) -> Iterator[None]:
    """Translate errors of Postgres and of its pool into ours; none shows a password."""
    try:
        yield
    except (psycopg.Error, UnicodeEncodeError, OverflowError, json.JSONDecodeError) as error:
        raise store_error(error, address) from None  # the cause may quote the address


def store_error(error: Exception, address: Address) -> AssayError:
    """Our error for one of Postgres or its pool."""
    if isinstance(error, _UNFIT):
        return UsageError(
            f"this cannot be stored: {reason(error, address)}",
            hint="give each passage once, in valid Unicode without NUL characters",
        )
    if isinstance(error, json.JSONDecodeError | errors.DataCorrupted | errors.IndexCorrupted):
        return DamagedStore(
            f"the database {address.shown} is damaged: {reason(error, address)}",
            hint="restore it from a copy",
        )
    if isinstance(error, errors.DiskFull):
        return StoreFull(
            f"the disk of the database {address.shown} is full",
            hint="free some space and run the same command again",
        )
    for kinds, what, hint, retryable in _MEANINGS:
        if isinstance(error, kinds):
            return StoreError(what.format(address.shown, reason(error, address)), hint=hint, retryable=retryable)
    return StoreError(
        f"the database {address.shown}: {reason(error, address)}",
        hint="see the log of the Postgres server",
    )


def unreachable(error: Exception, address: Address) -> StoreError:
    """The error for a server that takes no connection."""
    # Before it is connected, libpq gives no code but the server's words.
    if any(words in str(error) for words in ("too many c", "remaining connection slots")):
        return StoreError(
            f"the Postgres server of {address.shown} takes no more connections: {reason(error, address)}",
            hint="raise its max_connections, or end programs that use connections; then try again",
            retryable=True,
        )
    return StoreError(
        f"the Postgres server of {address.shown} takes no connection: {reason(error, address)}",
        hint="see whether the server runs and can be reached, and whether user, password and database of the "
        "setting store are right",
        retryable=True,
    )


def reason(error: Exception, address: Address) -> str:
    """Postgres' message, in one line without secrets."""
    said = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return address.redacted(" ".join((said or str(error)).split()))[:_SHOWN] or type(error).__name__


# The first row that fits counts. {0} is the address, {1} Postgres' message.
_MEANINGS: tuple[tuple[tuple[type[Exception], ...], str, str, bool], ...] = (
    (
        (PoolTimeout, TooManyRequests),
        "all connections to {0} were in use for too long",
        "try again later, or spread the work over more processes",
        True,
    ),
    ((PoolClosed,), "the connections to {0} are closed", "open the engine again", False),
    (
        (errors.LockNotAvailable,),
        "another process has been changing the same collection in {0} for too long",
        "try again when it is done",
        True,
    ),
    (
        (errors.QueryCanceled,),
        "the database {0} did not finish in time: {1}",
        "try again; if it happens often, the server needs more memory or faster disks",
        True,
    ),
    (CONFLICTS, "other changes in {0} were in the way: {1}", "run the same command again", True),
    (
        (errors.ReadOnlySqlTransaction,),
        "the database {0} can only be read: it may be a standby",
        "name the primary server in the setting store: …?target_session_attrs=read-write",
        True,
    ),
    (
        (errors.InsufficientPrivilege,),
        "the user of {0} may not do this: {1}",
        "see docs/how-to/postgres.md for the rights that are needed",
        False,
    ),
    (
        (psycopg.OperationalError, psycopg.InterfaceError),
        "the connection to {0} broke: {1}",
        "run the same command again: nothing is stored twice",
        True,
    ),
)
