"""A network of our own in a local folder: its files checked against its manifest, its session, its batches."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from assay.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hex; raises OSError.

    >>> digest_of(sample)[:8]
    'b7ee139a'
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def steady_digest(path: Path) -> str:
    """The result of `digest_of`, computed once as long as the file keeps its size, times and place on the disk.

    For weights, which each engine of a process would hash anew. Raises OSError.

    >>> steady_digest(sample) == digest_of(sample)
    True
    """
    now = path.stat()
    return _digest(path, (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns))


@lru_cache(maxsize=32)
def _digest(path: Path, state: tuple[int, ...]) -> str:
    return digest_of(path)


# The open networks whose weights are known by their hash: the engines of a process share them. Likewise the
# tokenizers, by the hash of their file and the length at which they cut.
_OPEN: WeakValueDictionary[str, Any] = WeakValueDictionary()
_TOKENIZERS: WeakValueDictionary[tuple[str, int | None], Any] = WeakValueDictionary()


def one_thread_session(weights: Path) -> Any:
    """The network of a file, on one thread of the processor; raises whatever onnxruntime does for a bad file."""
    # Since 1.31 the official builds of onnxruntime for Linux keep events in the user's cache folder and send them
    # to Microsoft unless this variable is set before the library is loaded (its Privacy.md). What runs here stays
    # here.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # here, since a server without a question needs none of its 15 MB

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Only fatal: the errors are raised, and a warning on standard error is no one's business.
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def shared_session(weights: Path, sha256: str) -> Any:
    """The network of a file with this hash: the one that is open already, as long as somebody holds it.

    A network is read by any number of threads at once. Raises whatever onnxruntime does for a bad file.
    """
    found = _OPEN.get(sha256)
    if found is None:
        found = _OPEN.setdefault(sha256, one_thread_session(weights))
    return found


# Tokens in one run of a network; small batches stay in the processor's cache (benchmarks/embedding).
TOKENS_IN_A_BATCH = 512
FILES = ("model.onnx", "tokenizer.json")


def plain_tokenizer(path: Path, refuse: Callable[[str], UsageError]) -> Tokenizer:
    """The tokenizer of a file, which neither cuts nor pads; a bad file raises what `refuse` makes of a message."""
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises plain Exception
        raise refuse(f"{path} is not a tokenizer: {error}") from error
    found.no_padding()
    found.no_truncation()
    return found


def shared_tokenizer(
    path: Path, sha256: str, refuse: Callable[[str], UsageError], max_tokens: int | None = None
) -> Tokenizer:
    """The tokenizer of a file with this hash, which cuts at `max_tokens` and does not pad: the open one, if any.

    Opening one takes 25 ms. Nobody may change it. A bad file raises what `refuse` makes of a message.
    """
    found: Tokenizer | None = _TOKENIZERS.get((sha256, max_tokens))
    if found is None:
        found = plain_tokenizer(path, refuse)
        if max_tokens is not None:
            found.enable_truncation(max_tokens)
        found = _TOKENIZERS.setdefault((sha256, max_tokens), found)
    return found


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """The content of a folder: its manifest and the hash of each file in `FILES`."""

    path: Path
    manifest: Mapping[str, Any]
    digests: tuple[str, ...]
    what: str
    hint: str

    @classmethod
    def open(
        cls, path: Path, *, what: str, schema: str, says: Mapping[str, Callable[[Any], bool]], hint: str
    ) -> OnnxFolder:
        """Check the folder of a network of the kind `what`; `says` tests each entry that its manifest must have.

        Raises UsageError, with `hint`, when a file is missing, damaged, or not the one of the manifest.
        """
        found = cls(path, {}, (), what, hint)
        manifest = found._manifest(schema, says)
        digests = tuple(found._digest(path / name, manifest) for name in FILES)
        return cls(path, manifest, digests, what, hint)

    @property
    def sha256(self) -> str:
        """One hash over all files, in hex."""
        return hashlib.sha256("\n".join(self.digests).encode()).hexdigest()

    def session(self, inputs: frozenset[str]) -> Any:
        """The network, on one thread; raises UsageError where it is none that takes these inputs."""
        weights = self.path / "model.onnx"
        try:
            session = shared_session(weights, self.digests[0])
        except Exception as error:  # onnxruntime has a dozen unrelated classes for a bad file
            raise self._refuse(f"{weights} is not a model that onnxruntime can open: {error}") from error
        if {entry.name for entry in session.get_inputs()} != inputs:
            raise self._refuse(f"{weights} does not take {' and '.join(sorted(inputs))}; a {self.what} does")
        return session

    def tokenizer(self) -> Tokenizer:
        """The tokenizer, which neither cuts nor pads; raises UsageError where the file holds none."""
        return shared_tokenizer(self.path / "tokenizer.json", self.digests[1], self._refuse)

    def _manifest(self, schema: str, says: Mapping[str, Callable[[Any], bool]]) -> dict[str, Any]:
        if not self.path.is_dir():
            raise self._refuse(f"there is no folder {self.path}")
        path = self.path / "manifest.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise self._refuse(f"{path} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise self._refuse(f"{path} is not the manifest of a {self.what}: {error}") from error
        if not isinstance(found, dict) or found.get("schema") != schema:
            raise self._refuse(f"{path} is not the manifest of a {self.what}: its schema is not {schema}")
        wrong = [name for name, fits in says.items() if not fits(found.get(name))]
        if wrong or not isinstance(found.get("files"), dict):
            raise self._refuse(f"{path} lacks a valid {' and '.join(wrong or ['files'])}")
        return found

    def _digest(self, path: Path, manifest: Mapping[str, Any]) -> str:
        """The file's hash, which must be the manifest's."""
        if not path.is_file():
            raise self._refuse(f"{path} is missing")
        digest = steady_digest(path)
        if manifest["files"].get(path.name) != digest:
            raise self._refuse(f"{path} is not the file its manifest describes")
        return digest

    def _refuse(self, message: str) -> UsageError:
        return UsageError(message, hint=self.hint)


class Network:
    """The session and the tokenizer of a folder, opened when the first text is read: many commands read none."""

    def __init__(self, folder: OnnxFolder, inputs: frozenset[str]) -> None:
        self._folder = folder
        self._inputs = inputs
        self._lock = threading.Lock()
        self._opened: tuple[Any, Tokenizer, int, int] | None = None

    @property
    def session(self) -> Any:
        """The session; raises UsageError where the file holds no such network."""
        return self._open()[0]

    @property
    def frame(self) -> tuple[int, int]:
        """The tokens before the texts and between them, [CLS] and [SEP]; raises UsageError."""
        _, _, first, last = self._open()
        return first, last

    def encoded(self, texts: Sequence[str]) -> list[Any]:
        """The texts as tokens, without those that frame them; raises UsageError."""
        # A lone surrogate, which no tokenizer takes, becomes a question mark.
        readable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return list(self._open()[1].encode_batch(readable, add_special_tokens=False))

    def run(self, outputs: Sequence[str], pairs: Sequence[tuple[Sequence[int], int]]) -> list[NDArray[np.float32]]:
        """The outputs for a batch in one run; of each pair its tokens, and where its second text begins."""
        import numpy as np  # here, since pulling a model needs none

        shape = len(pairs), max(len(ids) for ids, _ in pairs)
        given = {"input_ids": np.zeros(shape, np.int64), "segments": np.zeros(shape, np.int64)}
        for row, (ids, second) in enumerate(pairs):
            given["input_ids"][row, : len(ids)] = ids
            given["segments"][row, second : len(ids)] = 1
        return [np.asarray(output, np.float32) for output in self.session.run(list(outputs), given)]

    def _open(self) -> tuple[Any, Tokenizer, int, int]:
        with self._lock:
            if self._opened is None:
                tokenizer = self._folder.tokenizer()
                first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
                if first is None or last is None:
                    path = self._folder.path / "tokenizer.json"
                    raise UsageError(f"{path} has no [CLS] or no [SEP]", hint=self._folder.hint)
                self._opened = self._folder.session(self._inputs), tokenizer, first, last
            return self._opened


# A text joins a batch whose shortest one it exceeds by at most so many tokens: of passages 13 % of the tokens were
# padding, and reading eight of wiki-mix takes 9 % less CPU so; ten blocks are embedded in 8 % less.
MOST_PADDING = 8


def batches(lengths: Sequence[int], room: int = TOKENS_IN_A_BATCH) -> list[list[int]]:
    """Positions grouped by length, so that little is padded: shortest first, each at most `room` padded tokens.

    A text longer than the room is a batch of its own.

    >>> batches([150, 246, 40, 245, 144]), batches([150, 246, 40, 245], room=250)
    ([[2], [4, 0], [3, 1]], [[2], [0], [3], [1]])
    """
    found: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        fits = found and (len(found[-1]) + 1) * lengths[position] <= room
        if fits and lengths[position] - lengths[found[-1][0]] <= MOST_PADDING:
            found[-1].append(position)
        else:
            found.append([position])
    return found
