"""The folder of an evaluation holds each result at once, and is resumed only as what it was begun as."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import DamagedStore, StoreError, UsageError
from assay.evals.cases import Case
from assay.evals.results import CaseResult, CitedQuote, RankedPassage
from assay.evals.run_folder import Evaluation, RunFolder, open_run, read_cases, read_evaluation, read_results
from assay.types import Outcome, RepairKind, Usage, Verdict

CASES = (Case("a", "Why?", answers=("so",)), Case("b", "Who?"))
BEGUN = Evaluation("set.jsonl", "assay", "0" * 64, 2, 1, "fast", "0.1.0", 5.0, settings={"k": 3, "skip": ["names"]})
RESULT = CaseResult(
    "a",
    0,
    Outcome.PARTIAL,
    "Sö. [1]",
    Verdict.SUPPORTED,
    verified=True,
    claims=(Verdict.SUPPORTED, Verdict.UNKNOWN),
    cited=(CitedQuote(0, "d", "/a.md", "So.", 2),),
    ranked=(RankedPassage("p", "d", "/a.md"),),
    sufficiency=0.5,
    repairs=(RepairKind.DROP,),
    usage=Usage(total_tokens=None, calls=1),
    ms=1.5,
)
FAILED = CaseResult("b", 0, None, ms=2.0, error="UsageError", message="the question is empty")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that is not there yet."""
    return tmp_path / "out"


def test_what_was_written_is_read_back(folder: Path):
    with open_run(folder, BEGUN, CASES) as run:
        assert run.done == frozenset()
        run.append(RESULT)
        assert list(read_results(folder)) == [RESULT]  # at once, not when the folder is closed
        run.append(FAILED)
    assert list(read_results(folder)) == [RESULT, FAILED]
    assert tuple(read_cases(folder)) == CASES
    assert read_evaluation(folder) == BEGUN


class Narrow(io.BytesIO):
    """A file that takes seven bytes at a time."""

    def write(self, data: object) -> int:
        return super().write(bytes(data)[:7])  # type: ignore[call-overload]


def test_a_line_that_is_written_in_parts_is_written_whole(folder: Path):
    file = Narrow()
    RunFolder(folder, BEGUN, frozenset(), file).append(FAILED)
    assert file.getvalue().endswith(b"}\n")
    assert b"the question is empty" in file.getvalue()


@pytest.mark.parametrize("torn", [b"{", b'{"case": "b", "repeat": 0, "outcome": null}'])
def test_a_line_that_was_cut_off_is_dropped_and_asked_again(folder: Path, torn: bytes):
    with open_run(folder, BEGUN, CASES) as run:
        run.append(RESULT)
    with (folder / "results.jsonl").open("ab") as file:
        file.write(torn)
    assert list(read_results(folder)) == [RESULT]
    with open_run(folder, replace(BEGUN, started=9.0), CASES) as run:
        assert run.done == {("a", 0)}
        assert run.evaluation.started == 5.0
        run.append(FAILED)
    assert list(read_results(folder)) == [RESULT, FAILED]


def test_a_file_of_one_torn_line_is_emptied(folder: Path):
    open_run(folder, BEGUN, CASES).close()
    (folder / "results.jsonl").write_bytes(b"x" * 200_000)
    with open_run(folder, BEGUN, CASES) as run:
        assert run.done == frozenset()
    assert (folder / "results.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (replace(BEGUN, dataset_sha256="1" * 64), "set.jsonl has changed since"),
        (replace(BEGUN, dataset_sha256="1" * 64, dataset="other.jsonl"), "it asks set.jsonl"),
        (replace(BEGUN, cases=1), "a number of questions of 2, not 1"),
        (replace(BEGUN, repeats=3), "--repeat 1, not 3"),
        (replace(BEGUN, settings={"k": 4}), 'the settings {"k": 3, "skip": ["names"]}, not {"k": 4}'),
        (replace(BEGUN, collection_version=4), "a collection of version null, not 4"),
        (replace(BEGUN, version="0.2.0"), 'assay "0.1.0", not "0.2.0"'),
    ],
)
def test_another_evaluation_is_not_resumed(folder: Path, now: Evaluation, told: str):
    open_run(folder, BEGUN, CASES).close()
    with pytest.raises(UsageError, match="cannot be resumed") as refused:
        open_run(folder, now, CASES)
    assert told in str(refused.value)


def test_settings_that_json_writes_otherwise_are_the_same(folder: Path):
    open_run(folder, BEGUN, CASES).close()
    open_run(folder, replace(BEGUN, settings={"skip": ("names",), "k": 3}), CASES).close()


def test_a_kill_before_the_head_was_written_leaves_a_folder_that_can_be_begun(folder: Path):
    folder.mkdir()
    (folder / "cases.jsonl").write_text('{"id": ')
    (folder / "evaluation.json.draft").write_text("{")
    open_run(folder, BEGUN, CASES).close()
    assert tuple(read_cases(folder)) == CASES


def test_two_cannot_add_to_one_folder(folder: Path):
    with open_run(folder, BEGUN, CASES), pytest.raises(UsageError, match="another process adds to"):
        open_run(folder, BEGUN, CASES)
    open_run(folder, BEGUN, CASES).close()


def test_a_folder_of_something_else_is_refused(folder: Path):
    folder.mkdir()
    (folder / "letters.txt").write_text("Dear Ann")
    with pytest.raises(UsageError, match=r"other files, such as letters\.txt"):
        open_run(folder, BEGUN, CASES)
    with pytest.raises(UsageError, match="contains no evaluation"):
        read_evaluation(folder)
    with pytest.raises(StoreError, match="cannot be written"):
        open_run(folder / "letters.txt" / "below", BEGUN, CASES)


def test_a_damaged_folder_is_named_with_its_line(folder: Path):
    with open_run(folder, BEGUN, CASES) as run:
        run.append(RESULT)
    (folder / "results.jsonl").write_bytes(b'{"case": 3}\n' + (folder / "results.jsonl").read_bytes())
    with pytest.raises(DamagedStore, match=r"results\.jsonl, line 1"):
        list(read_results(folder))
    (folder / "cases.jsonl").write_text("{}\n")
    with pytest.raises(DamagedStore, match=r"cases\.jsonl, line 1"):
        list(read_cases(folder))
    (folder / "evaluation.json").write_text('{"schema": "assay-eval/9"}')
    with pytest.raises(UsageError, match="not of the schema assay-eval/1"):
        read_evaluation(folder)
    (folder / "evaluation.json").write_text("{")
    with pytest.raises(DamagedStore, match="is damaged"):
        read_evaluation(folder)
    (folder / "evaluation.json").write_text('{"schema": "assay-eval/1"}')
    with pytest.raises(DamagedStore, match="is damaged"):
        read_evaluation(folder)
