"""Make the pairs that the grader's network learns from: evidence, claim, and whether the one bears out the other.

    ../../.venv/bin/python pairs.py OUT [--passages N] [--seed S]

OUT/labelled.jsonl: the labelled rows of all folds, each beside its window. OUT/corrupted.jsonl: supported claims
that people wrote, and edits of them. OUT/written.jsonl: sentences of allowed text, paraphrased and edited. A file
that is there is kept, so a stopped run goes on. Nothing of this is ever committed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from random import Random

from edits import Edit, Nearby, edit, named
from paraphrase import paraphrased
from splits import DATA, EVIDENCE, NETWORK, SUPPORT, fold_of, rows
from vocabulary import Vocabulary
from windows import ground, window

from assay.text.sentences import sentences
from assay.verify.ground import Ground

# Claims of more words are graded sentence by sentence.
LONGEST_CLAIM = 60
WORDS_OF_EVIDENCE = 70
EDITS_A_CLAIM = 3
SENTENCES_A_PASSAGE = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair: `label` is 1 where the evidence bears out all of the claim. `key` names the row it comes from."""

    evidence: str
    claim: str
    label: int
    kind: str
    source: str
    fold: int
    key: str = ""


@lru_cache(maxsize=64)
def _ground(context: str) -> Ground:
    return ground(context)


def pieces(claim: str) -> list[str]:
    """The sentences of a claim that is graded piece by piece as well; none where it is one sentence."""
    found = [claim[each.start : each.end] for each in sentences(claim)]
    return found if len(found) > 1 else []


def labelled(names: Iterable[str], kind: str = "grounding") -> Iterator[Pair]:
    """The rows of the sets, whole and by sentence (those have the label of the whole, and kind "piece")."""
    for name in names:
        for row in rows(name, kind):
            fold, label, key = fold_of(row["group"]), int(row["supported"]), str(row["id"])
            for at, text in enumerate([row["claim"], *pieces(row["claim"])]):
                evidence = window(text, _ground(row["context"]))
                yield Pair(evidence, text, label, "piece" if at else "whole", f"{name}:{kind}", fold, key)


def corrupted(vocabulary: Vocabulary, strangers: list[str], random: Random) -> Iterator[Pair]:
    """Edits of supported claims that people or models wrote, and the claims beside edited evidence."""
    for name in SUPPORT:
        for row in rows(name):
            fold = fold_of(row["group"])
            if not row["supported"] or fold not in NETWORK or len(row["claim"].split()) > LONGEST_CLAIM:
                continue
            against = _ground(row["context"])
            near = Nearby(against.texts[:60], named(row["context"][:4000]), strangers, vocabulary)
            yield from _edited(
                row["claim"], window(row["claim"], against, WORDS_OF_EVIDENCE), near, random, name, fold
            )


def _edited(claim: str, evidence: str, near: Nearby, random: Random, source: str, fold: int) -> Iterator[Pair]:
    """The claim paraphrased (true), up to three edits of it (false); true where the evidence is edited too."""
    yield Pair(evidence, paraphrased(claim, random, near.vocabulary), 1, "reworded", source, fold)
    for _ in range(EDITS_A_CLAIM):
        made = edit(claim, near, random)
        false = made.on(claim) if made else None
        if made is None or false is None:
            continue
        yield Pair(evidence, paraphrased_keeping(false, made, near, random), 0, made.kind, source, fold)
        changed = made.on(evidence) if made.old and made.mutual else None
        if changed is not None:
            yield Pair(changed, false, 1, made.kind, source, fold)
            yield Pair(changed, claim, 0, made.kind, source, fold)


def paraphrased_keeping(text: str, made: Edit, near: Nearby, random: Random) -> str:
    """A paraphrase that keeps what the edit put there; the text itself after three that do not."""
    for _ in range(3):
        other = paraphrased(text, random, near.vocabulary)
        if all(word.lower() in other.lower() for word in made.new.split()):
            return other
    return text


def written(texts: Iterable[tuple[str, str]], vocabulary: Vocabulary, random: Random) -> Iterator[Pair]:
    """Sentences of passages against their surroundings: paraphrased, edited, and with themselves left out."""
    strangers: list[str] = ["London", "Germany", "John Smith", "NASA"]
    for source, text in texts:
        cut = [text[each.start : each.end] for each in sentences(text)]
        good = [
            at
            for at, each in enumerate(cut)
            if 7 <= len(each.split()) <= 40 and each[-1] == "." and each[0].isupper()
        ]
        mine = named(text[:3000])
        near = Nearby(cut[:40], mine, tuple(strangers), vocabulary)
        for at in random.sample(good, min(SENTENCES_A_PASSAGE, len(good))):
            yield from _about(cut, at, near, random, source)
        strangers = (strangers + random.sample(mine, min(3, len(mine))))[-400:]


