"""A language model from a GGUF file, run in this process by llama.cpp.

The package can only be had as a server. It listens on a socket in a folder of its own, which nobody else can
enter, and asks for a key that nobody knows; requests are handed to it directly.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import secrets
import socket
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.errors import MissingExtra, PromptTooLong, ProviderError, ProviderFailed, ProviderRefused, UsageError
from assay.models.ending import ending
from assay.models.gguf import GgufHead, disarmed, read_head, require_gguf
from assay.types import Finish, ModelReply, ModelRequest, Usage

try:
    import xllamacpp
except ImportError as error:
    raise MissingExtra(
        f"local models need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[local]"',
    ) from error

# A window of this many tokens costs some hundred megabytes with a model of a few billion parameters.
CONTEXT_TOKENS = 8192
# At most this many, and one processor is left to others: the threads wait for one another by spinning, so where
# they are more than the free processors a reply takes ten times as long.
THREADS = 2
# A call can be cancelled between two batches of its prompt; larger batches are hardly faster on a processor.
_BATCH = 64
# Prompts kept so that the next one with the same beginning need not be read again, in MiB.
_CACHE = 512
# The same prompt gets the same reply.
_SEED = 0
_SILENT = -1
_FINISHES: Mapping[str, Finish] = MappingProxyType({"stop": "stop", "length": "length", "tool_calls": "tool"})
# What an exception of C++ can become in Python.
_BROKEN = (RuntimeError, ValueError, TypeError, IndexError, ArithmeticError, MemoryError, OSError)
_Chunk = dict[str, Any]
_NOT_SAID = Usage(None, None, None, None, calls=1, cost=0.0)


class LocalModel:
    """The model in a GGUF file.

    The first call loads it, which can take some seconds; one call runs at a time, and the others wait. Nothing
    leaves this process. Control tokens in a prompt's texts are broken, so that a document cannot end its message.
    """

    def __init__(self, path: Path, context_tokens: int, threads: int) -> None:
        self._path, self._context_tokens, self._threads = path, context_tokens, threads
        self._calls: set[_Call] = set()
        # Only the one thread of `_worker` loads, uses and drops the model.
        self._loaded: _Loaded | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="assay-local-model")

    @classmethod
    def open(cls, path: Path, *, context_tokens: int = CONTEXT_TOKENS, threads: int = THREADS) -> LocalModel:
        """The model in the GGUF file at `path`; raises UsageError where there is none.

        Prompt and reply share `context_tokens` tokens, or fewer where the model was trained for fewer. It runs on
        `threads` threads, or on one fewer than there are processors.
        """
        require_gguf(path)
        return cls(path, context_tokens, max(1, min(threads, (os.cpu_count() or 1) - 1)))

    @property
    def name(self) -> str:
        """`local:` and the file's name."""
        return f"local:{self._path.name}"

    @property
    def host(self) -> str:
        """Empty: prompts stay in this process."""
        return ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply. Raises as `stream`."""
        async with aclosing(self.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    return part
        raise AssertionError("a stream ended without its reply")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply's text piece by piece, then the reply; leaving it ends the generation.

        Raises UsageError when the file does not load, PromptTooLong, ProviderRefused, ProviderFailed.
        """
        loop, chunks = asyncio.get_running_loop(), asyncio.Queue[_Chunk | None]()
        call = _Call(request, lambda chunk: loop.call_soon_threadsafe(chunks.put_nowait, chunk))
        reading = _Reading(self.name)
        self._calls.add(call)
        work = loop.run_in_executor(self._worker, self._answer, call)
        work.add_done_callback(lambda _: chunks.put_nowait(None))
        try:
            while (chunk := await chunks.get()) is not None:
                if text := reading.take(chunk):
                    yield text
            await work
        finally:
            call.stopped.set()
            self._calls.discard(call)
            work.cancel()
        yield reading.reply()

    async def aclose(self) -> None:
        """End what is being generated and free the memory; calling it twice is harmless, a call loads it anew."""
        for call in tuple(self._calls):
            call.stopped.set()
        await asyncio.get_running_loop().run_in_executor(self._worker, self._unload)

    def _answer(self, call: _Call) -> None:
        """Generate the reply, in the worker's thread."""
        if call.stopped.is_set():
            return
        if self._loaded is None:
            self._loaded = _load(self._path, self._context_tokens, self._threads)
        if call.request.effort is not None and not self._loaded.head.knows_effort:
            raise ProviderRefused(
                f"{self.name} cannot be told how hard to think: its chat template has no reasoning_effort",
                hint="leave --reasoning-effort out, or set --model to a model that knows it, e.g. gpt-oss",
            )
        body = _body(call.request, self._loaded)
        try:
            self._loaded.server.handle_chat_completions(body, call.take)
        except _BROKEN as error:
            raise _refused(self.name, call.request, error) from error

    def _unload(self) -> None:
        self._loaded = None


@dataclass(slots=True, eq=False)
class _Call:
    """One request under way; `hear` is told every chunk until `stopped` is set."""

    request: ModelRequest
    hear: Callable[[_Chunk], object]
    stopped: threading.Event = field(default_factory=threading.Event)

    def take(self, chunk: _Chunk) -> bool:
        """Pass a chunk on, in the worker's thread; True ends the generation."""
        if not self.stopped.is_set():
            try:
                self.hear(chunk)
            except RuntimeError:  # the event loop that asked is closed
                self.stopped.set()
        return self.stopped.is_set()


