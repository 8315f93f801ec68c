"""Pairs of texts through a network in ONNX, framed as its own tokenizer frames them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.models.hub_folder import HubFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

# Reading a megabyte of text to keep its first tokens is waste; no real token is longer than this on average.
CHARACTERS_A_TOKEN = 40
# A short text leaves this share of what the network reads to the long one, at least.
_FOR_THE_LONG = 2 / 3


@dataclass(frozen=True, slots=True)
class Framed:
    """A pair as a network reads it: token ids, the segment of each, and its place in its text.

    `of_long` is true of the tokens of the long text; offsets count in the text that a token is of.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    of_long: tuple[bool, ...]


class PairNetwork:
    """The session and the tokenizer of a folder, opened when the first pair is read: many commands read none.

    Each pair is a run of its own: networks that are quantised as they run, as many on the hub are, give a pair
    other numbers beside other pairs.
    """

    def __init__(self, folder: HubFolder, outputs: Sequence[str]) -> None:
        self.folder = folder
        self._outputs = tuple(outputs)
        self._lock = threading.Lock()
        self._opened: tuple[Any, Tokenizer, list[str]] | None = None

    def framed(
        self, short: str, long: str, *, short_tokens: int, long_first: bool, stride: float = 1.0
    ) -> list[Framed]:
        """The pair, its long text cut to what the network reads; raises UsageError.

        The short text is cut to `short_tokens`, or to a third of what the network reads. With a `stride` below 1
        the rest of the long text follows in further pairs, each that share of its room behind the one before.
        """
        _, tokenizer, _ = self._open()
        most = self.folder.max_tokens
        framing = int(tokenizer.num_special_tokens_to_add(is_pair=True))
        kept = max(1, min(short_tokens, int(most * (1 - _FOR_THE_LONG))))
        first = _encoded(tokenizer, short[: kept * CHARACTERS_A_TOKEN])
        first.truncate(kept)
        room = max(1, most - framing - len(first.ids))
        whole = _encoded(tokenizer, long[: most * CHARACTERS_A_TOKEN])
        whole.truncate(room, stride=0 if stride == 1.0 else int((1 - stride) * room))
        parts = [whole] if stride == 1.0 else [whole, *whole.overflowing]
        return [self._framed(tokenizer, first, part, long_first) for part in parts]

    def run(self, pair: Framed) -> list[NDArray[np.float32]]:
        """The outputs for one pair, without the axis that counts pairs; raises UsageError."""
        session, _, outputs = self._open()
        ids = np.array([pair.ids], np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([pair.segments], np.int64),
        }
        asked = {entry.name: given[entry.name] for entry in session.get_inputs()}
        try:
            found = session.run(outputs, asked)
        except Exception as error:  # a foreign network fails in any way that onnxruntime has
            raise self.folder.refuse(f"{self.folder.network} could not read a pair of texts: {error}") from error
        return [np.asarray(output, np.float32)[0] for output in found]

    def _framed(self, tokenizer: Tokenizer, short: Encoding, long: Encoding, long_first: bool) -> Framed:
        pair = tokenizer.post_process(long, short) if long_first else tokenizer.post_process(short, long)
        which = 0 if long_first else 1
        return Framed(
            tuple(pair.ids),
            tuple(pair.type_ids),
            tuple(pair.offsets),
            tuple(sequence == which for sequence in pair.sequence_ids),
        )

    def _open(self) -> tuple[Any, Tokenizer, list[str]]:
        with self._lock:
            if self._opened is None:
                session = self.folder.session()
                names = [output.name for output in session.get_outputs()]
                missing = [name for name in self._outputs if name not in names]
                # Exports call a classifier's one output as they like.
                if missing and len(self._outputs) > 1:
                    raise self.folder.refuse(f"{self.folder.network} gives no {' and no '.join(missing)}")
                outputs = names[:1] if missing else list(self._outputs)
                self._opened = session, self.folder.tokenizer(), outputs
            return self._opened


def class_logits(network: PairNetwork, pair: Framed, classes: int) -> NDArray[np.float32]:
    """The logits of one pair, shape (classes,); raises UsageError where the network has another number of them."""
    # Some exports leave the axis of a single class out.
    found = np.atleast_1d(network.run(pair)[0])
    if found.shape != (classes,):
        folder = network.folder
        raise folder.refuse(
            f"{folder.network} gives {' x '.join(map(str, found.shape))} numbers a pair, and its labels are "
            f"{classes}: {', '.join(folder.labels)}"
        )
    return found


def _encoded(tokenizer: Tokenizer, text: str) -> Encoding:
    # A lone surrogate, which no tokenizer takes, becomes a question mark.
    (found,) = tokenizer.encode_batch([text.encode("utf-8", "replace").decode("utf-8")], add_special_tokens=False)
    return found
