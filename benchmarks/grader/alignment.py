"""How well each word of a claim finds its like in the sources, by the vectors of words in their sentences.

No forward pass that the present checks do not make already: the encoder's token vectors are kept before they are
averaged. For each content word its nearest word among the sentences that the claim leans on; then the means, the
least, and the same for words that the sources lack and for words that they have in another setting.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import assay_models
import numpy as np
from measured import RAISES, Numbers
from rows import Labelled, raw
from tokenizers import Tokenizer
from windows import ground

from assay.models.onnx_runtime import onnxruntime
from assay.text.tokens import STOP_WORDS, fold, stem, word_spans
from assay.verify.reading import Reading, read

NAMES = ("aligned", "aligned_low3", "new_mean", "new_least", "same_low3", "name_least", "aligned_in_one")
# The trees' sign: more likeness never lowers the score.
RAISES.extend(NAMES)
# Of a claim's sentences in the sources, how many beside its window; of a sentence, how many characters.
BESIDE, CHARACTERS = 6, 800
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


def aligned(claim: Worded, sources: Sequence[Worded], reading: Reading) -> list[float]:
    """The inputs in the order of NAMES, each a cosine: 1 where no word is new or named, 0 with nothing to read."""
    sources = [each for each in sources if each.stems]
    if not claim.stems or not sources:
        return [0.0] * len(NAMES)
    cosines = claim.vectors @ np.concatenate([each.vectors for each in sources]).T
    stems = np.array([word for each in sources for word in each.stems])
    owner = np.repeat(np.arange(len(sources)), [len(each.stems) for each in sources])
    best = cosines.max(axis=1)
    same = np.array([cosines[at, stems == word].max(initial=-2.0) for at, word in enumerate(claim.stems)])
    new, held, named = claim.content & (same < -1), claim.content & (same >= -1), claim.content & claim.named
    rarity = np.array([reading.weights.get(word, 1.0) for word in claim.stems]) * claim.content
    in_one = max(float(cosines[:, owner == each].max(axis=1) @ rarity) for each in range(len(sources)))
    return [
        float(best @ rarity / rarity.sum()),
        float(np.sort(best[claim.content])[:3].mean()),
        float(best[new].mean()) if new.any() else 1.0,
        float(best[new].min()) if new.any() else 1.0,
        float(np.sort(same[held])[:3].mean()) if held.any() else 0.0,
        float(best[named].min()) if named.any() else 1.0,
        in_one / float(rarity.sum()),
    ]


def with_alignment(sets: Mapping[str, Labelled], model: Path) -> dict[str, Labelled]:
    """The sets with the inputs added, those in the cache from there."""
    encoder = TokenEncoder(model)
    return {
        name: replace(each, names=each.names + NAMES, inputs=np.column_stack([each.inputs, _inputs(name, encoder)]))
        for name, each in sets.items()
    }


def _inputs(name: str, encoder: TokenEncoder) -> Numbers:
    cache = os.environ.get("ASSAY_BENCH_CACHE")
    kept = Path(cache, f"alignment-{name}.npy") if cache else None
    if kept is not None and kept.exists():
        return np.load(kept)
    rows = raw(name)
    grounds = {text: ground(text) for text in {row["context"] for row in rows}}
    readings = [read(row["claim"], grounds[row["context"]]) for row in rows]
    near = [[each.ground.texts[at][:CHARACTERS] for at in _near(each)] for each in readings]
    texts = [text for r, n in zip(readings, near, strict=True) for text in (r.text, *n)]
    worded = encoder.worded(list(dict.fromkeys(texts)))
    found = np.array(
        [aligned(worded[r.text], [worded[each] for each in n], r) for r, n in zip(readings, near, strict=True)]
    )
    if kept is not None:
        np.save(kept, found)
    return found


def _near(reading: Reading) -> list[int]:
    return sorted({*reading.window, *reading.order[:BESIDE]})
