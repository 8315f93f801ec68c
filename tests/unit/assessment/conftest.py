"""Answers to assess, written sentence by sentence with the verdict that each is to have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.nlp.citations import citations
from assay.types import (
    Check,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Review,
    Severity,
    SourceSpan,
    Status,
    Verdict,
)

OPENED = "The Harbour Bridge was opened on 3 May 1932. It was built by Maria Keller for 4 million pounds."
STEEL = "Steel is an alloy of iron and carbon. It rusts in salt water."


@dataclass(frozen=True)
class Said:
    """One sentence of an answer: the numbers that it cites, its verdict (None: it claims nothing), its source."""

    text: str
    cites: tuple[int, ...] = (1,)
    verdict: Verdict | None = Verdict.SUPPORTED
    source: str = ""


@dataclass(frozen=True)
class Given:
    """What an assessor is given."""

    question: Question
    evidence: Evidence
    draft: Draft
    review: Review


def evidence_of(texts: Sequence[str]) -> Evidence:
    hits = [Hit(Passage(f"p{n}", f"d{n}", "r", 0, len(text), text), 1.0) for n, text in enumerate(texts, 1)]
    return Evidence(tuple(hits))


def given(question: Question, *said: Said, texts: Sequence[str] = (OPENED, STEEL)) -> Given:
    """The answer of these sentences; a number above the passages refers to no source."""
    text, claims = "", []
    for each in said:
        text += " " * bool(text and not each.text.startswith("\n"))
        start = len(text)
        text += " ".join([each.text, *(f"[{n}]" for n in each.cites)])
        if each.verdict is not None:
            claims.append(_claim(len(claims) + 1, each, start, start + len(each.text), len(texts)))
    marks = citations(text)
    invalid = tuple(text[m.start : m.end] for m in marks if max(m.numbers, default=0) > len(texts))
    cited = [n for mark in marks for n in mark.numbers if n <= len(texts)]
    draft = Draft(text, tuple(f"p{n}" for n in range(1, max(cited, default=0) + 1)))
    return Given(question, evidence_of(texts), draft, Review(tuple(claims), _sourced(claims), (), marks, invalid))


def _sourced(claims: Sequence[Claim]) -> tuple[Check, ...]:
    """The checks of an answer that is to cite its sources."""
    return tuple(
        Check("sources", Status.PASSED, Severity.REPAIR, each.n)
        if each.citations
        else Check("sources", Status.FAILED, Severity.REPAIR, each.n, "this sentence cites no source")
        for each in claims
    )


def _claim(n: int, said: Said, start: int, end: int, passages: int) -> Claim:
    cited = tuple(f"p{each}" for each in said.cites if each <= passages)
    spans = (SourceSpan(cited[0], 0, len(said.source), said.source),) if said.source and cited else ()
    verdict = said.verdict or Verdict.UNKNOWN
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(verdict.value, "script", "as scripted"))
    return Claim(n, said.text, start, end, cited, verdict, None, spans, history)
