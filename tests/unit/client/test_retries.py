"""How often and when a refused call is sent again."""

from __future__ import annotations

import httpx2
import pytest

from assay.client.calls import Call, no_value
from assay.client.clients import Attempts
from assay.errors import AssayError


def attempts(*, seconds: float = 100.0, repeatable: bool = True) -> Attempts:
    call = Call(method="GET", path="/things", read=no_value, repeatable=repeatable)
    return Attempts(call, seconds, clock=lambda: 0.0)


def response(status: int, **headers: str) -> httpx2.Response:
    request = httpx2.Request("GET", "http://127.0.0.1/things")
    return httpx2.Response(
        status, headers={name.replace("_", "-"): one for name, one in headers.items()}, request=request
    )


def test_success_ends_it():
    assert attempts().pause_after(response(204)) is None


def test_pauses_grow_until_the_fourth_refusal():
    tried = attempts()
    pauses = [tried.pause_after(response(503)) for _ in range(3)]
    for pause, middle in zip(pauses, (0.5, 1.0, 2.0), strict=True):
        assert pause is not None
        assert 0.8 * middle <= pause <= 1.2 * middle
    with pytest.raises(AssayError):
        tried.pause_after(response(503))


def test_the_server_s_word_counts_more():
    assert attempts().pause_after(response(429, retry_after="7")) == 7.0


@pytest.mark.parametrize(
    ("tried", "refused"),
    [
        (attempts(repeatable=False), response(503)),
        (attempts(), response(500)),
        (attempts(), response(404)),
        (attempts(), response(302, location="http://elsewhere")),
        (attempts(seconds=7.0), response(429, retry_after="7")),
    ],
)
def test_other_refusals_are_raised_at_once(tried: Attempts, refused: httpx2.Response):
    with pytest.raises(AssayError):
        tried.pause_after(refused)
