"""The calibration and the lessons that hold for a run, and what they let the run promise."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.assessment.rubrics import FILE_NAME, Rewording, RubricSet, shipped_rubrics, write
from assay.calibration.curves import SHIFTED, has_shifted
from assay.calibration.fit import Fit, MadeFor, Rung
from assay.calibration.risk_guarantee import STRICTEST, RiskGuarantee, best_guarantee, guarantee
from assay.calibration.shipped import shipped, weights_behind
from assay.core.run import Run
from assay.core.stages import ConfidenceEstimator
from assay.errors import StoreError, UsageError
from assay.models.run_model import RunModel
from assay.records.learning import LearningLog
from assay.records.run_records import RunRecords
from assay.records.values import SHIPPED
from assay.settings import Settings
from assay.types import ModelsUsed
from assay.verification.risk import CalibratedConfidence, LeastConfidence, Promised
from assay.wiring.models import open_models, tuning_of

# Why nothing is known of the collection's own calibration.
UNREAD = "the record of the latest questions cannot be read"


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The calibration of a collection when a run began: the fit is None for the one that ships.

    `doubt` says why it may not hold for the collection, "" where nothing speaks against it.
    """

    version: int = SHIPPED
    fit: Fit | None = None
    doubt: str = ""

    @property
    def about(self) -> Mapping[str, Any]:
        """The keys by which a replay finds it again."""
        return {"version": self.version, "doubt": self.doubt}


def calibrated_by(store: RunRecords | None, collection: str) -> Calibrated:
    """The collection's calibration now, and whether its latest questions are unlike those of the fit."""
    if store is None:
        return Calibrated()
    try:
        now = store.calibration_in_use(collection)
    except StoreError:  # whoever writes the record reports what is wrong with it; no answer fails for that
        return Calibrated(doubt=UNREAD)
    shifted = has_shifted(now.latest, (now.fit or shipped()["answers"]).reference)
    return Calibrated(now.version, now.fit, SHIFTED if shifted else "")


def calibrated_then(store: RunRecords, about: Mapping[str, Any]) -> Calibrated:
    """The calibration that a recorded run had."""
    then = about.get("calibration", Calibrated().about)
    return Calibrated(then["version"], store.fit(then["version"]), then["doubt"])


def confidence_estimator(
    run: Run, settings: Settings, embedding: str, used: ModelsUsed, *, foreign: bool = False
) -> ConfidenceEstimator:
    """The rater of a run, under what the parts of its answers come from; `foreign` passages assay did not find."""
    live = MadeFor(embedding, "", used.writer, used.verifier, weights_behind("answers"))
    cause = run.doubt
    if foreign:
        cause = "the calibration was fitted on passages that assay found"
    elif run.limits.rounds > 1:
        cause = "the calibration was fitted on answers after one search"
    if _is_other_reader(settings):
        cause = "another reader than the calibration was fitted for"
    if settings.reranker != "none":
        cause = "the calibration was fitted without a reranker"
    fit = run.calibration or shipped()["answers"]
    return CalibratedConfidence(LeastConfidence(), fit, live, cause, settings.answers_from)


def guarantee_of_answers(
    settings: Settings, run: Run, embedding: str, judge: str, used: ModelsUsed, *, foreign: bool = False
) -> RiskGuarantee | None:
    """The promise that holds for a run under `max_risk`, None where none is asked for.

    With the calibration that ships it is about the evidence: of the answers shown, at most so many rest on evidence
    that does not answer. With one of labelled answers it is about the answers. Raises UsageError where no promise
    can be made, with the best that can: none of `foreign` passages, which assay did not find.
    """
    if settings.max_risk is None:
        return None
    fit = run.calibration or shipped()["searched"]
    live = MadeFor(embedding, judge, used.writer, used.verifier, weights_behind(fit.kind))
    other = fit.made_for.differs(live)
    if settings.judging != "decide":
        other = "a judgement that decides nothing"
    elif foreign:
        other = "passages from elsewhere"
    elif run.limits.rounds > 1 or settings.outside:
        other = "more than one search"
    if _is_other_reader(settings):
        other = "another reader"
    if settings.reranker != "none":
        other = "a reranker"
    if other is not None:
        raise UsageError(
            f"no risk can be promised with {other}: it was measured with the fast judge and its reader, "
            "after one search",
            hint="ask with --profile fast --rounds 1, --reader bundled, --reranker none, or without --max-risk",
        )
    found = guarantee(fit.ladder, settings.max_risk)
    if found is None:
        raise _no_guarantee(settings.max_risk, best_guarantee(fit.ladder), fit, "questions")
    return found


