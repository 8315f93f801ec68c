"""More against less, and words against their opposites."""

from __future__ import annotations

import re

from assay.text.negation import NEGATING_PREFIXES, comparisons, opposites_of
from assay.text.tokens import STOP_WORDS, stem, terms, words
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verify.comparison import SAME_MATTER, SAME_STATEMENT, Comparison
from assay.verify.denials import denials
from assay.verify.lexicon import lexicon
from assay.verify.limits import limited
from assay.verify.rankings import Ranked, ranked

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
