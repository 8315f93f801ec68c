"""Files, questions and vectors over a real cluster of several nodes, one of which is lost in mid-run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

from assay import open_engine
from assay.errors import ProviderFailed, ProviderUnreachable, UsageError
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.rebuild import problems
from assay.settings import Settings
from assay.wiring import open_embedder, reindex
from assay.wiring.cluster.connection import ActorPool, Cluster
from assay.wiring.cluster.ingestion import ClusterIngestion
from cluster.dying import Broken, DyingOnce, DyingWorker
from support.postgres import new_database

# Ray's own, which are errors to the tests of everything else.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


def index_of_the_bundled_model() -> MemoryIndex:
    return MemoryIndex(open_embedder(Settings()).model)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Forty documents in nine files, and two that are none."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.md").write_text(f"# Town {number}\n\nTown {number} has {number}00 people.\n")
    lines = [json.dumps({"id": f"line-{n}", "text": f"River {n} is {n} km long."}) for n in range(32)]
    (folder / "lines.jsonl").write_text("\n".join(lines))
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "empty.txt").write_text("")
    return folder


def test_files_are_added_once_and_failures_have_reasons(address: str, files: Path, tmp_path: Path) -> None:
    with open_engine(data_dir=tmp_path / "store", models=False, ray=address) as engine:
        reports = {Path(report.path).name: report for report in engine.add([files])}
        assert Counter(report.status for report in reports.values()) == {"added": 9, "failed": 1, "skipped": 1}
        assert "damaged" in (reports["damaged.pdf"].reason or "")
        assert reports["damaged.pdf"].hint
        assert len(engine.documents()) == 40
        (files / "0.md").write_text("# Town 0\n\nTown 0 has grown.\n")
        again = Counter(report.status for report in engine.add([files]))
        assert again == {"added": 1, "unchanged": 8, "failed": 1, "skipped": 1}
        (files / "1.md").unlink()
        pruned = [report for report in engine.mirror([files]) if report.status == "pruned"]
        assert [Path(report.path).name for report in pruned] == ["1.md"]
        assert len(engine.documents()) == 39
    assert problems(tmp_path / "store" / "collections" / "default") == ()


def test_what_is_stored_is_what_one_machine_stores(address: str, files: Path, tmp_path: Path) -> None:
    with open_engine(data_dir=tmp_path / "here", models=False) as engine:
        engine.add([files])
        here = engine.documents()
    with open_engine(data_dir=tmp_path / "there", models=False, ray=address) as engine:
        engine.add([files])
        assert engine.documents() == here
        assert engine.search("How long is River 7?").hits[0].passage.document_id == "line-7"


def test_a_database_is_filled_by_the_driver(address: str, files: Path, tmp_path: Path) -> None:
    store = new_database()
    with open_engine(data_dir=tmp_path, store=store, models=False, ray=address) as engine:
        assert Counter(report.status for report in engine.add([files]))["added"] == 9
        assert len(engine.documents()) == 40


async def test_a_file_that_ends_every_process_is_given_up_and_the_others_are_not(
    address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a", "b", "poison", "c"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThis is the text of {name}.\n")
    index = index_of_the_bundled_model()
    own = ClusterIngestion(index, open_embedder(Settings()), Settings(), Cluster(address), DyingWorker)
    reports = {Path(report.path).stem: report async for report in own.add([folder])}
    assert {name: report.status for name, report in reports.items()} == {
        "a": "added",
        "b": "added",
        "c": "added",
        "poison": "failed",
    }
    assert "the process that read it ended" in (reports["poison"].reason or "")
    assert len(await index.documents()) == 3


def test_questions_are_answered_in_order_as_here(address: str, files: Path, tmp_path: Path) -> None:
    asked = ["How many people does Town 3 have?", "", "How long is River 7?"]
    with open_engine(data_dir=tmp_path / "store", ray=address) as engine:
        engine.add([files])
        there = engine.ask_many(asked)
    with open_engine(data_dir=tmp_path / "store") as engine:
        here = engine.ask_many(asked)
    assert [getattr(answer, "text", str(answer)) for answer in there] == [
        getattr(answer, "text", str(answer)) for answer in here
    ]
    assert isinstance(there[1], UsageError)
    assert there[1].hint == getattr(here[1], "hint", None)


def test_a_collection_is_embedded_anew(address: str, files: Path, tmp_path: Path) -> None:
    with open_engine(data_dir=tmp_path, models=False) as engine:
        engine.add([files])
        version, passages = engine.version(), engine.search("River 7").hits
    assert reindex(data_dir=tmp_path, ray=address) == 40
    with open_engine(data_dir=tmp_path, models=False) as engine:
        assert engine.version() == version + 1
        assert [hit.passage.passage_id for hit in engine.search("River 7").hits] == [
            hit.passage.passage_id for hit in passages
        ]


async def test_a_call_that_is_lost_with_its_process_is_made_again(address: str, tmp_path: Path) -> None:
    pool = ActorPool(Cluster(address), DyingOnce, str(tmp_path / "memory"), lanes={"double": 1})
    assert await asyncio.gather(*(pool.call("double", "double", number) for number in range(6))) == [
        0,
        2,
        4,
        6,
        8,
        10,
    ]
    assert (tmp_path / "memory").exists()
    pool.close()


async def test_workers_that_cannot_begin_say_why(address: str) -> None:
    pool = ActorPool(Cluster(address), Broken, lanes={"any": 1})
    with pytest.raises(ProviderFailed, match="no module named tea"):
        await pool.call("any", "ready")
    pool.close()


def assay(*arguments: str, given: str = "") -> list[dict[str, Any]]:
    """The objects that the program prints; whatever else it prints there is no JSON, and an error here."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", *arguments], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 8), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_program_prints_its_objects_alone(address: str, files: Path, tmp_path: Path) -> None:
    place, failures = ("--data-dir", str(tmp_path / "store"), "--ray", address), tmp_path / "failed.jsonl"
    rows = assay("add", str(files), *place, "--jsonl", "--failures", str(failures))
    assert Counter(row["status"] for row in rows) == {"added": 9, "failed": 1, "skipped": 1}
    (failed,) = [json.loads(line) for line in failures.read_text().splitlines()]
    assert Path(failed["path"]).name == "damaged.pdf"
    assert failed["reason"]
    assert failed["hint"]
    lines = [{"id": number, "question": f"How long is River {number}?"} for number in range(4)]
    answers = assay("ask", "--jsonl", *place, given="\n".join(map(json.dumps, lines)))
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3]
    assert all(f"{answer['id']} km" in answer["text"] for answer in answers)


