"""Questions in an answer, and the titles that stand over them: a question states nothing to test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from assay.types import Span

_ENDS = re.compile(r"[?？][!?！？]*\Z")
# What a question may stand in as a whole; behind a reporting verb it is part of a statement.
_WRAPS = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("(", ")"),
)
_OPENING = r"""(?:
        Who|Whose|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|Should|Will|Would|Has|Have|May
      | Wer|Wem|Wen|Wann|Wo|Welche[mnrs]?|Warum|Wieso|Wie|Ist|Sind|Kann|Können|Gibt|Hat|Haben
      | Qui|Que|Quel(?:le)?s?|Quand|Où|Pourquoi|Comment|Combien|Qué|Quién|Cuál|Cuándo|Dónde|Cómo|Cuánt[oa]s?
    )\b"""
_OPENS = re.compile(rf"[\W\d]*(?:Q\d+\W+)?{_OPENING}", re.VERBOSE)
# A line that begins a question, and one that begins a sentence, behind one without a full stop.
_BEGINS = re.compile(rf"\n[ \t]*(?={_OPENING})", re.VERBOSE)
_CAPITAL_LINE = re.compile(r"\n[ \t]*(?=[^\W\d_a-zß-öø-ÿ])")
# Every word of a title is told here, so that none can carry a statement in.
_ASKING = r"(?:you|users?|readers?)\s(?:could|might|may|can)\s(?:also\s)?(?:ask|have|wonder|want\sto\s(?:ask|know))"
_TITLE = re.compile(
    rf"""\W*(?:
        (?:(?:some|other|more|your|our|common|open|next|related|suggested|recommended|possible|potential|further
            |additional|frequently\sasked|follow-?\s?up|and)\s)*
        (?:follow-?\s?up\s)?questions?(?:\s(?:{_ASKING}|to\s(?:ask|consider|explore)))?(?:\snext)?
      | follow-?\s?ups?
      | (?:(?:questions|things|what)\s)?{_ASKING}(?:\s(?:about|next))?
      | people\salso\sask
      | (?:(?:weitere|weiterführende|mögliche|verwandte|ähnliche|häufige|offene)\s)?
        (?:rück|nach|folge|anschluss)?fragen
      | questions\s(?:complémentaires|suivantes|connexes|fréquentes|de\ssuivi)
      | preguntas\s(?:relacionadas|frecuentes|adicionales|de\sseguimiento)
    )\W*""",
    re.VERBOSE | re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, be it in quotation marks or brackets as a whole, or set off.

    >>> [asks(each) for each in ("How long is it?", "**How long is it?**", 'He asked “How long is it?”')]
    [True, True, False]
    """
    bare = sentence.strip()
    wrapped = next((each for each in _WRAPS if bare.startswith(each[0]) and bare.endswith(each[1])), None)
    if wrapped is not None and len(bare) > len(wrapped[0] + wrapped[1]):
        inner = bare[len(wrapped[0]) : -len(wrapped[1])]
        return not any(mark in inner for mark in wrapped) and asks(inner)  # else two: "It is", he said, "or no?"
    return _ENDS.search(bare) is not None


def heads_questions(sentence: str) -> bool:
    """Whether a sentence is nothing but the title of questions that follow.

    >>> heads_questions("**Follow-up questions**"), heads_questions("Questions about the fee of 90 euros")
    (True, False)
    """
    return _TITLE.fullmatch(sentence.strip()) is not None


def apart_from_questions(text: str, span: Span) -> Iterator[Span]:
    """A sentence that ends as a question, cut before each line that begins one; any other as it is.

    A line without a full stop is read as one sentence with the next: what it states must not pass for asked. Where
    the first opens as no question, each line with a capital may be the one that does.
    """
    sentence = text[span.start : span.end]
    lines = _BEGINS if _OPENS.match(sentence) else _CAPITAL_LINE
    cuts = [each.start() for each in lines.finditer(sentence)] if asks(sentence) else []
    for start, end in pairwise((0, *cuts, len(sentence))):
        part = sentence[start:end]
        begins = span.start + start + len(part) - len(part.lstrip())
        yield Span(begins, begins + len(part.strip()))
