"""The teacher in PyTorch: MPNet-base reads a question or claim beside a passage, for both tasks.

Token numbers are MiniLM's, so that its span scores stand at the student's places; MPNet's vocabulary is the same one,
moved by four. Twelve layers of 768 (Song et al. 2020, arXiv 2004.09297), with one table of relative positions for all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, HEADS, WIDTH, EPSILON = 12, 12, 768, 1e-5
BUCKETS, FARTHEST = 32, 128
# What stands before the words in MPNet's vocabulary, and where its positions begin.
MOVED, FIRST_POSITION = 4, 2
# MiniLM's [PAD], [CLS] and [SEP] as MPNet has them.
SPECIAL = {0: 1, 101: 0, 102: 2}
PAIR_OUTPUTS, VERDICTS = 4, 3


def bucket(distance: Tensor) -> Tensor:
    """The bucket of each distance (other place less own): near ones alone, far ones by their logarithm."""
    half, exact = BUCKETS // 2, BUCKETS // 4
    size = distance.abs()
    far = exact + (torch.log(size.float().clamp(min=1) / exact) / math.log(FARTHEST / exact) * (half - exact)).long()
    return (distance > 0).long() * half + torch.where(size < exact, size, far.clamp(max=half - 1))


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attended_norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.narrow_norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """Hidden states (texts, tokens, width); what is added to attention (texts, heads, tokens, tokens)."""
        texts, tokens, _ = hidden.shape
        parts = self.query_key_value(hidden).view(texts, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=bias)
        mixed = mixed.transpose(1, 2).reshape(texts, tokens, WIDTH)
        hidden = self.attended_norm(hidden + self.dropout(self.attended(mixed)))
        return self.narrow_norm(hidden + self.dropout(self.narrow(functional.gelu(self.wide(hidden)))))


class Teacher(nn.Module):
    """The reader's outputs and the checker's from one network."""

    def __init__(self, words: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Embedding(514, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        nn.init.zeros_(self.segments.weight)
        self.distances = nn.Embedding(BUCKETS, HEADS)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.span = nn.Linear(WIDTH, 2)
        self.pair_dense = nn.Linear(2 * WIDTH, WIDTH)
        self.pair = nn.Linear(WIDTH, PAIR_OUTPUTS)
        self.claim_dense = nn.Linear(2 * WIDTH, WIDTH)
        self.claim = nn.Linear(WIDTH, VERDICTS)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Span logits (pairs, tokens, 2), pair logits (pairs, 4), verdicts (pairs, 3) of MiniLM's ids and segments."""
        mask = ids != 0
        own = ids + MOVED
        for theirs, here in SPECIAL.items():
            own = torch.where(ids == theirs, here, own)
        tokens = ids.shape[1]
        places = torch.arange(tokens, device=ids.device)
        hidden = self.words(own) + self.positions(places + FIRST_POSITION) + self.segments(segments)
        hidden = self.dropout(self.norm(hidden))
        near = self.distances(bucket(places[None, :] - places[:, None])).permute(2, 0, 1).detach()
        bias = near[None] + torch.where(mask, 0.0, -1e4)[:, None, None, :].to(near.dtype)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        kept = mask[:, :, None].to(hidden.dtype)
        both = torch.cat([hidden[:, 0], (hidden * kept).sum(1) / kept.sum(1)], -1)
        pair = self.pair(self.dropout(functional.gelu(self.pair_dense(both)))).float()
        claim = self.claim(self.dropout(functional.gelu(self.claim_dense(both)))).float()
        possible = (segments == 1) & mask
        possible[:, 0] = True
        return self.span(hidden).float().masked_fill(~possible[:, :, None], -1e4), pair, claim

    def start_from(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of all-mpnet-base-v2 under their own names; heads stay as they are."""
        state = dict(self.state_dict())
        state["words.weight"] = weights["embeddings.word_embeddings.weight"]
        state["positions.weight"] = weights["embeddings.position_embeddings.weight"]
        state["distances.weight"] = weights["encoder.relative_attention_bias.weight"]
        for end in ("weight", "bias"):
            state[f"norm.{end}"] = weights[f"embeddings.LayerNorm.{end}"]
            for number in range(LAYERS):
                theirs, here = f"encoder.layer.{number}", f"layers.{number}"
                parts = [weights[f"{theirs}.attention.attn.{part}.{end}"] for part in "qkv"]
                state[f"{here}.query_key_value.{end}"] = torch.cat(list(parts))
                for own, name in {
                    "attended": "attention.attn.o", "attended_norm": "attention.LayerNorm",
                    "wide": "intermediate.dense", "narrow": "output.dense", "narrow_norm": "output.LayerNorm",
                }.items():  # fmt: skip
                    state[f"{here}.{own}.{end}"] = weights[f"{theirs}.{name}.{end}"]
        self.load_state_dict(state)
