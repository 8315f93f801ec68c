"""doctor and models from the hub: what is told of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.calibration import ClaimPolicy
from assay.calibration.shipped import weights_behind
from assay.models.checker import ClassifierChecker
from assay.records.policies import CheckerPolicies

from ...unit.models.hub_server import Hub, serving
from ...unit.models.tiny import POLICY
from ...unit.models.tiny_hub import classifier, hub_folder, reranker
from .conftest import call

NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
WORDS = {"yes": (3, 0, 0), "no": (0, 0, 3)}


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    return hub_folder(tmp_path / "nli", WORDS, classifier(WORDS), id2label=NLI)


def examined(filled: Path, *arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    looked = call("doctor", "--json", "--data-dir", filled, *arguments)
    return looked.code, {each["name"]: each for each in looked.object["examined"]}


def test_doctor_says_that_a_checker_was_never_fitted(filled: Path, nli: Path):
    (nli / "onnx" / "model_qint8.onnx").write_bytes(b"another")
    code, found = examined(filled, "--checker", nli)
    assert code == 0
    assert found["role checker"]["status"] == "unknown"
    assert "onnx/model.onnx of 2 networks in the folder" in found["role checker"]["detail"]
    assert "settles nothing; fit it: assay calibrate --claims" in found["role checker"]["detail"]


def test_doctor_says_what_is_wrong_with_labels(filled: Path, tmp_path: Path):
    place = hub_folder(tmp_path / "two", WORDS, classifier(WORDS))
    code, found = examined(filled, "--checker", place)
    assert code != 0
    assert found["role checker"]["status"] == "failed"
    assert "LABEL_0, LABEL_1" in found["role checker"]["detail"]


def test_doctor_looks_at_the_reranker_where_one_is_set(filled: Path, tmp_path: Path, nli: Path):
    assert examined(filled)[1]["role reranker"]["status"] == "skipped"
    words = {"gold": (1,)}
    place = hub_folder(tmp_path / "marco", words, reranker(words), id2label={"0": "LABEL_0"})
    code, found = examined(filled, "--reranker", place)
    assert code == 0
    assert found["role reranker"]["detail"].startswith("marco-")
    assert found["role reranker"]["detail"].endswith("→ this process; it only reorders passages")
    code, found = examined(filled, "--reranker", nli)
    assert code != 0
    assert "try --checker" in found["role reranker"]["detail"]


# --- models --------------------------------------------------------------------------------------

CHECK = "hf:org/check@main"


@pytest.fixture
def hub(nli: Path) -> Iterator[Hub]:
    with serving() as hub:
        hub.models["org/check"] = nli
        yield hub


@pytest.fixture
def pulling(hub: Hub, tmp_path: Path, program: list[str]) -> Iterator[Any]:
    """The program in a process of its own, which knows the hub's address by its environment; no file at home."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "HF_ENDPOINT": hub.url}
    environment = {name: value for name, value in environment.items() if not name.startswith(("XDG_", "ASSAY_"))}

    def assay(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [*program, *map(str, arguments), "--data-dir", str(tmp_path / "data")]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    yield assay
    assert [str(each) for each in home.rglob("*") if each.is_file()] == []


def test_a_model_is_pulled_listed_used_and_removed(pulling: Any, tmp_path: Path):
    pulled = pulling("models", "pull", CHECK)
    assert pulled.returncode == 0, pulled.stderr
    assert pulled.stdout.startswith("hf:org/check@main, commit 0123456789abcdef")
    data = ("--data-dir", tmp_path / "data")
    assert call("models", "list", *data).out.startswith("hf:org/check@main  0123456789ab  onnx/model.onnx  ")
    [listed] = call("models", "list", "--json", *data).object["models"]
    assert set(listed["files"]) == {"config.json", "tokenizer.json", "onnx/model.onnx"}
    code, found = examined(tmp_path / "data", "--checker", CHECK, "--offline")
    assert (code, found["role checker"]["status"]) == (0, "unknown")
    assert found["role checker"]["detail"].startswith("org--check@main-")
    with (tmp_path / "data" / "models" / "org--check@main" / "config.json").open("a") as file:
        file.write(" ")
    code, found = examined(tmp_path / "data", "--checker", CHECK)
    assert code != 0
    assert "config.json is not what was pulled" in found["role checker"]["detail"]
    assert call("models", "remove", CHECK, *data).code == 0
    assert call("models", "list", *data).err == "no models have been pulled\n"


def test_the_list_says_of_a_checker_whether_it_is_fitted(pulling: Any, hub: Hub, tmp_path: Path):
    words = {"gold": (1,)}
    hub.models["org/rank"] = hub_folder(tmp_path / "rank", words, reranker(words), id2label={"0": "LABEL_0"})
    for name in (CHECK, "hf:org/rank@main"):
        assert pulling("models", "pull", name).returncode == 0
    data = ("--data-dir", tmp_path / "data")
    check, rank = call("models", "list", *data).out.splitlines()
    assert check.endswith(" MB  not fitted: assay calibrate --claims")
    assert rank.endswith(" MB")
    place = tmp_path / "data" / "models" / "org--check@main"
    sha256 = ClassifierChecker.load(place).model.sha256
    CheckerPolicies(tmp_path / "data" / "policies", sha256).keep(
        ClaimPolicy.read(POLICY), data="claims", weights=weights_behind("claims"), reached={}, at=5.0, by="Ann"
    )
    assert call("models", "list", *data).out.splitlines()[0].endswith(" MB  fitted: policy 1")
    listed = call("models", "list", *data, "--json").object["models"]
    assert [each["fitted"] for each in listed] == [True, None]


def test_a_model_that_was_not_pulled_is_told(filled: Path):
    _code, found = examined(filled, "--reranker", CHECK)
    assert (
        "hf:org/check@main was not pulled (assay models pull hf:org/check@main)" in found["role reranker"]["detail"]
    )


def test_nothing_is_fetched_offline(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    refused = call("models", "pull", CHECK, "--offline", "--data-dir", tmp_path)
    assert (refused.code, "offline mode refuses to fetch hf:org/check@main" in refused.err) == (2, True)
    assert hub.asked == []


def test_what_its_user_says_is_kept(pulling: Any, tmp_path: Path):
    said = ("--labels", "supported, neutral ,contradiction", "--languages", "en,de", "--query-prefix", "query: ")
    pulled = pulling("models", "pull", CHECK, *said, "--json")
    assert pulled.returncode == 0, pulled.stderr
    kept = json.loads((tmp_path / "data" / "models" / "org--check@main" / "assay.json").read_text())
    assert kept == {
        "labels": ["supported", "neutral", "contradiction"],
        "languages": ["en", "de"],
        "query_prefix": "query: ",
    }
    assert json.loads(pulled.stdout)["name"] == CHECK
