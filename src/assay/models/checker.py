"""Support of a claim by a text, from an ONNX network in a local folder: no model hub, no torch.

The network reads `[CLS] claim [SEP] text [SEP]` and gives the pair four logits: one that readers use, then
supports, contradicts, neither. models/checker trains it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.calibration import ClaimPolicy
from assay.core.stages import CheckerModel, Pair
from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.onnx import TOKENS_IN_A_BATCH, Network, OnnxFolder, batches
from assay.models.text_pairs import Framed, PairNetwork, class_logits

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "assay-checker/1"
# As in training: a longer claim is cut, and so is what the pair has beyond `max_tokens`.
CLAIM_TOKENS = 96
# Reading a megabyte of text to keep its first tokens is waste; no real token is longer than this on average.
_CHARACTERS_A_TOKEN = 40
_INPUTS = frozenset({"input_ids", "segments"})


def _is_policy(value: Any) -> bool:
    try:
        ClaimPolicy.read(value)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return False
    return True


_SAYS: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "id": lambda value: isinstance(value, str) and bool(value),
        "max_tokens": lambda value: type(value) is int and 160 <= value <= 512,
        "languages": lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
        "policy": _is_policy,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class OnnxChecker:
    """A checker that runs in this process, at most `threads` batches at once, each on one thread.

    `model` names it with eight characters for its weights and its policy: calibrations go by the name. The
    probabilities of a pair do not depend on what else is read with it, to about 1e-4.
    """

    model: CheckerModel
    max_tokens: int
    threads: int
    _network: Network = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, path: Path, *, threads: int = 2) -> OnnxChecker:
        """Check the checker in a folder; raises UsageError when it holds none, or a damaged one."""
        again = "install assay-models again, in the clone of assay: pip install --force-reinstall ./models"
        hint = f"name a folder that contains a checker; for the bundled one {again}"
        folder = OnnxFolder.open(path, what="checker", schema=SCHEMA, says=_SAYS, hint=hint)
        manifest = folder.manifest
        told = json.dumps([*folder.digests, manifest["policy"]], sort_keys=True)
        return cls(
            model=CheckerModel(
                id=f"{manifest['id']}-{hashlib.sha256(told.encode()).hexdigest()[:8]}",
                sha256=folder.sha256,
                languages=tuple(manifest["languages"]),
                policy=ClaimPolicy.read(manifest["policy"]),
            ),
            max_tokens=manifest["max_tokens"],
            threads=threads,
            _network=Network(folder, _INPUTS),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-check"),
        )

    def fitted(self, policy: ClaimPolicy) -> OnnxChecker:
        """The same checker under another policy and another name; it shares the threads."""
        named = _id(self.model.id.rpartition("-")[0], self.model.sha256, asdict(policy))
        return replace(self, model=replace(self.model, id=named, policy=policy))

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Three probabilities a pair, shape (pairs, 3); the event loop stays free."""
        return await asyncio.to_thread(self.check_now, pairs)

    def check_now(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Compute the result of `check` before returning."""
        framed = self._framed(pairs)
        lengths = [len(ids) for ids, _ in framed]
        # A few pairs are one batch: cut, so that no thread is idle while another works.
        groups = batches(lengths, min(TOKENS_IN_A_BATCH, -(-sum(lengths) // self.threads)))
        runs = self._threads.map(self._logits, ([framed[at] for at in group] for group in groups))
        found = np.zeros((len(pairs), 3), np.float32)
        for group, logits in zip(groups, runs, strict=True):
            found[group] = logits
        if not np.isfinite(found).all():
            raise UsageError(
                f"the checker {self.model.id} gave a score that is not a number",
                hint="exchange it with --checker, or do without: --checker none",
            )
        shares = np.exp(found - found.max(-1, keepdims=True))
        return np.asarray(shares / shares.sum(-1, keepdims=True), np.float32)

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _framed(self, pairs: Sequence[Pair]) -> list[tuple[tuple[int, ...], int]]:
        """Each pair's tokens, and where its text begins."""
        first, last = self._network.frame
        claims = self._network.encoded([pair.claim[: CLAIM_TOKENS * _CHARACTERS_A_TOKEN] for pair in pairs])
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        texts = self._network.encoded([pair.evidence[:longest] for pair in pairs])
        made = []
        for whole, text in zip(claims, texts, strict=True):
            claim = whole.ids[:CLAIM_TOKENS]
            evidence = text.ids[: self.max_tokens - len(claim) - 3]
            made.append(((first, *claim, last, *evidence, last), len(claim) + 2))
        return made

    def _logits(self, group: Sequence[tuple[tuple[int, ...], int]]) -> NDArray[np.float32]:
        """The logits of one batch, in one run, shape (pairs, 3)."""
        (pair,) = self._network.run(["pair"], group)
        return pair[:, 1:]


# The support of a claim by a text, by a sequence classifier in the layout of the Hugging Face hub.


# The file of a checker's fit.
POLICY_FILE = "claim_policy.json"
# The columns of a checker's probabilities.
SUPPORTS, CONTRADICTS, NEITHER = 0, 1, 2
# The meaning of the labels of checkers on the hub, in small letters and without signs.
_MEANINGS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("entailment", "entails", "entailed", "supported", "supports", "support"), SUPPORTS),
        **dict.fromkeys(("consistent", "grounded", "faithful"), SUPPORTS),
        **dict.fromkeys(("contradiction", "contradicts", "contradicted", "refutes", "refuted"), CONTRADICTS),
        **dict.fromkeys(("neutral", "not enough info", "neither", "not entailment", "not entailed"), NEITHER),
        **dict.fromkeys(("unsupported", "not supported", "inconsistent", "not grounded"), NEITHER),
        **dict.fromkeys(("hallucinated", "hallucination", "unfaithful"), NEITHER),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierChecker:
    """A checker from the hub that runs in this process, at most `threads` pairs at once, each on one thread.

    Without a file `claim_policy.json` in its folder its model has no policy, until `fitted` gives it one: what it
    says settles nothing. `model` names it with eight characters for its weights, its labels and its policy.
    """

    model: CheckerModel
    folder: HubFolder
    columns: tuple[int, ...]
    _network: PairNetwork = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, path: Path, *, threads: int = 2) -> ClassifierChecker:
        """Check the folder of a classifier, or a network named by its file.

        Raises UsageError when a part is missing or damaged, when the labels cannot be understood, and when the
        policy is none or was fitted for another network.
        """
        folder = HubFolder.open(path, what="checker", option="--checker")
        columns = columns_of(folder)
        sha256 = folder.sha256
        policy = _policy(folder, sha256)
        body = None if policy is None else folder.json(POLICY_FILE)["policy"]
        return cls(
            model=CheckerModel(_id(folder.name, sha256, body), sha256, folder.languages, policy),
            folder=folder,
            columns=columns,
            _network=PairNetwork(folder, ["logits"]),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-check"),
        )

    def fitted(self, policy: ClaimPolicy | None) -> ClassifierChecker:
        """The same checker under another policy, None for none; it shares the threads."""
        body = None if policy is None else asdict(policy)
        named = _id(self.folder.name, self.model.sha256, body)
        return replace(self, model=replace(self.model, id=named, policy=policy))

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Three probabilities a pair, shape (pairs, 3); the event loop stays free."""
        return await asyncio.to_thread(self.check_now, pairs)

    def check_now(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Compute the result of `check` before returning; without a class for contradictions their column is 0."""
        found = np.zeros((len(pairs), 3), np.float32)
        for row, shares in enumerate(self._threads.map(self._shares, pairs)):
            found[row, list(self.columns)] = shares
        return found

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _shares(self, pair: Pair) -> NDArray[np.float32]:
        framed: list[Framed] = self._network.framed(
            pair.claim, pair.evidence, short_tokens=CLAIM_TOKENS, long_first=True
        )
        logits = class_logits(self._network, framed[0], len(self.columns))
        if not np.isfinite(logits).all():
            raise UsageError(
                f"the checker {self.model.id} gave a score that is not a number",
                hint="exchange it with --checker, or do without: --checker none",
            )
        shares = np.exp(logits - logits.max())
        return np.asarray(shares / shares.sum(), np.float32)


