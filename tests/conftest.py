"""What holds for every test: a busy machine may stall for a second or two at any moment, which fails nothing.

The networks of assay-models are held open meanwhile, so that each engine that a test opens shares them.
"""

from __future__ import annotations

from collections.abc import Iterator

import assay_models
import pytest
from hypothesis import HealthCheck, settings

from assay.models.onnx import shared_session, steady_digest

# A property is tested for whether it holds, not for how fast an example of it is drawn or tried.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def _networks() -> Iterator[None]:
    """Most tests read them, and opening one takes longer than most tests."""
    names = ("minilm-l6-v2-int8", "minilm-l6-reader-int8", "minilm-l6-checker-int8")
    weights = [assay_models.folder(name) / "model.onnx" for name in names]
    opened = [shared_session(path, steady_digest(path)) for path in weights]
    yield
    opened.clear()
