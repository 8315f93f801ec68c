"""Fetch a model from the Hugging Face hub: JSON, and one network in ONNX. No code and no pickle is ever fetched."""

from __future__ import annotations

import errno
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import (
    EgressRefused,
    MissingExtra,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from assay.models.hub import HubName, PulledModel, PulledModels
from assay.models.hub_folder import ASSAY_FILE, NETWORKS, WEIGHTS_BESIDE
from assay.models.onnx import digest_of

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
        raise UsageError(f"{name} already exists", hint=f"to fetch it again, first: assay models remove {name}")
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
    """Ask the hub; its refusals become errors of ours."""
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
