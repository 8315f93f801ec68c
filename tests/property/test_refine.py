"""Whatever the texts: queries are new, a choice is a choice, and strips are true spans."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from assay.judging.multi_step import phrases
from assay.judging.rewriting import RulesRefiner, keywords, query_key, with_constraints
from assay.judging.selection import BestSelector, with_strips
from assay.nlp.sentences import sentences
from assay.prompting import absent_from, pack, random_fence, shown_text, texts_of
from assay.types import Action, Evidence, Hit, Judgement, Passage, Question, Scores, Step

WORDS = st.sampled_from(
    """Who was the director of Emma? the city where Ann Lee lives in 1999 , It is "Due South" by NATO (WHO) also
    known as Bob. and 東京です。 X! born London, Italy . \n\n # Head | [2] é""".split(" ")
)
TEXTS = st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=60))
HITS = st.lists(
    st.tuples(TEXTS, TEXTS, st.one_of(st.none(), st.floats(-1, 1)), st.floats(0, 1)), max_size=6
)  # title, text, cosine, score
JUDGED = Judgement(0.4, Action.REFINE, "some is missing")


def evidence(rows: list[tuple[str, str, float | None, float]]) -> Evidence:
    return Evidence(
        tuple(
            Hit(Passage(f"p{n}", "d", "r", 0, len(text), text, title=title), score, Scores(dense=dense))
            for n, (title, text, dense, score) in enumerate(rows)
        )
    )


def question(text: str) -> Question:
    return Question(text, text, aspects=(text,))


@given(TEXTS, HITS, st.integers(1, 8), st.integers(1, 3))
def test_queries_are_new_each_once_and_no_more_than_asked_for(text, rows, most, rounds):
    refiner, found = RulesRefiner(most), evidence(rows)
    path = (Step(Action.REFINE, (text,), found.ids, None),)
    for _ in range(rounds):
        queries = asyncio.run(refiner.refine(question(text), found, JUDGED, path))
        assert len(queries) <= most
        before = {query_key(query) for step in path for query in step.queries}
        keys = [query_key(query) for query in queries]
        assert len(set(keys)) == len(keys)
        assert before.isdisjoint(keys)
        assert all(keys)
        path += (Step(Action.REFINE, queries, found.ids, None),)


@given(TEXTS, HITS)
def test_the_same_evidence_gives_the_same_queries_and_the_same_choice(text, rows):
    found, path = evidence(rows), (Step(Action.REFINE, (text,), frozenset(), None),)
    refiner, selector = RulesRefiner(), BestSelector(3)
    again = [asyncio.run(refiner.refine(question(text), found, JUDGED, path)) for _ in range(2)]
    assert again[0] == again[1]
    choices = [asyncio.run(selector.select(question(text), found)) for _ in range(2)]
    assert choices[0] == choices[1]


@given(TEXTS)
def test_phrases_are_true_stretches_of_the_question(text):
    for phrase in phrases(text):
        assert text[phrase.start : phrase.end] == phrase.text
        assert phrase.weights


@given(TEXTS, HITS, st.integers(1, 8))
def test_a_choice_holds_some_of_the_hits_each_once(text, rows, k):
    found = evidence(rows)
    chosen = asyncio.run(BestSelector(k).select(question(text), found))
    assert len(chosen.hits) == min(k, len(found.hits))
    assert len(chosen.ids) == len(chosen.hits)
    assert all(hit in found.hits for hit in chosen.hits)
    assert chosen.hits[: k // 2] == found.hits[: k // 2]


@given(TEXTS, HITS)
def test_strips_are_sentences_in_order_and_apart_and_nothing_else_changes(text, rows):
    found = evidence(rows)
    cut = with_strips(question(text), found)
    assert cut.passages == found.passages
    for hit in cut.hits:
        ends = {(span.start, span.end) for span in sentences(hit.passage.text)}
        starts, stops = {start for start, _ in ends}, {end for _, end in ends}
        for strip in hit.strips:
            assert strip.start < strip.end
            assert strip.start in starts
            assert strip.end in stops
        assert all(one.end < two.start for one, two in zip(hit.strips, hit.strips[1:], strict=False))


@given(TEXTS, HITS, st.integers(0, 300))
def test_strips_fit_the_budget_and_no_passage_is_lost(text, rows, budget):
    cut = with_strips(question(text), evidence(rows))
    fence = absent_from(texts_of(cut), random_fence)
    packed = pack(cut, budget, fence, len)
    assert sorted((*packed.ids, *packed.left_out)) == sorted(cut.ids)
    if packed.passages:
        assert len(packed.text) <= packed.tokens <= budget
    for hit in cut.hits:
        name = hit.passage.passage_id
        assert name in packed.left_out or name in packed.shortened or shown_text(hit) in packed.text


@given(TEXTS, TEXTS)
def test_queries_for_outside_lose_no_number(text, part):
    for made in (keywords(text), with_constraints(text, part)):
        numbers = {word for word in text.split() if word.isascii() and word.isdigit()}
        assert numbers <= {word.strip("?.,!;") for word in made.split()}
