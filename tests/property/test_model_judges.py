"""Whatever a model replies within its schema, the judgement keeps its promises."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.core.profiles import DEPTHS, depth_for
from assay.core.tape import SystemClock
from assay.errors import ProviderUnreachable
from assay.judging.asking import combined
from assay.judging.decide import Thresholds, quality_of, triage_of
from assay.judging.judge import JudgePipeline
from assay.judging.light import BalancedModel, Band
from assay.judging.thorough import ThoroughModel
from assay.models.structured import StructuredModel
from assay.testing.fakes import ScriptedJudge, ScriptedModel
from assay.types import (
    Action,
    Aspect,
    Evidence,
    Hit,
    Judgement,
    Message,
    ModelReply,
    ModelRequest,
    Passage,
    Question,
    Status,
    Triage,
)
from assay.understanding.model import ModelUnderstander, added, lost
from assay.understanding.rules import RulesUnderstander, understood

SHARE = st.floats(0, 1)
TEXT = st.text(max_size=30)
VERDICTS = st.sampled_from(["yes", "partial", "no"])
AT = st.builds(
    lambda one, two: Thresholds(correct=max(one, two), incorrect=min(one, two)), st.floats(0.01, 1), SHARE
)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """A question with up to three aspects."""
    aspects = draw(st.lists(TEXT, max_size=3, unique=True))
    return Question("q", draw(TEXT), aspects=tuple(aspects), unclear=draw(st.none() | TEXT))


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    """One to four short passages."""
    texts = draw(st.lists(TEXT, min_size=1, max_size=4))
    return Evidence(tuple(Hit(Passage(f"p{n}", "d", "", 0, len(text), text), 1.0) for n, text in enumerate(texts)))


def kept(judged: Judgement, at: Thresholds, ids: frozenset[str]) -> None:
    """What holds of every judgement."""
    assert judged.sufficiency is not None
    assert 0 <= judged.sufficiency <= 1
    assert judged.triage is triage_of(judged.sufficiency, at)
    assert judged.quality == quality_of(judged.sufficiency, at)
    assert (judged.recommendation is Action.ANSWER) == (judged.triage is Triage.CORRECT)
    assert all(set(each.passage_ids) <= ids for each in judged.aspects)
    assert set(judged.relevance) <= ids
    assert not judged.calibrated


@given(
    questions(), evidence(), SHARE | st.none(), VERDICTS, TEXT, TEXT, AT, st.lists(TEXT, max_size=3, unique=True)
)
def test_a_light_reply_never_breaks_a_judgement(
    question: Question,
    found: Evidence,
    fast: float | None,
    verdict: str,
    reason: str,
    missing: str,
    at: Thresholds,
    aspects: list[str],
) -> None:
    parts = tuple(Aspect(each, "covered", ("p0",)) for each in aspects)
    inner = Judgement(fast, Action.REFINE, "as scripted", aspects=parts, mode_used="fast")
    said = {"reason": reason, "verdict": verdict, "missing": missing}
    # The same for every call that tests it.
    model = StructuredModel(ScriptedModel(*[said] * 20))
    light = JudgePipeline(ScriptedJudge({found.ids: inner}), SystemClock(), BalancedModel(model, at, Band(0, 1)))
    judged = asyncio.run(light.measure(question, found))
    if judged.mode_used != "balanced":
        assert verdict != "yes"  # a verdict that names nothing missing is refused, twice
        assert judged.sufficiency == fast
        assert judged.checks[0].status is Status.UNKNOWN
        return
    kept(judged, at, found.ids)
    assert verdict != "no" or judged.recommendation is not Action.ANSWER
    assert verdict == "yes" or judged.missing


@dataclass
class DrawnModel(ScriptedModel):
    """Says what is scripted first, then any reply that fits what it is asked: over fewer passages, perhaps."""

    data: st.DataObject
    first: dict[str, Any]

    def __post_init__(self) -> None:
        super().__init__(self.first)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply."""
        if self.requests:
            passages, parts = (len(request.given[name]) for name in ("passages", "parts"))
            self._replies.append(self.data.draw(_thorough_replies(passages, parts)))
        return await super().complete(request)


