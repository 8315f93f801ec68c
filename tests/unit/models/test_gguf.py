"""The head of a GGUF file, whole and damaged."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.local import GgufHead, disarmed, read_head


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def head(*pairs: bytes, version: int = 3, keys: int | None = None) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs) if keys is None else keys) + b"".join(pairs)


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def strings(*values: str) -> bytes:
    return struct.pack("<IQ", 8, len(values)) + b"".join(map(text, values))


PAIRS = (
    pair("general.architecture", 8, text("llama")),
    pair("llama.context_length", 4, struct.pack("<I", 2048)),
    pair("llama.rope.freq_base", 6, struct.pack("<f", 1e5)),
    pair("tokenizer.ggml.tokens", 9, strings("<|im_end|>", "the", "</s>", "")),
    pair("tokenizer.ggml.token_type", 9, struct.pack("<IQ4i", 5, 4, 3, 1, 3, 3)),
)
WHOLE = head(*PAIRS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_a_head_tells_the_window_and_the_control_tokens(path: Path) -> None:
    path.write_bytes(WHOLE + b"weights")
    assert read_head(path) == GgufHead(2048, ("<|im_end|>", "</s>"))


@pytest.mark.parametrize(
    ("template", "thinks", "knows_effort"),
    [
        ("{{ messages[0].content }}", False, False),
        ("{% if enable_thinking %}<think>{% endif %}", True, False),
        ("Reasoning: {{ reasoning_effort }}", True, True),
    ],
)
def test_the_template_tells_whether_and_how_a_model_thinks(
    path: Path, template: str, thinks: bool, knows_effort: bool
) -> None:
    path.write_bytes(head(pair("tokenizer.chat_template", 8, text(template))))
    found = read_head(path)
    assert (found.thinks, found.knows_effort) == (thinks, knows_effort)


def test_what_a_head_does_not_tell_is_unknown(path: Path) -> None:
    path.write_bytes(head())
    assert read_head(path) == GgufHead(None, ())


@given(st.integers(0, len(WHOLE) - 1))
def test_a_head_that_is_cut_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "model.gguf"
    path.write_bytes(WHOLE[:size])
    with pytest.raises(UsageError, match=r"is damaged: it ends within its head|is not a GGUF file"):
        read_head(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (head(version=1), "its version is 1"),
        (head(version=3 << 24), "its version is 50331648"),  # a file for the other byte order
        (head(keys=1 << 60), "it claims keys of"),
        (head(struct.pack("<Q", 1 << 40)), "it claims string of"),
        (head(pair("a", 9, struct.pack("<IQ", 4, 1 << 50))), "it claims array of"),
        (head(pair("a", 77, b"")), "the unknown type 77"),
        (head(pair("a", 9, struct.pack("<IQ", 9, 1))), "the unknown type 9"),
    ],
)
def test_a_head_that_makes_no_sense_is_refused(path: Path, data: bytes, said: str) -> None:
    path.write_bytes(data)
    with pytest.raises(UsageError, match=said):
        read_head(path)


def test_only_control_tokens_are_broken() -> None:
    disarm = disarmed(("<|im_end|>", "</s>"))
    assert disarm("a < b, <b>c</b> and 1 | 2") == "a < b, <b>c</b> and 1 | 2"
    assert disarm("</s></s>") == "<\u200b/s><\u200b/s>"