def _id(name: str, sha256: str, policy: Mapping[str, Any] | None) -> str:
    """The checker's id: verdicts by another network or under another policy have another one."""
    told = json.dumps([sha256, policy], sort_keys=True)
    return f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def columns_of(folder: HubFolder) -> tuple[int, ...]:
    """For each class of a checker's network the column of its probability: supports, contradicts, neither.

    Raises UsageError, with what was found and what to do, where the labels do not say.
    """
    labels = folder.labels
    meant = [
        _MEANINGS.get(" ".join(label.casefold().replace("_", " ").replace("-", " ").split())) for label in labels
    ]
    found = f"the labels of {folder.path} are {', '.join(labels)}"
    if len(labels) == 1:
        raise folder.refuse(f"{found}: one class is a reranker's, a checker has two or three", "try --reranker")
    known = [meaning for meaning in meant if meaning is not None]
    if len(known) == len(labels) == len(set(known)) and SUPPORTS in known:
        return tuple(known)
    raise folder.refuse(
        f"{found}: they do not say which class means that the text supports the claim",
        'say it, in the order of the classes, in assay.json beside config.json: {"labels": ["unsupported", '
        '"supported"]} or {"labels": ["entailment", "neutral", "contradiction"]}; for a model that is pulled, with '
        "assay models pull --labels",
    )


def _policy(folder: HubFolder, sha256: str) -> ClaimPolicy | None:
    """The checker's policy, None where nobody fitted it; raises UsageError for another network's."""
    said: dict[str, Any] = folder.json(POLICY_FILE)
    if not said:
        return None
    path = folder.path / POLICY_FILE
    if said.get("made_for") != sha256:
        raise folder.refuse(
            f"{path} was fitted for another network, or for other labels", "fit it again or remove it"
        )
    try:
        return ClaimPolicy.read(said["policy"])
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise folder.refuse(f"{path} contains no policy: {error}", "fit it again or remove it") from error
