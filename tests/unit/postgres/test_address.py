"""An address is read without ever showing its password."""

from __future__ import annotations

import pytest

from assay.errors import UsageError
from assay.postgres.address import Address

PASSWORD = "s3cret-word"  # noqa: S105 - of no account


@pytest.mark.parametrize(
    ("address", "shown", "hosts"),
    [
        (f"postgresql://ann:{PASSWORD}@db.example:5433/assay", "ann@db.example:5433/assay", ("db.example",)),
        (f"postgres://db.example/assay?password={PASSWORD}", "db.example/assay", ("db.example",)),
        (f"postgresql://ann@a,b/assay?sslpassword={PASSWORD}", "ann@a,b/assay", ("a", "b")),
        ("postgresql:///assay", "local/assay", ()),
        ("postgresql://ann@name/x?hostaddr=192.0.2.1", "ann@name/x", ("192.0.2.1",)),
        ("postgresql://ann@%2Fvar%2Frun/x", "ann@/var/run/x", ("/var/run",)),
    ],
)
def test_what_is_shown_has_no_password(address: str, shown: str, hosts: tuple[str, ...]) -> None:
    read = Address.read(address)
    assert (read.shown, read.hosts) == (shown, hosts)
    assert PASSWORD not in repr(read)
    assert PASSWORD not in read.redacted(f"FATAL: {PASSWORD} is wrong") or PASSWORD not in address


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{PASSWORD}@[db.example/assay",
        f"postgresql://ann:{PASSWORD}@db.example/assay?no_such={PASSWORD}",
        f"postgresql://ann:a%zz{PASSWORD}@db.example/assay",
        f"host=db password='{PASSWORD}",
    ],
)
def test_an_address_that_cannot_be_read_is_not_quoted(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.read(address, named="--store")
    assert str(caught.value) == "--store is not the address of a Postgres database"
    assert PASSWORD not in caught.value.hint
    assert caught.value.__cause__ is None


def test_what_the_address_says_stands_over_what_is_usual() -> None:
    read = Address.read("postgresql://db/x?connect_timeout=60&application_name=own")
    assert "connect_timeout=60" in read.conninfo
    assert "application_name=own" in read.conninfo
    assert "client_encoding=UTF8" in read.conninfo
