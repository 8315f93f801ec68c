"""What a collection in Postgres does with a search engine: it keeps it up to date, and believes the rows first."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import StoreError, UsageError
from assay.postgres.database import Database
from assay.retrieval.index import postgres_rows as stored
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.postgres import PostgresIndex, delete_collection, open_postgres
from assay.retrieval.index.postgres_engine import name_of, read_points
from assay.retrieval.index.postgres_rebuild import problems, rebuild
from assay.retrieval.index.qdrant import Qdrant, QdrantAddress
from assay.retrieval.index.search_engine import Held
from assay.testing.fakes import WordEmbedder
from assay.types import Document, EmbeddingModel, Found, Metadata, Passage
from support.postgres import new_database, opened, shared_address
from support.qdrant import QdrantServer, running

MODEL = EmbeddingModel("fake", 16, "0" * 64)
WORDS = ("iron", "water", "melts", "boils", "freezes", "degrees", "copper", "at", "zinc", "slowly")


@pytest.fixture
def database() -> Iterator[Database]:
    with opened(shared_address()) as database:
        yield database


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with running() as server:
        yield server


@pytest.fixture
def engine(server: QdrantServer) -> Iterator[Qdrant]:
    engine = Qdrant(QdrantAddress.read(server.address))
    yield engine
    engine.close()


@pytest.fixture
def tenant() -> str:
    return uuid4().hex


def entry(name: str, count: int, seed: int, metadata: Metadata | None = None) -> Entry:
    """A document of so many passages, whose words and vectors are drawn."""
    drawn = np.random.default_rng(seed)
    vectors = drawn.standard_normal((count, MODEL.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [" ".join(drawn.choice(WORDS, drawn.integers(3, 30))) for _ in range(count)]
    document = Document(name, "\n".join(texts), "", name, "text", "")
    passages, start = [], 0
    for n, text in enumerate(texts):
        at = (document.revision, start, start + len(text), text)
        passages.append(Passage(f"{name}/{n}", name, *at, metadata=metadata or {}))
        start += len(text) + 1
    return Entry(document, tuple(passages), vectors)


def vector(seed: int) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal(MODEL.dimension).astype(np.float32)
    return drawn / np.float32(np.linalg.norm(drawn))


def alike(one: tuple[Found, ...], other: tuple[Found, ...]) -> None:
    assert [each.passage_id for each in one] == [each.passage_id for each in other]
    np.testing.assert_allclose([each.score for each in one], [each.score for each in other], atol=1e-5)


def set_of(database: Database, tenant: str) -> str:
    """The name of the collection's set."""
    return database.transaction(
        tenant, lambda connection: name_of(connection, stored.require_collection(connection, "c")), reads=True
    )


def up_to(engine: Qdrant, name: str) -> int | None:
    held = engine.held(name)
    return held.up_to if held is not None else None


def open_with(database: Database, tenant: str, engine: Qdrant | None, exact_below: int = -1) -> PostgresIndex:
    return open_postgres(database, tenant, "c", MODEL, exact_below=exact_below, engine=engine)


async def test_the_engine_has_every_row_and_finds_what_memory_finds(
    database: Database, tenant: str, engine: Qdrant
) -> None:
    index, memory = open_with(database, tenant, engine), MemoryIndex(MODEL)
    for one in (index, memory):
        await one.add([entry("a", 300, 1, {"kind": "x"}), entry("b", 200, 2, {"kind": "y", "n": 1})])
        await one.remove(["a"])
        await one.add([entry("c", 150, 3, {"kind": "x"})])
    name = set_of(database, tenant)
    assert (up_to(engine, name), engine.count(name)) == (650, 350)
    for where in ({}, {"kind": "x"}, {"kind": "y", "n": 1.0}, {"kind": "z"}):
        for n in range(5):
            alike(await index.dense(vector(n), 10, where), await memory.dense(vector(n), 10, where))
        for question in ("iron melts slowly", "zinc", "copper copper water"):
            alike(await index.sparse(question, 10, where), await memory.sparse(question, 10, where))
    await index.close()


