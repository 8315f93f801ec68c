"""Whether one tenant sees anything of another, over every route that reads.

    .venv/bin/python benchmarks/serve/tenants.py
    .venv/bin/python benchmarks/serve/tenants.py --documents 20 --added 20 --requests 500

Three tenants have documents on the same subjects with figures of their own, and a canary in every sentence. As one
of them the server is asked whatever can be asked: the words of another tenant's documents, the ids of its
documents, jobs and runs, names of collections that lead to its folder, filters that try to be SQL. Bars: 0 foreign
canaries in bodies, headers, the log and the files of the tenant's folder; the tenant's searches and answers are the
same, score for score, before and after another one adds documents.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))
from server_process import Serve, Server, new_key, server_process, upload

from report import write_result

TENANTS = ("a", "b", "c")
CANARY = re.compile(rb"CNRY-([a-z])-\d+-\d+", re.IGNORECASE)
PLACES = "Altdorf Brig Chur Davos Engelberg Flims Glarus Horgen Ilanz Jona Kerns Luzern Murten Nyon Olten".split()
THINGS = "bridge tunnel harbour library station market theatre school mill tower".split()
COLLECTIONS = (
    "../../tenants/b", "..%2f..%2ftenants%2fb", "b", "tenants/b", "default/../../tenants/b", "/etc", ".", "..",
    "default\x00", "DEFAULT", "default ", "tenants", "..\\..\\tenants\\b", "b/collections/default",
)  # fmt: skip
INJECTIONS = (
    "' OR 1=1 --", '" OR ""="', "1); SELECT * FROM passages --", "%' OR '%'='",
    "b' UNION SELECT text FROM passages --",
    '"] OR ["', "NEAR(cnry b)", "title:* OR text:*", "* OR *", "{{7*7}}", "$where: 1", "\\' OR true #", "cnry*",
    '") OR (1=1', "tenant:b", "../tenants/b",
)  # fmt: skip


def sentences(tenant: str, number: int) -> list[str]:
    """The sentences of a document, without their canaries; the same subject in every tenant, other figures."""
    place, thing = PLACES[number % len(PLACES)], THINGS[number // len(PLACES) % len(THINGS)]
    figure = 100 + 7 * number + 1000 * TENANTS.index(tenant)
    return [
        f"The {thing} of {place} is {figure} metres long",
        f"The {thing} of {place} was opened in {1800 + (number + 40 * TENANTS.index(tenant)) % 200}",
        f"The keeper of the {thing} of {place} earns {figure * 3} francs a month",
    ]


def document(tenant: str, number: int) -> bytes:
    """A document with a canary in every sentence."""
    marked = (f"{text} (CNRY-{tenant}-{number}-{n})." for n, text in enumerate(sentences(tenant, number)))
    return f"# Record {number}\n\n{' '.join(marked)}\n".encode()


def question(number: int) -> str:
    """A question that a document of every tenant answers."""
    place, thing = PLACES[number % len(PLACES)], THINGS[number // len(PLACES) % len(THINGS)]
    return f"How long is the {thing} of {place}?"


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of what a tenant has."""

    documents: tuple[str, ...]
    jobs: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a kind; `events` asks for a stream, `last` is its Last-Event-ID."""

    kind: str
    method: str
    path: str
    body: dict[str, Any] | None = None
    events: bool = False
    last: str = ""

    def send(self, client: httpx2.Client) -> httpx2.Response:
        """The response, read to its end."""
        headers = {"accept": "text/event-stream"} if self.events else {}
        if self.last:
            headers["last-event-id"] = self.last
        return client.request(self.method, self.path, json=self.body, headers=headers)


@dataclass(slots=True)
class RequestGenerator:
    """Requests as a tenant who knows the other one's ids and words. One kind is as likely as its weight says."""

    foreign: Ids
    size: int
    drawn: random.Random = field(default_factory=lambda: random.Random(16))

    def requests(self, count: int) -> Iterator[Request]:
        """So many requests, every kind at least once if there is room."""
        kinds: list[tuple[Callable[[], Request], int]] = [
            (self.search, 640), (self.foreign_collection, 60), (self.document, 60), (self.documents, 40),
            (self.run, 100), (self.job, 30), (self.listing, 30), (self.judge, 5), (self.ask, 12), (self.chat, 5),
            (self.own_sources, 3), (self.malformed, 15),
        ]  # fmt: skip
        for make, _ in islice(kinds, count):
            yield make()
        made = self.drawn.choices([make for make, _ in kinds], [weight for _, weight in kinds], k=count)
        for make in made[len(kinds) :]:
            yield make()

    def words(self) -> str:
        """A question, a near copy of the other tenant's text, its figures, or an attempt at injection."""
        number = self.drawn.randrange(self.size)
        near = self.drawn.choice(sentences("b", number))
        return self.drawn.choice(
            [question(number), near, near.upper(), near[::-1], self.injection(), f"{near} CNRY"]
        )

    def injection(self) -> str:
        return self.drawn.choice(INJECTIONS)

    def search(self) -> Request:
        body: dict[str, Any] = {"query": self.words(), "k": self.drawn.choice([1, 8, 50])}
        mode = self.drawn.choice(["hybrid", "dense", "sparse", "sparse"])
        if self.drawn.random() < 0.2:
            name = self.drawn.choice(["title", "document_id", "tenant", "format", "source", self.injection()])
            body["where"] = {name: self.drawn.choice([self.injection(), *self.foreign.documents[:3]])}
        return Request(f"search {mode}", "POST", "/api/v1/search", {**body, "mode": mode})

    def foreign_collection(self) -> Request:
        name = self.drawn.choice(COLLECTIONS)
        path = self.drawn.choice(["/search", "/ask", "/judge", "/documents", "/jobs", "/runs", "/v1/models"])
        if path in ("/documents", "/jobs", "/runs"):
            return Request("other collection", "GET", f"/api/v1{path}?{httpx2.QueryParams({'collection': name})}")
        if path == "/v1/models":
            return Request("other collection", "GET", f"/v1/models/{name.replace(chr(0), '%00')}")
        body = {"query" if path == "/search" else "question": self.words(), "collection": name}
        return Request("other collection", "POST", f"/api/v1{path}", body)

    def document(self) -> Request:
        place = f"/api/v1/documents/{self.drawn.choice(self.foreign.documents)}"
        rest = self.drawn.choice(["", "?collection=../../tenants/b", "/view", "/find?q=CNRY", "/pages/1.png"])
        return Request("other's document", "GET", place + rest)

    def documents(self) -> Request:
        given = {"q": self.words(), "after": self.drawn.choice(["", *self.foreign.documents[:3]])}
        return Request("documents", "GET", f"/api/v1/documents?{httpx2.QueryParams(given)}")

    def run(self) -> Request:
        run_id = self.drawn.choice(self.foreign.runs)
        kind, place = "other's run", f"/api/v1/runs/{run_id}"
        made = [
            Request(kind, "GET", place),
            Request(kind, "GET", f"{place}/events"),
            Request(kind, "GET", f"{place}/events", last=f"{run_id}:{self.drawn.randrange(4)}"),
            Request(kind, "GET", f"{place}/report"),
            Request(kind, "GET", f"/api/v1/runs?before={run_id}&limit=200"),
            Request(kind, "POST", f"{place}/replay", {"settings": {"k": 3}}),
            Request(kind, "POST", "/api/v1/feedback", {"run_id": run_id, "good": True}),
            Request(kind, "POST", f"/api/v1/review/{run_id}", {"accepted": True}),
        ]
        return self.drawn.choice(made)

    def job(self) -> Request:
        place = f"/api/v1/jobs/{self.drawn.choice(self.foreign.jobs)}"
        return Request("other's job", "GET", place + self.drawn.choice(["", "/events"]))

    def listing(self) -> Request:
        paths = [
            "collections", "jobs", "runs?limit=5", "labels", "review", "figures", "rules", "settings", "doctor",
            "keys", "keys?tenant=b", f"runs?{httpx2.QueryParams({'q': self.words(), 'limit': 5})}",
        ]  # fmt: skip
        place = self.drawn.choice(
            [*(f"/api/v1/{path}" for path in paths), "/v1/models", "/metrics", "/openapi.json"]
        )
        return Request("lists and figures", "GET", place)

    def judge(self) -> Request:
        return Request("judge", "POST", "/api/v1/judge", {"question": self.words()})

    def ask(self) -> Request:
        events = self.drawn.random() < 0.5
        body = {"question": self.words(), "options": {"mode": self.drawn.choice(["hybrid", "sparse"])}}
        return Request("ask, a stream" if events else "ask", "POST", "/api/v1/ask", body, events=events)

    def chat(self) -> Request:
        streams = self.drawn.random() < 0.5
        body = {"model": "default", "stream": streams, "messages": [{"role": "user", "content": self.words()}]}
        return Request("chat completion", "POST", "/v1/chat/completions", body)

    def own_sources(self) -> Request:
        source = {"text": "The mill of Chur is 12 metres long.", "document_id": self.foreign.documents[0]}
        made = {
            "answer-from": {"question": "How long is the mill of Chur?", "passages": [source]},
            "check": {"text": "The mill of Chur is 13 metres long.", "sources": [source]},
            "fix": {"text": "The mill of Chur is 13 metres long.", "sources": [source]},
        }
        path = self.drawn.choice(list(made))
        return Request(path, "POST", f"/api/v1/{path}", made[path])

    def malformed(self) -> Request:
        made = [
            Request("errors", "POST", "/api/v1/ask", {"question": self.words(), "tenant": "b"}),
            Request("errors", "POST", "/api/v1/search", {"query": "x" * 200_000}),
            Request("errors", "GET", f"/api/v1/../tenants/b/{self.foreign.runs[0]}"),
            Request("errors", "GET", "/static/../../../tenants/b/runs.sqlite"),
            Request("errors", "GET", "/static/%2e%2e/%2e%2e/tenants/b/runs.sqlite"),
            Request("errors", "PUT", f"/api/v1/documents/{self.foreign.documents[0]}"),
            Request("errors", "POST", "/api/v1/ask", {"question": self.words(), "options": {"model": "fake:b"}}),
        ]
        return self.drawn.choice(made)


