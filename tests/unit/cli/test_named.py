"""Which documents a name means: nothing is removed on a guess."""

from __future__ import annotations

import pytest

from assay.cli.documents import documents_named
from assay.errors import UsageError
from assay.types import DocumentRecord


def record(document_id: str, source: str, title: str) -> DocumentRecord:
    return DocumentRecord(document_id, source, title, "markdown", "", "", 1)


RECORDS = (
    record("ab11", "/notes/tea.md", "Tea"),
    record("ab22", "/notes/old/tea.md", "Old tea"),
    record("cd33", "/notes/lines.jsonl", "One"),
    record("cd44", "/notes/lines.jsonl", "Two"),
    record("ef55", "/notes/rent.md", "Rent"),
    record("ef66", "/notes/lease.md", "Rent"),
    record("ff77", "/notes/old/one.txt", "What is tea?"),
    record("ff88", "/notes/two.txt", "What is tea?"),
    record("ff99", "/notes/three.txt", "Is it dear?"),
    record("9a11", "/notes/log[1].csv", "First log"),
    record("9a22", "/notes/log1.csv", "Second log"),
)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("ab11", ["ab11"]),
        ("ab1", ["ab11"]),
        ("/notes/tea.md", ["ab11"]),
        ("old/tea.md", ["ab22"]),
        ("Old tea", ["ab22"]),
        ("lines.jsonl", ["cd33", "cd44"]),
        ("r*.md", ["ef55"]),
        ("/notes/r*", ["ef55"]),
        ("Is it dear?", ["ff99"]),
        ("/notes/log[1].csv", ["9a11"]),
    ],
)
def test_a_name_means_one_document_or_all_of_one_file(name: str, ids: list[str]):
    assert [each.document_id for each in documents_named([name], RECORDS)] == ids


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("*.md", ["ab11", "ab22", "ef55", "ef66"]),
        ("/notes/old/*", ["ab22", "ff77"]),
        ("old/*.md", ["ab22"]),
        ("?ea.md", ["ab11", "ab22"]),
        ("[rl]e*.md", ["ef55", "ef66"]),
        ("*", [each.document_id for each in RECORDS]),
    ],
)
def test_a_pattern_means_every_document_that_it_fits(name: str, ids: list[str]):
    assert [each.document_id for each in documents_named([name], RECORDS)] == ids


@pytest.mark.parametrize("name", ["tea.md", "Rent", "ab", "cd", "What is tea?", "log[1].csv"])
def test_a_name_of_several_is_refused_with_the_matches(name: str):
    with pytest.raises(UsageError, match="so nothing was removed:\n  "):
        documents_named(["ab11", name], RECORDS)


@pytest.mark.parametrize("name", ["", ".", "/", "nothing", "[", "%", "\udcff"])
def test_a_name_of_nothing_is_refused(name: str):
    with pytest.raises(UsageError):
        documents_named([name], RECORDS)
