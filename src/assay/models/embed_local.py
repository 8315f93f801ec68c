"""Vectors from an ONNX sentence encoder in a local folder: no network, no torch.

A folder holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. With a `manifest.json`, as
`assay-models` has, the files are checked against its hashes. Without one, what sentence-transformers writes
beside its models is read: `sentence_bert_config.json`, `config.json`, `1_Pooling/config.json`, `modules.json`, and
the prompts of `config_sentence_transformers.json`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.onnx import (
    batches,
    digest_of,
    one_thread_session,
    shared_session,
    shared_tokenizer,
    steady_digest,
)
from assay.nlp.controls import encodable
from assay.types import EmbeddingModel

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# Small batches stay in the processor's cache; see benchmarks/embedding.
TOKENS_IN_A_BATCH = 512
# Fewer tokens are not worth a batch of their own on another thread.
_TOKENS_WORTH_A_BATCH = 64
# Texts tokenized at once: enough to keep the tokenizer's threads busy, few enough to keep its offsets small.
_TEXTS_AT_ONCE = 512
# Reading a megabyte of text to keep its first 256 tokens is waste; no real token is longer than this on average.
_CHARACTERS_A_TOKEN = 200
_DEFAULT_MAX_TOKENS = 256
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
# An output of one vector a text, not one a token.
_WHOLE = ("embedding", "sentence_embedding")
# The names that sentence-transformers has for the two known ways of pooling, in older files and in newer ones.
_POOLING: Mapping[str, Literal["mean", "first"]] = {
    "pooling_mode_mean_tokens": "mean",
    "mean": "mean",
    "pooling_mode_cls_token": "first",
    "cls": "first",
}
# The modules that a text passes in `LocalEmbedder`, however the network is exported.
_KNOWN_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
# Models' names for the prompts of questions and of passages; the first that there is counts.
_QUERY_PROMPTS, _PASSAGE_PROMPTS = ("query", "retrieval.query"), ("passage", "document", "retrieval.passage")


@dataclass(frozen=True, slots=True)
class _Description:
    """A folder's description of its model."""

    id: str
    max_tokens: int
    pooling: Literal["mean", "first"]
    languages: tuple[str, ...]
    dimension: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Encoder:
    """The network alone: token ids in, vectors out."""

    session: Any
    pooling: Literal["mean", "first"]

    def vectors(self, tokens: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        """One row of length 1 per text, in one run."""
        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {entry.name: given[entry.name] for entry in self.session.get_inputs()}
        (output,) = self.session.run([_output(self.session)], wanted)
        return _of_length_one(output if output.ndim == 2 else _pooled(output, mask, self.pooling))


@dataclass(frozen=True, slots=True, eq=False)
class LocalEmbedder:
    """An encoder that runs in this process.

    `model` says which model it is; its hash covers the weights, the tokenizer, and how vectors are made of them.
    A text beyond `max_tokens` tokens is cut. The `passage_prefix` is put before every text that is no question: a
    question begins with the model's `query_prefix`. The bundled model gives a text the same vector, to about 1e-7,
    whatever it is embedded with; a model quantized with one scale a batch does not.
    """

    model: EmbeddingModel
    max_tokens: int
    passage_prefix: str
    _encoder: _Encoder = field(repr=False)
    _tokenizer: Tokenizer = field(repr=False)
    # Questions do not wait behind the documents that are taken in: a few texts have threads of their own.
    _for_few: ThreadPoolExecutor = field(repr=False)
    _for_many: ThreadPoolExecutor = field(repr=False)
    _width: int = field(repr=False)

    @classmethod
    def load(cls, folder: Path, *, threads: int = 2) -> LocalEmbedder:
        """Open the model in `folder`; at most `threads` batches run at once, each on one thread.

        Raises UsageError when a file is missing, damaged, not the one of the manifest, or not a model that
        turns token ids into vectors.
        """
        manifest = _read_json(folder / "manifest.json")
        if isinstance(manifest.get("files"), dict):
            weights, tokenizer_file = _files(folder)
            digests = {path.name: steady_digest(path) for path in (weights, tokenizer_file)}
            described = _described_by_manifest(folder, manifest, digests)
            session, told = _session(weights, digests[weights.name]), [*digests.values()]
        else:
            hub = HubFolder.open(folder, what="embedder", option="--embedder")
            tokenizer_file, session = hub.path / "tokenizer.json", _session(hub.network)
            digests = {tokenizer_file.name: digest_of(tokenizer_file)}
            described = _described_by_hub(hub, session)
            told = [*map(digest_of, hub.weights), *digests.values(), *_unusual(described)]
        tokenizer = shared_tokenizer(
            tokenizer_file, digests[tokenizer_file.name], _not_usable, described.max_tokens
        )
        encoder = _Encoder(session, described.pooling)
        return cls(
            model=EmbeddingModel(
                id=described.id,
                dimension=_dimension(encoder, tokenizer, described),
                sha256=hashlib.sha256("\n".join(told).encode()).hexdigest(),
                languages=described.languages,
                query_prefix=described.query_prefix,
            ),
            max_tokens=described.max_tokens,
            passage_prefix=described.passage_prefix,
            _encoder=encoder,
            _tokenizer=tokenizer,
            _for_few=ThreadPoolExecutor(threads, thread_name_prefix="assay-embed"),
            _for_many=ThreadPoolExecutor(threads, thread_name_prefix="assay-embed-many"),
            _width=threads,
        )

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension); the event loop stays free."""
        return await asyncio.to_thread(self.embed_now, texts)

    async def aclose(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._for_few.shutdown(wait=False)
        self._for_many.shutdown(wait=False)

    def embed_now(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the result of `embed` before returning."""
        tokens = self._tokens(texts)
        vectors = np.zeros((len(texts), self.model.dimension), np.float32)
        lengths = [len(row) for row in tokens]
        groups = _batches(lengths, self._width)
        few = sum(lengths) <= self._width * TOKENS_IN_A_BATCH
        # One batch a thread is a third faster than two threads a batch: nothing waits between the layers.
        run = (self._for_few if few else self._for_many).map if len(groups) > 1 else map
        inputs = ([tokens[position] for position in batch] for batch in groups)
        for batch, rows in zip(groups, run(self._encoder.vectors, inputs), strict=True):
            vectors[batch] = rows
        return vectors

    def count_tokens(self, text: str) -> int:
        """Number of tokens of the whole `text`, without the two that frame every text."""
        (cut,) = self._tokenizer.encode_batch_fast([encodable(text)], add_special_tokens=False)
        return len(cut.ids) + sum(len(rest.ids) for rest in cut.overflowing)

    @property
    def capacity(self) -> int:
        """The most tokens, as `count_tokens` counts them, of a text that is not cut."""
        framing = int(self._tokenizer.num_special_tokens_to_add(is_pair=False))
        return self.max_tokens - framing - self.count_tokens(self.passage_prefix)

    def _tokens(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        readable = [encodable(self._prefixed(text)[:longest]) for text in texts]
        return [
            np.array(encoding.ids, np.int64)
            for start in range(0, len(readable), _TEXTS_AT_ONCE)
            for encoding in self._tokenizer.encode_batch_fast(readable[start : start + _TEXTS_AT_ONCE])
        ]

    def _prefixed(self, text: str) -> str:
        asked = self.model.query_prefix
        return text if asked and text.startswith(asked) else self.passage_prefix + text


def _not_usable(message: str) -> UsageError:
    return UsageError(message, hint="name a folder with an ONNX sentence encoder, or use --embedder bundled")


# --- reading the folder --------------------------------------------------------------------------


def _files(folder: Path) -> tuple[Path, Path]:
    """The weights and the tokenizer of a folder with a manifest."""
    for weights in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if weights.is_file():
            break
    else:
        raise _not_usable(f"{folder} has no model.onnx")
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise _not_usable(f"{folder} has no tokenizer.json")
    return weights, tokenizer


def _described_by_hub(hub: HubFolder, session: Any) -> _Description:
    prompts = hub.json("config_sentence_transformers.json").get("prompts")
    known = prompts if isinstance(prompts, dict) else {}
    return _Description(
        id=hub.name,
        max_tokens=hub.limit or _DEFAULT_MAX_TOKENS,
        # A network that pools by itself needs no way of pooling.
        pooling="mean" if _output(session) in _WHOLE else _pooling(hub),
        languages=hub.languages,
        query_prefix=hub.said.get("query_prefix", _prompt(hub, known, _QUERY_PROMPTS)),
        passage_prefix=hub.said.get("passage_prefix", _prompt(hub, known, _PASSAGE_PROMPTS)),
    )


def _pooling(hub: HubFolder) -> Literal["mean", "first"]:
    """The way to make one vector of one a token; raises UsageError for ways and modules that are not known here."""
    other = [module for module in hub.modules if module not in _KNOWN_MODULES]
    if other:
        raise hub.refuse(f"the vectors of {hub.path} also pass {', '.join(other)}, which its network does not hold")
    said = hub.json("1_Pooling/config.json")
    new = said.get("pooling_mode")
    ways = [name for name, value in said.items() if name.startswith("pooling_mode_") and value is True]
    ways += [new] if isinstance(new, str) else []
    if not ways:
        return "mean"
    if len(ways) == 1 and ways[0] in _POOLING:
        return _POOLING[ways[0]]
    raise hub.refuse(f"{hub.path} pools by {' and '.join(ways)}; only mean and cls are known")


def _prompt(hub: HubFolder, prompts: Mapping[str, Any], names: Sequence[str]) -> str:
    found = next((prompts[name] for name in names if name in prompts), "")
    if not isinstance(found, str):
        raise hub.refuse(f"a prompt in {hub.path / 'config_sentence_transformers.json'} is not of text")
    return found


def _unusual(described: _Description) -> list[str]:
    """Features that change vectors and stand in no file that is hashed; nothing for a plain mean."""
    prefixes = [described.query_prefix, described.passage_prefix]
    told = json.dumps([described.pooling, *prefixes])
    return [told] if described.pooling != "mean" or any(prefixes) else []


def _described_by_manifest(folder: Path, manifest: dict[str, Any], digests: dict[str, str]) -> _Description:
    for name, digest in digests.items():
        if manifest["files"].get(name) != digest:
            raise UsageError(
                f"{folder / name} is not the file its manifest describes",
                hint="install assay-models again, in the clone of assay: pip install --force-reinstall ./models",
            )
    try:
        return _Description(
            id=str(manifest["id"]),
            max_tokens=int(manifest["max_tokens"]),
            pooling="first" if manifest["pooling"] == "first" else "mean",
            languages=tuple(manifest["languages"]),
            dimension=int(manifest["dimension"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _not_usable(f"{folder / 'manifest.json'} lacks {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    """The object in the file; an empty one when there is no such file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _not_usable(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise _not_usable(f"{path} is not a JSON object")
    return found


def _session(weights: Path, sha256: str = "") -> Any:
    try:
        session = shared_session(weights, sha256) if sha256 else one_thread_session(weights)
    except Exception as error:  # onnxruntime has a dozen unrelated classes for a bad file
        raise _not_usable(f"{weights} is not a model that onnxruntime can open: {error}") from error
    unknown = {entry.name for entry in session.get_inputs()} - _KNOWN_INPUTS
    if unknown:
        raise _not_usable(f"{weights} wants {', '.join(sorted(unknown))}; an encoder of texts does not")
    return session


def _dimension(encoder: _Encoder, tokenizer: Tokenizer, described: _Description) -> int:
    """Found by embedding one text, which also shows that the folder's parts fit one another."""
    try:
        found = int(encoder.vectors([np.array(tokenizer.encode("a").ids, np.int64)]).shape[1])
    except Exception as error:  # a foreign model fails in any way that onnxruntime has
        raise _not_usable(f"{described.id} did not turn a text into a vector: {error}") from error
    if described.dimension not in (None, found):
        raise _not_usable(f"{described.id} has {found} dimensions, its manifest says {described.dimension}")
    return found


def _output(session: Any) -> str:
    """The output with one vector a text where there is one, else one a token, else the first."""
    names = [output.name for output in session.get_outputs()]
    wanted = (*_WHOLE, "last_hidden_state", "token_embeddings")
    return next((name for name in wanted if name in names), names[0])


# --- arithmetic ----------------------------------------------------------------------------------


def _batches(lengths: Sequence[int], threads: int) -> list[list[int]]:
    """Positions grouped by length, so that little is padded: shortest first, each at most 512 padded tokens.

    Of a few texts each thread gets its share.

    >>> _batches([30, 50, 8, 45], threads=2)
    [[2], [0], [3], [1]]
    """
    share = max(_TOKENS_WORTH_A_BATCH, -(-sum(lengths) // threads))
    return batches(lengths, min(TOKENS_IN_A_BATCH, share))


def _pooled(states: NDArray[Any], mask: NDArray[np.int64], pooling: Literal["mean", "first"]) -> NDArray[Any]:
    """One vector a text from one a token: (texts, tokens, dimension) to (texts, dimension)."""
    if pooling == "first":
        return states[:, 0]
    kept = mask[:, :, None].astype(np.float32)
    total: NDArray[Any] = (states * kept).sum(axis=1)
    mean: NDArray[Any] = total / np.maximum(kept.sum(axis=1), 1)
    return mean


def _of_length_one(vectors: NDArray[Any]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny), np.float32)
