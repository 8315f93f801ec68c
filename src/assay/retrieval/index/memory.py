"""The reference index, in memory: defines what each method means in the simplest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.nlp.tokens import terms
from assay.retrieval.index.rows import (
    TITLE_WEIGHT,
    PassageWords,
    WordStatistics,
    bm25,
    check_entry,
    query_terms,
    shown_source,
)
from assay.types import Document, DocumentRecord, EmbeddingModel, Found, Metadata, Passage


class MemoryIndex:
    """An `Index` that is lost when closed; for tests and small temporary collections."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._version = 0
        self._documents: dict[str, Document] = {}
        self._passages: dict[str, Passage] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._words: dict[str, PassageWords] = {}

    @property
    def model(self) -> EmbeddingModel:
        """The model of the stored vectors."""
        return self._model

    async def add(self, entries: Sequence[Entry]) -> int:
        """Store the entries, each replacing the document of its id; return the version."""
        for entry in entries:
            check_entry(entry, self._model.dimension)
        for entry in entries:
            self._forget(entry.document.document_id)
            self._documents[entry.document.document_id] = entry.document
            for passage, vector in zip(entry.passages, entry.vectors, strict=True):
                self._passages[passage.passage_id] = replace(passage, source=shown_source(entry.document.source))
                # Rounded like stored vectors, so that scores are the same everywhere.
                self._vectors[passage.passage_id] = vector.astype(np.float16).astype(np.float32)
                self._words[passage.passage_id] = _words_of(passage)
        self._version += bool(entries)
        return self._version

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove the documents; unknown ids are ignored; return the version."""
        known = [document_id for document_id in document_ids if document_id in self._documents]
        for document_id in known:
            self._forget(document_id)
        self._version += bool(known)
        return self._version

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents, ordered by source, then id."""
        counts = Counter(passage.document_id for passage in self._passages.values())
        ordered = sorted(self._documents.values(), key=lambda document: (document.source, document.document_id))
        return tuple(_record(document, counts[document.document_id]) for document in ordered)

    async def document(self, document_id: str) -> Document | None:
        """The document as stored, or None."""
        return self._documents.get(document_id)

    async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of those ids, in that order; ids that are gone are left out."""
        return tuple(self._passages[passage_id] for passage_id in passage_ids if passage_id in self._passages)

    async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
        empty = np.zeros((0, self._model.dimension), dtype=np.float32)
        return np.vstack([empty, *(self._vectors[passage_id] for passage_id in passage_ids)])

    async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest cosine to `vector` (shape (dimension,)), best first."""
        return _best(
            [Found(passage_id, float(self._vectors[passage_id] @ vector)) for passage_id in self._kept(where)], k
        )

    async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest BM25 score for the words of `text`, best first; no query syntax."""
        query = query_terms(text)
        statistics = self._statistics(query)
        scores = [
            Found(passage_id, bm25(query, self._words[passage_id], statistics)) for passage_id in self._kept(where)
        ]
        return _best([found for found in scores if found.score > 0], k)

    async def term_counts(self, terms: Sequence[str] | None = None) -> Mapping[str, int]:
        """Number of passages with each term, titles included: of all terms, or of the ones given that stand."""
        counts = Counter(term for words in self._words.values() for term in words.counts)
        return counts if terms is None else {term: counts[term] for term in terms if term in counts}

    async def holding(self, term: str, k: int) -> tuple[str, ...]:
        """The ids of the first k passages that hold a term in title or text, as stored."""
        return tuple(passage_id for passage_id, words in self._words.items() if term in words.counts)[:k]

    async def size(self) -> int:
        """Number of passages."""
        return len(self._passages)

    async def version(self) -> int:
        """The collection's version: 0 when new, one more after each change."""
        return self._version

    async def close(self) -> None:
        """Nothing to release."""

    def _forget(self, document_id: str) -> None:
        self._documents.pop(document_id, None)
        for passage_id in [key for key, passage in self._passages.items() if passage.document_id == document_id]:
            del self._passages[passage_id], self._vectors[passage_id], self._words[passage_id]

    def _kept(self, where: Metadata) -> list[str]:
        return [key for key, passage in self._passages.items() if _matches(passage.metadata, where)]

    def _statistics(self, query: Sequence[str]) -> WordStatistics:
        lengths = [words.length for words in self._words.values()]
        frequencies = {term: sum(term in words.counts for words in self._words.values()) for term in query}
        return WordStatistics(len(lengths), sum(lengths) / max(len(lengths), 1), frequencies)


def _matches(metadata: Metadata, where: Metadata) -> bool:
    return all(key in metadata and metadata[key] == value for key, value in where.items())


def _words_of(passage: Passage) -> PassageWords:
    title, body = terms(passage.title), terms(passage.searched)
    counts: dict[str, float] = dict(Counter(body))
    for term, count in Counter(title).items():
        counts[term] = counts.get(term, 0.0) + TITLE_WEIGHT * count
    return PassageWords(counts, len(title) + len(body))


def _best(found: list[Found], k: int) -> tuple[Found, ...]:
    """The k best; of equals, the one stored first."""
    return tuple(sorted(found, key=lambda result: -result.score)[:k])


def _record(document: Document, passages: int) -> DocumentRecord:
    return DocumentRecord(
        document_id=document.document_id,
        source=document.source,
        title=document.title,
        format=document.format,
        revision=document.revision,
        bytes_sha256=document.bytes_sha256,
        passages=passages,
        warnings=document.warnings,
    )
