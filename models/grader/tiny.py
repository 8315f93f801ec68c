"""Write the stand-in for a grader that the tests load: log odds are the sum of the marks less 10, no weights.

python tiny.py ../../tests/unit/models/tiny_grader
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

WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", *"the dog cat bites sees a man in park not 1 2".split())


def model() -> onnx.ModelProto:
    """marks (pairs, tokens) to logit (pairs,); the ids are read and left out of account."""
    nodes = [
        helper.make_node("Cast", ["marks"], ["reals"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["reals", "axis"], ["sum"], keepdims=0),
        helper.make_node("Sub", ["sum", "ten"], ["raised"]),
        helper.make_node("Cast", ["input_ids"], ["id_reals"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["id_reals", "axis"], ["id_sum"], keepdims=0),
        helper.make_node("Mul", ["id_sum", "nothing"], ["no_ids"]),
        helper.make_node("Add", ["raised", "no_ids"], ["logit"]),
    ]
    shape = ["pairs", "tokens"]
    constants = {"axis": np.array([1]), "ten": np.array(10, np.float32), "nothing": np.array(0, np.float32)}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "marks")],
        [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["pairs"])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
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
    joinings = {
        "claims": {"weights": {"trees": 1.0, "left": 1.0, "whole": 0.5, "least": 0.0, "mean": 0.0}, "shift": 0.0},
        "evidence": {
            "weights": {"fast": 1.0, "window": 0.5, "best_passage": 0.0, "second_passage": 0.0},
            "shift": 0.0,
        },
        "ranking": {"weights": {"search": 0.0, "passage": 1.0}, "shift": 0.0},
    }
    manifest = {
        "schema": "assay-grader/1",
        "id": "tiny-grader",
        "max_tokens": 16,
        "languages": ["en"],
        "files": files,
        "joinings": joinings,
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
