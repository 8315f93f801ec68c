"""Quality of a ranking: nDCG, recall and reciprocal rank at a depth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult, RankedPassage

# Passages of a ranking that count: more than this many are seldom shown (chosen, as BEIR does).
DEPTH = 10
_CAUSE = "no case says which passages are relevant"


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain at `depth`, 0 to 1 (Järvelin and Kekäläinen 2002, linear gain).

    `gains` maps ids to relevance above 0; ids not in it gain nothing. Raises ValueError without gains.

    >>> round(ndcg(["b", "a"], {"a": 1.0}), 3)
    0.631
    """
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gains.values(), reverse=True)[:depth]))
    if ideal <= 0:
        raise ValueError("ndcg needs at least one relevant id")
    return sum(gains.get(item, 0.0) / math.log2(i + 2) for i, item in enumerate(ranked[:depth])) / ideal


def recall(ranked: Sequence[str], relevant: frozenset[str], depth: int = 100) -> float:
    """The share of the relevant ids among the first `depth`, 0 to 1. Raises ValueError without any.

    >>> recall(["b", "a"], frozenset("ac"), 2)
    0.5
    """
    if not relevant:
        raise ValueError("recall needs at least one relevant id")
    return len(relevant.intersection(ranked[:depth])) / len(relevant)


def reciprocal_rank(ranked: Sequence[str], relevant: frozenset[str], depth: int = DEPTH) -> float:
    """One over the rank of the first relevant id among the first `depth`, 0 where there is none (Voorhees 1999).

    >>> reciprocal_rank(["b", "a"], frozenset("ac"))
    0.5
    """
    return next((1 / rank for rank, item in enumerate(ranked[:depth], 1) if item in relevant), 0.0)


# Rankings of passages, judged by passage or by document.


def ranking(case: Case, result: CaseResult) -> tuple[str, ...]:
    """The passages found, best first, each as the key of `case.relevant` that it meets, else as an id of its own.

    A key is met by a passage's id, its document's id, or the end of its document's path. Several passages that
    meet one key count once, as the first of them. So do several passages of another document, unless the case
    judges single passages.
    """
    keys = [_key(passage, case.relevant) for passage in result.ranked]
    by_passage = any(passage.passage_id in case.relevant for passage in result.ranked)
    others = (passage.passage_id if by_passage else passage.document_id for passage in result.ranked)
    # Behind a mark, so that no id of something else is taken for a key.
    return tuple(
        dict.fromkeys(f"\0{other}" if key is None else key for key, other in zip(keys, others, strict=True))
    )


def _key(passage: RankedPassage, relevant: Mapping[str, float]) -> str | None:
    for own in (passage.passage_id, passage.document_id):
        if own in relevant:
            return own
    return next((key for key in relevant if is_of_document(key, passage.document_id, passage.path)), None)


def is_of_document(name: str, document_id: str, path: str) -> bool:
    """True if a name means a document: its id, its path, or the last parts of its path.

    >>> is_of_document("a.md", "1", "/notes/a.md"), is_of_document("a.md", "1", "/notes/aa.md")
    (True, False)
    """
    if name in (document_id, path):
        return True
    plain, end = path.replace("\\", "/"), name.replace("\\", "/").lstrip("/")
    return bool(end) and (plain == end or plain.endswith(f"/{end}"))


def _says_relevant(case: Case) -> bool:
    return bool(case.relevant)


def _ndcg(case: Case, result: CaseResult) -> float:
    return ndcg(ranking(case, result), case.relevant, DEPTH)


def _recall(case: Case, result: CaseResult) -> float:
    return recall(ranking(case, result), frozenset(case.relevant), DEPTH)


def _reciprocal_rank(case: Case, result: CaseResult) -> float:
    return reciprocal_rank(ranking(case, result), frozenset(case.relevant))


NDCG = MeanMeasure("ndcg@10", "retrieval", _ndcg, _CAUSE, _says_relevant)
RECALL = MeanMeasure("recall@10", "retrieval", _recall, _CAUSE, _says_relevant)
MRR = MeanMeasure("mrr@10", "retrieval", _reciprocal_rank, _CAUSE, _says_relevant)
MEASURES = (NDCG, RECALL, MRR)
