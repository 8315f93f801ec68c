"""The vectors of a text's words in their sentence: the encoder's token vectors, before they are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import assay_models
import numpy as np
from tokenizers import Tokenizer

from assay.models.onnx_runtime import onnxruntime
from assay.text.tokens import STOP_WORDS, fold, stem, word_spans

TOKENS_IN_A_BATCH, LONGEST, WIDTH = 512, 128, 384


@dataclass(frozen=True)
class Worded:
    """A text's words: stems, which are content, which are names or numbers, and a vector of length 1 each."""

    stems: tuple[str, ...]
    content: np.ndarray
    named: np.ndarray
    vectors: np.ndarray


class TokenEncoder:
    """The bundled encoder with its token vectors, as models/grader/token_vectors.py writes it."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(assay_models.folder() / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)

    def worded(self, texts: Sequence[str]) -> dict[str, Worded]:
        """Every text's words, in batches of texts of a like length."""
        encoded = self.tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda each: len(encoded[each].ids))
        found: dict[str, Worded] = {}
        at = 0
        while at < len(order):
            size = max(1, TOKENS_IN_A_BATCH // (len(encoded[order[at]].ids) + 8))
            batch = order[at : at + size]
            for row, states in zip(batch, self._states([encoded[each].ids for each in batch]), strict=True):
                found[texts[row]] = _worded(texts[row], encoded[row].offsets, states)
            at += size
        return found

    def _states(self, ids: Sequence[Sequence[int]]) -> np.ndarray:
        given = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask = np.zeros_like(given)
        for row, each in enumerate(ids):
            given[row, : len(each)] = each
            mask[row, : len(each)] = 1
        (states,) = self.session.run(["tokens"], {"input_ids": given, "attention_mask": mask})
        return states


def _worded(text: str, offsets: Sequence[tuple[int, int]], states: np.ndarray) -> Worded:
    stems, content, named, vectors = [], [], [], []
    ends = [(at, start, end) for at, (start, end) in enumerate(offsets) if end > start]
    for span in word_spans(text):
        tokens = [at for at, start, end in ends if start < span.end and end > span.start]
        if not tokens:
            continue
        word = text[span.start : span.end]
        vector = states[tokens].mean(axis=0)
        stems.append(stem(fold(word)))
        content.append(fold(word) not in STOP_WORDS)
        named.append(word[0].isupper() or any(each.isdigit() for each in word))
        vectors.append(vector / max(1e-9, float(np.linalg.norm(vector))))
    kept = np.array(content, bool)
    matrix = np.array(vectors, np.float32).reshape(len(stems), WIDTH)
    return Worded(tuple(stems), kept if kept.any() else ~kept, np.array(named, bool), matrix)
