"""A reader that finds a question's answer in a passage, by an ONNX network in a local folder; no hub, no torch.

The network reads `[CLS] question [SEP] title, passage [SEP]`. It gives each token two logits, as the first and as
the last of the answer (Devlin et al. 2019, arXiv 1810.04805, section 4.3; the first token stands for "no answer"),
and the pair four: whether the passage answers, then yes, no, neither. models/reader trains it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.onnx import TOKENS_IN_A_BATCH, Network, OnnxFolder, batches
from assay.models.text_pairs import Framed, PairNetwork
from assay.types import AnswerSpan, PassageReading, ReaderModel, TitledText

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = "assay-reader/1"
_AGAIN = "install assay-models again, in the clone of assay: pip install --force-reinstall ./models"
# As in training: a longer question is cut, an answer is at most so long, and a title leaves room for the passage.
QUESTION_TOKENS, SPAN_TOKENS, TITLE_TOKENS = 64, 40, 48
# The most beginnings of an answer that are paired with an end, and the most spans of a reading.
_STARTS, SPANS = 12, 3
# A longer passage is read in windows; each begins this share of a window behind the one before it.
_STRIDE = 0.6
# The most windows that are read of a huge passage: 40 kB, more than a page.
_MOST_WINDOWS = 32
# Reading a megabyte of text to keep its first tokens is waste; no real token is longer than this on average.
_CHARACTERS_A_TOKEN = 40
_INPUTS = frozenset({"input_ids", "segments"})
_SAYS: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "id": lambda value: isinstance(value, str) and bool(value),
        "max_tokens": lambda value: type(value) is int and 160 <= value <= 512,
        "temperature": lambda value: isinstance(value, int | float) and 0.1 <= value <= 10,
        "languages": lambda value: isinstance(value, list) and all(isinstance(entry, str) for entry in value),
    }
)


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of one text as the network reads it.

    The second segment begins at `second`, behind the question, and the text's own tokens at `before`, behind its
    title; `offsets` are their places in the text.
    """

    text: int
    ids: tuple[int, ...]
    second: int
    before: int
    offsets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OnnxReader:
    """A reader that runs in this process, at most `threads` batches at once, each on one thread.

    A reading does not depend on what else is read with it, to about 1e-4.
    """

    model: ReaderModel
    max_tokens: int
    temperature: float
    threads: int
    _network: Network = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, path: Path, *, threads: int = 2) -> OnnxReader:
        """Check the reader in a folder; raises UsageError when it holds none, or a damaged one."""
        hint = f"for the bundled one {_AGAIN}"
        folder = OnnxFolder.open(path, what="reader", schema=SCHEMA, says=_SAYS, hint=hint)
        manifest = folder.manifest
        return cls(
            model=ReaderModel(manifest["id"], folder.sha256, tuple(manifest["languages"])),
            max_tokens=manifest["max_tokens"],
            temperature=float(manifest["temperature"]),
            threads=threads,
            _network=Network(folder, _INPUTS),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-read"),
        )

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order; the event loop stays free."""
        return await asyncio.to_thread(self.read_now, question, texts) if texts else ()

    def read_now(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """Compute the result of `read` before returning."""
        windows = self._windows(question, texts)
        lengths = [len(window.ids) for window in windows]
        # A few pairs are one batch: cut, so that no thread is idle while another works.
        groups = batches(lengths, min(TOKENS_IN_A_BATCH, -(-sum(lengths) // self.threads)))
        runs = self._threads.map(self._logits, ([windows[at] for at in group] for group in groups))
        found: list[list[PassageReading]] = [[] for _ in texts]
        for group, (spans, pair) in zip(groups, runs, strict=True):
            if not (np.isfinite(spans).all() and np.isfinite(pair).all()):
                raise UsageError(
                    f"the reader {self.model.id} gave a score that is not a number",
                    hint=_AGAIN,
                )
            for row, at in enumerate(group):
                found[windows[at].text].append(self._reading(windows[at], spans[row], pair[row]))
        return tuple(best_reading(readings) for readings in found)

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _windows(self, question: str, texts: Sequence[TitledText]) -> list[_Window]:
        first, last = self._network.frame
        asked = self._network.encoded([question[: QUESTION_TOKENS * _CHARACTERS_A_TOKEN]])[0].ids[:QUESTION_TOKENS]
        titles = self._network.encoded([text.title[: TITLE_TOKENS * _CHARACTERS_A_TOKEN] for text in texts])
        longest = self.max_tokens * _CHARACTERS_A_TOKEN
        bodies = self._network.encoded([text.text[:longest] for text in texts])
        windows = []
        for number, (title, body) in enumerate(zip(titles, bodies, strict=True)):
            head = title.ids[:TITLE_TOKENS]
            before = len(asked) + 2 + len(head)
            room = self.max_tokens - before - 1
            step = max(1, int(_STRIDE * room))
            starts = [0] if len(body.ids) <= room else range(0, len(body.ids) - int(room * (1 - _STRIDE)), step)
            for start in list(starts)[:_MOST_WINDOWS]:
                ids = (first, *asked, last, *head, *body.ids[start : start + room], last)
                windows.append(
                    _Window(number, ids, len(asked) + 2, before, tuple(body.offsets[start : start + room]))
                )
        return windows

    def _logits(self, group: Sequence[_Window]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Span logits (texts, tokens, 2) and pair logits (texts, 4) of one batch, in one run."""
        spans, pair = self._network.run(["spans", "pair"], [(window.ids, window.second) for window in group])
        return spans, pair

    def _reading(self, window: _Window, spans: NDArray[np.float32], pair: NDArray[np.float32]) -> PassageReading:
        odds = pair[1:] - pair[1:].max()
        shares = np.exp(odds) / np.exp(odds).sum()
        return PassageReading(
            answerable=float(pair[0]) / self.temperature,
            spans=likeliest(spans[window.before :], window.offsets, float(spans[0].sum())),
            yes=float(shares[0]),
            no=float(shares[1]),
        )


