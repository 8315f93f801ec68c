"""Checks of how a claim relates things: comparisons, opposites, roles, and additions to a copied sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise

from assay.nlp.alignment import SAME_MATTER, SAME_STATEMENT, Alignment, Copied, count_common
from assay.nlp.analysis import Analysis, Token, analyse, within
from assay.nlp.lexicon import word_class
from assay.nlp.negation import NEGATING_PREFIXES, opposite, opposites_of
from assay.nlp.sources import Coverage, SourceIndex, SourceSentence
from assay.nlp.tokens import STOP_WORDS, stem, terms, word_spans, words
from assay.nlp.wordnet import kinship, lexicon
from assay.types import Check, FindingKind, Severity, Span, Status
from assay.verification.claims import failure, result
from assay.verification.negation import denials
from assay.verification.values import bound_checks

# Rankings of two things: "deeper than", "less than", "not as deep as".

_RANKED_CLAUSE = re.compile(r"[.;:,](?=\s|$)|\s(?:but|while|whereas|and|although|though)\s")
_IRREGULAR = {"better": "good", "worse": "bad", "more": "much", "less": "much", "fewer": "much"}
_DOWN = frozenset(("less", "fewer"))
_NOT = frozenset(("not", "never", "no"))
# Clauses of a text that are read; chosen.
_MOST_CLAUSES = 20


@dataclass(frozen=True, slots=True)
class Ranking:
    """A statement that `left` has more (`up`) or less of a property, the stem `of`, than `right`; both as terms.

    `right` is empty where the text does not say what `left` is compared with.
    """

    left: frozenset[str]
    right: frozenset[str]
    of: str
    up: bool
    place: Span


@dataclass(frozen=True, slots=True)
class MatchedRanking:
    """A claim's ranking, and a source sentence that ranks the same two, alike or reversed."""

    place: Span
    sentence: SourceSentence
    agrees: bool


def matching_ranking(claim: Alignment) -> MatchedRanking | None:
    """The claim's ranking with the nearest sentence that ranks the same two by the same property."""
    for claimed in rankings(claim.plain):
        if not claimed.right:
            continue
        for near in claim.near(SAME_MATTER):
            for stored in rankings(near.sentence.text):
                agrees = _rank_alike(claimed, stored)
                if agrees is not None:
                    return MatchedRanking(claimed.place, near.sentence, agrees)
    return None


def _rank_alike(claimed: Ranking, stored: Ranking) -> bool | None:
    """Tell whether two rankings agree; None where they rank other things."""
    sides, directions = _sides_swapped(claimed, stored), _directions_differ(claimed, stored)
    return None if sides is None or directions is None else sides == directions


def _sides_swapped(claimed: Ranking, stored: Ranking) -> bool | None:
    """Tell whether the two sides are swapped; None where they are not the same two."""
    left, right = claimed.left - claimed.right, claimed.right - claimed.left
    if not stored.right:
        return True if right & stored.left and not left & stored.left else None
    stored_left, stored_right = stored.left - stored.right, stored.right - stored.left
    if left & stored_left and right & stored_right:
        return False
    return True if left & stored_right and right & stored_left else None


def _directions_differ(claimed: Ranking, stored: Ranking) -> bool | None:
    """Tell whether one says less where the other says more; None where they rank by other properties."""
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
    return tuple(ranking for start, end in pairwise(edges) for ranking in _in_clause(text, start, end))


def _in_clause(text: str, start: int, end: int) -> Iterator[Ranking]:
    """The ranking of one clause, unless it is negated."""
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
    """The word that "more" or "less" qualifies and its place: "common" of "more common than", else "much"."""
    if at + 1 < len(folded) and than != at + 1:
        entry = lexicon().get(stem(folded[at + 1]))
        if entry is not None and entry.counts[2] > entry.counts[0]:
            return folded[at + 1], at + 1
    return "much", at


