"""One Postgres database: a pool of connections that all who open it in a process share.

Every transaction names its tenant first, for itself alone: what a connection did before leaves no trace on it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg_pool import ConnectionPool, PoolTimeout

from assay.postgres.address import Address
from assay.postgres.errors import CONFLICTS, store_errors, unreachable
from assay.postgres.isolation import refuse_leaks
from assay.postgres.migrations import ROLE, prepare

# Connections of a process: more than it has threads that read would be idle, and servers allow about a hundred.
CONNECTIONS = 4
# Seconds for a connection to come free, and for another's change of the same collection to end: as with SQLite.
_WAIT = 10.0
# Seconds without a connection after which it is looked why there is none.
_PATIENCE = 2.0
# The longest statement; a scan of a million vectors takes about a second.
_LONGEST = "60s"
_ATTEMPTS = 3
# One round trip; the settings end with the transaction, also behind a pooler that shares connections.
_ENTER = (
    "SELECT set_config('role', %s, true), set_config('assay.tenant', %s, true),"
    " set_config('lock_timeout', %s, true), set_config('statement_timeout', %s, true)"
)

# The pool tells of each connection that it cannot make; what happens to a call is told by its error.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

T = TypeVar("T")
Work = Callable[[psycopg.Connection[Any]], T]


class Database:
    """Transactions of tenants in one database. `share` opens it."""

    def __init__(self, address: Address, *, connections: int = CONNECTIONS, wait: float = _WAIT) -> None:
        self.address = address
        self._pool = ConnectionPool(
            address.conninfo,
            min_size=0,
            max_size=connections,
            open=False,
            timeout=wait,
            max_idle=300,
            reconnect_timeout=_PATIENCE,
            # Each statement is planned for its own values: a plan for any collection fits none.
            kwargs={"prepare_threshold": None},
            name="assay",
        )
        self._size = connections
        self._wait = wait
        self._lock_wait = f"{int(1000 * wait)}ms"
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="assay-postgres")

    def open(self) -> None:
        """Bring the tables up to date and check that tenants are apart. Raises StoreError."""
        with self.alone() as connection:
            prepare(connection, self.address)
            refuse_leaks(connection, self.address)
        self._pool.open()

    def close(self) -> None:
        """End the threads and connections."""
        self._threads.shutdown()
        self._pool.close()

    async def read(self, tenant: str, work: Work[T]) -> T:
        """Run `work`, which only reads, on one state of the database, in a thread."""
        return await self._in_thread(lambda: self.transaction(tenant, work, reads=True))

    async def write(self, tenant: str, work: Work[T]) -> T:
        """Run `work` in a thread, and return its result once all that it wrote is committed."""
        return await self._in_thread(lambda: self.transaction(tenant, work))

    def transaction(self, tenant: str, work: Work[T], *, reads: bool = False) -> T:
        """Run `work` in one transaction that sees the rows of `tenant` and no others.

        It is made again where the server rolled it back for another's sake, and where the connection broke before
        the commit was sent, so `work` may run more than once. Raises StoreError, UsageError.
        """
        conflicts = breaks = 0
        with store_errors(self.address):
            while True:
                done = False
                try:
                    with self._connection() as connection:
                        connection.isolation_level = IsolationLevel.REPEATABLE_READ if reads else None
                        connection.read_only = reads or None
                        with connection.transaction():
                            connection.execute(_ENTER, (ROLE, tenant, self._lock_wait, _LONGEST))
                            result = work(connection)
                            done = True
                        return result
                except CONFLICTS:
                    conflicts += 1
                    if conflicts == _ATTEMPTS:
                        raise
                except psycopg.OperationalError as error:
                    breaks += 1
                    # After a restart of the server every connection of the pool is broken.
                    if breaks > self._size or not _broke(error) or (done and not reads):
                        raise

    @contextmanager
    def alone(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection of its own in autocommit mode, as the login itself, for what no transaction can hold."""
        try:
            connection = psycopg.connect(self.address.conninfo, autocommit=True, prepare_threshold=None)
        except psycopg.Error as error:
            raise unreachable(error, self.address) from None  # the cause may quote the address
        with store_errors(self.address), connection:
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            connection = self._pool.getconn(min(_PATIENCE, self._wait))
        except PoolTimeout:
            with self.alone():  # says why, if the server takes no connection
                connection = self._pool.getconn(self._wait)
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    async def _in_thread(self, run: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, run)


def _broke(error: psycopg.OperationalError) -> bool:
    """Tell whether a connection was cut: what the server had not committed then is undone."""
    cut = error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))
    return cut and not isinstance(error, PoolTimeout)


def storable(text: str) -> str:
    """The text without lone surrogates and NUL characters, which Postgres cannot store."""
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


# The databases that are open in this process, with the number of those who use them.
_open: dict[str, tuple[Database, int]] = {}
_lock = threading.Lock()


def share(address: Address) -> Database:
    """The database at `address`, opened if nobody in this process has opened it. Raises StoreError."""
    with _lock:
        database, users = _open.get(address.conninfo, (None, 0))
        if database is None:
            database = Database(address)
            database.open()
        _open[address.conninfo] = database, users + 1
        return database


@contextmanager
def opened(address: Address) -> Iterator[Database]:
    """The database at `address`, shared as by `share`, for the length of the block. Raises StoreError."""
    database = share(address)
    try:
        yield database
    finally:
        release(database)


def release(database: Database) -> None:
    """Close it with its last user."""
    with _lock:
        held, users = _open.pop(database.address.conninfo, (database, 1))
        if users > 1:
            _open[database.address.conninfo] = held, users - 1
            return
    database.close()


@dataclass(frozen=True, slots=True)
class TenantRows:
    """The rows of one tenant in the database at `address`."""

    address: Address
    tenant: str

    def read(self, work: Work[T]) -> T:
        """Run `work` in one transaction, which cannot write. Raises StoreError."""
        with opened(self.address) as database:
            return database.transaction(self.tenant, work, reads=True)

    def write(self, work: Work[T]) -> T:
        """Run `work`, and return its result once all that it wrote is committed. Raises StoreError, UsageError."""
        with opened(self.address) as database:
            return database.transaction(self.tenant, work)
