"""Make the pairs that the evidence network learns from: a window of passages, a question, whether it is answered.

    ../../.venv/bin/python evidence_pairs.py OUT [--passages N] [--seed S]

OUT/labelled.jsonl: the labelled rows of the evidence sets, all folds: one pair of the window over all passages
(kind "whole") and one of each passage's own (kind "passage", labelled as the set marks it). OUT/written.jsonl:
questions made of a sentence of allowed text, beside a window with the sentence, without it, and of other passages.
The form is that of pairs.py, the question in the claim's place, so that train.py reads both. Nothing of this is
ever committed.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path
from random import Random

from edits import Edit, Nearby, edit, named
from pairs import Pair, passages, write
from paraphrase import paraphrased, reworded
from questions import question
from splits import EVIDENCE, fold_of, rows
from vocabulary import Vocabulary

from assay.judge.probe import Probe, probe_of
from assay.judge.reading import Line, Reading, cover, read
from assay.judge.window import window
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Message, Passage, Question
from assay.understand.rules import understood

# Long texts are cut to stretches of about this many words.
STRETCH = 130
SENTENCES_A_STRETCH = 2
# Edits after which a sentence asks or says something else.
OTHER = frozenset({"number", "month", "name", "swap", "sister", "opposite", "another word", "unit"})
# Edits that a text can contradict: a claim edited so is still settled by the sentence.
SETTLED = frozenset({"number", "month", "number word", "unit", "denial", "opposite"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A passage of allowed text: where it is from, its sentences, the terms of each."""

    source: str
    lines: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]


def stretch(source: str, text: str) -> Iterator[Stretch]:
    """The stretches of a text."""
    cut = [" ".join(text[each.start : each.end].split()) for each in sentences(text[:12000])]
    held: list[str] = []
    for each in cut:
        if held and sum(len(one.split()) for one in held) + len(each.split()) > STRETCH:
            yield Stretch(source, tuple(held), tuple(tuple(terms(one)) for one in held))
            held = []
        held.append(each)
    if held:
        yield Stretch(source, tuple(held), tuple(tuple(terms(one)) for one in held))


class Near:
    """Which other stretches share most rare words with one (Robertson's inverse document frequencies)."""

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self.stretches = stretches
        self.holders: dict[str, list[int]] = defaultdict(list)
        for at, each in enumerate(stretches):
            for term in {term for line in each.terms for term in line}:
                self.holders[term].append(at)

    def to(self, asked: Sequence[str], mine: int, count: int) -> list[int]:
        """The numbers of the `count` nearest to these terms, without `mine`."""
        scores: Counter[int] = Counter()
        for term in set(asked):
            holders = self.holders.get(term, ())
            if 0 < len(holders) < len(self.stretches) / 20:
                weight = log(len(self.stretches) / len(holders))
                for at in holders:
                    scores[at] += weight
        scores.pop(mine, None)
        return [at for at, _ in scores.most_common(count)]


@lru_cache(maxsize=4096)
def probed(text: str) -> Probe:
    """The probe of a question as the judge makes it."""
    return probe_of(understood(text))


def reading(number: int, lines: Sequence[tuple[str, tuple[str, ...]]], probe: Probe) -> Reading:
    """What `assay.judge.reading.read` gives, from terms that are known already."""
    order = tuple(term for _, found in lines for term in found)
    held = frozenset(probe.weights.keys() & set(order))
    made = []
    for at, (text, found) in enumerate(lines):
        here = frozenset(probe.weights.keys() & set(found))
        made.append(Line(text, at, here, cover(here, probe)))
    return Reading(str(number), order, held, cover(held, probe), tuple(made))


def written(stretches: Sequence[Stretch], vocabulary: Vocabulary, random: Random) -> Iterator[Pair]:
    """Questions and claims made of sentences, beside what answers them and what does not."""
    near = Near(stretches)
    strangers: list[str] = ["London", "Germany", "John Smith", "NASA"]
    for number, mine in enumerate(stretches):
        good = [at for at, each in enumerate(mine.lines) if 7 <= len(each.split()) <= 45 and each[0].isalnum()]
        names = named(" ".join(mine.lines))
        nearby = Nearby(mine.lines, names, tuple(strangers), vocabulary)
        for at in random.sample(good, min(SENTENCES_A_STRETCH, len(good))):
            yield from _about(number, at, near, nearby, random)
        strangers = (strangers + random.sample(names, min(3, len(names))))[-400:]


def _about(number: int, at: int, near: Near, nearby: Nearby, random: Random) -> Iterator[Pair]:
    """Pairs about one sentence: asked and claimed, with it, without it, edited, and among its like."""
    mine = near.stretches[number]
    sentence = mine.lines[at]
    if random.random() < 0.25:
        yield from _claimed(number, at, near, nearby, random)
        return
    asked = question(sentence, random)
    if asked is None:
        return
    text = _worded(asked.text, nearby, random)
    others = _others(near, [*terms(text), *mine.terms[at]], number, random)
    made = _pair(text, number, mine, others, near, random, "asked", 1)
    if made is None or not _told(made.evidence, sentence):
        return
    yield made
    yield from _some(_pair(text, number, without(mine, at), others, near, random, "left out", 0))
    changed = edit(sentence, nearby, random)
    false = changed.on(sentence) if changed and changed.kind in OTHER else None
    if changed is not None and false is not None and random.random() < 0.8:
        yield from _otherwise(asked.text, changed, number, at, others, near, nearby, random)
    if random.random() < 0.3:
        yield from _some(_pair(text, number, None, others, near, random, "like it", 0))


