"""How the server ends, and what clients that leave let it do: benchmarks/serve/stopping.py with a few of each."""

from __future__ import annotations

from pathlib import Path

from support.proofs import proof, serve_here

CLIENTS = 8


def test_a_stop_ends_each_stream_with_one_terminal_event(tmp_path: Path) -> None:
    with proof("stopping") as stopping:
        found = stopping.stopped(tmp_path / "data", 5)
    assert (found["with_one_terminal_event"], found["ended_by_it"], found["complete_responses"]) == (5, 5, 5)


def test_uploads_acknowledged_before_a_kill_are_whole_or_explained(tmp_path: Path) -> None:
    with proof("stopping") as stopping:
        found = stopping.killed(tmp_path / "data", 1, files=9)
    assert found["lost_first"] == []
    assert found["files_acknowledged"] == found["whole"] + found["explained_by_the_job"]


def test_a_client_that_leaves_ends_the_call_of_the_model(tmp_path: Path) -> None:
    with proof("stopping") as stopping:
        found = stopping.vanished(tmp_path / "data", CLIENTS, serve_here)
    assert (found["model_connections_open"], found["runs_in_progress"]) == (0, 0)
    # Files that the server opens once are none of a client's.
    assert found["descriptors_more"] < CLIENTS
