"""The self-check of tenants: a connection that could see the rows of another tenant is not used."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from assay.errors import StoreError
from assay.postgres.address import Address
from assay.postgres.migrations import ROLE, TABLES

# Sets the role, then the tenant, for the transaction alone. What is unset sees no row.
ENTER = "SELECT set_config('role', %s, true), set_config('assay.tenant', %s, true)"
_UNFIT_ROLE = (
    "SELECT count(*) FROM pg_roles WHERE rolname = %(role)s AND (rolsuper OR rolbypassrls OR rolcanlogin)"
    " UNION ALL SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member"
    "   WHERE r.rolname = %(role)s"
)
_UNPROTECTED = (
    "SELECT t.name FROM unnest(%s::text[]) AS t(name)"
    " LEFT JOIN pg_class c ON c.oid = to_regclass('assay.' || t.name)"
    " WHERE c.oid IS NULL OR NOT c.relrowsecurity OR NOT c.relforcerowsecurity OR c.relowner = to_regrole(%s)"
    " OR 1 <> (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own_rows')"
    " OR 1 <> (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid) ORDER BY t.name"
)
_PROBE = (
    "INSERT INTO assay.collections (name, model_id, model_dimension, model_sha256, model_languages)"
    " VALUES (%s, '', 1, '', '')"
)

# The owner of the rows that belong to the server itself, such as keys; no tenant can have this name.
SERVER = ":server:"


@contextmanager
def as_server(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Give the transaction the rows of the server itself for the block, and then those of its tenant again."""
    row = connection.execute(
        "SELECT current_setting('assay.tenant'), set_config('assay.tenant', %s, true)", (SERVER,)
    ).fetchone()
    yield  # what raises ends the transaction, and its tenant with it
    connection.execute("SELECT set_config('assay.tenant', %s, true)", (row[0] if row else "",))


class _Undo(Exception):
    """Rolls back what the check wrote."""


def refuse_leaks(connection: psycopg.Connection[Any], address: Address) -> None:
    """Raise StoreError unless a row of one tenant is hidden from another, and from a transaction without one.

    `connection` is in autocommit mode; nothing of the check stays.
    """
    if any(count for (count,) in connection.execute(_UNFIT_ROLE, {"role": ROLE}).fetchall()):
        raise _leak(
            address,
            f"the role {ROLE} could see more than one tenant: it may log in, bypass row-level "
            "security, or belongs to another role",
        )
    unprotected = connection.execute(_UNPROTECTED, (list(TABLES), ROLE)).fetchall()
    if unprotected:
        names = ", ".join(str(name) for (name,) in unprotected)
        raise _leak(address, f"row-level security is not what assay set it up as, in {names}")
    probe = f"self-check {secrets.token_hex(8)}"
    seen = _seen_by_others(connection, probe)
    if seen != (1, 0, 0):
        raise _leak(address, f"of a row that one tenant wrote, itself, another and none see {seen}")


def _seen_by_others(connection: psycopg.Connection[Any], probe: str) -> tuple[int, ...]:
    """Count the rows of a tenant seen by itself, by another, and by a transaction without one."""
    seen: list[int] = []
    try:
        with connection.transaction():
            for tenant in (probe, f"{probe} other", ""):
                connection.execute(ENTER, (ROLE, tenant))
                if not seen:
                    connection.execute(_PROBE, (probe,))
                row = connection.execute(
                    "SELECT count(*) FROM assay.collections WHERE name = %s", (probe,)
                ).fetchone()
                seen.append(int(row[0]) if row else 0)
            raise _Undo
    except _Undo:
        pass
    return tuple(seen)


def _leak(address: Address, what: str) -> StoreError:
    return StoreError(
        f"{address.shown} does not keep tenants apart: {what}",
        hint="nothing was read or written; somebody changed the role or the policies: see docs/how-to/postgres.md",
    )
