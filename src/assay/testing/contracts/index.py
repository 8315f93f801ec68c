"""The suite of indexes: what was stored is found, by words and by vector, as the reference finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.stages import Entry, Index
from assay.errors import UsageError
from assay.nlp.tokens import terms
from assay.testing.contracts.given import Contract, required
from assay.types import Document, EmbeddingModel, Found, Location, Metadata, Passage, Place, Region

# The model that the index to test is opened for.
MODEL = EmbeddingModel("fake", 8, "0" * 64)
SYNTAX = """" * ( ^apple -apple +apple apple* {apple} title:apple NEAR(apple,2) %s"""
PHRASES = ["apple AND", "OR", "NOT apple", "apple' OR 1=1", "body : apple", "a\0pple", "\ud800 apple", "{} $1 ?1"]


def vector_of(text: str) -> NDArray[np.float32]:
    """A direction that belongs to the text, the same on every run."""
    seed = np.frombuffer(text.encode(errors="surrogatepass").ljust(4, b"\0"), np.uint8)
    drawn = np.random.default_rng(seed).standard_normal(MODEL.dimension)
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def entry(
    document_id: str, *texts: str, title: str = "", metadata: Metadata | None = None, source: str = ""
) -> Entry:
    """A document of one passage a text."""
    whole, about = "\n".join(texts), metadata or {}
    document = Document(document_id, whole, title, source or document_id, "text", "f" * 64, metadata=about)
    passages, start, page = [], 0, Location(page=1)
    for text in texts:
        end = start + len(text)
        key = Passage.id_for(document_id, document.revision, start, end)
        at = (document_id, document.revision, start, end, text, title, page, about)
        passages.append(Passage(key, *at, source=document.source))
        start = end + 1
    vectors = np.array([vector_of(text) for text in texts], np.float32).reshape(len(texts), MODEL.dimension)
    return Entry(document, tuple(passages), vectors)


async def texts(index: Index, found: Sequence[Found]) -> list[str]:
    """The texts of what a search found."""
    return [passage.text for passage in await index.passages([hit.passage_id for hit in found])]


