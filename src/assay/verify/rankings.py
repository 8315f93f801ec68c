"""Which of two is more: "deeper than", "less than", "not as deep as", beside what a source says of the same two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.text.negation import opposite
from assay.text.tokens import stem, terms, word_spans, words
from assay.types import Span
from assay.verify.comparison import SAME_MATTER, Comparison
from assay.verify.lexicon import kinship, lexicon
from assay.verify.sources import SourceSentence

_CLAUSE = re.compile(r"[.;:,](?=\s|$)|\s(?:but|while|whereas|and|although|though)\s")
_IRREGULAR = {"better": "good", "worse": "bad", "more": "much", "less": "much", "fewer": "much"}
_DOWN = frozenset(("less", "fewer"))
_NOT = frozenset(("not", "never", "no"))
# Of a text of more clauses the first are read.
_MOST_CLAUSES = 20


@dataclass(frozen=True, slots=True)
class Ranking:
    """That what `left` names has more (`up`) or less of a property than what `right` names; terms and a stem.

    `right` is empty where a text leaves open what is compared with.
    """

    left: frozenset[str]
    right: frozenset[str]
    of: str
    up: bool
    place: Span


@dataclass(frozen=True, slots=True)
class Ranked:
    """A claim's ranking, and the source sentence that ranks the same two the same way or the other way round."""

    place: Span
    sentence: SourceSentence
    agrees: bool


def ranked(over: Comparison) -> Ranked | None:
    """The claim's ranking beside the nearest sentence that ranks the same two by the same property, if one does."""
    for mine in rankings(over.claim.plain):
        if not mine.right:
            continue
        for near in over.near(SAME_MATTER):
            for theirs in rankings(near.sentence.text):
                agrees = _agrees(mine, theirs)
                if agrees is not None:
                    return Ranked(mine.place, near.sentence, agrees)
    return None


def _agrees(mine: Ranking, theirs: Ranking) -> bool | None:
    """Whether two rankings say the same; None where they are of other things."""
    swapped, turned = _swapped(mine, theirs), _turned(mine, theirs)
    return None if swapped is None or turned is None else swapped == turned


def _swapped(mine: Ranking, theirs: Ranking) -> bool | None:
    """Whether the two sides have changed places; None where they are not the same two."""
    left, right = mine.left - mine.right, mine.right - mine.left
    if not theirs.right:
        return True if right & theirs.left and not left & theirs.left else None
    their_left, their_right = theirs.left - theirs.right, theirs.right - theirs.left
    if left & their_left and right & their_right:
        return False
    return True if left & their_right and right & their_left else None


def _turned(mine: Ranking, theirs: Ranking) -> bool | None:
    """Whether the one says less where the other says more; None where they rank by something else."""
    if mine.of == theirs.of or kinship(mine.of, theirs.of) == "same":
        return mine.up != theirs.up
    if opposite(mine.of, theirs.of) or kinship(mine.of, theirs.of) == "opposite":
        return mine.up == theirs.up
    return None


@lru_cache(maxsize=256)
def rankings(text: str) -> tuple[Ranking, ...]:
    """The rankings of a text in order; a number behind "than" ranks nothing.

    >>> [(sorted(r.left), sorted(r.right), r.of, r.up) for r in rankings("Ulm is not as deep as Orsa, but larger.")]
    [(['ulm'], ['orsa'], 'deep', False), ([], [], 'larg', True)]
    """
    edges = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)][: _MOST_CLAUSES + 1]
    return tuple(one for start, end in pairwise(edges) for one in _in_clause(text, start, end))


def _in_clause(text: str, start: int, end: int) -> Iterator[Ranking]:
    """The ranking of one clause, if it holds one that is stated."""
    spans = [Span(start + each.start, start + each.end) for each in word_spans(text[start:end])]
    folded = words(text[start:end])
    for at, word in enumerate(folded):
        base = _base(word)
        negated = at > 0 and folded[at - 1] in _NOT
        if word == "as" and negated and folded[at + 2 : at + 3] == ["as"]:
            left, right = text[start : spans[at - 1].start], text[spans[at + 2].end : end]
            yield Ranking(_set(left), _set(right), stem(folded[at + 1]), False, Span(spans[at].start, end))
            return
        if base is None or negated:
            continue
        than = next((n for n in range(at + 1, len(folded)) if folded[n] == "than"), None)
        if than is not None and folded[than + 1 : than + 2] and folded[than + 1][0].isdigit():
            return
        of, last = (base, at) if word not in _IRREGULAR or base != "much" else _amount(folded, at, than)
        right = text[spans[than].end : end] if than is not None else ""
        behind = text[spans[last].end : spans[than].start] if than is not None else ""
        yield Ranking(
            _set(f"{text[start : spans[at].start]} {behind}"), _set(right), stem(of), word not in _DOWN,
            Span(spans[at].start, spans[than if than is not None else last].end),
        )  # fmt: skip
        return


def _amount(folded: list[str], at: int, than: int | None) -> tuple[str, int]:
    """What "more" and "less" are said of, if the next word is an adjective: "more common than"."""
    if at + 1 < len(folded) and than != at + 1:
        entry = lexicon().get(stem(folded[at + 1]))
        if entry is not None and entry.counts[2] > entry.counts[0]:
            return folded[at + 1], at + 1
    return "much", at


def _set(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _base(word: str) -> str | None:
    """What a comparative is the comparative of: "larger" of "large"; None where it is none."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 5 or not word.endswith("er"):
        return None
    forms = [word[:-2], word[:-1], word[:-3]] if word[-3] != "i" else [word[:-3] + "y"]
    return next((each for each in forms if _is_adjective(each)), None)


def _is_adjective(word: str) -> bool:
    entry = lexicon().get(stem(word))
    return entry is not None and entry.counts[2] > 0
