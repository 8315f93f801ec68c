"""What a claim adds that no source says: words put into a source's sentence, and clauses on another matter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.text.tokens import terms, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import Comparison
from assay.verify.lexicon import kinship
from assay.verify.listed import listed
from assay.verify.sources import Sources

# An addition is no mere wording from this many content words on; put into a copied sentence, from this many words.
LEAST_WORDS = 4
LEAST_INSERTED = 4
# What is put into a copied sentence must stand elsewhere to this share; of a clause, no more than this is borne.
ELSEWHERE = 0.5
BORNE = 0.15
_CLAUSE = re.compile(
    r"[,;:]\s+|\s[-–—]+\s|\s\(|\)\s|(?<=[.!?])\s+|\s(?=(?:which|who|because|while|whereas|although)\s)"
)


def added(over: Comparison) -> list[Check]:
    """The stretches of the claim that no source bears out, though the rest of it may be borne out.

    What was put into a copied sentence is surely added; a clause in words of its own may only be put otherwise.
    """
    kind, cause = FindingKind.UNSUPPORTED_ADDITION, "no source of this claim says this part of it"
    if over.copied:
        return [over.wrong("additions", cause, each, kind) for each in _inserted(over)] or listed(over)
    unclear = f"{cause} in words that can be compared"
    return [
        over.check("additions", Status.UNKNOWN, Severity.BLOCK, unclear, each, kind=kind) for each in _clauses(over)
    ] or listed(over)


def _inserted(over: Comparison) -> Iterator[Span]:
    """Words that were put into the sentence that the claim is copied from, and that no sentence holds."""
    assert over.copied is not None  # noqa: S101 - asked for only where there is one
    for edit in over.copied.copy.edits:
        text = over.claim.plain[edit.mine.start : edit.mine.end]
        if len(words(text)) < LEAST_INSERTED or 2 * (edit.theirs.end - edit.theirs.start) > len(text):
            continue  # little is put in; or it stands in the place of something, and may say the same
        if _most_in_one(terms(text), over.sources) < ELSEWHERE:
            yield edit.mine


def _most_in_one(wanted: Iterable[str], sources: Sources) -> float:
    """The largest share of some terms that one sentence holds."""
    every = set(wanted)
    if not every:
        return 1.0
    return max((len(every & set(each.terms)) for each in sources.sentences), default=0) / len(every)


def _clauses(over: Comparison) -> Iterator[Span]:
    """Clauses of which next to nothing stands in the sources, in whatever words."""
    start = 0
    text = over.claim.plain
    for cut in (*_CLAUSE.finditer(text), None):
        end = cut.start() if cut else len(text)
        every = set(terms(text[start:end]))
        measured = any(term[0].isdigit() for term in every)  # its numbers have a check of their own
        if len(every) >= LEAST_WORDS and not measured and not _is_borne(every, over.sources):
            yield Span(start, end)
        start = cut.end() if cut else end


def _is_borne(wanted: set[str], sources: Sources) -> bool:
    """Whether the sources hold more than a trace of some terms, words of the same or a narrower meaning counted."""
    enough = BORNE * len(wanted)
    missing = wanted - sources.terms
    if len(wanted) - len(missing) > enough:
        return True
    akin = sum(any(kinship(each, other) in ("same", "broader") for other in sources.terms) for each in missing)
    return len(wanted) - len(missing) + akin > enough
