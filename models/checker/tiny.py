"""Write the stand-in for a checker that the tests load: each word of the passage has fixed logits, no weights.

python tiny.py ../../tests/unit/models/tiny_checker
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

# What each word adds to supports, contradicts and neither: in the claim, then in the passage.
WORDS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "[PAD]": ((0, 0, 0), (0, 0, 0)),
    "[CLS]": ((0, 0, 1), (0, 0, 0)),
    "[SEP]": ((0, 0, 0), (0, 0, 0)),
    "[UNK]": ((0, 0, 0), (0, 0, 0)),
    "nine": ((0, 0, 0), (4, 0, 0)),
    "ten": ((0, 0, 0), (0, 4, 0)),
    "perhaps": ((-2, -2, 0), (0, 0, 1)),
    "broken": ((0, 0, 0), (float("nan"),) * 3),
}


def model() -> onnx.ModelProto:
    """input_ids and segments (pairs, tokens) to logits (pairs, 3)."""
    table = np.array(list(WORDS.values()), np.float32)
    nodes = [
        helper.make_node("Mul", ["input_ids", "two"], ["doubled"]),
        helper.make_node("Add", ["doubled", "segments"], ["places"]),
        helper.make_node("Gather", ["table", "places"], ["added"]),
        helper.make_node("ReduceSum", ["added", "token_axis"], ["logits"], keepdims=0),
    ]
    shape = ["pairs", "tokens"]
    constants = {"table": table.reshape(-1, 3), "two": np.array(2), "token_axis": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "segments")],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3])],
        [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def tokenizer() -> Tokenizer:
    """One token a word."""
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))  # noqa: S106
    made.pre_tokenizer = WhitespaceSplit()
    return made


def main(out: Path) -> None:
    """Write the folder."""
    out.mkdir(parents=True, exist_ok=True)
    onnx.save(model(), out / "model.onnx")
    (out / "tokenizer.json").write_text(tokenizer().to_str(), encoding="utf-8")
    files = {
        name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    manifest = {
        "schema": "assay-checker/1",
        "id": "tiny-checker",
        "labels": ["supports", "contradicts", "neither"],
        "max_tokens": 160,
        "temperature": 2.0,
        "languages": ["en"],
        "files": files,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
