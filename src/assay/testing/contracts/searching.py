"""Suites of understanding, searching and judging: what is done before an answer is written."""

from __future__ import annotations

import pytest

from assay.core.stages import Judge, Refiner, Reranker, Retriever, Selector, Speller, Understander
from assay.errors import ProviderError
from assay.testing.contracts.given import (
    ASKED,
    EVIDENCE,
    HOSTILE,
    NOTHING,
    PARTLY,
    QUESTION,
    TEXTS,
    Contract,
    assert_share,
    evidence_of,
    hostile,
    may_refuse,
    question_of,
    required,
)
from assay.types import Action, Evidence, Message, Step
from assay.web.sources import SearchProvider, SearchResult

HOSTILE_EVIDENCE = evidence_of(*HOSTILE.values())
PATH = (Step(Action.REFINE, (ASKED,), EVIDENCE.ids, 0.4),)
DIALOGUE = (Message("user", "Tell me of the harbour bridge."), Message("assistant", TEXTS[1]))


class UnderstanderContract(Contract):
    """An understander keeps what was asked and in which dialogue, and always has something to search."""

    understander = required("understander")

    async def test_text_and_history_stay_as_they_are(self, understander: Understander) -> None:
        found = await understander.understand("When was it opened?", DIALOGUE)
        assert (found.text, found.history) == ("When was it opened?", DIALOGUE)
        assert found.standalone.strip()
        assert found.aspects
        assert 1 <= found.detail <= 10

    async def test_an_earlier_dialogue_changes_nothing(self, understander: Understander) -> None:
        before = await understander.understand(ASKED, ())
        await understander.understand("And how long is it?", DIALOGUE)
        assert await understander.understand(ASKED, ()) == before
        assert before.history == ()

    @hostile
    async def test_any_text_is_a_question(self, understander: Understander, text: str) -> None:
        for history in ((), (*DIALOGUE, Message("user", text))):
            found = await understander.understand(text, history)
            assert found.text == text
            assert found.standalone.strip() or not text.strip()


class SpellerContract(Contract):
    """A speller corrects words of the text, each once, and nothing else."""

    speller = required("speller")

    async def test_each_misspelt_word_of_the_text_once(self, speller: Speller) -> None:
        for text in (ASKED, "When was the brigde brigde opend?", *HOSTILE.values()):
            found = await speller.corrections(text)
            written = [correction.written for correction in found]
            assert len(set(written)) == len(written)
            assert all(
                correction.written in text and correction.searched not in ("", correction.written)
                for correction in found
            )
            assert await speller.corrections(text) == found


class RetrieverContract(Contract):
    """A retriever gives each passage once, best first, the same for the same queries, and nothing for none."""

    retriever = required("retriever")

    def assert_fit(self, found: Evidence) -> None:
        """Fail where a passage comes twice, an order is not that of the scores, or a masked part is not in it."""
        assert len(found.ids) == len(found.hits)
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        for hit in found.hits:
            assert hit.passage.text
            assert all(0 <= span.start < span.end <= len(hit.passage.text) for span in (*hit.masked, *hit.strips))

    @pytest.mark.parametrize("queries", [(ASKED,), (ASKED, "How long is it?"), (ASKED, ASKED)])
    async def test_each_passage_once_best_first(self, retriever: Retriever, queries: tuple[str, ...]) -> None:
        found = await retriever.retrieve(queries)
        self.assert_fit(found)
        await retriever.retrieve(("another question between them",))
        assert await retriever.retrieve(queries) == found

    async def test_no_queries_find_nothing(self, retriever: Retriever) -> None:
        assert (await retriever.retrieve(())).hits == ()

    @hostile
    async def test_any_query_is_searched(self, retriever: Retriever, text: str) -> None:
        self.assert_fit(await retriever.retrieve((text,)))


class RerankerContract(Contract):
    """A reranker gives the same hits in the order of new scores; what the search measured stays."""

    reranker = required("reranker")

    @pytest.mark.parametrize("evidence", [EVIDENCE, HOSTILE_EVIDENCE, NOTHING], ids=["plain", "hostile", "none"])
    async def test_the_same_hits_best_first(self, reranker: Reranker, evidence: Evidence) -> None:
        for question in (ASKED, *HOSTILE.values()):
            ranked = await reranker.rerank(question, evidence.hits)
            assert {hit.passage.passage_id: (hit.passage, hit.scores) for hit in ranked} == {
                hit.passage.passage_id: (hit.passage, hit.scores) for hit in evidence.hits
            }
            assert len(ranked) == len(evidence.hits)
            scores = [hit.score for hit in ranked]
            assert scores == sorted(scores, reverse=True)


