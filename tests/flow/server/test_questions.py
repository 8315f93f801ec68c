"""Questions over HTTP: one object, a stream that can be taken up again, and bad input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import open_engine
from assay.server.settings import ServerSettings
from support.served import Served, events_of, serving, wait_for

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = {"question": "At how many degrees does water boil?"}
STREAM = {"accept": "text/event-stream"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    paper = folder / "water.md"
    paper.write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([paper])
    with serving(ServerSettings(engine={"data_dir": folder})) as server:
        yield server


def test_a_question_gets_the_answer_object_of_the_library(served: Served) -> None:
    with served.client() as client:
        answer = client.post("/api/v1/ask", json=QUESTION).json()
    assert answer["schema"] == "assay/1"
    assert answer["outcome"] == "answered"
    assert "100 degrees" in answer["text"]
    assert answer["named_warnings"] == []


def test_a_stream_ends_with_the_answer_and_numbers_its_events(served: Served) -> None:
    with served.client() as client:
        text = client.post("/api/v1/ask", json=QUESTION, headers=STREAM).text
    events = events_of(text)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events].count("done") == 1
    assert events[-1]["answer"]["run_id"] == events[0]["run_id"]
    assert f"id: {events[0]['run_id']}:1\n" in text


def test_a_stream_is_taken_up_where_the_client_left_it(served: Served) -> None:
    with served.client() as client:
        events = events_of(client.post("/api/v1/ask", json=QUESTION, headers=STREAM).text)
        run_id, last = events[0]["run_id"], events[2]
        headers = {"last-event-id": f"{run_id}:{last['seq']}"}
        live = events_of(client.get(f"/api/v1/runs/{run_id}/events", headers=headers).text)
        served.service.live._known.clear()  # as in another process, or long after
        recorded = events_of(client.get(f"/api/v1/runs/{run_id}/events", headers=headers).text)
    assert live == events[3:]
    assert [event["kind"] for event in recorded] == [event["kind"] for event in live]
    assert recorded[-1]["answer"]["text"] == live[-1]["answer"]["text"]


def test_an_answer_from_given_passages_cites_them(served: Served) -> None:
    body = {**QUESTION, "passages": [{"text": WATER, "passage_id": "w", "title": "Water", "score": 0.8}]}
    with served.client() as client:
        answer = client.post("/api/v1/answer-from", json=body).json()
    assert answer["outcome"] == "answered"
    assert answer["sources"][0]["passage_id"] == "w"


def test_search_judge_check_and_fix_answer_as_the_library_does(served: Served) -> None:
    source = [{"text": "The bridge was opened on 3 May 1932."}]
    with served.client() as client:
        found = client.post("/api/v1/search", json={"query": "boiling", "k": 1}).json()
        judged = client.post("/api/v1/judge", json=QUESTION).json()
        own = client.post("/api/v1/judge", json={**QUESTION, "passages": source}).json()
        checked = client.post(
            "/api/v1/check", json={"text": "The bridge was opened on 3 May 1932.", "sources": source}
        ).json()
        fixed = client.post(
            "/api/v1/fix", json={"text": "The bridge was opened on 3 May 1933.", "sources": source}
        ).json()
    assert found["hits"][0]["passage"]["title"] == "Water"
    assert judged["recommendation"] == "ANSWER"
    assert own["recommendation"] != "ANSWER"
    assert checked["verdict"] == "supported"
    assert fixed["text"] == "The bridge was opened on 3 May 1932."


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/api/v1/ask", {"question": ""}, 422, "body.question: must have at least 1 character"),
        ("/api/v1/ask", {}, 422, "body.question: it is required"),
        ("/api/v1/ask", [1], 422, "body: it is not a JSON object with the header content-type: application/json"),
        ("/api/v1/ask", {"question": "a", "collection": "nope"}, 404, "there is no collection 'nope'"),
        ("/api/v1/ask", {"question": "a", "collection": "../b"}, 422, "pattern"),
        ("/api/v1/ask", {"question": "a", "colour": "red"}, 422, "body.colour: there is no such field"),
        ("/api/v1/ask", {"question": "a", "options": {"rounds": 99}}, 422, "allows at most 3"),
        ("/api/v1/ask", {"question": "a", "options": {"model": "openai:x"}}, 422, "does not let a request name"),
        ("/api/v1/ask", {"question": "a", "options": {"profile": "thorough"}}, 422, "no model is set"),
        ("/api/v1/ask", {"question": "a", "history": [{"role": "system", "text": "b"}]}, 422, "user"),
        ("/api/v1/search", {"query": "  "}, 422, "empty"),
        ("/api/v1/check", {"text": "a", "sources": []}, 422, "at least 1 item"),
        ("/api/v1/nothing", {}, 404, "nothing at"),
    ],
)
def test_bad_input_is_told_what_why_and_what_next(
    served: Served, path: str, body: dict[str, object] | list[int], status: int, words: str
) -> None:
    with served.client() as client:
        response = client.post(path, json=body)
    problem = response.json()
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    assert problem["status"] == status
    assert words in problem["detail"]
    assert problem["hint"]


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff", b'{"question": NaN}', b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(served: Served, body: bytes) -> None:
    with served.client() as client:
        response = client.post("/api/v1/ask", content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["hint"]


def test_a_body_that_breaks_off_is_told_with_its_place(served: Served) -> None:
    with served.client() as client:
        response = client.post("/api/v1/ask", content=b'{"question":', headers={"content-type": "application/json"})
    assert response.json()["detail"] == "body: it is not JSON: Expecting value at character 12"


def test_a_client_that_leaves_ends_the_run(served: Served, tmp_path: Path) -> None:
    script = tmp_path / "slow.json"
    pieces = {"role": "writer", "reply": "Water boils at 100 degrees Celsius at sea level [1].", "pieces": 4}
    script.write_text(json.dumps([{**pieces, "delay": 60.0}]), encoding="utf-8")
    folder = served.service.base.data_dir
    settings = ServerSettings(engine={"data_dir": folder, "model": f"fake:{script}", "deadline": 100})
    with serving(settings) as slow, slow.client() as client:
        with client.stream("POST", "/api/v1/ask", json=QUESTION, headers=STREAM) as response:
            first = next(line for line in response.iter_lines() if line.startswith("data: "))
        run_id = json.loads(first.removeprefix("data: "))["run_id"]
        wait_for(lambda: slow.service.live.count == 0)
        events = events_of(client.get(f"/api/v1/runs/{run_id}/events").text)
    assert (events[-1]["kind"], events[-1]["error"]) == ("error", "CancelledError")
    assert [event["kind"] for event in events].count("error") == 1


def test_a_run_is_decided_again_under_other_settings(served: Served) -> None:
    with served.client() as client:
        run_id = client.post("/api/v1/ask", json=QUESTION).json()["run_id"]
        replayed = client.post(f"/api/v1/runs/{run_id}/replay", json={"settings": {"least_passages": 200}}).json()
    changed = {change["path"]: (change["before"], change["after"]) for change in replayed["difference"]["changed"]}
    assert changed["actions"] == (["ANSWER"], ["ABSTAIN"])
    assert replayed["calls"] == []


@pytest.mark.parametrize(
    "settings",
    [{"mcp_server": "touch /tmp/x"}, {"reader": "/etc"}, {"rules": "/etc/passwd"}, {"openai_base_url": "http://x"},
     {"model": "local:/etc/passwd"}, {"data_dir": "/"}, {"rounds": 100}, {"nothing": 1}],
)  # fmt: skip
def test_a_replay_changes_nothing_that_names_a_file_an_address_or_a_command(
    served: Served, settings: dict[str, object]
) -> None:
    with served.client() as client:
        run_id = client.post("/api/v1/ask", json=QUESTION).json()["run_id"]
        response = client.post(f"/api/v1/runs/{run_id}/replay", json={"settings": settings, "live": True})
    assert response.status_code == 422
    assert response.json()["hint"]
