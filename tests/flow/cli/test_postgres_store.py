"""The command line over a Postgres database: the same verbs, and errors without a trace or a password."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.postgres import PASSWORD, new_database, the_server

from .conftest import Cli, Result, call

ASKED = "At how many degrees does water boil?"


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command over an empty database."""
    monkeypatch.setenv("ASSAY_STORE", new_database())
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    return call


def refused(result: Result, code: int) -> str:
    """What a command said that failed; no trace and no password is in it."""
    assert result.code == code, result
    assert "Traceback" not in result.err
    assert PASSWORD not in result.out + result.err
    return result.err


def test_documents_are_added_found_asked_embedded_again_and_removed(shared: Cli, sources: Path, tmp_path: Path):
    assert shared("add", sources, "-c", "facts").code == 0
    assert len(shared("ls", "-c", "facts", "--json").object["documents"]) == 4
    before = shared("ask", ASKED, "-c", "facts", "--json").object
    assert (before["outcome"], before["sources"][0]["title"]) == ("answered", "Water")
    assert "boils" in shared("search", "boiling water", "-c", "facts").out
    diagnosed = shared("doctor", "--store").out
    assert "collection facts" in diagnosed
    assert "whole" in diagnosed
    assert shared("reindex", "-c", "facts", "--json").object["passages"] == 4
    assert shared("ask", ASKED, "-c", "facts", "--json").object["text"] == before["text"]
    changed = tmp_path / "copy"
    changed.mkdir()
    (changed / "water.md").write_text("# Water\n\nWater boils at 93 degrees Celsius in La Paz.\n")
    assert shared("sync", changed, "-c", "other").code == 0
    assert "93" in shared("ask", ASKED, "-c", "other").out
    assert shared("rm", "--yes", changed / "water.md", "-c", "other").code == 0
    assert shared("ls", "-c", "other", "--json").object == {"documents": []}
    assert list((tmp_path / "data" / "collections").iterdir()) == []


def test_one_tenant_has_nothing_of_another(shared: Cli, sources: Path):
    assert shared("add", sources, "--tenant", "acme").code == 0
    missing = refused(shared("ask", ASKED), 6)
    assert "there is no collection" in missing
    assert "127.0.0.1" in missing
    assert shared("ask", ASKED, "--tenant", "acme").code == 0
    assert "tenant" in refused(call("ls", "--tenant", "a' OR 1=1"), 2)


def test_a_tenant_needs_a_database(tmp_path: Path):
    said = refused(call("ls", "--data-dir", tmp_path, "--tenant", "acme"), 2)
    assert "--tenant" in said
    assert "store" in said


def test_the_store_is_shown_without_its_password(shared: Cli):
    shown = shared("config", "show", "--json").object["settings"]["store"]
    assert "127.0.0.1" in str(shown)
    assert PASSWORD not in str(shown)


