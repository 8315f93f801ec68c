"""The ports of a run on its tape: recorded when they are called, played back in a replay."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from assay import errors
from assay.core.stages import Checker, CheckerModel, Clock, Embedder, Pair, Reader, Retriever, Speller
from assay.core.tape import Tape, TapeEntry, key_of
from assay.errors import AssayError, Diverged, UnusableReply
from assay.types import (
    AnswerSpan,
    Correction,
    EmbeddingModel,
    Evidence,
    ModelReply,
    ModelRequest,
    PassageReading,
    ReaderModel,
    TitledText,
    Usage,
    plain,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import TypeAdapter


_Parts = AsyncGenerator[str | ModelReply, None]
# A call that was cut short because nobody waited for it any more: the deadline, or a cancellation.
_CUT = {"cut": True}


@dataclass(frozen=True, slots=True)
class ModelTape:
    """The calls of language models on the tape, under the model's name; failed attempts are recorded too."""

    tape: Tape

    async def complete(
        self, name: str, request: ModelRequest, call: Callable[[ModelRequest], Awaitable[ModelReply]]
    ) -> ModelReply:
        """The reply, now or as it was."""
        port, key = f"model {name}", _request_key(request)
        if self.tape.plays(port, key):
            return _reply(_raise_recorded_error(json.loads(self.tape.recall(port, key))))
        body: dict[str, Any] = _CUT
        try:
            reply = await call(request)
            body = {"reply": plain(reply)}
            return reply
        except AssayError as error:
            body = {"error": _error_body(error)}
            raise
        finally:
            self.tape.record(port, key, json.dumps(body).encode())

    async def stream(self, name: str, request: ModelRequest, call: Callable[[ModelRequest], _Parts]) -> _Parts:
        """The parts, now or as they were."""
        port, key = f"stream {name}", _request_key(request)
        if self.tape.plays(port, key):
            body = json.loads(self.tape.recall(port, key))
            for piece in body["pieces"]:
                yield piece
            yield _reply(_raise_recorded_error(body))
            return
        pieces: list[str] = []
        ending: dict[str, Any] = _CUT
        try:
            async with aclosing(call(request)) as parts:
                async for part in parts:
                    if isinstance(part, ModelReply):
                        ending = {"reply": plain(part)}
                    else:
                        pieces.append(part)
                    yield part
        except AssayError as error:
            ending = {"error": _error_body(error)}
            raise
        finally:
            self.tape.record(port, key, json.dumps({"pieces": pieces, **ending}).encode())


@dataclass(frozen=True, slots=True)
class TapedEmbedder:
    """An embedder on the tape."""

    inner: Embedder
    tape: Tape

    @property
    def model(self) -> EmbeddingModel:
        """The embedder's model."""
        return self.inner.model

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 per text, shape (len(texts), dimension), now or as they were."""
        import numpy

        key = key_of(json.dumps([self.model.sha256, *texts]).encode())
        if self.tape.plays("embed", key):
            stored = numpy.frombuffer(self.tape.recall("embed", key), numpy.float32)
            return stored.reshape(len(texts), self.model.dimension).copy()
        vectors = await self.inner.embed(texts)
        self.tape.record("embed", key, vectors.astype(numpy.float32).tobytes())
        return vectors

    async def aclose(self) -> None:
        """Close the embedder."""
        await self.inner.aclose()


@dataclass(frozen=True, slots=True)
class TapedChecker:
    """A checker on the tape."""

    inner: Checker
    tape: Tape

    @property
    def model(self) -> CheckerModel:
        """The checker's model."""
        return self.inner.model

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """Three probabilities a pair, shape (pairs, 3), now or as they were."""
        import numpy

        key = key_of(json.dumps([self.model.sha256, *([pair.claim, pair.evidence] for pair in pairs)]).encode())
        if self.tape.plays("check", key):
            return numpy.frombuffer(self.tape.recall("check", key), numpy.float32).reshape(len(pairs), 3).copy()
        found = await self.inner.check(pairs)
        self.tape.record("check", key, found.astype(numpy.float32).tobytes())
        return found


@dataclass(frozen=True, slots=True)
class TapedReader:
    """A reader on the tape."""

    inner: Reader
    tape: Tape

    @property
    def model(self) -> ReaderModel:
        """The reader's model."""
        return self.inner.model

    async def read(self, question: str, texts: Sequence[TitledText]) -> tuple[PassageReading, ...]:
        """A reading of each text, now or as they were."""
        asked = [self.model.sha256, question, *([text.title, text.text] for text in texts)]
        key = key_of(json.dumps(asked).encode())
        if self.tape.plays("read", key):
            return tuple(_passage_reading(body) for body in json.loads(self.tape.recall("read", key)))
        readings = await self.inner.read(question, texts)
        self.tape.record("read", key, json.dumps(plain(readings)).encode())
        return readings


def _passage_reading(body: dict[str, Any]) -> PassageReading:
    return PassageReading(**{**body, "spans": tuple(AnswerSpan(**span) for span in body["spans"])})


@dataclass(frozen=True, slots=True)
class TapedSpeller:
    """A speller on the tape."""

    inner: Speller
    tape: Tape

    async def corrections(self, text: str) -> tuple[Correction, ...]:
        """The corrections, now or as they were."""
        key = key_of(text.encode(errors="surrogatepass"))
        if self.tape.plays("spell", key):
            return tuple(Correction(**body) for body in json.loads(self.tape.recall("spell", key)))
        found = await self.inner.corrections(text)
        self.tape.record("spell", key, json.dumps(plain(found)).encode())
        return found


