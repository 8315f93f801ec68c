"""A language model from a GGUF file, run in this process by llama.cpp.

The package can only be had as a server. It listens on a socket in a folder of its own, which nobody else can
enter, and asks for a key that nobody knows; requests are handed to it directly.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import secrets
import socket
import struct
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from assay.errors import MissingExtra, PromptTooLong, ProviderError, ProviderFailed, ProviderRefused, UsageError
from assay.models.provider import ending
from assay.types import Finish, ModelReply, ModelRequest, Usage

# The facts in the head of a GGUF file, read without a package and without weights.


MAGIC = b"GGUF"
_VERSIONS = (2, 3)
# The `struct` letter of each type of number; 8 is a string, 9 an array.
_NUMBERS: Mapping[int, str] = MappingProxyType(
    {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
)
_STRING, _ARRAY = 8, 9
# The type of a token that steers the model, such as the end of a message.
_CONTROL = 3
# Chat templates' names for the thinking before a reply, and its effort: the name that llama.cpp gives it to them.
_THINKS = re.compile(r"<think|enable_thinking|reasoning_content|reasoning_effort")
_EFFORT = "reasoning_effort"
# No real head has a longer string, array or list of keys; a damaged one may claim anything.
_LONGEST_STRING = 16 * 1024 * 1024
_LONGEST_ARRAY = 4_000_000
_MOST_KEYS = 100_000


@dataclass(frozen=True, slots=True)
class GgufHead:
    """The used part of a head: the context that the model was trained for, in tokens, and its control tokens.

    It `thinks` where its chat template has a place for thoughts, and `knows_effort` where that can be told how hard
    to think.
    """

    context: int | None
    control_tokens: tuple[str, ...]
    thinks: bool = False
    knows_effort: bool = False


def require_gguf(path: Path) -> None:
    """Raise UsageError where there is no file at `path` that begins as a GGUF does."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise UsageError(
            f"local:{path} cannot be read: {error.strerror}", hint="set --model to local:PATH of a GGUF file"
        ) from error
    if magic != MAGIC:
        raise UsageError(
            f"local:{path} is not a GGUF file",
            hint="set --model to local:PATH of a model in GGUF format; safetensors must be converted first",
        )


def read_head(path: Path) -> GgufHead:
    """The head of the GGUF file at `path`; raises UsageError where it is damaged or of an unknown version."""
    require_gguf(path)
    try:
        with path.open("rb") as file:
            values = _values(file)
    except (OSError, ValueError, struct.error) as error:
        raise UsageError(
            f"local:{path} is damaged: {error}", hint="fetch the GGUF file again, or set --model to another one"
        ) from error
    context = values.get(f"{values.get('general.architecture')}.context_length")
    tokens = values.get("tokenizer.ggml.tokens", ())
    kinds = values.get("tokenizer.ggml.token_type", ())
    control = tuple(token for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL and token)
    template = str(values.get("tokenizer.chat_template", ""))
    return GgufHead(
        context if isinstance(context, int) and context > 0 else None,
        control,
        thinks=_THINKS.search(template) is not None,
        knows_effort=_EFFORT in template,
    )


def _values(file: BinaryIO) -> dict[str, Any]:
    """Every key with its value."""
    file.seek(len(MAGIC))
    version, _tensors, keys = _unpacked(file, "IQQ")
    if version not in _VERSIONS:
        raise ValueError(f"its version is {version}, not 2 or 3")
    _bounded(keys, _MOST_KEYS, "keys")
    return {_string(file): _value(file) for _ in range(keys)}


def _value(file: BinaryIO) -> Any:
    (kind,) = _unpacked(file, "I")
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpacked(file, _letter(kind))[0]
    kind, count = _unpacked(file, "IQ")
    _bounded(count, _LONGEST_ARRAY, "array")
    if kind == _STRING:
        return tuple(_string(file) for _ in range(count))
    return _unpacked(file, f"{count}{_letter(kind)}")


def _string(file: BinaryIO) -> str:
    (length,) = _unpacked(file, "Q")
    _bounded(length, _LONGEST_STRING, "string")
    return _exactly(file, length).decode("utf-8", "replace")


def _letter(kind: int) -> str:
    if kind not in _NUMBERS:
        raise ValueError(f"it contains a value of the unknown type {kind}")
    return _NUMBERS[kind]


def _unpacked(file: BinaryIO, letters: str) -> tuple[Any, ...]:
    form = f"<{letters}"
    return struct.unpack(form, _exactly(file, struct.calcsize(form)))


def _exactly(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise ValueError("it ends within its head")
    return data


def _bounded(count: int, most: int, what: str) -> None:
    if count > most:
        raise ValueError(f"it claims {what} of {count}")


def disarmed(control_tokens: tuple[str, ...]) -> Callable[[str], str]:
    """A function that breaks the control tokens in a text, each by a zero-width space behind its first letter.

    llama.cpp takes a control token in a message for the real one, so a document could end its message and
    begin another in the system's name.

    >>> disarmed(("<|im_end|>",))("done<|im_end|>")
    'done<\\u200b|im_end|>'
    """
    broken = {token: f"{token[0]}\u200b{token[1:]}" for token in control_tokens}

    def disarm(text: str) -> str:
        for token, harmless in broken.items():
            if token in text:
                text = text.replace(token, harmless)
        return text

    return disarm


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
# The Python forms of an exception of C++.
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
        builder = _ReplyBuilder(self.name)
        self._calls.add(call)
        work = loop.run_in_executor(self._worker, self._answer, call)
        work.add_done_callback(lambda _: chunks.put_nowait(None))
        try:
            while (chunk := await chunks.get()) is not None:
                if text := builder.take(chunk):
                    yield text
            await work
        finally:
            call.stopped.set()
            self._calls.discard(call)
            work.cancel()
        yield builder.reply()

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
    """One request under way; `hear` gets every chunk until `stopped` is set."""

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
        "messages": [
            {"role": message.role, "content": disarm(_sendable(message.text))} for message in request.messages
        ],
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
class _ReplyBuilder:
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
    """The use of the reply; it costs no money."""
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
