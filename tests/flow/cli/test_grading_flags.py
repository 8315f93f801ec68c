"""--graded and --grader: what they change, what is replayed, and what is said of a grader that cannot be used."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli, call

TINY = Path(__file__).parents[2] / "unit" / "models" / "tiny_grader"
BOIL = "At how many degrees does water boil?"
WRITTEN = {"role": "writer", "reply": "At sea level, water boils at 100 degrees Celsius [1]."}
ALL = "claims,evidence,ranking"


@pytest.fixture
def grader(tmp_path: Path) -> Path:
    """A grader's folder of the test's own, free to be changed."""
    return Path(shutil.copytree(TINY, tmp_path / "grader"))


@pytest.mark.parametrize("flags", [[], ["--references"], ["--json"]])
def test_replay_prints_what_ask_printed_without_the_grader(
    own: Cli, scripted: Callable[..., str], grader: Path, tmp_path: Path, flags: list[str]
):
    model = scripted(WRITTEN)
    asked = own("ask", BOIL, "-m", model, "--graded", ALL, "--grader", grader, *flags)
    assert asked.code == 0, asked
    shutil.rmtree(grader)
    shutil.rmtree(tmp_path / "data" / "collections")
    again = own("replay", "last", *flags)
    assert (again.code, again.out) == (asked.code, asked.out)
    if "--json" in flags:
        [claim] = asked.object["claims"]
        assert "tiny-grader-4a8d2e1b" in [event["by"] for event in claim["history"]]


def test_replay_prints_what_was_streamed(own: Cli, scripted: Callable[..., str], grader: Path):
    model = scripted({**WRITTEN, "pieces": 5})
    asked = own("ask", BOIL, "--stream", "-m", model, "--graded", ALL, "--grader", grader)
    shutil.rmtree(grader)
    again = own("replay", "last")
    assert (again.code, again.out) == (asked.code, asked.out)


def test_search_is_ordered_by_the_grader(empty: Cli, tmp_path: Path):
    # Of the words that the grader knows, the longer text has more in common with the question.
    texts = {"short.txt": "the dog bites the man", "long.txt": "the dog bites the man in the park\n"}
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert empty("add", folder).code == 0
    asked = ("search", "the dog bites the man", "--json")
    plain, graded = empty(*asked), empty(*asked, "--graded", "ranking", "--grader", TINY)
    before, after = plain.object["hits"], graded.object["hits"]
    assert [hit["text"] for hit in before] == ["the dog bites the man", "the dog bites the man in the park"]
    assert [hit["text"] for hit in after] == ["the dog bites the man in the park", "the dog bites the man"]
    assert [hit["score"] for hit in after] == [hit["score"] for hit in before]


def test_judge_and_check_name_the_grader(facts: Cli, filled: Path, tmp_path: Path):
    judged = facts("judge", BOIL, "--json", "--graded", "evidence", "--grader", TINY)
    assert judged.object["mode_used"] == "fast (read), tiny-grader-4a8d2e1b"
    draft = tmp_path / "draft.txt"
    draft.write_text("At sea level, water boils at 100 degrees Celsius.", encoding="utf-8")
    checked = facts("check", draft, "--json", "--graded", "claims", "--grader", TINY)
    [claim] = checked.object["claims"]
    assert "tiny-grader-4a8d2e1b" in [event["by"] for event in claim["history"]]


def test_an_audit_names_the_grader_that_tests_the_claims(tmp_path: Path):
    lines = [
        {
            "id": "a",
            "claim": "Boiling water is at 100 degrees.",
            "context": "Water boils at 100 degrees.",
            "label": True,
        },
        {
            "id": "b",
            "claim": "Water boils at 90 degrees.",
            "context": "Water boils at 100 degrees.",
            "label": False,
        },
    ]
    path = tmp_path / "claims.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    card = call("audit", path, "--json", "--graded", "claims", "--grader", TINY).object
    assert (card["judge"], card["cost"]) == (f"deterministic, grader {TINY}", 0.0)


def test_the_environment_names_what_is_graded(facts: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_GRADED", "evidence, claims")
    monkeypatch.setenv("ASSAY_GRADER", str(TINY))
    assert facts("judge", BOIL, "--json").object["mode_used"] == "fast (read), tiny-grader-4a8d2e1b"


def refused(result: object, *parts: str) -> None:
    """The command was refused as one that was wrongly used, in words that say what, and what to do."""
    code, err = result.code, result.err  # type: ignore[attr-defined]
    assert code == 2, result
    assert "Traceback" not in err
    assert "hint: " in err
    assert "a bug in assay" not in err
    assert all(part in err for part in parts), err


@pytest.mark.parametrize("verb", [("ask", BOIL), ("judge", BOIL), ("search", BOIL)])
def test_an_unknown_use_is_refused(facts: Cli, verb: tuple[str, ...]):
    refused(facts(*verb, "--graded", "nonsense"), "--graded: must be 'claims', 'evidence' or 'ranking'")


def test_a_folder_that_is_not_there_is_told(facts: Cli, tmp_path: Path):
    asked = facts("ask", BOIL, "--graded", "claims", "--grader", tmp_path / "nowhere")
    refused(asked, f"there is no folder {tmp_path / 'nowhere'}", "--grader")


def test_an_empty_folder_is_told(facts: Cli, tmp_path: Path):
    refused(facts("ask", BOIL, "--graded", "claims", "--grader", tmp_path), "manifest.json cannot be read")


def test_a_folder_with_another_model_is_told(facts: Cli):
    import assay_models

    asked = facts("ask", BOIL, "--graded", "claims", "--grader", assay_models.folder())
    refused(asked, "is no manifest of a grader")


def test_no_name_is_no_grader(facts: Cli):
    refused(facts("ask", BOIL, "--graded", "claims", "--grader", ""), "--grader")


def test_a_grader_that_was_not_fitted_for_it_is_told(facts: Cli, grader: Path):
    path = grader / "manifest.json"
    joinings = {"claims": json.loads(path.read_text())["joinings"]["claims"]}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"joinings": joinings}))
    asked = facts("ask", BOIL, "--graded", "claims,ranking", "--grader", grader)
    refused(asked, "was fitted for claims, not for ranking")


@pytest.mark.parametrize("graded", ["evidence", "ranking"])
def test_no_risk_is_promised_of_graded_answers(facts: Cli, graded: str):
    asked = facts("ask", BOIL, "--max-risk", "0.45", "--graded", graded, "--grader", TINY)
    refused(asked, "no risk can be promised", "nothing graded")


def test_no_risk_is_promised_of_graded_claims(facts: Cli, tmp_path: Path):
    draft = tmp_path / "draft.txt"
    draft.write_text("Water boils at 100 degrees Celsius at sea level.", encoding="utf-8")
    assert facts("check", draft, "--max-risk", "0.3").code == 0
    checked = facts("check", draft, "--max-risk", "0.3", "--graded", "claims", "--grader", TINY)
    refused(checked, "no risk can be promised", "nothing graded")


def examined(*flags: object) -> tuple[int, str]:
    looked = call("doctor", "--json", *flags)
    [found] = [each for each in looked.object["examined"] if each["name"] == "role grader"]
    return looked.code, f"{found['status']}: {found['detail']}"


def test_doctor_says_that_nothing_is_graded(filled: Path):
    told = "skipped: off: set graded to claims, evidence or ranking"
    assert examined("--data-dir", filled) == (0, told)


def test_doctor_names_the_grader_and_what_it_is_asked_about(filled: Path):
    code, told = examined("--data-dir", filled, "--graded", "claims,ranking", "--grader", TINY)
    assert (code, told) == (0, "passed: tiny-grader-4a8d2e1b → this process, asked about claims, ranking")


def test_doctor_tells_why_a_grader_cannot_be_opened(filled: Path, tmp_path: Path):
    missing = tmp_path / "nowhere"
    code, told = examined("--data-dir", filled, "--graded", "claims", "--grader", missing)
    assert code == 6
    assert told.startswith(f"failed: {missing}: there is no folder {missing} (name a folder that holds a grader")