@given(questions(), evidence(), AT, st.data())
def test_a_thorough_reply_never_breaks_a_judgement(
    question: Question, found: Evidence, at: Thresholds, data: st.DataObject
) -> None:
    passages, parts = len(found.hits), max(1, len(question.aspects))
    said = data.draw(_thorough_replies(passages, parts))
    asked = ThoroughModel(StructuredModel(DrawnModel(data, said)), at)
    thorough = JudgePipeline(ScriptedJudge({}), SystemClock(), thorough=asked)
    judged = asyncio.run(thorough.measure(question, found))
    kept(judged, at, found.ids)
    assert judged.mode_used == "thorough"
    assert set(judged.relevance) == found.ids or judged.issues
    assert len(judged.aspects) == parts
    if said["recommendation"] != "ANSWER":
        assert judged.recommendation is not Action.ANSWER
    if not any(part["state"] == "covered" for part in said["parts"]):
        assert judged.sufficiency is not None
        assert judged.sufficiency <= 0.5


def _thorough_replies(passages: int, parts: int) -> st.SearchStrategy[dict[str, Any]]:
    """Any reply within the schema."""
    numbers = st.lists(st.integers(1, passages), min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {
            "passages": st.tuples(
                *(st.fixed_dictionaries({"number": st.just(n), "relevance": SHARE}) for n in range(1, passages + 1))
            ).map(list),
            "parts": st.tuples(
                *(
                    st.fixed_dictionaries(
                        {
                            "number": st.just(n),
                            "state": st.sampled_from(["covered", "partial", "missing", "conflicting"]),
                            "passages": numbers,
                        }
                    )
                    for n in range(1, parts + 1)
                )
            ).map(list),
            "issues": st.lists(TEXT, max_size=8),
            "missing": st.lists(TEXT, max_size=8),
            "reason": TEXT,
            "recommendation": st.sampled_from(["ANSWER", "REFINE", "EXTERNAL", "CLARIFY"]),
        }
    )


@given(evidence(), SHARE, st.text(max_size=2000))
def test_any_text_instead_of_a_reply_leaves_the_fast_judgement(found: Evidence, fast: float, text: str) -> None:
    inner = Judgement(fast, Action.REFINE, "as scripted", mode_used="fast")
    below = ScriptedJudge({found.ids: inner})
    light = BalancedModel(StructuredModel(ScriptedModel(text, text)), band=Band(0, 1))
    thorough = ThoroughModel(StructuredModel(ScriptedModel(text, text)))
    for asked in ({"balanced": light}, {"thorough": thorough}):
        judge = JudgePipeline(below, SystemClock(), **asked)
        judged = asyncio.run(judge.measure(Question("q", "q"), found))
        assert (judged.sufficiency, judged.recommendation) == (fast, Action.REFINE)
        assert judged.checks[0].status is Status.UNKNOWN


@given(SHARE, SHARE, VERDICTS, st.floats(0.01, 1))
def test_more_evidence_never_lowers_what_a_verdict_makes_of_it(
    one: float, two: float, verdict: str, correct: float
) -> None:
    low, high = sorted((one, two))
    assert combined(low, verdict, correct) <= combined(high, verdict, correct) + 1e-12  # type: ignore[arg-type]
    assert combined(low, "no", correct) <= combined(low, "partial", correct) <= low + 1e-12
    assert combined(low, "yes", correct) >= low - 1e-12


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=80), st.booleans())
def test_a_model_never_breaks_the_understanding(earlier: str, asked: str, said: str, resolved: bool) -> None:
    history = (Message("user", earlier), Message("assistant", "Yes."))
    rules = understood(asked, history)
    reply = {"standalone": said, "resolved": resolved}
    model = StructuredModel(ScriptedModel(reply, reply))
    question = asyncio.run(ModelUnderstander(model, RulesUnderstander()).understand(asked, history))
    assert (question.text, question.history) == (asked, history)
    if question.standalone != rules.standalone:
        assert lost(asked, question.standalone) is None
        assert added(rules, question.standalone) is None
        assert question.unclear is None


@given(st.sampled_from(["it", "there", "the second one"]), st.sampled_from(["Acme", "Rome"]))
def test_a_failing_condenser_leaves_the_rules(word: str, name: str) -> None:
    history = (Message("assistant", f"Ask me about {name}."),)
    asked = f"When was {word} founded?"
    failing = ScriptedModel(ProviderUnreachable("no connection", hint="try later"))
    question = asyncio.run(ModelUnderstander(failing, RulesUnderstander()).understand(asked, history))
    rules = understood(asked, history)
    assert question.standalone == rules.standalone
    assert bool(question.notes) == bool(failing.requests)


@given(st.text(max_size=200), st.sampled_from(list(DEPTHS)), SHARE, st.booleans())
def test_a_depth_is_always_chosen_and_explained(text: str, importance: Any, load: float, model: bool) -> None:
    depth = depth_for(text, importance=importance, load=load, model_available=model)
    assert depth.reason
    assert model or depth.profile == "fast"
