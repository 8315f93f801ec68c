"""Where a question's answer stands in a passage, by a network in the layout of the Hugging Face hub.

The network reads question and passage and gives each token two logits, as the first and as the last of the answer;
the first token of all stands for "no answer" (Devlin et al. 2019, arXiv 1810.04805, section 4.3). So it must have
been taught questions without an answer, as those of SQuAD 2 are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.reader import QUESTION_TOKENS, best_reading, likeliest
from assay.models.text_pairs import Framed, PairNetwork
from assay.types import PassageReading, ReaderModel, TitledText

# As the bundled reader: a longer passage is read in windows, each this share of one behind the one before.
_STRIDE = 0.6


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
        """What `read` gives, computed before it returns."""
        return tuple(self._threads.map(lambda text: self._reading(question, text), texts))

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _reading(self, question: str, text: TitledText) -> PassageReading:
        head = f"{text.title}\n" if text.title else ""
        pairs = self._network.framed(
            question, head + text.text, short_tokens=QUESTION_TOKENS, long_first=False, stride=_STRIDE
        )
        return best_reading([self._of_window(each, len(head)) for each in pairs])

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
