"""The thorough level: a model rates every passage and every part of the question in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from assay.core.stages import LLM
from assay.judging.model_verdict import DATA_RULE, SENTENCE, Shown, clean_model_sentence, shown, under
from assay.judging.recommendation import Thresholds, quality_of, recommend, triage_of
from assay.judging.separate_verdict import SeparateVerdict, all_withheld
from assay.prompting import FenceSource, random_fence
from assay.types import Action, Aspect, AspectState, Evidence, Judgement, ModelRequest, PromptMessage, Question

# Reconciling a reply with itself: if its parts contradict each other, the stricter one counts. Pure.


# A passage with less relevance covers nothing (chosen).
LOW = 0.5
# The value of each state of an aspect (chosen); conflicting passages are not an answer yet.
WORTH: Mapping[AspectState, float] = MappingProxyType(
    {"covered": 1.0, "partial": 0.5, "conflicting": 0.5, "missing": 0.0}
)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """A reconciled reply: aspects, sufficiency and coverage (0 to 1), and the contradictions found as issues."""

    aspects: tuple[Aspect, ...]
    sufficiency: float
    coverage: float
    issues: tuple[str, ...] = ()


def reconcile(
    aspects: Sequence[Aspect],
    relevance: Mapping[str, float],
    missing: Sequence[str],
    recommendation: Action,
    correct: float,
) -> Reconciled:
    """Resolve the contradictions of a reply and name them in `issues`; `aspects` must not be empty.

    1. An aspect that is covered and also named as missing is missing.
    2. An aspect that is covered by passages of relevance under `LOW` alone is partial.
    3. Sufficiency is not the model's to choose: it is the mean over the aspects of their `WORTH` times the
       relevance of the best passage that they name. So ANSWER over weak passages or missing aspects falls.
    4. Where the model does not recommend ANSWER and the rest of its reply says that all is there, sufficiency is
       held below `correct`, the threshold from which on evidence counts as enough.

    >>> covered = Aspect("the year", "covered", ("a",))
    >>> reconcile([covered], {"a": 0.9}, (), Action.ANSWER, 0.7).sufficiency
    0.9
    >>> reconcile([covered], {"a": 0.1}, (), Action.ANSWER, 0.7).aspects[0].state
    'partial'
    """
    issues: list[str] = []
    kept = tuple(_settle(aspect, relevance, missing, issues) for aspect in aspects)
    parts = [WORTH[aspect.state] * _best_relevance(aspect, relevance) for aspect in kept]
    sufficiency = sum(parts) / len(parts)
    if recommendation is Action.ANSWER and sufficiency < correct:
        issues.append("the model recommends ANSWER, though by its own account the passages do not suffice")
    if recommendation is not Action.ANSWER and sufficiency >= correct:
        issues.append(
            f"the model recommends {recommendation.value}, though by its own account the passages suffice"
        )
        sufficiency = under(correct, sufficiency)
    coverage = sum(WORTH[aspect.state] for aspect in kept) / len(kept)
    return Reconciled(kept, sufficiency, coverage, tuple(issues))


def _settle(aspect: Aspect, relevance: Mapping[str, float], missing: Sequence[str], issues: list[str]) -> Aspect:
    """The aspect in the state that the rest of the reply allows; adds an issue if that differs."""
    if aspect.state == "missing":
        return replace(aspect, passage_ids=())
    if aspect.text.casefold() in (part.casefold() for part in missing):
        issues.append(f'the model calls "{aspect.text}" {aspect.state} and names it as missing')
        return replace(aspect, state="missing", passage_ids=())
    if aspect.state == "covered" and _best_relevance(aspect, relevance) < LOW:
        issues.append(f'the model calls "{aspect.text}" covered, by passages of low relevance alone')
        return replace(aspect, state="partial")
    return aspect


def _best_relevance(aspect: Aspect, relevance: Mapping[str, float]) -> float:
    """The relevance of the best passage named by the aspect; 0 without one."""
    return max((relevance.get(passage_id, 0.0) for passage_id in aspect.passage_ids), default=0.0)


# Constant, so that providers can cache it.
PROMPT = f"""You judge whether passages suffice to answer a question. You do not answer it.
{DATA_RULE}
Judge by the passages alone, not by what you know. Be strict.
Reply with one JSON object and nothing else:
- "passages": for every passage {{"number": its number, "relevance": 0.0 to 1.0}}; 0 says nothing on the question, \
0.5 speaks of the same things, 1 states what is asked.
- "parts": for every numbered part of the question {{"number": its number, "state": "covered" where passages state \
it, "partial" where they state some of it, "conflicting" where they contradict one another on it, or "missing", \
"passages": the numbers of the passages that state it, none where it is missing}}.
- "issues": what is wrong with the passages, such as old, vague or contradictory ones; short phrases, at most five.
- "missing": what the passages do not state though the question asks it; short phrases, at most five.
- "reason": one short sentence.
- "recommendation": "ANSWER" where the passages suffice, "REFINE" where another search may find the rest, \
"EXTERNAL" where they do not bear on the question, "CLARIFY" where the question can be read in several ways."""
# Tokens of a reply: for its sentences, and for the line of a passage or part (chosen).
_SENTENCE_TOKENS, _LINE_TOKENS = 500, 30
# At most this many issues and missing things are kept (chosen).
_MOST = 5
_Phrase = Annotated[str, Field(json_schema_extra=SENTENCE)]


class _RatedPassage(BaseModel):
    """The relevance of one passage."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(description="the passage's number")
    relevance: float = Field(ge=0.0, le=1.0, allow_inf_nan=False)


