"""Calls about collections."""

from __future__ import annotations

from assay.client.calls import Call, field_of, no_value
from assay.client.values import Collection


def collections() -> Call[tuple[Collection, ...]]:
    """The collections with the number of their documents."""
    read = field_of("collections", tuple[Collection, ...])
    return Call(method="GET", path="/collections", read=read, repeatable=True)


def delete_collection(name: str) -> Call[None]:
    """Delete a collection with its documents, for keys with the scope admin; recorded runs stay."""
    return Call(method="DELETE", path="/collections/{name}", places={"name": name}, read=no_value, repeatable=True)
