"""Formats told by content."""

from __future__ import annotations

import pytest

from assay.ingest.detect import detect

PROSE = "It was late, and the rain fell.\nNobody came, or so it seemed.\nThen a door opened, slowly.\n" * 3


def test_many_comments_are_passed_over_in_bounded_time() -> None:
    assert detect(b"<!---->" * 580, "x.txt") == "text"


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        ("%PDF-1.7\n", "notes.txt", "pdf"),
        ("\n\n%PDF-1.4\n", "x", "pdf"),
        (PROSE, "story.txt", "text"),
        (PROSE, "story", "text"),
        (PROSE, "story.pdf", "text"),
        (PROSE, "story.md", "markdown"),
        ("# Tea\n\n## Water\n\n- boil\n- wait\n", "tea.txt", "markdown"),
        ("# a comment\nx = 1\n# another\ny = [1]\n", "script.py", "text"),
        ("<!DOCTYPE html>\n<p>x", "page.txt", "html"),
        ("<?xml version='1.0'?><html xmlns='x'><body/></html>", "x", "html"),
        ("<div><p>a</p><p>b</p></div>", "x", "html"),
        ("<div><p><a><img></a></p></div>\n\n# Tea\n\nBoil.", "README.md", "markdown"),
        ("<html><body><p>a</p></body></html>", "page.md", "html"),
        ("a < b and c > d", "x", "text"),
        ('{"a": [1, 2]}', "x", "json"),
        ('{"a": 1}\n{"a": 2}\n', "x", "json"),
        ("[draft] not JSON", "x", "text"),
        ("a,b,c\n1,2,3\n4,5,6\n", "x", "csv"),
        ("a;b\n1;2\n3;4\n", "x.txt", "csv"),
        ("one column\n", "x.csv", "csv"),
        ("From: a@b.c\nTo: d@e.f\nSubject: x\n\nHello", "x", "mail"),
        ("Note: this\nTo: nobody\n", "x", "text"),
        (b"\x7fELF" + bytes(200), "x.txt", "binary file"),
        (b"{\\rtf1 x}", "x.doc", "rich text (.rtf)"),
        (b"PK\x05\x06" + bytes(18), "x.docx", "compressed archive"),
        ("日本語".encode("utf-16"), "x", "text"),
    ],
)
def test_the_bytes_tell_the_format(data: str | bytes, name: str, kind: str) -> None:
    assert detect(data.encode() if isinstance(data, str) else data, name) == kind
