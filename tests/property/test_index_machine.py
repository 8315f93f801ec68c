"""Any order of adding, replacing, removing and searching gives in a store what it gives in memory."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assay.core.stages import Entry, Index
from assay.postgres.address import Address
from assay.postgres.database import release, share
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.postgres import open_postgres
from assay.retrieval.index.postgres_rebuild import problems as postgres_problems
from assay.retrieval.index.qdrant import Qdrant, QdrantAddress
from assay.retrieval.index.rebuild import problems
from assay.retrieval.index.sqlite import open_sqlite
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Found, Metadata, Passage
from support.postgres import shared_address
from support.qdrant import running

EMBEDDER = WordEmbedder(16)
NAMES = st.sampled_from("abcdef")
TEXTS = st.lists(
    st.text(alphabet=st.sampled_from("apple pear 東京の ' \" * - é 1,5\n"), min_size=0, max_size=20), max_size=4
)
WHERE = st.sampled_from([{}, {"kind": 1}, {"kind": True}, {"kind": "one"}, {"kind": 1, "name": "a"}, {"none": 0}])
KINDS = st.sampled_from([1, True, "one", 2, 0.5])


async def entry(name: str, texts: Sequence[str], metadata: Metadata) -> Entry:
    document = Document(name, "\n".join(texts), name, name, "text", "", metadata=metadata)
    passages, start = [], 0
    for text in texts:
        end = start + len(text)
        key = Passage.id_for(name, document.revision, start, end)
        passages.append(Passage(key, name, document.revision, start, end, text, name, metadata=metadata))
        start = end + 1
    return Entry(document, tuple(passages), await EMBEDDER.embed(texts))


def alike(one: tuple[Found, ...], other: tuple[Found, ...]) -> bool:
    """Whether two searches agree: the same scores in order, and the same ids wherever a score is not shared."""
    if not np.allclose([each.score for each in one], [each.score for each in other], atol=1e-5):
        return False
    last = one[-1].score if one else 0.0
    above = [{each.passage_id for each in found if each.score > last + 1e-4} for found in (one, other)]
    return above[0] == above[1]


class IndexMachine(RuleBasedStateMachine):
    """Two openings of one stored collection, and the reference."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()

    def opened(self) -> Index:
        """The collection, as another process opens it."""
        return open_sqlite(Path(self.folder.name), EMBEDDER.model)

    def found_problems(self) -> tuple[str, ...]:
        """What is inconsistent in it, once nobody has it open."""
        return problems(Path(self.folder.name))

    @initialize()
    def open(self) -> None:
        self.memory = MemoryIndex(EMBEDDER.model)
        self.disks = [self.opened() for _ in range(2)]

    @rule(name=NAMES, texts=TEXTS, kind=KINDS, which=st.integers(0, 1))
    def add(self, name: str, texts: list[str], kind: float | str, which: int) -> None:
        given = self.runner.run(entry(name, texts, {"kind": kind, "name": name}))
        versions = [self.runner.run(index.add([given])) for index in (self.memory, self.disks[which])]
        assert versions[0] == versions[1]

    @rule(names=st.lists(NAMES, max_size=3), which=st.integers(0, 1))
    def remove(self, names: list[str], which: int) -> None:
        versions = [self.runner.run(index.remove(names)) for index in (self.memory, self.disks[which])]
        assert versions[0] == versions[1]

    @rule(which=st.integers(0, 1))
    def reopen(self, which: int) -> None:
        self.runner.run(self.disks[which].close())
        self.disks[which] = self.opened()

    @rule(question=st.text(alphabet='aple rOR"*()東京の1,5', max_size=12), k=st.integers(0, 8), where=WHERE)
    def search(self, question: str, k: int, where: Metadata) -> None:
        (vector,) = self.runner.run(EMBEDDER.embed([question]))
        dense = [self.runner.run(index.dense(vector, k, where)) for index in (self.memory, *self.disks)]
        sparse = [self.runner.run(index.sparse(question, k, where)) for index in (self.memory, *self.disks)]
        assert alike(dense[0], dense[1])
        assert alike(dense[0], dense[2])
        assert alike(sparse[0], sparse[1])
        assert alike(sparse[0], sparse[2])

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "memory"):
            return
        for disk in self.disks:
            assert self.runner.run(disk.documents()) == self.runner.run(self.memory.documents())
            assert self.runner.run(disk.size()) == self.runner.run(self.memory.size())

    def teardown(self) -> None:
        if hasattr(self, "disks"):
            for disk in self.disks:
                self.runner.run(disk.close())
            assert self.found_problems() == ()
        self.runner.close()
        self.folder.cleanup()


class LargeMachine(IndexMachine):
    """The same as a large collection is searched."""

    def opened(self) -> Index:
        return open_sqlite(Path(self.folder.name), EMBEDDER.model, exact_below=0)


class PostgresMachine(IndexMachine):
    """The same over Postgres."""

    def __init__(self) -> None:
        super().__init__()
        self.database = share(Address.read(shared_address()))
        self.name = uuid4().hex

    def opened(self) -> Index:
        return open_postgres(self.database, "machine", self.name, EMBEDDER.model)

    def found_problems(self) -> tuple[str, ...]:
        return postgres_problems(self.database, "machine", self.name)

    def teardown(self) -> None:
        super().teardown()
        release(self.database)


class QdrantMachine(PostgresMachine):
    """The same over Postgres with a search engine that has to find every row."""

    def __init__(self) -> None:
        super().__init__()
        self.serving = running()
        self.engine = Qdrant(QdrantAddress.read(self.serving.__enter__().address))

    def opened(self) -> Index:
        return open_postgres(
            self.database, "machine", self.name, EMBEDDER.model, exact_below=-1, engine=self.engine
        )

    def found_problems(self) -> tuple[str, ...]:
        return postgres_problems(self.database, "machine", self.name, self.engine)

    def teardown(self) -> None:
        super().teardown()
        self.engine.close()
        self.serving.__exit__(None, None, None)


SETTINGS = settings(
    max_examples=15,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = SETTINGS
TestLargeMachine = LargeMachine.TestCase
TestLargeMachine.settings = SETTINGS
TestPostgresMachine = PostgresMachine.TestCase
TestPostgresMachine.settings = SETTINGS
TestQdrantMachine = QdrantMachine.TestCase
TestQdrantMachine.settings = SETTINGS
