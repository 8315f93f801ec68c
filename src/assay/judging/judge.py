"""The story of a judgement: measure, ask a model, read for gaps and conflicts by rules, time it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from assay.core.stages import Checker, Clock, Judge, Reader
from assay.errors import AssayError, BudgetSpent, DeadlinePassed, Diverged, ProviderError
from assay.judging.ambiguity import AmbiguityModel, load_ambiguity_model, with_ambiguity
from assay.judging.contradictions import confirmed, contradictions, read_contradictions, with_contradictions
from assay.judging.light import BalancedModel
from assay.judging.model_verdict import clean_model_sentence, with_note, without_deeper_verdict
from assay.judging.recommendation import recommend
from assay.judging.thorough import ThoroughModel
from assay.types import Action, Contradiction, Evidence, Judgement, Question

# Characters of passages that rules read in a few milliseconds (measured); more are read beside the event loop.
_SHORT_EVIDENCE = 4000


@dataclass(frozen=True, slots=True)
class JudgePipeline:
    """One judge of evidence; `judge` lists its steps in their order.

    `fast` measures without a model. `balanced` and `thorough` ask one, where given; the deeper of them comes first,
    and where it fails the next one judges. How long it took is shown; the deadline of the question ends it in time.
    Fewer than `least_passages` never suffice. Passages that `are_given` by a caller are none that the judge was
    fitted on: what it says of them is not calibrated. A `checker` confirms contradictions that rules find, and
    with a `reader` it finds others. Unless it `asks_back`, a question that leaves open what it refers to is judged
    as any other.
    """

    fast: Judge
    clock: Clock
    balanced: BalancedModel | None = None
    thorough: ThoroughModel | None = None
    ambiguity: AmbiguityModel = field(default_factory=load_ambiguity_model)
    least_passages: int = 1
    are_given: bool = False
    checker: Checker | None = None
    reader: Reader | None = None
    asks_back: bool = True

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """Judge the evidence; raises what `fast` raises, and DeadlinePassed."""
        started = self.clock.monotonic()
        asked = question if self.asks_back else replace(question, unclear=None)
        measured = await self.measure(asked, evidence)
        judgement = await self._read_by_rules(question, evidence, measured)
        if not self.asks_back:
            judgement = replace(judgement, recommendation=measured.recommendation, reason=measured.reason)
        if self.are_given:
            judgement = replace(judgement, calibrated=False, mode_used=f"{judgement.mode_used}, passages given")
        judgement = _with_least(judgement, len(evidence.hits), self.least_passages)
        return replace(judgement, ms=(self.clock.monotonic() - started) * 1000.0)

    async def measure(self, question: Question, evidence: Evidence) -> Judgement:
        """Judge at the deepest level that can be reached: thorough, balanced, fast.

        Raises what `fast` raises, and DeadlinePassed.
        """
        if self.thorough is None or not evidence.hits:
            return await self._balanced(question, evidence)
        try:
            return await self.thorough.judge(question, evidence)
        except DeadlinePassed:
            raise
        except (ProviderError, BudgetSpent) as error:
            return without_deeper_verdict(await self._balanced(question, evidence), "thorough", error)

    async def _balanced(self, question: Question, evidence: Evidence) -> Judgement:
        """The fast judgement, and the model's verdict on top where the fast one may be wrong."""
        fast = await self.fast.judge(question, evidence)
        if self.balanced is None:
            return fast
        if spared := self.balanced.spared(question, evidence, fast):
            return replace(fast, mode_used=with_note(fast.mode_used, f"balanced: {spared}"))
        try:
            return await self.balanced.judge(question, evidence, fast)
        except DeadlinePassed:
            raise
        except (ProviderError, BudgetSpent) as error:
            return without_deeper_verdict(fast, "balanced", error)

    async def _read_by_rules(self, question: Question, evidence: Evidence, judgement: Judgement) -> Judgement:
        """The judgement with how unclear the question is, then with what the passages disagree on.

        Contradictions come second: readings of a thing that the question does not name are a reason to ask back.
        """

        def read() -> tuple[Judgement, tuple[Contradiction, ...]]:
            unclear = with_ambiguity(question, evidence, judgement, self.ambiguity)
            return unclear, contradictions(question, evidence)

        is_short = sum(len(passage.text) for passage in evidence.passages) <= _SHORT_EVIDENCE
        unclear, found = read() if is_short else await asyncio.to_thread(read)
        if self.checker is not None:
            found = await confirmed(question, evidence, found, self.checker, self.reader)
            if not found and self.reader is not None:
                found = await read_contradictions(question, evidence, self.reader, self.checker)
        return with_contradictions(question, evidence, unclear, found)


@dataclass(frozen=True, slots=True)
class NoJudge:
    """Answer from whatever was found; nothing is measured, but by a `shadow` for the record."""

    shadow: Judge | None = None

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """ANSWER where there are passages, for what is written is tested all the same; raises Diverged."""
        nothing = recommend(None, (), 0, None)
        judgement = Judgement(None, nothing.action, nothing.reason, mode_used="off")
        if evidence.hits:
            reason = "the evidence is not judged: the settings say so"
            judgement = replace(judgement, recommendation=Action.ANSWER, reason=reason)
        if self.shadow is None:
            return judgement
        return replace(judgement, shadow=await _shadow_judgement(self.shadow, question, evidence))


def _with_least(judgement: Judgement, count: int, least: int) -> Judgement:
    """The judgement of `count` passages, with REFINE in the place of ANSWER for fewer than the least."""
    if count >= least or judgement.recommendation is not Action.ANSWER:
        return judgement
    cause = f"only {count} passage{'s' * (count != 1)} (least: {least})"
    return replace(judgement, recommendation=Action.REFINE, reason=cause, issues=(*judgement.issues, cause))


async def _shadow_judgement(shadow: Judge, question: Question, evidence: Evidence) -> Judgement:
    """The judgement of the shadow, or the record that it failed; raises Diverged."""
    try:
        return await shadow.judge(question, evidence)
    except Diverged:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks in a shadow, the answer goes on without it
        return _failed(error)


def _failed(error: Exception) -> Judgement:
    """The record of a shadow that failed."""
    cause = clean_model_sentence(
        str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
    )
    return Judgement(
        sufficiency=None,
        recommendation=Action.ABSTAIN,
        reason="the shadow judge failed",
        issues=(f"the shadow judge failed: {cause}",),
        mode_used="none (failed)",
    )