async def test_the_score_by_words_is_that_of_the_collections_own_mean(
    database: Database, tenant: str, engine: Qdrant
) -> None:
    index, memory = open_with(database, tenant, engine), MemoryIndex(MODEL)
    long = Entry(Document("l", "iron " * 400, "", "l", "text", ""), (), np.zeros((0, 16), np.float32))
    passage = Passage("l/0", "l", long.document.revision, 0, 2000, long.document.text, "Iron")
    for one in (index, memory):
        await one.add([entry("a", 40, 1), Entry(long.document, (passage,), vector(1)[None])])
    alike(await index.sparse("iron water", 30, {}), await memory.sparse("iron water", 30, {}))
    await index.close()


async def test_a_small_collection_does_not_need_the_engine(
    database: Database, tenant: str, server: QdrantServer, engine: Qdrant
) -> None:
    index = open_with(database, tenant, engine, exact_below=100)
    await index.add([entry("a", 100, 1)])
    assert len(await index.dense(vector(1), 5, {})) == 5
    assert server.shards == {}
    await index.add([entry("b", 1, 2)])
    await index.settle()
    assert engine.count(set_of(database, tenant)) == 101
    await index.close()


async def test_while_the_engine_is_away_documents_are_stored_and_a_search_says_so(
    database: Database, tenant: str
) -> None:
    with running() as server:
        away = Qdrant(QdrantAddress.read(server.address))
        index = open_with(database, tenant, away)
        await index.add([entry("a", 20, 1)])
    assert await index.add([entry("b", 20, 2)]) == 2
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        await index.dense(vector(1), 5, {})
    assert caught.value.retryable
    with pytest.raises(StoreError, match="cannot be reached"):
        await index.sparse("iron", 5, {})
    assert await index.size() == 40
    await index.close()
    away.close()


async def test_rows_that_the_engine_has_not_heard_of_are_found_and_brought(
    database: Database, tenant: str, engine: Qdrant
) -> None:
    index, memory = open_with(database, tenant, engine), MemoryIndex(MODEL)
    await index.add([entry("a", 50, 1)])
    killed = open_with(database, tenant, None, exact_below=10_000)  # ended before it told the engine
    await killed.add([entry("b", 50, 2, {"kind": 1})])
    await killed.remove(["a"])
    await killed.close()
    name = set_of(database, tenant)
    assert (up_to(engine, name), engine.count(name)) == (50, 50)
    await memory.add([entry("b", 50, 2, {"kind": 1})])
    for where in ({}, {"kind": 1}):
        alike(await index.dense(vector(1), 20, where), await memory.dense(vector(1), 20, where))
        alike(await index.sparse("iron zinc", 20, where), await memory.sparse("iron zinc", 20, where))
    await index.settle()
    assert up_to(engine, name) == 100
    await index.dense(vector(1), 50, {})  # it asks for more than 50 and meets those that are gone
    await index.settle()
    assert engine.count(name) == 50
    await index.close()


async def test_a_set_that_is_lost_is_filled_again_from_the_rows(
    database: Database, tenant: str, engine: Qdrant
) -> None:
    index = open_with(database, tenant, engine)
    await index.add([entry("a", 600, 1)])
    before = await index.dense(vector(1), 10, {}), await index.sparse("iron zinc", 10, {})
    name = set_of(database, tenant)
    engine.drop(name)
    alike(await index.dense(vector(1), 10, {}), before[0])
    alike(await index.sparse("iron zinc", 10, {}), before[1])
    await index.settle()
    assert (up_to(engine, name), engine.count(name)) == (600, 600)
    await index.close()


async def test_a_set_of_a_later_state_of_the_database_is_made_anew(
    database: Database, tenant: str, engine: Qdrant
) -> None:
    index = open_with(database, tenant, engine)
    await index.add([entry("a", 30, 1)])
    name = set_of(database, tenant)
    points = database.transaction(
        tenant, lambda each: read_points(each, stored.require_collection(each, "c"), Held(0, 9.0), 1), reads=True
    )
    engine.store(name, points, Held(99, 9.0))  # what a copy from before these rows would meet
    await index.settle()
    assert (up_to(engine, name), engine.count(name)) == (30, 30)
    await index.close()


