"""How a collection grows: the curves through what was measured, and the arithmetic of 10**8 and 10**9 passages.

    .venv/bin/python benchmarks/scale/plan.py            # prints it
    .venv/bin/python benchmarks/scale/plan.py --write    # and writes it into docs/scale.md
        [--machine-memory GB] [--machine-price DOLLARS] [--disk-price DOLLARS]

Every number is read from `results/` or stands among the constants here. Prices are no measurement: they are round
sums of the size that clouds ask for, and are there to be replaced by yours.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.retrieval.index.vectors import LINKS
from report import ROOT

PAGE = ROOT / "docs" / "scale.md"
RESULTS = Path(__file__).parent / "results"
NAMES = {"sqlite": "SQLite + FAISS", "postgres": "Postgres", "qdrant": "Postgres + Qdrant"}
# The bar: how far a measured point may lie from its curve.
BAR = 0.2
# A curve of two numbers needs more points than two, or it says nothing.
LEAST_POINTS = 3
# Milliseconds of the 95th percentile of a search that the largest size may take.
SEARCH_BARS, LARGEST = {"sqlite": 25, "postgres": 50}, 1_000_000
DIMENSION = 384
# Assumed: what a machine of a search engine has (GB) and costs (dollars a month), and a GB of disk (a month).
MACHINE_MEMORY, MACHINE_PRICE, DISK_PRICE = 128.0, 650.0, 0.10
# The share of a machine's memory that is planned for; the rest is for the system, for searches and for building.
PLANNED = 0.7
REPLICAS = 2
# Passages in one shard: what one machine builds a graph of in hours rather than days.
IN_A_SHARD = 20_000_000
# Bytes beside a point: its number in both directions, its length and filters.
_BESIDE = 64
# An entry of an inverted index: a row and a weight.
_POSTING = 8

Point = dict[str, Any]


@dataclass(frozen=True)
class Measure:
    """A number of a point, and how many digits of it are shown behind the point."""

    name: str
    of: Callable[[Point], float]
    digits: int


MEASURES = (
    Measure("search, median, ms", lambda each: each["search_ms"]["p50"], 1),
    Measure("search, 95 %, ms", lambda each: each["search_ms"]["p95"], 1),
    Measure("search, processor ms, mean", lambda each: each["search_ms"]["cpu_mean"], 1),
    Measure("by words, median, ms", lambda each: each["sparse_ms"]["p50"], 1),
    Measure("by vector, median, ms", lambda each: each["dense_ms"]["p50"], 1),
    Measure("recall@10", lambda each: each["recall_at_10"], 3),
    Measure("memory, MB", lambda each: resident(each) / 1e6, 0),
    Measure("disk, MB", lambda each: sum(each["bytes"].values()) / 1e6, 0),
    Measure("building, processor s", lambda each: worked(each["built"]), 0),
)
# Recall is the one that a collection's size should not change.
CURVES = tuple(each.name for each in MEASURES if each.name != "recall@10")


@dataclass(frozen=True)
class Curve:
    """`fixed + each * n`, fitted to the relative distances of the points."""

    fixed: float
    each: float

    @classmethod
    def through(cls, sizes: Sequence[int], values: Sequence[float]) -> Curve:
        """The curve of least squares of relative distances, both of its numbers at least 0.

        >>> Curve.through([1000, 2000, 4000], [30.0, 50.0, 90.0])
        Curve(fixed=10.0, each=0.02)
        """
        n, y = np.array(sizes, float), np.array(values, float)
        both = np.stack([1 / y, n / y], axis=1)
        fixed, each = np.linalg.lstsq(both, np.ones(len(y)), rcond=None)[0]
        if fixed < 0:
            fixed, each = 0.0, float(np.sum(n / y) / np.sum((n / y) ** 2))
        if each < 0:
            fixed, each = float(np.sum(1 / y) / np.sum(1 / y**2)), 0.0
        return cls(round(float(fixed), 9), round(float(each), 12))

    def at(self, size: float) -> float:
        """The value at a size.

        >>> Curve(10.0, 0.02).at(1000)
        30.0
        """
        return self.fixed + self.each * size


def points_of(store: str) -> list[Point]:
    """What was measured of a store, by size."""
    found = [json.loads(path.read_text())["numbers"] for path in RESULTS.glob(f"{store}-*.json")]
    return sorted(found, key=lambda each: each["passages"])


def measured() -> Iterator[str]:
    """The tables of what was measured."""
    for store, name in NAMES.items():
        points = points_of(store)
        if not points:
            continue
        yield f"**{name}**"
        yield ""
        yield "| passages | " + " | ".join(f"{each['passages']:,}" for each in points) + " |"
        yield "|---|" + "---|" * len(points)
        for measure in MEASURES:
            yield f"| {measure.name} | " + " | ".join(shown(measure, each) for each in points) + " |"
        yield "| vectors of their own | " + " | ".join(f"{each['own_vectors']:,}" for each in points) + " |"
        yield ""


def shown(measure: Measure, point: Point) -> str:
    return f"{measure.of(point):,.{measure.digits}f}"


def worked(built: Point) -> float:
    """The processor seconds of building, those of servers too."""
    return float(built["cpu_seconds_of_the_process"] + built.get("cpu_seconds_of_servers", 0.0))


def bars() -> Iterator[str]:
    """What 1,000,000 passages had to reach, and what they did."""
    yield "| at 1,000,000 passages | bar | measured |"
    yield "|---|---|---|"
    for store, milliseconds in SEARCH_BARS.items():
        point = next((each for each in points_of(store) if each["passages"] == LARGEST), None)
        for what, bar, of in (
            ("search, 95 %", f"at most {milliseconds} ms", lambda each: f"{each['search_ms']['p95']:.1f} ms"),
            ("recall@10", "at least .97", lambda each: f"{each['recall_at_10']:.3f}"),
            ("memory of a search", "at most 2.5 GB", lambda each: f"{resident(each) / 1e9:.2f} GB"),
        ):
            yield f"| {NAMES[store]}: {what} | {bar} | {'not measured' if point is None else of(point)} |"


def resident(point: Point) -> float:
    """The bytes that all processes have resident."""
    return float(point["resident"] + point["resident_of_servers"])


def curves() -> Iterator[str]:
    """The curves and how far the points lie from them."""
    yield "| store | what | curve, n passages | farthest point | |"
    yield "|---|---|---|---|---|"
    for store, name in NAMES.items():
        points = points_of(store)
        if len(points) < LEAST_POINTS:
            continue
        for measure in MEASURES:
            if measure.name in CURVES:
                yield curve_line(name, measure, points)


def curve_line(name: str, measure: Measure, points: Sequence[Point]) -> str:
    sizes, values = [each["passages"] for each in points], [measure.of(each) for each in points]
    curve = Curve.through(sizes, values)
    off = [abs(value / curve.at(size) - 1) for size, value in zip(sizes, values, strict=True)]
    farthest = int(np.argmax(off))
    reached = "" if max(off) <= BAR else "not within 20 %"
    formula = f"{curve.fixed:.3g} + {1e6 * curve.each:.3g} a million"
    return f"| {name} | {measure.name} | {formula} | {off[farthest]:.0%} at {sizes[farthest]:,} | {reached} |"


@dataclass(frozen=True)
class Prices:
    """What is asked for a machine (its memory in GB, dollars a month) and for a GB of disk a month."""

    memory: float
    machine: float
    disk: float


def plan(prices: Prices) -> Iterator[str]:
    """The arithmetic of large collections, line by line."""
    largest = points_of("postgres")[-1]
    rows = sum(largest["bytes"].values()) / largest["passages"]
    graph = 2 * LINKS * 4 * (1 + 1 / (LINKS - 1))
    words = _POSTING * terms_a_passage()
    yield f"of a passage in Postgres: {rows:,.0f} bytes with indexes, measured at {largest['passages']:,} passages"
    yield f"of a passage in the engine, in 16 bits: {2 * DIMENSION} bytes of vector + {graph:.0f} of graph"
    yield f"    (2 x {LINKS} links x 4 bytes, and a {LINKS - 1}th more above) + {words:.0f} of words"
    yield f"    ({terms_a_passage():.0f} different ones a passage x {_POSTING} bytes) + {_BESIDE} beside"
    for compressed in (False, True):
        vector = DIMENSION if compressed else 2 * DIMENSION
        in_memory = vector + graph + words + _BESIDE
        yield ""
        yield f"{'compressed=true: 8 bits in memory, 16 on disk' if compressed else '16 bits, all in memory'}"
        for count in (10**8, 10**9):
            yield from one_plan(count, in_memory, rows, words + (2 * DIMENSION if compressed else 0), prices)


def one_plan(count: int, in_memory: float, rows: float, beside: float, prices: Prices) -> Iterator[str]:
    """One size: `in_memory` bytes of a passage in the engine, `beside` more on its disks, `rows` in Postgres."""
    memory = count * in_memory * REPLICAS / 1e9
    machines = math.ceil(memory / (PLANNED * prices.memory))
    shards = next(n for n in itertools.count(math.ceil(count / IN_A_SHARD)) if n * REPLICAS % machines == 0)
    disk = (count * (in_memory + beside) * REPLICAS + count * rows * REPLICAS) / 1e9
    price = machines * prices.machine + disk * prices.disk
    yield f"  {count:,} passages"
    yield f"    memory: {count:,} x {in_memory:.0f} bytes x {REPLICAS} replicas = {memory:,.0f} GB"
    yield f"    machines: {memory:,.0f} GB / ({PLANNED:.0%} of {prices.memory:.0f} GB) = {machines}"
    yield f"    shards: at most {IN_A_SHARD:,} passages in each, spread evenly: {shards} of {count / shards:,.0f}"
    yield f"    disk: {count:,} x ({in_memory + beside:.0f} in the engine + {rows:,.0f} in Postgres) x {REPLICAS}"
    yield f"        = {disk:,.0f} GB; the engine keeps words twice, as given and as an index"
    yield f"    a month: {machines} x ${prices.machine:,.0f} + {disk:,.0f} GB x ${prices.disk:.2f} = ${price:,.0f}"
    yield f"    a month and million passages: ${price / count * 1e6:,.2f}"


def terms_a_passage() -> float:
    """How many different terms a passage has, as `simulate.py` counted them."""
    return float(points_of("simulated")[-1]["terms_a_passage"])


def simulated() -> Iterator[str]:
    """The table of what was tried out."""
    yield "| | recall@10 | processor ms a search | processor s to build |"
    yield "|---|---|---|---|"
    for numbers in points_of("simulated"):
        for name, found in numbers.items():
            if isinstance(found, dict):
                times = f"{found['cpu_ms_a_search']:.1f} | {found['cpu_seconds_to_build']:.0f}"
                yield f"| {numbers['passages']:,} passages, {name} | {found['recall_at_10']:.3f} | {times} |"


def words() -> Iterator[str]:
    """The table of where a search by words spends its time in SQLite."""
    points = points_of("words")
    yield "| processor ms, median and 95 % | " + " | ".join(f"{each['passages']:,}" for each in points) + " |"
    yield "|---|" + "---|" * len(points)
    for name, key in (
        ("FTS5's `bm25`", "bm25_ms"),
        ("which passages have any word, without a score", "matching_ms"),
        ("assay, the first time", "first_ms"),
        ("assay, again", "again_ms"),
    ):
        yield (
            f"| {name} | " + " | ".join(f"{each[key]['p50']:.1f}, {each[key]['p95']:.1f}" for each in points) + " |"
        )
    of = " | ".join(f"{each['lists_that_differ']} of {each['questions']}" for each in points)
    yield f"| lists of 24 that differ from FTS5's | {of} |"


def text_of(prices: Prices) -> dict[str, str]:
    """The parts of the page that are printed, by their names."""
    return {
        "points": "\n".join(measured()).strip(),
        "bars": "\n".join(bars()),
        "curves": "\n".join(curves()),
        "words": "\n".join(words()),
        "simulated": "\n".join(simulated()),
        "plan": "\n".join(["```text", *plan(prices), "```"]),
    }


def written(page: str, parts: dict[str, str]) -> str:
    """The page with its printed parts renewed.

    >>> written("a\\n<!-- points -->\\nold\\n<!-- end -->\\nb", {"points": "new"})
    'a\\n<!-- points -->\\nnew\\n<!-- end -->\\nb'
    """
    for name, text in parts.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        page = f"{before}{begin}{text}\n{end}{after}" if begin else page
    return page


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="write docs/scale.md")
    parser.add_argument("--machine-memory", type=float, default=MACHINE_MEMORY)
    parser.add_argument("--machine-price", type=float, default=MACHINE_PRICE)
    parser.add_argument("--disk-price", type=float, default=DISK_PRICE)
    chosen = parser.parse_args()
    parts = text_of(Prices(chosen.machine_memory, chosen.machine_price, chosen.disk_price))
    for text in parts.values():
        print(text, end="\n\n")
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
