from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.calibration import Logistic
from assay.judging.reader_judge import HeuristicJudge
from assay.judging.signals import Model, Weights, load_weights
from assay.testing.fakes import WordEmbedder
from assay.types import (
    Action,
    AnswerType,
    EmbeddingModel,
    Evidence,
    Hit,
    Judgement,
    Passage,
    Question,
    Scores,
    Triage,
)


def evidence(*texts: str, dense: float | None = None) -> Evidence:
    passages = (Passage(f"p{n}", "d", "", 0, len(text), text) for n, text in enumerate(texts))
    return Evidence(tuple(Hit(passage, 1.0, Scores(dense=dense)) for passage in passages))


def question(text: str, *aspects: str, language: str = "en", unclear: str | None = None) -> Question:
    return Question(
        text,
        text,
        aspects=aspects or (text,),
        answer_type=AnswerType.PERSON,
        language=language,
        unclear=unclear,
    )


async def by_words(asked: Question, *texts: str) -> Judgement:
    return await HeuristicJudge().judge(asked, evidence(*texts))


ROME = "Who founded Rome?"
ANSWERED = "Rome was founded by Romulus Quirinus in 753 BC."


async def test_evidence_that_answers_is_worth_more_than_evidence_that_does_not() -> None:
    good = await by_words(question(ROME), ANSWERED)
    poor = await by_words(question(ROME), "Bees make honey.")
    assert good.sufficiency is not None
    assert poor.sufficiency is not None
    assert good.sufficiency > 0.7 > 0.3 > poor.sufficiency
    assert (good.recommendation, good.triage) == (Action.ANSWER, Triage.CORRECT)
    assert (poor.recommendation, poor.triage) == (Action.EXTERNAL, Triage.INCORRECT)


async def test_no_passages_are_never_scored() -> None:
    judged = await by_words(question(ROME))
    assert judged.sufficiency is None
    assert (judged.quality, judged.triage, judged.recommendation) == ("unknown", None, Action.EXTERNAL)
    assert judged.issues == ("no passages",)


@pytest.mark.parametrize("judge", [HeuristicJudge(), HeuristicJudge(WordEmbedder())])
async def test_a_question_without_words_is_to_be_clarified(judge: HeuristicJudge) -> None:
    judged = await judge.judge(question("What is it?"), evidence(ANSWERED))
    assert (judged.sufficiency, judged.triage) == (None, None)
    assert judged.recommendation is Action.CLARIFY


async def test_an_unclear_question_is_clarified_where_the_evidence_does_not_settle_it() -> None:
    unclear = 'it is not clear what "it" refers to'
    judged = await by_words(question("When did it open?", unclear=unclear), "Bees make honey.")
    assert judged.recommendation is Action.CLARIFY
    assert unclear in judged.reason


async def test_words_are_whole_words() -> None:
    judged = await by_words(question("Who sells art?"), "They start with smart carts.")
    assert judged.coverage == 0


async def test_another_script_cannot_be_compared() -> None:
    judged = await by_words(question("上海在哪里", language="zh"), ANSWERED)
    assert judged.sufficiency is None
    assert "scripts" in judged.issues[0]


async def test_chinese_is_judged_by_pairs_of_characters() -> None:
    embedder = WordEmbedder()
    asked = question("超级碗冠军是谁", language="zh")
    near = await HeuristicJudge(embedder).judge(asked, evidence("洛杉矶公羊队是超级碗冠军。"))
    far = await HeuristicJudge(embedder).judge(asked, evidence("今天的天气很好。"))
    assert near.mode_used == far.mode_used == "fast (words only)"
    assert near.sufficiency is not None
    assert far.sufficiency is not None
    assert near.sufficiency > far.sufficiency


async def test_what_the_passages_lack_is_named() -> None:
    judged = await by_words(question("How many moons has Neptune got?"), "The moons of Mars are two.")
    assert "Neptune" in judged.missing
    assert "a name of the question is in no passage" in judged.issues


async def test_several_aspects_have_states_of_their_own() -> None:
    asked = question("Compare hubs and switches", "hubs", "switches")
    judged = await by_words(asked, "A hub repeats every signal.")
    assert [(aspect.text, aspect.state) for aspect in judged.aspects] == [
        ("hubs", "covered"),
        ("switches", "missing"),
    ]
    assert judged.aspects[0].passage_ids == ("p0",)
    assert "switches" in judged.missing


async def test_relevance_orders_passages() -> None:
    judged = await by_words(question(ROME), "Bees make honey.", ANSWERED)
    assert judged.relevance["p1"] > judged.relevance["p0"] == 0


async def test_vectors_are_used_where_there_are_any() -> None:
    judged = await HeuristicJudge(WordEmbedder()).judge(question(ROME), evidence(ANSWERED))
    assert judged.mode_used == "fast"
    assert {"cosine_best", "reached"} <= judged.signals.keys()


@dataclass(frozen=True, slots=True)
class Recorder:
    """Embeds by words and keeps what it was asked for."""

    seen: list[str]

    @property
    def model(self) -> EmbeddingModel:
        return WordEmbedder().model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen.extend(texts)
        return await WordEmbedder().embed(texts)


async def test_passages_that_a_search_scored_are_not_embedded_again() -> None:
    recorder = Recorder([])
    text = f"{ANSWERED} It is old."
    judged = await HeuristicJudge(recorder).judge(question(ROME), evidence(text, dense=0.8))
    assert text not in recorder.seen
    assert judged.signals["cosine_best"] == 0.8


async def test_passages_of_a_later_search_are_measured_against_the_question_too() -> None:
    later = Hit(Passage("later", "d", "", 0, len(ROME), ROME), 1.0)
    found = evidence("It rains in spring.", dense=0.1).merge(Evidence((later,)))
    judged = await HeuristicJudge(WordEmbedder()).judge(question(ROME), found)
    assert judged.signals["cosine_best"] > 0.9


async def test_the_judgement_is_the_same_every_time() -> None:
    judge = HeuristicJudge(WordEmbedder())
    first = await judge.judge(question(ROME), evidence(ANSWERED, "Bees make honey."))
    assert first == await judge.judge(question(ROME), evidence(ANSWERED, "Bees make honey."))


async def test_the_weights_decide() -> None:
    none = Model({"cover_all": 0.0}, Logistic(1.0, 0.0))
    judged = await HeuristicJudge(weights=Weights(none, none, none, none, none)).judge(
        question(ROME), evidence(ANSWERED)
    )
    assert judged.sufficiency == 0.5
    assert judged.recommendation is Action.REFINE


@pytest.mark.parametrize("part", ["searched", "given", "words", "searched_read", "given_read"])
def test_the_shipped_weights_never_punish_better_evidence(part: str) -> None:
    model: Model = getattr(load_weights(), part)
    assert all(weight >= 0 for weight in model.weights.values())
    assert model.calibration.slope > 0
