"""Answer questions on the machines of a cluster, from a collection that all of them reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import AssayError, UsageError
from assay.settings import MODEL_SETTINGS, Settings, received_settings, sent_settings
from assay.types import Answer, AskOptions, Hit, Message, Passage
from assay.wiring import engine_under
from assay.wiring.cluster import rows
from assay.wiring.cluster.connection import ActorPool, Cluster
from assay.wiring.cluster.workers import own_version, refuse_other_version
from assay.wiring.collections import collections_of
from assay.wiring.own import OwnParts

# Questions that a worker has under way with a language model, which is mostly waited for: as one process has.
_WITH_A_MODEL = 8
_ANSWER = "answer"


class AnsweringWorkers:
    """Workers that answer, each with an engine of its own; `place` is where their collection has to be."""

    def __init__(self, settings: Settings, cluster: Cluster, place: str) -> None:
        asks = any(getattr(settings, name) is not None for name in MODEL_SETTINGS)
        sent = sent_settings(settings) | _address(settings)
        calls = _WITH_A_MODEL if asks else 1
        self._pool = ActorPool(cluster, AnswerWorker, sent, own_version(), place, lanes={_ANSWER: calls})

    async def answer(
        self,
        text: str,
        history: tuple[Message, ...],
        options: AskOptions | None,
        passages: Sequence[Passage | Hit] | None,
    ) -> Answer:
        """The answer to a question; with passages from these. Raises what `Engine.aask` raises."""
        answer, error = await self._pool.call(_ANSWER, "answer", text, history, options, passages)
        if error:
            raise rows.read_error(error)
        assert isinstance(answer, Answer)  # noqa: S101 - there is an answer or an error
        return answer

    def close(self) -> None:
        """End the workers; calling it twice is harmless."""
        self._pool.close()


def _address(settings: Settings) -> dict[str, Any]:
    """The address of the database if it holds no password; else the workers have to be given theirs."""
    if settings.store is None:
        return {}
    from assay.postgres.address import Address

    address = settings.store.get_secret_value()
    return {} if Address.read(address).secrets else {"store": address}


class AnswerWorker:
    """An engine on another machine, as an actor."""

    def __init__(self, sent: Mapping[str, Any], version: str, place: str) -> None:
        refuse_other_version(version)
        settings = received_settings(sent)
        own = collections_of(settings).place
        if own != place:
            raise UsageError(
                f"a worker would answer from {own}, not from {place}",
                hint="set ASSAY_STORE in the environment of the workers to the same database",
            )
        self._engine = engine_under(settings, OwnParts(), create=False)

    def ready(self) -> bool:
        """Tell whether it can be called."""
        return True

    async def answer(
        self,
        text: str,
        history: tuple[Message, ...],
        options: AskOptions | None,
        passages: Sequence[Passage | Hit] | None,
    ) -> tuple[Answer | None, bytes]:
        """The answer, or None and the error as `rows.write_error` writes it."""
        try:
            if passages is None:
                return await self._engine.aask(text, history, options=options), b""
            return await self._engine.aanswer_from(text, passages, history, options), b""
        except AssayError as error:
            return None, rows.write_error(error)
