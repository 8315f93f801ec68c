"""A reranker of passages for a question, by a cross-encoder in the layout of the Hugging Face hub.

The network reads question and passage together and gives one number (Nogueira and Cho 2019, arXiv 1901.04085), as
those trained on MS MARCO do. It orders passages, and nothing else goes by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import UsageError
from assay.models.hub_folder import HubFolder
from assay.models.text_pairs import PairNetwork, class_logits
from assay.nlp.blocks import titled
from assay.nlp.language import KNOWN_BY_SCRIPT, language_of
from assay.types import Hit, Passage

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A longer question is cut, as the bundled reader cuts it.
QUESTION_TOKENS = 64


@dataclass(frozen=True, slots=True, eq=False)
class CrossEncoderReranker:
    """A reranker that runs in this process, at most `threads` passages at once, each on one thread.

    `id` is the folder's name with eight characters of its hash.
    """

    id: str
    folder: HubFolder
    _network: PairNetwork = field(repr=False)
    _threads: ThreadPoolExecutor = field(repr=False)

    @classmethod
    def load(cls, path: Path, *, threads: int = 2) -> CrossEncoderReranker:
        """Check the folder of a reranker, or a network named by its file.

        Raises UsageError when a part is missing or damaged, and for a network of more classes than one.
        """
        folder = HubFolder.open(path, what="reranker", option="--reranker")
        if len(folder.labels) != 1:
            what = f"{folder.path} has the classes {', '.join(folder.labels)}, and a reranker has one"
            raise folder.refuse(what, "a classifier of two or three classes is a checker: try --checker")
        return cls(
            id=f"{folder.name}-{folder.sha256[:8]}",
            folder=folder,
            _network=PairNetwork(folder, ["logits"]),
            _threads=ThreadPoolExecutor(threads, thread_name_prefix="assay-rerank"),
        )

    async def rerank(self, question: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The same hits in the network's order; the best gets the best of their scores, and so on.

        So what goes by scores, such as which pages are a tie, sees those of the search. A question in a script that
        the model does not read changes nothing.
        """
        language = language_of(question)
        if language in KNOWN_BY_SCRIPT and language not in self.folder.languages:
            return hits
        logits = await asyncio.to_thread(self.logits, question, [hit.passage for hit in hits])
        order = np.argsort(-logits, kind="stable")
        scores = sorted((hit.score for hit in hits), reverse=True)
        return tuple(replace(hits[at], score=score) for at, score in zip(order, scores, strict=True))

    def logits(self, question: str, passages: Sequence[Passage]) -> NDArray[np.float32]:
        """Fit of each passage to the question, shape (passages,); more is better, and no scale is promised."""
        found = np.array(
            list(self._threads.map(lambda passage: self._logit(question, passage), passages)), np.float32
        )
        if not np.isfinite(found).all():
            raise UsageError(
                f"the reranker {self.id} gave a score that is not a number",
                hint="exchange it with --reranker, or do without: --reranker none",
            )
        return found

    def close(self) -> None:
        """End the threads; calling it twice is harmless."""
        self._threads.shutdown(wait=False)

    def _logit(self, question: str, passage: Passage) -> float:
        read = titled(passage)
        text = f"{read.title}\n{read.text}" if read.title else read.text
        framed = self._network.framed(question, text, short_tokens=QUESTION_TOKENS, long_first=False)
        return float(class_logits(self._network, framed[0], 1)[0])
