"""The local checker: opened as the settings name it, and given to each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.calibration import ClaimPolicy
from assay.calibration.shipped import weights_behind
from assay.core.run import Run
from assay.core.stages import Checker, CheckerModel, Reader
from assay.errors import UsageError
from assay.models.caching import CachingChecker, CachingReader
from assay.models.checker import ClassifierChecker, OnnxChecker
from assay.models.hub import HubName, PulledModel
from assay.models.reader import OnnxReader, SpanReader
from assay.models.reranker import CrossEncoderReranker
from assay.records.policies import OWN
from assay.records.replay import TapedChecker, TapedReader
from assay.records.replay_stubs import CheckerStub, ReaderStub
from assay.settings import Settings
from assay.types import ReaderModel
from assay.verification.verdict import INPUTS
from assay.wiring.paths import in_hub_layout, model_folder, named_model, policies_of, pulled_models

# The name of the bundled one among the models of assay-models.
BUNDLED_CHECKER = "minilm-l6-checker-int8"


@dataclass(frozen=True, slots=True)
class OpenChecker:
    """A checker, and what ends its threads."""

    checker: Checker
    closing: tuple[Callable[[], None], ...] = ()

    def of(self, run: Run) -> Checker:
        """The checker for one run, on its tape where it has one."""
        return self.checker if run.tape is None else TapedChecker(self.checker, run.tape)


def open_checker_network(settings: Settings) -> OpenChecker | None:
    """The checker that the settings name, None for `none`; raises UsageError where the folder holds none."""
    if settings.checker == "none":
        return None
    opened = open_checker_in_use(settings)
    unknown = sorted(set(opened.model.policy.weights) - INPUTS) if opened.model.policy else []
    if unknown:
        raise UsageError(
            f"the policy of {opened.model.id} weighs {', '.join(unknown)}, which nothing measures",
            hint="fit it again",
        )
    return OpenChecker(CachingChecker(opened), (opened.close,))


def open_checker_in_use(settings: Settings) -> ClassifierChecker | OnnxChecker:
    """The checker that the settings name, other than `none`, under the policy in use for it."""
    place = model_folder(settings.checker, settings, what="checker", bundled=BUNDLED_CHECKER)
    if in_hub_layout(place):
        return _fitted(ClassifierChecker.load(place), settings)
    checker = OnnxChecker.load(place)
    kept = policies_of(checker.model.sha256, settings).in_use()
    # A policy fitted beside other words and vectors does not count: the one of the manifest holds.
    is_current = kept is not None and kept.weights == weights_behind("claims")
    return checker.fitted(kept.policy) if kept is not None and is_current else checker


def open_to_fit(settings: Settings) -> ClassifierChecker:
    """The checker that the settings name, to be fitted; UsageError for one that cannot be, or that comes fitted."""
    hint = "name one of your own: --checker FOLDER, or --checker hf:ORG/NAME@REVISION"
    if settings.checker == "none":
        raise UsageError("there is no checker to fit", hint=hint)
    place = model_folder(settings.checker, settings, what="checker", bundled=BUNDLED_CHECKER)
    if not in_hub_layout(place):
        raise UsageError(f"the checker {settings.checker} comes fitted: its policy is in its manifest", hint=hint)
    return ClassifierChecker.load(place)


def policy_in_use(settings: Settings, pulled: PulledModel) -> str | None:
    """The fit of a pulled checker: "policy N", 0 the one in its folder, or "" for none.

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
    return OpenChecker(CheckerStub(CheckerModel(model["id"], model["sha256"], tuple(model["languages"]), policy)))


# The local reader: opened as the settings name it, and given to each run.


# The name of the bundled one among the models of assay-models.
BUNDLED_READER = "minilm-l6-reader-int8"


@dataclass(frozen=True, slots=True)
class OpenReader:
    """A reader, and what ends its threads."""

    reader: Reader
    closing: tuple[Callable[[], None], ...] = ()

    def of(self, run: Run) -> Reader:
        """The reader for one run, on its tape where it has one; nothing is read twice."""
        return CachingReader(self.reader if run.tape is None else TapedReader(self.reader, run.tape))


def open_reader(settings: Settings) -> OpenReader | None:
    """The reader that the settings name, None for `none`; raises UsageError where the folder holds none."""
    if settings.reader == "none":
        return None
    place = model_folder(settings.reader, settings, what="reader", bundled=BUNDLED_READER)
    opened = SpanReader.load(place) if in_hub_layout(place) else OnnxReader.load(place)
    return OpenReader(CachingReader(opened), (opened.close,))


def reader_then(about: Mapping[str, Any]) -> OpenReader | None:
    """The reader of a recorded run, for which the tape answers; None where the run had none."""
    model = about.get("reader")
    if model is None:
        return None
    return OpenReader(ReaderStub(ReaderModel(model["id"], model["sha256"], tuple(model["languages"]))))


# The reranker: opened as the settings name it.


def open_reranker(settings: Settings) -> CrossEncoderReranker | None:
    """The reranker that the settings name, None for `none`; raises UsageError where the folder holds none."""
    if settings.reranker == "none":
        return None
    setting = settings.display_name("reranker")
    if settings.reranker == "bundled":
        raise UsageError(
            f"{setting}: no reranker comes with assay", hint=f"name a folder that contains one with {setting}"
        )
    return CrossEncoderReranker.load(named_model(settings.reranker, settings, named=setting, what="reranker"))
