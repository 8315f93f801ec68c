"""Write the reader's training examples: people's questions beside passages, with what is to be found there.

    python examples.py DATA ENCODER OUT [--seed S]

DATA is the folder with `reader/`, `written/` and `checker/`; ENCODER the folder of the bundled sentence
encoder, which finds the passages that look like an answer and hold none. OUT gets `train.jsonl.gz` and
`held.jsonl.gz`, an example a line: {"question", "title", "passage", "start", "end", "answerable", "yes_no",
"source", "group"}. `start` and `end` are offsets in the passage, null where no span is known; `answerable` is
1, 0 or null; `yes_no` 0 for yes, 1 for no, 2 for neither, null where the question is of another kind; `group`
joins the passages that are compared for one question, null where there is one. Held out are SQuAD 2.0's dev set
and every sixth passage, by the hash of its text, of the written questions.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

YES, NO, NEITHER = 0, 1, 2
# One in so many written passages is held out.
HELD_EVERY = 6
# How many examples of each source are drawn at most, chosen for variety within one pass of an hour on two cores.
MOST = {
    "squad_train_answerable": 30_000,
    "squad2_train_unanswerable": 30_000,
    "squadshifts_new_wiki": 6_000,
    "fairytaleqa": 6_000,
    "medquad": 2_500,
    "condaqa-yesno": 8_000,
}
CLAIMS_AS_QUESTIONS = {"vitaminc-real": 5_000, "fool-me-twice": 2_500, "infotabs": 3_000, "written": 12_000}
# A written answer counts as found where a stretch of the passage shares this much with it (F1 over words).
LEAST_OVERLAP = 0.55
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_YES_NO = re.compile(r"^\s*(yes|no)\b[,.;:]?\s*", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"((?:[^\s,;]+\s){1,6}?)(is|are|was|were|can|could|will|must|may|should|has|have|had|does|do|did)\s(?!to\b)([^,;]+)$"
)
_LOWERED = frozenset("The A An This That These Those It They Users You Each Every All No Some Both Most".split())
_SMALL = frozenset(
    "a an the of to in on at by for from with and or is are was were be been it its that this as".split()
)


def read(path: Path) -> list[dict]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def bucket(text: str, many: int) -> int:
    """The passage's bucket by its text, so that copies of one text fall together."""
    return int(hashlib.sha256(" ".join(text.split()).encode()).hexdigest(), 16) % many


def example(
    question: str,
    title: str,
    passage: str,
    source: str,
    answerable: int | None,
    span: tuple[int, int] | None = None,
    yes_no: int | None = None,
) -> dict:
    """One line of the file."""
    start, end = span or (None, None)
    return {
        "question": question,
        "title": title,
        "passage": passage,
        "start": start,
        "end": end,
        "answerable": answerable,
        "yes_no": yes_no,
        "source": source,
        "group": None,
    }


def aligned(answer: str, passage: str) -> tuple[int, int] | None:
    """The stretch of the passage that says the answer, None where no stretch shares enough words with it."""
    wanted = [word.group().lower() for word in _WORD.finditer(answer)]
    wanted = [word for word in wanted if word not in _SMALL] or wanted
    if not wanted:
        return None
    exact = re.search(re.escape(answer.strip(" .")), passage, re.IGNORECASE)
    if exact:
        return exact.span()
    found = [(word.group().lower(), word.start(), word.end()) for word in _WORD.finditer(passage)]
    need = Counter(_stem(word) for word in wanted)
    stems = [_stem(word) for word, _, _ in found]
    places = [at for at, stem in enumerate(stems) if stem in need]
    best, chosen = 0.0, None
    for first in places:
        left, hits = Counter(need), 0
        for last in range(first, min(len(found), first + 3 * len(wanted) + 8)):
            if left[stems[last]] > 0:
                left[stems[last]] -= 1
                hits += 1
                length = sum(found[at][0] not in _SMALL for at in range(first, last + 1))
                score = 2 * hits / (len(wanted) + length)
                if score > best:
                    best, chosen = score, (found[first][1], found[last][2])
    return chosen if best >= LEAST_OVERLAP else None


