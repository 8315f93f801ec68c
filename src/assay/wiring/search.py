"""From settings to searches of a collection."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core.stages import Embedder, Index, Reranker, Retriever
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.neighbours import LinkedRetriever, WholeBlocksRetriever
from assay.retrieval.quarantine import QuarantiningRetriever
from assay.settings import Settings
from assay.types import SearchSettings


def search_settings(settings: Settings) -> SearchSettings:
    """The settings of a search under these settings."""
    return SearchSettings(settings.mode, settings.k, settings.fusion, settings.mmr, settings.where)


@dataclass(frozen=True, slots=True)
class CollectionSearch:
    """Searches of one collection, under any settings."""

    index: Index
    embedder: Embedder
    reranker: Reranker | None

    def plain(self, settings: SearchSettings) -> Retriever:
        """The passages as they were found."""
        return HybridRetriever(self.index, self.embedder, settings, self.reranker)

    def of(self, settings: Settings, *, tells: bool) -> Retriever:
        """Retriever for answers: whole blocks, a second step, planted instructions masked; `tells` notes them."""
        linked = LinkedRetriever(self.plain(search_settings(settings)), self.index, self.embedder)
        return QuarantiningRetriever(WholeBlocksRetriever(linked, self.index), tells=tells)
