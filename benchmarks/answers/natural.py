"""Natural questions over documents that nobody here wrote, and how an answer to one is scored by its golds.

A file of them has one JSON object a line: `id`, `collection`, `question`, `answerable` (full, half or none),
`gold`, `must` (patterns, any of which shows the gold), `file`, `block` (what a reader would want shown;
`block_text` is its text where the file is HTML), and where known `kind` and `missing` (what the documents do not
say, for half). `in_corpus` corrects a question that was written as not answerable and is answered by the corpus: it
is scored by that, without a wanted block.

Scores are made by patterns and words alone, so that they stay the same while the product changes:

- The gold is shown when a pattern matches, whatever the case, within the first 100 words; 180 for a how-to or a
  list. The row's `kind` says which it is; without one the wording of the question does (`is_long`).
- An answer is wrong when no pattern matches anywhere in it. Being too long is not wrong.
- The block is shown when, of the content terms (stems without stop words, repeated ones counted) of the answer
  within its limit and of the wanted block, the F1 is at least .5, or half of the block's stand in the answer.
- The missing part is named when half of its content terms stand where the answer says what it lacks, and what
  stands there is not the whole question.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.cli.exits import Exit, of_answer
from assay.nlp.tokens import terms
from assay.types import Answer, Verdict

WORDS, WORDS_LONG = 100, 180
OVERLAP = 0.5
NAMED = 0.5
LONG_KINDS = {"how", "how-to", "list"}

_LONG = re.compile(
    r"\bhow (?:do|can|could|should|would|to)\b|\bsteps?\b|^\W*(?:please )?(?:list|name)\b"
    r"|\bwhat are\b|\b(?:what|which) (?:all )?(?:\w+ )?\w+s (?:are|were|do|does|can|have|should|need)\b",
    re.I,
)
_CITATION = re.compile(r"\s?\[\d+(?:\s?[,–-]\s?\d+)*\]")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"\*\*|__|`+|^[ \t]*(?:>|#{1,6}\s|[-*+]\s|\|)|(?<=\s)\||\|(?=\s|$)", re.M)
# Lines of a quoted block other than prose: list items, table rows, quotes, headings, code.
_BLOCK_LINE = re.compile(r"^(?:\s{4,}|\t|\s*(?:[-+>|#]|\*\s|\d+[.)]\s))")
_FENCED = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.M | re.S)
# How a gold says that something is missing, without what it is.
_SAYING = frozenset(
    terms("not no nothing nowhere stated states mentioned addressed given covered said explicitly documented")
)


@dataclass(frozen=True, slots=True)
class NaturalQuestion:
    """One question; `must` and `block` are empty where the documents do not answer."""

    id: str
    collection: str
    text: str
    answerable: Literal["full", "half", "none"]
    must: tuple[str, ...] = ()
    block: str = ""
    missing: str = ""
    long: bool = False

    @property
    def limit(self) -> int:
        """The words within which the gold must be shown."""
        return WORDS_LONG if self.long else WORDS


def read_questions(path: Path, collection: str = "") -> list[NaturalQuestion]:
    """The questions of a .jsonl file; `collection` is for rows that name none."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [question_of(json.loads(line), collection) for line in lines if line.strip()]


def question_of(row: dict[str, Any], collection: str = "") -> NaturalQuestion:
    """The question of one row.

    >>> question_of({"id": "a", "collection": "c", "question": "How do I install it?", "answerable": "none"}).limit
    180
    """
    text, found = str(row["question"]), row.get("in_corpus") or row
    return NaturalQuestion(
        id=str(row["id"]),
        collection=str(row.get("collection") or collection),
        text=text,
        answerable=found["answerable"],
        must=tuple(found.get("must") or ()),
        block=str(found.get("block_text") or found.get("block") or ""),
        missing=str(row.get("missing") or _missing_in(str(found.get("gold") or ""))),
        long=is_long(text, str(row.get("kind") or "")),
    )


