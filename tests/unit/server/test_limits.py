"""Bodies, rates and places: what is too much is refused before it costs anything, and told when to come back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from fastapi import FastAPI, Request, UploadFile
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.errors import UsageError
from assay.server.access import Caller
from assay.server.limits import MIB, AnsweringLimit, BodyLimit, BodyLimits, RequestRate, body_limits
from assay.server.settings import ServerSettings
from support.asgi import Recorder, Reply, exchange, http_scope

SMALL = (BodyLimit("", 10, 30.0), BodyLimit("/large", 20, 30.0), BodyLimit("/slow", 10, 0.01))
ELSEWHERE = ("203.0.113.5", 1)


def post(path: str, length: int | str | None = None) -> Scope:
    headers = {} if length is None else {"content-length": str(length)}
    return http_scope(path, headers, method="POST")


# --- bodies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "most"), [("/", 10), ("/other", 10), ("/large", 20), ("/large/below", 20), ("/larger", 10)]
)
async def test_a_body_may_have_so_many_bytes_by_its_path(path: str, most: int):
    inner = Recorder()
    app = BodyLimits(inner, SMALL)
    whole = b"x" * most
    assert (await exchange(app, post(path, most), [whole])).body == whole
    assert (await exchange(app, post(path), [whole[:5], whole[5:], b""])).body == whole
    inner.scopes.clear()
    refused = await exchange(app, post(path, most + 1), [])
    assert refused.status == 413
    assert refused.problem["detail"] == f"the body is larger than {most} bytes"
    assert not inner.scopes


class Reader:
    """An application that reads bodies as Starlette does, whose reply to a client that left must reach nobody."""

    def __init__(self) -> None:
        self.app = FastAPI()
        self.seen: list[int] = []

        @self.app.post("/json")
        async def json(request: Request) -> str:
            self.seen.append(len(await request.body()))
            return "read"

        @self.app.post("/form")
        async def form(file: UploadFile) -> str:
            self.seen.append(file.size or 0)
            return "read"

        @self.app.post("/caught")
        async def caught(request: Request) -> str:
            try:
                return str(await request.body())
            except Exception:
                return "caught"


MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n',
    b"x" * 50,
    b"\r\n--b--\r\n",
)


@pytest.mark.parametrize(
    ("path", "pieces"),
    [("/json", (b"x" * 50, b"y" * 51, b"")), ("/form", (*MULTIPART[:1], b"x" * 50)), ("/caught", (b"x" * 101,))],
)
async def test_a_body_that_turns_out_too_large_ends_there_whatever_the_application_says(
    path: str, pieces: Sequence[bytes]
):
    reader = Reader()
    scope = http_scope(path, {"content-type": "multipart/form-data; boundary=b"}, method="POST")
    refused = await exchange(BodyLimits(reader.app, [BodyLimit("", 100, 30.0)]), scope, pieces)
    assert (refused.status, reader.seen) == (413, [])
    assert refused.problem["status"] == 413


async def test_a_form_within_the_limit_is_read():
    reader = Reader()
    scope = http_scope("/form", {"content-type": "multipart/form-data; boundary=b"}, method="POST")
    assert (await exchange(BodyLimits(reader.app, [BodyLimit("", 200, 30.0)]), scope, MULTIPART)).status == 200
    assert reader.seen == [50]


@pytest.mark.parametrize("app", [Reader().app, Recorder()], ids=["framework", "bare"])
async def test_a_body_that_stalls_is_refused_and_the_connection_closed(app: ASGIApp):
    async def patient(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "http.request":
            pass

    watched = BodyLimits(patient if isinstance(app, Recorder) else app, [BodyLimit("", 100, 0.01)])
    refused = await exchange(watched, post("/json"), [b"x"], stalls=True)
    assert refused.status == 408
    assert refused.headers["connection"] == "close"


@pytest.mark.parametrize("length", ["-1", "1e3", "ten", "", "٣", "+5", " 5"])
async def test_a_length_that_is_no_number_is_a_bad_request(length: str):
    inner = Recorder()
    scope = post("/")
    scope["headers"].append((b"content-length", length.encode()))
    assert (await exchange(BodyLimits(inner, SMALL), scope, [])).status == 400
    assert not inner.scopes


async def test_an_endless_number_is_too_large():
    assert (await exchange(BodyLimits(Recorder(), SMALL), post("/", "9" * 9000), [])).status == 413


async def test_after_the_body_the_application_hears_when_the_client_leaves():
    messages = iter([{"type": "http.request", "body": b"x", "more_body": False}, {"type": "http.disconnect"}])

    async def receive() -> dict[str, object]:
        return next(messages)

    heard: list[str] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        heard.extend([(await receive())["type"], (await receive())["type"]])

    async def send(_message: object) -> None:
        raise AssertionError

    await BodyLimits(inner, [BodyLimit("", 1, 0.01)])(post("/"), receive, send)
    assert heard == ["http.request", "http.disconnect"]


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/", 2 * MIB),
        ("/api/v1/ask", 2 * MIB),
        ("/api/v1/feedback", 2 * MIB),
        ("/api/v1/documentsx", 2 * MIB),
        ("/api/v1/answer-from", 16 * MIB),
        ("/api/v1/judge", 16 * MIB),
        ("/api/v1/check", 16 * MIB),
        ("/api/v1/fix", 16 * MIB),
        ("/v1/chat/completions", 16 * MIB),
        ("/api/v1/documents", 256 * MIB),
    ],
)
async def test_the_server_s_paths_have_their_limits(path: str, size: int):
    app = BodyLimits(Recorder(), body_limits(256 * MIB))
    assert (await exchange(app, post(path, size))).status == 200
    refused = await exchange(app, post(path, size + 1), [])
    assert refused.status == 413
    assert f"{size // MIB} MiB" in str(refused.body)


# --- rates ---------------------------------------------------------------------------------------------


def of(key_id: str, path: str = "/", client: tuple[str, int] = ("127.0.0.1", 1)) -> Scope:
    caller = Caller("default", key_id, "", ("read",)) if key_id is not None else None
    return {**http_scope(path, client=client), "state": {"caller": caller}}


async def test_a_key_has_its_requests_a_minute_wherever_it_comes_from():
    app = RequestRate(Recorder(), 3)
    for client in (("10.0.0.1", 1), ("10.0.0.2", 1), ("10.0.0.3", 1)):
        assert (await exchange(app, of("one", client=client))).status == 200
    refused = await exchange(app, of("one"), [])
    assert refused.status == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert (await exchange(app, of("two"))).status == 200


async def test_without_a_key_the_address_counts_and_it_is_no_key():
    app = RequestRate(Recorder(), 1)
    assert (await exchange(app, of(""))).status == 200
    assert (await exchange(app, http_scope(), [])).status == 429
    assert (await exchange(app, http_scope(client=ELSEWHERE))).status == 200
    assert (await exchange(app, of("127.0.0.1"))).status == 200


async def test_health_is_never_refused():
    app = RequestRate(Recorder(), 1)
    for _ in range(3):
        assert (await exchange(app, http_scope("/healthz"))).status == 200
    assert (await exchange(app, http_scope("/healthz/x"))).status == 200
    assert (await exchange(app, http_scope("/healthz/x"), [])).status == 429


# --- places --------------------------------------------------------------------------------------------


class Held:
    """An application whose answers end when the test says so."""

    def __init__(self) -> None:
        self.ends = asyncio.Event()
        self.begun = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.ends.wait()
        if scope["path"] == "/api/v1/check":
            raise RuntimeError("it broke")
        await send({"type": "http.response.body", "body": b""})


async def begin(app: ASGIApp, held: Held, *scopes: Scope) -> list[asyncio.Task[Reply]]:
    tasks = [asyncio.create_task(exchange(app, scope)) for scope in scopes]
    before = held.begun
    async with asyncio.timeout(10):
        while held.begun < before + len(scopes):
            await asyncio.sleep(0)
    return tasks


async def test_beyond_its_places_the_server_is_busy_at_once_and_free_again_later():
    held = Held()
    app = AnsweringLimit(held, 2, 2)
    running = await begin(app, held, of("one", "/api/v1/ask"), of("two", "/v1/chat/completions"))
    refused = await exchange(app, of("three", "/mcp"), [])
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    held.ends.set()
    assert [(await task).status for task in running] == [200, 200]
    assert (await exchange(app, of("three", "/api/v1/ask"))).status == 200


async def test_a_caller_has_places_of_its_own():
    held = Held()
    app = AnsweringLimit(held, 10, 1)
    running = await begin(app, held, of("one", "/api/v1/ask"), of("", "/api/v1/ask"), of("two", "/api/v1/ask"))
    for scope in (of("one", "/api/v1/search"), http_scope("/api/v1/ask")):
        refused = await exchange(app, scope, [])
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
    held.ends.set()
    await asyncio.gather(*running)


async def test_other_paths_take_no_place():
    held = Held()
    app = AnsweringLimit(held, 1, 1)
    paths = ("/api/v1/ask", "/healthz", "/api/v1/runs", "/", "/api/v1/asking")
    running = await begin(app, held, *(of("one", path) for path in paths))
    held.ends.set()
    await asyncio.gather(*running)


async def test_an_answer_that_breaks_gives_its_place_back():
    held = Held()
    app = AnsweringLimit(held, 1, 1)
    [broken] = await begin(app, held, of("one", "/api/v1/check"))
    held.ends.set()
    with pytest.raises(RuntimeError, match="it broke"):
        await broken
    assert (await exchange(app, of("one", "/api/v1/ask"))).status == 200


async def test_an_answer_whose_client_left_gives_its_place_back():
    held = Held()
    app = AnsweringLimit(held, 1, 1)
    [left] = await begin(app, held, of("one", "/api/v1/ask"))
    left.cancel()
    await asyncio.wait([left])
    held.ends.set()
    assert (await exchange(app, of("one", "/api/v1/ask"))).status == 200


@pytest.mark.parametrize("name", ["requests_per_minute", "answering", "answering_per_key"])
def test_processes_share_each_limit_and_refuse_one_that_they_cannot_share(name: str) -> None:
    settings = ServerSettings(workers=4, engine={}, **{name: 11})
    assert settings.share(11) * 4 <= 11
    with pytest.raises(UsageError, match=r"4 processes cannot share a limit of 3 \(" + name):
        ServerSettings(workers=4, engine={}, **{name: 3})


async def test_each_process_allows_its_share_of_the_requests_a_minute() -> None:
    settings = ServerSettings(workers=3, engine={}, requests_per_minute=10)
    apps = [RequestRate(Recorder(), settings.share(settings.requests_per_minute)) for _ in range(3)]
    statuses = [(await exchange(app, http_scope("/x"))).status for app in apps for _ in range(10)]
    assert statuses.count(200) == 9
