"""Uploaded files on their way into a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.types.value import Value

JobStatus = Literal["queued", "running", "done", "failed"]
FileStatus = Literal["waiting", "added", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class JobFile(Value):
    """One file of a job: what became of it, why, and what to do about it; `name` is as the caller gave it."""

    name: str
    status: FileStatus
    reason: str | None = None
    hint: str | None = None
    document_id: str | None = None
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Job(Value):
    """A job as it is now. `reason` and `hint` say why it failed as a whole; `seconds_left` is an estimate."""

    job_id: str
    collection: str
    status: JobStatus
    created: float
    files_done: int
    files_total: int
    passages: int
    seconds_left: float | None
    files: tuple[JobFile, ...]
    reason: str | None = None
    hint: str | None = None

    @property
    def ended(self) -> bool:
        """Whether it is done or failed."""
        return self.status in ("done", "failed")
