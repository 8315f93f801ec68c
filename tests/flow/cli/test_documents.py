"""add, sync, ls, rm: what is taken in, and the exact objects that say so."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from .conftest import Cli

LINES = b'{"id": "a", "title": "A", "text": "Alpha is first.", "year": 1}\n{"id": "b", "text": "Beta is second."}\n'


def test_add_json_lists_each_file_and_the_version(empty: Cli, sources: Path):
    added = empty("add", sources, "--json")
    assert added.code == 0
    assert set(added.object) == {"files", "version"}
    assert added.object["version"] >= 1
    assert len(added.object["files"]) == 4
    for row in added.object["files"]:
        assert set(row) == {"path", "status", "reason", "passages", "document_id"}
        assert row["status"] == "added"
        assert row["passages"] >= 1
    again = empty("add", sources, "--json").object
    assert {row["status"] for row in again["files"]} == {"unchanged"}
    assert again["version"] == added.object["version"]


def test_add_jsonl_prints_a_line_a_file(empty: Cli, sources: Path):
    added = empty("add", sources, "--jsonl")
    assert [row["status"] for row in added.objects] == ["added"] * 4


def test_add_tells_people_in_one_line(empty: Cli, sources: Path):
    added = empty("add", sources)
    assert added.out.startswith("4 added (")
    assert added.err == ""


def test_a_jsonl_file_is_a_document_a_line_with_the_given_ids(empty: Cli, tmp_path: Path):
    (tmp_path / "lines.jsonl").write_bytes(LINES)
    assert empty("add", tmp_path / "lines.jsonl").code == 0
    listed = empty("ls", "--json").object["documents"]
    assert [row["document_id"] for row in listed] == ["a", "b"]
    assert set(listed[0]) == {"document_id", "path", "title", "passages"}
    assert listed[0]["title"] == "A"


def test_standard_input_is_a_document(empty: Cli, tmp_path: Path):
    added = empty("add", "-", "--json", stdin=b"Gamma is third.\n")
    assert added.code == 0, added
    assert added.object["files"][0]["path"] == "-"
    assert list((tmp_path / "data" / "stdin").iterdir()) == []
    assert empty("add", "-", "--json", stdin=b"Gamma is third.\n").object["files"][0]["status"] != "failed"
    assert len(empty("ls", "--json").object["documents"]) == 1


def test_one_bad_file_never_stops_the_rest(empty: Cli, tmp_path: Path):
    (tmp_path / "good.txt").write_text("Delta is fourth.")
    (tmp_path / "empty.txt").write_text("")
    added = empty("add", tmp_path / "missing.txt", tmp_path / "empty.txt", tmp_path / "good.txt", "--json")
    assert added.code == 8
    status = {Path(row["path"]).name: row for row in added.object["files"]}
    assert status["good.txt"]["status"] == "added"
    assert status["missing.txt"]["status"] == "failed"
    assert status["empty.txt"]["status"] in ("failed", "skipped")
    assert "hint: the rest is stored" in added.err
    assert all(status[name]["reason"] for name in ("missing.txt", "empty.txt"))


def test_where_nothing_was_stored_the_hint_does_not_say_that_the_rest_is(empty: Cli, tmp_path: Path):
    added = empty("add", tmp_path / "missing.txt")
    assert added.code == 8
    assert "hint: nothing was stored; check the path and run the command again" in added.err


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("rent.xlsx", b"PK\x05\x06" + bytes(18), "no .xlsx file, it is a compressed archive; it may be damaged"),
        ("rent.pdf", bytes(range(256)), "no .pdf file, it is a binary file; it may be damaged"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_fails_and_the_good_one_is_stored(
    name: str, data: bytes, reason: str, empty: Cli, tmp_path: Path
):
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.txt").write_text("Delta is fourth.")
    added = empty("add", tmp_path / name, tmp_path / "good.txt", "--json")
    assert added.code == 8
    assert [(row["status"], row["reason"]) for row in added.object["files"]] == [
        ("failed", reason),
        ("added", None),
    ]


def test_sync_keeps_step_and_a_dry_run_changes_nothing(empty: Cli, tmp_path: Path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("One is the first number.")
    (folder / "two.txt").write_text("Two is the second number.")
    assert empty("sync", folder).code == 0
    (folder / "one.txt").unlink()
    (folder / "two.txt").write_text("Two is an even number.")
    (folder / "three.txt").write_text("Three is an odd number.")
    before = empty("ls", "--json").object
    dry = empty("sync", folder, "--dry-run", "--json")
    assert (dry.code, dry.object["dry_run"]) == (0, True)
    told = empty("sync", folder, "--dry-run").out.splitlines()
    assert [line.replace(f"{folder}/", "") for line in told] == [
        "would add three.txt",
        "would add two.txt: replaces the stored version",
        "would prune one.txt: its file is gone",
        "dry run, nothing was changed: would add 2 (2 passages), would prune 1",
    ]
    assert empty("ls", "--json").object == before
    synced = empty("sync", folder, "--json").object["files"]
    assert {Path(row["path"]).name: row["status"] for row in synced} == {
        "one.txt": "pruned",
        "two.txt": "added",
        "three.txt": "added",
    }
    assert len(empty("ls", "--json").object["documents"]) == 2


def test_rm_asks_first_and_takes_ids_paths_and_titles(empty: Cli, sources: Path):
    empty("add", sources)
    refused = empty("rm", "Water")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    dry = empty("rm", "Water", "--dry-run", "--json").object
    assert (dry["removed"], len(dry["would_remove"])) == ([], 1)
    assert len(empty("ls", "--json").object["documents"]) == 4
    assert empty("rm", "Water", sources / "bridge.txt", "--yes").code == 0
    left = empty("ls", "--json").object["documents"]
    assert len(left) == 2
    assert empty("rm", left[0]["document_id"][:10], "--yes", "--json").object["removed"] == [left[0]["document_id"]]


@pytest.mark.parametrize("name", ["nothing", "", "%", "\x1b[31m"])
def test_rm_of_what_is_not_there_removes_nothing(empty: Cli, sources: Path, name: str):
    empty("add", sources)
    removed = empty("rm", name, "--yes")
    assert removed.code == 2
    assert "\x1b" not in removed.err
    assert len(empty("ls", "--json").object["documents"]) == 4


def test_ls_for_people_has_a_line_a_document(facts: Cli):
    listed = facts("ls")
    assert len(listed.out.splitlines()) == 4
    assert listed.err == "4 documents\n"
    assert facts("ls", "-q").err == ""


def test_paths_below_this_folder_are_shown_from_it(own: Cli, sources: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(sources.parent)
    shown = {line.split("  ")[-1] for line in own("ls").out.splitlines()}
    assert shown == {f"{sources.name}/{path.name}" for path in sources.iterdir()}
    rows = own("ls", "--json").object["documents"]
    assert {row["path"] for row in rows} == {str(path.resolve()) for path in sources.iterdir()}
    dry = own("rm", "bridge.txt", "--dry-run").out
    assert dry.endswith(f"  {sources.name}/bridge.txt\n")
    assert own("add", sources.parent / "none.txt").err.startswith("failed none.txt: ")


def test_reindex_gives_the_same_answers(empty: Cli, sources: Path):
    empty("add", sources)
    before = [hit["passage_id"] for hit in empty("search", "boiling water", "--json").object["hits"]]
    done = empty("reindex", "--json")
    assert done.code == 0
    assert done.object["passages"] >= 4
    assert [hit["passage_id"] for hit in empty("search", "boiling water", "--json").object["hits"]] == before


def test_what_is_stored_is_for_its_owner_only(empty: Cli, sources: Path, tmp_path: Path):
    empty("add", sources)
    empty("ask", "At how many degrees does water boil?")
    for path in (tmp_path / "data").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, path


def test_a_dry_run_makes_no_collection(empty: Cli, sources: Path, tmp_path: Path):
    dry = empty("sync", sources, "--dry-run")
    assert dry.code == 0, dry
    assert dry.out.splitlines()[-1].startswith("dry run, nothing was changed: would add 4 (")
    assert not (tmp_path / "data").exists()


def test_an_empty_path_is_not_the_working_folder(empty: Cli):
    for verb in ("add", "sync"):
        refused = empty(verb, "")
        assert (refused.code, "a path is empty" in refused.err) == (2, True)


def test_rm_takes_a_file_name_and_every_document_that_a_pattern_fits(own: Cli):
    refused = own("rm", "*.txt")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    dry = own("rm", "*.txt", "--dry-run")
    assert (dry.code, dry.out.count("would remove "), "bridge.txt" in dry.out) == (0, 2, True)
    assert len(own("ls", "--json").object["documents"]) == 4
    several = own("rm", "*.txt", "--yes")
    assert (several.code, several.out.count("removed ")) == (0, 2)
    assert all(name in several.out for name in ("bridge.txt", "hostile.txt"))
    assert own("rm", "rent.html", "--yes").code == 0
    assert len(own("ls", "--json").object["documents"]) == 1


def test_rm_of_a_name_that_fits_several_files_removes_nothing_and_lists_them(empty: Cli, tmp_path: Path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tea.txt").write_text(f"Tea number {folder} is green.", encoding="utf-8")
    empty("add", tmp_path / "one", tmp_path / "two")
    several = empty("rm", "tea.txt", "--yes")
    assert several.code == 2
    assert "'tea.txt' matches 2 documents, so nothing was removed:" in several.err
    assert all(str(tmp_path / name / "tea.txt") in several.err for name in ("one", "two"))
    assert len(empty("ls", "--json").object["documents"]) == 2