def test_a_search_engine_is_used_with_a_database_and_shown_without_its_key(
    shared: Cli, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_SEARCH_ENGINE", f"qdrant://{PASSWORD}@search.example:6333")
    assert shared("add", sources, "-c", "facts").code == 0  # few passages: nobody is asked
    assert "boils" in shared("search", "boiling water", "-c", "facts").out
    shown = shared("config", "show", "--json")
    assert PASSWORD not in shown.out
    here = os.environ["ASSAY_STORE"]
    assert "the same collection" in refused(shared("copy", here, here, "-c", "facts"), 2)
    said = refused(shared("search", "water", "-c", "facts", "--offline"), 2)
    assert "search.example" in said
    assert "ASSAY_SEARCH_ENGINE" in said
    monkeypatch.delenv("ASSAY_STORE")
    said = refused(call("ls", "--data-dir", tmp_path), 2)
    assert "set store to the Postgres database" in said
    monkeypatch.setenv("ASSAY_SEARCH_ENGINE", f"http://{PASSWORD}@search.example")
    assert "search_engine" in refused(call("ls", "--data-dir", tmp_path), 2).lower()


@pytest.mark.parametrize(
    "address", [f"mysql://ann:{PASSWORD}@db/x", f"postgresql://ann:{PASSWORD}@[db/x", PASSWORD]
)
def test_an_address_that_is_none_is_refused_unread(tmp_path: Path, address: str):
    assert "--store" in refused(call("ls", "--data-dir", tmp_path, "--store", address), 2)


def test_a_store_that_is_away_is_told(tmp_path: Path):
    server = the_server()
    for address, said in (
        (server.address("no_such_database"), "does not exist"),
        (server.address(password=PASSWORD[::-1]), "password authentication failed"),
        (f"postgresql://ann:{PASSWORD}@127.0.0.1:1/x", "takes no connection"),
    ):
        for verb in (("ls",), ("add", tmp_path), ("ask", ASKED), ("reindex",)):
            assert said in refused(call(*verb, "--data-dir", tmp_path / "data", "--store", address), 6)
    assert PASSWORD[::-1] not in call("ls", "--store", server.address(password=PASSWORD[::-1])).err


def test_a_store_elsewhere_is_refused_while_offline(tmp_path: Path):
    said = refused(
        call("ask", ASKED, "--data-dir", tmp_path, "--store", "postgresql://db.example/x", "--offline"), 2
    )
    assert "db.example" in said


def test_a_folder_may_not_have_the_users_password_sent_to_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assay.toml").write_text('store = "postgresql://db.example/x"\n')
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    said = refused(call("ls", "--data-dir", tmp_path / "data"), 2)
    assert "PGPASSWORD" in said
    assert "assay.toml" in said


def test_runs_are_recorded_in_the_database_and_used_like_any(shared: Cli, sources: Path, tmp_path: Path):
    assert shared("add", sources, "-c", "facts").code == 0
    answer = shared("ask", ASKED, "-c", "facts", "--json").object
    assert not (tmp_path / "data" / "runs.sqlite").exists()
    assert answer["warnings"] == []
    shown = shared("show", "last", "--json").object
    assert shown["run"]["run_id"] == answer["run_id"]
    assert shared("replay", "last", "--json").object["text"] == answer["text"]
    changed = shared("replay", "last", "--set", "correct=0.5", "--json")
    assert changed.object["run_id"] == answer["run_id"]
    assert shared("label", "last", "--right", "--by", "Ann").code == 0
    assert answer["run_id"] in shared("export", "--labelled").out
    assert shared("figures", "--json").object["runs"] == 1
    assert shared("review", "--json").object == {"waiting": []}
    assert shared("calibrate", "--json", "-c", "facts").code == 0
    assert shared("learn", "--list", "--json", "-c", "facts").code == 0
    report = tmp_path / "report.html"
    assert shared("report", "last", "--out", report).code == 0
    assert "Water" in report.read_text(encoding="utf-8")
    assert len(shared("runs", "list", "--json").object["runs"]) == 1
    assert shared("runs", "list", "--json", "--tenant", "other").object["runs"] == []
    assert "recorded in the database" in shared("doctor", "--store").out
    kept = [shared("ask", ASKED, "-c", "facts", "--reuse", "same", "--json").object for _ in range(2)]
    assert kept[1]["reused_from"] == kept[0]["run_id"]
    assert shared("runs", "delete", "--all", "--yes").code == 0
    assert shared("show", "--json").object == {"runs": []}
    assert "no run is recorded" in refused(shared("show", "last"), 2)


def test_a_draft_is_recorded_in_the_database(shared: Cli, sources: Path):
    checked = shared("check", "Water boils at 90 degrees.", "--sources", sources / "water.md", "--json")
    assert checked.code == 4, checked
    (run,) = shared("runs", "list", "--json").object["runs"]
    assert run["collection"] == ""


def test_anyones_text_is_checked_though_the_database_is_away(sources: Path, tmp_path: Path):
    away = f"postgresql://ann:{PASSWORD}@127.0.0.1:1/x"
    checked = call(
        *("check", "Water boils at 100 degrees Celsius at sea level.", "--sources", sources / "water.md"),
        *("--store", away, "--data-dir", tmp_path),
    )
    assert "stopped recording this run" in refused(checked, 0)
