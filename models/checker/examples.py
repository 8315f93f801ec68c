"""Write the checker's training examples: claims beside windows of passages, labelled.

    .venv/bin/python models/checker/examples.py SHARED OUT [--hold GENRE …] [--seed S]

SHARED is the folder of shared material, with `data/train/checker` and `data/train/written`; models/data/claims has
more claims over the written passages. OUT gets `train.jsonl.gz` and `held.jsonl.gz`, an example a line: {"claim",
"title", "window", "label", "source", "group"}. `label` is "supports", "contradicts", "neither" or, where a set does
not tell the last two apart, "unsupported"; `group` joins the examples that are compared, null where there is one.
Written claims also have "pid", "genre", "type", "overlap" (the share of the claim's terms that the passage has)
and "held": "passage" for every sixth passage by the hash of its text, which no reader has read either, "genre" for
the others of a genre that is held out (`--hold` with no name holds out none), "" for those that teach.
Runs in the project's own environment.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

from assay.text.rarity import rarity
from assay.text.sentences import sentences
from assay.text.tokens import terms, words
from assay.types import Span

MODELS = Path(__file__).resolve().parents[1]
CLAIMS = MODELS / "data" / "claims" / "claims.jsonl.gz"
ENCODER = MODELS / "src" / "assay_models" / "minilm_l6_v2_int8"
# One in so many written passages is held out: the same ones as for the reader (models/reader/examples.py).
HELD_EVERY = 6
HELD_GENRES = ("business, law, medicine, news, dialogue",)
# Title and window together, in tokens: a written claim is seen so often, each time in another group.
WIDTHS = (256, 256, 144)
# A first line of at most so many words is the text's title; a sentence of more words than LONGEST is cut.
HEADING, LONGEST = 12, 60
# True claims in a group at most, and false ones.
OF_A_KIND = 3
# Forms that are mostly true in these data: they stand more often beside a passage that does not say them.
FORMS, FORM_WEIGHT = frozenset({"short", "long", "table", "code"}), 3
# Passages that share a run of so many words teach nothing where one of them is held out.
RUN = 10
# Rows of each set at most: few where it has little variety, template language, captions, noise or easy claims.
MOST = {
    "breaking-nli": 1_500,
    "condaqa-yesno": 2_000,
    "contractnli": 600,
    "faithdial-audit-wow": 400,
    "fever-binary": 6_000,
    "folio": 800,
    "hans": 500,
    "infotabs": 9_000,
    "med": 2_500,
    "mnli-dev": 12_000,
    "q2-wow": 400,
    "snli-dev": 1_500,
    "vitaminc-synthetic": 10_000,
}
# Sets with the same claim beside contradicting texts; elsewhere the claims on one text are compared.
BY_CLAIM = frozenset({"vitaminc-real", "vitaminc-synthetic", "fever-symmetric"})
LARGEST_GROUP = 6
# Sets of which every twelfth page is held out, to watch; at most so many rows of each.
WATCHED, WATCHED_EVERY, WATCHED_ROWS = ("attributionbench", "expertqa", "fool-me-twice", "infotabs"), 12, 400
LABELS = {
    "supported": "supports",
    "contradicted": "contradicts",
    "neutral": "neither",
    "unsupported": "unsupported",
}
VERDICTS = {"s": "supports", "c": "contradicts", "u": "neither"}


@dataclass(frozen=True, slots=True)
class Written:
    """A written passage with its claims; `held` is "", "passage" or "genre"."""

    pid: str
    title: str
    text: str
    source: str
    genre: str
    held: str
    claims: tuple[dict, ...]


@dataclass(frozen=True, slots=True)
class Sentences:
    """A text's sentences, with their terms and tokens; `headed` where the first is a title.

    A line break ends a sentence, too, and a very long one is cut.
    """

    spans: tuple[Span, ...]
    terms: tuple[frozenset[str], ...]
    tokens: tuple[int, ...]
    headed: bool


class Windows:
    """Cuts windows; keeps what it read of a text for the next claim on it."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._read = lru_cache(1 << 10)(self._sentences)

    def window(self, claim: str, title: str, text: str, width: int) -> str:
        """The sentences nearest to the claim, in their order, as many as fit beside the title.

        A narrow window is widened where it would leave out one that holds a term of the claim which no other has.
        """
        read = self._read(text)
        asked = {term: rarity(term) for term in terms(claim)}
        cover = covering(asked, read.terms)
        beside = len(self._tokenizer.encode(title, add_special_tokens=False).ids)
        must = [0, *cover] if read.headed else cover
        room = (width if sum(read.tokens[at] for at in set(must)) <= width - beside else WIDTHS[0]) - beside
        if sum(read.tokens) <= room:
            return text
        kept: list[int] = []
        for at in dict.fromkeys([*must, *nearest(asked, cover, read.terms)]):
            if read.tokens[at] <= room or not kept:
                kept.append(at)
                room -= read.tokens[at]
        return "\n".join(text[start:end] for start, end in stretches(sorted(kept), read.spans))

    def _sentences(self, text: str) -> Sentences:
        spans = tuple(line for sentence in sentences(text) for line in lines_of(text, sentence))
        texts = [text[span.start : span.end] for span in spans]
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return Sentences(
            spans,
            tuple(frozenset(terms(line)) for line in texts),
            tuple(len(line.ids) for line in encoded),
            "\n" in text.strip() and len(texts[0].split()) <= HEADING,
        )


