"""The settings over HTTP: which model does what on which host, and no secret."""

from __future__ import annotations

from pathlib import Path

from assay.server.settings import ServerSettings
from support.served import serving


def test_the_models_are_shown_with_their_hosts_and_without_secrets(tmp_path: Path):
    engine = {
        "data_dir": tmp_path,
        "model": "openai:gpt-5-mini",
        "judge_model": f"fake:{tmp_path / 'script.json'}",
        "verifier_model": "nobody",
        "repairer_model": "anthropic:claude-x",
        "openai_base_url": "https://user:s3cret@llm.example.org:8443/v1",
        "openai_api_key": "sk-s3cret",
    }
    with serving(ServerSettings(engine=engine)) as server, server.client() as client:
        reply = client.get("/api/v1/settings")
        _, text = server.service.keys.create(name="agent", tenant="acme")
        theirs = client.get("/api/v1/settings", headers={"authorization": f"Bearer {text}"}).json()
    shown = reply.json()
    hosts = {row["role"]: row["host"] for row in shown["models"]}
    assert hosts["writer"] == "llm.example.org"
    assert hosts["judge"] == ""
    assert hosts["verifier"] == "llm.example.org"  # a bare name is one of the service that is set
    assert hosts["repairer"] == "api.anthropic.com"
    assert "s3cret" not in reply.text
    assert theirs["models"] == shown["models"]
    assert (bool(shown["settings"]), theirs["settings"]) == (True, [])
