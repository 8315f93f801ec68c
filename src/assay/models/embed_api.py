"""Vectors from a service that speaks OpenAI's `/v1/embeddings`: OpenAI, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from pydantic import BaseModel, ValidationError

from assay.errors import ProviderError, ProviderFailed

# The models' adapter also says how to install the packages where they are missing.
from assay.models.openai import OPENAI_URL
from assay.models.provider import (
    ErrorReply,
    Service,
    connection_error,
    error_message,
    retry_after,
    status_error,
    timeout_error,
)
from assay.models.wire import CONNECTION, UNCOMPRESSED, PerLoop, bounded, opened, refuse_compressed, sendable
from assay.types import EmbeddingModel

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from numpy.typing import NDArray

__all__ = ["OPENAI_URL", "ApiEmbedder"]

# Fewer than any known service's limit.
TEXTS_IN_A_REQUEST = 128
# Room for the vectors of one request, of 8,192 numbers, each of 24 characters.
LARGEST_BODY = TEXTS_IN_A_REQUEST * 8192 * 24


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Row]


@dataclass(frozen=True, slots=True, eq=False)
class ApiEmbedder:
    """An encoder behind HTTP. Made by `connect`, which asks the service for its dimension.

    `model.sha256` is the hash of the model's name: a service does not tell which weights it runs.
    Nothing is retried here. Connections belong to an event loop, so each loop that asks has its own, until
    `aclose` is called on it.
    """

    model: EmbeddingModel
    _service: Service = field(repr=False)
    _clients: PerLoop[ClientSession] = field(repr=False)

    @classmethod
    async def connect(
        cls,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str = OPENAI_URL,
        seconds: float = 60.0,
        languages: tuple[str, ...] = ("en",),
        key_named: str = "OPENAI_API_KEY",
        url_named: str = "OPENAI_BASE_URL",
    ) -> ApiEmbedder:
        """Ask the service for one vector; `seconds` is the limit of each request. No connection is left open.

        Errors call key and address `key_named` and `url_named`.

        Raises ProviderUnreachable, ProviderRefused, ProviderFailed.
        """
        service = Service("openai", name, base_url, api_key, key_named, url_named, seconds)
        clients = PerLoop(lambda: opened(service.url), lambda client: client.close())
        model = EmbeddingModel(service.name, 0, hashlib.sha256(name.encode()).hexdigest(), languages)
        unmeasured = cls(model, service, clients)
        try:
            vectors = await unmeasured._request(["dimension"])
        finally:
            await unmeasured.aclose()
        return cls(replace(model, dimension=vectors.shape[1]), service, clients)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension), in requests of at most 128 texts.

        Raises ProviderUnreachable, ProviderRefused, ProviderFailed.
        """
        vectors = np.zeros((len(texts), self.model.dimension), np.float32)
        for start in range(0, len(texts), TEXTS_IN_A_REQUEST):
            part = texts[start : start + TEXTS_IN_A_REQUEST]
            found = await self._request(part)
            if found.shape[1] != self.model.dimension:
                raise _nonsense(f"vectors of {found.shape[1]} dimensions, before of {self.model.dimension}")
            vectors[start : start + len(part)] = found
        return vectors

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._clients.aclose()

    async def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        body = {
            "model": self._service.model,
            "input": [_sendable(text) for text in texts],
            # Not every compatible service knows base64.
            "encoding_format": "float",
        }
        try:
            async with asyncio.timeout(self._service.seconds):
                content = await self._post(body)
        except TimeoutError:
            raise timeout_error(self._service, self._service.seconds, "vectors") from None
        except CONNECTION as error:
            raise connection_error(self._service, error) from None
        return _vectors(content, len(texts))

    async def _post(self, body: object) -> bytes:
        """The service's answer, asked for without the vendor's package; see decision 124."""
        service = self._service
        url, headers = f"{service.url.rstrip('/')}/embeddings", {**UNCOMPRESSED, **_signed(service)}
        async with self._clients.get().post(url, json=body, headers=headers, allow_redirects=False) as response:
            refuse_compressed(service, response.headers.get("content-encoding"))
            content = b"".join(
                [chunk async for chunk in bounded(service, response.content.iter_any(), LARGEST_BODY)]
            )
            if response.status >= 300:
                raise _refused(service, response, content)
            return content


def _signed(service: Service) -> dict[str, str]:
    """The key, unless the address holds a name and a password, which are sent in its place."""
    named = urlsplit(service.url).username is not None
    return {} if service.key is None or named else {"Authorization": f"Bearer {service.key}"}


def _refused(service: Service, response: ClientResponse, content: bytes) -> ProviderError:
    """The error for an answer that is none."""
    try:
        body = json.loads(content)
    except ValueError:
        body = content.decode(errors="replace")
    error = body.get("error", body) if isinstance(body, dict) else body
    code = f"{error.get('type') or ''} {error.get('code') or ''}" if isinstance(error, dict) else ""
    return status_error(
        service, ErrorReply(response.status, error_message(error), code, retry_after(response.headers))
    )


def _sendable(text: str) -> str:
    """`text` as a service takes it: no lone surrogates, and a space for nothing, which OpenAI refuses."""
    return sendable(text) or " "


def _vectors(content: bytes, count: int) -> NDArray[np.float32]:
    """The reply's vectors in the order of the texts, each of length 1."""
    try:
        rows = sorted(_Reply.model_validate_json(content).data, key=lambda row: row.index)
    except ValidationError as error:
        raise _nonsense(f"{content[:80]!r}") from error
    if [row.index for row in rows] != list(range(count)):
        raise _nonsense(f"{len(rows)} vectors for {count} texts")
    if len({len(row.embedding) for row in rows}) > 1:
        raise _nonsense("vectors of unequal dimensions")
    vectors = np.array([row.embedding for row in rows], np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise _nonsense("a vector without a direction")
    return np.asarray(vectors / lengths, np.float32)


def _nonsense(found: str) -> ProviderFailed:
    return ProviderFailed(
        f"the embedding service answered nonsense: {found}",
        hint="check that the address is that of an OpenAI-compatible /v1/embeddings and that the model embeds",
    )
