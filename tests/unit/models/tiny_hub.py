"""Tiny models in the layout of the Hugging Face hub, without the package `onnx`: each word has fixed numbers.

An ONNX file is a protocol buffer; the few messages that such a network needs are written here by hand (onnx.proto).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
Table = Mapping[str, Sequence[float]]
_FLOAT, _INT64 = 1, 7


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, value: bytes | str) -> bytes:
    body = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(body)) + body


def tensor(name: str, value: np.ndarray[Any, Any]) -> bytes:
    kind = _FLOAT if value.dtype == np.float32 else _INT64
    dims = b"".join(number(1, each) for each in value.shape)
    return dims + number(2, kind) + message(8, name) + message(9, value.tobytes())


def node(operator: str, inputs: Sequence[str], output: str, **attributes: int) -> bytes:
    named = (message(1, name) + number(3, value) + number(20, 2) for name, value in attributes.items())
    parts = [message(1, each) for each in inputs] + [message(2, output), message(4, operator)]
    return b"".join([*parts, *(message(5, each) for each in named)])


def value_info(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    dims = b"".join(message(1, number(1, each) if isinstance(each, int) else message(2, each)) for each in shape)
    return message(1, name) + message(2, message(1, number(1, kind) + message(2, dims)))


def model(
    nodes: Sequence[bytes],
    inputs: Sequence[str],
    outputs: Mapping[str, Sequence[str | int]],
    constants: Mapping[str, np.ndarray[Any, Any]],
) -> bytes:
    graph = [message(1, each) for each in nodes] + [message(2, "tiny")]
    graph += [message(5, tensor(name, value)) for name, value in constants.items()]
    graph += [message(11, value_info(name, _INT64, ["texts", "tokens"])) for name in inputs]
    graph += [message(12, value_info(name, _FLOAT, shape)) for name, shape in outputs.items()]
    return number(1, 8) + message(7, b"".join(graph)) + message(8, message(1, "") + number(2, 17))


def table_of(words: Table) -> np.ndarray[Any, Any]:
    width = len(next(iter(words.values())))
    return np.array([[0.0] * width] * len(SPECIAL) + [list(row) for row in words.values()], np.float32)


def classifier(words: Table, *, segments: bool = True, flat: bool = False) -> bytes:
    """Logits (texts, classes): the sum of what the first text's words have; of both texts' without `segments`.

    With `flat` the classes are summed too, so that the logits are (texts).
    """
    inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if segments else [])]
    table = table_of(words)
    nodes = [
        node("Gather", ["table", "input_ids"], "rows"),
        node("Cast", ["attention_mask"], "read", to=_FLOAT),
        *([node("Cast", ["token_type_ids"], "second", to=_FLOAT)] if segments else []),
        *([node("Sub", ["read", "second"], "counted")] if segments else [node("Identity", ["read"], "counted")]),
        node("Unsqueeze", ["counted", "last"], "weights"),
        node("Mul", ["rows", "weights"], "weighed"),
        node("ReduceSum", ["weighed", "first"], "logits", keepdims=0),
    ]
    constants = {"table": table, "last": np.array([2]), "first": np.array([1, 2] if flat else [1])}
    return model(nodes, inputs, {"logits": ["texts", *([] if flat else [table.shape[1]])]}, constants)


def reranker(words: Table) -> bytes:
    """One logit: the sum of the numbers of all words, those of the question too."""
    return classifier(words, segments=False)


def encoder(words: Table, output: str = "last_hidden_state") -> bytes:
    """A vector a token (texts, tokens, dimension), that of its word."""
    nodes = [node("Gather", ["table", "input_ids"], output)]
    table = table_of(words)
    return model(nodes, ["input_ids"], {output: ["texts", "tokens", table.shape[1]]}, {"table": table})


def answerer(words: Table) -> bytes:
    """Logits of each token as the first and as the last of an answer, (texts, tokens) each: those of its word."""
    table = table_of(words)
    columns = {"starts": table[:, 0].copy(), "ends": table[:, 1].copy()}
    outputs = {"start_logits": ["texts", "tokens"], "end_logits": ["texts", "tokens"]}
    nodes = [node("Gather", [column, "input_ids"], output) for column, output in zip(columns, outputs, strict=True)]
    return model(nodes, ["input_ids"], outputs, columns)


def tokenizer(words: Sequence[str]) -> Tokenizer:
    """One token a word, framed as BERT frames texts."""
    ids = {word: at for at, word in enumerate([*SPECIAL, *words])}
    made = Tokenizer(WordLevel(ids, unk_token="[UNK]"))  # noqa: S106
    made.pre_tokenizer = WhitespaceSplit()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])],
    )
    return made


def hub_folder(place: Path, words: Table, network: bytes, *, at: str = "onnx/model.onnx", **config: Any) -> Path:
    """A model's folder; `config` is what its config.json says, beside a limit of 64 tokens."""
    (place / at).parent.mkdir(parents=True, exist_ok=True)
    (place / at).write_bytes(network)
    (place / "tokenizer.json").write_text(tokenizer(list(words)).to_str(), encoding="utf-8")
    said = {"model_type": "bert", "max_position_embeddings": 64} | config
    (place / "config.json").write_text(json.dumps(said), encoding="utf-8")
    return place
