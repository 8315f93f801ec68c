"""The embedder behind HTTP, against a server on localhost."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from assay.errors import ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.models.embed_api import ApiEmbedder

Reply = tuple[int, Any]
Answer = Callable[[dict[str, Any]], Reply]


def rows(vectors: list[list[float]]) -> Reply:
    data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
    # Services may answer in any order.
    return 200, {
        "object": "list",
        "data": data[::-1],
        "model": "m",
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def by_length(request: dict[str, Any]) -> Reply:
    return rows([[float(len(text)), 1.0, 0.0] for text in request["input"]])


def refused(status: int, code: str | None = None) -> Answer:
    return lambda _: (status, {"error": {"message": "no such luck", "type": "t", "code": code}})


@dataclass
class Service:
    """A server that answers as it is told and keeps what it was asked."""

    url: str
    answer: Answer = by_length
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@pytest.fixture
def service() -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append({"path": self.path, **request})
            told.keys.append(self.headers["Authorization"])
            status, reply = told.answer(request)
            content = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: tests are quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Nothing: a client that left is part of a test."""

    server = Server(("127.0.0.1", 0), Handler)
    told = Service(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


@asynccontextmanager
async def connected(service: Service, **options: Any) -> AsyncIterator[ApiEmbedder]:
    embedder = await ApiEmbedder.connect("m", base_url=service.url, **options)
    try:
        yield embedder
    finally:
        await embedder.aclose()


async def test_the_first_reply_gives_the_dimension(service: Service) -> None:
    async with connected(service) as embedder:
        assert (embedder.model.id, embedder.model.dimension) == ("openai:m", 3)


async def test_rows_have_length_one_and_the_order_of_the_texts(service: Service) -> None:
    async with connected(service) as embedder:
        vectors = await embedder.embed(["abc", "a"])
    expected = np.array([[3, 1, 0], [1, 1, 0]]) / np.sqrt([[10], [2]])
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert vectors.dtype == np.float32


async def test_requests_have_at_most_128_texts(service: Service) -> None:
    async with connected(service) as embedder:
        assert (await embedder.embed(["x"] * 300)).shape == (300, 3)
        assert (await embedder.embed([])).shape == (0, 3)
    assert [len(request["input"]) for request in service.asked[1:]] == [128, 128, 44]
    assert {request["path"] for request in service.asked} == {"/v1/embeddings"}


def test_each_event_loop_has_its_own_connections(service: Service) -> None:
    embedder = asyncio.run(ApiEmbedder.connect("m", base_url=service.url))

    async def once() -> tuple[int, ...]:
        vectors = await embedder.embed(["a"])
        await embedder.aclose()
        return vectors.shape

    assert [asyncio.run(once()), asyncio.run(once())] == [(1, 3), (1, 3)]


async def test_the_key_is_sent(service: Service) -> None:
    async with connected(service, api_key="secret") as embedder:
        assert "secret" not in repr(embedder)
    assert service.keys == ["Bearer secret"]


async def test_a_name_in_the_address_is_sent_in_place_of_the_key(service: Service) -> None:
    service.url = service.url.replace("//", "//me:word@")
    async with connected(service, api_key="secret"):
        pass
    assert service.keys == ["Basic bWU6d29yZA=="]


async def test_texts_that_a_service_cannot_take_are_made_takeable(service: Service) -> None:
    async with connected(service) as embedder:
        await embedder.embed(["", "a\ud800"])
    assert service.asked[-1]["input"] == [" ", "a?"]


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"),
    [
        (refused(307), ProviderRefused, False),
        (refused(400), ProviderRefused, False),
        (refused(401), ProviderRefused, False),
        (refused(403), ProviderRefused, False),
        (refused(404), ProviderRefused, False),
        (refused(429), ProviderRefused, True),
        (refused(429, "insufficient_quota"), ProviderRefused, False),
        (refused(408), ProviderFailed, True),
        (refused(500), ProviderFailed, True),
        (refused(503), ProviderFailed, True),
    ],
)
async def test_a_refusal_is_typed_and_asked_once(
    service: Service, answer: Answer, kind: type[ProviderError], retryable: bool
) -> None:
    service.answer = answer
    with pytest.raises(kind, match="no such luck") as caught:
        await ApiEmbedder.connect("m", base_url=service.url)
    assert (caught.value.retryable, bool(caught.value.hint), len(service.asked)) == (retryable, True, 1)


@pytest.mark.parametrize(
    "reply",
    [
        b"<html>a page</html>",
        b"",
        {"data": []},
        {"data": "none"},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [1e999, 1.0]}]},
        {"data": [{"index": 7, "embedding": [1.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
    ],
)
async def test_nonsense_is_a_failure(service: Service, reply: object) -> None:
    service.answer = lambda _: (200, reply)
    with pytest.raises(ProviderFailed, match="nonsense"):
        await ApiEmbedder.connect("m", base_url=service.url)


@pytest.mark.parametrize("vectors", [[[1.0, 0.0]] * 2, [[1.0, 0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0, 0.0]]])
async def test_a_change_of_shape_is_a_failure(service: Service, vectors: list[list[float]]) -> None:
    async with connected(service) as embedder:
        service.answer = lambda _: rows(vectors)
        with pytest.raises(ProviderFailed, match="nonsense"):
            await embedder.embed(["a", "b"])


async def test_no_server_is_unreachable() -> None:
    with pytest.raises(ProviderUnreachable) as caught:
        await ApiEmbedder.connect("m", base_url="http://127.0.0.1:9/v1")
    assert caught.value.retryable


async def test_a_late_server_is_unreachable(service: Service) -> None:
    released = threading.Event()

    def late(request: dict[str, Any]) -> Reply:
        released.wait(5)
        return by_length(request)

    service.answer = late
    with pytest.raises(ProviderUnreachable):
        await ApiEmbedder.connect("m", base_url=service.url, seconds=0.2)
    released.set()


def test_a_missing_package_names_its_extra() -> None:
    program = """
import sys
sys.modules["openai"] = None
from assay.errors import MissingExtra
try:
    import assay.models.embed_api
except MissingExtra as error:
    print(error.hint)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == 'in the clone of assay: pip install ".[openai]"\n'
