"""What becomes of hostile files that are uploaded: benchmarks/serve/hostile.py with files that are made here."""

from __future__ import annotations

import gzip
from pathlib import Path

from support.proofs import proof, serve_here

FILES = {
    "-rf.txt": b"Remove nothing.",
    "empty.pdf": b"",
    "cut.pdf": b"%PDF-1.7\n",
    "cut.docx": b"PK\x03\x04" + bytes(range(256)),
    "bytes.txt": bytes(range(256)) * 20,
    "deep.html": b"<div>" * 20_000 + b"deep",
    "script.html": b"<script>alert(1)</script>" * 200,
    "bomb.txt.gz": gzip.compress(bytes(50_000_000)),
    "surrogate.json": b'{"text": "\\ud800"}',
    "space.txt": b" \n\t" * 500,
}


def test_each_hostile_file_has_an_outcome_and_the_server_stays_well(tmp_path: Path) -> None:
    place = tmp_path / "files"
    place.mkdir()
    for name, data in FILES.items():
        (place / name).write_bytes(data)
    with proof("hostile") as hostile:
        found = hostile.measure(tmp_path / "data", sorted(place.iterdir()), serve_here)
    assert found["unexplained_first"] == []
    assert (found["unexplained"], found["unhealthy"]) == (0, 0)
    assert sum(found["outcomes"].values()) == len(FILES)
    assert found["outcome_of_a_question_afterwards"] == "answered"
    assert found["memory_mib_more"] < 1024