def _set(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _base(word: str) -> str | None:
    """The adjective of a comparative, "large" of "larger"; None of other words."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 5 or not word.endswith("er"):
        return None
    forms = [word[:-2], word[:-1], word[:-3]] if word[-3] != "i" else [word[:-3] + "y"]
    return next((term for term in forms if _is_adjective(term)), None)


def _is_adjective(word: str) -> bool:
    entry = lexicon().get(stem(word))
    return entry is not None and entry.counts[2] > 0


# Directions, and words against their opposites.

# Verbs with opposite meanings, in the forms that do not share a stem.
_RISING = frozenset(map(stem, word_class("comparison.rising_verbs")))
_FALLING = frozenset(map(stem, word_class("comparison.falling_verbs")))
_CAUSING = frozenset(map(stem, word_class("comparison.causing_verbs")))
_PREVENTING = frozenset(map(stem, word_class("comparison.preventing_verbs")))
_OPPOSED_VERBS = ((_RISING, _FALLING), (_CAUSING, _PREVENTING))
# Words of amount: "most" beside "few" is no opposite by itself.
_AMOUNTS = word_class("quantifiers.amounts")
_ORDER = {"before", "after"}
# Words of time that are opposites where one replaces the other.
_TIMES = {
    "until": frozenset(("from", "since", "after")),
    "from": frozenset(("until",)),
    "since": frozenset(("until",)),
}


def comparisons(claim: Alignment) -> list[Check]:
    """The checks of bounds, rankings, opposites and directions of the claim against the nearest sentence."""
    close = claim.near(SAME_MATTER)
    if not close:
        return []
    bounds = bound_checks(claim)
    if bounds:
        return bounds
    ranking = matching_ranking(claim)
    if ranking is not None:
        return [_ranking_check(claim, ranking)]
    sentence = close[0].sentence
    pair = _opposites(claim.plain, sentence.text)
    if pair is not None:
        cause = f"the answer says {pair[0]!r} where the source says {pair[1]!r}"
        where = Span(0, len(claim.plain))
        return [failure(claim, "comparison", cause, where, FindingKind.CONTRADICTED, sentence.span)]
    return _direction_checks(claim, close[0])


def _direction_checks(claim: Alignment, near: Coverage) -> list[Check]:
    """The check that a changed copy says more or less where its sentence does; elsewhere it was never right."""
    claimed, stored = claim.analysis.comparisons, near.sentence.analysis.comparisons
    if claim.copied is None or not claimed or not stored:
        return []
    part, source = Span(claimed[0].start, claimed[0].end), near.sentence.span
    if {one.direction for one in claimed} & {one.direction for one in stored}:
        return [result(claim, "comparison", Status.PASSED, Severity.BLOCK, None, part, source)]
    if near.coverage < SAME_STATEMENT:
        return []
    cause = "the answer says more where the source says less, or less where it says more"
    return [failure(claim, "comparison", cause, part, FindingKind.CONTRADICTED, source)]


def _ranking_check(claim: Alignment, ranking: MatchedRanking) -> Check:
    """The check of a claim's ranking against the source's ranking of the same two."""
    if ranking.agrees:
        return result(
            claim, "comparison", Status.PASSED, Severity.BLOCK, None, ranking.place, ranking.sentence.span
        )
    cause = "the source compares the two the other way round"
    return failure(claim, "comparison", cause, ranking.place, FindingKind.CONTRADICTED, ranking.sentence.span)


def _opposites(claim: str, source: str) -> tuple[str, str] | None:
    """A word that only the claim has, and its opposite that only the source has, beside a word of both."""
    claimed, stored = (
        {stem(word): word for word in words(text) if word not in _AMOUNTS} for text in (claim, source)
    )
    for one in sorted(claimed.keys() - stored.keys()):
        if _has_synonym(one, claim, source) or _is_supposed(claimed[one], claim):
            continue
        for other in sorted(_opposite_stems(one, claimed[one]) & stored.keys() - claimed.keys()):
            if {claimed[one], stored[other]} == _ORDER and _is_inverted(claimed[one], claim, stored[other], source):
                continue
            if _neighbours(one, claim) & _neighbours(other, source) and (
                _is_denied(one, claim) == _is_denied(other, source)
            ):
                return claimed[one], stored[other]
    return None


def _is_supposed(word: str, text: str) -> bool:
    """Tell whether a folded word stands in a condition: "if the boiler breaks"."""
    return re.search(rf"\b(?:if|when|once|unless)\b[^,;.]*\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _is_inverted(word: str, claim: str, other: str, source: str) -> bool:
    """Tell whether the two texts have the words before and behind swapped: "X after Y", "Y before X"."""
    sides = (*claim.lower().partition(f" {word} ")[::2], *source.lower().partition(f" {other} ")[::2])
    before, behind, source_before, source_behind = (frozenset(terms(side)) for side in sides)
    is_crossed = bool(before & source_behind and behind & source_before)
    return is_crossed and not (before & source_before - source_behind or behind & source_behind - source_before)


def _has_synonym(word: str, claim: str, source: str) -> bool:
    """Tell whether the source also has a synonym of the word, beside a word of both: it says the same, too."""
    synonyms = frozenset[str]().union(*(verbs for pair in _OPPOSED_VERBS for verbs in pair if word in verbs))
    held = set(map(stem, words(source)))
    return any(_neighbours(word, claim) & _neighbours(other, source) for other in synonyms & held)


def _opposite_stems(root: str, word: str) -> frozenset[str]:
    """The opposite stems of a word: listed, in the lexicon, or with a negating prefix added or removed."""
    entry = lexicon().get(root)
    known = opposites_of(word) | _TIMES.get(word, frozenset()) | (entry.opposites if entry else frozenset())
    for one, other in _OPPOSED_VERBS:
        known |= other if root in one else one if root in other else frozenset()
    shorn = {root.removeprefix(prefix) for prefix in NEGATING_PREFIXES if root.startswith(prefix)}
    return known | {prefix + root for prefix in NEGATING_PREFIXES} | {short for short in shorn if len(short) > 3}


def _is_denied(word: str, text: str) -> bool:
    """Tell whether a denial of a text reaches a stem."""
    return any(word in denial.reached for denial in denials(text))


def _neighbours(word: str, text: str) -> set[str]:
    """The content words within three words of a stem."""
    stems = [stem(word) for word in words(text)]
    places = [at for at, found in enumerate(stems) if found == word]
    near = {found for at in places for found in stems[max(0, at - 3) : at + 4]}
    return near - STOP_WORDS - {word}


# Roles: parts of a copied sentence that have changed places.

# Moved words, and moved stretches with a content word, from which on roles differ: a single one is an adverb more
# often than a name; chosen.
_LEAST_MOVED = 2
# Names of a claim of which pairs are tried; chosen.
_MOST_NAMES = 8
# Words between two names whose relation holds both ways, or that form a list.
_SYMMETRIC = word_class("comparison.symmetric")
_JOINS = frozenset(("and", "or"))


def roles(claim: Alignment) -> list[Check]:
    """The check that no parts of a changed copy have changed places.

    A free wording may have another order and say the same (docs/decisions/175).
    """
    if claim.copied is None or ((ranking := matching_ranking(claim)) is not None and ranking.agrees):
        return []
    tokens, sentence = claim.analysis.tokens, claim.copied.sentence
    pair = _swapped_names(claim.copied, claim.plain, tokens) or _shuffled_words(claim.copied, tokens)
    return [_role_failure(claim, sentence, *pair)] if pair else []


def _role_failure(claim: Alignment, sentence: SourceSentence, first: Span, second: Span) -> Check:
    one, other = (claim.plain[span.start : span.end] for span in (first, second))
    said = f"{other.strip()!r} and {one.strip()!r}" if first != second else f"{one!r}"
    cause = f"the source has {said} the other way round"
    return failure(claim, "roles", cause, Span(first.start, second.end), FindingKind.CONTRADICTED, sentence.span)


def _swapped_names(copied: Copied, claim: str, tokens: Sequence[Token]) -> tuple[Span, Span] | None:
    """Two names that the claim has swapped: swapping them back brings it closer to the sentence."""
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
        lengths = first.end - first.start, second.start - first.end, second.end - second.start
        moves = sum(lengths) - max(lengths)  # one of the three stands in its place already
        if count_common(back, stored) >= count_common(stems, stored) + moves:
            return _place(tokens, first), _place(tokens, second)
    return None


def _shuffled_words(copied: Copied, tokens: Sequence[Token]) -> tuple[Span, Span] | None:
    """The first and last moved stretch of a claim of the sentence's own words, where more than one has moved."""
    stored = [token.stem for token in copied.sentence.analysis.tokens]
    if Counter(token.stem for token in tokens) - Counter(stored):
        return None
    moved = [edit.claim for edit in copied.copy.edits if edit.claim.start < edit.claim.end]
    stems = [[token.stem for token in tokens if within(token, span)] for span in moved]
    saying = [any(_has_content(token) for token in tokens if within(token, span)) for span in moved]
    if sum(saying) < min(_LEAST_MOVED, len(moved)):
        return None  # "The deposit is 2,300", of "a deposit of 2,300 is held": only stop words moved
    if sum(map(len, stems)) < _LEAST_MOVED or (len(moved) == 1 and _moved_together(stems[0], stored)):
        return None
    return moved[0], moved[-1]


def _has_content(word: Token) -> bool:
    """Tell whether a word is a content word; "it's" is none."""
    return word.folded not in STOP_WORDS and word.folded.partition("'")[0] not in STOP_WORDS


def _moved_together(some: Sequence[str], every: Sequence[str]) -> bool:
    """Tell whether some words were moved together, or within a list."""
    is_listed = not _JOINS.isdisjoint((some[0], some[-1]))
    return is_listed or any(list(every[at : at + len(some)]) == list(some) for at in range(len(every)))


def _held_part(name: Span, stems: Sequence[str], stored: Set[str]) -> Span | None:
    """The part of a name, as a range of words, that the sentence holds: "Khoury" of "Amir Khoury"."""
    held = [at for at in range(name.start, name.end) if stems[at] in stored]
    return Span(held[0], held[-1] + 1) if held else None


def _runs(claim: str, tokens: Sequence[Token]) -> list[Span]:
    """The names of the claim as ranges of its words."""
    found = []
    for name in analyse(claim).names:
        at = [n for n, token in enumerate(tokens) if name.start <= token.start < name.end]
        if at:
            found.append(Span(at[0], at[-1] + 1))
    return found


def _place(words: Sequence[Token], run: Span) -> Span:
    return Span(words[run.start].start, words[run.end - 1].end)


# Additions: words of a changed copy that no source says.

# Words that make an inserted stretch an addition, and the share of it that another sentence must hold; chosen.
LEAST_INSERTED = 4
ELSEWHERE = 0.5


def additions(claim: Alignment) -> list[Check]:
    """The check that no source lacks the words inserted into a changed copy."""
    if claim.copied is None:
        return []
    cause = "no source of this claim says this part of it"
    return [failure(claim, "additions", cause, span, FindingKind.UNSUPPORTED_ADDITION) for span in _inserted(claim)]


def _inserted(claim: Alignment) -> Iterator[Span]:
    """The stretches inserted into the copied sentence that no source sentence holds."""
    assert claim.copied is not None  # noqa: S101 - asked for only where there is one
    for edit in claim.copied.copy.edits:
        text = claim.plain[edit.claim.start : edit.claim.end]
        if len(words(text)) < LEAST_INSERTED or 2 * (edit.source.end - edit.source.start) > len(text):
            continue  # little is inserted; or it replaces something, and may say the same
        if _best_share(terms(text), claim.sources) < ELSEWHERE:
            yield edit.claim


def _best_share(wanted: Iterable[str], sources: SourceIndex) -> float:
    """The largest share of some terms that one sentence holds."""
    every = set(wanted)
    if not every:
        return 1.0
    return max((len(every & set(sentence.terms)) for sentence in sources.sentences), default=0) / len(every)