def test_a_node_that_is_lost_loses_and_doubles_nothing(nodes: Any, tmp_path: Path) -> None:
    """Last, since the cluster has other nodes afterwards."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(12):
        lines = [
            json.dumps({"id": f"{number}-{line}", "text": f"Town {number} has {line} streets. " * 12})
            for line in range(60)
        ]
        (folder / f"{number}.jsonl").write_text("\n".join(lines))
    lost = nodes.add_node(num_cpus=1)

    async def added() -> list[str]:
        statuses = []
        async with open_engine(data_dir=tmp_path / "store", models=False, ray=nodes.address) as engine:
            async for report in engine.aadd([folder]):
                if not statuses:
                    await asyncio.to_thread(nodes.remove_node, lost, allow_graceful=False)
                statuses.append(report.status)
        return statuses

    assert asyncio.run(added()) == ["added"] * 12
    with open_engine(data_dir=tmp_path / "store", models=False) as engine:
        ids = [record.document_id for record in engine.documents()]
    assert len(ids) == len(set(ids)) == 720
    assert problems(tmp_path / "store" / "collections" / "default") == ()


def test_a_cluster_that_is_not_there() -> None:
    """In a process of its own, since this one is connected."""
    program = (
        "from assay.wiring.cluster.connection import Cluster\n"
        "from assay.errors import ProviderUnreachable\n"
        "try:\n    Cluster('127.0.0.1:9').connect()\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ProviderUnreachable.__name__