class IndexContract(Contract):
    """An index gives back what was stored, finds it by words and by vector, and shows each change at once.

    The fixture `open_index` is called without arguments and opens the same empty collection, for vectors of MODEL,
    each time as another process would; it closes what it opened when the test ends.
    """

    open_index = required("open_index")

    @pytest.fixture
    def index(self, open_index: Callable[[], Index]) -> Index:
        """The collection, opened once."""
        return open_index()

    async def test_a_new_collection_is_empty_at_version_0(self, index: Index) -> None:
        assert (await index.version(), await index.size()) == (0, 0)
        assert await index.documents() == ()
        assert await index.document("a") is None
        assert await index.dense(vector_of("x"), 5, {}) == ()
        assert await index.sparse("x", 5, {}) == ()
        assert index.model == MODEL

    async def test_what_was_added_is_found_by_words_and_by_vector(self, index: Index) -> None:
        await index.add([entry("a", "Water boils at 100 degrees.", "Iron melts at 1538 degrees.")])
        assert await texts(index, await index.sparse("melting iron", 1, {})) == ["Iron melts at 1538 degrees."]
        best = await index.dense(vector_of("Water boils at 100 degrees."), 1, {})
        assert await texts(index, best) == ["Water boils at 100 degrees."]
        assert best[0].score == pytest.approx(1.0, abs=1e-3)

    async def test_a_document_comes_back_as_it_was(self, index: Index) -> None:
        given = entry(
            "a", "First.", "Zweitens: 東京 – Ω \U0001f600", title="Tïtle", metadata={"n": 1, "x": 0.5, "b": True}
        )
        regions = (
            Region(0, 6, Location(page=2, section="One"), "heading"),
            Region(7, 10, Location(sheet="S", row=3)),
        )
        document = replace(given.document, regions=regions, warnings=("mended",), source="odd \udcff name")
        await index.add([replace(given, document=document)])
        assert await index.document("a") == document
        stored = await index.passages([passage.passage_id for passage in given.passages])
        assert stored == tuple(replace(passage, source="odd ? name") for passage in given.passages)
        (record,) = await index.documents()
        assert (record.source, record.passages, record.warnings) == ("odd \udcff name", 2, ("mended",))
        assert (record.revision, record.title, record.bytes_sha256) == (document.revision, "Tïtle", "f" * 64)

    async def test_places_lines_and_headers_come_back_and_a_header_is_searched(self, index: Index) -> None:
        given = entry("a", "Bob | 9", "Eve | 4", "Some other words")
        places = (Place(0, Location(page=1)), Place(4, Location(page=2, section="Days")))
        first = replace(given.passages[0], places=places, line=7, header="Name | Holidays")
        await index.add([replace(given, passages=(first, *given.passages[1:]))])
        assert await index.passages([first.passage_id]) == (first,)
        assert await texts(index, await index.sparse("holidays", 5, {})) == ["Bob | 9"]
        await index.remove(["a"])
        await index.add([entry("b", "Holidays", "Work", "Rest")])
        assert await texts(index, await index.sparse("holidays", 5, {})) == ["Holidays"]

    async def test_documents_are_ordered_by_source_then_id(self, index: Index) -> None:
        await index.add([entry("c", "x", source="2"), entry("b", "x", source="1"), entry("a", "x", source="2")])
        assert [record.document_id for record in await index.documents()] == ["b", "a", "c"]

    async def test_adding_again_replaces_the_document(self, index: Index) -> None:
        await index.add([entry("a", "old words here", "more old words"), entry("b", "kept words")])
        old = [found.passage_id for found in await index.sparse("old", 5, {})]
        await index.add([entry("a", "new words here")])
        assert await index.size() == 2
        assert await index.sparse("old", 5, {}) == ()
        assert await index.passages(old) == ()
        assert sorted(await texts(index, await index.dense(vector_of("old"), 9, {}))) == [
            "kept words",
            "new words here",
        ]

    async def test_the_last_of_two_entries_of_one_id_stays(self, index: Index) -> None:
        await index.add([entry("a", "first"), entry("a", "second")])
        assert await texts(index, await index.dense(vector_of("x"), 9, {})) == ["second"]

    async def test_removed_documents_are_gone_everywhere(self, index: Index) -> None:
        await index.add([entry("a", "red apple"), entry("b", "green apple")])
        await index.remove(["a", "nobody"])
        assert await texts(index, await index.sparse("red apple", 5, {})) == ["green apple"]
        assert await texts(index, await index.dense(vector_of("red apple"), 5, {})) == ["green apple"]
        assert await index.document("a") is None

    async def test_each_change_raises_the_version_by_one(self, index: Index) -> None:
        assert await index.add([entry("a", "x"), entry("b", "y")]) == 1
        assert await index.add([]) == 1
        assert await index.remove(["nobody"]) == 1
        assert await index.remove(["a", "b"]) == 2
        assert await index.version() == 2

    async def test_a_document_without_passages_is_kept(self, index: Index) -> None:
        await index.add([entry("a")])
        assert [(record.document_id, record.passages) for record in await index.documents()] == [("a", 0)]
        assert await index.size() == 0

    async def test_vectors_of_another_shape_are_refused_and_nothing_is_stored(self, index: Index) -> None:
        wrong = replace(entry("b", "y"), vectors=np.zeros((1, 3), np.float32))
        with pytest.raises(UsageError):
            await index.add([entry("a", "x"), wrong])
        assert await index.documents() == ()

    async def test_vectors_come_in_the_order_asked(self, index: Index) -> None:
        given = entry("a", "one", "two", "three")
        await index.add([given])
        ids = [passage.passage_id for passage in given.passages]
        got = await index.vectors([ids[2], ids[0]])
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, given.vectors[[2, 0]], atol=1e-3)
        assert (await index.vectors([])).shape == (0, MODEL.dimension)
        with pytest.raises(KeyError):
            await index.vectors([ids[0], "gone"])

    async def test_passages_keep_the_order_asked_and_leave_out_what_is_gone(self, index: Index) -> None:
        given = entry("a", *[f"passage {n}" for n in range(700)])
        await index.add([given])
        ids = [passage.passage_id for passage in given.passages][::-1]
        assert [passage.passage_id for passage in await index.passages(["gone", *ids])] == ids

    async def test_fewer_than_k_are_fine_and_none_for_k_0(self, index: Index) -> None:
        await index.add([entry("a", "red apple", "green apple")])
        assert len(await index.dense(vector_of("x"), 100, {})) == 2
        assert len(await index.sparse("apple", 100, {})) == 2
        assert await index.dense(vector_of("x"), 0, {}) == ()
        assert await index.sparse("apple", 0, {}) == ()

    async def test_scores_fall_and_of_equals_the_first_stored_leads(self, index: Index) -> None:
        await index.add([entry(name, "same words") for name in "dbca"])
        found = await index.sparse("same words", 3, {})
        assert [passage.document_id for passage in await index.passages([f.passage_id for f in found])] == [
            "d",
            "b",
            "c",
        ]
        await index.add([entry("long", "same words and then a great many others that do not matter here")])
        scores = [hit.score for hit in await index.sparse("same words", 9, {})]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[-1] > 0

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ({"lang": "en"}, {"a", "b"}),
            ({"lang": "en", "year": 2020}, {"a"}),
            ({"year": 2020}, {"a", "c"}),
            ({"year": "2020"}, set()),
            ({"year": 2020.0}, {"a", "c"}),
            ({"draft": True}, {"c"}),
            ({"draft": 1}, {"c"}),
            ({"lang": "en' OR 1=1 --"}, set()),
            ({'k"ey': "quoted"}, {"b"}),
            ({"big": 10**30}, {"b"}),
            ({"none": "x"}, set()),
            ({"lang": "\ud800"}, set()),
        ],
    )
    async def test_filters_keep_what_equals_every_value(
        self, index: Index, where: Metadata, expected: set[str]
    ) -> None:
        await index.add(
            [
                entry("a", "apple a", metadata={"lang": "en", "year": 2020}),
                entry("b", "apple b", metadata={"lang": "en", "year": 2021, 'k"ey': "quoted", "big": 10**30}),
                entry("c", "apple c", metadata={"lang": "de", "year": 2020, "draft": True, "nan": float("nan")}),
            ]
        )
        for found in (await index.dense(vector_of("x"), 9, where), await index.sparse("apple", 9, where)):
            assert {
                passage.document_id for passage in await index.passages([f.passage_id for f in found])
            } == expected

    @pytest.mark.parametrize("question", [*SYNTAX.split(" "), *PHRASES])
    async def test_no_question_is_query_syntax(self, index: Index, question: str) -> None:
        await index.add([entry("a", "An apple a day.", "Nothing of the kind.")])
        found = await texts(index, await index.sparse(question, 5, {}))
        assert found == (["An apple a day."] if set(terms(question)) & {"appl"} else [])

    async def test_every_script_is_searched_by_words(self, index: Index) -> None:
        given = [
            "東京の人口は増えている",
            "대한민국의 수도는 서울이다",
            "Население Москвы растёт",
            "Ελλάδα και θάλασσα",
            "naïve café 3,5",
        ]
        await index.add([entry(str(n), text) for n, text in enumerate(given)])
        for question, n in [("人口", 0), ("수도는", 1), ("москвы", 2), ("θάλασσα", 3), ("CAFE", 4), ("3,5", 4)]:
            assert await texts(index, await index.sparse(question, 1, {})) == [given[n]]

    async def test_the_title_is_searched_too(self, index: Index) -> None:
        await index.add([entry("a", "It boils.", title="Water"), entry("b", "It melts.", title="Iron")])
        assert await texts(index, await index.sparse("iron", 5, {})) == ["It melts."]

    async def test_the_terms_and_in_how_many_passages_they_stand(self, index: Index) -> None:
        assert await index.term_counts() == {}
        await index.add(
            [entry("a", "Boiling water boils.", "Water runs.", title="Tea"), entry("b", "The kettle boils")]
        )
        assert await index.term_counts() == {"boil": 2, "water": 2, "tea": 2, "run": 1, "kettl": 1}
        assert await index.term_counts(["boil", "kettle", "tea"]) == {"boil": 2, "tea": 2}
        await index.remove(["b"])
        assert await index.term_counts(["boil", "kettl"]) == {"boil": 1}
        assert "kettl" not in await index.term_counts()

    async def test_the_first_passages_that_hold_a_term(self, index: Index) -> None:
        await index.add([entry("a", "Reimbursements are slow.", "Tea."), entry("b", "No.", title="Reimbursement")])
        found = await index.passages(await index.holding("reimburs", 5))
        assert [passage.text for passage in found] == ["Reimbursements are slow.", "No."]
        assert len(await index.holding("reimburs", 1)) == 1
        assert await index.holding("reimbursement", 5) == ()

    async def test_a_question_of_a_megabyte_is_answered(self, index: Index) -> None:
        await index.add([entry("a", "word1 here")])
        assert len(await index.sparse(" ".join(f"word{n}" for n in range(150_000)), 5, {})) == 1

    async def test_another_opening_sees_each_change_at_its_next_call(self, open_index: Callable[[], Index]) -> None:
        one, other = open_index(), open_index()
        await one.add([entry("a", "red apple")])
        assert await other.version() == 1
        assert await texts(other, await other.dense(vector_of("red apple"), 5, {})) == ["red apple"]
        await other.add([entry("b", "green apple")])
        assert sorted(await texts(one, await one.dense(vector_of("red apple"), 5, {}))) == [
            "green apple",
            "red apple",
        ]
        await one.remove(["a"])
        assert await texts(other, await other.dense(vector_of("red apple"), 5, {})) == ["green apple"]
        assert await texts(other, await other.sparse("apple", 5, {})) == ["green apple"]
        assert await other.document("a") is None

    async def test_closing_it_twice_is_harmless(self, index: Index) -> None:
        await index.add([entry("a", "red apple")])
        await index.close()
        await index.close()