@dataclass(slots=True)
class Found:
    """The canaries that were seen, by tenant, and the requests that were sent, by kind."""

    canaries: Counter[str] = field(default_factory=Counter)
    foreign: list[str] = field(default_factory=list)
    sent: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)

    def read(self, place: str, data: bytes) -> None:
        """Count the canaries in what tenant a was sent, or has."""
        for match in CANARY.finditer(data):
            tenant = match[1].decode().lower()
            self.canaries[tenant] += 1
            if tenant != "a":
                self.foreign.append(f"{place}: {match[0].decode()}")

    def exchange(self, client: httpx2.Client, request: Request) -> None:
        """Send a request and count what came."""
        response = request.send(client)
        headers = b"\n".join(name + b": " + value for name, value in response.headers.raw)
        self.read(f"{request.method} {request.path}", headers + b"\n\n" + response.content)
        self.sent[request.kind] += 1
        self.statuses[response.status_code] += 1


def fill(client: httpx2.Client, tenant: str, numbers: range) -> Ids:
    """Give a tenant its documents, and ask it two questions; the ids of what it has then."""
    jobs = []
    for first in numbers[::50]:
        batch = range(first, min(first + 50, numbers.stop))
        jobs.append(upload(client, {f"record-{n}.md": document(tenant, n) for n in batch}))
    asked = [
        client.post("/api/v1/ask", json={"question": question(n)}).raise_for_status().json() for n in numbers[:2]
    ]
    client.post("/api/v1/feedback", json={"run_id": asked[0]["run_id"], "good": True, "note": f"CNRY-{tenant}-0-0"})
    documents = [file["document_id"] for job in jobs for file in job["files"]]
    assert None not in documents
    return Ids(tuple(documents), tuple(job["job_id"] for job in jobs), tuple(answer["run_id"] for answer in asked))