def _stem(word: str) -> str:
    return word[:5] if len(word) > 5 else word.rstrip("s")


def titles_of(rows: Iterable[dict]) -> dict[str, str]:
    """The article of each SQuAD passage, which stands in the ids."""
    found = {}
    for row in rows:
        named = re.match(r"[\w.]+?-(.+)-\d+-\d+$", row["id"])
        if named:
            found[row["passage"]] = named.group(1).replace("_", " ")
    return found


def people(folder: Path, titles: dict[str, str], draw: random.Random) -> Iterator[dict]:
    """People's questions with their spans."""
    left_out = {"squad2_dev", "disfl_qa"}
    for path in sorted(folder.glob("*.jsonl.gz")):
        source = path.name.removesuffix(".jsonl.gz")
        if source in left_out:
            continue
        rows = read(path)
        draw.shuffle(rows)
        for row in rows[: MOST.get(source)]:
            yield from _of_people(row, source, titles)


def _of_people(row: dict, source: str, titles: dict[str, str]) -> Iterator[dict]:
    span = None
    starts = row["starts"] or []
    if starts and starts[0] is not None:
        span = (starts[0], starts[0] + len(row["answers"][0]))
    yes_no = {"yes": YES, "no": NO, None: None}[row["yes_no"]]
    yield example(
        row["question"],
        titles.get(row["passage"], ""),
        row["passage"],
        source,
        int(row["answerable"]),
        span,
        yes_no,
    )


def written(folder: Path) -> tuple[list[dict], list[dict]]:
    """The written questions: those that teach, and those held out."""
    passages = {row["pid"]: row for row in read(folder / "passages.jsonl.gz")}
    teach, held = [], []
    for row in read(folder / "questions.jsonl.gz"):
        passage = passages[row["pid"]]
        answer = row.get("answer") or ""
        said = _YES_NO.match(answer)
        yes_no = None if said is None else YES if said.group(1).lower() == "yes" else NO
        rest = answer[said.end() :] if said else answer
        span = aligned(rest, passage["text"]) if row["label"] == "full" and rest else None
        # A half answer stands there, too: whether it is whole is another question.
        answerable = {"full": 1, "part": 1, "none": 0}[row["label"]]
        made = example(
            row["question"], passage["title"], passage["text"], f"written-{row['label']}", answerable, span, yes_no
        )
        made["pid"] = row["pid"]
        (held if bucket(passage["text"], HELD_EVERY) == 0 else teach).append(made)
    return teach, held


def claims_as_questions(data: Path, held_texts: frozenset[str], draw: random.Random) -> Iterator[dict]:
    """Labelled claims, asked: yes where supported, no where contradicted, neither where nothing says."""
    label_of = {"supported": YES, "contradicted": NO, "neutral": NEITHER, "s": YES, "c": NO, "u": NEITHER}
    passages = {row["pid"]: row for row in read(data / "written" / "passages.jsonl.gz")}
    for source, most in CLAIMS_AS_QUESTIONS.items():
        if source == "written":
            rows = [
                (passages[row["pid"]]["title"], passages[row["pid"]]["text"], row["claim"], row["verdict"])
                for row in read(data / "written" / "claims.jsonl.gz")
                if passages[row["pid"]]["text"] not in held_texts
            ]
        else:
            rows = [
                ("", row["context"], row["claim"], row["label"])
                for row in read(data / "checker" / f"{source}.jsonl.gz")
            ]
        rows = [row for row in rows if row[3] in label_of]
        draw.shuffle(rows)
        for title, passage, claim, label in rows[:most]:
            kind = label_of[label]
            yield example(
                asked_of(claim, draw), title, passage, f"claim-{source}", int(kind != NEITHER), None, kind
            )
    rows = read(data / "checker" / "condaqa-yesno.jsonl.gz")
    draw.shuffle(rows)
    for row in rows[: MOST["condaqa-yesno"]]:
        question, said = re.fullmatch(r"(.*?)\s*(Yes|No)\.?", row["claim"], re.DOTALL).groups()
        if row["label"] == "neutral":
            kind = NEITHER
        else:
            kind = YES if (row["label"] == "supported") == (said == "Yes") else NO
        yield example(question, "", row["context"], "condaqa-yesno", int(kind != NEITHER), None, kind)


