"""What Haystack's extractive reader shows, with the weights of assay's reader; started by quality.py.

    PYTHONPATH=src:models/src PYTHON benchmarks/peers/haystack_peer.py JOB.json OUT.json

PYTHON is that of an environment with torch, outside the project; the README says how it is made. JOB and OUT are
those of retrieval_peers.py. The weights are those of assay's network in 8 bits, with its head for spans;
its other outputs have no place in Haystack.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"

import assay_models
import numpy as np
import onnx
import torch
from haystack import Document
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.readers import ExtractiveReader
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from transformers import BertConfig, BertForQuestionAnswering, PreTrainedTokenizerFast

from assay.models.embed_local import LocalEmbedder
from assay.wiring.networks import BUNDLED_READER

LAYERS, WIDTH = 6, 384
SEPARATOR = "[SEP]"


def written_weights(folder: Path) -> Path:
    """The bundled reader as a folder that `ExtractiveReader` loads: a BERT of 6 layers with a head for spans."""
    source = Path(assay_models.folder(BUNDLED_READER))
    constants = {
        one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(source / "model.onnx").graph.initializer
    }
    state = {name: torch.from_numpy(np.array(value)) for name, value in _weights(constants).items()}
    config = BertConfig(
        vocab_size=len(constants["words.int8"]),
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        intermediate_size=4 * WIDTH,
        max_position_embeddings=len(constants["positions"]),
        type_vocab_size=2,
    )
    model = BertForQuestionAnswering(config)
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or any("position_ids" not in name for name in missing):
        raise ValueError(f"the weights do not fit: {missing}, {unexpected}")
    model.save_pretrained(folder)
    tokens = {"cls_token": "[CLS]", "sep_token": SEPARATOR, "pad_token": "[PAD]", "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_file=str(source / "tokenizer.json"), **tokens).save_pretrained(folder)
    return folder


def _weights(constants: dict[str, Any]) -> dict[str, Any]:
    """The constants of the graph by the names of BERT's weights, as real numbers."""

    def kernel(name: str) -> Any:
        return (constants[f"{name}.int8"].astype(np.float32) * constants[f"{name}.scales"]).T

    found = {
        "bert.embeddings.word_embeddings.weight": constants["words.int8"] * constants["words.scales"],
        "bert.embeddings.position_embeddings.weight": constants["positions"],
        "bert.embeddings.token_type_embeddings.weight": constants["segment_table"],
        "qa_outputs.weight": constants["span.kernel"].T,
        "qa_outputs.bias": constants["span.shift"],
    }
    for name, value in constants.items():
        if "LayerNorm." in name and name.endswith((".weight", ".bias")):
            found[f"bert.{name}"] = value
    for number in range(LAYERS):
        layer, ours = f"bert.encoder.layer.{number}", f"layer{number}"
        together, bias = kernel(f"{ours}.query_key_value"), constants[f"{ours}.bias"]
        for place, part in enumerate(("query", "key", "value")):
            rows = slice(place * WIDTH, (place + 1) * WIDTH)
            found[f"{layer}.attention.self.{part}.weight"] = together[rows]
            found[f"{layer}.attention.self.{part}.bias"] = bias[rows]
        for theirs, name in (
            ("attention.output.dense", "output"),
            ("intermediate.dense", "wide"),
            ("output.dense", "narrow"),
        ):
            found[f"{layer}.{theirs}.weight"] = kernel(f"{ours}.{name}")
            found[f"{layer}.{theirs}.bias"] = constants[f"{ours}.{name}.bias"]
    return found


class WithSegments(torch.nn.Module):
    """The network with the segments that it was trained with: Haystack's reader passes none."""

    def __init__(self, inner: BertForQuestionAnswering, separator: int) -> None:
        super().__init__()
        self.inner = inner
        self.separator = separator

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        """The logits; the second segment begins behind the first separator."""
        ended = (input_ids == self.separator).long()
        segments = ((ended.cumsum(dim=1) - ended) > 0).long() * attention_mask
        return self.inner(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=segments)


def search_of(
    texts: Sequence[str], embedder: LocalEmbedder, reader: ExtractiveReader
) -> Callable[[str], tuple[str, str, float]]:
    """A pipeline over texts: the reader's best span, the passage around it, and its probability."""
    pieces = DocumentSplitter().run([Document(content=text) for text in texts])["documents"]
    vectors = embedder.embed_now([piece.content for piece in pieces])
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(
        [
            Document(content=piece.content, meta={"n": number}, embedding=vector.tolist())
            for number, (piece, vector) in enumerate(zip(pieces, vectors, strict=True))
        ]
    )
    retriever = InMemoryEmbeddingRetriever(store)

    def search(question: str) -> tuple[str, str, float]:
        vector = embedder.embed_now([embedder.model.as_question(question)])[0].tolist()
        found = retriever.run(query_embedding=vector)["documents"]
        best = reader.run(query=question, documents=found)["answers"][0]
        return (best.data or "", best.document.content if best.document else "", float(best.score))

    return search


def main() -> None:
    """Ask every question and write what was found."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    embedder = LocalEmbedder.load(assay_models.folder())
    shown: dict[str, dict[str, Any]] = {"Haystack, reader's span": {}, "Haystack, passage of the span": {}}
    with tempfile.TemporaryDirectory() as folder:
        reader = ExtractiveReader(model=written_weights(Path(folder)), token=None)
        reader.warm_up()
        reader.model = WithSegments(reader.model, reader.tokenizer.convert_tokens_to_ids(SEPARATOR)).eval()
        for collection, texts in job["collections"].items():
            search = search_of(texts, embedder, reader)
            for asked in job["questions"]:
                if asked["collection"] != collection:
                    continue
                began = time.process_time()
                span, passage, score = search(asked["text"])
                spent = 1000 * (time.process_time() - began)
                for rows, text in zip(shown.values(), (span, passage), strict=True):
                    rows[asked["id"]] = {"text": text, "score": score, "cpu_ms": spent}
    versions = {name: importlib.metadata.version(name) for name in ("haystack-ai", "transformers", "torch")}
    Path(sys.argv[2]).write_text(json.dumps({"versions": versions, "shown": shown}), encoding="utf-8")


if __name__ == "__main__":
    main()
