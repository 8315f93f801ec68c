"""Hybrid retrieval over the memory index, with an embedder whose vectors follow the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import UsageError
from assay.retrieval.hybrid import HybridRetriever, newer_first
from assay.retrieval.index.memory import MemoryIndex
from assay.testing.fakes import WordEmbedder
from assay.types import Document, EmbeddingModel, Found, Hit, Metadata, Origin, Passage, SearchMode, SearchSettings

EMBEDDER = WordEmbedder()
TEXTS = {
    "water": "Water boils at 100 degrees.",
    "iron": "Iron melts at 1538 degrees.",
    "again": "Water boils at 100 degrees in a pot.",
    "tokyo": "東京の人口は一千四百万人です。",
}


async def filled() -> MemoryIndex:
    """An index of one passage a text."""
    index = MemoryIndex(EMBEDDER.model)
    await index.add([await entry(name, text) for name, text in TEXTS.items()])
    return index


async def entry(name: str, text: str) -> Entry:
    document = Document(name, text, "", name, "text", "")
    passage = Passage(name, name, document.revision, 0, len(text), text, metadata={"kind": name})
    return Entry(document, (passage,), await EMBEDDER.embed([text]))


async def found(query: str, settings: SearchSettings = SearchSettings()) -> list[str]:  # noqa: B008, RUF100
    evidence = await HybridRetriever(await filled(), EMBEDDER, settings).retrieve((query,))
    return [hit.passage.passage_id for hit in evidence.hits]


@pytest.mark.parametrize("fusion", ["rrf", "scaled"])
@pytest.mark.parametrize("feedback", [0, 2])
async def test_the_passage_that_answers_leads(fusion: str, feedback: int) -> None:
    assert (await found("melting iron", SearchSettings(fusion=fusion, feedback=feedback)))[0] == "iron"


async def test_evidence_records_settings_and_version() -> None:
    settings = SearchSettings(k=2)
    evidence = await HybridRetriever(await filled(), EMBEDDER, settings).retrieve(("boiling water",))
    assert (evidence.settings, evidence.version, len(evidence.hits)) == (settings, 1, 2)


async def test_raw_scores_stand_beside_the_fused_one() -> None:
    evidence = await HybridRetriever(await filled(), EMBEDDER).retrieve(("boiling water",))
    scores = {hit.passage.passage_id: hit.scores for hit in evidence.hits}
    (vector,) = await EMBEDDER.embed(["boiling water"])
    (stored,) = await EMBEDDER.embed([TEXTS["water"]])
    assert scores["water"].dense == pytest.approx(float(stored @ vector), abs=1e-3)
    assert scores["water"].sparse is not None
    assert scores["water"].sparse > 0
    assert scores["iron"].sparse is None


@pytest.mark.parametrize(("mode", "kept"), [(SearchMode.DENSE, "dense"), (SearchMode.SPARSE, "sparse")])
async def test_one_search_alone_scores_as_it_is(mode: SearchMode, kept: str) -> None:
    evidence = await HybridRetriever(await filled(), EMBEDDER, SearchSettings(mode=mode)).retrieve(
        ("boiling water",)
    )
    assert evidence.settings is not None
    assert evidence.settings.mode is mode
    assert all(hit.score == getattr(hit.scores, kept) for hit in evidence.hits)


async def test_a_script_that_the_model_does_not_know_is_searched_by_words_only() -> None:
    evidence = await HybridRetriever(await filled(), EMBEDDER).retrieve(("東京の人口",))
    assert evidence.settings is not None
    assert evidence.settings.mode is SearchMode.SPARSE
    assert [hit.passage.passage_id for hit in evidence.hits] == ["tokyo"]
    assert evidence.hits[0].scores.dense is None


async def test_a_passage_of_two_queries_is_there_once_at_its_better_score() -> None:
    index = await filled()
    retriever = HybridRetriever(index, EMBEDDER)
    both = await retriever.retrieve(("boiling water", "melting iron"))
    one, other = await retriever.retrieve(("boiling water",)), await retriever.retrieve(("melting iron",))
    ids = [hit.passage.passage_id for hit in both.hits]
    assert len(set(ids)) == len(ids)
    assert {ids[0], ids[1]} == {one.hits[0].passage.passage_id, other.hits[0].passage.passage_id}


async def test_mmr_prefers_what_is_new() -> None:
    settings = SearchSettings(k=2, mmr=0.3)
    plain = await found("water boils at degrees", replace(settings, mmr=None))
    assert set(plain) == {"water", "again"}
    assert set(await found("water boils at degrees", settings)) != {"water", "again"}
    assert await found("water boils at degrees", replace(settings, mmr=1.0)) == plain


async def test_filters_reach_both_searches() -> None:
    assert await found("boiling water", SearchSettings(where={"kind": "again"})) == ["again"]


async def test_an_empty_index_gives_no_hits() -> None:
    evidence = await HybridRetriever(MemoryIndex(EMBEDDER.model), EMBEDDER).retrieve(("water",))
    assert evidence.hits == ()
    assert (
        await HybridRetriever(MemoryIndex(EMBEDDER.model), EMBEDDER, SearchSettings(mmr=0.5)).retrieve(("x",))
    ).hits == ()


async def test_a_reranker_has_the_last_word() -> None:
    class Backwards:
        """Turns the order round."""

        async def rerank(self, question: str, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
            assert question == "boiling water"
            return tuple(replace(hit, score=float(n)) for n, hit in enumerate(reversed(hits)))

    index = await filled()
    settings = SearchSettings(k=1)
    evidence = await HybridRetriever(index, EMBEDDER, settings, Backwards()).retrieve(("boiling water", "iron"))
    everything = await HybridRetriever(index, EMBEDDER, SearchSettings(k=9)).retrieve(("boiling water", "iron"))
    assert evidence.hits[0].passage == everything.hits[-1].passage
    assert len(evidence.hits) == 1


async def test_a_passage_removed_in_the_middle_of_a_search_is_not_missed() -> None:
    @dataclass
    class Shrinking:
        """An index from which a document vanishes between the search and the reading of its vectors."""

        inner: MemoryIndex
        shrunk: list[str] = field(default_factory=list)
        model: EmbeddingModel = EMBEDDER.model

        async def version(self) -> int:
            return await self.inner.version()

        async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
            return await self.inner.dense(vector, k, where)

        async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
            return await self.inner.sparse(text, k, where)

        async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
            if not self.shrunk:
                self.shrunk.append("water")
                await self.inner.remove(["water"])
            return await self.inner.vectors(passage_ids)

        async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
            return await self.inner.passages(passage_ids)

    evidence = await HybridRetriever(Shrinking(await filled()), EMBEDDER).retrieve(("boiling water",))  # type: ignore[arg-type]
    assert next(hit.passage.passage_id for hit in evidence.hits) == "again"
    assert len(evidence.hits) == 3


@pytest.mark.parametrize("settings", [SearchSettings(fusion="none"), SearchSettings(k=0), SearchSettings(mmr=2.0)])
async def test_settings_that_make_no_sense_are_refused(settings: SearchSettings) -> None:
    with pytest.raises(UsageError) as caught:
        HybridRetriever(MemoryIndex(EMBEDDER.model), EMBEDDER, settings)
    assert caught.value.hint


def test_of_about_equal_scores_the_newer_passage_leads() -> None:
    def hit(key: str, score: float, date: str | None = None) -> Hit:
        return Hit(Passage(key, key, "", 0, 0, "", origin=Origin(date=date)), score)

    hits = (
        hit("best", 0.9),
        hit("old", 0.801, "2010"),
        hit("undated", 0.8),
        hit("new", 0.799, "2020-05"),
        hit("c", 0.7),
    )
    assert [each.passage.passage_id for each in newer_first(hits)] == ["best", "new", "old", "undated", "c"]
