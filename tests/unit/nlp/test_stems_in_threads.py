"""Stems are the same whichever thread asks for them, and however many ask at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.nlp.tokens import stem

WORDS = "running national flies happily relational conditioned vitalization generously controlling".split()


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that take turns as often as Python allows."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hurried")
def test_many_threads_stem_as_one_does() -> None:
    compute = stem.__wrapped__  # without its memory, which would hide a wrong stem behind a right one
    alone = [compute(word) for word in WORDS]

    def stems() -> list[list[str]]:
        return [[compute(word) for word in WORDS] for _ in range(40)]

    with ThreadPoolExecutor(4) as threads:
        together = [future.result() for future in [threads.submit(stems) for _ in range(4)]]
    assert all(found == alone for each in together for found in each)
