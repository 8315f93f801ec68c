"""The labelled claims, and the support score's inputs for each.

Data: ASSAY_BENCH_DATA (default ../shared/data beside the repository). Inputs are cached in ASSAY_BENCH_CACHE where
that is set; delete the folder after a change of the features.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assay.nlp.alignment import Alignment
from assay.nlp.sources import SourceIndex
from assay.types import Check, Passage
from assay.verification.checks import fact_checks
from assay.verification.claims import align, as_one_claim
from assay.verification.support import embedding_features, features, texts_of
from assay.verification.verdict import share_left

DATA = Path(os.environ.get("ASSAY_BENCH_DATA", Path(__file__).parents[3] / "shared" / "data")) / "dev"
CACHE = os.environ.get("ASSAY_BENCH_CACHE")
SUMMEDITS = tuple(
    f"summedits-{each}"
    for each in ("news", "samsum", "scitldr", "ectsum", "qmsumm", "sales_call", "sales_email", "podcast")
)
OTHERS = ("wice", "factcheck-gpt", "scifact", "falke", "qags-cnndm", "qags-xsum")
# Weights may be fitted on these only.
FITTED = (
    *SUMMEDITS,
    "wice",
    "factcheck-gpt",
    "scifact",
    "falke",
    "begin-wow",
    "begin-tc",
    "begin-cmu",
    "mtrag-faith",
)
WATCHED = ("begin-wow", "begin-tc", "begin-cmu", "mtrag-faith", "faithbench", "climate-fever", "averitec")
ALL = (*SUMMEDITS, *OTHERS, *WATCHED)


@dataclass(frozen=True)
class Labelled:
    """One set: a row of inputs per claim, its label, its group, and the word-overlap baseline.

    `left` is the share of the support that the fact checks leave.
    """

    names: tuple[str, ...]
    inputs: np.ndarray
    supported: np.ndarray
    groups: tuple[str, ...]
    overlap: np.ndarray
    left: np.ndarray

    @property
    def words_only(self) -> Labelled:
        """The same rows without the inputs that need vectors."""
        kept = [at for at, name in enumerate(self.names) if not name.startswith("alike_")]
        return replace(self, names=tuple(self.names[at] for at in kept), inputs=self.inputs[:, kept])

    @property
    def folds(self) -> np.ndarray:
        """The fold of each row, 0 to 4, by its group."""
        return np.array([int(hashlib.sha256(each.encode()).hexdigest(), 16) % 5 for each in self.groups])


def raw(name: str) -> list[dict]:
    """The set's rows."""
    path = DATA / name / "grounding.jsonl"
    if not path.exists():
        raise SystemExit(f"{path} is not there; set ASSAY_BENCH_DATA to the folder that holds dev/")
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def passage(text: str) -> Passage:
    """The context as a passage."""
    return Passage("context", "context", "", 0, len(text), text)


def labelled(name: str) -> Labelled:
    """The set with its inputs, from the cache where it holds them."""
    kept = Path(CACHE, f"{name}.pkl") if CACHE else None
    if kept is not None and kept.exists():
        return pickle.loads(kept.read_bytes())  # noqa: S301 - our own cache
    made = _made(name)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(made))
    return made


def _made(name: str) -> Labelled:
    rows = raw(name)
    sources = {text: SourceIndex([passage(text)]) for text in {row["context"] for row in rows}}
    claims = [_aligned(row["claim"], sources[row["context"]]) for row in rows]
    vectors = _vectors(list(dict.fromkeys(text for claim in claims for text in texts_of(claim))))
    found = [features(claim) | embedding_features(claim, vectors) for claim in claims]
    names = tuple(found[0])
    return Labelled(
        names,
        np.array([[one[each] for each in names] for one in found], dtype=np.float64),
        np.array([row["supported"] for row in rows]),
        tuple(row["group"] for row in rows),
        np.array([one["overlap"] for one in found]),
        np.array([_left(row["claim"], sources[row["context"]]) for row in rows]),
    )


def _aligned(claim: str, sources: SourceIndex) -> Alignment:
    """The claim, judged whole, beside its sources."""
    return next((align(1, one, sources) for one in as_one_claim(claim, ())), Alignment(claim, claim, sources))


def _left(claim: str, sources: SourceIndex) -> float:
    return share_left(checks_of(claim, sources))


def checks_of(claim: str, sources: SourceIndex) -> list[Check]:
    """The fact checks of one claim, judged whole."""
    return [
        check
        for one in as_one_claim(claim, ())
        for part in align(1, one, sources).parts
        for check in fact_checks(part)
    ]


def _vectors(texts: list[str]) -> dict[str, np.ndarray]:
    """The texts' vectors, those in the cache's vectors.pkl from there."""
    import assay_models

    from assay.models.embed_local import LocalEmbedder

    kept = Path(CACHE, "vectors.pkl") if CACHE else None
    known = pickle.loads(kept.read_bytes()) if kept is not None and kept.exists() else {}  # noqa: S301
    found = {text: known[text].astype(np.float32) for text in texts if text in known}
    missing = [text for text in texts if text not in found]
    embedder = LocalEmbedder.load(assay_models.folder(), threads=1)
    return found | dict(zip(missing, embedder.embed_now(missing), strict=True))


def every(names: tuple[str, ...]) -> dict[str, Labelled]:
    """The sets by name, made in two processes."""
    with ProcessPoolExecutor(2) as pool:
        made = {name: pool.submit(labelled, name) for name in names}
        found = {}
        for name in names:
            found[name] = made[name].result()
            print(name, len(found[name].supported), file=sys.stderr, flush=True)
    return found
