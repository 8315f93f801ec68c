"""Fetch a model from the Hugging Face hub: JSON, and one network in ONNX. No code and no pickle is ever fetched."""

from __future__ import annotations

import errno
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from assay.errors import (
    DamagedStore,
    EgressRefused,
    MissingExtra,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    StoreError,
    UsageError,
)
from assay.models.checker import POLICY_FILE
from assay.models.hub_folder import ASSAY_FILE, NETWORKS, WEIGHTS_BESIDE
from assay.models.onnx import digest_of
from assay.types import Value

# Models of the Hugging Face hub on this machine: each in a folder of its own, its files pinned by their hashes.


# How a setting says that a model is one of these.
PREFIX = "hf:"
LOCK_FILE = "assay-lock.json"
_SCHEMA = "assay-lock/1"
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}"
_NAME = re.compile(rf"{PREFIX}({_PART})/({_PART})@({_PART})")
# What stands in a model's folder and was not pulled: the lock, and what its owner fitted.
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
        """What its folder here is called."""
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
        # What is being fetched stands in a folder whose name begins with a dot.
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
        """Whether the model was pulled."""
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
            raise StoreError(f"{name} is there already", hint=f"assay models remove {name}") from error
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


try:
    from huggingface_hub import HfApi
    from huggingface_hub import errors as refusals
    from huggingface_hub.utils.tqdm import disable_progress_bars
except ImportError as error:
    raise MissingExtra(
        f"models of the hub need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[hub]"',
    ) from error

Result = TypeVar("Result")

# All that is read of a model besides its network.
DESCRIBED = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "1_Pooling/config.json",
)
_NEEDED = ("config.json", "tokenizer.json")
_NETWORK = re.compile(r"(onnx/)?[A-Za-z0-9_][A-Za-z0-9_.-]*\.onnx")
# Weights in other forms, told of where there is no network in ONNX.
_OTHER_WEIGHTS = (".bin", ".pt", ".safetensors", ".h5", ".msgpack")
# Seconds for the list of a model's files.
_PATIENCE = 20.0


def pull(
    name: HubName,
    models: PulledModels,
    *,
    network: str | None = None,
    said: Mapping[str, Any] | None = None,
    endpoint: str | None = None,
    tell: Callable[[str], None] = lambda _what: None,
) -> PulledModel:
    """Fetch a model and pin its files; `network` names one of several networks, `said` is written to `assay.json`.

    `endpoint` is the hub's address, by default huggingface.co or what HF_ENDPOINT says. `tell` is told of each
    file. No token is sent. Raises UsageError where the model is there already or has no network that can be taken,
    ProviderError where the hub does not give it, EgressRefused where HF_HUB_OFFLINE forbids asking.
    """
    if models.holds(name):
        raise UsageError(f"{name} is there already", hint=f"to fetch it again, first: assay models remove {name}")
    disable_progress_bars()
    hub = HfApi(endpoint=endpoint, token=False, library_name="assay")
    info = _asked(
        lambda: hub.model_info(
            name.repository, revision=name.revision, files_metadata=True, timeout=_PATIENCE, token=False
        ),
        name,
    )
    commit, hashes = str(info.sha), {sibling.rfilename: sibling.lfs for sibling in info.siblings or []}
    chosen = chosen_network(name, tuple(hashes), network)
    wanted = [*DESCRIBED, chosen, *(chosen + ending for ending in WEIGHTS_BESIDE)]
    models.place.mkdir(mode=0o700, parents=True, exist_ok=True)
    fetched = Path(tempfile.mkdtemp(prefix=".pulling-", dir=models.place))
    try:
        for file in (file for file in wanted if file in hashes):
            _asked(
                lambda file=file: hub.hf_hub_download(  # type: ignore[misc]
                    name.repository, file, revision=commit, local_dir=fetched, token=False
                ),
                name,
            )
            promised = hashes[file]
            if promised is not None and promised.sha256 != digest_of(fetched / file):
                raise ProviderFailed(
                    f"{file} of {name} is not what the hub says it is",
                    hint="pull it again; if it stays so, do not use it",
                )
            tell(f"{file}, {(fetched / file).stat().st_size / 1e6:,.1f} MB")
        shutil.rmtree(fetched / ".cache", ignore_errors=True)  # what huggingface_hub keeps for itself
        if said:
            (fetched / ASSAY_FILE).write_text(json.dumps(dict(said), indent=2) + "\n", encoding="utf-8")
        return models.keep(name, commit, chosen, fetched)
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def chosen_network(name: HubName, files: Sequence[str], wanted: str | None) -> str:
    """The network to fetch among a model's files: the one that is wanted, else the usual one, else the only one.

    Raises UsageError where there is none, or several and none is usual or wanted.

    >>> files = ["config.json", "tokenizer.json", "onnx/model.onnx", "onnx/model_O4.onnx"]
    >>> chosen_network(HubName("org", "name", "main"), files, None)
    'onnx/model.onnx'
    """
    known = sorted(file for file in files if _NETWORK.fullmatch(file))
    missing = [needed for needed in _NEEDED if needed not in files]
    if missing:
        raise UsageError(
            f"{name} has no {' and no '.join(missing)}",
            hint="take a model that has them, or make a folder with them: docs/how-to/use-open-models.md",
        )
    if wanted is not None:
        if wanted in known:
            return wanted
        hint = f"it has {', '.join(known)}" if known else "it has none in ONNX, and nothing else is fetched"
        raise UsageError(f"{name} has no network {wanted!r}", hint=hint)
    usual = [network_file for network_file in NETWORKS if network_file in known]
    if usual or len(known) == 1:
        return (usual or known)[0]
    if known:
        raise UsageError(
            f"{name} has several networks: {', '.join(known)}", hint=f"name one of them: --file {known[0]}"
        )
    others = [file for file in files if file.endswith(_OTHER_WEIGHTS)]
    has = f", only {', '.join(others[:3])}, which assay does not open" if others else ""
    raise UsageError(
        f"{name} has no network in ONNX{has}",
        hint=f"export it: optimum-cli export onnx --model {name.repository} FOLDER; then name the folder",
    )


def _asked(question: Callable[[], Result], name: HubName) -> Result:
    """What the hub answers; its refusals become errors of ours."""
    try:
        return question()
    except refusals.RevisionNotFoundError as error:
        raise ProviderRefused(
            f"the hub has no revision {name.revision} of {name.repository}", hint="name a tag, a commit, or main"
        ) from error
    except refusals.RepositoryNotFoundError as error:
        raise ProviderRefused(
            f"the hub shows no model {name.repository}",
            hint="see how it is written; one that is private or gated: fetch it yourself and name its folder",
        ) from error
    except refusals.OfflineModeIsEnabled as error:
        raise EgressRefused("HF_HUB_OFFLINE forbids asking the hub", hint="unset it, or name a folder") from error
    except refusals.HfHubHTTPError as error:
        raise ProviderFailed(
            f"the hub refused {name}: {_first_line(error)}", hint="try again later", retryable=True
        ) from error
    except Exception as error:  # the package raises the errors of whichever HTTP library it uses
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        raise ProviderUnreachable(
            f"the hub cannot be reached: {type(error).__name__}: {_first_line(error)}",
            hint="see whether the network is up; HF_ENDPOINT names another hub",
            retryable=True,
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
