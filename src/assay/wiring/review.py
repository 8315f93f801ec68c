"""The parts that look at answers as a whole: the output rules of the settings, and the assessor."""

from __future__ import annotations

from dataclasses import dataclass

from assay.assessment.deterministic import DeterministicAssessor, TimedAssessor
from assay.assessment.model import ModelAssessor
from assay.assessment.rubrics import rubrics_in
from assay.assessment.scoring import ALL_CRITERIA, RubricAdviser, chosen
from assay.core.budget import Timing, untimed
from assay.core.profiles import QualityThreshold
from assay.core.stages import LLM, Assessor, Judge, Retriever, Understander
from assay.errors import UsageError
from assay.prompting import FenceSource
from assay.rules.loader import load_rules
from assay.rules.output_rules import OutputRules
from assay.rules.rule import PREFIX, RuleSet
from assay.settings import Settings
from assay.types import Action
from assay.verification.verifier import CHECKS


def open_rules(settings: Settings) -> RuleSet:
    """The rules that the settings name. Raises RuleFileError; UsageError where `skip` names no check."""
    rules = load_rules(settings.rules)
    known = {*CHECKS, *(rule.check for rule in rules.rules)}
    wrong = next((name for name in settings.skip if name not in known), None)
    if wrong is not None:
        raise UsageError(
            f"{settings.display_name('skip')}: there is no check {wrong!r}",
            hint=f"the checks are {', '.join(sorted(known))}",
        )
    return rules


def output_rules(
    rules: RuleSet, settings: Settings, on: AnswerableByCollection | None = None, timing: Timing = untimed
) -> OutputRules:
    """The rules at work, without those that are switched off."""
    off = frozenset(name.removeprefix(PREFIX) for name in settings.skip if name.startswith(PREFIX))
    return OutputRules(rules, on, off, timing)


def assessor(settings: Settings, model: LLM | None, room: int, fence: FenceSource, timing: Timing) -> Assessor:
    """The assessor, timed: the model, shown `room` tokens of passages, rules where there is none.

    Raises UsageError for rubrics in the data folder that were changed since it was pinned.
    """
    threshold, rubrics = QualityThreshold(settings.quality, settings.floor), rubrics_in(settings.data_dir)
    criteria = chosen(settings.criteria or ALL_CRITERIA)
    inner: Assessor = DeterministicAssessor(criteria, threshold, rubrics)
    if model is not None:
        inner = ModelAssessor(model, criteria, threshold, rubrics, room, fence)
    return TimedAssessor(inner, timing)


def adviser(settings: Settings) -> RubricAdviser:
    """The adviser on weak answers, by the rubrics of the data folder. Raises as `assessor`."""
    return RubricAdviser(rubrics_in(settings.data_dir))


@dataclass(frozen=True, slots=True)
class AnswerableByCollection:
    """Tells if the collection answers a question, by one search and a judge."""

    understander: Understander
    retriever: Retriever
    judge: Judge

    async def __call__(self, text: str) -> bool:
        """True if what one search finds suffices."""
        question = await self.understander.understand(text, ())
        evidence = await self.retriever.retrieve((question.standalone,))
        judgement = await self.judge.judge(question, evidence.readable)
        return judgement.recommendation is Action.ANSWER
