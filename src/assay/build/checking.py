"""The local checker: opened as the settings name it, and given to each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.build.paths import in_hub_layout, model_folder, policies_of, pulled_models
from assay.calibration import ClaimPolicy
from assay.calibration.shipped import weights_behind
from assay.errors import UsageError
from assay.models.checker import OnnxChecker
from assay.models.classifier_checker import ClassifierChecker
from assay.models.pulled import HubName, PulledModel
from assay.ports import CheckerModel
from assay.record.gone import GoneChecker
from assay.record.policies import OWN
from assay.record.taped import TapedChecker
from assay.run import Run
from assay.settings import Settings
from assay.stages import Checker
from assay.verify.entailed import INPUTS

# The name of the bundled one among the models of assay-models.
BUNDLED = "minilm-l6-checker-int8"


@dataclass(frozen=True, slots=True)
class OpenChecker:
    """A checker, and what ends its threads."""

    checker: Checker
    closing: tuple[Callable[[], None], ...] = ()

    def of(self, run: Run) -> Checker:
        """The checker for one run, on its tape where it has one."""
        return self.checker if run.tape is None else TapedChecker(self.checker, run.tape)


def open_checker(settings: Settings) -> OpenChecker | None:
    """The checker that the settings name, None for `none`; raises UsageError where the folder holds none."""
    if settings.checker == "none":
        return None
    place = model_folder(settings.checker, settings, what="checker", bundled=BUNDLED)
    opened = _fitted(ClassifierChecker.load(place), settings) if in_hub_layout(place) else OnnxChecker.load(place)
    unknown = sorted(set(opened.model.policy.weights) - INPUTS) if opened.model.policy else []
    if unknown:
        raise UsageError(
            f"the policy of {place} weighs {', '.join(unknown)}, which nothing measures", hint="fit it anew"
        )
    return OpenChecker(opened, (opened.close,))


def open_to_fit(settings: Settings) -> ClassifierChecker:
    """The checker that the settings name, to be fitted; UsageError for one that cannot be, or that comes fitted."""
    hint = "name one of your own: --checker FOLDER, or --checker hf:ORG/NAME@REVISION"
    if settings.checker == "none":
        raise UsageError("there is no checker to fit", hint=hint)
    place = model_folder(settings.checker, settings, what="checker", bundled=BUNDLED)
    if not in_hub_layout(place):
        raise UsageError(f"the checker {settings.checker} comes fitted: its policy is in its manifest", hint=hint)
    return ClassifierChecker.load(place)


def policy_in_use(settings: Settings, pulled: PulledModel) -> str | None:
    """How a pulled checker is fitted: "policy N", 0 the one in its folder, or "" for not at all.

    None where the model is no checker, or cannot be opened as one.
    """
    network = pulled_models(settings).place / HubName.read(pulled.name).folder / pulled.network
    try:
        opened = ClassifierChecker.load(network)
        opened.close()
        kept = policies_of(opened.model.sha256, settings).in_use()
        fitted = _fitted(opened, settings).model.policy is not None
    except UsageError:
        return None
    return f"policy {kept.version if kept else OWN}" if fitted else ""


def _fitted(checker: ClassifierChecker, settings: Settings) -> ClassifierChecker:
    """The checker under the policy chosen for it; without one where words and vectors weigh otherwise by now."""
    kept = policies_of(checker.model.sha256, settings).in_use()
    if kept is None:
        return checker
    return checker.fitted(kept.policy if kept.weights == weights_behind("claims") else None)


def checker_then(about: Mapping[str, Any]) -> OpenChecker | None:
    """The checker of a recorded run, for which the tape answers; None where the run had none."""
    model = about.get("checker")
    if model is None:
        return None
    policy = None if model["policy"] is None else ClaimPolicy.read(model["policy"])
    return OpenChecker(GoneChecker(CheckerModel(model["id"], model["sha256"], tuple(model["languages"]), policy)))