# --- loading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model in memory, what its file says of it, and what breaks its control tokens in a text."""

    server: Any
    head: GgufHead
    disarm: Callable[[str], str]


def _load(path: Path, context_tokens: int, threads: int) -> _Loaded:
    """The model in memory; raises UsageError where the file does not load."""
    head = read_head(path)
    window = min(context_tokens, head.context or context_tokens)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        address = f"{folder}/model.sock"  # the ending makes it a socket of Unix, not a host
        try:
            server = xllamacpp.Server(_parameters(path, window, threads, address))
        except _BROKEN as error:
            raise UsageError(
                f"local:{path} does not load: {error}",
                hint="it may be cut short, of a kind that this llama.cpp does not know, or larger than the memory; "
                "fetch it again, update xllamacpp, or set --model to another file",
            ) from error
        _await_listening(address)
    return _Loaded(server, head, disarmed(head.control_tokens))


def _parameters(path: Path, context_tokens: int, threads: int, address: str) -> Any:
    given = xllamacpp.CommonParams()
    given.model.path = str(path)
    given.n_ctx = context_tokens
    given.n_parallel = 1
    given.n_batch = given.n_ubatch = _BATCH
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    # Threads that spin while they wait take the processor from those they wait for.
    given.cpuparams.poll = given.cpuparams_batch.poll = 0
    given.cache_ram_mib = _CACHE
    given.warmup = False
    given.verbosity = _SILENT
    given.hostnames = [address]
    given.api_keys = [secrets.token_hex(16)]
    given.n_threads_http = 1
    return given


def _await_listening(address: str) -> None:
    """Wait until the server answers: one that is dropped while it begins to listen never ends."""
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(socket.AF_UNIX)
    try:
        connection.sock.connect(address)
        connection.request("GET", "/health")
        connection.getresponse().read()
    finally:
        connection.close()


# --- request and reply ---------------------------------------------------------------------------


def _body(request: ModelRequest, loaded: _Loaded) -> dict[str, Any]:
    disarm = loaded.disarm
    body: dict[str, Any] = {
        "messages": [{"role": each.role, "content": disarm(_sendable(each.text))} for each in request.messages],
        # Thinking counts as part of the reply.
        "max_tokens": request.max_tokens + (request.thinking_tokens if loaded.head.thinks else 0),
        "temperature": request.temperature,
        "seed": _SEED,
        "stream": True,
        "stream_options": {"include_usage": True},
        # A chunk after each batch of the prompt: without them a call could not be ended while it is read.
        "return_progress": True,
    }
    if request.effort is not None:
        body["reasoning_effort"] = request.effort
    if request.schema is not None:
        described = {"name": "reply", "schema": request.reply_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    return body


def _sendable(text: str) -> str:
    """The text as UTF-8 can carry it: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(slots=True)
class _Reading:
    """The chunks of one reply, put together."""

    name: str
    texts: list[str] = field(default_factory=list)
    finish: Finish | None = None
    usage: Usage = _NOT_SAID

    def take(self, chunk: _Chunk) -> str:
        """Add a chunk and return its text; raises the error that it holds."""
        if "error" in chunk:
            raise _failed(self.name, chunk["error"])
        if "usage" in chunk:
            self.usage = _usage(chunk["usage"])
        for choice in chunk["choices"]:
            if choice["finish_reason"]:
                self.finish = _FINISHES.get(choice["finish_reason"], "other")
            text: str = choice["delta"].get("content") or ""
            self.texts.append(text)
            return text
        return ""

    def reply(self) -> ModelReply:
        """The reply; one without an ending is incomplete."""
        text = "".join(self.texts)
        return ModelReply(text, ending(text, self.finish), self.usage, self.name.removeprefix("local:"))


def _usage(said: dict[str, Any]) -> Usage:
    """What the reply took; it costs no money."""
    return Usage(
        prompt_tokens=said["prompt_tokens"],
        completion_tokens=said["completion_tokens"],
        total_tokens=said["total_tokens"],
        cached_tokens=said["prompt_tokens_details"]["cached_tokens"],
        calls=1,
        cost=0.0,
    )


# --- errors --------------------------------------------------------------------------------------


def _failed(name: str, said: dict[str, Any]) -> ProviderError:
    """The error for an answer that is not a reply."""
    if said.get("type") == "exceed_context_size_error":
        return PromptTooLong(
            f"the prompt has {said['n_prompt_tokens']} tokens, and the context window of {name} is {said['n_ctx']}",
            hint="use fewer passages (--k), raise --context-tokens, or use a model with a larger context window",
        )
    message = f"{name} answered {said.get('code')}: {said.get('message')}"
    if said.get("code") == 400:
        return ProviderRefused(message, hint="set --model to another GGUF file; this one cannot do what was asked")
    return ProviderFailed(message, hint="try again, or set --model to another GGUF file")


def _refused(name: str, request: ModelRequest, error: Exception) -> ProviderError:
    """The error for a request that llama.cpp could not carry out."""
    said = " ".join(str(error).split())[:300]
    if request.schema is not None and isinstance(error, ValueError):
        return ProviderRefused(
            f"{name} cannot be held to {request.schema.__name__}: {said}",
            hint=f"set --{request.role}-model to another model",
        )
    return ProviderFailed(f"{name} broke: {said}", hint="set --model to another GGUF file, or update xllamacpp")
