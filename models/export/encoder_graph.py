"""The MiniLM-L6 sentence encoder, written out as an ONNX graph.

The graph is small enough to be written by hand, and doing so keeps torch out of
the export and lets every step that decides the quality of int8 be seen:

* Matrix products run in int8. Each *token row* of the activations has its own
  scale and each output column of the weights has its own scale, so a text's
  vector does not depend on the texts that share its batch. (onnxruntime's
  `quantize_dynamic` has one scale for the whole batch, and there it does.)
* Word vectors are stored in int8 with one scale a word.
* Mean pooling and the division by the length are inside the graph.

Inputs `input_ids`, `attention_mask`: int64, (texts, tokens).
Output `embedding`: float32, (texts, 384), rows of length 1.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Weights = dict[str, NDArray[np.float32]]
Precision = Literal["float32", "int8"]

LAYERS, HEADS, WIDTH, LAYER_NORM_EPSILON = 6, 12, 384, 1e-12
ONNX_OPSET = 18

# The largest weight integer. Processors without VNNI add two products in 16 bits before
# anything else: 2 x 255 x 64 = 32640 is the most that fits, so weights have 7 bits, not 8.
WEIGHT_LEVELS = 64


# GELU is never below -0.17, so its zero sits low in the byte and most levels go to the positive side.
GELU_LEAST, GELU_ZERO = 0.17, 32


@dataclass(frozen=True)
class Rows:
    """Names of a quantized activation: bytes, their scale for each row, their zero."""

    integers: str
    scales: str
    zero_point: str


def columns_in_int8(kernel: NDArray[np.float32], levels: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers in [-levels, levels] and a scale for each column, chosen for the least squared error.

    Clipping a column's few largest weights can make all its other weights finer.
    """
    largest = np.abs(kernel).max(axis=0)
    least_error = np.full(largest.shape, np.inf, np.float32)
    scales = largest / levels
    for share in np.linspace(0.5, 1.0, 51):
        candidate = share * largest / levels
        error = ((np.clip(np.round(kernel / candidate), -levels, levels) * candidate - kernel) ** 2).sum(axis=0)
        scales = np.where(error < least_error, candidate, scales)
        least_error = np.minimum(error, least_error)
    return np.clip(np.round(kernel / scales), -levels, levels).astype(np.int8), scales.astype(np.float32)


