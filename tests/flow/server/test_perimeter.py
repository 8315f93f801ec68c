"""A real server from outside: keys, names, limits and headers on the paths that are served."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from assay.errors import UsageError
from assay.server.api_key import Cost
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.main import application
from assay.server.service import Service
from assay.server.settings import ServerSettings
from support.served import PATIENCE, Served, serving, wait_for

CHEAP = Cost(n=2, r=1, p=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def keys(folder: Path) -> KeyStore:
    return KeyStore(KeysFile(folder / FILE_NAME), cost=CHEAP)


@pytest.fixture(scope="module")
def reader(keys: KeyStore) -> str:
    return keys.create(name="reader")[1]


@pytest.fixture(scope="module")
def served(folder: Path, reader: str) -> Iterator[Served]:
    with serving(ServerSettings(engine={"data_dir": folder}, trusted_proxies=("127.0.0.1",))) as server:
        yield server


def get(served: Served, path: str, **headers: str) -> httpx2.Response:
    with served.client() as client:
        return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_health_is_for_all_and_the_rest_for_keys(served: Served, reader: str):
    assert get(served, "/healthz").status_code == 200
    assert get(served, "/api/v1/collections").status_code == 401
    assert get(served, "/api/v1/collections", authorization=f"Bearer {reader}").status_code == 200
    with served.client(headers={"x-api-key": reader}) as client:
        assert client.delete("/api/v1/collections/x").status_code == 403


def test_a_revoked_key_ends_within_the_second(served: Served, keys: KeyStore):
    key, text = keys.create(name="short")
    assert get(served, "/api/v1/collections", authorization=f"Bearer {text}").status_code == 200
    keys.revoke(key.key_id)
    with served.client(headers={"x-api-key": text}) as client:
        wait_for(lambda: client.get("/api/v1/collections").status_code == 401)


def test_openai_s_clients_get_errors_of_their_shape(served: Served):
    refused = get(served, "/v1/models", authorization="Bearer sk-x", x_forwarded_for="203.0.113.9")
    assert refused.status_code == 401
    assert refused.json()["error"]["type"] == "authentication_error"


def test_foreign_names_and_origins_are_refused_before_anything_else(served: Served, reader: str):
    assert get(served, "/healthz", host="evil.example").status_code == 421
    assert get(served, "/healthz", origin="https://evil.example").status_code == 403
    assert get(served, "/healthz", origin=served.address).status_code == 200


def test_every_response_has_an_id_and_strict_headers(served: Served):
    for path in ("/healthz", "/api/v1/collections", "/nothing", "/openapi.json"):
        reply = get(served, path, x_request_id="mine.7")
        assert reply.headers["x-request-id"] == "mine.7"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert get(served, "/nothing", x_request_id="mine.7").json()["request_id"] == "mine.7"


def connect(served: Served) -> socket.socket:
    host, _, port = served.address.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), PATIENCE)


def reply_on(connection: socket.socket) -> tuple[int, dict[str, object]]:
    """The status and the object of the next reply."""
    with connection.makefile("rb") as file:
        status = int(file.readline().split()[1])
        length = 0
        while line := file.readline().strip():
            name, _, value = line.decode().partition(": ")
            length = int(value) if name == "content-length" else length
        return status, json.loads(file.read(length))


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(served: Served, reader: str):
    head = (
        "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"X-API-Key: {reader}\r\nContent-Length: 3000000\r\n\r\n"
    )
    with connect(served) as connection:
        connection.sendall(head.encode())
        status, problem = reply_on(connection)
        assert (status, problem["detail"]) == (413, "the body is larger than 2 MiB")


def test_a_chunked_body_is_counted(served: Served, reader: str):
    head = (
        "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"X-API-Key: {reader}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with connect(served) as connection:
        connection.sendall(head.encode())
        for _ in range(33):
            connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        assert reply_on(connection)[0] == 413


def test_after_a_refused_body_the_connection_is_good_for_the_next_request(served: Served, reader: str):
    large = b"x" * 2_100_000
    with served.client(headers={"x-api-key": reader}) as client:
        assert client.post("/api/v1/ask", content=large).status_code == 413
        assert client.get("/api/v1/collections").status_code == 200


def test_one_client_s_requests_a_minute_are_counted(tmp_path: Path):
    settings = ServerSettings(engine={"data_dir": tmp_path}, requests_per_minute=2)
    with serving(settings) as server, server.client() as client:
        statuses = [client.get("/api/v1/collections").status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "wrong", [{"allowed_hosts": ("*",)}, {"allowed_origins": ("x",)}, {"trusted_proxies": ("proxy.example",)}]
)
def test_settings_that_cannot_be_right_end_the_start(tmp_path: Path, wrong: dict[str, tuple[str, ...]]):
    with pytest.raises(UsageError):
        application(Service.over(ServerSettings(engine={"data_dir": tmp_path}, **wrong)))
