"""Read documents in a child of a helper process, within limits.

The helper (`assay.ingest.sandbox_helper`) has few modules loaded and one thread; it forks for each document.
A document that hangs, exhausts memory or crashes its reader costs that child and becomes an UnreadableDocument.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from assay import errors
from assay.errors import DocumentError, UnreadableDocument
from assay.ingest.frames import SandboxLimits, read_loaded, receive, send
from assay.types import Loaded

# The helper enforces the wall clock; this side gives up a little later, in case the helper hangs.
_GRACE_SECONDS = 15.0
_NAMED = {kind.__name__: kind for kind in (errors.EmptyDocument, errors.UnsupportedDocument, UnreadableDocument)}


class Sandbox:
    """Reads any format, one document at a time, from any thread.

    `loaders` names the list of loaders as `module:name`; the helper imports it, this process does not.
    """

    def __init__(self, loaders: str = "assay.ingest.loaders:LOADERS", limits: SandboxLimits | None = None) -> None:
        self._loaders = loaders
        self._limits = limits or SandboxLimits()
        self._one_at_a_time = threading.Lock()
        self._helper: _Helper | None = None

    def load(self, data: bytes, name: str) -> Loaded:
        """Read `data` as normalised text; `name` is a label and a hint to the format.

        Raises EmptyDocument, UnsupportedDocument, UnreadableDocument (naming the limit that was exceeded).
        """
        with self._one_at_a_time:
            helper = self._helper = self._helper or _Helper(self._loaders, self._limits)
            try:
                reply = json.loads(helper.ask(data, name))
                return _result(reply, name)
            except (OSError, EOFError):
                self.close()
                raise UnreadableDocument(f"{name}: its reader died", hint="try this file alone") from None
            except (KeyError, TypeError, ValueError, RecursionError):
                self.close()
                raise UnreadableDocument(
                    f"{name}: its reader talked nonsense", hint="try this file alone"
                ) from None

    def close(self) -> None:
        """Stop the helper and its current document; the next `load` starts another."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.end()


class _Helper:
    """The helper process and this side's end of the connection to it."""

    def __init__(self, loaders: str, limits: SandboxLimits) -> None:
        self._end, theirs = socket.socketpair()
        self._end.settimeout(limits.wall_seconds + _GRACE_SECONDS)
        with theirs:
            # -P: never import from the current folder, which may contain the documents.
            self._process = subprocess.Popen(  # noqa: S603 - our own module, under this very interpreter
                [sys.executable, "-P", "-m", "assay.ingest.sandbox_helper", str(theirs.fileno()), loaders,
                 json.dumps(asdict(limits))],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # this side handles Ctrl-C
            )  # fmt: skip

    def ask(self, data: bytes, name: str) -> bytes:
        send(self._end, name.encode("utf-8", errors="replace"), data)
        return receive(self._end)

    def end(self) -> None:
        """Close the connection, which tells the helper to kill its child and exit; kill it if it does not."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)
        self._end.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _result(reply: dict[str, Any], name: str) -> Loaded:
    """Return the result in a reply, or raise its error."""
    if "error" not in reply:
        return read_loaded(reply)
    kind: type[DocumentError] = _NAMED[reply["error"]]
    raise kind(str(reply["message"]) or name, hint=str(reply["hint"]))
