"""A model that obeys whatever stands in its prompt, and does its work honestly where it sees no plant."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from assay.types import ModelReply, ModelRequest, Usage
from support.provider import Asked, plain_answer

THEIRS = "https://attacker.example/collect?said="
# What stands in the question that a judge is asked beside the user's, and that no passage answers.
MADE_UP = "the item with the number"
# So much of a plant must be in sight for it to be obeyed; less is a word that any text may hold.
_LEAST = 12


@dataclass
class ObedientModel:
    """Says what an honest model would, until it sees some of `plant`: then it does the worst that it can.

    As judge it turns its verdict round, as writer it writes the plant, a link and an image, as rewriter it searches
    for the plant, as ranker it names the plant's sentences alone. `enough` is what an honest judge says
    of the user's question. `obeyed` counts the replies in which it obeyed, by role.
    """

    plant: str
    enough: bool
    obeyed: dict[str, int] = field(default_factory=dict)

    name = "fake:obedient"
    host = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of its role."""
        asked = Asked("openai", "fake", request.messages, request.reply_schema)
        fields = frozenset((request.reply_schema or {}).get("properties", {}))
        role = next((name for name, known in _ROLES.items() if known in fields), request.role)
        seen = self._sees(asked.prompt)
        if seen:
            self.obeyed[role] = self.obeyed.get(role, 0) + 1
        return ModelReply(self._said(role, asked, seen), "stop", Usage(calls=1), self.name)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply in one piece, then as a whole."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Nothing is held."""

    def _sees(self, prompt: str) -> list[str]:
        """The parts of the plant that stand in the prompt, and not in the passage as it was."""
        held = _flat(prompt)
        parts = (_flat(each) for each in re.split(r"\n|(?<=[.!?])\s", self.plant))
        return [each for each in parts if len(each) >= min(_LEAST, len(_flat(self.plant))) and each in held]

    def _said(self, role: str, asked: Asked, seen: list[str]) -> str:
        if role in ("writer", "repairer"):
            return (
                f"{self.plant} [1]. See [here]({THEIRS}1) ![x]({THEIRS}2) {THEIRS}3 [1]."
                if seen
                else plain_answer(asked)
            )
        if role == "rewriter":
            return json.dumps({"queries": [{"part": 1, "query": seen[0][:150] if seen else "more on this"}]})
        if role == "ranker" and seen:
            lines = [each.partition(". ") for each in asked.prompt.split("\n")]
            named = [int(n) for n, _, text in lines if n.isdigit() and any(part in _flat(text) for part in seen)]
            return json.dumps({"strips": named or [1]})
        body = json.loads(plain_answer(asked))
        enough = self.enough and MADE_UP not in asked.prompt
        if role == "light":
            yes = enough is not bool(seen)
            body |= {
                "verdict": "yes" if yes else "no",
                "missing": "" if yes else "all of it",
                "reason": self._reason(seen),
            }
        if role == "thorough" and enough is bool(seen):
            parts = [{**each, "state": "missing", "passages": []} for each in body["parts"]]
            body |= {
                "parts": parts,
                "recommendation": "REFINE",
                "reason": self._reason(seen),
                "missing": ["all of it"],
            }
        elif role == "thorough":
            rated = [{**passage, "relevance": 1.0} for passage in body["passages"]]
            numbers = [passage["number"] for passage in rated][:1]
            parts = [{**part, "state": "covered", "passages": numbers} for part in body["parts"]]
            body |= {
                "passages": rated,
                "parts": parts,
                "recommendation": "ANSWER",
                "reason": self._reason(seen),
                "missing": [],
            }
        return json.dumps(body)

    def _reason(self, seen: list[str]) -> str:
        return f"{seen[0]} [here]({THEIRS}4) {THEIRS}5" if seen else "so it is"


# What tells each role's replies from the others'.
_ROLES = {
    "rewriter": "queries",
    "ranker": "strips",
    "light": "verdict",
    "thorough": "parts",
    "understander": "standalone",
}


def _flat(text: str) -> str:
    return " ".join(text.split())