def _otherwise(
    asked: str,
    changed: Edit,
    number: int,
    at: int,
    others: Sequence[int],
    near: Near,
    nearby: Nearby,
    random: Random,
) -> Iterator[Pair]:
    """The question edited, which the sentence does not answer; beside the sentence edited alike, which does."""
    mine = near.stretches[number]
    other = changed.on(asked)
    if other is None or other == asked:
        return
    text = _worded(other, nearby, random)
    yield from _some(_pair(text, number, mine, others, near, random, f"other {changed.kind}", 0))
    false = changed.on(mine.lines[at])
    if false is not None and random.random() < 0.6:
        yield from _some(_pair(text, number, replaced(mine, at, false), others, near, random, "both edited", 1))


def _claimed(number: int, at: int, near: Near, nearby: Nearby, random: Random) -> Iterator[Pair]:
    """A claim that the sentence settles, one way or the other; and one that it does not."""
    mine = near.stretches[number]
    sentence = mine.lines[at]
    changed = edit(sentence, nearby, random)
    false = changed.on(sentence) if changed else None
    claims = [(paraphrased(sentence, random, nearby.vocabulary), 1)]
    if changed is not None and false is not None and changed.kind in SETTLED:
        claims.append((paraphrased(false, random, nearby.vocabulary), 1))
    elif changed is not None and false is not None and changed.kind in {"name", "swap", "sister", "another word"}:
        claims.append((paraphrased(false, random, nearby.vocabulary), 0))
    for text, label in claims:
        others = _others(near, terms(text), number, random)
        yield from _some(_pair(text, number, mine, others, near, random, "claimed", label))
        if label:
            yield from _some(_pair(text, number, without(mine, at), others, near, random, "claim left out", 0))


def _some(pair: Pair | None) -> Iterator[Pair]:
    if pair is not None:
        yield pair


def _worded(text: str, nearby: Nearby, random: Random) -> str:
    """The question in other words, often in small letters without a mark."""
    for _ in range(random.choice((0, 1, 1, 2))):
        text = reworded(text, random, nearby.vocabulary)
    return text.lower() if random.random() < 0.5 else f"{text[0].upper()}{text[1:]}?"


def _others(near: Near, asked: Sequence[str], number: int, random: Random) -> list[int]:
    """Up to four stretches beside the sentence's own: the nearest but for the very first places now and then."""
    count = random.choice((0, 0, 1, 3, 4))
    found = near.to(asked, number, count + 1)
    return found[:count] if random.random() < 0.7 else found[-count:] if count else []


def without(mine: Stretch, at: int) -> Stretch:
    """The stretch without one sentence."""
    return Stretch(mine.source, mine.lines[:at] + mine.lines[at + 1 :], mine.terms[:at] + mine.terms[at + 1 :])


def replaced(mine: Stretch, at: int, line: str) -> Stretch:
    """The stretch with another sentence in one's place."""
    lines = (*mine.lines[:at], line, *mine.lines[at + 1 :])
    return Stretch(mine.source, lines, (*mine.terms[:at], tuple(terms(line)), *mine.terms[at + 1 :]))


def _told(evidence: str, sentence: str) -> bool:
    return " ".join(sentence.split()[:12]) in evidence


def _pair(
    text: str,
    number: int,
    mine: Stretch | None,
    others: Sequence[int],
    near: Near,
    random: Random,
    kind: str,
    label: int,
) -> Pair | None:
    """The question beside the window over a stretch and others; None where nothing can be read."""
    probe = probed(text)
    if not probe.weights:
        return None
    pool = [near.stretches[each] for each in others] + ([mine] if mine is not None and mine.lines else [])
    random.shuffle(pool)
    readings = [reading(at, list(zip(each.lines, each.terms, strict=True)), probe) for at, each in enumerate(pool)]
    found = window(probe, readings, {}, random.randint(50, 90))
    source = near.stretches[number].source
    return Pair(found, text, label, kind, source, 1) if found else None


def labelled(name: str) -> Iterator[Pair]:
    """The rows of one evidence set: over all passages, and each passage for itself where it is marked."""
    for row in rows(name, "evidence"):
        asked = _question(row)
        probe, fold, key = probe_of(asked), fold_of(str(row["group"])), str(row["id"])
        readings = [read(_passage(each), probe) for each in row["passages"]]
        whole = window(probe, readings, {})
        yield Pair(whole, asked.standalone, int(row["sufficient"]), "whole", f"{name}:evidence", fold, key)
        for each, one in zip(row["passages"], readings, strict=True):
            label = int(bool(each.get("relevant")))
            if len(readings) > 1 and (label or not row["sufficient"] or len(readings) < 6):
                alone = window(probe, [one], {})
                yield Pair(alone, asked.standalone, label, "passage", f"{name}:evidence", fold, key)


def _question(row: dict) -> Question:
    turns = row.get("history") or ()
    history = tuple(
        Message("user" if (turn.get("role") or turn.get("speaker")) == "user" else "assistant", turn["text"])
        for turn in turns
    )
    return understood(str(row["query"]), history)


def _passage(row: dict) -> Passage:
    return Passage(str(row["id"]), str(row["id"]), "", 0, len(row["text"]), row["text"])


def main() -> None:
    """Make the files that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--passages", type=int, default=9000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    write(asked.out / "labelled.jsonl", (pair for name in EVIDENCE for pair in labelled(name)))
    texts = passages(asked.passages, Random(asked.seed))
    vocabulary = Vocabulary(text for _, text in texts)
    found = {each.lines: each for source, text in texts for each in list(stretch(source, text))[:6]}
    stretches = list(found.values())
    Random(asked.seed + 1).shuffle(stretches)
    print(len(stretches), "stretches", flush=True)
    write(asked.out / "written.jsonl", written(stretches, vocabulary, Random(asked.seed + 2)))


if __name__ == "__main__":
    main()
