"""The cross-encoder: MiniLM-L6 reads claim and evidence together, and one number comes out of what it reads.

The same layers as models/export/encoder_graph.py, in PyTorch, so that they can be trained. Float weights go in and
out under the names of the original.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "export"))
from encoder_graph import HEADS, LAYER_NORM_EPSILON, LAYERS, WIDTH, Weights

DROPOUT = 0.1
POSITIONS = 256
MARKS = 6
_WORDS, _PLACES, _MARKS = (
    "embeddings.word_embeddings.weight",
    "embeddings.position_embeddings.weight",
    "marks.weight",
)
_SEGMENTS = "embeddings.token_type_embeddings.weight"


class Layer(nn.Module):
    """One layer of attention and its network."""

    def __init__(self) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, hidden: Tensor, penalty: Tensor) -> Tensor:
        """Hidden states (texts, tokens, width); penalty (texts, 1, 1, tokens), 0 where there is a token.

        Attention is written out: with heads of 32 numbers the fused kernel takes twice as long a step on a CPU.
        """
        texts, tokens, _ = hidden.shape
        parts = self.query_key_value(hidden).view(texts, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = (parts[0] @ parts[1].transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + penalty).softmax(-1)
        mixed = (weights.to(parts.dtype) @ parts[2]).transpose(1, 2).reshape(texts, tokens, WIDTH)
        hidden = self.attended_norm(hidden + self.drop(self.attended(mixed)))
        return self.narrow_norm(hidden + self.drop(self.narrow(functional.gelu(self.wide(hidden)))))


class CrossEncoder(nn.Module):
    """Token ids and segments in, one logit a pair out: above 0 means borne out."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.marks = nn.Embedding(MARKS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=LAYER_NORM_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = nn.Dropout(DROPOUT)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, marks: Tensor) -> Tensor:
        """ids and marks (pairs, tokens), padding 0; logits (pairs,)."""
        mask = ids != 0
        penalty = torch.where(mask, 0.0, -1e4)[:, None, None, :]
        places = self.places.weight[: ids.shape[1]]
        hidden = self.drop(self.norm(self.words(ids) + places + self.marks(marks)))
        for layer in self.layers:
            hidden = layer(hidden, penalty)
        kept = mask[:, :, None].to(hidden.dtype)
        mean = (hidden * kept).sum(1) / kept.sum(1)
        return self.head(self.drop(mean)).squeeze(-1).float()

    @classmethod
    def from_weights(cls, weights: Weights) -> CrossEncoder:
        """The encoder's weights with a head that knows nothing yet."""
        model = cls(weights[_WORDS].shape[0])
        state = dict(model.state_dict())
        state |= {mine: torch.tensor(weights[theirs]) for mine, theirs in _names().items() if theirs in weights}
        if _MARKS not in weights:
            # A first and a second segment, three marks each, told apart by a little noise.
            first, second = torch.tensor(weights[_SEGMENTS])
            state["marks.weight"] = torch.stack([first] * 3 + [second] * 3) + 0.02 * torch.randn(MARKS, WIDTH)
        for number, _ in enumerate(model.layers):
            source = f"encoder.layer.{number}.attention.self"
            for end in ("weight", "bias"):
                parts = [torch.tensor(weights[f"{source}.{part}.{end}"]) for part in ("query", "key", "value")]
                state[f"layers.{number}.query_key_value.{end}"] = torch.cat(parts)
        model.load_state_dict(state)
        return model

    def to_weights(self) -> Weights:
        """The weights under the original's names, and the head as `head.weight`, `head.bias`."""
        state = {name: value.detach().float().numpy() for name, value in self.state_dict().items()}
        weights = {theirs: state[mine] for mine, theirs in _names().items()}
        for number, _ in enumerate(self.layers):
            for end in ("weight", "bias"):
                thirds = state[f"layers.{number}.query_key_value.{end}"]
                for at, part in enumerate(("query", "key", "value")):
                    name = f"encoder.layer.{number}.attention.self.{part}.{end}"
                    weights[name] = thirds[at * WIDTH : (at + 1) * WIDTH]
        return weights | {"head.weight": state["head.weight"], "head.bias": state["head.bias"]}


def _names() -> dict[str, str]:
    """The original's name of every tensor but the joined ones."""
    found = {"words.weight": _WORDS, "places.weight": _PLACES, "marks.weight": _MARKS}
    found |= {f"norm.{end}": f"embeddings.LayerNorm.{end}" for end in ("weight", "bias")}
    parts = {
        "attended": "attention.output.dense", "attended_norm": "attention.output.LayerNorm",
        "wide": "intermediate.dense", "narrow": "output.dense", "narrow_norm": "output.LayerNorm",
    }  # fmt: skip
    for number in range(LAYERS):
        for mine, theirs in parts.items():
            for end in ("weight", "bias"):
                found[f"layers.{number}.{mine}.{end}"] = f"encoder.layer.{number}.{theirs}.{end}"
    return found