def lines_of(text: str, sentence: Span) -> Iterator[Span]:
    """The sentence in parts: a line each, of at most sixty words.

    >>> [(part.start, part.end) for part in lines_of("Key: value\\nKey 2", Span(0, 16))]
    [(0, 10), (11, 16)]
    """
    start = sentence.start
    for line in text[sentence.start : sentence.end].splitlines(keepends=True):
        places = [match.span() for match in re.finditer(r"\S+", line)]
        for first in range(0, len(places), LONGEST):
            part = places[first : first + LONGEST]
            yield Span(start + part[0][0], start + part[-1][1])
        start += len(line)


def covering(asked: Mapping[str, float], held: Sequence[frozenset[str]]) -> list[int]:
    """Sentences that together hold the asked terms, each next one by the weight it adds (the greedy set cover)."""
    missing, cover = set(asked), list[int]()

    def added(at: int) -> float:
        return sum(asked[term] for term in held[at] & missing)

    while added(best := max(range(len(held)), key=added)) > 0:
        cover.append(best)
        missing -= held[best]
    return cover


def nearest(asked: Mapping[str, float], cover: Sequence[int], held: Sequence[frozenset[str]]) -> list[int]:
    """Those that cover the claim, then their neighbours, then the others by the weight of the terms they share."""
    beside = [at for chosen in cover for at in (chosen - 1, chosen + 1) if 0 <= at < len(held)]
    rest = sorted(range(len(held)), key=lambda at: -sum(asked[term] for term in held[at] & asked.keys()))
    return [*cover, *beside, *rest]


