"""The balanced level: one short question to a model where the fast judge errs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from assay.core.stages import LLM
from assay.judging.apart import ApartVerdict, nothing_shown
from assay.judging.asking import (
    DATA_RULE,
    LIKELIHOODS,
    SENTENCE,
    Shown,
    Verdict,
    combined,
    said,
    shown,
)
from assay.judging.decide import Thresholds, quality_of, recommend, triage_of
from assay.prompting import FenceSource, random_fence
from assay.types import Action, Aspect, Evidence, Judgement, ModelRequest, PromptMessage, Question, Triage

# When a model is asked beside the fast judge: in the band where it errs, and for a sampled share outside it.


@dataclass(frozen=True, slots=True)
class Band:
    """The sufficiencies from `low` to `high`, both included, each 0 to 1, in which the fast judge errs.

    >>> 0.5 in Band(0.4, 0.9), 0.95 in Band(0.4, 0.9)
    (True, False)
    """

    low: float
    high: float

    def __contains__(self, sufficiency: float) -> bool:
        """Whether the sufficiency lies in the band."""
        return self.low <= sufficiency <= self.high


@lru_cache(maxsize=1)
def learned_band() -> Band:
    """The shipped band, made by benchmarks/judge/band.py; its provenance stands in the file."""
    table = json.loads((files("assay.judging") / "band.json").read_text(encoding="utf-8"))
    return Band(table["low"], table["high"])


def sampled(question: str, share: float) -> bool:
    """Whether the question belongs to the sampled share, 0 to 1: by its hash, so that a replay agrees.

    >>> sampled("Who founded Rome?", 0.0), sampled("Who founded Rome?", 1.0)
    (False, True)
    """
    drawn = int.from_bytes(hashlib.sha256(question.encode(errors="surrogatepass")).digest()[:8])
    return drawn < share * 2**64


# Nothing in it changes from question to question, so that providers can cache it.
PROMPT = f"""You check whether passages hold the answer to a question. You do not answer it.
{DATA_RULE}
Judge by the passages alone, not by what you know. Be strict.
verdict:
- "yes": the passages state everything that the question asks, every numbered part of it.
- "partial": they state some of it.
- "no": they do not state it, even where they speak of the same things.
Reply with one JSON object and nothing else:
{{"reason": one short sentence, "verdict": "yes" or "partial" or "no", \
"missing": what the passages do not state, in the question's words; "" for yes}}"""
# Tokens of a reply: a sentence, a word, a phrase.
REPLY_TOKENS = 300
_NOTHING = re.compile(r"\W*+(?:(?:no(?:ne|thing)?|n/?a|null|nil)(?: is)?(?: missing)?\W*+)?", re.IGNORECASE)


def _phrase(value: object) -> object:
    """A phrase on one line; the words for nothing are none."""
    if not isinstance(value, str):
        return value
    return "" if _NOTHING.fullmatch(value) else said(value)


class LightReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, BeforeValidator(_phrase)] = Field(
        description="one short sentence", json_schema_extra=SENTENCE
    )
    verdict: Verdict = Field(description="whether the passages state what the question asks")
    missing: Annotated[str, BeforeValidator(_phrase)] = Field(
        description="what the passages do not state; empty for yes", json_schema_extra=SENTENCE
    )

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.verdict != "yes" and not self.missing:
            raise ValueError(f'with the verdict "{self.verdict}", missing must say what the passages do not state')
        return self

    @property
    def strict(self) -> Verdict:
        """The verdict, where a "yes" that names something missing counts as "partial"."""
        return "partial" if self.verdict == "yes" and self.missing else self.verdict


@dataclass(frozen=True, slots=True)
class BalancedModel:
    """A model asked one short question where the sufficiency lies in `band`, or nothing could be measured.

    Outside the band the model is asked for a `sample` of the questions, chosen by their hash. Nothing is asked of
    no passages, or of a question that cannot be understood. A verdict that suffices is tested by a further call
    (`ApartVerdict`). `room` is how many tokens of passages the model sees.
    """

    llm: LLM
    thresholds: Thresholds = field(default_factory=Thresholds)
    band: Band = field(default_factory=learned_band)
    sample: float = 0.05
    room: int = 3000
    fence: FenceSource = random_fence

    async def judge(self, question: Question, evidence: Evidence, fast: Judgement) -> Judgement:
        """The fast judgement combined with the model's verdict; raises ProviderError and BudgetSpent."""

        async def ask(some: Evidence, asked: Question) -> Judgement:
            view = shown(question, some, self.room, self.fence, asked)
            return weighed(question, len(some.hits), fast, await self._ask(view), view, self.thresholds)

        lowest = combined(fast.sufficiency, "no", self.thresholds.correct)
        nothing = replace(
            nothing_shown(question, evidence, lowest, self.thresholds),
            relevance=fast.relevance,
            signals=fast.signals,
            mode_used=_mode(fast),
        )
        return await ApartVerdict(ask, nothing, self.thresholds.correct, self.fence).of(question, evidence)

    def spared(self, question: Question, evidence: Evidence, fast: Judgement) -> str | None:
        """Why the model is not asked; None where it is."""
        if not evidence.hits:
            return "there are no passages"
        if fast.recommendation is Action.CLARIFY:
            return "the question is not clear"
        if fast.sufficiency is None or fast.sufficiency in self.band or sampled(question.standalone, self.sample):
            return None
        return "fast is sure"

    async def _ask(self, view: Shown) -> LightReply:
        """The model's reply; raises ProviderError and BudgetSpent."""
        request = ModelRequest(
            role="judge",
            messages=(PromptMessage("system", PROMPT), PromptMessage("user", view.text)),
            schema=LightReply,
            max_tokens=REPLY_TOKENS,
            temperature=0.0,
        )
        parsed = (await self.llm.complete(request)).parsed
        assert isinstance(parsed, LightReply)  # noqa: S101 - the LLM validates, or raises
        return parsed


def weighed(
    question: Question, passages: int, fast: Judgement, reply: LightReply, view: Shown, at: Thresholds
) -> Judgement:
    """The fast judgement with the model's reply: sufficiency combined, everything else decided anew from it."""
    verdict = reply.strict
    sufficiency = combined(fast.sufficiency, verdict, at.correct)
    triage = triage_of(sufficiency, at)
    aspects = _aspects(fast.aspects, triage, verdict, reply.missing)
    recommended = recommend(triage, aspects, passages, question.unclear)
    enough = verdict == "yes" and triage is Triage.CORRECT
    unnamed = (reply.missing,) if reply.missing else ()
    measured = {} if fast.sufficiency is None else {"fast": fast.sufficiency}
    return replace(
        fast,
        sufficiency=sufficiency,
        recommendation=recommended.action,
        reason=f"{recommended.reason} (the model says {verdict}: {reply.reason or 'no reason given'})",
        quality=quality_of(sufficiency, at),
        triage=triage,
        aspects=aspects,
        missing=() if enough else tuple(dict.fromkeys((*unnamed, *fast.missing))),
        issues=(*fast.issues, *view.unseen, *_disagreement(fast, verdict, at)),
        signals={**fast.signals, **measured, "model_likelihood": LIKELIHOODS[verdict]},
        mode_used=_mode(fast),
        calibrated=False,
    )


def _mode(fast: Judgement) -> str:
    """Balanced, with what the fast judge could not measure."""
    return "balanced" + fast.mode_used.removeprefix("fast") if fast.mode_used.startswith("fast") else "balanced"


def _disagreement(fast: Judgement, verdict: Verdict, at: Thresholds) -> tuple[str, ...]:
    """An issue where the model says the contrary of what was measured."""
    measured = triage_of(fast.sufficiency, at)
    if (measured, verdict) not in {(Triage.CORRECT, "no"), (Triage.INCORRECT, "yes")}:
        return ()
    return (f"the model says {verdict}, and the fast judge measured {fast.sufficiency:.2f}",)


def _aspects(
    aspects: Sequence[Aspect], triage: Triage | None, verdict: Verdict, missing: str
) -> tuple[Aspect, ...]:
    """The aspects' states: of a lone one by verdict and triage, the worse; of several, those named are missing."""
    if len(aspects) == 1:
        return (_lone(aspects[0], triage, verdict),)
    if verdict == "yes":
        return tuple(replace(each, state="covered") for each in aspects)
    return tuple(_of_several(each, verdict, missing) for each in aspects)


def _lone(aspect: Aspect, triage: Triage | None, verdict: Verdict) -> Aspect:
    if verdict == "no" or triage is Triage.INCORRECT:
        return replace(aspect, state="missing", passage_ids=())
    return replace(aspect, state="covered" if verdict == "yes" and triage is Triage.CORRECT else "partial")


def _of_several(aspect: Aspect, verdict: Verdict, missing: str) -> Aspect:
    if aspect.text.casefold() in missing.casefold():
        return replace(aspect, state="missing", passage_ids=())
    return replace(aspect, state="partial") if verdict == "no" and aspect.state == "covered" else aspect
