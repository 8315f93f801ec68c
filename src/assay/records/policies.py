"""The policies fitted for checkers: one append-only file for each checker, named by its hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from assay.calibration import ClaimPolicy
from assay.errors import DamagedStore, UsageError
from assay.records.append_only import AppendOnlyFile
from assay.types import Value

# The version of what comes with a model: the policy in its folder, or none.
OWN = 0
_SCHEMA = "assay-policies/1"


@dataclass(frozen=True, slots=True)
class FittedPolicy(Value):
    """A policy and the data that it was fitted on, in words; `version` counts from 1.

    `at` is Unix seconds, `by` names who fitted it. `weights` is the hash of the weights of words and vectors that
    it was fitted beside (`calibration.shipped.weights_behind`), `reached` is its result on labels it did not see.
    """

    version: int
    at: float
    by: str
    data: str
    weights: str
    policy: ClaimPolicy
    reached: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, version: int, body: Mapping[str, Any]) -> Self:
        """The policy as a line has it; raises KeyError, TypeError or ValueError for another form."""
        if body["schema"] != _SCHEMA:
            raise ValueError(f"its schema is not {_SCHEMA}")
        return cls(
            version=version,
            at=float(body["at"]),
            by=str(body["by"]),
            data=str(body["data"]),
            weights=str(body["weights"]),
            policy=ClaimPolicy.read(body["policy"]),
            reached=dict(body["reached"]),
        )


@dataclass(frozen=True, slots=True)
class CheckerPolicies:
    """The policies of one checker, whose files have the hash `sha256`, in the folder `place`.

    Raises StoreError if a file cannot be read or written, DamagedStore if it has another form.
    """

    place: Path
    sha256: str

    @property
    def path(self) -> Path:
        """The file; it does not exist before the first fit."""
        return self.place / f"{self.sha256}.jsonl"

    def all(self) -> tuple[FittedPolicy, ...]:
        """Every policy, oldest first."""
        return self._read()[0]

    def in_use(self) -> FittedPolicy | None:
        """The policy chosen last; None for what comes with the model."""
        fitted, version = self._read()
        return None if version == OWN else fitted[version - 1]

    def keep(
        self, policy: ClaimPolicy, *, data: str, weights: str, reached: Mapping[str, Any], at: float, by: str
    ) -> FittedPolicy:
        """Add a policy and use it from now on."""
        version = len(self.all()) + 1
        made = FittedPolicy(version, at, by, data, weights, policy, reached)
        body = made.to_dict()
        del body["version"]  # told by the place in the file
        AppendOnlyFile(self.path).add({"schema": _SCHEMA, **body})
        return made

    def use(self, version: int, *, at: float, by: str) -> None:
        """Use another policy, 0 for what comes with the model; UsageError for an unknown version."""
        known = [OWN, *(fitted.version for fitted in self.all())]
        if version not in known:
            raise UsageError(
                f"the checker has no policy {version}; it has {', '.join(map(str, known))}",
                hint="0 is what comes with the model",
            )
        AppendOnlyFile(self.path).add({"at": at, "by": by, "use": version})

    def _read(self) -> tuple[tuple[FittedPolicy, ...], int]:
        """The policies, and the version in use."""
        fitted: list[FittedPolicy] = []
        chosen = OWN
        try:
            for body in AppendOnlyFile(self.path).lines():
                if "use" in body:
                    chosen = int(body["use"])
                else:
                    fitted.append(FittedPolicy.read(len(fitted) + 1, body))
                    chosen = len(fitted)
                if not OWN <= chosen <= len(fitted):
                    raise ValueError(f"it chooses policy {chosen} of {len(fitted)}")
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise DamagedStore(
                f"{self.path} cannot be used: {error}", hint="remove it, then fit the checker again"
            ) from error
        return tuple(fitted), chosen
