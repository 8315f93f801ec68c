"""Kept answers as they are stored: under the settings and the forms of their question, as JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assay.nlp.same_question import meaning_form, normal_form
from assay.types import KeptAnswer, Passage, plain

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# The language whose questions have a form that other words for them share.
_LANGUAGE = "en"
# Kept answers of one question that are read, the newest: chosen; older ones would hold no better.
MOST_KEPT = 3


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A kept answer to be stored: its key, the `form` and the `meaning` of its question, and its JSON."""

    key: str
    form: str
    meaning: str
    body: str

    @classmethod
    def of(cls, key: str, kept: KeptAnswer, language: str) -> KeptRow:
        """The row of a kept answer to a question in a language."""
        return cls(key, normal_form(kept.question), meaning_of(kept.question, language), written(kept))


def meaning_of(question: str, language: str) -> str:
    """The form that other words for the question share; its own words in a language that has no such form."""
    return meaning_form(question) if language == _LANGUAGE else normal_form(question)


def written(kept: KeptAnswer) -> str:
    """The kept answer as JSON."""
    return json.dumps(plain(kept))


def read_kept(body: str | bytes) -> KeptAnswer | None:
    """A kept answer from its JSON; None for one in a form of another version, which cannot be given again."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_json(body)
    except ValidationError:
        return None


@cache
def _adapter() -> TypeAdapter[KeptAnswer]:
    from pydantic import TypeAdapter

    return TypeAdapter(KeptAnswer)


def digest_of(passage: Passage) -> str:
    """A SHA-256, in hex, over all of a passage that an answer can rest on; where it stands is no part of it.

    >>> here, moved = Passage("a", "d", "r", 0, 9, "It rained"), Passage("b", "d", "s", 40, 49, "It rained")
    >>> digest_of(here) == digest_of(moved), digest_of(here) == digest_of(Passage("a", "d", "r", 0, 9, "It snowed"))
    (True, False)
    """
    read = [passage.title, passage.text, passage.header, passage.origin.kind, passage.origin.date]
    return hashlib.sha256(json.dumps(read).encode(errors="surrogatepass")).hexdigest()
