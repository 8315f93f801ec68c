"""What a GGUF file says of its model, read from its head: no package, no weights.

The format is https://github.com/ggml-org/ggml/blob/master/docs/gguf.md: a magic number, a version, two counts,
then keys with typed values. Only little-endian files of version 2 and 3 are read.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from assay.errors import UsageError

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
# The `struct` letter of each type of number; 8 is a string, 9 an array.
_NUMBERS: Mapping[int, str] = MappingProxyType(
    {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
)
_STRING, _ARRAY = 8, 9
# The type of a token that steers the model, such as the end of a message.
_CONTROL = 3
# What chat templates call what is thought before a reply, and how hard: the name that llama.cpp gives it to them.
_THINKS = re.compile(r"<think|enable_thinking|reasoning_content|reasoning_effort")
_EFFORT = "reasoning_effort"
# No real head has a longer string, array or list of keys; a damaged one may claim anything.
_LONGEST_STRING = 16 * 1024 * 1024
_LONGEST_ARRAY = 4_000_000
_MOST_KEYS = 100_000


@dataclass(frozen=True, slots=True)
class GgufHead:
    """What is used of a head: the context that the model was trained for, in tokens, and its control tokens.

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
        raise ValueError(f"it holds a value of the unknown type {kind}")
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
