"""How a claim relates what it names, beside what its sources say of the same: comparisons, roles, additions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise

from assay.nlp.alignment import SAME_MATTER, SAME_STATEMENT, Alignment, Copied, kept
from assay.nlp.analysis import Analysis, Token, analyse, within
from assay.nlp.negation import NEGATING_PREFIXES, opposite, opposites_of
from assay.nlp.sources import SourceIndex, SourceSentence
from assay.nlp.tokens import STOP_WORDS, stem, terms, word_spans, words
from assay.nlp.wordnet import kinship, lexicon
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.claims import failure, result
from assay.verification.negation import denials
from assay.verification.values import limited

# Which of two is more: "deeper than", "less than", "not as deep as".

_RANKED_CLAUSE = re.compile(r"[.;:,](?=\s|$)|\s(?:but|while|whereas|and|although|though)\s")
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


def ranked(claim: Alignment) -> Ranked | None:
    """The claim's ranking beside the nearest sentence that ranks the same two by the same property, if one does."""
    for claimed in rankings(claim.plain):
        if not claimed.right:
            continue
        for near in claim.near(SAME_MATTER):
            for stored in rankings(near.sentence.text):
                agrees = _agrees(claimed, stored)
                if agrees is not None:
                    return Ranked(claimed.place, near.sentence, agrees)
    return None


def _agrees(claimed: Ranking, stored: Ranking) -> bool | None:
    """Whether two rankings say the same; None where they are of other things."""
    swapped, reversed_ = _sides_swapped(claimed, stored), _directions_differ(claimed, stored)
    return None if swapped is None or reversed_ is None else swapped == reversed_


def _sides_swapped(claimed: Ranking, stored: Ranking) -> bool | None:
    """Whether the two sides have changed places; None where they are not the same two."""
    left, right = claimed.left - claimed.right, claimed.right - claimed.left
    if not stored.right:
        return True if right & stored.left and not left & stored.left else None
    stored_left, stored_right = stored.left - stored.right, stored.right - stored.left
    if left & stored_left and right & stored_right:
        return False
    return True if left & stored_right and right & stored_left else None


def _directions_differ(claimed: Ranking, stored: Ranking) -> bool | None:
    """Whether the one says less where the other says more; None where they rank by something else."""
    if claimed.of == stored.of or kinship(claimed.of, stored.of) == "same":
        return claimed.up != stored.up
    if opposite(claimed.of, stored.of) or kinship(claimed.of, stored.of) == "opposite":
        return claimed.up == stored.up
    return None


def rankings(text: str) -> tuple[Ranking, ...]:
    """The rankings of a text in order; a number behind "than" ranks nothing.

    >>> [(sorted(r.left), sorted(r.right), r.of, r.up) for r in rankings("Ulm is not as deep as Orsa, but larger.")]
    [(['ulm'], ['orsa'], 'deep', False), ([], [], 'larg', True)]
    """
    return analyse(text).derive(_rankings)


def _rankings(read: Analysis) -> tuple[Ranking, ...]:
    text = read.text
    edges = [0, *(match.end() for match in _RANKED_CLAUSE.finditer(text)), len(text)][: _MOST_CLAUSES + 1]
    return tuple(one for start, end in pairwise(edges) for one in _in_clause(text, start, end))


def _in_clause(text: str, start: int, end: int) -> Iterator[Ranking]:
    """The ranking of one clause, if it holds one that is stated."""
    spans = [Span(start + span.start, start + span.end) for span in word_spans(text[start:end])]
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
    return next((term for term in forms if _is_adjective(term)), None)


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


def comparisons(claim: Alignment) -> list[Check]:
    """More against less, and words against their opposites, in the nearest sentence."""
    close = claim.near(SAME_MATTER)
    stated = claim.analysis.comparisons
    if not close:
        cause = "no source sentence is near enough to compare more and less"
        return [
            result(claim, "comparison", Status.UNKNOWN, Severity.WARN, cause, Span(c.start, c.end))
            for c in stated[:1]
        ]
    limits = limited(claim)
    if limits:
        return limits
    ranking = ranked(claim)
    if ranking is not None:
        return [_ranked(claim, ranking)]
    sentence = close[0].sentence
    pair = _opposites(claim.plain, sentence.text)
    if pair is not None:
        cause = f"the answer says {pair[0]!r} where the source says {pair[1]!r}"
        where = Span(0, len(claim.plain))
        return [failure(claim, "comparison", cause, where, FindingKind.CONTRADICTED, sentence.span)]
    stored = {one.direction for one in sentence.analysis.comparisons}
    if not stated:
        return []
    part = Span(stated[0].start, stated[0].end)
    if {one.direction for one in stated} & stored:
        return [result(claim, "comparison", Status.PASSED, Severity.BLOCK, None, part, sentence.span)]
    if stored and close[0].coverage >= SAME_STATEMENT:
        cause = "the answer says more where the source says less, or less where it says more"
        return [failure(claim, "comparison", cause, part, FindingKind.CONTRADICTED, sentence.span)]
    cause = "the source sentence compares nothing" if not stored else "the source compares something else"
    return [result(claim, "comparison", Status.UNKNOWN, Severity.WARN, cause, part, sentence.span)]


