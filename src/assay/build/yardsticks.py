"""From settings to the yardstick in force, and to one with a model's wording."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from assay.assess.renew import Rewording
from assay.assess.yardstick import FILE_NAME, Yardstick, shipped, write
from assay.build.models import open_models, tuned
from assay.errors import UsageError
from assay.models.structured import StructuredModel
from assay.settings import Settings
from assay.stages import LLM


@dataclass(frozen=True, slots=True)
class Written:
    """A yardstick's file and its hash."""

    path: Path
    sha256: str


def renew(settings: Settings, *, replacing: bool) -> Written:
    """Have the judge's model word the shipped yardstick anew, and write it into the data folder.

    Raises UsageError without a model, and where there is a file that may not be replaced; ProviderError where the
    model fails, and then nothing is written.
    """
    path = settings.data_dir / FILE_NAME
    if path.exists() and not replacing:
        raise UsageError(f"{path} is there already", hint="replace it with --yes, or remove it to go back")
    model = open_models(settings).of("judge")
    if model is None:
        raise UsageError(
            "wording rubrics needs a language model, and none is set", hint="set one: --model openai:NAME"
        )
    # How freely models judge says nothing of how freely one words.
    made = asyncio.run(_reworded(tuned(model, settings.model_copy(update={"judge_temperature": None}))))
    write(made, path)
    return Written(path, made.sha256)


async def _reworded(model: LLM) -> Yardstick:
    try:
        return await Rewording(StructuredModel(model)).of(shipped())
    finally:
        await model.aclose()
