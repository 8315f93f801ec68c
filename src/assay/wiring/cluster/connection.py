"""Start Ray on this machine, or join a cluster that is there; call actors, whichever is free."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.errors import AssayError, MissingExtra, ProviderFailed, ProviderUnreachable, UsageError

try:
    import ray
    from ray.exceptions import ObjectLostError, OutOfMemoryError, RayActorError, RaySystemError, WorkerCrashedError
except ImportError as error:
    raise MissingExtra(
        f"spreading work over a cluster needs the package {error.name}",
        hint='in the clone of assay: pip install ".[ray]"',
    ) from error

# Ray on this machine, for this process alone.
LOCAL = "local"
# The cluster of which this machine is a node.
AUTO = "auto"
# Seconds for a head node to take a connection. Ray itself would try for minutes. Chosen.
_PATIENCE = 10.0
# Ray's errors for a lost machine or process. The work is not at fault, and is given to another one.
LOST = (RayActorError, WorkerCrashedError, OutOfMemoryError, ObjectLostError, RaySystemError)
# Times that a call is given to another actor where the first one is lost: more machines than will be lost at once,
# few enough that a text which ends every process that reads it ends the work soon. Chosen.
ATTEMPTS = 5
# No word about this machine goes to Ray's makers.
_USAGE = "RAY_USAGE_STATS_ENABLED"
# Ray listens on every interface of the machine, and whoever reaches it may run programs as its user: only who knows
# this is heard. Its processes take it from the environment; it is the same for all clusters of this process, since
# Ray reads it once.
_MODE, _TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"
_OWN_TOKEN = secrets.token_hex(32)
_SAME = "install the same Python, Ray and assay with its extra ray on every machine of the cluster"


@dataclass(eq=False)
class Cluster:
    """Machines that work under Ray: `workers` actors at a time, each on one processor.

    Ray is started, or joined, by the first call of `connect`; what was started here ends with `close`. A program
    that has joined a cluster itself before stays in it.
    """

    address: str = LOCAL
    workers: int | None = None
    _started: bool = False
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def connect(self) -> int:
        """Be connected, and return the number of workers. Raises ProviderUnreachable, UsageError."""
        with self._one_at_a_time:
            if not ray.is_initialized():
                self._join()
        processors = int(ray.cluster_resources().get("CPU", 0))
        if processors == 0:
            raise UsageError("the Ray cluster has no processors", hint="start a worker node: ray start --address …")
        return min(self.workers or processors, processors)

    def close(self) -> None:
        """Leave the cluster if it was joined here; calling it twice is harmless."""
        if self._started:
            self._started = False
            ray.shutdown()

    def _join(self) -> None:
        os.environ.setdefault(_USAGE, "0")
        options: dict[str, Any] = {"address": self.address, "log_to_driver": False, "logging_level": logging.ERROR}
        if self.address == LOCAL:
            os.environ.setdefault(_TOKEN, _OWN_TOKEN)
            options |= {"num_cpus": self.workers, "include_dashboard": False}
        elif self.address != AUTO:
            _knock(self.address)
        chosen = os.environ.get(_MODE)
        try:
            ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise _unreachable(self.address, error) from error
        self._started = True
        if self.address == LOCAL and chosen is None and os.environ.get(_MODE) != "token":
            self.close()  # an older Ray asks for no token unless it is told to before it is imported
            raise UsageError(
                f"Ray {ray.__version__} would be open to the network", hint="install Ray 2.60 or later"
            )


def _knock(address: str) -> None:
    """Raise ProviderUnreachable where nobody listens."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except OSError as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> AssayError:
    if isinstance(error, RuntimeError):  # such as another version of Python or Ray
        return UsageError(f"the Ray cluster at {address} cannot be joined: {error}", hint=_SAME)
    return ProviderUnreachable(
        f"no Ray cluster answers at {address}: {error}",
        hint="name one as HOST:PORT, auto for that of this machine, or local to start one here",
    )


