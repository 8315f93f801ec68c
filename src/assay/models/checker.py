"""Whether a text supports a claim, by an ONNX network in a local folder: no model hub, no torch.

The network reads `[CLS] claim [SEP] text [SEP]` and gives the pair four logits: one that readers use, then
supports, contradicts, neither. models/checker trains it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.calibration import ClaimPolicy
from assay.errors import UsageError
from assay.models.onnx_folder import TOKENS_IN_A_BATCH, Network, OnnxFolder, batches
from assay.ports import CheckerModel, Pair

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
        "languages": lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
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
        hint = f"name a folder that holds a checker; for the bundled one {again}"
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

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Three probabilities a pair, shape (pairs, 3); the event loop stays free."""
        return await asyncio.to_thread(self.check_now, pairs)

    def check_now(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """What `check` gives, computed before it returns."""
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
        claims = self._network.encoded([each.claim[: CLAIM_TOKENS * _CHARACTERS_A_TOKEN] for each in pairs])
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        texts = self._network.encoded([each.evidence[:longest] for each in pairs])
        made = []
        for whole, text in zip(claims, texts, strict=True):
            claim = whole.ids[:CLAIM_TOKENS]
            evidence = text.ids[: self.max_tokens - len(claim) - 3]
            made.append(((first, *claim, last, *evidence, last), len(claim) + 2))
        return made

    def _logits(self, group: Sequence[tuple[tuple[int, ...], int]]) -> NDArray[np.float32]:
        """The logits of one batch, in one run, shape (pairs, 3)."""
        shape = len(group), max(len(ids) for ids, _ in group)
        given = {"input_ids": np.zeros(shape, np.int64), "segments": np.zeros(shape, np.int64)}
        for row, (ids, second) in enumerate(group):
            given["input_ids"][row, : len(ids)] = ids
            given["segments"][row, second : len(ids)] = 1
        (pair,) = self._network.session.run(["pair"], given)
        return np.asarray(pair, np.float32)[:, 1:]