class Encoder:
    """The bundled sentence encoder."""

    def __init__(self, folder: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of length 1, shape (len(texts), 384)."""
        encoded = self.tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        made = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            width = max(len(encoded[at].ids) for at in rows)
            ids = np.zeros((len(rows), width), np.int64)
            mask = np.zeros_like(ids)
            for row, at in enumerate(rows):
                ids[row, : len(encoded[at].ids)] = encoded[at].ids
                mask[row, : len(encoded[at].ids)] = 1
            made[rows] = self.session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
        return made


def near_misses(
    questions: Sequence[dict], pool: Sequence[tuple[str, str]], encoder: Encoder, draw: random.Random
) -> Iterator[dict]:
    """Two passages for each question that a search finds and that do not hold its answer: where the question's own
    title has others, one of them is under that title.

    The question's own row is put into a group with them.
    """
    vectors = encoder.vectors([f"{title}. {text}" if title else text for title, text in pool])
    asked = encoder.vectors([row["question"] for row in questions])
    under: defaultdict[str, list[int]] = defaultdict(list)
    for at, (title, _) in enumerate(pool):
        if title:
            under[title].append(at)
    for number, (row, vector) in enumerate(zip(questions, asked, strict=True)):
        likeness = vectors @ vector
        answer = row["passage"][row["start"] : row["end"]].lower() if row["start"] is not None else ""
        chosen: set[int] = set()
        everywhere = np.argpartition(-likeness, 8)[:8].tolist()
        for places, most in ((under.get(row["title"], []), 3), (everywhere, 8)):
            others = [
                at
                for at in sorted(places, key=lambda at: -likeness[at])[:most]
                if at not in chosen
                and pool[at][1] != row["passage"]
                and (not answer or answer not in pool[at][1].lower())
            ]
            chosen.update(draw.sample(others, min(1, len(others))))
        row["group"] = f"{row['source']}-{number}"
        for at in chosen:
            made = example(row["question"], *pool[at], f"searched-{row['source']}", 0, None, None)
            yield made | {"group": row["group"]}


def asked_of(claim: str, draw: random.Random) -> str:
    """The claim as a yes/no question: turned round where an auxiliary allows it, else asked whether it is true."""
    claim = claim.strip().rstrip(".")
    turned = _AUXILIARY.match(claim)
    if turned and draw.random() < 0.85:
        subject, auxiliary, rest = turned.groups()
        if subject.split()[0] in _LOWERED:
            subject = subject[0].lower() + subject[1:]
        return f"{auxiliary.capitalize()} {subject} {rest}?"
    return draw.choice(("Is it true that {}?", "is it true that {}", "{}?", "{} - true or false?")).format(claim)


def main() -> None:
    """Read, mix, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("data", "encoder", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(asked.seed)
    encoder = Encoder(asked.encoder)
    folder = asked.data / "reader"
    titles = titles_of(read(folder / "squad_train_answerable.jsonl.gz"))
    own = list(people(folder, titles, draw))
    teach, held = written(asked.data / "written")
    held_texts = frozenset(row["passage"] for row in held)
    claims = list(claims_as_questions(asked.data, held_texts, draw))

    squad = [row for row in own if row["source"] == "squad_train_answerable"]
    searched = list(near_misses(squad, [(title, text) for text, title in titles.items()], encoder, draw))
    by_text = {row["passage"]: row["title"] for row in teach}
    full = [row for row in teach if row["source"] == "written-full"]
    searched += near_misses(full, [(title, text) for text, title in by_text.items()], encoder, draw)
    rows = [*own, *claims, *searched, *teach]
    draw.shuffle(rows)
    for row in read(folder / "squad2_dev.jsonl.gz"):
        held += _of_people(row, "squad2_dev", titles_of([row]))
        held[-1]["answers"] = row["answers"]
    for name, some in (("train", rows), ("held", held)):
        with gzip.open(asked.out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in some)
        print(name, len(some), dict(Counter(row["source"] for row in some)))


if __name__ == "__main__":
    main()
