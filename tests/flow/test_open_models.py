"""The engine with models in the layout of the Hugging Face hub: each is named by its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import open_engine
from assay.build import open_gates
from assay.build.runs import replay
from assay.errors import UsageError
from assay.models.classifier_checker import ClassifierChecker
from assay.types import Claim, Passage

from ..unit.models.tiny import POLICY
from ..unit.models.tiny_hub import classifier, encoder, hub_folder

WATER = "Water boils at 100 degrees Celsius at sea level, it is said: yes"
CLAIM = "At a beach, one sees the liquid bubble when it is heated to 100 degrees Celsius."
NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
# "yes" in a source is support, beyond doubt.
WORDS = {"yes": (20, 0, 0), "no": (0, 0, 20)}


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    """A checker's folder of the test's own."""
    return hub_folder(tmp_path / "nli", WORDS, classifier(WORDS), id2label=NLI)


def checked(checker: Path | str, text: str = CLAIM) -> Claim:
    with open_gates(checker=str(checker)) as engine:
        [claim] = engine.check(text, [Passage("p", "d", "", 0, len(WATER), WATER)]).claims
    return claim


def fit(place: Path, **policy: object) -> None:
    said = {"made_for": ClassifierChecker.load(place).model.sha256, "policy": POLICY | policy}
    (place / "claim_policy.json").write_text(json.dumps(said), encoding="utf-8")


def test_a_checker_turns_no_claim_to_supported_until_it_is_fitted(nli: Path):
    plain, unfitted = checked("none"), checked(nli)
    assert plain.verdict.value != "supported"
    assert (unfitted.verdict, unfitted.support) == (plain.verdict, plain.support)
    [heard] = [each for each in unfitted.history if each.by.startswith("nli-")]
    assert (heard.state, heard.reason.endswith("this settles nothing")) == ("supported", True)
    fit(nli, weights={"checker": 1.0})
    assert checked(nli).verdict.value == "supported"


def test_a_policy_that_weighs_what_nothing_measures_is_refused(nli: Path):
    fit(nli, weights={"length": 1.0})
    with pytest.raises(UsageError, match="weighs length, which nothing measures"):
        checked(nli)


def test_a_run_with_an_unfitted_checker_is_replayed(nli: Path, tmp_path: Path):
    (tmp_path / "water.md").write_text(WATER, encoding="utf-8")
    script = tmp_path / "script.json"
    written = "At sea level, water boils at 100 degrees Celsius [1]."
    script.write_text(json.dumps([{"role": "writer", "reply": written}]), encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data", checker=str(nli), model=f"fake:{script}") as engine:
        engine.add([tmp_path / "water.md"])
        answer = engine.ask("At how many degrees does water boil?")
    assert answer.models.verifier.startswith("deterministic, nli-")
    (nli / "config.json").unlink()
    assert replay(answer.run_id, data_dir=tmp_path / "data") == answer


# --- the embedder --------------------------------------------------------------------------------

# A model that finds nothing without its prefixes: only "query:" and "passage:" point the same way.
PREFIXED = {"query:": (9, 0), "passage:": (9, 0), "tea": (0, 1), "rain": (0, 1)}


def test_questions_and_passages_get_the_prefixes_that_the_model_wants(tmp_path: Path):
    place = hub_folder(tmp_path / "e5", PREFIXED, encoder(PREFIXED), max_position_embeddings=256)
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    (place / "config_sentence_transformers.json").write_text(json.dumps(prompts), encoding="utf-8")
    (tmp_path / "tea.txt").write_text("tea is hot", encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data", embedder=str(place), mode="dense") as engine:
        engine.add([tmp_path / "tea.txt"])
        [hit] = engine.search("rain").hits
    assert hit.scores.dense == pytest.approx(0.9942, abs=1e-3)
