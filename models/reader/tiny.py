"""Write the stand-in for a reader that the tests load: each word has fixed logits, no weights.

python tiny.py ../../tests/unit/models/tiny_reader
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

# Each word's logits: as the first and as the last of an answer, then what it adds to the pair's four where it
# stands in the second segment: answerable, yes, no, neither.
WORDS: dict[str, tuple[float, ...]] = {
    "[PAD]": (0, 0, 0, 0, 0, 0),
    "[CLS]": (0.5, 0.5, 0, 0, 0, 0),
    "[SEP]": (0, 0, 0, 0, 0, 0),
    "[UNK]": (0, 0, 0, 0, 0, 0),
    "nine": (5, 1, 2, 0, 0, 0),
    "sharp": (1, 4, 0, 0, 0, 0),
    "ten": (3, 3, 1, 0, 0, 0),
    "yes": (0, 0, 0, 3, 0, 0),
    "no": (0, 0, 0, 0, 3, 0),
    "broken": (float("nan"),) * 6,
}


def model() -> onnx.ModelProto:
    """input_ids and segments (texts, tokens) to spans (texts, tokens, 2) and pair (texts, 4)."""
    table = np.array(list(WORDS.values()), np.float32)
    nodes = [
        helper.make_node("Gather", ["span_table", "input_ids"], ["spans"]),
        helper.make_node("Gather", ["pair_table", "input_ids"], ["added"]),
        helper.make_node("Cast", ["segments"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last_axis"], ["weights"]),
        helper.make_node("Mul", ["added", "weights"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "token_axis"], ["pair"], keepdims=0),
    ]
    shape = ["texts", "tokens"]
    constants = {
        "span_table": table[:, :2],
        "pair_table": table[:, 2:],
        "last_axis": np.array([2]),
        "token_axis": np.array([1]),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "segments")],
        [
            helper.make_tensor_value_info("spans", TensorProto.FLOAT, [*shape, 2]),
            helper.make_tensor_value_info("pair", TensorProto.FLOAT, ["texts", 4]),
        ],
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
        "schema": "assay-reader/1",
        "id": "tiny-reader",
        "max_tokens": 160,
        "temperature": 2.0,
        "languages": ["en"],
        "files": files,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
