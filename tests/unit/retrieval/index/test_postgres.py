"""What only the store in Postgres does: the graph, other models, joined words, tenants, and its consistency."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from uuid import uuid4

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import ModelMismatch, UnknownCollection, UsageError
from assay.postgres.database import Database
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.postgres import (
    PostgresIndex,
    created_at,
    delete_collection,
    open_postgres,
    read_names,
    read_summaries,
)
from assay.retrieval.index.postgres_rebuild import problems, rebuild
from assay.testing.fakes import WordEmbedder
from assay.types import CollectionSummary, Document, EmbeddingModel, Found, Metadata, Passage
from support.postgres import new_database, opened, shared_address, the_server

MODEL = EmbeddingModel("fake", 16, "0" * 64)
SMALL = 300


@pytest.fixture
def database() -> Iterator[Database]:
    with opened(shared_address()) as database:
        yield database


@pytest.fixture
def tenant() -> str:
    return uuid4().hex


def unit_vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((count, MODEL.dimension)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def entry(name: str, vectors: NDArray[np.float32], metadata: Metadata | None = None, words: str = "") -> Entry:
    """A document with a passage for each vector."""
    texts = [f"word{n} {words}" for n in range(len(vectors))]
    document = Document(name, "\n".join(texts), "", name, "text", "")
    passages, start = [], 0
    for n, text in enumerate(texts):
        at = (document.revision, start, start + len(text), text)
        passages.append(Passage(f"{name}/{n}", name, *at, metadata=metadata or {}))
        start += len(text) + 1
    return Entry(document, tuple(passages), vectors)


def ids(found: tuple[Found, ...]) -> list[str]:
    return [each.passage_id for each in found]


async def large(database: Database, tenant: str) -> PostgresIndex:
    """A collection of 400 passages, searched by graph from 300 on."""
    index = open_postgres(database, tenant, "large", MODEL, exact_below=SMALL)
    await index.add([entry("a", unit_vectors(360)), entry("b", unit_vectors(40, 1), {"rare": True})])
    await index.settle()
    return index


def graphs(database: Database) -> list[tuple[str, bool]]:
    with database.alone() as connection:
        return connection.execute(
            "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE i.indrelid = 'assay.vectors'::regclass AND c.relname LIKE 'graph%' ORDER BY 1"
        ).fetchall()


async def test_a_large_collection_is_searched_by_graph_as_well_as_exactly(tenant: str) -> None:
    with opened(new_database()) as database:
        index = await large(database, tenant)
        exact = open_postgres(database, tenant, "large", MODEL)
        assert [valid for _, valid in graphs(database)] == [True]
        queries = unit_vectors(20, 2)
        same = [
            len(set(ids(await index.dense(q, 10, {}))) & set(ids(await exact.dense(q, 10, {})))) for q in queries
        ]
        assert sum(same) >= 0.97 * 200
        assert len(await index.dense(queries[0], 1000, {})) == 400
        scores = [found.score for found in await index.dense(queries[0], 50, {})]
        assert scores == sorted(scores, reverse=True)
        await index.settle()
        assert len(graphs(database)) == 1
        await index.close()
        await exact.close()


async def test_what_is_newer_or_gone_is_seen_beside_the_graph(database: Database, tenant: str) -> None:
    index, other = await large(database, tenant), open_postgres(database, tenant, "large", MODEL, exact_below=SMALL)
    wanted = unit_vectors(1, 7)
    await index.add([entry("new", wanted)])
    assert ids(await other.dense(wanted[0], 1, {})) == ["new/0"]
    (near,) = await index.vectors(["b/3"])
    assert ids(await other.dense(near, 1, {})) == ["b/3"]
    await index.remove(["b"])
    found = ids(await other.dense(near, 100, {}))
    assert len(found) == 100
    assert not [each for each in found if each.startswith("b/")]
    await index.close()
    await other.close()


async def test_selective_and_loose_filters_hold_beside_the_graph(database: Database, tenant: str) -> None:
    index = await large(database, tenant)
    await index.add([entry("c", unit_vectors(200, 3), {"loose": True})])
    for where, name, size in (({"rare": True}, "b", 40), ({"loose": True}, "c", 200)):
        found = ids(await index.dense(unit_vectors(1, 9)[0], 300, where))
        assert {each[0] for each in found} == {name}
        assert len(found) == size
    await index.close()


async def test_a_graph_that_was_not_finished_is_built_anew(tenant: str) -> None:
    address = new_database()
    with opened(address) as database:
        index = await large(database, tenant)
        ((name, _),) = graphs(database)
        statement = f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'assay.{name}'::regclass"  # noqa: S608
        the_server().execute(statement, address.rpartition("/")[2])
        (vector,) = await index.vectors(["b/3"])
        assert ids(await index.dense(vector, 1, {})) == ["b/3"]
        await index.settle()
        assert graphs(database) == [(name, True)]
        await index.close()
        delete_collection(database, tenant, "large")
        assert graphs(database) == []


async def test_another_model_is_refused_with_the_way_out(database: Database, tenant: str) -> None:
    await open_postgres(database, tenant, "c", MODEL).close()
    for other in (EmbeddingModel("other", 16, "0" * 64), EmbeddingModel("fake", 16, "1" * 64)):
        with pytest.raises(ModelMismatch) as caught:
            open_postgres(database, tenant, "c", other)
        assert "assay reindex" in caught.value.hint
    await open_postgres(database, tenant, "c", EmbeddingModel("fake", 16, "0" * 64, ("en", "de"))).close()


async def test_a_collection_that_is_not_there_is_not_made_by_asking(database: Database, tenant: str) -> None:
    with pytest.raises(UnknownCollection):
        open_postgres(database, tenant, "none", MODEL, create=False)
    assert read_names(database, tenant) == ()
    with pytest.raises(UnknownCollection):
        delete_collection(database, tenant, "none")


async def test_collections_are_summed_up_and_deleted_with_all_their_rows(database: Database, tenant: str) -> None:
    index, other = open_postgres(database, tenant, "b", MODEL), open_postgres(database, tenant, "a", MODEL)
    await index.add([entry("x", unit_vectors(3), {"n": 1}), entry("y", unit_vectors(2))])
    await other.add([entry("x", unit_vectors(3), {"n": 1})])
    assert read_summaries(database, tenant) == (CollectionSummary("a", 1, 1), CollectionSummary("b", 2, 1))
    assert read_summaries(database, "another") == ()
    assert created_at(database, tenant, "a") > 1_700_000_000
    delete_collection(database, tenant, "b")
    assert read_names(database, tenant) == ("a",)
    assert problems(database, tenant, "a") == ()
    with pytest.raises(UnknownCollection):
        await index.size()
    with pytest.raises(UnknownCollection):
        await index.add([entry("x", unit_vectors(3))])

    def rows(connection: psycopg.Connection[object]) -> list[int]:
        tables = ("documents", "passages", "vectors", "words", "metadata")
        counted = (connection.execute(f"SELECT count(*) FROM assay.{table}").fetchone() for table in tables)  # noqa: S608
        return [row[0] for row in counted if row is not None]

    assert database.transaction(tenant, rows) == [1, 3, 3, 3, 3]


async def test_tenants_with_the_same_names_and_ids_have_their_own(database: Database, tenant: str) -> None:
    others = [f"{tenant} {n}" for n in range(3)]
    indexes = [open_postgres(database, name, "same", MODEL) for name in others]
    for n, index in enumerate(indexes):
        await index.add([entry("a", unit_vectors(2, n), {"n": 1}, words=f"canary{n} shared")])
    for n, index in enumerate(indexes):
        assert await index.term_counts(["canary0", "canary1", "canary2", "share"]) == {
            f"canary{n}": 2,
            "share": 2,
        }
        for found in (
            await index.sparse("canary0 canary1 canary2 shared", 9, {}),
            await index.dense(unit_vectors(1)[0], 9, {"n": 1}),
        ):
            assert [f"canary{n}" in passage.text for passage in await index.passages(ids(found))] == [True, True]
    before = await indexes[0].sparse("shared word1", 9, {})
    await indexes[1].add([entry(f"more {n}", unit_vectors(9, n), words="shared") for n in range(20)])
    assert await indexes[0].sparse("shared word1", 9, {}) == before


async def test_words_in_many_small_changes_are_joined_and_rank_as_before(database: Database, tenant: str) -> None:
    index, reference = open_postgres(database, tenant, "c", MODEL), MemoryIndex(MODEL)
    for n in range(70):
        given = [entry(f"d{n}", unit_vectors(3, n), words=f"common rare{n % 20}")]
        await index.add(given)
        await reference.add(given)
        if n % 7 == 3:
            for each in (index, reference):
                await each.remove([f"d{n - 2}"])
    assert problems(database, tenant, "c") == ()
    assert await index.term_counts() == await reference.term_counts()
    for question in ("common rare3", "word1 rare3 rare4", "word2 common"):
        mine, theirs = await index.sparse(question, 20, {}), await reference.sparse(question, 20, {})
        assert ids(mine) == ids(theirs)
        np.testing.assert_allclose([f.score for f in mine], [f.score for f in theirs])

    def values(connection: psycopg.Connection[object]) -> int:
        row = connection.execute("SELECT count(*) FROM assay.words WHERE term = 'common'").fetchone()
        return row[0] if row else 0

    assert database.transaction(tenant, values) <= 32


async def test_writers_of_one_collection_lose_nothing_to_one_another(database: Database, tenant: str) -> None:
    indexes = [open_postgres(database, tenant, "c", MODEL) for _ in range(4)]
    added = [
        index.add([entry(f"{n} {m}", unit_vectors(2), words="shared"), entry("same", unit_vectors(1))])
        for n, index in enumerate(indexes)
        for m in range(5)
    ]
    assert sorted(await asyncio.gather(*added)) == list(range(1, 21))
    assert await indexes[0].size() == 41
    assert await indexes[0].term_counts(["share"]) == {"share": 40}
    assert problems(database, tenant, "c") == ()


async def test_long_words_values_and_names_are_kept_apart(database: Database, tenant: str) -> None:
    index = open_postgres(database, tenant, "c", MODEL)
    word, value = "x" * 5000, "v" * 5000
    where: list[Metadata] = [
        {"k": value},
        {"k": f"{value}w"},
        {"k" * 5000: 1},
        {"k": "=1"},
        {"k": 1},
        {"k": "a\0b"},
    ]
    await index.add([entry(str(n), unit_vectors(1), each, words=f"{word}{n}") for n, each in enumerate(where)])
    for n, each in enumerate(where):
        assert ids(await index.dense(unit_vectors(1)[0], 9, each)) == [f"{n}/0"]
        assert ids(await index.sparse(f"{word}{n}", 9, {})) == [f"{n}/0"]
    await index.remove(["3"])
    assert await index.sparse(f"{word}3", 9, {}) == ()
    assert problems(database, tenant, "c") == ()


async def test_what_cannot_be_stored_leaves_nothing(database: Database, tenant: str) -> None:
    index = open_postgres(database, tenant, "c", MODEL)
    good = entry("a", unit_vectors(2))
    twice = replace(good.passages[1], passage_id=good.passages[0].passage_id)
    unfit = [
        replace(good, document=replace(good.document, title="a\0b")),
        replace(good, document=replace(good.document, title="\ud800")),
        replace(good, passages=(good.passages[0], twice)),
    ]
    for each in unfit:
        with pytest.raises(UsageError, match="cannot be stored"):
            await index.add([entry("b", unit_vectors(1)), each])
    assert await index.documents() == ()
    assert await index.add([good]) == 1
    assert problems(database, tenant, "c") == ()


class Interrupted:
    """An embedder; something happens before one of its calls."""

    def __init__(self, call: int, happens: Callable[[], Awaitable[object]]) -> None:
        self.inner = WordEmbedder(32, "new")
        self.model = self.inner.model
        self.calls = 0
        self._call, self._happens = call, happens

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls == self._call:
            await self._happens()
        return await self.inner.embed(texts)

    async def aclose(self) -> None:
        """Nothing to release."""


async def test_a_collection_is_embedded_again_while_it_is_used(database: Database, tenant: str) -> None:
    index = open_postgres(database, tenant, "c", MODEL)
    await index.add([entry(f"d{n}", unit_vectors(40, n)) for n in range(15)])

    async def change() -> None:
        await index.add([entry("late", unit_vectors(2))])
        await index.remove(["d3"])

    embedder = Interrupted(1, change)
    assert await rebuild(database, tenant, "c", embedder, lambda title, text: f"{title}{text}") == 562
    with pytest.raises(ModelMismatch):
        await index.size()
    again = open_postgres(database, tenant, "c", embedder.model)
    assert await again.version() == 4
    (wanted,) = await embedder.embed(["word7 "])
    best = await again.dense(wanted, 1, {})
    assert best[0].score == pytest.approx(1, abs=1e-3)
    assert problems(database, tenant, "c") == ()
    with pytest.raises(UnknownCollection):
        await rebuild(database, tenant, "none", embedder, lambda title, text: text)


async def test_embedding_again_goes_on_where_it_was_ended(database: Database, tenant: str) -> None:
    index = open_postgres(database, tenant, "c", MODEL)
    await index.add([entry(f"d{n}", unit_vectors(100, n)) for n in range(11)])

    async def end() -> None:
        raise KeyboardInterrupt

    embedder = Interrupted(2, end)
    with pytest.raises(KeyboardInterrupt):
        await rebuild(database, tenant, "c", embedder, lambda title, text: text)
    assert await index.size() == 1100
    assert await rebuild(database, tenant, "c", embedder, lambda title, text: text) == 1100
    assert embedder.calls == 4  # 512, one that failed, 512, 76
    assert problems(database, tenant, "c") == ()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ('DELETE FROM assay.vectors WHERE "row" = 2', "1 passages without a vector"),
        ('UPDATE assay.vectors SET "row" = 99 WHERE "row" = 2', "1 vectors without a passage"),
        ('UPDATE assay.metadata SET "row" = 99 WHERE "row" = 2', "1 metadata without a passage"),
        ("UPDATE assay.documents SET text = 'other'", "1 documents whose text is not what was stored"),
        ("UPDATE assay.passages SET text = 'x' WHERE \"row\" = 1", "1 passages that are not a part"),
        ("DELETE FROM assay.words", "words miscounted"),
        ("UPDATE assay.collections SET passages = 7", "4 passages miscounted"),
        ('DELETE FROM assay.passages WHERE "row" = 3', "1 passages gone whose words are left"),
    ],
)
async def test_what_does_not_fit_together_is_found(database: Database, tenant: str, harm: str, told: str) -> None:
    index = open_postgres(database, tenant, "c", MODEL)
    await index.add([entry("a", unit_vectors(3), {"n": 1}, words="apple")])
    assert problems(database, tenant, "c") == ()
    database.transaction(tenant, lambda connection: connection.execute(harm.encode()).rowcount)
    found = problems(database, tenant, "c")
    assert any(told in each for each in found)