def stretches(kept: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Where the kept sentences begin and end, those that follow one another as one.

    >>> list(stretches([0, 1, 3], [Span(0, 2), Span(3, 5), Span(6, 8), Span(9, 11)]))
    [(0, 5), (9, 11)]
    """
    begin = 0
    for at in range(1, len(kept) + 1):
        if at == len(kept) or kept[at] != kept[at - 1] + 1:
            yield spans[kept[begin]].start, spans[kept[at - 1]].end
            begin = at


class Elsewhere:
    """Finds, for a true claim, a passage that shares its words and does not say it."""

    def __init__(self, passages: Sequence[Written]) -> None:
        self._passages = passages
        self._places = defaultdict[str, list[int]](list)
        for at, passage in enumerate(passages):
            for term in set(terms(f"{passage.title}\n{passage.text}")):
                self._places[term].append(at)

    def passage(self, claim: str, own: Written, draw: random.Random) -> Written | None:
        """One of the three nearest passages of other documents."""
        shared = Counter[int]()
        for term in set(terms(claim)):
            weight = rarity(term)
            for at in self._places.get(term, ()):
                shared[at] += weight
        found = (self._passages[at] for at, _ in shared.most_common(20))
        others = [other for other in found if not related(own, other)][:3]
        return draw.choice(others) if others else None


def related(one: Written, other: Written) -> bool:
    """Whether what one passage says may stand in the other: one document, a repeated text, or a named title."""
    if document(one) == document(other) or one.title == other.title != "":
        return True
    if one.title and one.title.casefold() in other.text.casefold():
        return True
    return not runs(one.text).isdisjoint(runs(other.text))


def document(passage: Written) -> str:
    """The document of a passage: its source as far as that names one."""
    return passage.pid if passage.source == "own" else passage.source.partition("<::>")[0]


@lru_cache(1 << 12)
def runs(text: str) -> frozenset[tuple[str, ...]]:
    """Every run of ten words of the text."""
    said = words(text)
    return frozenset(tuple(said[at : at + RUN]) for at in range(len(said) - RUN + 1))


def read(path: Path) -> list[dict]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bucket(text: str, many: int) -> int:
    """A text's bucket, so that copies of one text fall together."""
    return int(hashlib.sha256(" ".join(text.split()).encode()).hexdigest(), 16) % many


def written_passages(folder: Path, genres: Sequence[str]) -> list[Written]:
    """The written passages with both files of claims."""
    claims = defaultdict[str, list[dict]](list)
    for row in (*read(folder / "claims.jsonl.gz"), *read(CLAIMS)):
        claims[row["pid"]].append(row)
    made = []
    for row in read(folder / "passages.jsonl.gz"):
        held = "genre" if row["genre"] in genres else ""
        if bucket(row["text"], HELD_EVERY) == 0:
            held = "passage"
        made.append(Written(**row, held=held, claims=tuple(claims[row["pid"]])))
    return made


def said(row: dict) -> str:
    """The claim; a terse reply behind its question."""
    return f"{row['question']} {row['claim']}" if row.get("question") else row["claim"]


def natural(
    passages: Sequence[Written], widths: Sequence[int], windows: Windows, draw: random.Random
) -> Iterator[dict]:
    """Groups of true and false claims on one passage, each with a true claim beside a passage that lacks it."""
    elsewhere = Elsewhere(passages)
    for turn, width in enumerate(widths):
        for passage in passages:
            for number, claims in enumerate(dealt(passage.claims, draw)):
                group = f"{passage.pid}-{turn}-{number}"
                for row in claims:
                    yield of_written(row, passage, VERDICTS[row["verdict"]], width, windows) | {"group": group}
                true = [row for row in claims if row["verdict"] == "s"]
                if not true:
                    continue
                weights = [FORM_WEIGHT if row["type"] in FORMS else 1 for row in true]
                row = draw.choices(true, weights)[0]
                other = elsewhere.passage(said(row), passage, draw)
                if other is not None:
                    made = of_written(row, other, "neither", width, windows)
                    yield made | {"source": "elsewhere", "group": group}


def of_written(row: dict, passage: Written, label: str, width: int, windows: Windows) -> dict:
    """One example of a written claim."""
    claim = said(row)
    asked = set(terms(claim))
    stand = asked & set(terms(f"{passage.title}\n{passage.text}"))
    window = windows.window(claim, passage.title, passage.text, width)
    return {
        "claim": claim,
        # A window that begins with its title does not need it twice.
        "title": "" if window.startswith(passage.title) else passage.title,
        "window": window,
        "label": label,
        "source": "written",
        "pid": passage.pid,
        "genre": passage.genre,
        "type": row["type"],
        "overlap": round(len(stand) / max(1, len(asked)), 3),
        "held": passage.held,
    }


def dealt(claims: Sequence[dict], draw: random.Random) -> Iterator[list[dict]]:
    """Groups of at most three true and three false claims, dealt at random."""
    true = [row for row in claims if row["verdict"] == "s"]
    false = [row for row in claims if row["verdict"] != "s"]
    draw.shuffle(true)
    draw.shuffle(false)
    many = max(1, -(-max(len(true), len(false)) // OF_A_KIND))
    for number in range(many):
        yield [*true[number::many], *false[number::many]]


def public(
    path: Path, held: frozenset[tuple[str, ...]], windows: Windows, draw: random.Random
) -> tuple[list[dict], list[dict]]:
    """One public set: the examples that teach, in groups, and those to watch. Rows that quote a held passage go."""
    source = path.name.removesuffix(".jsonl.gz")
    rows = [row for row in read(path) if held.isdisjoint(runs(row["context"]))]
    watched = [row for row in rows if source in WATCHED and bucket(page(row), WATCHED_EVERY) == 0]
    away = {row["id"] for row in watched}
    groups = defaultdict[str, list[dict]](list)
    for row in rows:
        if row["id"] not in away:
            groups[row["claim" if source in BY_CLAIM else "context"]].append(row)
    teach: list[dict] = []
    for name in draw.sample(sorted(groups), len(groups)):
        if len(teach) >= MOST.get(source, len(rows)):
            break
        some = draw.sample(groups[name], min(len(groups[name]), LARGEST_GROUP))
        group = f"{source}-{some[0]['id']}" if len({row["label"] == "supported" for row in some}) == 2 else None
        teach += [of_public(row, source, windows) | {"group": group} for row in some]
    watched = draw.sample(watched, min(len(watched), WATCHED_ROWS))
    return teach, [of_public(row, source, windows) | {"group": None} for row in watched]


def page(row: dict) -> str:
    """What a row is about: its question, else the first line of its context, which is a title in sets of pages."""
    return row.get("question") or row["context"].partition("\n")[0]


def of_public(row: dict, source: str, windows: Windows) -> dict:
    """One example of a public set, whose contexts hold their titles."""
    window = windows.window(row["claim"], "", row["context"], WIDTHS[0])
    return {"claim": row["claim"], "title": "", "window": window, "label": LABELS[row["label"]], "source": source}


def counted(rows: Iterable[dict], key: Callable[[dict], str]) -> Iterator[str]:
    """A line for each source, with its labels."""
    counts = defaultdict[str, Counter[str]](Counter)
    for row in rows:
        counts[key(row)][row["label"]] += 1
    for name, labels in sorted(counts.items()):
        yield f"{name:24}{labels.total():8}  " + "  ".join(f"{label} {labels[label]}" for label in sorted(labels))


def main() -> None:
    """Read, mix, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("shared", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--hold", nargs="*", default=HELD_GENRES)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(asked.seed)
    tokenizer = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    windows = Windows(tokenizer)
    data = asked.shared / "data" / "train"
    passages = written_passages(data / "written", asked.hold)
    away = frozenset(run for passage in passages if passage.held for run in runs(passage.text))
    teaching = [passage for passage in passages if not passage.held and away.isdisjoint(runs(passage.text))]
    train = list(natural(teaching, WIDTHS, windows, draw))
    held = list(natural([passage for passage in passages if passage.held], WIDTHS[:1], windows, draw))
    for path in sorted((data / "checker").glob("*.jsonl.gz")):
        teach, watched = public(path, away, windows, draw)
        train += teach
        held += watched
    draw.shuffle(train)
    for name, rows in (("train", train), ("held", held)):
        with gzip.open(asked.out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        print(name, len(rows))
        print(*counted(rows, lambda row: f"{row['source']} {row.get('held', '')}"), sep="\n")


if __name__ == "__main__":
    main()
