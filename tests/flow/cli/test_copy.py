"""copy: a collection moves between a data folder and a database and back, and what arrived is held against it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.postgres import PASSWORD, new_database

from .conftest import call

ASKED = "When was the Harbour Bridge opened?"


@pytest.fixture
def database() -> str:
    return new_database()


def test_a_collection_goes_to_a_database_and_comes_back_the_same(filled: Path, database: str, tmp_path: Path):
    there = call("copy", filled, database, "-c", "facts", "--tenant", "acme", "--json")
    assert there.code == 0, there
    back = call("copy", database, tmp_path / "data", "-c", "facts", "--tenant", "acme", "--as", "again", "--json")
    assert back.code == 0, back
    assert back.object == there.object
    assert (there.object["documents"], there.object["present"]) == (4, 0)
    answers = [
        call("ask", ASKED, "--json", "--data-dir", tmp_path / "data", *rest).object
        for rest in (("-c", "again"), ("-c", "facts", "--store", database, "--tenant", "acme"))
    ]
    before = call("ask", ASKED, "-c", "facts", "--data-dir", filled, "--json").object
    for answer in answers:
        assert answer["text"] == before["text"]
        assert [source["passage_id"] for source in answer["sources"]] == [
            source["passage_id"] for source in before["sources"]
        ]
    assert "whole" in call("doctor", "--store", "--data-dir", tmp_path / "data").out


def test_a_copy_goes_on_where_it_was_and_brings_what_changed(own: object, database: str, tmp_path: Path):
    data, source = tmp_path / "data", tmp_path / "new.md"
    assert call("copy", data, database).code == 0
    assert call("copy", data, database, "--json").object["present"] == 4
    source.write_text("# Tea\n\nTea is drunk at five.\n")
    assert call("add", source, "--data-dir", data).code == 0
    again = call("copy", data, database)
    assert "5 documents" in again.out
    assert "4 of them already there" in again.out


def test_what_the_target_has_alone_is_not_overwritten(own: object, database: str, tmp_path: Path):
    (tmp_path / "new.md").write_text("# Tea\n\nTea is drunk at five.\n")
    assert call("add", tmp_path / "new.md", "--data-dir", tmp_path / "other").code == 0
    refused = call("copy", tmp_path / "data", tmp_path / "other")
    assert (refused.code, "1 documents that the source has not" in refused.err) == (2, True)
    assert call("copy", tmp_path / "data", tmp_path / "other", "--as", "copy").code == 0


def test_a_text_that_changed_on_its_way_is_told(own: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data, other = tmp_path / "data", tmp_path / "other"
    assert call("copy", data, other).code == 0
    with closing(sqlite3.connect(other / "collections" / "default" / "index.sqlite")) as connection:
        connection.execute("INSERT INTO words(rowid, title, body) VALUES (999, '', 'stray')")
        connection.commit()
    told = call("copy", data, other)
    assert told.code == 6
    assert "the index of words" in told.err


def test_what_cannot_be_copied_is_refused(filled: Path, database: str, tmp_path: Path):
    for arguments, code, said in (
        ((filled, filled, "-c", "facts"), 2, "the same collection"),
        ((filled, database, "-c", "none"), 6, "there is no collection"),
        ((tmp_path / "nowhere", database), 6, "there is no collection"),
        ((filled, database, "-c", "facts", "--as", "no/name"), 2, "collection"),
        ((filled, f"postgresql://ann:{PASSWORD}@127.0.0.1:1/x", "-c", "facts"), 6, "takes no connection"),
    ):
        result = call("copy", *arguments)
        assert (result.code, said in result.err) == (code, True), result
        assert PASSWORD not in result.err