def failed_workers(error: BaseException) -> ProviderFailed:
    """The error for workers that cannot begin, or that end whatever they are given."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return ProviderFailed(f"the workers of the Ray cluster failed: {lines[-1] if lines else error!r}", hint=_SAME)


class Lost(ProviderFailed):
    """Every process that a call was given to has ended."""

    def __init__(self, cause: BaseException) -> None:
        failed = failed_workers(cause)
        super().__init__(str(failed), hint=failed.hint)


class ActorPool:
    """Actors that take calls in lanes; a call that is lost with its machine is made again by another actor.

    `make` is a class whose objects the actors are, made with `arguments`; it has a method `ready`. `lanes` says how
    many calls of each kind an actor takes at a time. Used on one event loop.
    """

    def __init__(self, cluster: Cluster, make: type, *arguments: Any, lanes: Mapping[str, int]) -> None:
        self._cluster = cluster
        self._make = make
        self._arguments = arguments
        self._lanes = lanes
        self._free: dict[str, asyncio.Queue[Any]] = {}
        self._starting: asyncio.Task[int] | None = None
        self._beginning: set[asyncio.Task[None]] = set()
        self._actors: set[Any] = set()

    async def size(self) -> int:
        """The number of actors there are to be; the first call begins them. Raises as `Cluster.connect`."""
        if self._starting is None:
            self._free = {lane: asyncio.Queue() for lane in self._lanes}
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def call(self, lane: str, method: str, *arguments: Any) -> Any:
        """The result of a method of whichever actor is free first in the lane. Raises ProviderFailed."""
        result, _actor = await self.call_by(lane, method, *arguments)
        return result

    async def call_by(self, lane: str, method: str, *arguments: Any, attempts: int = ATTEMPTS) -> tuple[Any, Any]:
        """As `call`, with the actor whose result it is; an actor is lost with so many `attempts` at most."""
        await self.size()
        free = self._free[lane]
        lost: BaseException | None = None
        for _ in range(attempts):
            actor = await free.get()
            if isinstance(actor, AssayError):
                free.put_nowait(actor)  # for the others that wait
                raise actor
            try:
                result = await getattr(actor, method).remote(*arguments)
            except LOST as error:
                lost = error
                self.replace(actor)
            except BaseException:
                free.put_nowait(actor)
                raise
            else:
                free.put_nowait(actor)
                return result, actor
        assert lost is not None  # noqa: S101 - an attempt that ends here was lost
        raise Lost(lost) from lost

    def replace(self, actor: Any) -> None:
        """Begin another actor in place of one that is lost, once, however many calls it had."""
        if actor in self._actors:
            self._actors.discard(actor)
            ray.kill(actor)  # it may live, with only its result lost, and would keep its processor
            self._begin()

    def close(self) -> None:
        """End the actors; calling it twice is harmless."""
        for task in self._beginning:
            task.get_loop().call_soon_threadsafe(task.cancel)
        if ray.is_initialized():
            for actor in self._actors:
                ray.kill(actor)
        self._actors.clear()

    async def _start(self) -> int:
        """Begin all actors, without waiting for them."""
        size = await asyncio.to_thread(self._cluster.connect)
        for _ in range(size):
            self._begin()
        return size

    def _begin(self) -> None:
        task = asyncio.ensure_future(self._ready())
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _ready(self) -> None:
        """Begin an actor, and hand it out once it is ready, however long the cluster has no room for it."""
        options = {"num_cpus": 1, "max_restarts": 0, "max_concurrency": 1 + sum(self._lanes.values())}
        made = ray.remote(self._make).options(**options, scheduling_strategy="SPREAD")
        lost: BaseException | None = None
        for _ in range(ATTEMPTS):
            actor = made.remote(*self._arguments)
            try:
                await actor.ready.remote()
            except Exception as error:  # noqa: BLE001 - whatever it is, callers get to hear it
                lost = error
                if not isinstance(error, LOST) or getattr(error, "actor_init_failed", False):
                    break  # an error of making it would come on every machine
            else:
                self._actors.add(actor)
                for lane, calls in self._lanes.items():
                    for _call in range(calls):
                        self._free[lane].put_nowait(actor)
                return
        assert lost is not None  # noqa: S101 - an attempt that ends here was lost
        for free in self._free.values():
            free.put_nowait(failed_workers(lost))
