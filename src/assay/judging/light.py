"""The balanced level: one short question to a model if the fast judge may be wrong."""

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
from assay.judging.model_verdict import (
    DATA_RULE,
    LIKELIHOODS,
    SENTENCE,
    Shown,
    Verdict,
    clean_model_sentence,
    shown,
    sufficiency_after,
)
from assay.judging.recommendation import Thresholds, quality_of, recommend, triage_of
from assay.judging.separate_verdict import SeparateVerdict, all_withheld
from assay.prompting import FenceSource, random_fence
from assay.types import Action, Aspect, Evidence, Judgement, ModelRequest, PromptMessage, Question, Triage

# A model is asked in the band where the fast judge errs, and for a sample outside it.


@dataclass(frozen=True, slots=True)
class Band:
    """The range of sufficiency, `low` to `high` inclusive, 0 to 1, in which the fast judge errs.

    >>> 0.5 in Band(0.4, 0.9), 0.95 in Band(0.4, 0.9)
    (True, False)
    """

    low: float
    high: float

    def __contains__(self, sufficiency: float) -> bool:
        """True if the sufficiency is in the band."""
        return self.low <= sufficiency <= self.high


@lru_cache(maxsize=1)
def learned_band() -> Band:
    """The shipped band, made by benchmarks/judge/band.py; the file records its provenance."""
    table = json.loads((files("assay.judging") / "band.json").read_text(encoding="utf-8"))
    return Band(table["low"], table["high"])


def is_sampled(question: str, share: float) -> bool:
    """True if the question is in the sampled share, 0 to 1: by its hash, so that a replay agrees.

    >>> is_sampled("Who founded Rome?", 0.0), is_sampled("Who founded Rome?", 1.0)
    (False, True)
    """
    drawn = int.from_bytes(hashlib.sha256(question.encode(errors="surrogatepass")).digest()[:8])
    return drawn < share * 2**64


# Constant, so that providers can cache it.
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
    """A phrase on one line; "none" and the like become empty."""
    if not isinstance(value, str):
        return value
    return "" if _NOTHING.fullmatch(value) else clean_model_sentence(value)


class LightReply(BaseModel):
    """The model's reply."""

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
        """The verdict; a "yes" that names something missing counts as "partial"."""
        return "partial" if self.verdict == "yes" and self.missing else self.verdict


@dataclass(frozen=True, slots=True)
class BalancedModel:
    """One short question to a model if the sufficiency is in `band` or could not be measured.

    Outside the band the model is asked for a `sample` of the questions, chosen by their hash. Nothing is asked of
    no passages, or of a question that cannot be understood. A verdict that suffices is tested by a further call
    (`SeparateVerdict`). `room` is how many tokens of passages the model sees.
    """

    llm: LLM
    thresholds: Thresholds = field(default_factory=Thresholds)
    band: Band = field(default_factory=learned_band)
    sample: float = 0.05
    room: int = 3000
    fence: FenceSource = random_fence

    async def judge(self, question: Question, evidence: Evidence, fast: Judgement) -> Judgement:
        """Combine the fast judgement with the model's verdict; raises ProviderError and BudgetSpent."""

        async def ask(some: Evidence, asked: Question) -> Judgement:
            view = shown(question, some, self.room, self.fence, asked)
            return judge_reply(question, len(some.hits), fast, await self._ask(view), view, self.thresholds)

        lowest = sufficiency_after(fast.sufficiency, "no", self.thresholds.correct)
        nothing = replace(
            all_withheld(question, evidence, lowest, self.thresholds),
            relevance=fast.relevance,
            signals=fast.signals,
            mode_used=_mode(fast),
        )
        return await SeparateVerdict(ask, nothing, self.thresholds.correct, self.fence).of(question, evidence)

    def spared(self, question: Question, evidence: Evidence, fast: Judgement) -> str | None:
        """The reason not to ask the model; None if it is asked."""
        if not evidence.hits:
            return "there are no passages"
        if fast.recommendation is Action.CLARIFY:
            return "the question is not clear"
        if (
            fast.sufficiency is None
            or fast.sufficiency in self.band
            or is_sampled(question.standalone, self.sample)
        ):
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


def judge_reply(
    question: Question, passages: int, fast: Judgement, reply: LightReply, view: Shown, at: Thresholds
) -> Judgement:
    """The fast judgement with the model's reply: the sufficiency is combined, the rest follows from it."""
    verdict = reply.strict
    sufficiency = sufficiency_after(fast.sufficiency, verdict, at.correct)
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
    """The mode: balanced, with what the fast judge could not measure."""
    return "balanced" + fast.mode_used.removeprefix("fast") if fast.mode_used.startswith("fast") else "balanced"


def _disagreement(fast: Judgement, verdict: Verdict, at: Thresholds) -> tuple[str, ...]:
    """An issue if the model contradicts the measurement."""
    measured = triage_of(fast.sufficiency, at)
    if (measured, verdict) not in {(Triage.CORRECT, "no"), (Triage.INCORRECT, "yes")}:
        return ()
    return (f"the model says {verdict}, and the fast judge measured {fast.sufficiency:.2f}",)


def _aspects(
    aspects: Sequence[Aspect], triage: Triage | None, verdict: Verdict, missing: str
) -> tuple[Aspect, ...]:
    """The aspects' states: the worse of verdict and triage for one; of several, the named ones are missing."""
    if len(aspects) == 1:
        return (_single_state(aspects[0], triage, verdict),)
    if verdict == "yes":
        return tuple(replace(aspect, state="covered") for aspect in aspects)
    return tuple(_states_of_several(aspect, verdict, missing) for aspect in aspects)


def _single_state(aspect: Aspect, triage: Triage | None, verdict: Verdict) -> Aspect:
    if verdict == "no" or triage is Triage.INCORRECT:
        return replace(aspect, state="missing", passage_ids=())
    return replace(aspect, state="covered" if verdict == "yes" and triage is Triage.CORRECT else "partial")


def _states_of_several(aspect: Aspect, verdict: Verdict, missing: str) -> Aspect:
    if aspect.text.casefold() in missing.casefold():
        return replace(aspect, state="missing", passage_ids=())
    return replace(aspect, state="partial") if verdict == "no" and aspect.state == "covered" else aspect
