"""Which of two is more: "deeper than", "less than", "not as deep as", beside what a source says of the same two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.nlp.negation import NEGATING_PREFIXES, comparisons, opposite, opposites_of
from assay.nlp.tokens import STOP_WORDS, stem, terms, word_spans, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.alignment import SAME_MATTER, SAME_STATEMENT, Comparison
from assay.verification.facts import limited
from assay.verification.negation import denials
from assay.verification.sources import SourceSentence, kinship, lexicon

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


# More against less, and words against their opposites.


# Verbs of one way and of the other, in the forms that do not share a stem.
_WAYS = tuple(
    frozenset(map(stem, verbs.split()))
    for verbs in (
        """increase raise rise rose risen grow grew grown gain boost expand heighten elevate""",
        """reduce decrease lower fall fell fallen drop decline shrink shrank lose lost cut diminish lessen""",
    )
)
# Verbs of what brings a thing about, and of what keeps it away.
_EFFECTS = tuple(
    frozenset(map(stem, verbs.split()))
    for verbs in ("cause trigger induce provoke", "prevent avert inhibit stop cure avoid")
)
# How much of something a text speaks of: "most" beside "few" is no opposite by itself.
_AMOUNTS = frozenset(
    """few little rarely seldom scarce scarcely hardly minority some several sometimes partly partially occasionally
    many much numerous often frequently widely most mostly mainly usually generally typically primarily chiefly
    largely majority normally all every everyone everybody each always entire entirely whole wholly completely fully
    only solely""".split()
)
_ORDER = {"before", "after"}
# Words of time that say the opposite where one stands in the other's place.
_TIMES = {
    "until": frozenset(("from", "since", "after")),
    "from": frozenset(("until",)),
    "since": frozenset(("until",)),
}


def turned(over: Comparison) -> list[Check]:
    """More against less, and words against their opposites, in the nearest sentence."""
    close = over.near(SAME_MATTER)
    mine = comparisons(over.claim.plain)
    if not close:
        cause = "no source sentence is near enough to compare more and less"
        return [
            over.check("comparison", Status.UNKNOWN, Severity.WARN, cause, Span(c.start, c.end)) for c in mine[:1]
        ]
    limits = limited(over)
    if limits:
        return limits
    ranking = ranked(over)
    if ranking is not None:
        return [_ranked(over, ranking)]
    sentence = close[0].sentence
    pair = _opposites(over.claim.plain, sentence.text)
    if pair is not None:
        cause = f"the answer says {pair[0]!r} where the source says {pair[1]!r}"
        where = Span(0, len(over.claim.plain))
        return [over.wrong("comparison", cause, where, FindingKind.CONTRADICTED, sentence.span)]
    theirs = {each.direction for each in comparisons(sentence.text)}
    if not mine:
        return []
    part = Span(mine[0].start, mine[0].end)
    if {each.direction for each in mine} & theirs:
        return [over.check("comparison", Status.PASSED, Severity.BLOCK, None, part, sentence.span)]
    if theirs and close[0].coverage >= SAME_STATEMENT:
        cause = "the answer says more where the source says less, or less where it says more"
        return [over.wrong("comparison", cause, part, FindingKind.CONTRADICTED, sentence.span)]
    cause = "the source sentence compares nothing" if not theirs else "the source compares something else"
    return [over.check("comparison", Status.UNKNOWN, Severity.WARN, cause, part, sentence.span)]


def _ranked(over: Comparison, ranking: Ranked) -> Check:
    """The check of a claim that says which of two is more, beside a source sentence on the same two."""
    if ranking.agrees:
        return over.check("comparison", Status.PASSED, Severity.BLOCK, None, ranking.place, ranking.sentence.span)
    cause = "the source compares the two the other way round"
    return over.wrong("comparison", cause, ranking.place, FindingKind.CONTRADICTED, ranking.sentence.span)


def _opposites(claim: str, source: str) -> tuple[str, str] | None:
    """A word of the claim that the source lacks, and its opposite in the source that the claim lacks."""
    mine, theirs = ({stem(word): word for word in words(text) if word not in _AMOUNTS} for text in (claim, source))
    for each in sorted(mine.keys() - theirs.keys()):
        if _also_said(each, claim, source) or _supposed(mine[each], claim):
            continue
        for other in sorted(_against(each, mine[each]) & theirs.keys() - mine.keys()):
            if {mine[each], theirs[other]} == _ORDER and _sides_changed(mine[each], claim, theirs[other], source):
                continue
            if _beside(each, claim) & _beside(other, source) and _denied(each, claim) == _denied(other, source):
                return mine[each], theirs[other]
    return None


def _supposed(word: str, text: str) -> bool:
    """Whether a folded word stands in what a text only supposes: "if the boiler breaks"."""
    return re.search(rf"\b(?:if|when|once|unless)\b[^,;.]*\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _sides_changed(word: str, claim: str, other: str, source: str) -> bool:
    """Whether what one text has before its word, the other has behind its own: "X after Y", "Y before X"."""
    first, _, second = claim.lower().partition(f" {word} ")
    third, _, fourth = source.lower().partition(f" {other} ")
    one, two, three, four = (frozenset(terms(each)) for each in (first, second, third, fourth))
    return bool(one & four and two & three) and not (one & three - four or two & four - three)


def _also_said(each: str, claim: str, source: str) -> bool:
    """Whether a source says the same beside its opposite: it lowers the risk that something else raises."""
    alike = {other for way in (*_WAYS, *_EFFECTS) if each in way for other in way}
    held = {stem(one) for one in words(source)}
    return any(_beside(each, claim) & _beside(other, source) for other in alike & held)


def _against(each: str, word: str) -> frozenset[str]:
    """The opposite stems of a word: listed, in the lexicon, or with a negating prefix put on or taken off."""
    entry = lexicon().get(each)
    known = opposites_of(word) | _TIMES.get(word, frozenset()) | (entry.opposites if entry else frozenset())
    for one, other in (_WAYS, _EFFECTS):
        known |= other if each in one else one if each in other else frozenset()
    shorn = {each.removeprefix(prefix) for prefix in NEGATING_PREFIXES if each.startswith(prefix)}
    return known | {prefix + each for prefix in NEGATING_PREFIXES} | {short for short in shorn if len(short) > 3}


def _denied(word: str, text: str) -> bool:
    """Whether a text denies what a stem says: what is not allowed is banned."""
    return any(word in each.reached for each in denials(text))


def _beside(word: str, text: str) -> set[str]:
    """The content words within three words of a stem."""
    stems = [stem(each) for each in words(text)]
    around = [near for at, each in enumerate(stems) if each == word for near in stems[max(0, at - 3) : at + 4]]
    return {each for each in around if each != word and each not in STOP_WORDS}
