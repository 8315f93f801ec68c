"""What the provider serves beside replies: the list of models, and vectors."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.testing.fakes import WordEmbedder
from assay.testing.provider.http import Incoming


async def catalogue(incoming: Incoming, models: Sequence[str]) -> dict[str, Any] | None:
    """The response to a request for models or vectors; None where nothing of that name is served."""
    path = incoming.path.partition("?")[0].rstrip("/")
    if incoming.method == "POST" and path.endswith("/embeddings"):
        return await _vectors(incoming.body() or {})
    if incoming.method != "GET" or not path.endswith("/models"):
        return None
    if "anthropic-version" in incoming.headers:
        data = [{"type": "model", "id": each, "display_name": each, "created_at": _CREATED} for each in models]
        return {"data": data, "has_more": False, "first_id": models[0], "last_id": models[-1]}
    if "x-goog-api-key" in incoming.headers:
        served = ["generateContent", "streamGenerateContent"]
        return {"models": [{"name": f"models/{each}", "supportedGenerationMethods": served} for each in models]}
    listed = [{"id": each, "object": "model", "created": 1_700_000_000, "owned_by": "assay"} for each in models]
    return {"object": "list", "data": listed}


_CREATED = "2026-01-01T00:00:00Z"


async def _vectors(body: dict[str, Any]) -> dict[str, Any]:
    """Vectors by words, so that texts which share words are near each other."""
    asked = body.get("input") or []
    texts = [asked] if isinstance(asked, str) else list(asked)
    rows = await WordEmbedder().embed(texts)
    data = [
        {"object": "embedding", "index": n, "embedding": _row(row, body.get("encoding_format"))}
        for n, row in enumerate(rows)
    ]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": str(body.get("model")), "usage": usage}


def _row(row: Any, form: Any) -> Any:
    return base64.b64encode(row.astype(np.float32).tobytes()).decode() if form == "base64" else row.tolist()