async def test_doctor_counts_what_the_engine_has(database: Database, tenant: str, engine: Qdrant) -> None:
    index = open_with(database, tenant, engine)
    await index.add([entry("a", 30, 1)])
    assert problems(database, tenant, "c", engine) == ()
    engine.remove(set_of(database, tenant), [3, 4])
    assert problems(database, tenant, "c", engine) == ("2 passages that the search engine lacks",)
    await index.close()


async def test_a_collection_that_is_embedded_anew_or_deleted_leaves_no_set(
    database: Database, tenant: str, server: QdrantServer, engine: Qdrant
) -> None:
    index = open_with(database, tenant, engine)
    await index.add([entry("a", 30, 1)])
    await index.close()
    embedder = WordEmbedder(16)
    await rebuild(database, tenant, "c", embedder, lambda title, text: text, engine)
    assert server.shards == {}
    again = open_postgres(database, tenant, "c", embedder.model, exact_below=-1, engine=engine)
    (asked,) = await embedder.embed(["iron"])
    assert len(await again.dense(asked, 5, {})) == 5
    await again.settle()
    assert list(server.shards) == [set_of(database, tenant)]
    await again.close()
    delete_collection(database, tenant, "c", engine)
    assert server.shards == {}


async def test_another_database_has_other_sets(
    database: Database, tenant: str, server: QdrantServer, engine: Qdrant
) -> None:
    with opened(new_database()) as other:
        for each in (database, other):
            index = open_with(each, tenant, engine)
            await index.add([entry("a", 3, 1)])
            await index.close()
        assert set(server.shards) == {set_of(database, tenant), set_of(other, tenant)}
    assert len(server.shards) == 2


async def test_the_engine_sees_no_text(
    database: Database, tenant: str, server: QdrantServer, engine: Qdrant
) -> None:
    index = open_with(database, tenant, engine)
    await index.add([entry("a", 3, 1, {"author": "Ann"})])
    (shard,) = server.shards.values()
    told = str([point.payload for point in shard.retrieve([1, 2, 3], with_payload=True, with_vector=False)])
    assert "length" in told
    assert not any(word in told for word in (*WORDS, "Ann", "author", "a/0"))
    await index.close()


def test_a_wrong_key_is_refused_and_never_shown() -> None:
    with running(key="s3cret") as server:
        address = QdrantAddress.read(server.address.replace("s3cret", "gue%2Fss"))
        assert (address.key, "gue" in repr(address)) == ("gue/ss", False)
        wrong = Qdrant(address)
        with pytest.raises(StoreError, match="does not accept the key") as caught:
            wrong.held("any")
        assert "gue/ss" not in f"{caught.value} {caught.value.hint}"
        wrong.close()
        right = Qdrant(QdrantAddress.read(server.address))
        assert right.held("any") is None
        right.close()


def test_an_error_of_the_server_is_told_with_what_to_do(engine: Qdrant) -> None:
    with pytest.raises(StoreError, match=r"answered 404.*doesn't exist") as caught:
        engine.nearest("unknown", vector(1), 5, [])
    assert "filled again from Postgres" in caught.value.hint


@pytest.mark.parametrize(
    "address",
    [
        "http://host:6333",
        "qdrant://:6333",
        "qdrant://host:port",
        "qdrant://user:pass@host",
        "qdrant://host/path",
        "qdrant://host?tls=yes",
        "qdrant://host?shards=0",
        "qdrant://host?replicas=none",
        "qdrant://host?unknown=1",
        "qdrant://host?tls",
    ],
)
def test_what_is_no_address_is_refused_without_being_quoted(address: str) -> None:
    with pytest.raises(UsageError, match="not the address of a Qdrant server") as caught:
        QdrantAddress.read(address)
    assert address not in f"{caught.value} {caught.value.hint}"


def test_an_address_says_how_a_set_is_spread() -> None:
    address = QdrantAddress.read("qdrant://key@host:7000?tls=true&shards=6&replicas=2&compressed=true")
    assert (address.host, address.port, address.tls, address.shards) == ("host", 7000, True, 6)
    assert (address.replicas, address.compressed, address.key) == (2, True, "key")
    plain = QdrantAddress.read("qdrant://host")
    assert (plain.port, plain.tls, plain.shards, plain.replicas, plain.key) == (6333, False, None, 1, None)
