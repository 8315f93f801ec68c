"""Engines of a process share a network by the hash of its file, and hash a file once while it stays the same."""

from __future__ import annotations

import gc
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from assay.models.onnx import digest_of, one_thread_session, shared_session, steady_digest

TINY = Path(__file__).parent / "tiny_reader" / "model.onnx"
GIVEN = {name: np.array([[1, 5, 2, 6, 7, 2]]) for name in ("input_ids", "segments")}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A file of one's own, free to be changed."""
    return Path(shutil.copy(TINY, tmp_path / "model.onnx"))


def test_one_network_serves_all_who_name_its_hash(copy: Path) -> None:
    first = shared_session(copy, digest_of(copy))
    assert shared_session(TINY, digest_of(TINY)) is first
    assert shared_session(copy, "another") is not first
    assert one_thread_session(copy) is not first


def test_a_network_that_nobody_holds_is_closed_and_opened_again(copy: Path) -> None:
    first = shared_session(copy, "its hash")
    copy.unlink()
    assert shared_session(copy, "its hash") is first
    del first
    gc.collect()
    with pytest.raises(Exception, match=r"model\.onnx"):
        shared_session(copy, "its hash")


def test_a_shared_network_gives_each_thread_what_it_gives_alone() -> None:
    session = shared_session(TINY, digest_of(TINY))
    alone = session.run(None, GIVEN)
    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(lambda _: session.run(None, GIVEN), range(200)):
            for one, other in zip(found, alone, strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_hash_is_of_the_file_as_it_is_now(copy: Path) -> None:
    before = steady_digest(copy)
    assert before == digest_of(copy) == digest_of(TINY)
    with copy.open("ab") as file:
        file.write(b" ")
    assert steady_digest(copy) == digest_of(copy) != before


def test_a_change_that_keeps_size_and_age_is_seen(copy: Path) -> None:
    before, stood = steady_digest(copy), copy.stat()
    changed = bytearray(copy.read_bytes())
    changed[-1] ^= 1
    beside = copy.with_name("other.onnx")
    beside.write_bytes(changed)
    os.utime(beside, ns=(stood.st_atime_ns, stood.st_mtime_ns))
    beside.replace(copy)
    assert steady_digest(copy) == digest_of(copy) != before
