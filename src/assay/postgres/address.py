"""The address of a Postgres database, which is never shown with its password."""

from __future__ import annotations

from dataclasses import dataclass, field

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from assay.errors import UsageError

# Parameters of a connection where the address does not say otherwise. A server that is cut off is noticed within
# `tcp_user_timeout` milliseconds rather than the hours that TCP waits.
_USUAL = {
    "application_name": "assay",
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "client_encoding": "UTF8",
}


@dataclass(frozen=True, slots=True)
class Address:
    """The place of a database: `conninfo` is for libpq and may hold a password, `shown` is for people."""

    conninfo: str = field(repr=False)
    shown: str
    hosts: tuple[str, ...]
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def read(cls, address: str, *, named: str = "the store") -> Address:
        """Read an address as the setting has it; `named` is what a message calls it.

        Raises UsageError, which quotes nothing of the address: any of it may be a part of the password.

        >>> Address.read("postgresql://ann:s3cret@db.example/assay").shown
        'ann@db.example/assay'
        """
        try:
            given = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
        except psycopg.Error:
            raise UsageError(
                f"{named} is not the address of a Postgres database",
                hint="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for @, %3A for :, %2F for /, "
                "%23 for # and %25 for % in a password",
            ) from None  # libpq's message quotes the address
        return cls(
            make_conninfo(**{**_USUAL, **given}),
            _shown(given),
            tuple(filter(None, (given.get("hostaddr") or given.get("host", "")).split(","))),
            tuple(given[key] for key in ("password", "sslpassword", "oauth_client_secret") if given.get(key)),
        )

    def redacted(self, text: str) -> str:
        """The text without the secrets of the address."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def _shown(given: dict[str, str]) -> str:
    """`user@host:port/database`, as far as the address says it."""
    user, host = given.get("user", ""), given.get("host") or given.get("hostaddr") or given.get("service", "")
    port, name = given.get("port", "").strip(","), given.get("dbname", "")  # of hosts without one it is ","
    return f"{user}{'@' if user else ''}{host or 'local'}{':' if port else ''}{port}{'/' if name else ''}{name}"
