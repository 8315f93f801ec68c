"""Drafts with one planted error each, and the clean drafts they were made from. Nothing here knows the checks."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from texts import ENDS, Clean, copied, reworded
from values import Change, date, number
from who import name, names, swapped
from words import addition, clauses, negation

Kind = Literal["number", "date", "name", "negation", "addition", "roles", "citation"]
KINDS: tuple[Kind, ...] = ("number", "date", "name", "negation", "addition", "roles", "citation")
SEED = 20_26
COPIED_PER_SET = 110
# Of each clean copied draft these rarer kinds of error are tried, and this many of the others.
RARE: tuple[Kind, ...] = ("number", "date", "roles")
TRIED = 2


@dataclass(frozen=True)
class Draft:
    """A text with its passages. `start, end` is the sentence that holds the planted error; a clean one has no kind.

    `cites` says that every sentence carries the number of its passage.
    """

    clean: Clean
    text: str
    passages: tuple[str, ...]
    cites: bool
    kind: Kind | None = None
    change: Change | None = None
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Pools:
    """What errors are made of: names, clauses and sentences of other texts of the same set."""

    names: tuple[str, ...]
    clauses: tuple[str, ...]
    sentences: tuple[str, ...]


def drafts() -> Iterator[Draft]:
    """All drafts of both strata, in the same order each time."""
    for every in (list(copied(COPIED_PER_SET, SEED)), list(reworded())):
        by_set: dict[str, list[Clean]] = defaultdict(list)
        for clean in every:
            by_set[clean.source].append(clean)
        for source, texts in by_set.items():
            chance = random.Random(f"{SEED}/{texts[0].stratum}/{source}")
            pools = _pools(texts)
            for clean in texts:
                yield from _of(clean, pools, texts, chance)


def _pools(texts: Sequence[Clean]) -> Pools:
    evidence = [each.evidence for each in texts]
    found = sorted({match.group() for text in evidence for match in names(text[:20_000])})
    return Pools(tuple(found), tuple(clauses(evidence)), tuple(s for each in texts for s in each.sentences))


def _of(clean: Clean, pools: Pools, texts: Sequence[Clean], chance: random.Random) -> Iterator[Draft]:
    """The clean draft, and one for each kind of error that it allows."""
    cites = chance.random() < 0.5
    passages = clean.passages
    if clean.stratum == "reworded" and cites:
        others = [each.passages[0] for each in texts if each.group != clean.group]
        passages = (*passages, *chance.sample(others, min(2, len(others))))
    base = replace(clean, passages=passages)
    yield _written(base, list(base.sentences), cites)
    common = [kind for kind in KINDS if kind not in RARE]
    for kind in (*RARE, *(common if clean.stratum == "reworded" else chance.sample(common, TRIED))):
        planted = _planted(base, kind, pools, cites or kind == "citation", chance)
        if planted is not None:
            yield planted


def _planted(clean: Clean, kind: Kind, pools: Pools, cites: bool, chance: random.Random) -> Draft | None:
    """The draft with one error of a kind in one of its sentences, None where none of them allows it."""
    for at in chance.sample(range(len(clean.sentences)), len(clean.sentences)):
        if kind == "citation":
            wrong = _wrong_number(clean, at, chance)
            if wrong is None:
                continue
            numbers = (*clean.numbers[:at], wrong, *clean.numbers[at + 1 :])
            way = "no passage" if wrong > len(clean.passages) else "other passage"
            change = Change(clean.sentences[at], way, str(clean.numbers[at]), str(wrong))
            return _written(replace(clean, numbers=numbers), list(clean.sentences), True, kind, change, at)
        made = _change(clean.sentences[at], clean.evidence, kind, pools, chance)
        if made is not None and made.text != clean.sentences[at]:
            sentences = [*clean.sentences[:at], made.text, *clean.sentences[at + 1 :]]
            return _written(clean, sentences, cites, kind, made, at)
    return None


def _change(sentence: str, evidence: str, kind: Kind, pools: Pools, chance: random.Random) -> Change | None:
    if kind == "number":
        return number(sentence, evidence, chance)
    if kind == "date":
        return date(sentence, evidence, chance)
    if kind == "name":
        return name(sentence, evidence, chance, pools.names)
    if kind == "roles":
        return swapped(sentence, evidence, chance)
    if kind == "negation":
        return negation(sentence, evidence, chance)
    return addition(sentence, evidence, chance, pools.sentences, pools.clauses)


def _wrong_number(clean: Clean, at: int, chance: random.Random) -> int | None:
    """The number of a passage that does not hold the sentence, or of none."""
    if chance.random() < 0.3 or len(clean.passages) == 1:
        return len(clean.passages) + chance.randint(1, 4)
    words = set(clean.sentences[at].lower().split())
    others = [
        n
        for n, text in enumerate(clean.passages, 1)
        if n != clean.numbers[at] and len(words & set(text.lower().split())) < 0.5 * len(words)
    ]
    return chance.choice(others) if others else None


def _written(
    clean: Clean,
    sentences: list[str],
    cites: bool,
    kind: Kind | None = None,
    change: Change | None = None,
    at: int = 0,
) -> Draft:
    """The sentences as one text, each with its mark where it cites."""
    parts = [f"{s} [{n}]" if cites else s for s, n in zip(sentences, clean.numbers, strict=True)]
    start = sum(len(part) + 1 for part in parts[:at])
    end = start + len(parts[at])
    return Draft(clean, " ".join(parts), clean.passages, cites, kind, change, start, end)


def marked(text: str, number: int) -> str:
    """The text with the mark behind each of its sentences.

    >>> marked("It opened. It closed.", 1)
    'It opened. [1] It closed. [1]'
    """
    return " ".join(f"{each} [{number}]" for each in ENDS.split(text))