@dataclass
class Graph:
    """Nodes and constants of the graph under construction."""

    weights: Weights
    precision: Precision
    nodes: list[NodeProto] = field(default_factory=list)
    constants: dict[str, NDArray[np.generic]] = field(default_factory=dict)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants[name] = value
        return name

    def node(self, operator: str, inputs: list[str], name: str, domain: str = "", **attributes: object) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def layer_norm(self, value: str, prefix: str) -> str:
        scale = self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"])
        bias = self.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.node("LayerNormalization", [value, scale, bias], prefix, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def product(self, value: str, kernel: NDArray[np.float32], name: str) -> str:
        """`value` @ `kernel`; kernel (inputs, outputs)."""
        if self.precision == "float32":
            return self.node("MatMul", [value, self.constant(f"{name}.kernel", kernel)], name)
        return self.product_in_int8(value, kernel, name)

    def rows_in_uint8(self, value: str, after_gelu: bool = False) -> Rows:
        """Quantize each row of `value` with a scale of its own."""
        largest = self.node("ReduceMax", [value, "last_axis"], f"{value}.max", keepdims=1)
        if after_gelu:
            zero, floor, levels = GELU_ZERO, GELU_LEAST / GELU_ZERO, 255 - GELU_ZERO
        else:
            least = self.node("ReduceMin", [value, "last_axis"], f"{value}.min", keepdims=1)
            largest = self.node("Max", [largest, self.node("Neg", [least], f"{value}.below")], f"{value}.largest")
            zero, floor, levels = 128, 1e-9, 127
        step = self.constant(f"{value}.step", np.array(1 / levels, np.float32))
        zero_point = self.constant(f"{value}.zero", np.array(zero, np.uint8))
        floored = self.node("Max", [largest, self.constant(f"{value}.floor", np.array(floor * levels, np.float32))], f"{value}.floored")
        # QuantizeLinear takes one scale for all rows, so the rows are first brought to the same largest value, 1.
        even = self.node("Div", [value, floored], f"{value}.even")
        integers = self.node("QuantizeLinear", [even, step, zero_point], f"{value}.uint8")
        return Rows(integers, self.node("Mul", [floored, step], f"{value}.scales"), zero_point)

    def product_in_int8(self, value: str, kernel: NDArray[np.float32], name: str) -> str:
        rows = self.rows_in_uint8(value, after_gelu=value.endswith(".gelu"))
        integers, column_scales = columns_in_int8(kernel, WEIGHT_LEVELS)
        by_column = self.node("MatMulIntegerToFloat", [
            rows.integers, self.constant(f"{name}.int8", integers), "one",
            self.constant(f"{name}.scales", column_scales), rows.zero_point,
        ], f"{name}.by_column", domain="com.microsoft")
        return self.node("Mul", [by_column, rows.scales], name)

    def dense(self, value: str, prefix: str, name: str) -> str:
        product = self.product(value, self.weights[f"{prefix}.weight"].T.copy(), name)
        return self.node("Add", [product, self.constant(f"{name}.bias", self.weights[f"{prefix}.bias"])], f"{name}.biased")


def word_vectors(graph: Graph) -> str:
    table = graph.weights["embeddings.word_embeddings.weight"]
    if graph.precision == "float32":
        return graph.node("Gather", [graph.constant("words", table), "input_ids"], "word_vectors")
    scales = np.abs(table).max(axis=1, keepdims=True) / 127
    integers = np.round(table / np.maximum(scales, 1e-12)).astype(np.int8)
    chosen = graph.node("Gather", [graph.constant("words.int8", integers), "input_ids"], "word_integers")
    chosen_scales = graph.node("Gather", [graph.constant("words.scales", scales.astype(np.float32)), "input_ids"], "word_scales")
    return graph.node("Mul", [graph.node("Cast", [chosen], "word_reals", to=TensorProto.FLOAT), chosen_scales], "word_vectors")


def position_vectors(graph: Graph) -> str:
    # One text has one segment, so the segment's vector is a constant: it is added to every position here.
    table = graph.weights["embeddings.position_embeddings.weight"] + graph.weights["embeddings.token_type_embeddings.weight"][0]
    tokens = graph.node("Shape", ["input_ids"], "token_count", start=1, end=2)
    return graph.node("Slice", [graph.constant("positions", table), "zero", tokens, "zero"], "position_vectors")


def attention(graph: Graph, hidden: str, layer: str, name: str) -> str:
    source = f"{layer}.attention.self"
    parts = ("query", "key", "value")
    kernel = np.concatenate([graph.weights[f"{source}.{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([graph.weights[f"{source}.{part}.bias"] for part in parts])
    together = graph.product(hidden, kernel, f"{name}.query_key_value")
    split = [f"{name}.{part}" for part in parts]
    graph.nodes.append(helper.make_node("Split", [together], split, name=f"{name}.split", axis=-1, num_outputs=3))
    attended = graph.node("MultiHeadAttention", [*split, graph.constant(f"{name}.bias", bias), "padding_mask"],
                          f"{name}.attended", domain="com.microsoft", num_heads=HEADS)
    return graph.dense(attended, f"{layer}.attention.output.dense", f"{name}.output")


def encoder_layer(graph: Graph, hidden: str, number: int) -> str:
    layer, name = f"encoder.layer.{number}", f"layer{number}"
    attended = attention(graph, hidden, layer, name)
    hidden = graph.layer_norm(graph.node("Add", [hidden, attended], f"{name}.residual"), f"{layer}.attention.output.LayerNorm")
    wide = graph.product(hidden, graph.weights[f"{layer}.intermediate.dense.weight"].T.copy(), f"{name}.wide")
    bias = graph.constant(f"{name}.wide.bias", graph.weights[f"{layer}.intermediate.dense.bias"])
    curved = graph.node("BiasGelu", [wide, bias], f"{name}.gelu", domain="com.microsoft")
    narrow = graph.dense(curved, f"{layer}.output.dense", f"{name}.narrow")
    return graph.layer_norm(graph.node("Add", [hidden, narrow], f"{name}.residual2"), f"{layer}.output.LayerNorm")


def mean_of_length_one(graph: Graph, hidden: str) -> str:
    mask = graph.node("Unsqueeze", [graph.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT), "last_axis"], "mask_column")
    kept = graph.node("Mul", [hidden, mask], "kept")
    total = graph.node("ReduceSum", [kept, "axis_1"], "total", keepdims=0)
    # The sum's direction is the mean's direction, so dividing by the count would change nothing.
    return graph.node("LpNormalization", [total], "embedding", axis=-1, p=2)


def build(weights: Weights, precision: Precision) -> ModelProto:
    """The encoder as an ONNX model."""
    graph = Graph(weights, precision)
    for name, value in {
        "zero": np.array([0], np.int64), "axis_1": np.array([1], np.int64), "last_axis": np.array([-1], np.int64),
    }.items():
        graph.constant(name, value)
    if precision == "int8":
        graph.constant("one", np.array(1, np.float32))
    graph.node("Cast", ["attention_mask"], "padding_mask", to=TensorProto.INT32)
    hidden = graph.layer_norm(graph.node("Add", [word_vectors(graph), position_vectors(graph)], "words_at_positions"), "embeddings.LayerNorm")
    for number in range(LAYERS):
        hidden = encoder_layer(graph, hidden, number)
    mean_of_length_one(graph, hidden)
    shape = ["texts", "tokens"]
    return helper.make_model(
        helper.make_graph(
            graph.nodes, "minilm-l6",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", ONNX_OPSET), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
        producer_name="assay-models",
    )