def _ranked(claim: Alignment, ranking: Ranked) -> Check:
    """The check of a claim that says which of two is more, beside a source sentence on the same two."""
    if ranking.agrees:
        return result(
            claim, "comparison", Status.PASSED, Severity.BLOCK, None, ranking.place, ranking.sentence.span
        )
    cause = "the source compares the two the other way round"
    return failure(claim, "comparison", cause, ranking.place, FindingKind.CONTRADICTED, ranking.sentence.span)


def _opposites(claim: str, source: str) -> tuple[str, str] | None:
    """A word of the claim that the source lacks, and its opposite in the source that the claim lacks."""
    stated, stored = (
        {stem(word): word for word in words(text) if word not in _AMOUNTS} for text in (claim, source)
    )
    for one in sorted(stated.keys() - stored.keys()):
        if _also_said(one, claim, source) or _supposed(stated[one], claim):
            continue
        for other in sorted(_against(one, stated[one]) & stored.keys() - stated.keys()):
            if {stated[one], stored[other]} == _ORDER and _sides_changed(stated[one], claim, stored[other], source):
                continue
            if _beside(one, claim) & _beside(other, source) and _denied(one, claim) == _denied(other, source):
                return stated[one], stored[other]
    return None


def _supposed(word: str, text: str) -> bool:
    """Whether a folded word stands in what a text only supposes: "if the boiler breaks"."""
    return re.search(rf"\b(?:if|when|once|unless)\b[^,;.]*\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _sides_changed(word: str, claim: str, other: str, source: str) -> bool:
    """Whether what one text has before its word, the other has behind its own: "X after Y", "Y before X"."""
    first, _, second = claim.lower().partition(f" {word} ")
    third, _, fourth = source.lower().partition(f" {other} ")
    one, two, three, four = (frozenset(terms(side)) for side in (first, second, third, fourth))
    return bool(one & four and two & three) and not (one & three - four or two & four - three)


def _also_said(word: str, claim: str, source: str) -> bool:
    """Whether a source says the same beside its opposite: it lowers the risk that something else raises."""
    alike = {other for way in (*_WAYS, *_EFFECTS) if word in way for other in way}
    held = {stem(one) for one in words(source)}
    return any(_beside(word, claim) & _beside(other, source) for other in alike & held)


def _against(root: str, word: str) -> frozenset[str]:
    """The opposite stems of a word: listed, in the lexicon, or with a negating prefix put on or taken off."""
    entry = lexicon().get(root)
    known = opposites_of(word) | _TIMES.get(word, frozenset()) | (entry.opposites if entry else frozenset())
    for one, other in (_WAYS, _EFFECTS):
        known |= other if root in one else one if root in other else frozenset()
    shorn = {root.removeprefix(prefix) for prefix in NEGATING_PREFIXES if root.startswith(prefix)}
    return known | {prefix + root for prefix in NEGATING_PREFIXES} | {short for short in shorn if len(short) > 3}


def _denied(word: str, text: str) -> bool:
    """Whether a text denies what a stem says: what is not allowed is banned."""
    return any(word in denial.reached for denial in denials(text))


def _beside(word: str, text: str) -> set[str]:
    """The content words within three words of a stem."""
    stems = [stem(word) for word in words(text)]
    around = [near for at, each in enumerate(stems) if each == word for near in stems[max(0, at - 3) : at + 4]]
    return {one for one in around if one != word and one not in STOP_WORDS}


# Roles: parts of a copied sentence that have changed places.

# One word that has moved is an adverb more often than a name; of several stretches two must say something.
_LEAST_MOVED = 2
# Of a claim with more names than this, pairs of the first are looked at.
_MOST_NAMES = 8
# Where one of these stands between the names, the relation may hold both ways, or the names are a list.
_SYMMETRIC = frozenset(
    """and or nor versus vs v with between both met meet meets together married marry wed share shares shared border
    borders bordered include includes including like such as than against""".split()
)
_JOINS = frozenset(("and", "or"))


def roles(claim: Alignment) -> list[Check]:
    """Parts of a changed copy that have changed places in the sentence that it copies.

    In words of its own a claim may turn a sentence about and say the same (docs/decisions/175).
    """
    if claim.copied is None or ((ranking := ranked(claim)) is not None and ranking.agrees):
        return []
    tokens, sentence = claim.analysis.tokens, claim.copied.sentence
    pair = _swapped_names(claim.copied, claim.plain, tokens) or _shuffled_words(claim.copied, tokens)
    return [_wrong(claim, sentence, *pair)] if pair else []


def _wrong(claim: Alignment, sentence: SourceSentence, first: Span, second: Span) -> Check:
    one, other = (claim.plain[span.start : span.end] for span in (first, second))
    said = f"{other.strip()!r} and {one.strip()!r}" if first != second else f"{one!r}"
    cause = f"the source has {said} the other way round"
    return failure(claim, "roles", cause, Span(first.start, second.end), FindingKind.CONTRADICTED, sentence.span)


def _swapped_names(copied: Copied, claim: str, tokens: Sequence[Token]) -> tuple[Span, Span] | None:
    """Two names that, put back into each other's places, bring the claim back to the sentence."""
    stems, stored = [token.stem for token in tokens], [token.stem for token in copied.sentence.analysis.tokens]
    held = [name for name in (_held_part(run, stems, set(stored)) for run in _runs(claim, tokens)) if name]
    moved = [span for span in held if copied.copy.edits_at(_place(tokens, span))]
    for first, second in combinations(held[:_MOST_NAMES], 2):
        between = {token.folded for token in tokens[first.end : second.start]}
        if (first not in moved and second not in moved) or not between or between & _SYMMETRIC:
            continue
        back = [
            *stems[: first.start], *stems[second.start : second.end], *stems[first.end : second.start],
            *stems[first.start : first.end], *stems[second.end :],
        ]  # fmt: skip
        moves = first.end - first.start + second.end - second.start
        if kept(back, stored) >= kept(stems, stored) + moves:
            return _place(tokens, first), _place(tokens, second)
    return None


def _shuffled_words(copied: Copied, tokens: Sequence[Token]) -> tuple[Span, Span] | None:
    """Where the claim has the sentence's own words in another order, and more than one stretch of it has moved."""
    stored = [token.stem for token in copied.sentence.analysis.tokens]
    if Counter(token.stem for token in tokens) - Counter(stored):
        return None
    moved = [edit.claim for edit in copied.copy.edits if edit.claim.start < edit.claim.end]
    stems = [[token.stem for token in tokens if within(token, span)] for span in moved]
    saying = [any(_has_content(token) for token in tokens if within(token, span)) for span in moved]
    if sum(saying) < min(_LEAST_MOVED, len(moved)):
        return None  # "The deposit is 2,300", of "a deposit of 2,300 is held": words that say nothing
    if sum(map(len, stems)) < _LEAST_MOVED or (len(moved) == 1 and _only_moved(stems[0], stored)):
        return None
    return moved[0], moved[-1]


def _has_content(word: Token) -> bool:
    """Whether a word says something by itself: "it's" does not."""
    return word.folded not in STOP_WORDS and word.folded.partition("'")[0] not in STOP_WORDS


def _only_moved(some: Sequence[str], every: Sequence[str]) -> bool:
    """Whether some words stand side by side in a sentence, moved as one, or were moved within a list."""
    listed = not _JOINS.isdisjoint((some[0], some[-1]))
    return listed or any(list(every[at : at + len(some)]) == list(some) for at in range(len(every)))


def _held_part(name: Span, stems: Sequence[str], stored: Set[str]) -> Span | None:
    """The part of a name, as a range of words, that the sentence holds: "Khoury" of "Amir Khoury"."""
    held = [at for at in range(name.start, name.end) if stems[at] in stored]
    return Span(held[0], held[-1] + 1) if held else None


def _runs(claim: str, tokens: Sequence[Token]) -> list[Span]:
    """The names of the claim as ranges of its words."""
    found = []
    for name in analyse(claim).names:
        at = [n for n, each in enumerate(tokens) if name.start <= each.start < name.end]
        if at:
            found.append(Span(at[0], at[-1] + 1))
    return found


def _place(words: Sequence[Token], run: Span) -> Span:
    return Span(words[run.start].start, words[run.end - 1].end)


# Additions: what a changed copy says that no source says.

# From this many words on, what is put into a copied sentence is an addition; to this share it must stand elsewhere.
LEAST_INSERTED = 4
ELSEWHERE = 0.5


def additions(claim: Alignment) -> list[Check]:
    """The words put into a changed copy that no source bears out."""
    if claim.copied is None:
        return []
    cause = "no source of this claim says this part of it"
    return [failure(claim, "additions", cause, span, FindingKind.UNSUPPORTED_ADDITION) for span in _inserted(claim)]


def _inserted(claim: Alignment) -> Iterator[Span]:
    """Words that were put into the sentence that the claim is copied from, and that no sentence holds."""
    assert claim.copied is not None  # noqa: S101 - asked for only where there is one
    for edit in claim.copied.copy.edits:
        text = claim.plain[edit.claim.start : edit.claim.end]
        if len(words(text)) < LEAST_INSERTED or 2 * (edit.source.end - edit.source.start) > len(text):
            continue  # little is put in; or it stands in the place of something, and may say the same
        if _most_in_one(terms(text), claim.sources) < ELSEWHERE:
            yield edit.claim


def _most_in_one(wanted: Iterable[str], sources: SourceIndex) -> float:
    """The largest share of some terms that one sentence holds."""
    every = set(wanted)
    if not every:
        return 1.0
    return max((len(every & set(sentence.terms)) for sentence in sources.sentences), default=0) / len(every)
