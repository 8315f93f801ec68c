"""Labels are read strictly: what is wrong is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.evals.labels_file import lines, read_labels

GOOD = [{"id": f"r{n}", "label": n % 3 > 0} for n in range(24)]


def written(folder: Path, rows: list[object]) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows))
    return path


def test_labels_are_read_in_order_and_empty_lines_passed_over(tmp_path: Path):
    found = read_labels(written(tmp_path, [*GOOD[:5], "", *GOOD[5:]]))
    assert [each.id for each in found] == [each["id"] for each in GOOD]
    assert found[5].number == 7


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": "r3", "label": True}, "line 25: the id 'r3' stands in line 4 already"),
        ({"id": "new", "label": "maybe"}, 'line 25: its label is "maybe"'),
        ({"id": "new", "label": 1}, "line 25: its label is 1"),
        ({"id": "new"}, "line 25: its label is null"),
        ({"label": True}, "line 25: it has no id"),
        ({"id": "new", "label": True, "score": float("nan")}, "line 25: its score is NaN"),
        ({"id": "new", "label": True, "score": 1.5}, "line 25: its score is 1.5"),
        ({"id": "new", "label": True, "score": True}, "line 25: its score is true"),
        ({"id": "new", "label": True, "score": 10**400}, "line 25: its score is 1000"),
        ({"id": "new", "label": [True] * 99}, "true, tru…; a label is true or false"),
        ("[" * 100_000, "line 25: it is not JSON"),
        ("{", "line 25: it is not JSON"),
        ("[]", "line 25: it is not a JSON object"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, told: str):
    with pytest.raises(UsageError) as refused:
        read_labels(written(tmp_path, [*GOOD, line]))
    assert told in str(refused.value)


@pytest.mark.parametrize("rows", [GOOD[:3], GOOD[:12], [{"id": str(n), "label": n > 3} for n in range(50)]])
def test_too_few_labels_or_too_few_of_a_kind_fit_nothing(tmp_path: Path, rows: list[object]):
    with pytest.raises(UsageError, match="too few to measure"):
        read_labels(written(tmp_path, rows))


@pytest.mark.parametrize("kind", [True, False])
def test_labels_that_are_all_alike_fit_nothing(tmp_path: Path, kind: bool):
    rows: list[object] = [{"id": str(n), "label": kind} for n in range(50)]
    with pytest.raises(UsageError, match=f"too few to measure: 50 labels, {50 * kind} right"):
        read_labels(written(tmp_path, rows))


def test_a_mark_at_the_head_of_the_file_is_no_part_of_it(tmp_path: Path):
    path = written(tmp_path, list(GOOD))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert len(read_labels(path)) == len(GOOD)


def test_a_file_that_is_not_there_or_empty_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be read"):
        lines(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match="is empty"):
        lines(written(tmp_path, []))
