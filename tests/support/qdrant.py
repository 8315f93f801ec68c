"""A Qdrant for tests and measurements: the engine's own code, from the wheel `qdrant-edge-py`, behind its HTTP.

The wheel has what one shard of a server runs, without the server. What stands here in its place understands the
requests that assay makes and refuses all others; each set is one shard. Run as a program it prints its address.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import qdrant_edge as edge

Body = dict[str, Any]
# Points after which what was stored is put in order, as a server does by itself every few seconds.
_OPTIMIZE_AFTER = 50_000


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class QdrantServer(ThreadingHTTPServer):
    """A server on this machine, which keeps its sets in a folder; with a `key` it asks for it."""

    daemon_threads = True

    def __init__(self, folder: Path, key: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.folder, self.key = folder, key
        self.shards: dict[str, edge.EdgeShard] = {}
        self.stored: dict[str, int] = {}
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """The address, as the setting `search_engine` has it."""
        return f"qdrant://{self.key + '@' if self.key else ''}127.0.0.1:{self.server_port}"

    def shard(self, name: str) -> edge.EdgeShard:
        """The set of that name. Raises Refusal."""
        if name not in self.shards:
            raise Refusal(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.shards[name]

    def optimize(self) -> None:
        """Build the graphs that are missing."""
        for shard in self.shards.values():
            shard.optimize()


@contextmanager
def running(folder: Path | None = None, key: str | None = None) -> Iterator[QdrantServer]:
    """A server for as long as the block; without a folder of its own it leaves nothing."""
    own = folder or Path(tempfile.mkdtemp(prefix="assay-qdrant-"))
    server = QdrantServer(own, key)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        for shard in server.shards.values():
            shard.close()
        if folder is None:
            shutil.rmtree(own)


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: QdrantServer

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""

    def do_PUT(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if self.server.key is not None and self.headers.get("api-key") != self.server.key:
                raise Refusal(401, "Must provide an API key or an Authorization bearer token")
            told: Body = {"result": self._do(json.loads(data) if data else {}), "status": "ok", "time": 0.0}
            status = 200
        except Refusal as error:
            status, told = error.status, {"status": {"error": str(error)}, "time": 0.0}
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _do(self, body: Body) -> Any:
        path = self.path.partition("?")[0].strip("/").split("/")
        if path == ["optimize"]:  # no request of a server's, which does so by itself
            return self.server.optimize()
        if path[0] != "collections" or len(path) < 2:
            raise Refusal(404, "no such path")
        name, what = path[1], "/".join([self.command, *path[2:]])
        with self.server.lock:
            if what == "PUT":
                return self._create(name, body)
            shard = self.server.shard(name)
            if what == "DELETE":
                self.server.shards.pop(name).close()
                shutil.rmtree(self.server.folder / name)
                return True
            if what == "PUT/points":
                return self._upsert(shard, name, body["points"])
        known = {
            "PUT/index": _index,
            "POST/points": _retrieve,
            "POST/points/query": _query,
            "POST/points/count": _count,
            "POST/points/delete": _delete,
        }
        if what not in known:
            raise Refusal(404, f"no such request here: {what}")
        return known[what](shard, body)

    def _create(self, name: str, body: Body) -> bool:
        if name in self.server.shards:
            raise Refusal(409, f"Wrong input: Collection `{name}` already exists!")
        folder = self.server.folder / name
        folder.mkdir(parents=True)
        self.server.shards[name] = edge.EdgeShard.create(str(folder), _config(body))
        return True

    def _upsert(self, shard: edge.EdgeShard, name: str, points: list[Body]) -> Body:
        shard.update(edge.UpdateOperation.upsert_points([_point(each) for each in points]))
        self.server.stored[name] = self.server.stored.get(name, 0) + len(points)
        if self.server.stored[name] >= _OPTIMIZE_AFTER:
            self.server.stored[name] = 0
            shard.optimize()
        return {"operation_id": 0, "status": "completed"}


def _config(body: Body) -> edge.EdgeConfig:
    ((name, vectors),) = body["vectors"].items()
    graph = body["hnsw_config"]
    int8 = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True)
    return edge.EdgeConfig(
        vectors={
            name: edge.EdgeVectorParams(
                vectors["size"],
                {"Dot": edge.Distance.Dot}[vectors["distance"]],
                on_disk=vectors.get("on_disk"),
                datatype={"float16": edge.VectorStorageDatatype.Float16}[vectors["datatype"]],
            )
        },
        sparse_vectors={each: edge.EdgeSparseVectorParams() for each in body["sparse_vectors"]},
        # As a server has it by default: full_scan_threshold 10,000 kB.
        hnsw_config=edge.HnswIndexConfig(graph["m"], graph["ef_construct"], 10_000),
        quantization_config=int8 if body.get("quantization_config") else None,
    )


def _point(given: Body) -> edge.Point:
    vectors = {
        name: edge.SparseVector(vector["indices"], vector["values"]) if isinstance(vector, dict) else vector
        for name, vector in given["vector"].items()
    }
    return edge.Point(given["id"], vectors, given.get("payload") or {})


def _index(shard: edge.EdgeShard, body: Body) -> Body:
    kind = {"integer": edge.PayloadSchemaType.Integer}[body["field_schema"]]
    shard.update(edge.UpdateOperation.create_field_index(body["field_name"], kind))
    return {"operation_id": 0, "status": "completed"}


def _retrieve(shard: edge.EdgeShard, body: Body) -> list[Body]:
    found = shard.retrieve(body["ids"], with_payload=True, with_vector=False)
    return [{"id": each.id, "payload": each.payload} for each in found]


def _query(shard: edge.EdgeShard, body: Body) -> Body:
    asked, using = body["query"]["nearest"], body["using"]
    if isinstance(asked, dict):
        asked = edge.SparseVector(asked["indices"], asked["values"])
    params = body.get("params") or {}
    request = edge.QueryRequest(
        body["limit"],
        query=edge.Query.Nearest(asked, using),
        filter=_filter(body.get("filter")),
        params=edge.SearchParams(hnsw_ef=params.get("hnsw_ef"), exact=False),
        with_payload=body.get("with_payload") or False,
        with_vector=body.get("with_vector") or False,
    )
    return {"points": [_scored(each) for each in shard.query(request)]}


def _scored(point: edge.ScoredPoint) -> Body:
    vector = {name: {"indices": each.indices, "values": each.values} for name, each in (point.vector or {}).items()}
    told = {"id": point.id, "version": point.version, "score": point.score, "payload": point.payload}
    return told | ({"vector": vector} if vector else {})


def _filter(given: Body | None) -> edge.Filter | None:
    if given is None:
        return None
    kept = [
        edge.FieldCondition(each["key"], match=edge.MatchValue(each["match"]["value"])) for each in given["must"]
    ]
    return edge.Filter(must=kept)


def _count(shard: edge.EdgeShard, body: Body) -> Body:
    return {"count": shard.count(edge.CountRequest(exact=body["exact"]))}


def _delete(shard: edge.EdgeShard, body: Body) -> Body:
    shard.update(edge.UpdateOperation.delete_points(body["points"]))
    return {"operation_id": 0, "status": "completed"}


def main() -> None:
    """Serve a folder until the standard input ends."""
    with running(Path(sys.argv[1])) as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
