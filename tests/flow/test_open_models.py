"""The engine with models in the layout of the Hugging Face hub: each is named by its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import open_engine
from assay.calibration import ClaimPolicy
from assay.calibration.shipped import weights_behind
from assay.errors import UsageError
from assay.models.checker import ClassifierChecker
from assay.records.policies import CheckerPolicies
from assay.types import Claim, Passage
from assay.wiring import open_checker
from assay.wiring.replay import replay

from ..unit.models.tiny import POLICY
from ..unit.models.tiny_hub import answerer, classifier, encoder, hub_folder, reranker

WATER = "Water boils at 100 degrees Celsius at sea level, it is said: yes"
CLAIM = "At a beach, one sees the liquid bubble when it is heated to 100 degrees Celsius."
NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
# "yes" in a source is support, beyond doubt.
WORDS = {"yes": (20, 0, 0), "no": (0, 0, 20)}


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    """A checker's folder of the test's own."""
    return hub_folder(tmp_path / "nli", WORDS, classifier(WORDS), id2label=NLI)


def checked(checker: Path | str, text: str = CLAIM, **settings: object) -> Claim:
    with open_checker(checker=str(checker), **settings) as engine:
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
    assert (heard.state, "that settles nothing: not fitted" in heard.reason) == ("supported", True)
    fit(nli, weights={"checker": 1.0})
    assert checked(nli).verdict.value == "supported"


def keep(data: Path, place: Path, behind: str = "", **policy: object) -> None:
    sha256 = ClassifierChecker.load(place).model.sha256
    CheckerPolicies(data / "policies", sha256).keep(
        ClaimPolicy.read(POLICY | policy),
        data="claims",
        weights=behind or weights_behind("claims"),
        reached={},
        at=5.0,
        by="Ann",
    )


def test_a_policy_of_the_data_folder_lets_it_say_what_it_found(nli: Path, tmp_path: Path):
    data = tmp_path / "data"
    unfitted = checked(nli, data_dir=data)
    assert unfitted.verdict.value != "supported"
    keep(data, nli, weights={"checker": 1.0})
    fitted = checked(nli, data_dir=data)
    assert fitted.verdict.value == "supported"
    assert checked(nli, data_dir=tmp_path / "another").verdict == unfitted.verdict
    policies = CheckerPolicies(data / "policies", ClassifierChecker.load(nli).model.sha256)
    policies.use(0, at=6.0, by="Ann")
    assert checked(nli, data_dir=data) == unfitted


def test_an_unknown_claim_says_that_its_checker_is_not_fitted(nli: Path):
    text = "At sea level the liquid boils at 100 degrees Celsius, somebody says."
    assert checked("none", text).verdict.value == "unknown"
    claim = checked(nli, text)
    assert claim.verdict.value == "unknown"
    assert claim.history[-1].reason.endswith(
        "is not fitted: run assay calibrate --claims CLAIMS.jsonl --checker NAME"
    )


def test_a_policy_of_another_network_counts_for_nothing(nli: Path, tmp_path: Path):
    keep(tmp_path / "data", nli, weights={"checker": 1.0})
    hub_folder(nli, WORDS, classifier(WORDS), id2label=NLI, max_position_embeddings=65)
    assert checked(nli, data_dir=tmp_path / "data").verdict.value != "supported"


def test_a_policy_fitted_beside_other_weights_of_words_and_vectors_counts_for_nothing(nli: Path, tmp_path: Path):
    keep(tmp_path / "data", nli, behind="0" * 16, weights={"checker": 1.0})
    assert checked(nli, data_dir=tmp_path / "data").verdict.value != "supported"


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


# --- the reranker --------------------------------------------------------------------------------

GOLD = {"gold": (5,), "kettle": (0,)}


@pytest.fixture
def kettles(tmp_path: Path) -> Path:
    """A data folder with three documents, of which the search prefers any to the one of gold."""
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "a.txt").write_text("the kettle boils water in a kettle", encoding="utf-8")
    (papers / "b.txt").write_text("a kettle boils it", encoding="utf-8")
    (papers / "c.txt").write_text("made of gold in ten days by nobody", encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([papers])
    return tmp_path / "data"


@pytest.fixture
def marco(tmp_path: Path) -> Path:
    return hub_folder(tmp_path / "marco", GOLD, reranker(GOLD), id2label={"0": "LABEL_0"})


def found(data: Path, **settings: object) -> list[str]:
    with open_engine(data_dir=data, **settings) as engine:
        return [Path(hit.passage.source).name for hit in engine.search("what boils water in the kettle").hits]


def test_a_reranker_chooses_among_what_the_search_found(kettles: Path, marco: Path):
    assert found(kettles)[-1] == "c.txt"
    assert found(kettles, reranker=str(marco))[0] == "c.txt"
    # It chooses among more passages than are asked for.
    assert found(kettles, reranker=str(marco), k=1) == ["c.txt"]


def test_with_a_reranker_no_probability_and_no_risk_is_told(kettles: Path, marco: Path):
    with open_engine(data_dir=kettles, reranker=str(marco)) as engine:
        answer = engine.ask("What boils water?")
    assert (answer.confidence.value, answer.confidence.cause) == (
        None,
        "the calibration was fitted without a reranker",
    )
    with (
        open_engine(data_dir=kettles, reranker=str(marco), max_risk=0.3) as engine,
        pytest.raises(UsageError, match="no risk can be promised with a reranker") as caught,
    ):
        engine.ask("What boils water?")
    assert "--reranker none" in caught.value.hint


def test_a_run_with_a_reranker_is_replayed_without_it(kettles: Path, marco: Path):
    with open_engine(data_dir=kettles, reranker=str(marco)) as engine:
        answer = engine.ask("What boils water?")
    (marco / "config.json").unlink()
    assert replay(answer.run_id, data_dir=kettles) == answer


def test_no_reranker_comes_with_assay(tmp_path: Path):
    with pytest.raises(UsageError, match="no reranker comes with assay"):
        open_engine(data_dir=tmp_path, reranker="bundled")


# --- the reader ----------------------------------------------------------------------------------

SPANS = {"100": (9, 1), "degrees": (1, 9), "boils": (0, 0), "water": (0, 0)}


def test_a_reader_of_spans_finds_what_is_quoted(tmp_path: Path):
    place = hub_folder(tmp_path / "squad", SPANS, answerer(SPANS))
    (tmp_path / "water.txt").write_text("The kettle is old. At sea level water boils at 100 degrees now.")
    with open_engine(data_dir=tmp_path / "data", reader=str(place)) as engine:
        engine.add([tmp_path / "water.txt"])
        answer = engine.ask("At how many degrees does water boil?")
        asked = engine.ask("Does water boil at 100 degrees?")
    assert "100 degrees" in answer.text
    assert answer.confidence.value is None
    # It never says yes or no.
    assert "**Yes" not in asked.text
    (place / "config.json").unlink()
    assert replay(answer.run_id, data_dir=tmp_path / "data") == answer
