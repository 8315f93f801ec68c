"""onnxruntime without its telemetry.

Since 1.31 its official builds for Linux keep events in the user's cache folder and send them to Microsoft unless
this variable is set before the library is loaded (its Privacy.md). What runs on this machine stays on it.
"""

from __future__ import annotations

import os

os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # after the variable: it counts only before this

__all__ = ["onnxruntime"]
