"""The local grader: opened as the settings name it, and handed to what they want graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.build.paths import expanded
from assay.calibration import Joining
from assay.errors import UsageError
from assay.judge import graded as evidence
from assay.models.grader import PairScorer
from assay.ports import GraderModel
from assay.record.gone import GoneGrader
from assay.record.taped import TapedGrader
from assay.retrieve import graded as ranking
from assay.run import Run
from assay.settings import Settings
from assay.settings.values import GraderUse
from assay.stages import Grader
from assay.verify import graded as claims

# The name of the bundled one among the models of assay-models.
BUNDLED = "minilm-l6-grader-int8"
# What a joining may weigh, by what it is for.
_INPUTS = MappingProxyType({part.USE: part.INPUTS for part in (claims, evidence, ranking)})


@dataclass(frozen=True, slots=True)
class Grading:
    """A grader, and what it is asked about; `closing` ends its threads."""

    grader: Grader
    uses: tuple[GraderUse, ...]
    closing: tuple[Callable[[], None], ...] = ()

    def of(self, use: GraderUse, run: Run | None = None) -> Grader | None:
        """The grader for one use, on the run's tape where it has one; None where nobody wants that graded."""
        if use not in self.uses:
            return None
        return self.grader if run is None or run.tape is None else TapedGrader(self.grader, run.tape)


def open_grading(settings: Settings) -> Grading | None:
    """The grader that the settings name, None where nothing is to be graded.

    Raises UsageError where the folder holds none, where nothing was fitted for a use that is asked for, and where
    the judge that is set asks no grader.
    """
    if not settings.graded:
        return None
    if "evidence" in settings.graded and settings.weights == "seed":
        raise UsageError(
            f"{settings.told('graded')}: the judge of the seed weights asks no grader about evidence",
            hint="leave evidence out, or judge with --weights fitted",
        )
    scorer = PairScorer.load(_folder(settings))
    _refuse_unfitted(settings, scorer.model)
    return Grading(scorer, settings.graded, (scorer.close,))


def grading_then(settings: Settings, about: Mapping[str, Any]) -> Grading | None:
    """The grader of a recorded run, which the tape answers for."""
    model = about.get("grader")
    if model is None:
        return None
    joinings = {use: Joining(**body) for use, body in model["joinings"].items()}
    then = GraderModel(model["id"], model["sha256"], tuple(model["languages"]), joinings)
    return Grading(GoneGrader(then), settings.graded)


def _refuse_unfitted(settings: Settings, model: GraderModel) -> None:
    for use in settings.graded:
        if use not in model.joinings:
            known = ", ".join(sorted(model.joinings)) or "nothing"
            raise UsageError(
                f"{settings.told('graded')}: the grader {model.id} was fitted for {known}, not for {use}",
                hint="leave that out, or fit it: benchmarks/grader/joinings.py",
            )
        unknown = sorted(model.joinings[use].weights.keys() - _INPUTS[use])
        if unknown:
            raise UsageError(
                f"the grader {model.id} weighs {unknown[0]!r} for {use}, which nothing measures",
                hint=f"there are {', '.join(sorted(_INPUTS[use]))}; fit it again: benchmarks/grader/joinings.py",
            )


def _folder(settings: Settings) -> Path:
    if settings.grader == "bundled":
        return _bundled(settings)
    return expanded(settings.grader, named=settings.told("grader"), hint="name a folder that holds a grader")


def _bundled(settings: Settings) -> Path:
    import assay_models

    try:
        return assay_models.folder(BUNDLED)
    except LookupError as error:
        raise UsageError(
            f"{settings.told('graded')}: the assay-models that is installed has no grader",
            hint="in the clone of assay: pip install ./models; or name a folder that holds one with --grader",
        ) from error
