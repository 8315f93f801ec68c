"""Whether a text supports a claim, by a sequence classifier in the layout of the Hugging Face hub.

Two families do: classifiers of three classes for natural language inference (entailment, neutral, contradiction)
and of two (supported or not; Tang et al. 2024, MiniCheck, arXiv 2404.10774). Both read the text, then the claim.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.calibration import ClaimPolicy
from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.text_pairs import Framed, PairNetwork, class_logits
from assay.ports import CheckerModel, Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A claim beyond this is cut, as the bundled checker cuts it; verify/entailed.py puts none that long to a checker.
CLAIM_TOKENS = 96
# What a checker's verdicts settle stands here, once it was fitted.
POLICY_FILE = "claim_policy.json"
# The columns of a checker's probabilities.
SUPPORTS, CONTRADICTS, NEITHER = 0, 1, 2
# What the labels of checkers on the hub mean, in small letters and without signs.
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
        """What `check` gives, computed before it returns; without a class for contradictions their column is 0."""
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
    """What a checker is called: verdicts by another network or under another policy have another name."""
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
    known = [each for each in meant if each is not None]
    if len(known) == len(labels) == len(set(known)) and SUPPORTS in known:
        return tuple(known)
    raise folder.refuse(
        f"{found}: they do not say which class means that the text supports the claim",
        'say it, in the order of the classes, in assay.json beside config.json: {"labels": ["unsupported", '
        '"supported"]} or {"labels": ["entailment", "neutral", "contradiction"]}; for a model that is pulled, with '
        "assay models pull --labels",
    )


def _policy(folder: HubFolder, sha256: str) -> ClaimPolicy | None:
    """What the checker's verdicts settle, None where nobody fitted it; raises UsageError for another network's."""
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
        raise folder.refuse(f"{path} holds no policy: {error}", "fit it again or remove it") from error
