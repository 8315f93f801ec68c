"""keys: make, list and revoke API keys of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.cli.flags import AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.server.api_key import Key
    from assay.server.keys import KeyStore

Name = Annotated[str, typer.Option("--name", metavar="TEXT", help="Purpose of the key.")]
Tenant = Annotated[
    str, typer.Option("--tenant", metavar="NAME", help="Tenant whose documents and runs the key gives access to.")
]
ScopeOfKey = Annotated[
    Literal["read", "write", "admin"],
    typer.Option("--scope", help="Permissions; write includes read, admin includes both."),
]
Expires = Annotated[
    str | None,
    typer.Option(
        "--expires", metavar="WHEN", help="When it expires: 90d, 12h, 2w or an ISO date. [default: never]"
    ),
]
OfTenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Only keys of this tenant. [default: all]")
]
KeyId = Annotated[str, typer.Argument(metavar="KEY", help="The key's id, as `assay keys list` shows it.")]


@takes("data_dir", "store")
def create(
    terminal: Terminal,
    *,
    given: Given,
    name: Name,
    tenant: Tenant = "default",
    scope: ScopeOfKey = "read",
    expires: Expires = None,
    as_json: AsJson = False,
) -> None:
    """Create an API key and print it. It is not shown again.

    Only a slow hash of the key is stored. The tenant `default` has the documents added by `assay add`; every other
    tenant has its own documents and runs.

    \b
    assay keys create --name laptop
    assay keys create --name "nightly upload" --tenant acme --scope write --expires 90d
    """
    import time

    from assay.server.api_key import expiry

    ends = None if expires is None else expiry(expires, time.time())
    key, text = _keys(given).create(name=name, tenant=tenant, scope=scope, expires=ends)
    if as_json:
        terminal.object({"key": text, **_object(key)})
        return
    terminal.line(text)
    terminal.note("note it down: it is not shown again; clients send it as `Authorization: Bearer KEY`")


@takes("data_dir", "store")
def list_(
    terminal: Terminal,
    *,
    given: Given,
    tenant: OfTenant = None,
    as_json: AsJson = False,
) -> None:
    """List the API keys.

    Prints id, state, tenant, scope, name, last use and expiry; never the key itself.
    """
    keys = _keys(given).list(tenant)
    if as_json:
        terminal.object({"keys": [_object(key) for key in keys]})
        return
    for key in keys:
        terminal.line(_row(key))
    if not keys:
        terminal.note("there are no keys" if tenant is None else f"the tenant {tenant!r} has no keys")


@takes("data_dir", "store")
def revoke(
    terminal: Terminal,
    key: KeyId,
    *,
    given: Given,
    as_json: AsJson = False,
) -> None:
    """Revoke an API key for good.

    A running server refuses it within a second.
    """
    revoked = _keys(given).revoke(key)
    if as_json:
        terminal.object(_object(revoked))
    else:
        terminal.note(f"revoked {revoked.key_id} ({one_line(revoked.name)})")


def _keys(given: Given) -> KeyStore:
    from assay.server.stores import key_store
    from assay.settings import load_settings

    return key_store(load_settings(given).settings)


def _object(key: Key) -> dict[str, object]:
    import time

    return {**key.to_dict(), "state": key.state_at(time.time())}


def _row(key: Key) -> str:
    import time

    from assay.cli.run_view import moment

    used = "never used" if key.used is None else f"used {moment(key.used)}"
    ends = "" if key.expires is None else f"  expires {moment(key.expires)}"
    state = key.state_at(time.time())
    return f"{key.key_id}  {state:7}  {key.tenant}  {key.scope:5}  {one_line(key.name)}  {used}{ends}"


VERBS = (create, list_, revoke)