class _Part(BaseModel):
    """One part of the question, and the passages that state it."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(description="the part's number")
    state: AspectState
    passages: list[int] = Field(description="numbers of the passages that state it")

    @model_validator(mode="after")
    def _shown_by(self, info: ValidationInfo) -> Self:
        unknown = sorted(set(self.passages) - _numbers(info, "passages"))
        if unknown:
            raise ValueError(f"there are no passages of the numbers {unknown}")
        if self.state != "missing" and not self.passages:
            raise ValueError(f'a part that is "{self.state}" must name the passages that state it')
        return self


class ThoroughReply(BaseModel):
    """The model's reply: every given passage and part exactly once, and no other."""

    model_config = ConfigDict(extra="forbid")

    passages: list[_RatedPassage]
    parts: list[_Part]
    issues: list[_Phrase] = Field(json_schema_extra={"maxItems": _MOST})
    missing: list[_Phrase] = Field(json_schema_extra={"maxItems": _MOST})
    reason: str = Field(description="one short sentence", json_schema_extra=SENTENCE)
    recommendation: Literal["ANSWER", "REFINE", "EXTERNAL", "CLARIFY"]

    @field_validator("passages", "parts", mode="after")
    @classmethod
    def _each_once(
        cls, value: list[_RatedPassage] | list[_Part], info: ValidationInfo
    ) -> list[_RatedPassage] | list[_Part]:
        given = sorted(_numbers(info, str(info.field_name)))
        if sorted(part.number for part in value) != given:
            raise ValueError(f"give each of the numbers {given} once, and no other")
        return value


def _numbers(info: ValidationInfo, name: str) -> frozenset[int]:
    """The given numbers; empty without them, so that an untestable reply fails."""
    return frozenset((info.context or {}).get(name, ()))


@dataclass(frozen=True, slots=True)
class ThoroughModel:
    """Rate every passage and part in one call of a model; sufficient verdicts are tested by more calls.

    `room` is how many tokens of passages the model sees.
    """

    llm: LLM
    thresholds: Thresholds = field(default_factory=Thresholds)
    room: int = 6000
    fence: FenceSource = random_fence

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """Judge at least one passage; raises ProviderError and BudgetSpent."""

        async def ask(some: Evidence, asked: Question) -> Judgement:
            view = shown(question, some, self.room, self.fence, asked)
            return judge_reply(asked, len(some.hits), await self._ask(view), view, self.thresholds)

        nothing = replace(all_withheld(question, evidence, 0.0, self.thresholds), mode_used="thorough")
        return await SeparateVerdict(ask, nothing, self.thresholds.correct, self.fence).of(question, evidence)

    async def _ask(self, view: Shown) -> ThoroughReply:
        """The model's reply; raises ProviderError and BudgetSpent."""
        passages, parts = len(view.packed.passages), len(view.parts)
        request = ModelRequest(
            role="judge",
            messages=(PromptMessage("system", PROMPT), PromptMessage("user", view.text)),
            schema=ThoroughReply,
            given={"passages": list(range(1, passages + 1)), "parts": list(range(1, parts + 1))},
            list_sizes={
                "passages": (passages, passages),
                "parts": (parts, parts),
                f"{_Part.__name__}.passages": (0, passages),
            },
            max_tokens=_SENTENCE_TOKENS + _LINE_TOKENS * (passages + parts),
            temperature=0.0,
        )
        parsed = (await self.llm.complete(request)).parsed
        assert isinstance(parsed, ThoroughReply)  # noqa: S101 - the LLM validates, or raises
        return parsed


def judge_reply(question: Question, passages: int, reply: ThoroughReply, view: Shown, at: Thresholds) -> Judgement:
    """The judgement of a reply: reconciled, then decided by the common rules."""
    relevance = {view.packed.ids[passage.number - 1]: passage.relevance for passage in reply.passages}
    missing, recommendation = _distinct_phrases(reply.missing), Action(reply.recommendation)
    found = reconcile(_aspects(reply, view), relevance, missing, recommendation, at.correct)
    triage = triage_of(found.sufficiency, at)
    clarify = recommendation is Action.CLARIFY
    ambiguous = (clean_model_sentence(reply.reason) or "it can be read in several ways") if clarify else None
    recommended = recommend(triage, found.aspects, passages, question.unclear or ambiguous)
    return Judgement(
        sufficiency=found.sufficiency,
        recommendation=recommended.action,
        reason=f"{recommended.reason} (the model says: {clean_model_sentence(reply.reason) or 'no reason given'})",
        quality=quality_of(found.sufficiency, at),
        triage=triage,
        coverage=found.coverage,
        relevance=relevance,
        aspects=found.aspects,
        missing=_missing(found, missing),
        issues=(*_distinct_phrases(reply.issues), *view.unseen, *found.issues),
        signals={"coverage": found.coverage, "relevance_best": max(relevance.values())},
        mode_used="thorough",
    )


def _aspects(reply: ThoroughReply, view: Shown) -> tuple[Aspect, ...]:
    """The parts as aspects, in the question's order, with the ids of their passages."""
    ids = view.packed.ids
    return tuple(
        Aspect(view.parts[part.number - 1], part.state, tuple(dict.fromkeys(ids[n - 1] for n in part.passages)))
        for part in sorted(reply.parts, key=lambda part: part.number)
    )


def _missing(found: Reconciled, named: Sequence[str]) -> tuple[str, ...]:
    """The missing aspects, then other things that the model names."""
    aspects = (aspect.text for aspect in found.aspects if aspect.state == "missing")
    return tuple(dict.fromkeys((*aspects, *named)))


def _distinct_phrases(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first distinct phrases, each on one line."""
    return tuple(dict.fromkeys(phrase for phrase in map(clean_model_sentence, phrases) if phrase))[:_MOST]
