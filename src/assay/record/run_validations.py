"""The kept verdicts as one run sees them: asked off the event loop, and on its tape."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.record.validations import Basis, Validation, ValidationCache, placed, read
from assay.tape import Tape

_PORT = "kept"


@dataclass(frozen=True, slots=True)
class RunValidations:
    """What was found in the cache is on the tape, a miss too; a replay has no cache, and finds what was found.

    On the tape a basis is known without its rules and its verifier, which are the same throughout a run.
    """

    cache: ValidationCache | None
    tape: Tape | None = None

    async def known(self, bases: Sequence[Basis]) -> tuple[Validation, ...] | None:
        """The verdict on each of them; None where one is not known."""
        found = [await self._known(each) for each in bases]
        every = tuple(each for each in found if each is not None)
        return every if len(every) == len(found) else None

    async def keep(self, bases: Sequence[Basis], validations: Sequence[Validation]) -> None:
        """Keep the verdicts that can be tested again, each on its basis."""
        for basis, validation in zip(bases, validations, strict=True):
            if self.cache is not None:
                await asyncio.to_thread(self.cache.put, basis, validation)

    async def _known(self, basis: Basis) -> Validation | None:
        key = replace(basis, rules="", verifier="").key
        if self.tape is not None and self.tape.replaying:
            recalled = read(self.tape.recall(_PORT, key))
            return None if recalled is None else placed(recalled, basis.passages)
        found = None if self.cache is None else await asyncio.to_thread(self.cache.get, basis)
        if self.tape is not None:
            body = None if found is None else found.to_dict()
            self.tape.record(_PORT, key, json.dumps(body).encode())
        return found