def _about(cut: list[str], at: int, near: Nearby, random: Random, source: str) -> Iterator[Pair]:
    """Pairs about one sentence: both ways where the edit is as false one way as the other."""
    true = cut[at]
    made = edit(true, near, random)
    false = made.on(true) if made else None
    if made is None or false is None:
        return
    around = _surroundings(cut, at, random)
    with_true, with_false = around.replace("\0", true), around.replace("\0", false)
    yield Pair(with_true, paraphrased(true, random, near.vocabulary), 1, "reworded", source, 1)
    yield Pair(with_true, paraphrased_keeping(false, made, near, random), 0, made.kind, source, 1)
    if made.mutual:
        yield Pair(with_false, paraphrased_keeping(false, made, near, random), 1, made.kind, source, 1)
        yield Pair(with_false, _kept(true, made, near, random), 0, made.kind, source, 1)
    elif made.kind == "addition":
        yield Pair(with_false, paraphrased(true, random, near.vocabulary), 1, made.kind, source, 1)
    without = around.replace("\0", "").strip()
    if random.random() < 0.25 and len(without.split()) > 15:
        yield Pair(without, paraphrased(true, random, near.vocabulary), 0, "left out", source, 1)


def _kept(true: str, made: Edit, near: Nearby, random: Random) -> str:
    """The unedited sentence, paraphrased so that the words the edit replaced are still there."""
    back = Edit(made.kind, made.new, made.old)
    return paraphrased_keeping(true, back, near, random)


def _surroundings(cut: list[str], at: int, random: Random) -> str:
    """Up to four sentences around the one at `at`, whose place holds a mark."""
    before, after = random.choice(((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (0, 3)))
    kept = [*cut[max(0, at - before) : at], "\0", *cut[at + 1 : at + 1 + after]]
    while len(kept) > 1 and sum(len(each.split()) for each in kept) > WORDS_OF_EVIDENCE:
        kept.pop(0 if kept[0] != "\0" else -1)
    return " ".join(kept)


def passages(count: int, random: Random) -> list[tuple[str, str]]:
    """Texts to write pairs from: the labelled sets' own (the network's folds), then the large plain collection."""
    found: dict[str, str] = {}
    for name in EVIDENCE:
        for row in rows(name, "evidence"):
            if fold_of(row["group"]) in NETWORK:
                found |= {each["text"]: name for each in row["passages"]}
    for name in SUPPORT:
        for row in rows(name):
            if fold_of(row["group"]) in NETWORK and len(row["context"].split()) > 60:
                found.setdefault(row["context"], name)
    own = [(name, text) for text, name in found.items() for _ in range(1 + min(6, len(text.split()) // 300))]
    rest = max(0, count - len(own))
    texts = own + list(islice(_plain(), rest))
    random.shuffle(texts)
    return texts


def _plain() -> Iterator[tuple[str, str]]:
    with gzip.open(DATA / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["source"] != "gcide":
                yield f"scale:{row['source']}", row["text"]


def write(path: Path, pairs: Iterable[Pair]) -> None:
    """Write the pairs, one a line, unless the file is there."""
    if path.exists():
        print(path, "is there", file=sys.stderr)
        return
    part = path.with_suffix(".part")
    count = 0
    with part.open("w", encoding="utf-8") as out:
        for pair in pairs:
            if pair.evidence and pair.claim:
                out.write(json.dumps(asdict(pair), ensure_ascii=False) + "\n")
                count += 1
    part.rename(path)
    print(path, count, file=sys.stderr, flush=True)


def main() -> None:
    """Make the files that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--passages", type=int, default=14000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    texts = passages(asked.passages, Random(asked.seed))
    vocabulary = Vocabulary(text for _, text in texts)
    strangers = named(" . ".join(text[:300] for _, text in texts[:300]))
    write(asked.out / "written.jsonl", written(texts, vocabulary, Random(asked.seed + 1)))
    write(asked.out / "corrupted.jsonl", corrupted(vocabulary, strangers, Random(asked.seed + 2)))
    write(asked.out / "oracle.jsonl", labelled(("wice",), "grounding_oracle"))
    others = ("qags-cnndm", "qags-xsum", "climate-fever", "faithbench", "averitec")
    write(asked.out / "labelled.jsonl", labelled((*SUPPORT, *others, *_kept_out())))


def _kept_out() -> tuple[str, ...]:
    from splits import KEPT_OUT

    return KEPT_OUT


if __name__ == "__main__":
    main()
