"""How well each word of a claim finds its like in the sources, by the vectors of words in their sentences.

No forward pass that the present checks do not make already: the encoder's token vectors are kept before they are
averaged. For each content word its nearest word among the sentences that the claim leans on; then the means, the
least, and the same for words that the sources lack and for words that they have in another setting.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from measured import RAISES, Numbers
from rows import Labelled, raw
from token_encoder import TokenEncoder, Worded
from windows import ground

from assay.verify.reading import Reading, read

NAMES = ("aligned", "aligned_low3", "new_mean", "new_least", "same_low3", "name_least", "aligned_in_one")
# The trees' sign: more likeness never lowers the score.
RAISES.extend(NAMES)
# Of a claim's sentences in the sources, how many beside its window; of a sentence, how many characters.
BESIDE, CHARACTERS = 6, 800


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
