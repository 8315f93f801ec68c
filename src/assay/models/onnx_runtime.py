"""onnxruntime without its telemetry.

Since 1.31 its official builds for Linux keep events in the user's cache folder and send them to Microsoft unless
this variable is set before the library is loaded (its Privacy.md). What runs on this machine stays on it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # after the variable: it counts only before this

__all__ = ["one_thread_session", "onnxruntime", "shared_session"]

# The open networks whose weights are known by their hash: the engines of a process share them.
_OPEN: WeakValueDictionary[str, Any] = WeakValueDictionary()


def one_thread_session(weights: Path) -> Any:
    """The network of a file, on one thread of the processor; raises whatever onnxruntime does for a bad file."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Only fatal: the errors are raised, and a warning on standard error is no one's business.
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def shared_session(weights: Path, sha256: str) -> Any:
    """The network of a file with this hash: the one that is open already, as long as somebody holds it.

    A network is read by any number of threads at once. Raises whatever onnxruntime does for a bad file.
    """
    found = _OPEN.get(sha256)
    if found is None:
        found = _OPEN.setdefault(sha256, one_thread_session(weights))
    return found