def guarantee_of_claims(settings: Settings, embedding: str, verifier: str, supported: float) -> Promised:
    """The guarantee under `max_risk` for the claims of anyone's text, called supported from `supported` on.

    Raises UsageError where they are tested otherwise than those measured, or where no such promise can be made,
    with the best that can.
    """
    fit, risk = shipped()["claims"], settings.max_risk
    assert risk is not None  # noqa: S101 - nothing is promised where nothing is asked for
    other = fit.made_for.differs(MadeFor(embedding, "", "", verifier, weights_behind(fit.kind)))
    if settings.skip:
        other = "checks switched off"
    if other is not None:
        raise UsageError(
            f"no risk can be promised with {other}: it was measured with all checks, the bundled checker, no model",
            hint="check with --profile fast and --checker bundled, or without --max-risk",
        )
    found = guarantee(supported_rungs(fit.ladder, supported), risk, starts=STRICTEST)
    if found is None:
        best = best_guarantee(supported_rungs(fit.ladder, supported), starts=STRICTEST)
        raise _no_guarantee(risk, best and _of_all(best, fit), fit, "claims")
    return Promised(_of_all(found, fit), fit.reference)


def supported_rungs(ladder: Sequence[Rung], supported: float) -> tuple[Rung, ...]:
    """The rungs from `supported` on, where every claim is called supported: of others nothing is shown."""
    return tuple(rung for rung in ladder if rung.score >= supported)


def _of_all(found: RiskGuarantee, fit: Fit) -> RiskGuarantee:
    """The promise with its share of all rows measured."""
    return replace(found, share=found.shown / fit.ladder[-1].shown)


def _is_other_reader(settings: Settings) -> bool:
    """True if somebody's own reader reads; without any, the judge itself is another one."""
    return settings.reader not in ("bundled", "none")


def describe_guarantee(found: RiskGuarantee, run: Run) -> str:
    """The promise in words."""
    what = "rest on evidence that does not answer" if run.calibration is None else "are wrong"
    doubt = f"; it may not apply: {run.doubt}" if run.doubt else ""
    return (
        f"promised with {found.confidence:.0%} confidence, for questions like those measured: at most "
        f"{found.risk:.0%} of the answers shown {what}; {found.share:.0%} of them are still answered{doubt}"
    )


def _no_guarantee(risk: float, best: RiskGuarantee | None, fit: Fit, measured: str) -> UsageError:
    least = "no risk can" if best is None else f"the least that can is {best.risk:.0%}, showing {best.share:.0%}"
    return UsageError(
        f"a risk of {risk:.0%} cannot be promised: {least} of the {fit.ladder[-1].shown} {measured} measured",
        hint="give a higher --max-risk" if best is not None else "label more answers: assay label",
    )


# Lessons of a collection, put under its settings.


def learning_log(settings: Settings) -> LearningLog:
    """The log of what was learned for the collection."""
    return LearningLog(settings.data_dir, settings.collection)


def with_learned(settings: Settings) -> Settings:
    """The settings with the learned `answers_from` and `search_utility`, unless somebody set them.

    They are settings like any other from then on: the record of a run has them, so that a replay decides as the
    run did.
    """
    log = learning_log(settings)
    learned: dict[str, Any] = {}
    if settings.answers_from is None and (threshold := log.threshold()) is not None:
        learned["answers_from"] = threshold
    if not settings.search_utility and (table := log.search_utility()):
        learned["search_utility"] = table
    return settings.model_copy(update=learned) if learned else settings


# Own rubrics in a model's wording.


@dataclass(frozen=True, slots=True)
class WrittenRubrics:
    """A file of rubrics and its hash."""

    path: Path
    sha256: str


def renew(settings: Settings, *, replacing: bool) -> WrittenRubrics:
    """Have the judge's model reword the shipped rubrics, and write them into the data folder.

    Raises UsageError without a model, and where there is a file that may not be replaced; ProviderError where the
    model fails, and then nothing is written.
    """
    path = settings.data_dir / FILE_NAME
    if path.exists() and not replacing:
        raise UsageError(f"{path} already exists", hint="replace it with --yes, or remove it to go back")
    model = open_models(settings).of("judge")
    if model is None:
        raise UsageError(
            "rewording rubrics needs a language model, but none is set", hint="set one: --model openai:NAME"
        )
    # The temperature of a judge says nothing about that of a writer.
    tuning = tuning_of(model.name, settings.model_copy(update={"judge_temperature": None}))
    made = asyncio.run(_reword(replace(model, tuning=tuning)))
    write(made, path)
    return WrittenRubrics(path, made.sha256)


async def _reword(model: RunModel) -> RubricSet:
    try:
        return await Rewording(model).of(shipped_rubrics())
    finally:
        await model.aclose()
