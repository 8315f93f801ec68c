from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.types import Evidence, Hit, Passage


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    """Evidence of texts: passages p1, p2 and so on."""

    def made(*texts: str) -> Evidence:
        passages = (Passage(f"p{n}", "d", "", 0, len(text), text) for n, text in enumerate(texts, 1))
        return Evidence(tuple(Hit(passage, 1.0) for passage in passages))

    return made
