"""The helper process of the sandbox: waits for a request about a document, forks a child for it, and replies.

It imports no numeric library and starts no threads, so that forking is cheap and safe. A format's loader and
library are loaded here after its first document, so that later children inherit them.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import DocumentError
from assay.ingest.detect import AnyLoader, is_plain
from assay.ingest.frames import SandboxLimits, receive, send, write_error, write_loaded
from assay.ingest.libraries import preload

if TYPE_CHECKING:  # its module loads numpy, which takes longer than all the rest
    from assay.core.stages import Loader

_CHUNK = 1 << 16
_SMALL = 1 << 16
_SMALL_SECONDS = 10.0
_HINT = "try to open and save it again with the program that made it"


# From a request, the bytes and the name of a document to a reply in JSON.
Read = Callable[[str, bytes, str], bytes]


@dataclass(frozen=True, slots=True)
class _Request:
    """A request about a document, as text of its reader's own, and the document."""

    name: str
    text: str
    data: bytes


@dataclass(frozen=True, slots=True)
class _Child:
    """A running child: its process, and the read end of its reply pipe."""

    process: int
    pipe: int


def main(arguments: list[str]) -> None:
    """Serve until the connection closes; arguments are the socket's descriptor, the reader and the limits."""
    end = socket.socket(fileno=int(arguments[0]))
    module, _, attribute = arguments[1].partition(":")
    reader: Mapping[str, Loader] | Read = getattr(importlib.import_module(module), attribute)
    serve(end, reader, SandboxLimits(**json.loads(arguments[2])))


def serve(end: socket.socket, reader: Mapping[str, Loader] | Read, limits: SandboxLimits) -> None:
    """Answer requests one by one, from a list of loaders or by a function."""
    loads = isinstance(reader, Mapping)
    read = _loading(reader) if isinstance(reader, Mapping) else reader
    with suppress(EOFError, ConnectionError):
        while True:
            name, request, data = receive(end).decode("utf-8"), receive(end).decode("utf-8"), receive(end)
            if loads and len(data) <= _SMALL and is_plain(data, name):
                send(end, _read_here(read, limits, name, data))
                continue
            # The child's garbage collector ignores frozen objects, so fewer pages are copied.
            gc.freeze()
            child = _fork(end, read, limits, _Request(name, request, data))
            del data
            reply = _reply(end, child, limits, name)
            send(end, reply)
            preload(reply[:200])


def _loading(loaders: Mapping[str, Loader]) -> Read:
    """The function that reads a document by its loader, whatever the request."""
    loader = AnyLoader(loaders)

    def read(_request: str, data: bytes, name: str) -> bytes:
        return write_loaded(loader.load(data, name))

    return read


def _read_here(read: Read, limits: SandboxLimits, name: str, data: bytes) -> bytes:
    """Read a small plain text without a fork, which would take fifty times as long.

    Only this package's linear-time code reads it. If that hangs, the timer ends this process, and the
    other side starts another.
    """
    signal.setitimer(signal.ITIMER_PROF, _SMALL_SECONDS)
    try:
        return _read(read, limits, _Request(name, "", data))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _fork(end: socket.socket, read: Read, limits: SandboxLimits, asked: _Request) -> _Child:
    """Fork a child that reads the document and writes the reply."""
    pipe, theirs = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            os.close(pipe)
            end.close()
            _limit(limits)
            _write(theirs, _read(read, limits, asked))
        finally:
            os._exit(0)
    os.close(theirs)
    return _Child(process, pipe)


def _limit(limits: SandboxLimits) -> None:
    """Limit this process: memory, time, files written, core dumps."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(read: Read, limits: SandboxLimits, asked: _Request) -> bytes:
    """Read the requested document; any exception becomes an error that names it."""
    name = asked.name
    try:
        reply = read(asked.text, asked.data, name)
    except DocumentError as error:
        return write_error(type(error).__name__, str(error), error.hint)
    except MemoryError:
        return _unreadable(f"{name}: needs more than {limits.memory >> 20} MiB of memory", "split the file")
    except RecursionError:
        return _unreadable(f"{name}: nested too deeply", _HINT)
    except Exception as error:  # noqa: BLE001 - the sandbox's boundary: parsers raise anything
        return _unreadable(f"{name}: damaged ({type(error).__name__}: {str(error)[:200]})", _HINT)
    if len(reply) > 2 * limits.text:
        return _unreadable(f"{name}: more than {limits.text >> 20} MiB of text", "split the file")
    return reply


def _unreadable(message: str, hint: str) -> bytes:
    return write_error("UnreadableDocument", message, hint)


def _write(pipe: int, reply: bytes) -> None:
    """Write the reply followed by one byte that marks it complete."""
    view = memoryview(reply + b"\n")
    while view:
        view = view[os.write(pipe, view) :]


def _reply(end: socket.socket, child: _Child, limits: SandboxLimits, name: str) -> bytes:
    """The child's reply, or the reason why there is none; the child is reaped."""
    try:
        written = _drain(end, child, time.monotonic() + limits.wall_seconds, 2 * limits.text + _CHUNK)
        if written is None:
            return _unreadable(f"{name}: took longer than {limits.wall_seconds:g} s", "split the file")
        if written.endswith(b"\n"):
            return written[:-1]
        return _unreadable(f"{name}: {_death(child, limits)}", _HINT)
    finally:
        os.close(child.pipe)
        with suppress(ProcessLookupError):
            os.killpg(child.process, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(child.process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(child.process, 0)


def _drain(end: socket.socket, child: _Child, deadline: float, most: int) -> bytes | None:
    """Everything the child writes; None at the deadline. Raises EOFError if the client has gone."""
    written = bytearray()
    while True:
        left = max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([child.pipe, end.fileno()], [], [], left)
        if not ready:
            return None
        if end.fileno() in ready:
            raise EOFError("the other end closed while its document was read")
        chunk = os.read(child.pipe, _CHUNK)
        written += chunk
        if not chunk or len(written) > most:
            return bytes(written)


def _death(child: _Child, limits: SandboxLimits) -> str:
    """The reason why the child ended without a reply; it has closed its pipe, so waiting is short."""
    for _ in range(200):
        process, status = os.waitpid(child.process, os.WNOHANG)
        if process:
            break
        time.sleep(0.01)
    else:
        return "its reader stopped answering"
    if not os.WIFSIGNALED(status):
        return f"its reader gave up, perhaps for want of more than {limits.memory >> 20} MiB of memory"
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return f"took more than {limits.cpu_seconds} s of processor time"
    return f"its reader crashed ({signal.Signals(number).name}), or needed more than {limits.memory >> 20} MiB"


if __name__ == "__main__":
    main(sys.argv[1:])
