"""Models of the Hugging Face hub on this machine: each in a folder of its own, its files pinned by their hashes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from assay.errors import DamagedStore, StoreError, UsageError
from assay.models.checker import POLICY_FILE
from assay.models.onnx import digest_of
from assay.types import Value

# The prefix of such a model in a setting.
PREFIX = "hf:"
LOCK_FILE = "assay-lock.json"
_SCHEMA = "assay-lock/1"
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}"
_NAME = re.compile(rf"{PREFIX}({_PART})/({_PART})@({_PART})")
# Files in a model's folder that were not pulled: the lock, and the owner's fits.
_OURS = frozenset({LOCK_FILE, POLICY_FILE})


@dataclass(frozen=True, slots=True)
class HubName:
    """The name of a model on the hub: `revision` is a tag, a branch or a commit.

    >>> str(HubName.read("hf:cross-encoder/nli-deberta-v3-small@main"))
    'hf:cross-encoder/nli-deberta-v3-small@main'
    """

    organisation: str
    name: str
    revision: str

    @classmethod
    def read(cls, text: str) -> Self:
        """The name in `text`; raises UsageError where it is none."""
        found = _NAME.fullmatch(text)
        if found is None:
            raise UsageError(
                f"{text!r} names no model of the hub",
                hint="write hf:ORG/NAME@REVISION; the revision is a tag, a commit, or main",
            )
        return cls(*found.groups())

    @property
    def repository(self) -> str:
        """The model as the hub calls it."""
        return f"{self.organisation}/{self.name}"

    @property
    def folder(self) -> str:
        """The name of its folder here."""
        return f"{self.organisation}--{self.name}@{self.revision}"

    def __str__(self) -> str:
        """The name as a setting has it."""
        return f"{PREFIX}{self.repository}@{self.revision}"


@dataclass(frozen=True, slots=True)
class PulledModel(Value):
    """A model that was pulled: the commit it is from, the network taken, and its files with their SHA-256 in hex.

    `size` is that of all files, in bytes.
    """

    name: str
    commit: str
    network: str
    files: Mapping[str, str]
    size: int


@dataclass(frozen=True, slots=True)
class PulledModels:
    """The models in a folder; nothing in it is fetched or run by looking at it."""

    place: Path

    def all(self) -> tuple[PulledModel, ...]:
        """Every model, by name; files are not compared. Raises DamagedStore for a lock that cannot be read."""
        locks = sorted(self.place.glob(f"*/{LOCK_FILE}")) if self.place.is_dir() else []
        # A model that is being fetched is in a folder whose name begins with a dot.
        return tuple(self._locked(lock.parent) for lock in locks if not lock.parent.name.startswith("."))

    def network(self, name: HubName) -> Path:
        """The network of a model, after all its files were compared with the lock.

        Raises UsageError where the model was not pulled, DamagedStore where a file is missing, changed or new.
        """
        folder = self.place / name.folder
        if not (folder / LOCK_FILE).is_file():
            raise UsageError(f"{name} was not pulled", hint=f"assay models pull {name}")
        model = self._locked(folder)
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()} - _OURS
        for path in sorted(there | set(model.files)):
            if path not in there or model.files.get(path) != digest_of(folder / path):
                what = "is missing" if path not in there else "is not what was pulled"
                raise _damaged(f"{folder / path} {what}", name)
        return folder / model.network

    def holds(self, name: HubName) -> bool:
        """True if the model was pulled."""
        return (self.place / name.folder).exists()

    def keep(self, name: HubName, commit: str, network: str, fetched: Path) -> PulledModel:
        """Pin the files in the folder `fetched` and make it the model's, whole or not at all."""
        paths = sorted(path for path in fetched.rglob("*") if path.is_file())
        files = {path.relative_to(fetched).as_posix(): digest_of(path) for path in paths}
        model = PulledModel(str(name), commit, network, files, sum(path.stat().st_size for path in paths))
        lock = json.dumps({"schema": _SCHEMA, **model.to_dict()}, indent=2)
        (fetched / LOCK_FILE).write_text(lock + "\n", encoding="utf-8")
        try:
            fetched.rename(self.place / name.folder)
        except OSError as error:
            if not self.holds(name):
                raise
            # Another process has just pulled it.
            raise StoreError(f"{name} already exists", hint=f"assay models remove {name}") from error
        return model

    def remove(self, name: HubName) -> None:
        """Remove a model with all that is in its folder; raises UsageError where it was not pulled."""
        if not self.holds(name):
            raise UsageError(f"{name} was not pulled", hint="`assay models list` names those that were")
        shutil.rmtree(self.place / name.folder)

    def _locked(self, folder: Path) -> PulledModel:
        path = folder / LOCK_FILE
        try:
            said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if said.pop("schema") != _SCHEMA:
                raise ValueError("its schema is not " + _SCHEMA)
            model = PulledModel(**said)
            name = HubName.read(model.name)
            if name.folder != folder.name or model.network not in model.files:
                raise ValueError("it is of another model")
        except (OSError, AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
            raise DamagedStore(
                f"{path} cannot be used: {error}", hint=f"remove {folder}, then pull the model again"
            ) from error
        return model


def _damaged(what: str, name: HubName) -> DamagedStore:
    return DamagedStore(what, hint=f"assay models remove {name}, then pull it again")
