"""The server over a Postgres database: tenants by their keys, nothing of one for another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2

from assay.server.settings import ServerSettings
from support.postgres import PASSWORD, PostgresServer, new_database
from support.served import serving, wait_for

ASKED = {"question": "At how many degrees does water boil?"}


def upload(client: httpx2.Client, text: str) -> dict[str, Any]:
    response = client.post("/api/v1/documents", files=[("files", ("water.md", text.encode()))])
    assert response.status_code == 202, response.text
    return wait_for_job(client, response.json())


def wait_for_job(client: httpx2.Client, job: dict[str, Any]) -> dict[str, Any]:
    place = f"/api/v1/jobs/{job['job_id']}"
    wait_for(lambda: client.get(place).json()["ended"])
    ended: dict[str, Any] = client.get(place).json()
    return ended


def test_tenants_of_a_server_share_a_database_and_nothing_in_it(tmp_path: Path) -> None:
    settings = ServerSettings(engine={"data_dir": tmp_path / "data", "store": new_database()})
    with serving(settings) as server:
        keys = [server.service.keys.create(name=n, tenant=n, scope="admin")[1] for n in ("acme", "brig")]
        acme, brig = (server.client(headers={"authorization": f"Bearer {key}"}) for key in keys)
        with acme, brig:
            [added] = upload(acme, "# Water\n\nWater boils at 93 degrees Celsius in La Paz.\n")["files"]
            assert added["status"] == "added"
            assert brig.get("/api/v1/collections").json() == {"collections": []}
            assert brig.post("/api/v1/ask", json=ASKED).status_code == 404
            upload(brig, "# Water\n\nWater boils at 88 degrees Celsius in Lhasa.\n")
            assert "93" in acme.post("/api/v1/ask", json=ASKED).json()["text"]
            answer = brig.post("/api/v1/ask", json=ASKED)
            assert "88" in answer.json()["text"]
            assert "La Paz" not in answer.text
            assert brig.get(f"/api/v1/documents/{added['document_id']}").status_code in (200, 404)
            assert "La Paz" not in brig.get(f"/api/v1/documents/{added['document_id']}").text
            (row,) = acme.get("/api/v1/collections").json()["collections"]
            assert (row["name"], row["documents"]) == ("default", 1)
            models = acme.get("/v1/models").json()["data"]
            assert [(model["id"], model["created"] > 1_700_000_000) for model in models] == [("default", True)]
            assert PASSWORD not in acme.get("/api/v1/settings").text
            run_id = answer.json()["run_id"]
            labelled = brig.post("/api/v1/feedback", json={"run_id": run_id, "good": True})
            assert labelled.status_code == 201
            assert [run["run_id"] for run in brig.get("/api/v1/runs").json()["runs"]] == [run_id]
            assert run_id not in acme.get("/api/v1/runs").text
            assert acme.get(f"/api/v1/runs/{run_id}").status_code == 404
            assert acme.post("/api/v1/feedback", json={"run_id": run_id, "good": False}).status_code == 404
            assert not list((tmp_path / "data").rglob("runs.sqlite"))
            streamed = brig.post("/api/v1/ask", json=ASKED, headers={"accept": "text/event-stream"}).text
            assert "event: done" in streamed
            assert len(brig.get("/api/v1/runs").json()["runs"]) == 2
            assert acme.delete("/api/v1/collections/default").status_code == 204
            assert acme.post("/api/v1/ask", json=ASKED).status_code == 404
            assert "88" in brig.post("/api/v1/ask", json=ASKED).json()["text"]


def test_servers_of_two_machines_share_keys_documents_uploads_and_jobs(tmp_path: Path) -> None:
    store = new_database()
    machines = [ServerSettings(engine={"data_dir": tmp_path / name, "store": store}) for name in ("here", "there")]
    with serving(machines[1]) as there, there.client() as other:
        key, text = there.service.keys.create(name="n", tenant="acme", scope="admin")
        other.headers["authorization"] = f"Bearer {text}"
        with serving(machines[0]) as here, here.client(headers=other.headers) as one:
            [added] = upload(one, "# Water\n\nWater boils at 93 degrees Celsius in La Paz.\n")["files"]
            assert "93" in other.post("/api/v1/ask", json=ASKED).json()["text"]
            # A document that one server adds or replaces, the other finds at the next question.
            [again] = upload(other, "# Water\n\nWater boils at 88 degrees Celsius in Lhasa.\n")["files"]
            assert again["document_id"] == added["document_id"]
            for client in (one, other):
                answer = client.post("/api/v1/ask", json=ASKED)
                assert "88" in answer.json()["text"]
                assert "La Paz" not in answer.text
                [row] = client.get("/api/v1/documents").json()["documents"]
                assert (row["name"], row["source"]) == ("water.md", "water.md")
            jobs = one.get("/api/v1/jobs").json()["jobs"]
            assert [job["status"] for job in jobs] == ["done", "done"]
            assert jobs == other.get("/api/v1/jobs").json()["jobs"]
            page = [("files", ("steam.html", b"<h1>Steam</h1><p>Steam is white.</p>"))]
            [sent] = wait_for_job(one, one.post("/api/v1/documents", files=page).json())["files"]
            assert other.get(f"/api/v1/documents/{sent['document_id']}/view").json()["exact"] is True
            assert other.delete(f"/api/v1/documents/{added['document_id']}").status_code == 204
            assert one.get(f"/api/v1/documents/{added['document_id']}").status_code == 404
            # What a server has acknowledged when it stops, the others take in.
            text = "# Tea\n\n" + "Tea is made of leaves and of water that boils.\n\n" * 60
            many = [("files", (f"{n}.md", f"{text}{n}".encode())) for n in range(6)]
            job = one.post("/api/v1/documents", files=many).json()
        ended = wait_for_job(other, job)
        assert ended["status"] == "done"
        assert {file["status"] for file in ended["files"]} <= {"added", "unchanged"}
        assert other.get("/api/v1/documents").json()["total"] == 7
        there.service.keys.revoke(key.key_id)
        wait_for(lambda: other.get("/api/v1/collections").status_code == 401)
    left = [path.name for name in ("here", "there") for path in (tmp_path / name).rglob("*") if path.is_file()]
    assert left == []


def test_a_server_whose_database_is_away_is_unready_and_says_so(tmp_path: Path) -> None:
    database = PostgresServer.start()
    try:
        settings = ServerSettings(engine={"data_dir": tmp_path / "data", "store": database.address()})
        with serving(settings) as server, server.client() as client:
            assert client.get("/readyz").status_code == 200
            upload(client, "# Water\n\nWater boils at 100 degrees Celsius.\n")
            database.down()
            ready, asked = client.get("/readyz"), client.post("/api/v1/ask", json=ASKED)
            assert (ready.status_code, asked.status_code) == (503, 503)
            assert "127.0.0.1" not in ready.text
            for text in (ready.text, asked.text):
                assert PASSWORD not in text
                assert "Traceback" not in text
            database.up()
            wait_for(lambda: client.get("/readyz").status_code == 200)
            assert "100" in client.post("/api/v1/ask", json=ASKED).json()["text"]
    finally:
        database.remove()
