"""Vectors from a service that speaks OpenAI's `/v1/embeddings`: OpenAI, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import BaseModel, ValidationError

from assay.errors import (
    MissingExtra,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
)
from assay.types import EmbeddingModel

try:
    import openai
    from openai import AsyncOpenAI, DefaultAioHttpClient
except ImportError as error:
    raise MissingExtra(
        f"embeddings from a service need a package that is not installed: {error.name}",
        hint='pip install "assay[openai]"',
    ) from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPENAI_URL = "https://api.openai.com/v1"
# Fewer than any known service's limit.
TEXTS_IN_A_REQUEST = 128


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Row]


@dataclass(frozen=True, slots=True)
class _Service:
    """Whom to ask, and for how long to wait."""

    name: str
    url: str
    key: str | None = field(repr=False)
    seconds: float

    def client(self) -> AsyncOpenAI:
        """A client of its own connections, for the running event loop."""
        return AsyncOpenAI(
            # The client insists on a key; services of one's own often have none.
            api_key=self.key or "none",
            base_url=self.url,
            max_retries=0,
            timeout=self.seconds,
            http_client=DefaultAioHttpClient(timeout=self.seconds),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ApiEmbedder:
    """An encoder behind HTTP. Made by `connect`, which asks the service for its dimension.

    `model.sha256` is the hash of the model's name: a service does not tell which weights it runs.
    Nothing is retried here. Connections belong to an event loop, so each loop that asks has its own, until
    `aclose` is called on it.
    """

    model: EmbeddingModel
    _service: _Service = field(repr=False)
    _clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @classmethod
    async def connect(
        cls,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str = OPENAI_URL,
        seconds: float = 60.0,
        languages: tuple[str, ...] = ("en",),
    ) -> ApiEmbedder:
        """Ask the service for one vector; `seconds` is the limit of each request. No connection is left open.

        Raises ProviderUnreachable, ProviderRefused, ProviderFailed.
        """
        model = EmbeddingModel(f"openai:{name}", 0, hashlib.sha256(name.encode()).hexdigest(), languages)
        unmeasured = cls(model, _Service(name, base_url, api_key, seconds))
        try:
            vectors = await unmeasured._request(["dimension"])
        finally:
            await unmeasured.aclose()
        return cls(replace(model, dimension=vectors.shape[1]), unmeasured._service)

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
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _client(self) -> AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._service.client()
        return self._clients[loop]

    async def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        client = self._client()
        try:
            reply = await client.embeddings.with_raw_response.create(
                # Not every compatible service knows base64, the client's own default.
                model=self._service.name,
                input=[_sendable(text) for text in texts],
                encoding_format="float",
            )
        except openai.APIError as error:
            raise _mapped(error, self._service) from error
        return _vectors(reply.content, len(texts))


def _sendable(text: str) -> str:
    """`text` as a service takes it: no lone surrogates, and a space for nothing, which OpenAI refuses."""
    return text.encode("utf-8", "replace").decode("utf-8") or " "


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


def _mapped(error: openai.APIError, service: _Service) -> ProviderError:
    """Our error for the client's."""
    if isinstance(error, openai.APIConnectionError):
        hint = "check the address and the network, or use --embedder bundled"
        return ProviderUnreachable(
            f"no answer from the embedding service at {service.url}", hint=hint, retryable=True
        )
    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    said = f"the embedding service at {service.url} answered {status or 'nonsense'}: {error.message[:200]}"
    if status in (401, 403):
        return ProviderRefused(said, hint="set OPENAI_API_KEY to a key that may use this model")
    if status == 404:
        return ProviderRefused(said, hint=f"check the address, and that it serves a model named {service.name}")
    if status == 429 and error.code != "insufficient_quota":
        return ProviderRefused(said, hint="wait, then try again", retryable=True)
    if status in (408, 409) or status >= 500:
        return ProviderFailed(said, hint="try again later", retryable=True)
    if 400 <= status < 500:
        return ProviderRefused(said, hint="read what the service says; use another model or shorter passages")
    return ProviderFailed(said, hint="check that the address is that of an OpenAI-compatible service")
