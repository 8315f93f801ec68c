"""calibrate --claims: a foreign checker is fitted, then it may say ✓; and the policy can be taken back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.evals.labels_file import recorded_claims
from assay.records.labels import Labels
from assay.records.runs import RunStore
from assay.types import Verdict

from ...unit.evals.labelled import ENOUGH, rows, written
from ...unit.models.tiny_hub import classifier, hub_folder
from .conftest import Result, call

NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
WORDS = {"yes": (4, 0, 0), "well": (0, 3, 0), "no": (0, 0, 4)}
CLAIM = "Nobody stayed there after dark."
SOURCE = "Guests came to the pier by boat each morning , and 7 left before dusk , yes"


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder with a checker, and a data folder in which it was fitted; what the fit printed. Tests copy it."""
    folder = tmp_path_factory.mktemp("fitted")
    place = hub_folder(folder / "nli", WORDS, classifier(WORDS), id2label=NLI)
    claims = written(folder / "claims.jsonl", rows())
    made = call("calibrate", "--claims", claims, "--checker", place, "--data-dir", folder / "data", "--by", "Ann")
    assert made.code == 0, made
    return folder, made


@pytest.fixture
def own(fitted: tuple[Path, Result], tmp_path: Path) -> Path:
    """The same folders for one test alone."""
    return Path(shutil.copytree(fitted[0], tmp_path / "own"))


def verdict(folder: Path, *arguments: object) -> tuple[str, str]:
    """What the checker says of a claim, and why."""
    line = json.dumps({"claim": CLAIM, "context": SOURCE}).encode()
    checker = ("--checker", folder / "nli", "--data-dir", folder / "data")
    (found,) = call("check", "--jsonl", *checker, *arguments, stdin=line).object["claims"]
    return found["verdict"], found["history"][-1]["reason"]


def test_what_it_reaches_is_told(fitted: tuple[Path, Result]):
    folder, made = fitted
    lines = made.out.splitlines()
    assert lines[0] == "policy 1, fitted on 132 labelled claims: 44 supported, 40 contradicted, 48 unsupported"
    assert lines[1].split("  ")[0] == "on claims that the fit did not see"
    assert " ".join(lines[2].split()).startswith("false claims called supported (at most 3%) 0 of 88, 0.0%")
    assert " ".join(lines[4].split()).startswith("true claims called supported 44 of 44, 100.0% 0 of 44, 0.0%")
    assert " ".join(lines[6].split()).startswith("called contradicted, and labelled so 40 of 40, 100.0%")
    assert made.err.endswith(f"to undo: assay calibrate --checker {folder / 'nli'} --use 0\n")


def test_it_may_say_what_it_found_until_it_is_taken_back(own: Path):
    checker = ("--checker", own / "nli", "--data-dir", own / "data")
    assert verdict(own)[0] == "supported"
    assert call("calibrate", *checker, "--use", "0").code == 0
    said, why = verdict(own)
    assert said != "supported"
    assert said != "unknown" or "is not fitted: run assay calibrate --claims" in why
    listed = call("calibrate", *checker)
    assert listed.out.splitlines()[0] == "* 0  not fitted"
    assert listed.out.splitlines()[1].startswith("  1  132 labelled claims: 44 supported")
    assert listed.out.endswith(", by Ann\n")
    assert call("calibrate", *checker, "--use", "1").code == 0
    assert verdict(own)[0] == "supported"
    [none, first] = call("calibrate", *checker, "--json").object["policies"]
    assert (none, first["in_use"], first["version"]) == ({"version": 0, "fitted": False, "in_use": False}, True, 1)
    assert "has no policy 9; it has 0, 1" in call("calibrate", *checker, "--use", "9").err


def test_doctor_says_that_it_is_fitted(own: Path):
    looked = call("doctor", "--json", "--checker", own / "nli", "--data-dir", own / "data").object["examined"]
    assert {each["name"]: each["status"] for each in looked}["role checker"] == "passed"


def test_the_card_of_a_fitted_checker_shows_its_verdicts(own: Path):
    lines = [{"id": str(n), **each, "context": each["evidence"]} for n, each in enumerate(rows())]
    data = written(own / "audit.jsonl", [each | {"label": each["label"] == "supported"} for each in lines[:60]])
    checker = ("--checker", own / "nli", "--data-dir", own / "data")
    card = call("audit", data, *checker, "--json").object
    assert card["all"]["recall"] == 1.0
    call("calibrate", *checker, "--use", "0")
    assert call("audit", data, *checker, "--json").object["all"]["recall"] == 0.0


def test_a_fit_as_json(own: Path):
    merged = [each | {"label": each["label"].replace("contradicted", "unsupported")} for each in rows()]
    claims = written(own / "again.jsonl", merged)
    made = call("calibrate", "--claims", claims, "--checker", own / "nli", "--data-dir", own / "data", "--json")
    assert made.code == 0, made
    assert (made.object["version"], made.object["after"]["passed"]) == (2, 0)
    assert made.object["before"]["supported"] == 0
    assert made.object["policy"]["contradicted"] is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--claims", "CLAIMS"), "comes fitted: its policy is in its manifest"),
        (("--claims", "CLAIMS", "--checker", "none"), "there is no checker to fit"),
        (("--checker", "bundled"), "comes fitted"),
        (("--claims", "CLAIMS", "--use", "0"), "cannot be used together"),
        (("CLAIMS", "--checker", "NLI"), "a checker is fitted to claims, not answers"),
        (("--labelled", "--checker", "NLI"), "too few labels: 0 supported and 0 not, labelled; 38 and 76"),
        (("--claims", "FEW", "--checker", "NLI"), "too few labels: 2 supported and 4 not, labelled; 38 and 76"),
        (("--claims", "missing.jsonl", "--checker", "NLI"), "missing.jsonl cannot be read"),
    ],
)
def test_what_cannot_be_fitted_is_told(own: Path, arguments: tuple[str, ...], told: str):
    few = written(own / "few.jsonl", rows(dict.fromkeys(ENOUGH, 1)))
    names = {"CLAIMS": own / "claims.jsonl", "NLI": own / "nli", "FEW": few}
    refused = call("calibrate", *(names.get(each, each) for each in arguments), "--data-dir", own / "fresh")
    assert refused.code == 2
    assert told in refused.err
    assert not (own / "fresh" / "policies").exists()


def test_the_claims_that_people_labelled_are_read_with_their_passages(tmp_path: Path):
    water = tmp_path / "water.md"
    water.write_text("# Water\n\nWater boils at 100 degrees Celsius at sea level.\n")
    data = ("--data-dir", tmp_path / "data")
    assert call("add", water, *data).code == 0
    for label in ("--right", "--wrong"):
        assert call("ask", "At how many degrees does water boil?", *data).code == 0
        assert call("label", "last", label, "--claim", "1", *data).code == 0
    store = RunStore(tmp_path / "data" / "runs.sqlite", "default")
    found = recorded_claims(Labels(store), "default")
    assert recorded_claims(Labels(store), "other") == ()
    store.close()
    assert [claim.label for claim in found] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
    assert {claim.claim in claim.group for claim in found} == {True}
