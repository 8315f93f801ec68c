"""Spread the work of an engine over a Ray cluster. Ray itself is imported once that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from assay.core.stages import Embedder, Index, Sink
from assay.engine import Parts
from assay.errors import UsageError
from assay.settings import Settings
from assay.wiring.models import refuse_offline
from assay.wiring.own import OwnParts

if TYPE_CHECKING:
    from assay.wiring.cluster.connection import Cluster

# Words in place of an address: start Ray here, or join the cluster of this machine.
_HERE = frozenset({"local", "auto"})


def open_cluster(address: str, workers: int | None, settings: Settings) -> Cluster:
    """The cluster at an address, not connected yet.

    `local` starts Ray on this machine, `auto` joins the cluster that this machine is a node of, HOST:PORT another.
    Raises MissingExtra, UsageError.
    """
    if address not in _HERE:
        host, separator, port = address.rpartition(":")
        if not separator or not port.isdecimal() or "/" in host:
            raise UsageError(
                f"{address!r} is not the address of a Ray cluster", hint="give local, auto or HOST:PORT"
            )
        refuse_offline(settings, host, "the Ray cluster")
    if workers is not None and workers < 1:
        raise UsageError(f"{workers} workers can do nothing", hint="give at least 1")
    from assay.wiring.cluster.connection import Cluster

    return Cluster(address, workers)


def refuse_workers_alone(ray: str | None, workers: int | None) -> None:
    """Raise UsageError for a number of workers without a cluster."""
    if ray is None and workers is not None:
        raise UsageError("workers needs a Ray cluster", hint='name one, e.g. ray="local"')


def refuse_own_parts(own: OwnParts, sinks: Sequence[Sink]) -> None:
    """Raise UsageError for objects of the caller's: they cannot be sent to other machines."""
    given = [part.name for part in fields(own) if getattr(own, part.name) is not None] + ["sink"] * len(sinks)
    if given:
        raise UsageError(
            f"the {given[0]} is an object of your own, which cannot be sent to the workers of a cluster",
            hint="name what can be named (a model, a folder), or leave ray out",
        )


def with_cluster(parts: Parts, index: Index, settings: Settings, cluster: Cluster, place: str) -> Parts:
    """The parts with files taken in and questions answered by a cluster, which is left when the engine closes.

    `place` is where the collection is: workers that would answer from another place refuse to.
    """
    from assay.wiring.cluster.answering import AnsweringWorkers
    from assay.wiring.cluster.ingestion import ClusterIngestion

    answering = AnsweringWorkers(settings, cluster, place)
    return replace(
        parts,
        ingester=ClusterIngestion(index, parts.embedder, settings, cluster),
        answer_elsewhere=answering.answer,
        closing=(*parts.closing, answering.close, cluster.close),
    )


def spread_embedder(embedder: Embedder, settings: Settings, cluster: Cluster) -> Embedder:
    """The embedder, with its work done by the workers of a cluster."""
    from assay.wiring.cluster.embedder import ClusterEmbedder
    from assay.wiring.cluster.ingestion import open_workers

    return ClusterEmbedder(embedder, open_workers(settings, cluster))