def results(client: httpx2.Client, count: int) -> list[Any]:
    """What a tenant gets for fixed questions: hits with their scores, judgements, answers."""
    got: list[Any] = []
    for number in range(count):
        for mode in ("hybrid", "dense", "sparse"):
            body = {"query": question(number), "mode": mode, "k": 20}
            got.append(client.post("/api/v1/search", json=body).json())
    for number in range(0, count, 5):
        got.append(client.post("/api/v1/judge", json={"question": question(number)}).json())
        answer = client.post("/api/v1/ask", json={"question": question(number)}).json()
        got.append([answer[name] for name in ("text", "outcome", "sources", "claims", "confidence", "judgement")])
    return [without_times(one) for one in got]


def without_times(value: Any) -> Any:
    """A value without what tells the time that it took, or a run of its own."""
    if isinstance(value, dict):
        return {name: without_times(one) for name, one in value.items() if name not in ("ms", "run_id", "at")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def medians(client: httpx2.Client, foreign: str, pairs: int) -> tuple[float, float]:
    """Milliseconds for a run of another tenant and for one that is nowhere, by turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    nowhere = foreign[:-4] + "ZZZZ"
    for number, run_id in islice(zip(cycle((0, 1)), cycle((foreign, nowhere)), strict=False), 2 * pairs):
        begun = time.perf_counter()
        client.get(f"/api/v1/runs/{run_id}")
        taken[number].append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken[0]), statistics.median(taken[1])


def measure(
    folder: Path,
    documents: int,
    added: int,
    requests: int,
    serve: Serve = server_process,
    store: str | None = None,
) -> dict[str, Any]:
    """The figures, of a server over the folder or over the database that `store` names."""
    keys = {tenant: new_key(folder, tenant, store=store) for tenant in TENANTS}
    with serve(folder, {} if store is None else {"ASSAY_STORE": store}) as server:
        clients = {tenant: server.client(key) for tenant, key in keys.items()}
        ids = {tenant: fill(clients[tenant], tenant, range(documents)) for tenant in TENANTS}
        fixed = min(15, documents)
        before = results(clients["a"], fixed)
        fill(clients["b"], "b", range(documents, documents + added))
        after = results(clients["a"], fixed)
        found = Found()
        for request in RequestGenerator(ids["b"], documents).requests(requests):
            found.exchange(clients["a"], request)
        known, nowhere = medians(clients["a"], ids["b"].runs[0], min(200, requests))
        control = Found()
        control.exchange(clients["b"], Request("search", "POST", "/api/v1/search", {"query": question(0)}))
        for client in clients.values():
            client.close()
        read_files(found, server)
    return {
        "documents_of_each_tenant": documents,
        "documents_added_by_another": added,
        "requests": sum(found.sent.values()),
        "requests_by_kind": dict(found.sent.most_common()),
        "statuses": {str(status): count for status, count in sorted(found.statuses.items())},
        "foreign_canaries": len(found.foreign),
        "where": found.foreign[:20],
        "own_canaries": found.canaries["a"],
        "canaries_that_the_other_tenant_sees": control.canaries["b"],
        "compared_results": len(before),
        "changed_results": sum(one != other for one, other in zip(before, after, strict=True)),
        "ms_for_a_run_of_another_tenant": round(known, 2),
        "ms_for_a_run_that_is_nowhere": round(nowhere, 2),
        "bars": {"foreign_canaries": 0, "changed_results": 0},
    }


def read_files(found: Found, server: Server) -> None:
    """Look through the files of the tenant, those of the tenant default, and the log."""
    found.read("log", server.log.read_bytes())
    others = [server.folder / "tenants" / tenant for tenant in TENANTS if tenant != "a"]
    for path in server.folder.rglob("*"):
        if path.is_file() and not any(path.is_relative_to(other) for other in others):
            found.read(str(path.relative_to(server.folder)), path.read_bytes())


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--added", type=int, default=200)
    parser.add_argument("--requests", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder) / "data", chosen.documents, chosen.added, chosen.requests)
    is_whole = (chosen.documents, chosen.added, chosen.requests) == (60, 200, 10_000)
    if is_whole:
        write_result("serve", "tenants", result)
    else:
        print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
