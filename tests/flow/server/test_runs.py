"""Recorded runs over HTTP: listed page by page, labelled, decided on, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from assay.server.settings import ServerSettings
from support.served import Served, serving

SOURCE = [{"text": "The bridge was opened on 3 May 1932.", "title": "Bridge"}]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(ServerSettings(engine={"data_dir": tmp_path_factory.mktemp("data")})) as server:
        yield server


def ask(served: Served, question: str) -> str:
    """Ask about the bridge; the id of the run."""
    with served.client() as client:
        answer = client.post("/api/v1/answer-from", json={"question": question, "passages": SOURCE}).json()
    run_id: str = answer["run_id"]
    return run_id


def test_runs_are_listed_page_by_page_and_found_by_their_words(served: Served) -> None:
    ids = [ask(served, f"When was the bridge opened, question {number}?") for number in range(3)]
    with served.client() as client:
        first = client.get("/api/v1/runs", params={"limit": 2}).json()
        second = client.get("/api/v1/runs", params={"limit": 2, "before": first["next"]}).json()
        found = client.get("/api/v1/runs", params={"q": "question 1"}).json()
        none = client.get("/api/v1/runs", params={"outcome": "clarify"}).json()
        bad = client.get("/api/v1/runs", params={"before": "yesterday"})
    listed = [run["run_id"] for page in (first, second) for run in page["runs"]]
    assert listed[:3] == ids[::-1]
    assert [run["run_id"] for run in found["runs"]] == [ids[1]]
    assert none == {"runs": [], "next": None}
    assert (bad.status_code, bad.json()["hint"]) == (422, "give the `next` of the last page")


def test_each_source_is_left_out_and_the_report_says_what_falls(served: Served) -> None:
    run_id = ask(served, "When was the bridge opened?")
    with served.client() as client:
        found = client.get(f"/api/v1/runs/{run_id}/sources").json()
        pages = [client.get(f"/api/v1/runs/{run_id}/report", params={"sources": on}).text for on in (False, True)]
        missing = client.get("/api/v1/runs/none/sources")
    assert [(source["number"], source["falls"]) for source in found["sources"]] == [(1, [1, 2])]
    assert [citation["role"] for citation in found["citations"]] == ["carrying"]
    assert ["without it claims 1 and 2 fall" in page for page in pages] == [False, True]
    assert missing.status_code == 404


def test_feedback_becomes_a_label_of_the_run(served: Served) -> None:
    run_id = ask(served, "When was the bridge opened?")
    with served.client() as client:
        label = client.post("/api/v1/feedback", json={"run_id": run_id, "good": False, "note": "no year"})
        shown = client.get(f"/api/v1/runs/{run_id}").json()
        refused = client.post("/api/v1/feedback", json={"run_id": run_id, "good": True, "claim": 99})
    assert (label.status_code, label.json()["by"]) == (201, "anonymous")
    assert [row["note"] for row in shown["labels"]] == ["no year"]
    assert refused.status_code == 422


def test_labels_are_set_against_the_stated_probability(served: Served) -> None:
    with served.client() as client:
        before = client.get("/api/v1/figures").json()["calibration"]
        rows = [client.get(f"/api/v1/runs/{ask(served, 'When was the bridge opened?')}").json() for _ in range(2)]
        for row in rows:
            client.post("/api/v1/feedback", json={"run_id": row["run"]["run_id"], "good": True})
        after = client.get("/api/v1/figures").json()["calibration"]
    stated = [row["events"][-1]["body"]["answer"]["confidence"]["value"] for row in rows]
    known = sum(row["n"] for row in (before or {"bins": []})["bins"])
    assert sum(row["n"] for row in (after or {"bins": []})["bins"]) == known + sum(
        one is not None for one in stated
    )


def test_a_deleted_run_is_gone(served: Served) -> None:
    run_id = ask(served, "When was the bridge opened, to be deleted?")
    with served.client() as client:
        assert client.delete(f"/api/v1/runs/{run_id}").json()["runs"] == 1
        assert client.get(f"/api/v1/runs/{run_id}").status_code == 404
        assert client.delete(f"/api/v1/runs/{run_id}").status_code == 404


def test_each_answer_is_a_line_of_the_log_with_the_id_of_its_request(tmp_path: Path) -> None:
    log = StringIO()
    with (
        serving(ServerSettings(engine={"data_dir": tmp_path}, answer_log=log)) as server,
        server.client() as client,
    ):
        asked = {"question": "When was the bridge opened?", "passages": SOURCE}
        answer = client.post("/api/v1/answer-from", json=asked, headers={"x-request-id": "req-7"}).json()
    line = json.loads(log.getvalue())
    assert (line["run_id"], line["request_id"], line["tenant"]) == (answer["run_id"], "req-7", "default")
    assert "bridge" not in log.getvalue()
