"""What holds for every test: a busy machine may stall for a second or two at any moment, which fails nothing.

The networks of assay-models are held open meanwhile, and their tokenizers, so that each engine that a test opens
shares them.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import assay_models
import pytest
from hypothesis import HealthCheck, settings

from assay.errors import UsageError
from assay.models.embed_local import LocalEmbedder
from assay.models.onnx import shared_session, shared_tokenizer, steady_digest
from support.warm import warm_program

# A property is tested for whether it holds, not for how fast an example of it is drawn or tried.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def _networks() -> Iterator[None]:
    """Most tests read them, and opening one takes longer than most tests."""
    names = ("minilm-l6-v2-int8", "minilm-l6-reader-int8", "minilm-l6-checker-int8")
    folders = [assay_models.folder(name) for name in names]
    weights = [folder / "model.onnx" for folder in folders]
    tokenizers = [folder / "tokenizer.json" for folder in folders]
    opened = [
        LocalEmbedder.load(folders[0]),
        *(shared_session(path, steady_digest(path)) for path in weights),
        *(shared_tokenizer(path, steady_digest(path), UsageError) for path in tokenizers),
    ]
    yield
    opened.clear()


@pytest.fixture(scope="session")
def program() -> Iterator[list[str]]:
    """The command that starts the program as a process, without the seconds that it takes to load it."""
    with warm_program() as command:
        yield command


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would every process that a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
