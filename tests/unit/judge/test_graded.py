"""The fast judge with a grader: what it is asked, what its word counts, and whom it is not asked about."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from assay.calibration import Joining, log_odds, sigmoid
from assay.judge.graded import PASSAGES
from assay.judge.heuristic import HeuristicJudge
from assay.judge.light import LightJudge
from assay.judge.probe import probe_of
from assay.judge.reading import read
from assay.judge.window import LONGEST, WORDS, window
from assay.models.structured import StructuredModel
from assay.stages import Pair
from assay.testing.fakes import ScriptedGrader, WordEmbedder
from assay.testing.scripted_model import ScriptedModel
from assay.types import Action, Evidence, Passage, Question, Triage

ROME = "Who founded Rome?"
ANSWERS = "Rome was founded by Romulus Quirinus in 753 BC."
ASIDE = "Bees make honey."
LINE = Joining({"fast": 0.8, "window": 0.5, "best_passage": 0.3, "second_passage": 0.1}, -0.2)
EvidenceOf = Callable[..., Evidence]


def question(text: str = ROME, language: str = "en") -> Question:
    return Question(text, text, aspects=(text,), language=language)


def scripted(odds: Mapping[str, float], line: Joining = LINE) -> ScriptedGrader:
    return ScriptedGrader({Pair(ROME, text): each for text, each in odds.items()}, {"evidence": line})


@pytest.mark.parametrize("embedder", [None, WordEmbedder()])
async def test_the_sufficiency_is_what_the_joining_says(
    evidence: EvidenceOf, embedder: WordEmbedder | None
) -> None:
    found = evidence(ANSWERS, ASIDE)
    plain = await HeuristicJudge(embedder).judge(question(), found)
    grader = scripted({f"{ANSWERS} {ASIDE}": 1.0, ANSWERS: 2.0, ASIDE: -3.0})
    judged = await HeuristicJudge(embedder, grader=grader).judge(question(), found)
    assert plain.sufficiency is not None
    odds = -0.2 + 0.8 * log_odds(plain.sufficiency) + 0.5 * 1.0 + 0.3 * 2.0 + 0.1 * -3.0
    assert judged.sufficiency == pytest.approx(sigmoid(odds))


@pytest.mark.parametrize(
    ("odds", "triage", "action"),
    [(9.0, Triage.CORRECT, Action.ANSWER), (-9.0, Triage.INCORRECT, Action.EXTERNAL)],
)
async def test_what_is_recommended_follows_the_joined_sufficiency(
    evidence: EvidenceOf, odds: float, triage: Triage, action: Action
) -> None:
    line = Joining({"window": 1.0}, 0.0)
    judged = await HeuristicJudge(grader=scripted({ANSWERS: odds}, line)).judge(question(), evidence(ANSWERS))
    assert (judged.triage, judged.recommendation) == (triage, action)


@pytest.mark.parametrize(
    ("embedder", "mode"),
    [(None, "fast (words only), scripted-grader"), (WordEmbedder(), "fast, scripted-grader")],
)
async def test_the_mode_names_the_grader_and_the_signals_hold_its_odds(
    evidence: EvidenceOf, embedder: WordEmbedder | None, mode: str
) -> None:
    grader = scripted({f"{ANSWERS} {ASIDE}": 1.0, ANSWERS: 2.0, ASIDE: -3.0})
    judged = await HeuristicJudge(embedder, grader=grader).judge(question(), evidence(ANSWERS, ASIDE))
    assert judged.mode_used == mode
    said = {name: judged.signals[name] for name in ("window", "best_passage", "second_passage")}
    assert said == {"window": 1.0, "best_passage": 2.0, "second_passage": -3.0}


async def test_one_passage_is_best_and_second_best(evidence: EvidenceOf) -> None:
    judged = await HeuristicJudge(grader=scripted({ANSWERS: 2.0})).judge(question(), evidence(ANSWERS))
    assert judged.signals["best_passage"] == judged.signals["second_passage"] == 2.0


async def test_of_many_passages_the_nearest_are_read_one_by_one(evidence: EvidenceOf) -> None:
    near = [f"Rome was founded {n} times." for n in range(PASSAGES)]
    texts = [ASIDE, *near, ASIDE]
    probe = probe_of(question())
    readings = [read(passage, probe) for passage in evidence(*texts).passages]
    over_all = window(probe, readings, {})
    grader = scripted(dict.fromkeys((over_all, *near), 0.0))
    await HeuristicJudge(grader=grader).judge(question(), evidence(*texts))
    assert [each.evidence for each in grader.asked] == [over_all, *near]


async def test_a_language_that_the_grader_does_not_read_is_not_asked_about(evidence: EvidenceOf) -> None:
    grader = scripted({})
    german = question("Wer hat Rom gegründet?", language="de")
    judged = await HeuristicJudge(grader=grader).judge(german, evidence(ANSWERS))
    assert judged == await HeuristicJudge().judge(german, evidence(ANSWERS))
    assert grader.asked == []


@pytest.mark.parametrize(
    ("asked", "texts"),
    [(question(), ()), (question("What is it?"), (ANSWERS,)), (question("上海在哪里", language="zh"), (ANSWERS,))],
)
async def test_where_nothing_can_be_measured_nothing_is_asked(
    evidence: EvidenceOf, asked: Question, texts: tuple[str, ...]
) -> None:
    grader = ScriptedGrader({}, {"evidence": LINE}, languages=("en", "zh"))
    judged = await HeuristicJudge(grader=grader).judge(asked, evidence(*texts))
    assert (judged.sufficiency, grader.asked) == (None, [])


async def test_a_judge_that_asks_a_model_leans_on_the_joined_sufficiency(evidence: EvidenceOf) -> None:
    fast = HeuristicJudge(grader=scripted({ANSWERS: 2.0}))
    model = StructuredModel(ScriptedModel({"reason": "It is there.", "verdict": "yes", "missing": ""}))
    judged = await LightJudge(model, fast).judge(question(), evidence(ANSWERS))
    assert judged.signals["window"] == 2.0


def test_a_window_holds_at_most_ninety_words_in_their_order() -> None:
    lines = [f"Line {n} says that Rome was founded long ago by people of hill {n}." for n in range(30)]
    text, probe = " ".join(lines), probe_of(question())
    found = window(probe, [read(Passage("p", "d", "", 0, len(text), text), probe)], {})
    assert 0 < len(found.split()) <= WORDS
    kept = [int(word) for before, word in zip(found.split(), found.split()[1:], strict=False) if before == "Line"]
    assert kept == sorted(kept)


def test_a_long_line_is_cut() -> None:
    text = "Rome was founded " + "by and by " * 60 + "by Romulus."
    probe = probe_of(question())
    found = window(probe, [read(Passage("p", "d", "", 0, len(text), text), probe)], {})
    assert found == " ".join(text.split()[:LONGEST])


def test_nothing_to_read_is_an_empty_window() -> None:
    assert window(probe_of(question()), [], {}) == ""
