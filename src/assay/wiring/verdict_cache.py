"""Verdicts of a verifier model that are kept: what was ruled on the same basis is not asked again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from assay.core.budget import VERIFIER
from assay.core.run import Run
from assay.core.stages import LLM
from assay.records.validations import FILE_NAME, Basis, RunValidations, Validation, ValidationCache
from assay.settings import Settings
from assay.verification.model_verifier import PROMPT, ClaimRequest, Ruling, Tier, VerifierReply
from assay.verification.verifier import CHECKS
from assay.wiring.models import Models, as_set, provider_and_model

# Models that are files: what a file holds may change under its name.
_FILES = ("local", "fake")


@dataclass(frozen=True, slots=True)
class CachedTier:
    """A tier that is asked only for what it has not ruled on before; `tell` is told how many verdicts were known.

    Claims are put to a tier together, and one may say whom another one means: either all verdicts are known, or the
    tier is asked for all. `verifier` says who it is, with its version.
    """

    inner: Tier
    verdicts: RunValidations
    verifier: str
    tell: Callable[[int], None]

    @property
    def name(self) -> str:
        """The name of the tier inside."""
        return self.inner.name

    @property
    def cost(self) -> int:
        """The calls that one ruling takes where nothing is known."""
        return self.inner.cost

    async def rule(self, asked: Sequence[ClaimRequest]) -> tuple[Ruling, ...]:
        """One ruling a claim, in order, as it was or now. Raises what the tier inside raises."""
        beside = tuple(one.claim.text for one in asked)
        bases = [Basis(one.claim.text, one.passages, rules(), self.verifier, beside) for one in asked]
        known = await self.verdicts.known(bases)
        if known is not None:
            self.tell(len(known))
            return tuple(
                Ruling(validation.verdict, f"{validation.reason} (as in an earlier test)", validation.spans)
                for validation in known
            )
        ruled = await self.inner.rule(asked)
        await self.verdicts.keep(
            bases, [Validation(ruling.verdict, ruling.spans, ruling.reason) for ruling in ruled]
        )
        return ruled


@cache
def rules() -> str:
    """The version of the rules: the checks before a model is asked, how it is asked and read. A SHA-256, in hex."""
    asked = [version("assay"), CHECKS, PROMPT, VerifierReply.model_json_schema()]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class VerdictCache:
    """The store of verdicts, and their owner; a replay has no cache: what was found is on its tape."""

    cache: ValidationCache | None = None
    verifier: str = ""

    def tier(self, inner: Tier, run: Run) -> Tier:
        """A tier of a run that is not asked again for what is kept."""
        verdicts = RunValidations(self.cache, run.id, run.tape)
        return CachedTier(inner, verdicts, self.verifier, partial(run.meter.knew, VERIFIER))

    def close(self) -> None:
        """Release the file."""
        if self.cache is not None:
            self.cache.close()


def open_verdict_cache(settings: Settings, models: Models, place: Path) -> VerdictCache | None:
    """The verdicts kept beside a collection; None where no model is set to test, or none are to be kept."""
    name, model = settings.verifier_model, models.of("verifier")
    if name is None or model is None or not settings.keep_verdicts:
        return None
    return VerdictCache(ValidationCache(place / FILE_NAME), _verifier(settings, name, model))


def _verifier(settings: Settings, name: str, model: LLM) -> str:
    """The identity of a model: its name and service, or its file as it is now; and how it is asked."""
    provider, own = provider_and_model(name, settings)
    asked = as_set(model.name, settings, "verifier").removeprefix(model.name)
    told = (asked,) if asked else ()
    if provider not in _FILES:
        at = (settings.openai_base_url, settings.anthropic_base_url, settings.gemini_base_url)
        return json.dumps([model.name, model.host, *at, *told])
    path = Path(own).expanduser().absolute()
    file = path.stat()
    return json.dumps([provider, str(path), file.st_size, file.st_mtime_ns, *told])
