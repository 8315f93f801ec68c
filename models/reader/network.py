"""The reader in PyTorch: MiniLM-L6 reads a question beside a passage.

The layers are those of models/export/encoder_graph.py. Float weights go in and out under the original's names.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
from encoder_graph import HEADS, LAYER_NORM_EPSILON, LAYERS, WIDTH, Weights

# Outputs for the pair as a whole: answerable, then yes, no, neither.
PAIR_OUTPUTS = 4
_EMBEDDINGS = {
    "words.weight": "embeddings.word_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "segments.weight": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
_LAYER = {
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "narrow_norm": "output.LayerNorm",
}
HEAD_NAMES = ("span", "pair_dense", "pair")


class Layer(nn.Module):
    """One transformer layer. There is no dropout: no example is seen more than a few times."""

    def __init__(self) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)

    def forward(self, hidden: Tensor, attended: Tensor) -> Tensor:
        """Hidden states (texts, tokens, width), and which tokens are looked at (texts, 1, 1, tokens)."""
        texts, tokens, _ = hidden.shape
        parts = self.query_key_value(hidden).view(texts, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=attended)
        mixed = mixed.transpose(1, 2).reshape(texts, tokens, WIDTH)
        hidden = self.attended_norm(hidden + self.attended(mixed))
        return self.narrow_norm(hidden + self.narrow(functional.gelu(self.wide(hidden))))


class Reader(nn.Module):
    """Where the answer stands, whether there is one, and yes, no or neither."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Embedding(512, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.span = nn.Linear(WIDTH, 2)
        self.pair_dense = nn.Linear(2 * WIDTH, WIDTH)
        self.pair = nn.Linear(WIDTH, PAIR_OUTPUTS)

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """Span logits (pairs, tokens, 2) and pair logits (pairs, 4) of ids and segments (pairs, tokens).

        Padding has id 0. Tokens of the question and padding are no place for a span; the first token stands for
        "no answer".
        """
        mask = ids != 0
        vectors = self.words(ids) + self.positions.weight[: ids.shape[1]] + self.segments(segments)
        hidden = self.norm(vectors)
        for layer in self.layers:
            hidden = layer(hidden, mask[:, None, None, :])
        kept = mask[:, :, None].to(hidden.dtype)
        mean = (hidden * kept).sum(1) / kept.sum(1)
        pair = self.pair(functional.gelu(self.pair_dense(torch.cat([hidden[:, 0], mean], -1)))).float()
        possible = (segments == 1) & mask
        possible[:, 0] = True
        spans = self.span(hidden).float().masked_fill(~possible[:, :, None], -1e4)
        return spans, pair

    @classmethod
    def from_weights(cls, weights: Weights) -> Reader:
        """The sentence encoder's weights under heads that know nothing yet."""
        model = cls(weights[_EMBEDDINGS["words.weight"]].shape[0])
        state = dict(model.state_dict())
        for own, original in _names().items():
            if original in weights:
                state[own] = torch.tensor(weights[original])
        for number in range(LAYERS):
            source = f"encoder.layer.{number}.attention.self"
            for end in ("weight", "bias"):
                parts = [torch.tensor(weights[f"{source}.{part}.{end}"]) for part in ("query", "key", "value")]
                state[f"layers.{number}.query_key_value.{end}"] = torch.cat(parts)
        model.load_state_dict(state)
        return model

    def to_weights(self) -> Weights:
        """The weights under the original's names; the heads under their own."""
        state = {name: value.detach().float().numpy() for name, value in self.state_dict().items()}
        weights = {original: state[own] for own, original in _names().items()}
        for number in range(LAYERS):
            for end in ("weight", "bias"):
                thirds = state[f"layers.{number}.query_key_value.{end}"]
                for at, part in enumerate(("query", "key", "value")):
                    name = f"encoder.layer.{number}.attention.self.{part}.{end}"
                    weights[name] = thirds[at * WIDTH : (at + 1) * WIDTH]
        return weights


def _names() -> dict[str, str]:
    """The original's name of every tensor but the joined ones."""
    names = dict(_EMBEDDINGS)
    for number in range(LAYERS):
        for own, original in _LAYER.items():
            for end in ("weight", "bias"):
                names[f"layers.{number}.{own}.{end}"] = f"encoder.layer.{number}.{original}.{end}"
    return names | {f"{head}.{end}": f"{head}.{end}" for head in HEAD_NAMES for end in ("weight", "bias")}