def likeliest(
    logits: NDArray[np.float32], offsets: Sequence[tuple[int, int]], nothing: float
) -> tuple[AnswerSpan, ...]:
    """The likeliest spans that do not overlap, best first, of a text's logits, shape (tokens, 2).

    `offsets` are the tokens' places in the text, `nothing` the logit of there being no answer.
    """
    inside = logits[: len(offsets)]
    pairs = []
    for start in np.argsort(-inside[:, 0])[:_STARTS]:
        ends = inside[start : start + SPAN_TOKENS, 1]
        end = int(start) + int(ends.argmax())
        pairs.append((float(inside[start, 0] + inside[end, 1]) - nothing, int(start), end))
    chosen: list[tuple[float, int, int]] = []
    for score, start, end in sorted(pairs, reverse=True):
        if all(end < other[1] or start > other[2] for other in chosen):
            chosen.append((score, start, end))
    return tuple(AnswerSpan(offsets[start][0], offsets[end][1], score) for score, start, end in chosen[:SPANS])


def best_reading(readings: Sequence[PassageReading]) -> PassageReading:
    """The reading of a whole text from those of its windows: the likeliest one, with the best spans of all."""
    best = max(readings, key=lambda reading: reading.answerable)
    if len(readings) == 1:
        return best
    spans: dict[tuple[int, int], AnswerSpan] = {}
    for span in sorted((span for one in readings for span in one.spans), key=lambda span: -span.score):
        spans.setdefault((span.start, span.end), span)
    return PassageReading(best.answerable, tuple(spans.values())[:SPANS], best.yes, best.no)


# The place of an answer in a passage, by a network in the layout of the Hugging Face hub.


@dataclass(frozen=True, slots=True, eq=False)
class SpanReader:
    """A reader from the hub that runs in this process, at most `threads` texts at once, each on one thread.

    It knows spans alone: "yes" and "no" have no probability. `model` names it with eight characters of its hash.
    """

    model: ReaderModel
    folder: HubFolder
    _network: PairNetwork = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, path: Path, *, threads: int = 2) -> SpanReader:
        """Check the folder of a reader, or a network named by its file; raises UsageError where it holds none."""
        folder = HubFolder.open(path, what="reader", option="--reader")
        sha256 = folder.sha256
        return cls(
            model=ReaderModel(f"{folder.name}-{sha256[:8]}", sha256, folder.languages),
            folder=folder,
            _network=PairNetwork(folder, ["start_logits", "end_logits"]),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-read"),
        )

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, in order; the event loop stays free."""
        return await asyncio.to_thread(self.read_now, question, texts)

    def read_now(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """Compute the result of `read` before returning."""
        return tuple(self._threads.map(lambda text: self._reading(question, text), texts))

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _reading(self, question: str, text: TitledText) -> PassageReading:
        head = f"{text.title}\n" if text.title else ""
        pairs = self._network.framed(
            question, head + text.text, short_tokens=QUESTION_TOKENS, long_first=False, stride=_STRIDE
        )
        return best_reading([self._of_window(pair, len(head)) for pair in pairs])

    def _of_window(self, pair: Framed, head: int) -> PassageReading:
        """The reading of one window of a text that begins after `head` characters of its title."""
        logits = np.stack(self._network.run(pair), axis=-1)
        if logits.shape != (len(pair.ids), 2) or not np.isfinite(logits).all():
            raise UsageError(
                f"the reader {self.model.id} gave no score for some token",
                hint="exchange it with --reader, or do without: --reader none",
            )
        own = [at for at, (start, _) in enumerate(pair.offsets) if pair.of_long[at] and start >= head]
        offsets = [(pair.offsets[at][0] - head, pair.offsets[at][1] - head) for at in own]
        nothing = float(logits[0].sum())
        spans = likeliest(logits[own], offsets, nothing)
        # A window that holds nothing but the title answers nothing.
        odds = spans[0].score if spans else float(np.finfo(np.float32).min)
        return PassageReading(answerable=odds, spans=spans, yes=0.0, no=0.0)
