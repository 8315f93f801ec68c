"""The local grader: opened as the settings name it, and handed to what they want graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.calibration import Joining
from assay.errors import UsageError
from assay.models.grader import PairScorer
from assay.ports import GraderModel
from assay.record.gone import GoneGrader
from assay.record.taped import TapedGrader
from assay.run import Run
from assay.settings import Settings
from assay.settings.values import GraderUse
from assay.stages import Grader

# The name of the bundled one among the models of assay-models.
BUNDLED = "minilm-l6-grader-int8"


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

    Raises UsageError where the folder holds none, or where nothing was fitted for a use that is asked for.
    """
    if not settings.graded:
        return None
    scorer = PairScorer.load(_folder(settings))
    lacking = [use for use in settings.graded if use not in scorer.model.joinings]
    if lacking:
        known = ", ".join(sorted(scorer.model.joinings)) or "nothing"
        raise UsageError(
            f"{settings.told('graded')}: the grader {scorer.model.id} was fitted for {known}, not for {lacking[0]}",
            hint="leave that out, or fit it: benchmarks/grader/joinings.py",
        )
    return Grading(scorer, settings.graded, (scorer.close,))


def grading_then(settings: Settings, about: Mapping[str, Any]) -> Grading | None:
    """The grader of a recorded run, which the tape answers for."""
    model = about.get("grader")
    if model is None:
        return None
    joinings = {use: Joining(**body) for use, body in model["joinings"].items()}
    then = GraderModel(model["id"], model["sha256"], tuple(model["languages"]), joinings)
    return Grading(GoneGrader(then), settings.graded)


def _folder(settings: Settings) -> Path:
    if settings.grader != "bundled":
        return Path(settings.grader).expanduser()
    import assay_models

    return assay_models.folder(BUNDLED)
