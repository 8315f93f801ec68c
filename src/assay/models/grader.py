"""Scores for pairs of texts from an ONNX cross-encoder in a local folder: no network, no torch.

The folder holds `model.onnx`, `tokenizer.json` and a `manifest.json` whose hashes the files must have. The network
reads `[CLS] claim [SEP] evidence [SEP]`; a third input marks each token by which text it belongs to and whether the
other text has it too, so that a small network need not learn to compare words.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from assay.calibration import Joining
from assay.errors import UsageError
from assay.models.onnx_runtime import onnxruntime
from assay.ports import GraderModel
from assay.ports import Pair as Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "assay-grader/1"
# Tokens in one run of the network; small batches stay in the processor's cache.
TOKENS_IN_A_BATCH = 1024
# A claim may fill at most this share of a pair: evidence is never cut to nothing.
_CLAIM_SHARE = 0.5
# Reading a megabyte to keep its first tokens is waste; no real token is longer than this on average.
_CHARACTERS_A_TOKEN = 200
_INPUTS = frozenset({"input_ids", "marks"})
# Room for three tokens that frame the texts and some of each; the longest that such networks were trained with.
_FEWEST_TOKENS, _MOST_TOKENS = 8, 512
# What a manifest must say, beside how scores are joined.
_SAID: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "id": lambda value: isinstance(value, str) and bool(value),
        "max_tokens": lambda value: type(value) is int and _FEWEST_TOKENS <= value <= _MOST_TOKENS,
        "files": lambda value: isinstance(value, dict),
        "languages": lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
    }
)
# A token of the claim that the evidence lacks, that it has, that it has beside the same neighbour; of the evidence
# likewise, three higher.
LONE, SHARED, TOGETHER = 0, 1, 2
OF_EVIDENCE = 3


def marks(claim: Sequence[int], evidence: Sequence[int]) -> list[int]:
    """The mark of each token of `[CLS] claim [SEP] evidence [SEP]`; the three that frame the texts count as lone.

    >>> marks([7, 8, 9], [5, 7, 8])
    [0, 2, 2, 0, 0, 3, 5, 5, 3]
    """
    return [
        LONE,
        *_marked(claim, evidence),
        LONE,
        *(OF_EVIDENCE + each for each in _marked(evidence, claim)),
        OF_EVIDENCE + LONE,
    ]


def _marked(mine: Sequence[int], theirs: Sequence[int]) -> list[int]:
    held, pairs = frozenset(theirs), frozenset(pairwise(theirs))
    found = [SHARED if each in held else LONE for each in mine]
    for at, pair in enumerate(pairwise(mine)):
        if pair in pairs:
            found[at] = found[at + 1] = TOGETHER
    return found


@dataclass(frozen=True, slots=True)
class Framed:
    """A pair as the network reads it: token ids with the three that frame the texts, and their marks."""

    ids: tuple[int, ...]
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Framer:
    """Turns pairs into tokens: at most `max_tokens` a pair, the claim at most half of them, the evidence the rest.

    `first` and `last` are the tokens that frame the texts.
    """

    tokenizer: Tokenizer
    max_tokens: int
    first: int
    last: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, max_tokens: int) -> Framer:
        """A framer; ValueError where the tokenizer has no [CLS] or no [SEP]."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        if first is None or last is None:
            raise ValueError("the tokenizer has no [CLS] or no [SEP]")
        return cls(tokenizer, max_tokens, first, last)

    def framed(self, pairs: Sequence[Pair]) -> list[Framed]:
        """The pairs in order, cut at their ends where they are too long."""
        claims = self._ids([pair.claim for pair in pairs])
        texts = self._ids([pair.evidence for pair in pairs])
        made = []
        for whole, text in zip(claims, texts, strict=True):
            claim = whole[: int(_CLAIM_SHARE * self.max_tokens) - 2]
            evidence = text[: self.max_tokens - 3 - len(claim)]
            ids = (self.first, *claim, self.last, *evidence, self.last)
            made.append(Framed(ids, tuple(marks(claim, evidence))))
        return made

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        # A lone surrogate, which no tokenizer takes, becomes a question mark.
        readable = [text[:longest].encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [each.ids for each in self.tokenizer.encode_batch_fast(readable, add_special_tokens=False)]


@dataclass(frozen=True, slots=True, eq=False)
class PairScorer:
    """A cross-encoder that runs in this process.

    `model` names it, with eight characters for its weights and joinings; its hash covers weights and tokenizer. A
    pair's score does not depend on what else is scored with it, to about 1e-5.
    """

    model: GraderModel
    max_tokens: int
    threads: int
    _session: Any = field(repr=False)
    _framer: Framer = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, folder: Path, *, threads: int = 2) -> PairScorer:
        """Open the model in `folder`; at most `threads` batches run at once, each on one thread.

        Raises UsageError when a file is missing, damaged, not the one of the manifest, or not such a model.
        """
        manifest = _manifest(folder)
        digests = [_checked(folder / name, manifest) for name in ("model.onnx", "tokenizer.json")]
        max_tokens = manifest["max_tokens"]
        return cls(
            model=GraderModel(
                id=f"{manifest['id']}-{_fingerprint(digests, manifest)}",
                sha256=hashlib.sha256("\n".join(digests).encode()).hexdigest(),
                languages=tuple(manifest["languages"]),
                joinings=_joinings(folder / "manifest.json", manifest),
            ),
            max_tokens=max_tokens,
            threads=threads,
            _session=_session(folder / "model.onnx"),
            _framer=_framer(folder / "tokenizer.json", max_tokens),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-grade"),
        )

    async def score(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """One log odds a pair, shape (len(pairs),), above 0 for borne out; the event loop stays free."""
        return await asyncio.to_thread(self.score_now, pairs)

    def score_now(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """What `score` gives, computed before it returns."""
        framed = self._framer.framed(pairs)
        found = np.zeros(len(pairs), np.float32)
        lengths = [len(each.ids) for each in framed]
        # A few pairs are one batch: cut, so that no thread is idle while another works.
        batches = _batches(lengths, min(TOKENS_IN_A_BATCH, -(-sum(lengths) // self.threads)))
        runs = self._threads.map(self._logits, ([framed[at] for at in batch] for batch in batches))
        for batch, logits in zip(batches, runs, strict=True):
            found[batch] = logits
        if not np.isfinite(found).all():
            raise _not_usable(f"the grader {self.model.id} gave a score that is no number")
        return found

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _logits(self, batch: Sequence[Framed]) -> NDArray[np.float32]:
        """The log odds of one batch, in one run."""
        shape = len(batch), max(len(each.ids) for each in batch)
        given = {"input_ids": np.zeros(shape, np.int64), "marks": np.zeros(shape, np.int64)}
        for row, each in enumerate(batch):
            given["input_ids"][row, : len(each.ids)] = each.ids
            given["marks"][row, : len(each.marks)] = each.marks
        (logits,) = self._session.run(["logit"], given)
        return np.asarray(logits, np.float32).reshape(len(batch))


def _not_usable(message: str) -> UsageError:
    again = "install assay-models again, in the clone of assay: pip install --force-reinstall ./models"
    return UsageError(message, hint=f"name a folder that holds a grader with --grader; for the bundled one {again}")


def _fingerprint(digests: Sequence[str], manifest: Mapping[str, Any]) -> str:
    """Eight characters that change with the weights and with how scores are joined: calibrations go by the name."""
    told = json.dumps([*digests, manifest.get("joinings")], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def _manifest(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise _not_usable(f"there is no folder {folder}")
    path = folder / "manifest.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _not_usable(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise _not_usable(f"{path} is no manifest of a grader: {error}") from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise _not_usable(f"{path} is no manifest of a grader: its schema is not {SCHEMA}")
    lacking = [name for name, fits in _SAID.items() if not fits(found.get(name))]
    if lacking:
        raise _not_usable(f"{path} does not say what its {' and '.join(lacking)} should be")
    return found


def _joinings(path: Path, manifest: dict[str, Any]) -> dict[str, Joining]:
    """How the scores are used, by what for; none where nothing was fitted to them."""
    try:
        return {use: _joining(body) for use, body in manifest.get("joinings", {}).items()}
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise _not_usable(f"{path} does not say how its scores are joined: {error!r}") from error


def _joining(body: dict[str, Any]) -> Joining:
    made = Joining({name: float(weight) for name, weight in body["weights"].items()}, float(body["shift"]))
    if not made.weights:
        raise ValueError("it weighs nothing")
    if not all(map(math.isfinite, (made.shift, *made.weights.values()))):
        raise ValueError("a weight is no number")
    return made


def _checked(path: Path, manifest: dict[str, Any]) -> str:
    """The file's hash, which must be the manifest's."""
    if not path.is_file():
        raise _not_usable(f"{path} is not there")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if manifest["files"].get(path.name) != digest:
        raise _not_usable(f"{path} is not the file its manifest describes")
    return digest


def _session(weights: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Only fatal: the errors are raised, and a warning on standard error is no one's business.
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a dozen unrelated classes for a bad file
        raise _not_usable(f"{weights} is not a model that onnxruntime can open: {error}") from error
    if {entry.name for entry in session.get_inputs()} != _INPUTS:
        raise _not_usable(f"{weights} does not take input_ids and marks; a grader does")
    return session


def _framer(path: Path, max_tokens: int) -> Framer:
    try:
        return Framer.of(Tokenizer.from_file(str(path)), max_tokens)
    except Exception as error:  # tokenizers raises plain Exception
        raise _not_usable(f"{path} is not a tokenizer: {error}") from error


def _batches(lengths: Sequence[int], room: int = TOKENS_IN_A_BATCH) -> list[list[int]]:
    """Positions grouped by length, so that little is padded: shortest first, each at most `room` padded tokens.

    A pair that is longer than the room is a batch of its own.

    >>> _batches([300, 500, 80, 450]), _batches([300, 500, 80, 450], room=500)
    ([[2, 0], [3, 1]], [[2], [0], [3], [1]])
    """
    batches: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batches and (len(batches[-1]) + 1) * lengths[position] <= room:
            batches[-1].append(position)
        else:
            batches.append([position])
    return batches
