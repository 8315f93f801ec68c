"""Tenants in one database, its versions, and each of its faults as an error that says what to do."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assay.errors import AssayError, StoreError, UsageError
from assay.postgres import isolation, migrations
from assay.postgres.address import Address
from assay.postgres.database import Database, release, share
from assay.postgres.migrations import ROLE, TABLES, VERSION
from support.postgres import (
    PASSWORD,
    PostgresServer,
    binaries,
    copied,
    new_database,
    opened,
    shared_address,
    the_server,
)

COLLECTION = (
    "INSERT INTO assay.collections (name, model_id, model_dimension, model_sha256, model_languages)"
    " VALUES (%s, 'm', 1, '', '')"
)


def names(connection: psycopg.Connection[Any]) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM assay.collections ORDER BY name")]


def adding(name: str) -> Callable[[psycopg.Connection[Any]], Any]:
    return lambda connection: connection.execute(COLLECTION, (name,))


@pytest.fixture
def address() -> str:
    return new_database()


@contextmanager
def small(address: str, **settings: Any) -> Iterator[Database]:
    """A database with one connection and little patience."""
    database = Database(Address.read(address), **{"connections": 1, "wait": 0.5} | settings)
    database.open()
    try:
        yield database
    finally:
        database.close()


def refusal(address: str) -> AssayError:
    """Why a database cannot be opened; the message is fit to be shown."""
    with pytest.raises((StoreError, UsageError)) as caught:
        share(Address.read(address))
    assert caught.value.hint
    assert PASSWORD not in f"{caught.value} {caught.value.hint}"
    assert "\n" not in str(caught.value)
    return caught.value


# Tenants


def test_a_tenant_sees_its_own_rows_alone_and_a_connection_without_one_sees_none(address: str) -> None:
    with opened(address) as database:
        database.transaction("a", adding("of a"))
        database.transaction("b", adding("of b"))
        assert database.transaction("a", names, reads=True) == ["of a"]
        assert database.transaction("b", names) == ["of b"]
        for nobody in ("", "c", "a' OR '1'='1", "A"):
            assert database.transaction(nobody, names, reads=True) == []
        with database.alone() as connection:
            connection.execute("SELECT set_config('role', %s, false)", (ROLE,))
            for table in TABLES:
                found = connection.execute(f"SELECT count(*) FROM assay.{table}").fetchone()  # noqa: S608
                assert found == (0,)


def test_nothing_is_written_for_another_tenant_or_for_none(address: str) -> None:
    def changing(statement: str) -> Callable[[psycopg.Connection[Any]], int]:
        return lambda connection: connection.execute(statement.encode()).rowcount

    with opened(address) as database:
        database.transaction("a", adding("of a"))
        for statement in ("UPDATE assay.collections SET name = 'x'", "DELETE FROM assay.collections"):
            assert database.transaction("b", changing(statement)) == 0
        for tenant, statement in (
            ("a", "UPDATE assay.collections SET tenant = 'b'"),
            ("", "INSERT INTO assay.metadata (collection, key, value, \"row\") VALUES (1, 'a', 'b', 1)"),
        ):
            with pytest.raises((StoreError, UsageError)):
                database.transaction(tenant, changing(statement))
        for statement in (
            "ALTER TABLE assay.collections DISABLE ROW LEVEL SECURITY",
            "DROP POLICY own_rows ON assay.words",
            "CREATE TABLE assay.mine (x text)",
        ):
            with pytest.raises(StoreError):
                database.transaction("a", changing(statement))
        assert database.transaction("a", names) == ["of a"]


def test_a_connection_that_is_used_again_carries_no_tenant(address: str) -> None:
    with small(address) as database:
        for name in "abc":
            database.transaction(name, adding(name))
        for turn in range(1000):
            name = "abcd"[turn % 4]
            assert database.transaction(name, names, reads=True) == [name] * (name != "d")
        with database._pool.connection() as connection:
            row = connection.execute("SELECT current_user, current_setting('assay.tenant', true)").fetchone()
        assert row == ("postgres", "")


@pytest.mark.parametrize(
    ("harm", "mend"),
    [
        ("ALTER TABLE assay.words NO FORCE ROW LEVEL SECURITY", ""),
        ("ALTER TABLE assay.passages DISABLE ROW LEVEL SECURITY", ""),
        ("CREATE POLICY all_rows ON assay.vectors USING (true)", ""),
        (f"ALTER TABLE assay.metadata OWNER TO {ROLE}", ""),
        (f"ALTER ROLE {ROLE} BYPASSRLS", f"ALTER ROLE {ROLE} NOBYPASSRLS"),
        (f"ALTER ROLE {ROLE} LOGIN", f"ALTER ROLE {ROLE} NOLOGIN"),
        ("DROP POLICY own_rows ON assay.collections; CREATE POLICY own_rows ON assay.collections USING (true)", ""),
    ],
)
def test_a_database_that_leaks_is_not_opened(address: str, harm: str, mend: str) -> None:
    with opened(address):
        pass
    database = address.rpartition("/")[2]
    the_server().execute(harm, database)
    try:
        assert "does not keep tenants apart" in str(refusal(address))
    finally:
        the_server().execute(mend or "SELECT 1", database)


# Versions and rights


def test_tables_are_made_once_and_their_versions_are_written_down(address: str) -> None:
    threads = [threading.Thread(target=lambda: release(share(Address.read(f"{address}?options=")))) for _ in "12"]
    databases = [Database(Address.read(address)) for _ in range(3)]
    openings = [threading.Thread(target=database.open) for database in databases]
    for thread in (*threads, *openings):
        thread.start()
    for thread in (*threads, *openings):
        thread.join()
    with databases[0].alone() as connection:
        found = connection.execute("SELECT version FROM assay.schema_versions ORDER BY version").fetchall()
    assert [version for (version,) in found] == list(range(1, VERSION + 1))
    for database in databases:
        database.close()


def test_another_version_of_the_same_number_is_refused_and_a_later_one_is_not(address: str) -> None:
    with opened(address):
        pass
    name = address.rpartition("/")[2]
    the_server().execute("INSERT INTO assay.schema_versions VALUES (99, 'of a newer assay')", name)
    with opened(address) as database:
        assert database.transaction("a", names) == []
    the_server().execute("UPDATE assay.schema_versions SET sha256 = 'other' WHERE version = 1", name)
    assert "version 1" in str(refusal(address))


def test_a_database_of_the_first_version_is_raised_and_keeps_what_it_has(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(migrations, "_SCRIPTS", migrations._SCRIPTS[:1])
        earlier.setattr(isolation, "TABLES", TABLES[:6])
        with opened(address) as database:
            database.transaction("a", adding("x"))
            earlier.undo()
            with opened(f"{address}?application_name=newer") as newer:  # beside the older one
                newer.transaction("a", adding("y"))
            assert database.transaction("a", names) == ["x", "y"]
    with opened(address) as database:
        assert database.transaction("a", names) == ["x", "y"]
        with database.alone() as connection:
            assert connection.execute("SELECT count(*) FROM assay.schema_versions").fetchone() == (VERSION,)


def test_a_login_that_may_not_make_tables_uses_those_that_are_there(address: str) -> None:
    name = address.rpartition("/")[2]
    login = f"login_{name}"
    the_server().execute(f"CREATE ROLE {login} LOGIN PASSWORD '{PASSWORD}'")
    plain = the_server().address(name, user=login)
    assert "its user may not make them" in str(refusal(plain))
    with opened(address):
        pass
    assert "may not do this" in str(refusal(plain))
    the_server().execute(f"GRANT {ROLE} TO {login}")
    with opened(plain) as database:
        database.transaction("a", adding("x"))
        assert database.transaction("a", names) == ["x"]


def test_the_owner_of_a_database_needs_to_be_no_superuser(address: str) -> None:
    name = address.rpartition("/")[2]
    owner = f"owner_{name}"
    the_server().execute(f"CREATE ROLE {owner} LOGIN CREATEROLE PASSWORD '{PASSWORD}'")
    the_server().execute(f"ALTER DATABASE {name} OWNER TO {owner}")
    the_server().execute("CREATE EXTENSION vector", name)
    the_server().execute(f"GRANT {ROLE} TO {owner}")
    with opened(the_server().address(name, user=owner)) as database:
        database.transaction("a", adding("x"))
        assert database.transaction("b", names) == []


def test_a_database_in_another_encoding_is_refused() -> None:
    address = new_database("ENCODING 'SQL_ASCII' TEMPLATE template0")
    assert "SQL_ASCII" in str(refusal(address))


def test_a_server_without_pgvector_is_told_by_what_it_lacks() -> None:
    folder = Path(tempfile.mkdtemp(prefix="assay-bare-"))  # pytest's own folders are for their owner alone
    folder.chmod(0o755)
    programs = copied(binaries(), folder)
    for file in programs.parent.rglob("vector*"):
        if file.is_file():
            file.unlink()
    server = PostgresServer.start(programs)
    try:
        error = refusal(server.address())
        assert "pgvector" in str(error)
        assert "install it on the server" in error.hint
    finally:
        server.remove()
        shutil.rmtree(folder)


# Faults


def test_what_takes_no_connection_is_told() -> None:
    server = the_server()
    assert "password authentication failed" in str(refusal(server.address(password=PASSWORD[::-1])))
    assert "does not exist" in str(refusal(server.address("no_such_database")))
    assert refusal("postgresql://ann:pass@127.0.0.1:1/x").retryable
    assert "takes no connection" in str(refusal("postgresql://ann:pass@nowhere.invalid/x"))


def test_too_many_connections_are_told(address: str) -> None:
    name = address.rpartition("/")[2]
    with opened(address):
        pass
    the_server().execute(f"CREATE ROLE one_{name} LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 1 IN ROLE {ROLE}")
    with psycopg.connect(the_server().address(name, user=f"one_{name}")):
        error = refusal(the_server().address(name, user=f"one_{name}"))
    assert "takes no more connections" in str(error)
    assert error.retryable


def test_a_pool_that_is_in_use_is_told(address: str) -> None:
    with small(address) as database:

        def nested(_connection: psycopg.Connection[Any]) -> list[str]:
            return database.transaction("a", names)

        with pytest.raises(StoreError, match="all connections") as caught:
            database.transaction("a", nested)
        assert caught.value.retryable
        assert database.transaction("a", names) == []


def test_a_lock_that_is_held_for_too_long_is_told(address: str) -> None:
    with small(address) as database, small(address) as other:
        database.transaction("a", adding("x"))

        def locking(connection: psycopg.Connection[Any]) -> Any:
            return connection.execute("SELECT FROM assay.collections FOR UPDATE")

        def both(connection: psycopg.Connection[Any]) -> None:
            locking(connection)
            other.transaction("a", locking)

        with pytest.raises(StoreError, match="another process has been changing") as caught:
            database.transaction("a", both)
        assert caught.value.retryable


def test_a_server_that_was_restarted_is_used_again(address: str) -> None:
    with opened(address) as database:
        database.transaction("a", adding("x"))
        for _ in range(3):
            the_server().down()
            with pytest.raises(StoreError, match="takes no connection"):
                database.transaction("a", names)
            the_server().up()
            assert database.transaction("a", names) == ["x"]


def test_a_connection_that_is_cut_costs_nothing_before_the_commit(address: str) -> None:
    cut: list[int] = []

    def cutting(connection: psycopg.Connection[Any]) -> None:
        if not cut:
            cut.append(connection.info.backend_pid)
            the_server().execute(f"SELECT pg_terminate_backend({cut[0]})")

    def writing(connection: psycopg.Connection[Any]) -> list[str]:
        adding("x")(connection)
        cutting(connection)
        return names(connection)

    def reading(connection: psycopg.Connection[Any]) -> list[str]:
        cutting(connection)
        return names(connection)

    with opened(address) as database:
        assert database.transaction("a", writing) == ["x"]
        cut.clear()
        assert database.transaction("a", reading, reads=True) == ["x"]
        the_server().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'assay'"
        )
        assert database.transaction("a", names) == ["x"]


def test_what_another_change_rolled_back_is_made_again(address: str) -> None:
    with opened(address) as database:
        failed = [True, True]

        def work(connection: psycopg.Connection[Any]) -> list[str]:
            adding("x")(connection)
            if failed:
                failed.pop()
                connection.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$")
            return names(connection)

        assert database.transaction("a", work) == ["x"]
        failed.extend([True] * 9)
        with pytest.raises(StoreError, match="other changes"):
            database.transaction("b", work)


def test_a_database_that_can_only_be_read_is_told(address: str) -> None:
    with opened(address) as database:
        database.transaction("a", adding("x"))
    name = address.rpartition("/")[2]
    with small(address) as database:
        the_server().execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        assert database.transaction("a", names, reads=True) == ["x"]
        with pytest.raises(StoreError, match="can only be read"):
            database.transaction("a", adding("y"))


def test_values_that_fit_nothing_are_usage_errors() -> None:
    with opened(shared_address()) as database:
        for name in ("a\0b", "\ud800", "x" * 10_000_000):
            with pytest.raises(UsageError, match="cannot be stored"):
                database.transaction("unfit", adding(name))
