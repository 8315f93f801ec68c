"""What a grader's manifest says of it: the languages that it reads, and how its scores are joined."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.calibration import Joining
from assay.errors import UsageError
from assay.models.grader import PairScorer

TINY = Path(__file__).parent / "tiny_grader"
LINE = {"weights": {"search": 1.0}, "shift": 0.0}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder of one's own, free to be damaged."""
    return Path(shutil.copytree(TINY, tmp_path / "grader"))


def change(folder: Path, **changes: Any) -> Path:
    """The folder, with other words in its manifest; None leaves a word out."""
    path = folder / "manifest.json"
    changed = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in changed.items() if value is not None}))
    return folder


def test_the_joinings_are_those_of_the_manifest() -> None:
    joinings = PairScorer.load(TINY).model.joinings
    assert joinings.keys() == {"claims", "evidence", "ranking"}
    assert joinings["ranking"] == Joining({"search": 0.0, "passage": 1.0}, 0.0)
    assert joinings["claims"].weights == {"trees": 1.0, "left": 1.0, "whole": 0.5, "least": 0.0, "mean": 0.0}


def test_a_grader_to_which_nothing_was_fitted_has_none(copy: Path) -> None:
    assert PairScorer.load(change(copy, joinings=None)).model.joinings == {}


def test_the_languages_are_those_of_the_manifest(copy: Path) -> None:
    assert PairScorer.load(change(copy, languages=["en", "de"])).model.languages == ("en", "de")


@pytest.mark.parametrize(
    "joinings",
    [
        [],
        "all",
        {"claims": None},
        {"claims": {"weights": {}}},
        {"claims": {"shift": 0.0}},
        {"claims": {"weights": {}, "shift": 5.0}},
        {"claims": {"weights": {"trees": 1.0}, "shift": 10**400}},
        {"claims": {"weights": [1.0], "shift": 0.0}},
        {"claims": {"weights": {"trees": "much"}, "shift": 0.0}},
        {"claims": {"weights": {"trees": None}, "shift": 0.0}},
        {"claims": {"weights": {"trees": float("nan")}, "shift": 0.0}},
        {"claims": {"weights": {"trees": 1.0}, "shift": float("inf")}},
        {"ranking": LINE, "claims": {"weights": {"trees": 1.0}, "shift": "none"}},
    ],
)
def test_joinings_that_cannot_be_read_are_refused(copy: Path, joinings: object) -> None:
    with pytest.raises(UsageError, match="does not say how its scores are joined") as caught:
        PairScorer.load(change(copy, joinings=joinings))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("files", []),
        ("max_tokens", "many"),
        ("id", 7),
        ("languages", "en"),
        ("files", None),
        ("max_tokens", True),
        ("max_tokens", 0),
        ("max_tokens", 100_000),
        ("id", ""),
        ("languages", None),
        ("languages", [["en"]]),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(copy: Path, name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"does not say what its {name}"):
        PairScorer.load(change(copy, **{name: value}))


def test_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder") as caught:
        PairScorer.load(tmp_path / "nowhere")
    assert "--grader" in caught.value.hint


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("{}")
    with pytest.raises(UsageError, match="there is no folder"):
        PairScorer.load(tmp_path / "file")


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"manifest\.json cannot be read: No such file"):
        PairScorer.load(tmp_path)
