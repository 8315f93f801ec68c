"""The second step: what the best passages name is looked for too."""

from __future__ import annotations

from assay.core.stages import Entry
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.neighbours import LinkedRetriever
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Passage, SearchMode, SearchSettings

EMBEDDER = WordEmbedder()
TEXTS = {
    "brand": "Brand Koro was founded by Ann Lee.",
    "founder": "Ann Lee came from a village near Ulm.",
    "tea": "Brand Tasso sells tea and was founded last year.",
    "rain": "It was founded on rain.",
    "sand": "A house founded on sand.",
}


ASKED = "Who founded brand Koro?"


async def found(settings: SearchSettings, places: int = 1, asked: str = ASKED) -> list[str]:
    index = MemoryIndex(EMBEDDER.model)
    for name, text in TEXTS.items():
        document = Document(name, text, "", name, "text", "")
        passage = Passage(name, name, document.revision, 0, len(text), text)
        await index.add([Entry(document, (passage,), await EMBEDDER.embed([text]))])
    inner = HybridRetriever(index, EMBEDDER, settings)
    evidence = await LinkedRetriever(inner, index, EMBEDDER, places).retrieve((asked,))
    assert len(evidence.hits) == settings.k
    scores = [hit.score for hit in evidence.hits]
    assert scores == sorted(scores, reverse=True)
    return [hit.passage.passage_id for hit in evidence.hits]


async def test_the_passage_that_the_best_one_leads_to_takes_the_last_place() -> None:
    found_ids = await found(SearchSettings(k=3))
    assert found_ids[0] == "brand"
    assert found_ids[-1] == "founder"


async def test_a_search_by_vector_only_stays_as_it_is() -> None:
    settings = SearchSettings(k=3, mode=SearchMode.DENSE)
    index_order = await found(settings)
    assert "founder" not in index_order


async def test_too_few_passages_stay_as_they_are() -> None:
    assert await found(SearchSettings(k=1)) == ["brand"]


async def test_a_question_without_a_name_leads_nowhere() -> None:
    found_ids = await found(SearchSettings(k=3), asked=ASKED.lower())
    assert found_ids[0] == "brand"
    assert "founder" not in found_ids
