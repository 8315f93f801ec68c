from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.judging.reader_judge import HeuristicJudge
from assay.nlp.answer_types import candidates
from assay.testing.fakes import WordEmbedder
from assay.types import AnswerType, Evidence, Hit, Message, Passage
from assay.understanding.rules import understand_by_rules

TEXTS = st.text(max_size=80) | st.lists(
    st.sampled_from("who when is the Rome it founded in 1997 Ann Lee and, or ? . 谁 冠军 what about".split()),
    max_size=12,
).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_every_text_is_understood(text: str, earlier: list[str]) -> None:
    history = tuple(Message("user", turn) for turn in earlier)
    question = understand_by_rules(text, history)
    assert question.text == text
    assert 1 <= question.detail <= 10
    assert len(question.aspects) <= 8
    assert question == understand_by_rules(text, history)


@settings(deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4), st.booleans())
def test_every_judgement_is_within_bounds(text: str, passages: list[str], vectors: bool) -> None:
    hits = tuple(Hit(Passage(str(n), "d", "", 0, len(passage), passage), 0.0) for n, passage in enumerate(passages))
    judge = HeuristicJudge(WordEmbedder() if vectors else None)
    judged = asyncio.run(judge.judge(understand_by_rules(text), Evidence(hits)))
    assert judged.sufficiency is None or 0 <= judged.sufficiency <= 1
    assert (judged.sufficiency is None) == (judged.quality == "unknown") == (judged.triage is None)
    assert judged.sufficiency is None or set(judged.relevance) == {str(n) for n in range(len(passages))}
    assert all(0 <= share <= 1 for share in judged.relevance.values())
    assert all(-1e-9 <= share <= 1 + 1e-9 for share in judged.signals.values())
    assert judged.reason


@given(TEXTS, st.sampled_from(AnswerType))
def test_candidates_lie_within_the_text(text: str, wanted: AnswerType) -> None:
    found = candidates(text, wanted)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert list(found) == sorted(found, key=lambda span: span.start)
