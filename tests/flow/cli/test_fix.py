"""assay fix: the draft on standard output, what was changed on standard error, and what is left open as a code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BRIDGE = "The Harbour Bridge was opened on 3 May 1932. Maria Keller built it for 4 million pounds.\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "bridge.txt"
    path.write_text(BRIDGE, encoding="utf-8")
    return path


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text("# Bridge\n\nThe Harbour Bridge was opened on 3 May 1933.\n", encoding="utf-8")
    return path


def test_the_draft_is_printed_and_the_changes_told(empty, draft: Path, source: Path):
    result = empty("fix", draft, "--sources", source)
    assert result.code == 0
    assert result.out == "# Bridge\n\nThe Harbour Bridge was opened on 3 May 1932.\n"
    assert (
        "-The Harbour Bridge was opened on 3 May 1933.\n+The Harbour Bridge was opened on 3 May 1932." in result.err
    )
    assert "corrected: " in result.err
    assert result.err.endswith("1 change · supported\n")


def test_a_source_in_another_format_is_read_as_add_reads_it(empty, draft: Path, tmp_path: Path):
    page = tmp_path / "bridge.html"
    page.write_text(
        "<!doctype html><p>The <b>Harbour</b> Bridge was opened on <i>3 May</i> 1932.</p>", encoding="utf-8"
    )
    table = tmp_path / "bridges.csv"
    table.write_text("bridge,opened\nTay Bridge,2 May 1887\nHarbour Bridge,3 May 1932\n", encoding="utf-8")
    assert (
        empty("fix", draft, "--sources", page).out == "# Bridge\n\nThe Harbour Bridge was opened on 3 May 1932.\n"
    )
    checked = empty("check", "The Harbour Bridge was opened on 3 May 1932.", "--context", table, "--json").object
    quotes = [span["quote"] for claim in checked["claims"] for span in claim["spans"]]
    assert any("bridge: Harbour Bridge; opened: 3 May 1932" in quote for quote in quotes)


def test_a_damaged_source_is_told(empty, draft: Path, tmp_path: Path):
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 and nothing else")
    refused = empty("fix", draft, "--sources", broken)
    assert refused.out == ""
    assert "broken.pdf: damaged or cut off" in refused.err
    assert "hint: " in refused.err
    assert refused.code == 8


def test_quiet_prints_the_draft_alone(empty, draft: Path, source: Path):
    result = empty("fix", draft, "--sources", source, "-q")
    assert (result.code, result.err) == (0, "")


def test_what_is_not_mended_is_marked_and_the_code_says_that_something_is_open(empty, source: Path):
    result = empty("fix", "-", "--sources", source, stdin=b"Elephants live in Kenya.\n")
    assert (result.code, result.out) == (4, "Elephants live in Kenya. \u26a0\n")


def test_or_dropped_where_that_is_asked_for(empty, source: Path):
    text = b"Elephants live in Kenya. The Harbour Bridge was opened on 3 May 1932.\n"
    result = empty("fix", "-", "--sources", source, "--unsupported", "drop", stdin=text)
    assert (result.code, result.out) == (0, "The Harbour Bridge was opened on 3 May 1932.\n")


def test_a_draft_of_which_nothing_is_left_is_not_passed(empty, source: Path):
    result = empty("fix", "-", "--sources", source, "--unsupported", "drop", stdin=b"Elephants live in Kenya.\n")
    assert (result.code, result.out) == (4, "\n")
    assert "warning: no claim of the draft could be kept" in result.err


def test_what_stays_unknown_without_a_mark_is_counted(empty, tmp_path: Path):
    lease = tmp_path / "lease.txt"
    lease.write_text("The tenant pays for electricity and water; heating is included in the rent.\n")
    told = "unknown and not marked; `assay check` shows which"
    open_one = empty("fix", "-", "--sources", lease, stdin=b"The landlord pays for electricity.\n")
    assert (open_one.code, open_one.out) == (4, "The landlord pays for electricity.\n")
    assert f"1 claim is {told}" in open_one.err
    marked = empty("fix", "-", "--sources", lease, "--checker", "none", stdin=b"Elephants live in Kenya.\n")
    assert told not in marked.err


def test_the_environment_may_ask_for_it(empty, source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_UNSUPPORTED", "drop")
    result = empty(
        "fix", "-", "--sources", source, stdin=b"Elephants live in Kenya. It was opened on 3 May 1932.\n"
    )
    assert "Elephants" not in result.out


def test_without_sources_the_collection_is_the_measure(facts, draft: Path):
    result = facts("fix", draft)
    assert result.out == "# Bridge\n\nThe Harbour Bridge was opened on 3 May 1932.\n"


def test_one_object(empty, draft: Path, source: Path):
    made = empty("fix", draft, "--sources", source, "--json").object
    assert set(made) == {"id", "answer", "changes", "claims", "verdict", "run_id", "assessment", "warnings", "ms"}
    (change,) = made["changes"]
    assert set(change) == {"kind", "before", "after", "reason"}
    assert change["kind"] == "corrected"
    assert made["verdict"] == "supported"


def test_a_pipe_gives_every_line_its_object(empty):
    lines = [
        {
            "id": "a",
            "answer": "The Harbour Bridge was opened on 3 May 1933 [1].",
            "passages": [{"id": "p", "text": BRIDGE}],
        },
        {"id": "b", "answer": "", "passages": [BRIDGE]},
        {"id": "c", "answer": "It rained.", "passages": []},
        {"id": "d", "passages": [BRIDGE]},
        {"id": "e", "answer": "It rained.", "passages": [""]},
        {"id": "f", "answer": "It rained.", "passages": [{"id": "p", "text": "x"}, {"id": "p", "text": "y"}]},
    ]
    result = empty("fix", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode() + b"\nno JSON\n")
    a, b, c, d, e, f, last = result.objects
    assert set(a) == {"id", "answer", "changes", "claims", "verdict", "ms"}
    assert a["answer"] == "The Harbour Bridge was opened on 3 May 1932 [1]."
    assert [each["kind"] for each in a["changes"]] == ["corrected"]
    assert b == {"id": "b", "error": "the draft to fix is empty", "hint": "give the text of an answer"}
    assert c["error"] == "there are no sources to fix the draft with"
    assert d["error"] == "the line has no 'answer'"
    assert (e["answer"], e["verdict"], e["changes"]) == ("It rained.", "unknown", [])
    assert f["error"] == "two passages have the same id"
    assert "not JSON" in last["error"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        ((), b"", "there is nothing to fix"),
        (("-",), b"", "the text to fix is empty"),
        (("",), b"", "the text to fix is empty"),
        (("-",), b"\xff\xfe\x00", "is not UTF-8 text"),
        (("nowhere.md",), b"", "nowhere.md cannot be read"),
        (("-", "--json", "--jsonl"), b"x", "cannot be used together"),
        (("-", "--jsonl"), b"{}", "--jsonl reads drafts and sources from standard input only"),
        (("--jsonl", "--sources", "a.txt"), b"{}", "--jsonl reads drafts and sources from standard input only"),
    ],
)
def test_bad_input_is_told_with_what_to_do(empty, arguments, stdin: bytes, message: str):
    result = empty("fix", *arguments, stdin=stdin)
    assert result.code == 2
    assert message in result.err
    assert "hint: " in result.err


def test_a_draft_from_a_pipe_wants_a_dash_and_the_hint_says_so(empty):
    assert "; with - for standard input" in empty("fix", stdin=b"It rained.").err


def test_a_passage_s_own_id_is_its_mark(empty):
    other = {"id": "kb/a", "text": "The tunnel was closed in 1950."}
    answer = (
        "The Harbour Bridge was opened on 3 May 1933 [b]. The tunnel was closed in 1950 [b]. "
        "Most visitors come from Kenya to see elephants [kb/a, b]."
    )
    line = {"answer": answer, "passages": [other, {"id": "b", "text": BRIDGE}]}
    (made,) = empty("fix", "--jsonl", stdin=json.dumps(line).encode()).objects
    assert made["answer"] == (
        "The Harbour Bridge was opened on 3 May 1932 [b]. The tunnel was closed in 1950 [1]. "
        "Most visitors come from Kenya to see elephants [kb/a, b]. ⚠"
    )
    assert [each["kind"] for each in made["changes"]] == ["corrected", "re-cited", "hedged"]
