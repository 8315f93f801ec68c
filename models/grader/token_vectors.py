"""Write the bundled encoder with one more output: the vector of each token, before they are averaged.

    python token_vectors.py OUT.onnx

The bytes of the weights stay as they are; `tokens` (texts, tokens, 384) is what the encoder computes anyway.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

ENCODER = Path(__file__).resolve().parents[1] / "src" / "assay_models" / "minilm_l6_v2_int8" / "model.onnx"


def main(out: Path) -> None:
    """Write the graph with the output."""
    model = onnx.load(ENCODER)
    last = next(node for node in model.graph.node if node.name == "kept").input[0]
    model.graph.node.append(helper.make_node("Identity", [last], ["tokens"], name="tokens"))
    model.graph.output.append(helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "length", 384]))
    onnx.save(model, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
