"""Faults of what the model says: JSON that is not as asked, and marks of nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from support.provider.exchange import Exchange
from support.provider.faults.fault import Commit, Fault, prose, register, structured

UNKNOWN_MARK = "[97]"
UNKNOWN_ID = "nobody-97"
_SCORE = "@@score@@"


def invalid(text: str) -> str:
    """JSON with a comma too many and a bracket too few.

    >>> invalid('{"verdict": "yes"}')
    '{"verdict": "yes",, '
    """
    return f"{text.rstrip()[:-1]},, "


def in_prose(text: str) -> str:
    """The JSON between polite sentences."""
    return f"Certainly! Here is what you asked for: {text} Let me know if I can help with anything else."


def in_fences(text: str) -> str:
    """The JSON in a fence of Markdown."""
    return f"```json\n{text}\n```"


def scored(written: str) -> Callable[[str], str]:
    """A rule that puts `written`, as it stands, in the place of every number; a `score` where there is none.

    >>> scored("NaN")('{"relevance": [1, 0.5]}')
    '{"relevance": [NaN, NaN]}'
    """

    def rewritten(text: str) -> str:
        marked = _mapped(json.loads(text), lambda value: _SCORE if _is_number(value) else value)
        if _SCORE not in json.dumps(marked):
            marked = {**marked, "score": _SCORE}
        return json.dumps(marked).replace(f'"{_SCORE}"', written)

    return rewritten


def wrong_keys(text: str) -> str:
    """The same values under other keys.

    >>> wrong_keys('{"verdict": "yes"}')
    '{"the_verdict": "yes"}'
    """
    return json.dumps({f"the_{key}": value for key, value in json.loads(text).items()})


def extra_ids(text: str) -> str:
    """Every list has one entry more, with ids that nobody gave.

    >>> extra_ids('{"passages": [{"id": "p1", "score": 1.0}], "missing": []}')
    '{"passages": [{"id": "p1", "score": 1.0}, {"id": "nobody-97", "score": 1.0}], "missing": ["nobody-97"]}'
    """
    return json.dumps(_mapped(json.loads(text), lambda value: value, lambda items: [*items, _unknown(items)]))


def empty_lists(text: str) -> str:
    """Every list is empty.

    >>> empty_lists('{"passages": [{"id": "p1"}]}')
    '{"passages": []}'
    """
    return json.dumps(_mapped(json.loads(text), lambda value: value, lambda items: []))


def unknown_marks(text: str) -> str:
    """Every citation names a source that was never given.

    >>> unknown_marks("Tea is hot. [1]")
    'Tea is hot. [97]'
    """
    marked = re.sub(r"\[[\d.,\s]+\]", UNKNOWN_MARK, text)
    return marked if UNKNOWN_MARK in marked else f"{text} {UNKNOWN_MARK}"


def _mapped(
    value: Any, leaf: Callable[[Any], Any], lists: Callable[[list[Any]], list[Any]] = lambda items: items
) -> Any:
    """JSON with every plain value and every list put through a rule."""
    if isinstance(value, dict):
        return {key: _mapped(each, leaf, lists) for key, each in value.items()}
    if isinstance(value, list):
        return lists([_mapped(each, leaf, lists) for each in value])
    return leaf(value)


def _unknown(items: list[Any]) -> Any:
    """An entry like the first, whose ids are unknown."""
    if not items or isinstance(items[0], str):
        return UNKNOWN_ID
    if _is_number(items[0]):
        return 97
    return {
        key: UNKNOWN_ID if isinstance(value, str) else 97 if type(value) is int else value
        for key, value in items[0].items()
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _saying(rule: Callable[[str], str]) -> Commit:
    async def say(exchange: Exchange) -> None:
        await exchange.answer(replace(exchange.reply, text=rule(exchange.reply.text)))

    return say


_JSON_RULES: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("json-invalid", "JSON with a comma too many and a bracket too few.", invalid),
    ("json-in-prose", "Good JSON between polite sentences.", in_prose),
    ("json-in-fences", "Good JSON in a fence of Markdown.", in_fences),
    ("json-nan", "NaN in the place of every number.", scored("NaN")),
    ("json-huge-number", "1e999 in the place of every number.", scored("1e999")),
    ("score-in-words", "Words in the place of every number: 1 out of 2.", scored('"1 out of 2"')),
    ("wrong-keys", "The same values under other keys.", wrong_keys),
    ("extra-ids", "One entry more in every list, with ids that nobody gave.", extra_ids),
    ("empty-list", "No entry in any list.", empty_lists),
)
for _id, _meaning, _rule in _JSON_RULES:
    register(Fault(_id, "content", _meaning, _saying(_rule), fits=structured))
register(
    Fault(
        "unknown-citations",
        "content",
        "Every citation names a source never given.",
        _saying(unknown_marks),
        fits=prose,
    )
)
