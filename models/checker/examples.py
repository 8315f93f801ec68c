"""Write the checker's training examples: claims beside windows of passages, labelled.

    .venv/bin/python models/checker/examples.py SHARED SETS OUT [--hold GENRE …] [--public SHARE] [--seed S]
        [--turns T]

SHARED is the folder of shared material, with `data/train/checker`, `data/train/written` and the labelled sets of
`data/dev` that may teach; of these two folds of five are kept out. SETS is the folder of documentations that
models/data/asked fills; models/data/claims has claims over passages of both. OUT gets `train.jsonl.gz` and
`held.jsonl.gz`, an example a line: {"claim", "evidence", "label", "source", "group"}.
`label` is "supports", "contradicts", "neither" or, where a set does
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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from places import CLAIMS as DOCUMENTATION
from places import PLACES, of_pieces, read_text
from twins import wrong_name, wrong_number, wrong_polarity, wrong_word

from assay.nlp.sentences import sentences
from assay.nlp.tokens import rarity, terms, words
from assay.nlp.windows import evidence, plain, window
from assay.types import Passage

MODELS = Path(__file__).resolve().parents[1]
CLAIMS = MODELS / "data" / "claims" / "claims.jsonl.gz"
PUBLIC = MODELS / "data" / "claims" / "public.jsonl.gz"
HELD_SETS = MODELS / "data" / "asked" / "held.txt"
# One in so many written passages is held out: the same ones as for the reader (models/reader/examples.py).
HELD_EVERY = 6
HELD_GENRES = ("business, law, medicine, news, dialogue",)
# A written claim is seen so often, each time in another group; a labelled one in as many examples alike.
TURNS, LABELLED_TURNS = 3, 2
# The labelled sets whose licence lets them teach, and how much of them is kept out, by their groups.
LABELLED = (
    *(f"summedits-{each}" for each in ("news", "samsum", "scitldr", "ectsum", "qmsumm", "podcast")),
    *("summedits-sales_call", "summedits-sales_email", "wice", "scifact", "factcheck-gpt", "falke"),
    *("begin-wow", "begin-tc", "begin-cmu"),
)
FOLDS, KEPT_FOLDS = 5, frozenset({0, 1})
# True claims in a group at most, and false ones.
OF_A_KIND = 3
# Forms that are mostly true in these data: they stand more often beside a passage that does not say them.
FORMS, FORM_WEIGHT = frozenset({"short", "long", "table", "code"}), 3
# Passages that share a run of so many words teach nothing where one of them is held out.
RUN = 10
# False siblings in a group of written claims at most.
SIBLINGS = 1
# Sentences of a passage that become claims as they are, and how many words those have.
COPIES, SHORTEST, LONGEST = 2, 5, 45
# How the false siblings of a true claim are made, and what they are then.
CHANGES: tuple[tuple[str, Callable[[str, str, random.Random], str | None]], ...] = (
    ("c", wrong_number),
    ("c", wrong_name),
    ("c", lambda claim, _, draw: wrong_polarity(claim, draw)),
    ("?", lambda claim, _, draw: wrong_word(claim, draw)),
)
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
VERDICTS = {"s": "supports", "c": "contradicts", "u": "neither", "?": "unsupported"}


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

    @property
    def passage(self) -> Passage:
        """As the program has it."""
        return Passage(self.pid, self.pid, "", 0, len(self.text), self.text, self.title)


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


def documentation(sets: Path) -> list[Written]:
    """The passages of documentations that claims are written over; those of held-out sets are held, too.

    They are taken from their documents by their places, whatever today's splitter makes of them. Ends the program
    where a document is missing or another version. Raises KeyError for a passage without a place.
    """
    held = frozenset(HELD_SETS.read_text(encoding="utf-8").split())
    claims = defaultdict[str, list[dict]](list)
    for row in read(DOCUMENTATION):
        claims[row["passage"]].append(row)
    places = json.loads(gzip.decompress(PLACES.read_bytes()))
    found = []
    for pid, rows in claims.items():
        at = places[pid]
        name, path = at["set"], sets / at["set"] / at["file"]
        text = of_pieces(at["pieces"], read_text(path)) if path.exists() else ""
        if hashlib.sha256(text.encode()).hexdigest()[:16] == pid:
            kept = "passage" if name in held else ""
            found.append(Written(pid, at["title"], text, name, "documentation", kept, tuple(rows)))
    if len(found) < len(claims):
        raise SystemExit(f"{sets} lacks {len(claims) - len(found)} of {len(claims)} passages")
    return found


def public_passages(folder: Path) -> list[Written]:
    """The passages of public sets of questions that claims are written over; a sixth of them is held."""
    claims = defaultdict[str, list[dict]](list)
    sets = {}
    for row in read(PUBLIC):
        claims[row["passage"]].append(row)
        sets[row["passage"]] = row["set"]
    found: dict[str, Written] = {}
    for name in sorted(set(sets.values())):
        for row in read(folder / f"{name}.jsonl.gz"):
            pid = hashlib.sha256(row["passage"].encode()).hexdigest()[:16]
            if sets.get(pid) == name and pid not in found:
                held = "passage" if bucket(row["passage"], HELD_EVERY) == 0 else ""
                found[pid] = Written(pid, "", row["passage"], f"{name}:{pid}", "public", held, tuple(claims[pid]))
    if missing := claims.keys() - found.keys():
        raise SystemExit(f"{folder} lacks {len(missing)} of {len(claims)} passages")
    return list(found.values())


def said(row: dict) -> str:
    """The claim; a terse reply behind its question."""
    return f"{row['question']} {row['claim']}" if row.get("question") else row["claim"]


def natural(passages: Sequence[Written], turns: int, draw: random.Random) -> Iterator[dict]:
    """Groups of true and false claims on one passage, each with a true claim beside a passage that lacks it.

    In every third turn a claim stands beside two more passages that share its words, as those of an answer do.
    """
    elsewhere = Elsewhere(passages)
    for turn in range(turns):
        for passage in passages:
            for number, claims in enumerate(dealt(passage.claims, draw)):
                group = f"{passage.pid}-{turn}-{number}"
                changed = () if passage.held else list(siblings(claims, passage.text, draw))
                changed = draw.sample(changed, min(len(changed), SIBLINGS))
                for row in (*claims, *changed):
                    beside = [passage]
                    if turn % 3 == 2:
                        beside += [each for _ in range(2) if (each := elsewhere.passage(said(row), passage, draw))]
                        draw.shuffle(beside)
                    yield of_written(row, passage, beside, VERDICTS[row["verdict"]]) | {"group": group}
                true = [row for row in claims if row["verdict"] == "s"]
                if not true:
                    continue
                weights = [FORM_WEIGHT if row["type"] in FORMS else 1 for row in true]
                row = draw.choices(true, weights)[0]
                other = elsewhere.passage(said(row), passage, draw)
                if other is not None:
                    made = of_written(row, other, [other], "neither")
                    yield made | {"source": "elsewhere", "group": group}


def siblings(claims: Sequence[dict], passage: str, draw: random.Random) -> Iterator[dict]:
    """One false sibling of each kind that the true claims of a group have."""
    true = [row for row in claims if row["verdict"] == "s"]
    for verdict, change in CHANGES:
        changed = ((row, change(row["claim"], passage, draw)) for row in draw.sample(true, len(true)))
        for row, claim in changed:
            if claim is not None:
                yield row | {"claim": claim, "verdict": verdict}
                break


def copies(passages: Sequence[Written], draw: random.Random) -> Iterator[dict]:
    """Sentences of each passage as claims, each beside up to three false siblings of its own."""
    elsewhere = Elsewhere(passages)
    for passage in passages:
        found = [passage.text[span.start : span.end] for span in sentences(passage.text)]
        whole = [each for text in found if is_prose(each := plain(text))]
        for number, claim in enumerate(draw.sample(whole, min(len(whole), COPIES))):
            row = {"claim": claim, "verdict": "s", "type": "copy"}
            false = list(siblings([row], passage.text, draw))
            beside = [passage]
            if number % 2 and (other := elsewhere.passage(claim, passage, draw)):
                beside.append(other)
            for each in (row, *draw.sample(false, min(len(false), OF_A_KIND))):
                group = f"{passage.pid}-copy-{number}" if false else None
                yield of_written(each, passage, beside, VERDICTS[each["verdict"]]) | {
                    "source": "copy",
                    "group": group,
                }


def is_prose(sentence: str) -> bool:
    """Whether a sentence of a passage stands for itself as a claim.

    >>> is_prose("The house was built in 1932."), is_prose("Usage:")
    (True, False)
    """
    return SHORTEST <= len(sentence.split()) <= LONGEST and sentence[0].isupper() and sentence[-1] in '.!”"'


def of_written(row: dict, passage: Written, beside: Sequence[Written], label: str) -> dict:
    """One example of a written claim, beside passages among which is its own."""
    claim = said(row)
    asked = set(terms(claim))
    stand = asked & set(terms(f"{passage.title}\n{passage.text}"))
    return {
        "claim": plain(claim),
        "evidence": evidence(claim, [each.passage for each in beside]),
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
    path: Path, share: float, held: frozenset[tuple[str, ...]], draw: random.Random
) -> tuple[list[dict], list[dict]]:
    """One public set: a share of the examples that teach, in groups, and those to watch.

    Rows that quote a held passage go.
    """
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
        if len(teach) >= share * MOST.get(source, len(rows)):
            break
        some = draw.sample(groups[name], min(len(groups[name]), LARGEST_GROUP))
        group = f"{source}-{some[0]['id']}" if len({row["label"] == "supported" for row in some}) == 2 else None
        teach += [of_public(row, source) | {"group": group} for row in some]
    watched = draw.sample(watched, min(len(watched), WATCHED_ROWS))
    return teach, [of_public(row, source) | {"group": None} for row in watched]


def keeps(group: object) -> bool:
    """Whether the claims of this group of a labelled set teach nothing, so that they can be measured.

    >>> keeps("summedits:news:1")
    False
    """
    return int(hashlib.sha256(str(group).encode()).hexdigest(), 16) % FOLDS in KEPT_FOLDS


def labelled(path: Path, held: frozenset[tuple[str, ...]]) -> Iterator[dict]:
    """The claims of a labelled set that teach, a sentence each, beside windows as the program cuts them.

    Of a false claim of several sentences only one is known to be false: the one that no true claim about the same
    text has. Where that is not one, the claim is left out.
    """
    source = path.parent.name
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    rows = [row for row in rows if not keeps(row.get("group")) and held.isdisjoint(runs(row["context"]))]
    true = defaultdict[str, set[str]](set)
    for row in rows:
        if row["supported"]:
            true[row["context"]].update(said_in(row["claim"]))
    for row in rows:
        sentences = said_in(row["claim"])
        if not row["supported"]:
            sentences = [each for each in sentences if each not in true[row["context"]]]
            sentences = sentences if len(sentences) == 1 else []
        passage = Passage("context", "context", "", 0, len(row["context"]), row["context"])
        for claim in sentences:
            label = "supports" if row["supported"] else "unsupported"
            made = {"claim": claim, "evidence": evidence(claim, [passage]), "label": label, "source": source}
            yield made | {"group": f"{source}-{row['context'][:200]}"}


def said_in(claim: str) -> list[str]:
    """The sentences of a claim, as the program reads them."""
    whole = plain(claim)
    return [whole[span.start : span.end] for span in sentences(whole)]


def in_groups(rows: Sequence[dict], draw: random.Random) -> Iterator[dict]:
    """The rows with groups of at most six, in which true and false ones can be compared; null for the others."""
    groups = defaultdict[str, list[dict]](list)
    for row in rows:
        groups[row["group"]].append(row)
    for name, some in groups.items():
        true = [row for row in some if row["label"] == "supports"]
        false = [row for row in some if row["label"] != "supports"]
        draw.shuffle(true)
        draw.shuffle(false)
        many = max(1, -(-max(len(true), len(false)) // OF_A_KIND))
        for number in range(many):
            here = [*true[number::many], *false[number::many]]
            both = len({row["label"] for row in here}) == 2
            yield from (row | {"group": f"{name[:80]}-{number}" if both else None} for row in here)


def page(row: dict) -> str:
    """What a row is about: its question, else the first line of its context, which is a title in sets of pages."""
    return row.get("question") or row["context"].partition("\n")[0]


def of_public(row: dict, source: str) -> dict:
    """One example of a public set, whose contexts hold their titles."""
    read = window(row["claim"], "", row["context"])
    return {"claim": row["claim"], "evidence": read, "label": LABELS[row["label"]], "source": source}


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
    for name in ("shared", "sets", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--hold", nargs="*", default=HELD_GENRES)
    parser.add_argument("--public", type=float, default=1.0, metavar="SHARE")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(asked.seed)
    data = asked.shared / "data" / "train"
    passages = [
        *written_passages(data / "written", asked.hold),
        *documentation(asked.sets),
        *public_passages(data / "reader"),
    ]
    away = frozenset(run for passage in passages if passage.held for run in runs(passage.text))
    teaching = [passage for passage in passages if not passage.held and away.isdisjoint(runs(passage.text))]
    train = list(natural(teaching, asked.turns, draw))
    train += copies(teaching, draw)
    held_passages = [passage for passage in passages if passage.held]
    held = [*natural(held_passages, 1, draw), *copies(held_passages, draw)]
    for path in sorted((data / "checker").glob("*.jsonl.gz")):
        teach, watched = public(path, asked.public, away, draw)
        train += teach
        held += watched
    for name in LABELLED:
        rows = list(labelled(asked.shared / "data" / "dev" / name / "grounding.jsonl", away))
        for turn in range(LABELLED_TURNS):
            train += [row | {"group": row["group"] and f"{row['group']}/{turn}"} for row in in_groups(rows, draw)]
    draw.shuffle(train)
    for name, rows in (("train", train), ("held", held)):
        with gzip.open(asked.out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        print(name, len(rows))
        print(*counted(rows, lambda row: f"{row['source']} {row.get('held', '')}"), sep="\n")


if __name__ == "__main__":
    main()