class JudgeContract(Contract):
    """A judge speaks of the passages it was given, measures in shares, and never answers from nothing."""

    judge = required("judge")

    @pytest.mark.parametrize("evidence", [EVIDENCE, HOSTILE_EVIDENCE], ids=["plain", "hostile"])
    async def test_it_speaks_of_the_given_passages_in_shares(self, judge: Judge, evidence: Evidence) -> None:
        for text in (ASKED, *HOSTILE.values()):
            found = await judge.judge(question_of(text), evidence)
            for share in (found.sufficiency, found.coverage, found.ambiguity, *found.relevance.values()):
                assert_share(share)
            assert found.sufficiency is not None or found.quality == "unknown"
            assert found.reason
            assert found.relevance.keys() <= evidence.ids
            assert {passage_id for aspect in found.aspects for passage_id in aspect.passage_ids} <= evidence.ids
            for contradiction in found.contradictions:
                assert len(contradiction.readings) >= 2
                assert {
                    passage_id for reading in contradiction.readings for passage_id in reading.passage_ids
                } <= evidence.ids
            assert all(check.cause for check in found.checks if check.status != "passed")

    async def test_nothing_is_answered_from_nothing(self, judge: Judge) -> None:
        found = await judge.judge(QUESTION, NOTHING)
        assert found.recommendation is not Action.ANSWER
        assert not found.sufficiency

    async def test_an_earlier_question_changes_nothing(self, judge: Judge) -> None:
        before = await judge.judge(QUESTION, EVIDENCE)
        await judge.judge(question_of("Who built it?"), HOSTILE_EVIDENCE)
        after = await judge.judge(QUESTION, EVIDENCE)
        assert (after.sufficiency, after.recommendation) == (before.sufficiency, before.recommendation)


class RefinerContract(Contract):
    """A refiner names queries that were not asked on the path, each once."""

    refiner = required("refiner")

    @pytest.mark.parametrize("evidence", [EVIDENCE, NOTHING, HOSTILE_EVIDENCE], ids=["plain", "none", "hostile"])
    async def test_only_what_was_not_asked_yet(self, refiner: Refiner, evidence: Evidence) -> None:
        for text in (ASKED, *HOSTILE.values()):
            path = (*PATH, Step(Action.REFINE, (text,), evidence.ids, 0.4))
            queries = await refiner.refine(question_of(text), evidence, PARTLY, path)
            assert len(set(queries)) == len(queries)
            assert all(query.strip() for query in queries)
            assert not {ASKED, text} & set(queries)

    @hostile
    async def test_what_is_asked_outside_are_queries(self, refiner: Refiner, text: str) -> None:
        queries = await refiner.outside(question_of(text), PARTLY)
        assert len(set(queries)) == len(queries)
        assert all(query.strip() for query in queries)


class SelectorContract(Contract):
    """A selector keeps passages as they were found, each once, and adds none."""

    selector = required("selector")

    @pytest.mark.parametrize("evidence", [EVIDENCE, NOTHING, HOSTILE_EVIDENCE], ids=["plain", "none", "hostile"])
    async def test_it_keeps_what_was_found(self, selector: Selector, evidence: Evidence) -> None:
        for text in (ASKED, *HOSTILE.values()):
            kept = await selector.select(question_of(text), evidence)
            assert len(kept.ids) == len(kept.hits)
            given = {passage.passage_id: passage for passage in evidence.passages}
            assert all(given[passage.passage_id] == passage for passage in kept.passages)
            for hit in kept.hits:
                assert all(0 <= span.start < span.end <= len(hit.passage.text) for span in hit.strips)
            assert await selector.select(question_of(text), evidence) == kept


class SearchProviderContract(Contract):
    """A search service gives at most k results, best first, and fails by typed errors.

    The fixture `provider` must find something for "harbour bridge".
    """

    provider = required("provider")

    @pytest.mark.parametrize("k", [1, 3])
    async def test_at_most_k_results(self, provider: SearchProvider, k: int) -> None:
        assert provider.name
        assert provider.host
        found = await provider.search("harbour bridge", k)
        assert 1 <= len(found) <= k
        assert all(isinstance(result, SearchResult) and (result.link or result.snippet) for result in found)

    @hostile
    async def test_any_query_is_asked_or_refused(self, provider: SearchProvider, text: str) -> None:
        with may_refuse(ProviderError):
            assert len(await provider.search(text, 3)) <= 3
