"""Opening what making questions needs, and making them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.core.stages import LLM
from assay.errors import UsageError
from assay.evals.make.filter import QuestionFilter
from assay.evals.make.maker import Made, QuestionMaker, Shares
from assay.evals.make.written import QuestionWriter
from assay.settings import Settings, load_settings
from assay.wiring import open_embedder, open_engine
from assay.wiring.models import open_models, tuning_of
from assay.wiring.networks import open_reader


def make_questions(
    given: Mapping[str, Any],
    count: int,
    seed: int = 0,
    shares: Shares | None = None,
    on_case: Callable[[], None] = lambda: None,
) -> Made:
    """At most `count` cases of the collection that the settings `given` name; `on_case` is called for each.

    Raises UnknownCollection, UsageError for an empty collection, one without facts, shares that are too large and a
    reader that is turned off, and ProviderError if a model is set and cannot be asked.

    >>> from assay import open_engine
    >>> with open_engine(data_dir=folder, collection="water") as engine:
    ...     _ = engine.add([sample])
    >>> made = make_questions({"data_dir": folder, "collection": "water"}, count=2)
    >>> [case.question for case in made.cases]
    ['At how many degrees Celsius does water boil at sea level?']
    """
    return asyncio.run(_make(dict(given), count, seed, shares or Shares(), on_case))


async def _make(given: dict[str, Any], count: int, seed: int, shares: Shares, on_case: Callable[[], None]) -> Made:
    settings = load_settings(given).settings
    if sum(shares.to_dict().values()) > 1:
        raise UsageError("the shares add up to more than 1", hint="lower some; the rest are plain questions")
    reader = open_reader(settings)
    if reader is None:
        raise UsageError("questions are tested by the reader, and none is set", hint="leave out --reader none")
    model = _writer(settings)
    embedder = open_embedder(settings)
    try:
        async with open_engine(create=False, models=False, **given) as engine:
            if not await engine.adocuments():
                raise UsageError(
                    f"collection {settings.collection} has no documents",
                    hint=f"add some: assay add FILES -c {settings.collection}",
                )
            writer = None if model is None else QuestionWriter(model)
            maker = QuestionMaker(engine, QuestionFilter(engine, reader.reader), embedder, seed, on_case, writer)
            made = await maker.make(count, shares)
            if not made.cases:
                raise UsageError(
                    f"no fact was found in {settings.collection} that a question can be made of",
                    hint="add documents with whole English sentences, or set a language model: --model openai:NAME",
                )
            return made
    finally:
        await embedder.aclose()
        if model is not None:
            await model.aclose()
        for close in reader.closing:
            close()


def _writer(settings: Settings) -> LLM | None:
    """The model that writes, if one is set."""
    name = settings.model_of("writer")
    if name is None:
        return None
    only = settings.model_copy(
        update={f"{role}_model": None for role in ("judge", "condenser", "verifier", "repairer")}
    )
    model = open_models(only).of("writer")
    return None if model is None else replace(model, tuning=tuning_of(name, settings))
