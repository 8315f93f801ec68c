"""Delete recorded runs once they have a certain age, of every tenant, while the server runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import AssayError
from assay.records.deletion import delete_runs_before
from assay.server.service import Service, Tenant
from assay.server.threads import in_thread

logger = logging.getLogger("assay.server")

# Seconds between two looks. Chosen.
EVERY = 3600.0
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Retention:
    """Deletes runs that began more than `days` ago, as `assay runs prune` does, with the verdicts kept for them.

    Several processes of one server may each do so: what one has deleted, another does not find.
    """

    service: Service
    days: int
    clock: Callable[[], float] = time.time

    async def keep_deleting(self) -> None:
        """Delete now and then every hour, until this is cancelled; what fails is logged and tried again."""
        while True:
            await self.delete_once()
            await asyncio.sleep(EVERY)

    async def delete_once(self) -> int:
        """Delete the runs that are too old now; how many there were."""
        count = sum([await self._delete_of(tenant) for tenant in self.service.recording_tenants()])
        if count:
            logger.info("deleted %d runs older than %d days", count, self.days)
        return count

    async def _delete_of(self, tenant: Tenant) -> int:
        store, until, count = self.service.records(tenant), self.clock() - self.days * _DAY, 0
        try:
            while deleted := (await in_thread(delete_runs_before, store, tenant.folder, until)).runs:
                count += deleted
        except AssayError:
            logger.exception("the old runs of the tenant %s cannot be deleted", tenant.name)
        return count
