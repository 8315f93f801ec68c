"""The program as processes that need not load it: each is forked from one that has its modules and networks.

A test starts `COMMAND` as it would start the program, and gets a process with streams, signals and an exit code of
its own: those that it starts with are handed on to the fork, and what becomes of the fork becomes of it. Starting
afresh takes two seconds of a processor, and is tested where that is what a test is about.
"""

from __future__ import annotations

import array
import gc
import io
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# The program as a process that loads what it needs itself.
AFRESH = [sys.executable, "-c", "from assay.cli import main; main()"]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


@contextmanager
def warm_program() -> Iterator[list[str]]:
    """The command that starts the program as a fork, as long as the block lasts."""
    import subprocess
    import tempfile

    if not hasattr(os, "pidfd_open"):  # Linux has it
        yield AFRESH
        return
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "warm")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-P", __file__, "--serve", address]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"open\n"
            try:
                yield [sys.executable, "-I", "-S", __file__, address]
            finally:
                process.kill()


# --- the process that is forked ----------------------------------------------------------------------


def serve(address: str) -> list[str]:
    """Fork for each that connects; returns in the fork alone, with its arguments."""
    held = load()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"open\n")
        gc.collect()
        gc.freeze()
        while True:
            client, _ = listener.accept()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass  # those that watched over a fork
            if os.fork() == 0:
                listener.close()
                globals()["_held"] = held
                return watch(client)
            client.close()


def load() -> list[object]:
    """The modules and networks of a question, and of a server."""
    import assay_models
    import faiss  # noqa: F401
    import numpy  # noqa: F401

    import assay.cli.run_view
    import assay.mcp_server.local
    import assay.server.main
    import assay.wiring.stages  # noqa: F401
    from assay.errors import UsageError
    from assay.models.embed_local import LocalEmbedder
    from assay.models.onnx import shared_session, shared_tokenizer, steady_digest

    folders = [assay_models.folder(f"minilm-l6-{name}-int8") for name in ("v2", "reader", "checker")]
    weights, tokenizers = ([folder / name for folder in folders] for name in ("model.onnx", "tokenizer.json"))
    return [
        LocalEmbedder.load(folders[0]),
        *(shared_session(path, steady_digest(path)) for path in weights),
        *(shared_tokenizer(path, steady_digest(path), UsageError) for path in tokenizers),
    ]


def watch(client: socket.socket) -> list[str]:
    """Fork, pass signals on to the fork and tell its end; kill it when the one that it stands for is gone."""
    standard = array.array("i")
    length, ancillary, _, _ = client.recvmsg(4, socket.CMSG_SPACE(3 * standard.itemsize))
    standard.frombytes(ancillary[0][2])
    asked = client.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
    arguments, folder, environment, umask = json.loads(asked)
    fork = os.fork()
    if fork == 0:
        client.close()
        begin(standard, folder, environment, umask)
        return arguments
    for descriptor in standard:
        os.close(descriptor)
    ended = os.pidfd_open(fork)
    while True:
        ready, _, _ = select.select([client, ended], [], [])
        if ended in ready:
            client.sendall(os.waitpid(fork, 0)[1].to_bytes(4, "big"))
            os._exit(0)
        told = client.recv(1)
        os.kill(fork, told[0] if told else signal.SIGKILL)
        if not told:
            os._exit(0)


def begin(standard: array.array[int], folder: str, environment: dict[str, str], umask: int) -> None:
    """Take the streams, the folder and the environment that the program was started with."""
    os.setsid()
    os.umask(umask)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "rb"), ("stdout", "wb"), ("stderr", "wb"))):
        old = getattr(sys, name)
        stream = io.TextIOWrapper(
            open(number, mode, closefd=False),  # noqa: SIM115 - open as long as the process
            encoding=old.encoding, errors=old.errors, line_buffering=number == 2 or os.isatty(number),
        )  # fmt: skip
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


# --- the process that a test starts ------------------------------------------------------------------


def stand_in(address: str, arguments: list[str]) -> None:
    """Be the fork for whoever started this process."""
    if "PYTHONIOENCODING" in os.environ:  # an interpreter reads it when it starts
        os.execv(AFRESH[0], [*AFRESH, *arguments])  # noqa: S606 - the program as a test would start it
    with socket.socket(socket.AF_UNIX) as warm:
        for number in SIGNALS:
            signal.signal(number, lambda number, _: warm.sendall(bytes((number,))))
        warm.connect(address)
        umask = os.umask(0)
        asked = json.dumps((arguments, os.getcwd(), dict(os.environ), umask)).encode()
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))
        warm.sendmsg([len(asked).to_bytes(4, "big")], [rights])
        warm.sendall(asked)
        os.closerange(0, 3)
        code = os.waitstatus_to_exitcode(int.from_bytes(warm.recv(4), "big"))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    if sys.argv[1] != "--serve":
        stand_in(sys.argv[1], sys.argv[2:])
    sys.argv = ["assay", *serve(sys.argv[2])]
    from assay.cli import main

    main()
