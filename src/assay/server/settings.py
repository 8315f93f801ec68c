"""The server's own settings: where it listens, whom it lets in, and what one request may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TextIO

from assay.errors import UsageError
from assay.types import AskOptions

HOST = "127.0.0.1"
PORT = 8000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that one request may ask for; chosen, from the profile thorough.

    `seconds` bounds the deadline, `passages` the option k.
    """

    seconds: float = 120.0
    rounds: int = 3
    repairs: int = 8
    calls: int = 24
    passages: int = 50
    tokens: int | None = None
    cost: float | None = None

    def refuse_beyond(self, options: AskOptions) -> None:
        """Raise UsageError where an option asks for more than the bounds.

        >>> Bounds(rounds=2).refuse_beyond(AskOptions(rounds=3))
        Traceback (most recent call last):
        ...
        assay.errors.UsageError: the option rounds is 3; this server allows at most 2
        """
        bounds: dict[str, float | None] = {
            "deadline": self.seconds,
            "rounds": self.rounds,
            "repairs": self.repairs,
            "max_calls": self.calls,
            "k": self.passages,
            "max_tokens": self.tokens,
            "max_cost": self.cost,
        }
        for name, value in options.values.items():
            bound = bounds.get(name)
            if bound is not None and isinstance(value, int | float) and value > bound:
                raise UsageError(
                    f"the option {name} is {value:g}; this server allows at most {bound:g}",
                    hint="ask for less, or ask whoever runs the server",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of `assay serve`. `engine` are settings of the engines, as `open_engine` takes them.

    `allowed_hosts` and `allowed_origins` are accepted besides the server's own address; `trusted_proxies` are the
    addresses whose X-Forwarded-For is believed. `models` are those that a request may name besides the ones that
    are set. `requests_per_minute` counts per key, or per address without one. `answering` is how many questions
    are answered at once, `answering_per_key` how many of one key; of all three each of several processes allows its
    `share`. `open_engines` is how many collections stay open. `keep_runs` is after how many days recorded runs are
    deleted, None for never. `answer_log` takes a line of JSON for each answer; None is no log.

    Raises UsageError where a process would have no share of a limit.
    """

    host: str = HOST
    port: int = PORT
    workers: int = 1
    allow_anonymous: bool = False
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    requests_per_minute: int = 600
    answering: int = 256
    answering_per_key: int = 256
    open_engines: int = 32
    keep_runs: int | None = None
    largest_upload: int = 256 * 1024 * 1024
    bounds: Bounds = Bounds()
    answer_log: TextIO | None = None
    engine: dict[str, Any]

    def __post_init__(self) -> None:
        """Refuse limits that cannot be shared among the processes."""
        for name in ("requests_per_minute", "answering", "answering_per_key"):
            if self.share(getattr(self, name)) < 1:
                raise UsageError(
                    f"{self.workers} processes cannot share a limit of {getattr(self, name)} ({name})",
                    hint=f"give --{name.replace('_', '-')} {self.workers} or more, or fewer --workers",
                )

    def share(self, limit: int) -> int:
        """The share of a limit that one process allows, so that all together never allow more.

        >>> ServerSettings(workers=4, engine={}).share(600), ServerSettings(workers=3, engine={}).share(256)
        (150, 85)
        """
        return limit // self.workers