def is_long(question: str, kind: str = "") -> bool:
    """Whether a how-to or a list is asked for, by its kind or, without one, by its wording.

    >>> is_long("What are the limits?"), is_long("What is the limit?"), is_long("What is the limit?", "list")
    (True, False, True)
    """
    return kind.lower() in LONG_KINDS if kind else bool(_LONG.search(question))


def _missing_in(gold: str) -> str:
    """What a gold says is missing: its last clause after a semicolon."""
    return gold.rpartition(";")[2].strip() if ";" in gold else ""


# --- what a text shows ---------------------------------------------------------------------------


def plain(text: str) -> str:
    """The text on one line without citation marks and Markdown's own characters.

    >>> plain("**18 weeks** — see [the page](a.md) [1].")
    '18 weeks — see the page.'
    """
    bare = _LINK.sub(r"\1", _CITATION.sub("", text))
    return " ".join(_MARKUP.sub(" ", bare).split())


def first_words(text: str, limit: int) -> str:
    """The first `limit` words."""
    return " ".join(text.split()[:limit])


def shows(text: str, must: Sequence[str], limit: int | None = None) -> bool:
    """Whether a pattern matches within the first `limit` words, as they are or without Markdown's characters.

    >>> shows("After **90** days [1].", ["90 days"]), shows("one two 90 days", ["90 days"], limit=3)
    (True, False)
    """
    read = [plain(text), " ".join(text.split())]
    if limit is not None:
        read = [first_words(each, limit) for each in read]
    return any(re.search(pattern, each, re.I | re.S) for pattern in must for each in read)


def block_overlap(shown: str, wanted: str) -> float:
    """How far the wanted block is shown, 0 to 1: the F1 of content terms, or the share of the block's if higher.

    >>> block_overlap("The fee is $20. It is paid monthly.", "The fee is $20.")
    1.0
    """
    have, want = Counter(terms(plain(shown))), Counter(terms(plain(wanted)))
    common = (have & want).total()
    if not common:
        return 0.0
    return max(2 * common / (have.total() + want.total()), common / want.total())


def names_missing(named: str, missing: str, question: str) -> bool:
    """Whether what is said to be missing is the missing part, and not the whole question.

    >>> asked = "Who runs the 401k and how much does the company match?"
    >>> names_missing("how much the company matches", "the match is not stated", asked)
    True
    >>> names_missing(asked, "the match is not stated", asked)
    False
    """
    have = set(terms(plain(named)))
    wanted = set(terms(missing)) - _SAYING
    if not wanted or set(terms(question)) <= have:
        return False
    return len(wanted & have) / len(wanted) >= NAMED


# --- what an answer is ---------------------------------------------------------------------------


def is_marked(answer: Answer) -> bool:
    """Whether the answer carries the ✓ that says that it answers the question."""
    return of_answer(answer) is Exit.OK and answer.verdict is Verdict.SUPPORTED


def said_missing(answer: Answer) -> str:
    """Where the answer says what it lacks: the judgement's missing parts, and its prose that cites nothing."""
    text = answer.text
    for claim in sorted(answer.claims, key=lambda claim: -claim.start):
        if claim.citations:
            text = text[: claim.start] + text[claim.end :]
    return "\n".join((*answer.judgement.missing, uncited(text)))


def uncited(text: str) -> str:
    r"""The prose after the last citation of each paragraph, the whole of one without any; no lists, tables or code.

    >>> uncited("It is SocialK [1].\n\n- Books\n\nNot in the documents:\nthe match.")
    'Not in the documents: the match'
    """
    paragraphs = re.split(r"\n\s*\n", _FENCED.sub("", text))
    prose = (" ".join(line for line in each.split("\n") if not _BLOCK_LINE.match(line)) for each in paragraphs)
    said = (_CITATION.split(each)[-1].strip(" .") for each in prose)
    return "\n".join(each for each in said if re.search(r"\w", each))
