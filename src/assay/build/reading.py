"""The local reader: opened as the settings name it, and given to each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.build.paths import in_hub_layout, model_folder
from assay.models.reader import OnnxReader
from assay.models.remember import CachingReader
from assay.models.span_reader import SpanReader
from assay.record.gone import GoneReader
from assay.record.taped import TapedReader
from assay.run import Run
from assay.settings import Settings
from assay.stages import Reader
from assay.types import ReaderModel

# The name of the bundled one among the models of assay-models.
BUNDLED = "minilm-l6-reader-int8"


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
    place = model_folder(settings.reader, settings, what="reader", bundled=BUNDLED)
    opened = SpanReader.load(place) if in_hub_layout(place) else OnnxReader.load(place)
    return OpenReader(opened, (opened.close,))


def reader_then(about: Mapping[str, Any]) -> OpenReader | None:
    """The reader of a recorded run, for which the tape answers; None where the run had none."""
    model = about.get("reader")
    if model is None:
        return None
    return OpenReader(GoneReader(ReaderModel(model["id"], model["sha256"], tuple(model["languages"]))))