@dataclass(frozen=True, slots=True)
class TapedRetriever:
    """A retriever on the tape, under its port's name; its evidence is kept with the passages' texts."""

    inner: Retriever
    tape: Tape
    port: str = "retrieve"

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The evidence, now or as it was."""
        key = key_of(json.dumps(queries).encode())
        if self.tape.plays(self.port, key):
            return _evidence().validate_json(self.tape.recall(self.port, key))
        evidence = await self.inner.retrieve(queries)
        self.tape.record(self.port, key, _evidence().dump_json(evidence))
        return evidence


@dataclass(frozen=True, slots=True)
class TapedFences:
    """The random codes of the prompts of one `stage`, on the tape.

    A stage has codes of its own, so that a replay in which another stage asks nothing builds the same prompts.
    """

    inner: Callable[[], str]
    tape: Tape
    stage: str = ""

    def __call__(self) -> str:
        """A code, now or as it was."""
        # Recordings of earlier versions have one list of codes for all stages.
        key = self.stage if not self.tape.replaying or self.tape.holds("fence", self.stage) else ""
        if self.tape.plays("fence", key):
            return self.tape.recall("fence", key).decode()
        code = self.inner()
        self.tape.record("fence", key, code.encode())
        return code


@dataclass(frozen=True, slots=True)
class TapedClock:
    """A clock on the tape; a replay does not wait."""

    inner: Clock
    tape: Tape

    def monotonic(self) -> float:
        """Seconds that only rise, now or as they were."""
        return self._read("monotonic")

    def time(self) -> float:
        """Unix seconds, now or as they were."""
        return self._read("time")

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass, unless this is a replay."""
        if not self.tape.replaying:
            await self.inner.sleep(seconds)

    def _read(self, which: str) -> float:
        if self.tape.replaying:
            return float(self.tape.recall(which, ""))
        now = float(getattr(self.inner, which)())
        self.tape.record(which, "", repr(now).encode())
        return now


def _request_key(request: ModelRequest) -> str:
    """The key of a request with its schema."""
    asked: list[Any] = [
        request.role,
        [[message.role, message.text] for message in request.messages],
        None if request.schema is None else request.schema.model_json_schema(),
        request.max_tokens,
        request.temperature,
    ]
    # Left out where they are not set: recordings of versions that knew none of them keep their keys.
    others = {"effort": request.effort, "thinking_tokens": request.thinking_tokens}
    asked += [[name, value] for name, value in others.items() if value]
    return key_of(json.dumps(asked).encode())


def _reply(body: dict[str, Any]) -> ModelReply:
    return ModelReply(**{**body["reply"], "usage": Usage(**body["reply"]["usage"])})


def _raise_recorded_error(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a call that gave a reply. Raises the error of one that failed, TimeoutError if it was cut."""
    if "cut" in body:
        raise TimeoutError
    if "error" in body:
        raise _error(body["error"])
    return body


def _error_body(error: AssayError) -> dict[str, Any]:
    finish = {"finish": error.finish} if isinstance(error, UnusableReply) else {}
    body = {"message": str(error), "hint": error.hint, "retryable": error.retryable}
    return {"kind": type(error).__name__, **body, "retry_after": getattr(error, "retry_after", None), **finish}


def _error(body: dict[str, Any]) -> AssayError:
    kind = getattr(errors, body["kind"], None)
    if not (isinstance(kind, type) and issubclass(kind, AssayError)):
        raise Diverged(f"the recording contains an error of unknown kind {body['kind']!r}", hint="upgrade assay")
    finish = {"finish": body["finish"]} if "finish" in body else {}
    error = kind(body["message"], hint=body["hint"], **finish)
    error.retryable = body["retryable"]
    if body["retry_after"] is not None:
        error.retry_after = body["retry_after"]  # type: ignore[attr-defined]
    return error


def recorded_passages(entries: Iterable[TapeEntry]) -> Evidence:
    """The passages that a caller gave a run: the evidence of its first search; none if it made none."""
    first = next((entry.body for entry in entries if entry.port == "retrieve"), None)
    return Evidence() if first is None else _evidence().validate_json(first)


@cache
def _evidence() -> TypeAdapter[Evidence]:
    from pydantic import TypeAdapter

    return TypeAdapter(Evidence)


@dataclass(slots=True)
class ForkClock:
    """The clock of a replay under other settings: as recorded, then running on from the last recorded reading.

    It `waits` where calls are made for real.
    """

    inner: Clock
    tape: Tape
    waits: bool = False
    _last: dict[str, float] = field(default_factory=dict)
    _since: dict[str, float] = field(default_factory=dict)

    def monotonic(self) -> float:
        """Seconds that only rise."""
        return self._read("monotonic", self.inner.monotonic())

    def time(self) -> float:
        """Unix seconds."""
        return self._read("time", self.inner.time())

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass if it waits."""
        if self.waits:
            await self.inner.sleep(seconds)

    def _read(self, which: str, now: float) -> float:
        if self.tape.plays(which, ""):
            self._last[which], self._since[which] = float(self.tape.recall(which, "")), now
        return self._last.get(which, now) + now - self._since.get(which, now)
