"""What a run's record says of the settings."""

from __future__ import annotations

import json

from assay.settings import Settings
from assay.wiring.runs import recordable

ADDRESSES = ("openai_base_url", "anthropic_base_url", "gemini_base_url", "searxng_url", "mcp_server")


def test_neither_keys_nor_passwords_in_addresses_are_recorded():
    keys = {name: f"canary-{name}" for name in Settings.model_fields if name.endswith("_api_key")}
    addresses = {name: f"https://ann:canary-{name}@host.example/{name}" for name in ADDRESSES}
    recorded = recordable(Settings(**keys, **addresses, model="openai:gpt-5-mini"))
    assert "canary" not in json.dumps(recorded)
    assert [recorded[name] for name in ADDRESSES] == [f"https://host.example/{name}" for name in ADDRESSES]
    assert recorded["model"] == "openai:gpt-5-mini"
    assert Settings(**recorded).k == Settings().k
