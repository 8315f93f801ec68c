"""A search engine of many machines: Qdrant. Needs the extra `qdrant`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from assay.errors import StoreError, UsageError
from assay.retrieval.index.search_engine import EnginePoint, Held, WordHit
from assay.retrieval.index.vectors import BUILD_BREADTH, LINKS

_PORT = 6333
# Seconds that a call may take: the longest search of a healthy cluster is far below one.
_PATIENCE = 30
# Nodes of each graph that a search looks at: as in Postgres, see benchmarks/scale/simulate.py.
SEARCH_BREADTH = 400
# A point of its own, which has no vector and so is never found, says what a set has. Rows begin at 1.
_MARK, _UP_TO, _MEAN_LENGTH = 0, "up_to", "mean_length"
_VECTOR, _WORDS, _LENGTH, _FILTERS = "vector", "words", "length", "filters"
_SHOWN = 300
_MISSING, _CONFLICT = 404, 409

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QdrantAddress:
    """The place of a Qdrant, and the number of machines over which it spreads a set; `shown` is for people."""

    host: str
    port: int
    tls: bool
    shards: int | None
    replicas: int
    compressed: bool
    key: str | None = field(repr=False)

    @property
    def shown(self) -> str:
        """The host and port, without the key."""
        return f"{self.host}:{self.port}"

    @classmethod
    def read(cls, address: str, *, named: str = "the search engine") -> QdrantAddress:
        """Read an address as the setting has it; `named` is what a message calls it.

        Raises UsageError, which quotes nothing of the address: any of it may be a part of the key.

        >>> QdrantAddress.read("qdrant://s3cret@search.example?tls=true&shards=6&replicas=2").shown
        'search.example:6333'
        """
        try:
            parts = urlsplit(address)
            if parts.scheme != "qdrant" or not parts.hostname or parts.path.strip("/") or parts.password:
                raise ValueError
            given = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
            if given.keys() - {"tls", "shards", "replicas", "compressed"}:
                raise ValueError
            shards, replicas = int(given["shards"]) if "shards" in given else None, int(given.get("replicas", "1"))
            if replicas < 1 or (shards is not None and shards < 1):
                raise ValueError
            return cls(
                parts.hostname,
                parts.port or _PORT,
                _is_true(given.get("tls", "false")),
                shards,
                replicas,
                _is_true(given.get("compressed", "false")),
                unquote(parts.username) if parts.username else None,
            )
        except ValueError:
            raise UsageError(
                f"{named} is not the address of a Qdrant server",
                hint="write qdrant://KEY@HOST:PORT?tls=true&shards=6&replicas=2&compressed=true, where all but "
                "HOST may be left out",
            ) from None  # the message of the cause may quote the address


def _is_true(given: str) -> bool:
    if given not in ("true", "false"):
        raise ValueError
    return given == "true"


class Qdrant:
    """A `SearchEngine` at an address: nothing is opened until the first call."""

    def __init__(self, address: QdrantAddress) -> None:
        self.address = address
        self._client = QdrantClient(
            host=address.host,
            port=address.port,
            https=address.tls,
            # As a header: the client's own parameter warns of connections without TLS, which is the user's choice.
            headers={"api-key": address.key} if address.key is not None else None,
            timeout=_PATIENCE,
            check_compatibility=False,  # it would ask the server before anybody asked for anything
        )

    def create(self, name: str, dimension: int, mean_length: float) -> None:
        """Make a set where there is none of that name."""
        address = self.address
        int8 = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)

        def create() -> None:
            self._client.create_collection(
                name,
                vectors_config={
                    _VECTOR: models.VectorParams(
                        size=dimension,
                        distance=models.Distance.DOT,
                        datatype=models.Datatype.FLOAT16,
                        on_disk=address.compressed,
                    )
                },
                sparse_vectors_config={_WORDS: models.SparseVectorParams()},
                shard_number=address.shards,
                replication_factor=address.replicas,
                # A row is held once every replica has it: no search asks one that has less than it says.
                write_consistency_factor=address.replicas,
                hnsw_config=models.HnswConfigDiff(m=LINKS, ef_construct=BUILD_BREADTH),
                quantization_config=models.ScalarQuantization(scalar=int8) if address.compressed else None,
            )

        self._ask(create, unless=_CONFLICT)
        self._ask(
            lambda: self._client.create_payload_index(name, _FILTERS, models.PayloadSchemaType.INTEGER, wait=True)
        )
        self.store(name, [], Held(0, mean_length))

    def held(self, name: str) -> Held | None:
        """The state of the set; None where there is no such set, or where nobody has finished making it."""
        found = self._ask(lambda: self._client.retrieve(name, [_MARK], with_payload=True), unless=_MISSING)
        if not found:
            return None
        mark = found[0].payload or {}
        return Held(int(mark[_UP_TO]), float(mark[_MEAN_LENGTH]))

    def store(self, name: str, points: Sequence[EnginePoint], held: Held) -> None:
        """Store the points, each in the place of one of its row; with them it has what `held` says."""
        if points:
            self._upsert(name, [_as_point(point) for point in points])
        mark = {_UP_TO: held.up_to, _MEAN_LENGTH: held.mean_length}
        self._upsert(name, [models.PointStruct(id=_MARK, vector={}, payload=mark)])

    def remove(self, name: str, rows: Sequence[int]) -> None:
        """Remove rows; those that are not there, and sets that are not, are ignored."""
        if rows:
            selected = models.PointIdsList(points=list(rows))
            self._ask(lambda: self._client.delete(name, selected, wait=True), unless=_MISSING)

    def nearest(self, name: str, vector: NDArray[np.float32], most: int, filters: Sequence[int]) -> tuple[int, ...]:
        """The rows of highest dot product with `vector` (shape (dimension,)), best first, about these."""
        found = self._ask(
            lambda: self._client.query_points(
                name,
                query=vector.astype(float).tolist(),
                using=_VECTOR,
                query_filter=_filter(filters),
                limit=most,
                search_params=models.SearchParams(hnsw_ef=max(SEARCH_BREADTH, 2 * most)),
                with_payload=False,
            )
        )
        return tuple(int(point.id) for point in found.points)

    def by_words(
        self, name: str, weights: Mapping[int, float], most: int, filters: Sequence[int]
    ) -> tuple[WordHit, ...]:
        """The rows for which the products of both weights sum up to the most, best first."""
        found = self._ask(
            lambda: self._client.query_points(
                name,
                query=models.SparseVector(indices=list(weights), values=list(weights.values())),
                using=_WORDS,
                query_filter=_filter(filters),
                limit=most,
                with_payload=[_LENGTH],
                with_vectors=[_WORDS],
            )
        )
        return tuple(_as_hit(point) for point in found.points)

    def count(self, name: str) -> int:
        """The number of rows of the set; 0 where there is none."""
        found = self._ask(lambda: self._client.count(name, exact=True), unless=_MISSING)
        return max(found.count - 1, 0) if found is not None else 0

    def drop(self, name: str) -> None:
        """Remove the set if there is one."""
        self._ask(lambda: self._client.delete_collection(name), unless=_MISSING)

    def close(self) -> None:
        """Release the connections; calling it twice is harmless."""
        self._client.close()

    def _upsert(self, name: str, points: list[models.PointStruct]) -> None:
        self._ask(lambda: self._client.upsert(name, points, wait=True))

    def _ask(self, call: Callable[[], T], *, unless: int | None = None) -> T | Any:
        """Return the result of the call; None where the server answers with the status `unless`."""
        with _errors(self.address, unless):
            return call()
        return None


@contextmanager
def _errors(address: QdrantAddress, unless: int | None) -> Iterator[None]:
    """Translate errors of the client into ours; none shows the key."""
    try:
        yield
    except UnexpectedResponse as error:
        if error.status_code == unless:
            return
        raise _refused(address, error) from None
    except (ResponseHandlingException, ApiException, OSError) as error:
        raise StoreError(
            f"the search engine {address.shown} cannot be reached: {_shown(error, address)}",
            hint="see whether it runs, and whether search_engine says where; documents are stored meanwhile",
            retryable=True,
        ) from None


def _refused(address: QdrantAddress, error: UnexpectedResponse) -> StoreError:
    status = error.status_code or 0
    if status in (401, 403):
        return StoreError(
            f"the search engine {address.shown} does not accept the key",
            hint="write its key into search_engine: qdrant://KEY@HOST; it needs the right to create collections",
        )
    return StoreError(
        f"the search engine {address.shown} answered {status}: {_shown(error, address)}",
        hint="see its log; where a set is damaged, delete it there: it is filled again from Postgres",
        retryable=status >= 500 or status == 429,
    )


def _shown(error: Exception, address: QdrantAddress) -> str:
    text = error.content.decode(errors="replace") if isinstance(error, UnexpectedResponse) else str(error)
    text = " ".join(text.split())[:_SHOWN]
    return text.replace(address.key, "***") if address.key else text


def _filter(filters: Sequence[int]) -> models.Filter | None:
    if not filters:
        return None
    kept: list[models.Condition] = [
        models.FieldCondition(key=_FILTERS, match=models.MatchValue(value=number)) for number in filters
    ]
    return models.Filter(must=kept)


def _as_point(point: EnginePoint) -> models.PointStruct:
    words = models.SparseVector(indices=list(point.weights), values=list(point.weights.values()))
    return models.PointStruct(
        id=point.row,
        vector={_VECTOR: point.vector.astype(float).tolist(), _WORDS: words},
        payload={_LENGTH: point.length, _FILTERS: list(point.filters)},
    )


def _as_hit(point: models.ScoredPoint) -> WordHit:
    words = point.vector[_WORDS] if isinstance(point.vector, dict) else None
    assert isinstance(words, models.SparseVector)  # noqa: S101 - it was asked for
    weights = dict(zip(words.indices, words.values, strict=True))
    return WordHit(int(point.id), weights, int((point.payload or {})[_LENGTH]))
