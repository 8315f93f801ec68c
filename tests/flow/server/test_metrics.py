"""What Prometheus reads from a server: labels without ids, counts that add up, several processes as one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from assay import open_engine
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.metrics import FOLDER_VARIABLE, NO_ROUTE
from assay.server.settings import ServerSettings
from support.served import Served, serving

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = {"question": "At how many degrees does water boil?"}
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    paper = data / "water.md"
    paper.write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=data) as engine:
        engine.add([paper])
    return data


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    """A server that has counted nothing yet."""
    with serving(ServerSettings(engine={"data_dir": folder})) as server:
        yield server


def samples_of(text: str) -> Samples:
    """The samples of a page of metrics by name and labels."""
    families = text_string_to_metric_families(text)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    """One sample."""
    return samples[name, tuple(sorted(labels.items()))]


def test_an_answer_is_counted_however_it_was_asked_for(served: Served) -> None:
    chat = {"model": "default", "messages": [{"role": "user", "content": QUESTION["question"]}]}
    with served.client() as client:
        answer = client.post("/api/v1/ask", json=QUESTION).json()
        client.post("/api/v1/ask", json=QUESTION, headers={"accept": "text/event-stream"})
        client.post("/v1/chat/completions", json=chat)
        client.post("/api/v1/ask", json={"question": "Who wrote the opera Fidelio?"})
        samples = samples_of(client.get("/metrics").text)
    labels = {"outcome": "answered", "verdict": answer["verdict"], "verified": "true"}
    assert value(samples, "assay_answers_total", **labels) == 3
    assert value(samples, "assay_delivered_answers_total") == 3
    assert value(samples, "assay_reflected_answers_total") == 0
    assert value(samples, "assay_claims_total", verdict="supported") == 3 * len(answer["claims"])
    assert value(samples, "assay_citations_total", valid="true") == 3 * len(answer["citations"])
    assert value(samples, "assay_confidence_score_count") == 3
    assert value(samples, "assay_answer_seconds_count") == 4
    assert value(samples, "assay_runs_in_progress") == 0
    assert value(samples, "assay_open_engines") == 1
    assert value(samples, "assay_open_circuits") == 0
    assert value(samples, "assay_waiting_files") == 0


def test_requests_are_counted_by_route_and_never_by_id(served: Served) -> None:
    with served.client() as client:
        run_id = client.post("/api/v1/ask", json=QUESTION).json()["run_id"]
        client.get(f"/api/v1/runs/{run_id}")
        client.get("/api/v1/runs/unknown-run")
        client.get("/secret-path")
        client.get("/static/js/main.js")
        client.post("/mcp", json={})
        client.request("BREW", "/healthz")
        text = client.get("/metrics").text
    samples, name = samples_of(text), "assay_http_requests_total"
    assert value(samples, name, route="/api/v1/ask", method="POST", status="200") == 1
    assert value(samples, name, route="/api/v1/runs/{run_id}", method="GET", status="200") == 1
    assert value(samples, name, route=NO_ROUTE, method="GET", status="404") == 1
    assert value(samples, name, route="/static", method="GET", status="200") == 1
    assert "/mcp" in {dict(labels).get("route") for metric, labels in samples if metric == name}
    assert value(samples, name, route="/healthz", method="other", status="405") == 1
    for secret in (
        run_id,
        "unknown-run",
        "secret-path",
        "BREW",
        "Water",
        "boil",
        str(served.service.base.data_dir),
    ):
        assert secret not in text


def test_a_run_that_failed_is_counted_by_its_kind_of_error(folder: Path) -> None:
    hurried = ServerSettings(engine={"data_dir": folder, "deadline": 0.000001})
    with serving(hurried) as served, served.client() as client:
        client.post("/api/v1/ask", json=QUESTION)
        samples = samples_of(client.get("/metrics").text)
    assert value(samples, "assay_run_errors_total", error="DeadlinePassed") == 1
    assert value(samples, "assay_runs_in_progress") == 0


def test_a_reader_that_takes_openmetrics_gets_it(served: Served) -> None:
    with served.client() as client:
        plain = client.get("/metrics")
        named = client.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert plain.headers["content-type"].startswith("text/plain; version=")
    assert named.headers["content-type"].startswith("application/openmetrics-text")
    assert named.text.endswith("# EOF\n")


def test_only_an_admin_of_the_whole_server_reads_them(tmp_path: Path) -> None:
    with serving(ServerSettings(engine={"data_dir": tmp_path})) as served, served.client() as client:
        store = KeyStore(KeysFile(tmp_path / FILE_NAME))
        texts = {
            "owner": store.create(name="owner", scope="admin")[1],
            "writer": store.create(name="writer", scope="write")[1],
            "tenant": store.create(name="tenant", tenant="acme", scope="admin")[1],
        }
        statuses = {
            name: client.get("/metrics", headers={"authorization": f"Bearer {text}"}).status_code
            for name, text in texts.items()
        }
        statuses["nobody"] = client.get("/metrics").status_code
        page = client.get("/metrics", headers={"authorization": f"Bearer {texts['owner']}"}).text
    assert statuses == {"owner": 200, "writer": 403, "tenant": 403, "nobody": 401}
    assert value(samples_of(page), "assay_http_requests_total", route="/metrics", method="GET", status="401") == 1
    assert not any(name in page for name in ("acme", "owner", "writer", "tenant"))


_PROCESS = """
from assay.server.metrics import Levels, Metrics
metrics = Metrics()
metrics.count_request("/healthz", "GET", 200, 0.001)
metrics.show(Levels(open_engines=2, open_circuits=0))
metrics.open("01", "a question")
print(metrics.page("")[0].decode())
"""


def test_processes_count_together_and_the_levels_of_dead_ones_are_dropped(tmp_path: Path) -> None:
    pages = [
        subprocess.run(
            [sys.executable, "-c", _PROCESS],
            env={**os.environ, FOLDER_VARIABLE: str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    samples = samples_of(pages[-1])
    assert value(samples, "assay_http_requests_total", route="/healthz", method="GET", status="200") == 2
    assert value(samples, "assay_open_engines") == 2
    assert value(samples, "assay_runs_in_progress") == 1
    assert re.search("python_gc|process_resident", pages[-1]) is None
