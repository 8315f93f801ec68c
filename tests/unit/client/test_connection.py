"""Where requests go, how they are signed, and what importing the client costs."""

from __future__ import annotations

import subprocess
import sys

import httpx2
import pytest

from assay.client import AsyncClient, Client
from assay.client.calls import Call, no_value
from assay.client.connection import Connection
from assay.client.problems import retry_after
from assay.errors import UsageError


def request(connection: Connection) -> httpx2.Request:
    call = Call(
        method="POST", path="/things/{name}", places={"name": "a/b"}, query={"q": "ä"}, body={}, read=no_value
    )
    return connection.request(call, 3.0)


def test_a_request_goes_to_the_server_s_address_with_the_key():
    sent = request(Connection.to("https://example.org/behind/", "k", 3.0))
    assert str(sent.url) == "https://example.org/behind/api/v1/things/a%2Fb?q=%C3%A4"
    assert sent.headers["authorization"] == "Bearer k"
    assert sent.extensions["timeout"] == {"connect": 3.0, "read": 3.0, "write": 3.0, "pool": 3.0}


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_URL", "http://there:9")
    monkeypatch.setenv("ASSAY_API_KEY", "secret")
    sent = request(Connection.to(None, None, 1.0))
    assert (sent.url.host, sent.headers["authorization"]) == ("there", "Bearer secret")
    assert request(Connection.to("http://here", "other", 1.0)).headers["authorization"] == "Bearer other"


def test_without_any_setting_it_is_the_local_server_and_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ASSAY_URL", raising=False)
    monkeypatch.setenv("ASSAY_API_KEY", "")
    sent = request(Connection.to(None, None, 1.0))
    assert (sent.url.host, sent.url.port) == ("127.0.0.1", 8000)
    assert "authorization" not in sent.headers


@pytest.mark.parametrize(
    "url",
    [
        "example.org",
        "ftp://example.org",
        "http://",
        "http://a:b",
        "http://[::1",
        "http://a?q=1",
        "http://user:word@example.org",
        "x://user:word@example.org",
    ],
)
def test_a_bad_address_is_refused_and_no_password_shown(url: str):
    with pytest.raises(UsageError) as caught:
        Client(url)
    assert "word@" not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("key", ["two words", "line\n", "schlüssel"])
def test_a_bad_key_is_refused_and_not_shown(key: str):
    with pytest.raises(UsageError) as caught:
        AsyncClient("http://a", key)
    assert key not in f"{caught.value} {caught.value.hint}"


def test_what_json_does_not_have_is_refused():
    with Client("http://127.0.0.1:9") as client:
        for metadata in ({"a": float("nan")}, {"a": object()}):
            with pytest.raises(UsageError, match="cannot be sent as JSON"):
                client.search("a", where=metadata)  # type: ignore[arg-type]


@pytest.mark.parametrize("run_id", ["", ".", ".."])
def test_an_id_that_would_name_another_path_is_refused(run_id: str):
    with Client("http://127.0.0.1:9") as client, pytest.raises(UsageError, match="an id cannot be"):
        client.run(run_id)


def test_a_closed_client_says_so():
    client = Client("http://127.0.0.1:9")
    client.close()
    client.close()
    with pytest.raises(UsageError, match="the client is closed"):
        client.collections()
    with pytest.raises(UsageError, match="the client is closed"):
        next(client.stream("a"))


def test_passages_are_a_list():
    with Client("http://127.0.0.1:9") as client, pytest.raises(UsageError, match="passages are a list"):
        client.check("a", "b")


@pytest.mark.parametrize("said", ["", "soon", "-1", "١"])
def test_what_is_no_time_to_wait_is_none(said: str):
    assert retry_after(httpx2.Response(503, headers=[(b"retry-after", said.encode())])) is None


def test_the_client_needs_neither_server_nor_engine():
    program = (
        "import sys, assay.client\n"
        "heavy = {'fastapi', 'starlette', 'uvicorn', 'numpy', 'onnxruntime', 'faiss', 'lxml', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_httpx2_the_extra_is_named():
    program = (
        "import sys\nsys.modules['httpx2'] = None\n"
        "try:\n    import assay.client\nexcept Exception as error:\n    print(type(error).__name__, error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'MissingExtra in the clone of assay: pip install ".[client]"\n'
