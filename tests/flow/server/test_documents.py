"""Documents over HTTP: uploaded, listed, asked, removed; and no path of the server in any answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from assay.server.settings import ServerSettings
from support.served import Served, serving, wait_for

WATER = b"# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(ServerSettings(engine={"data_dir": tmp_path / "data"})) as server:
        yield server


def upload(client: httpx2.Client, *files: tuple[str, bytes], key: str = "") -> dict[str, object]:
    """Upload files and wait for their job; the job as it ended."""
    headers = {"idempotency-key": key} if key else {}
    response = client.post("/api/v1/documents", files=[("files", file) for file in files], headers=headers)
    assert response.status_code == 202, response.text
    place = f"/api/v1/jobs/{response.json()['job_id']}"
    wait_for(lambda: client.get(place).json()["ended"])
    job: dict[str, object] = client.get(place).json()
    return job


def test_an_uploaded_file_is_answered_from_until_it_is_removed(served: Served) -> None:
    with served.client() as client:
        job = upload(client, ("water.md", WATER), ("empty.md", b""))
        [added, empty] = job["files"]  # type: ignore[misc]
        listed = client.get("/api/v1/documents").json()
        shown = client.get(f"/api/v1/documents/{added['document_id']}").json()
        question = {"question": "At how many degrees does water boil?"}
        answer = client.post("/api/v1/ask", json=question).json()
        removed = client.delete(f"/api/v1/documents/{added['document_id']}")
        after = client.post("/api/v1/ask", json=question).json()
    assert (added["status"], empty["status"]) == ("added", "skipped")
    assert empty["reason"]
    assert [row["name"] for row in listed["documents"]] == ["water.md"]
    assert (shown["title"], shown["characters"]) == ("Water", len(WATER))
    assert answer["sources"][0]["path"] == "water.md"
    assert removed.status_code == 204
    assert after["outcome"] == "abstained"
    assert not list((served.service.base.data_dir / "uploads").rglob("water.md"))


def test_a_file_of_many_documents_stays_until_its_last_one_is_removed(served: Served) -> None:
    lines = b'{"id": "a", "text": "Water boils at 100 degrees."}\n{"id": "b", "text": "It freezes at 0 degrees."}\n'
    with served.client() as client:
        upload(client, ("facts.jsonl", lines))
        uploads = served.service.base.data_dir / "uploads"
        for document, left in (("a", 1), ("b", 0)):
            assert client.delete(f"/api/v1/documents/{document}").status_code == 204
            assert len(list(uploads.rglob("facts.jsonl"))) == left


def test_no_response_names_a_folder_of_the_server(served: Served) -> None:
    folder = str(served.service.base.data_dir)
    with served.client() as client:
        upload(client, ("water.md", WATER))
        document = client.get("/api/v1/documents").json()["documents"][0]["document_id"]
        asked = {"question": "Who won the chess championship of 1972?"}
        texts = [
            client.post("/api/v1/ask", json=asked).text,
            client.post("/api/v1/ask", json=asked, headers={"accept": "text/event-stream"}).text,
            client.post("/api/v1/search", json={"query": "water"}).text,
            client.get(f"/api/v1/documents/{document}").text,
            client.get("/api/v1/jobs").text,
            *(client.get(f"/api/v1/runs/{run['run_id']}{part}").text
              for run in client.get("/api/v1/runs").json()["runs"] for part in ("", "/events", "/report")),
        ]  # fmt: skip
    assert "water.md" in texts[0]
    assert not any(folder in text for text in texts)


def test_an_upload_is_repeated_under_its_key(served: Served) -> None:
    with served.client() as client:
        first = upload(client, ("water.md", WATER), key="once")
        again = upload(client, ("water.md", WATER), key="once")
        other = client.post(
            "/api/v1/documents", files=[("files", ("tea.md", b"Tea."))], headers={"idempotency-key": "once"}
        )
    assert again["job_id"] == first["job_id"]
    assert other.status_code == 422
    assert "used for other files" in other.json()["detail"]


def test_a_collection_is_deleted_with_its_uploads(served: Served) -> None:
    with served.client() as client:
        upload(client, ("water.md", WATER))
        assert client.delete("/api/v1/collections/default").status_code == 204
        assert client.get("/api/v1/collections").json() == {"collections": []}
        assert client.delete("/api/v1/collections/default").status_code == 404
    assert not list((served.service.base.data_dir / "uploads").rglob("*.md"))


@pytest.mark.parametrize(
    "path", ["documents/none", "documents/none/", "jobs/none", "jobs/none/events", "runs/none"]
)
def test_what_is_not_there_is_told(served: Served, path: str) -> None:
    with served.client() as client:
        upload(client, ("water.md", WATER))
        response = client.get(f"/api/v1/{path}", follow_redirects=True)
    assert response.status_code == 404
    assert response.json()["hint"]


def test_a_document_is_opened_at_the_quoted_place(served: Served) -> None:
    with served.client() as client:
        upload(client, ("water.md", WATER), ("rates.csv", b"item,price\ntea,3\ncoffee,4\n"))
        rows = client.get("/api/v1/documents").json()["documents"]
        [rates, water] = [row["document_id"] for row in rows]
        start = WATER.decode().index("It freezes")
        text = client.get(f"/api/v1/documents/{water}/view", params={"start": start, "end": start + 10}).json()
        table = client.get(f"/api/v1/documents/{rates}/view").json()
        found = client.get(f"/api/v1/documents/{water}/find", params={"q": "freezes"}).json()
        beyond = client.get(f"/api/v1/documents/{water}/view", params={"start": 10_000})
        page = client.get(f"/api/v1/documents/{water}/pages/1.png")
    assert text.get("kind"), text
    assert (text["kind"], text["exact"]) == ("html", True)
    assert '<mark id="quote">It freezes</mark>' in text["html"]
    assert (table["kind"], table["columns"]) == ("table", ["item", "price"])
    assert found["matches"][0]["line"] == 3
    assert beyond.status_code == 422
    assert page.status_code == 422
