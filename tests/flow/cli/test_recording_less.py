"""--record: everything, an outline, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.calibration.shipped import shipped
from assay.records.runs import RunStore

from .conftest import DOCUMENTS, Cli

BOIL = "At how many degrees does water boil?"
# Words of the document that the question does not have.
TEXT = b"Celsius at sea level"


def on_disk(tmp_path: Path) -> bool:
    files = [file for file in (tmp_path / "data").glob("runs.sqlite*") if file.is_file()]
    return any(TEXT in file.read_bytes() for file in files)


def test_nothing_is_recorded_where_recording_is_off(own: Cli, tmp_path: Path):
    assert TEXT.decode() in DOCUMENTS["water.md"]
    assert own("ask", BOIL, "--record", "off").code == 0
    checked = own("check", "Water boils at 100 degrees Celsius.", "--record", "off", "--traces")
    assert "assay show last" not in checked.err
    assert not (tmp_path / "data" / "runs.sqlite").exists()
    assert "no run is recorded yet" in own("show", "last").err


def test_without_recording_the_calibration_of_the_collection_still_holds(own: Cli, tmp_path: Path):
    store = RunStore(tmp_path / "data" / "runs.sqlite", "default")
    fit = shipped()["answers"]
    store.add_calibration("default", fit, at=1.0, by="ann")
    before = own("ask", BOIL, "--json").object
    silent = own("ask", BOIL, "--record", "off", "--json").object
    assert silent["confidence"] == before["confidence"]
    assert len(store.latest()) == 1


def test_an_outline_holds_what_was_decided_and_no_text_of_documents(own: Cli, tmp_path: Path):
    assert own("ask", BOIL, "--record", "outline").code == 0
    assert not on_disk(tmp_path)
    shown = own("show", "last")
    assert shown.code == 0
    assert BOIL in shown.out
    assert "answered" in shown.out
    assert "Celsius" not in shown.out
    figures = own("figures", "--json").object
    assert (figures["runs"], figures["delivered"]) == (1, 1)
    assert own("report", "last", "--out", tmp_path / "report.html").code == 0
    assert own("label", "last", "--right", "--by", "Maria").code == 0
    assert "its tape was not kept" in own("replay", "last").err


@pytest.mark.parametrize("flags", [[], ["--no-tape"]])
def test_all_is_recorded_unless_somebody_says_otherwise(own: Cli, tmp_path: Path, flags: list[str]):
    assert own("ask", BOIL, *flags).code == 0
    assert on_disk(tmp_path)
