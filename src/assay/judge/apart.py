"""A model's verdict that a passage cannot talk up: passages that address their reader are judged apart.

A passage in which the quarantine masked something is suspect: the verdict is taken without it and with it, and the
lower holds. A passage that merely addresses its reader is common in manuals. Where one is shown and the verdict is
that the evidence suffices, the model is asked a made-up question too, over the very same passages. A model that finds
that one answered as well follows what it reads; its verdict then counts only without those passages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError
from assay.judge.asking import said
from assay.judge.decide import Thresholds, quality_of, recommend, triage_of
from assay.prompting.fences import FenceSource
from assay.text.orders import speaks_to_reader
from assay.text.sentences import sentences
from assay.types import Aspect, Evidence, Hit, Judgement, Question

# Asks the model whether what is shown of the evidence answers this question. Raises ProviderError and BudgetSpent.
Ask = Callable[[Evidence, Question], Awaitable[Judgement]]
# So many digits has the number of the made-up question: no document holds it but by an accident of 1 in 10^9.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class ApartVerdict:
    """Takes a model's verdict by `ask`, and again where passages address their reader.

    `nothing` is the verdict where no passage is left to be shown, `correct` the sufficiency (0 to 1) from which on
    evidence suffices. The number of the made-up question comes from `fence`, so that a replay asks the same.
    """

    ask: Ask
    nothing: Judgement
    correct: float
    fence: FenceSource

    async def of(self, question: Question, evidence: Evidence) -> Judgement:
        """The verdict that holds, with an issue where it was taken more than once.

        Raises ProviderError and BudgetSpent where a call failed that the verdict hangs on.
        """
        plain = tuple(hit for hit in evidence.hits if not hit.masked)
        found = await self._with_and_without(question, evidence, plain)
        quiet = tuple(hit for hit in plain if not addresses_reader(hit))
        if not self._suffices(found) or quiet == plain:
            return found
        # The verdict is at most the one over `plain`, so that one is tested.
        if not await self._follows(question, replace(evidence, hits=plain)):
            return found
        low = await self._over(question, evidence, quiet)
        if quiet and self._suffices(low) and await self._follows(question, replace(evidence, hits=quiet)):
            low = self.nothing
        why = f"finds a made-up question answered too: judged without {_counted(plain, quiet)} that address a reader"
        return _noted(_lower(low, found), f"the model {why}")

    async def _with_and_without(
        self, question: Question, evidence: Evidence, plain: Sequence[Hit]
    ) -> Judgement:
        """The verdict, the lower of two where something is masked; without it alone where the other call fails."""
        if len(plain) == len(evidence.hits):
            return await self.ask(evidence, question)
        low = await self._over(question, evidence, plain)
        why = f"{_counted(evidence.hits, plain)} read like an instruction to a model"
        if low.sufficiency == self.nothing.sufficiency:
            return _noted(low, f"{why}: judged without")
        try:
            whole = await self.ask(evidence, question)
        except DeadlinePassed:
            raise
        except (ProviderError, BudgetSpent) as error:
            return _noted(low, f"{why}: judged without alone, since {_cause(error)}")
        return _noted(_lower(low, whole), f"{why}: judged with and without, the lower verdict holds")

    async def _over(self, question: Question, evidence: Evidence, hits: Sequence[Hit]) -> Judgement:
        """The verdict over some of the hits; `nothing` over none."""
        return await self.ask(replace(evidence, hits=tuple(hits)), question) if hits else self.nothing

    async def _follows(self, question: Question, evidence: Evidence) -> bool:
        """Whether the model finds a question answered that no passage answers."""
        return self._suffices(await self.ask(evidence, made_up(question, self.fence)))

    def _suffices(self, judged: Judgement) -> bool:
        return judged.sufficiency is not None and judged.sufficiency >= self.correct


def made_up(question: Question, fence: FenceSource) -> Question:
    """A question of the same kind that no passage answers.

    >>> made_up(Question("Why?", "Why?"), lambda: "0" * 31 + "7").standalone
    'What is stated of the item with the number 000000007?'
    """
    asked = f"What is stated of the item with the number {int(fence(), 16) % 10**_DIGITS:0{_DIGITS}}?"
    return replace(question, text=asked, standalone=asked, history=(), aspects=(), unclear=None)


def addresses_reader(hit: Hit) -> bool:
    """Whether a sentence of the passage, or of its header in a prompt, speaks to its reader.

    >>> from assay.types import Passage
    >>> [addresses_reader(Hit(Passage("p", "d", "r", 0, len(text), text), 1.0)) for text in ("Rate it 1.", "1932.")]
    [True, False]
    """
    passage = hit.passage
    labels = (passage.title, passage.location.section or "", passage.header)
    stated = (text[span.start : span.end] for text in (passage.text, *labels) for span in sentences(text))
    return any(any(map(str.isalpha, each)) and speaks_to_reader(each) for each in stated)


def nothing_shown(question: Question, evidence: Evidence, sufficiency: float, at: Thresholds) -> Judgement:
    """The verdict where every passage is left out: all parts are missing, at this sufficiency under `at.correct`."""
    parts = question.aspects or (question.standalone,)
    aspects = tuple(Aspect(part, "missing") for part in parts)
    triage = triage_of(sufficiency, at)
    recommended = recommend(triage, aspects, len(evidence.hits), question.unclear)
    return Judgement(
        sufficiency=sufficiency,
        recommendation=recommended.action,
        reason=f"{recommended.reason} (every passage addresses its reader, and none of them counts)",
        quality=quality_of(sufficiency, at),
        triage=triage,
        coverage=0.0,
        aspects=aspects,
        missing=parts,
    )


def _lower(without: Judgement, whole: Judgement) -> Judgement:
    """The lower of two verdicts; of two that are alike the one over all passages."""
    return without if (without.sufficiency or 0.0) < (whole.sufficiency or 0.0) else whole


def _noted(judged: Judgement, issue: str) -> Judgement:
    return replace(judged, issues=(*judged.issues, issue))


def _counted(hits: Sequence[Hit], kept: Sequence[Hit]) -> str:
    """How many were left out, of how many."""
    return f"{len(hits) - len(kept)} of {len(hits)} passages"


def _cause(error: AssayError) -> str:
    return said(str(error))
