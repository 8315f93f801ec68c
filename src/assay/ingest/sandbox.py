"""Read documents in a child of a helper process, within limits.

The helper (`assay.ingest.sandbox_helper`) has few modules loaded and one thread; it forks for each document.
A document that hangs, exhausts memory or crashes its reader costs that child and becomes an UnreadableDocument.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, TypeVar

from assay import errors
from assay.errors import DocumentError, UnreadableDocument
from assay.ingest.frames import SandboxLimits, read_loaded, receive, send
from assay.types import Loaded

Result = TypeVar("Result")

# The helper enforces the wall clock; this side gives up a little later, in case the helper hangs.
_GRACE_SECONDS = 15.0
_NAMED = {kind.__name__: kind for kind in (errors.EmptyDocument, errors.UnsupportedDocument, UnreadableDocument)}


class Sandbox:
    """Reads any format, one document at a time, from any thread.

    `loaders` names the list of loaders as `module:name`; the helper imports it, this process does not.
    """

    def __init__(self, loaders: str = "assay.ingest.loaders:LOADERS", limits: SandboxLimits | None = None) -> None:
        self.process = SandboxProcess(loaders, limits or SandboxLimits())

    def load(self, data: bytes, name: str) -> Loaded:
        """Read `data` as normalised text; `name` is a label and a hint to the format.

        Raises EmptyDocument, UnsupportedDocument, UnreadableDocument (naming the limit that was exceeded).
        """
        return self.process.ask(data, name, "", read_loaded)

    def close(self) -> None:
        """Stop the helper and its current document; the next `load` starts another."""
        self.process.close()


class SandboxProcess:
    """A helper process that answers requests about documents, one at a time, from any thread.

    `reader` names, as `module:name`, a list of loaders, or a function from a request, bytes and a name to JSON; the
    helper imports it, this process does not.
    """

    def __init__(self, reader: str, limits: SandboxLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._one_at_a_time = threading.Lock()
        self._helper: _Helper | None = None

    def ask(self, data: bytes, name: str, request: str, decode: Callable[[dict[str, Any]], Result]) -> Result:
        """The decoded reply to a request about `data`; `name` is a label.

        `decode` raises KeyError, TypeError or ValueError for a malformed reply. Raises EmptyDocument,
        UnsupportedDocument, UnreadableDocument (naming the limit that was exceeded).
        """
        with self._one_at_a_time:
            helper = self._helper = self._helper or _Helper(self._reader, self._limits)
            try:
                reply = json.loads(helper.ask(data, name, request))
                return decode(_without_error(reply, name))
            except (OSError, EOFError):
                self.close()
                raise UnreadableDocument(f"{name}: its reader crashed", hint="try this file alone") from None
            except (KeyError, TypeError, ValueError, RecursionError):
                self.close()
                raise UnreadableDocument(
                    f"{name}: its reader gave an unusable reply", hint="try this file alone"
                ) from None

    def start(self) -> None:
        """Start the helper, unless it runs, so that it loads its modules before the first request."""
        if self._helper is None:
            with self._one_at_a_time:
                self._helper = self._helper or _Helper(self._reader, self._limits)

    @property
    def process_id(self) -> int | None:
        """The helper's process; None if none runs."""
        helper = self._helper
        return None if helper is None else helper.process_id

    def close(self) -> None:
        """Stop the helper and its current document; the next request starts another."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.end()


def _import_folders() -> str:
    """The folders of PYTHONPATH without those relative to the current one, except that of assay itself."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(errors.__file__)))
    named = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return os.pathsep.join(
        os.path.abspath(name) for name in named if os.path.isabs(name) or os.path.abspath(name) == own
    )


class _Helper:
    """The helper process and this side's end of the connection to it."""

    def __init__(self, reader: str, limits: SandboxLimits) -> None:
        self._end, theirs = socket.socketpair()
        self._end.settimeout(limits.wall_seconds + _GRACE_SECONDS)
        with theirs:
            # -P: never import from the current folder, which may contain the documents.
            self._process = subprocess.Popen(  # noqa: S603 - our own module, under this very interpreter
                [sys.executable, "-P", "-m", "assay.ingest.sandbox_helper", str(theirs.fileno()), reader,
                 json.dumps(asdict(limits))],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": _import_folders()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # this side handles Ctrl-C
            )  # fmt: skip

    @property
    def process_id(self) -> int:
        return self._process.pid

    def ask(self, data: bytes, name: str, request: str) -> bytes:
        send(self._end, name.encode("utf-8", errors="replace"), request.encode("utf-8"), data)
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


def _without_error(reply: dict[str, Any], name: str) -> dict[str, Any]:
    """The reply, unless it is an error, which is raised."""
    if "error" not in reply:
        return reply
    kind: type[DocumentError] = _NAMED[reply["error"]]
    raise kind(str(reply["message"]) or name, hint=str(reply["hint"]))
