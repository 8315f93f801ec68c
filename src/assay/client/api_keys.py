"""Calls about API keys, for keys with the scope admin."""

from __future__ import annotations

from typing import Literal

from assay.client.calls import Call, field_of, given, value_of
from assay.client.values import ApiKey, NewApiKey


def api_keys() -> Call[tuple[ApiKey, ...]]:
    """The keys of the tenant; an admin of the tenant default sees every one."""
    return Call(method="GET", path="/keys", read=field_of("keys", tuple[ApiKey, ...]), repeatable=True)


def create_key(
    name: str,
    *,
    scope: Literal["read", "write", "admin"] = "read",
    tenant: str | None = None,
    expires: str | None = None,
) -> Call[NewApiKey]:
    """Make a key; its text is in the result and nowhere else. `expires` is such as 90d, 12h, 2w or a date."""
    body = {"name": name, "scope": scope, **given(tenant=tenant, expires=expires)}
    return Call(method="POST", path="/keys", body=body, read=value_of(NewApiKey, "key"))


def revoke_key(key_id: str) -> Call[ApiKey]:
    """Revoke a key for good."""
    return Call(
        method="DELETE",
        path="/keys/{key_id}",
        places={"key_id": key_id},
        read=value_of(ApiKey, "key"),
        repeatable=True,
    )
