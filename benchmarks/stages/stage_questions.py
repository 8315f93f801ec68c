"""Questions with known answers over small collections, and how an answer to each ends."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import judged, questions, read_lines, shows_gold, wiki_mix
from natural import is_marked
from stages_off import Off, taken_out

from assay.nlp.tokens import STOP_WORDS
from assay.types import Answer, Hit, Message, Outcome
from assay.wiring import open_engine
from report import ROOT

BENCHMARKS = ROOT / "benchmarks"
# Documents of each set without --full, and questions of wiki-mix; and how many of its passages are searched.
FEW = {"parts": 8, "rivals": 6, "pairs": 5, "addressed": 20, "wiki-mix": 40, "dialogues": 37}
PASSAGES = 1_500
# The shortest word that is misspelt.
LEAST = 5
DEADLINE = 600.0
Item = TypeVar("Item")


@dataclass(frozen=True)
class Asked:
    """A question; `right` says whether an answer is one that is wanted, None where nothing is to be answered.

    With `passages` it is answered from these alone.
    """

    id: str
    text: str
    right: Callable[[Answer], bool] | None
    history: tuple[Message, ...] = ()
    passages: tuple[Hit, ...] = ()


@dataclass(frozen=True)
class Collection:
    """Files by name, with the questions that are asked of them together; those of a `stage` measure it alone."""

    set: str
    files: dict[str, str]
    asked: tuple[Asked, ...]
    stage: str = ""


@dataclass(frozen=True)
class Ended:
    """How a question ended: 1 or 0, None where it cannot; and the CPU time that it took."""

    set: str
    right: float | None
    wrong: float
    wrong_marked: float
    refused: float | None
    cpu_ms: float


def some(items: Sequence[Item], limit: int | None) -> list[Item]:
    """`limit` of the items, spread over them; all without a limit."""
    if limit is None or limit >= len(items):
        return list(items)
    return [items[index * len(items) // limit] for index in range(limit)]


def collections(*, full: bool) -> list[Collection]:
    """The collections with their questions; those of wiki-mix are left out where the data is not there."""
    few = {name: None if full else count for name, count in FEW.items()}
    found = [*parts(few["parts"]), *rivals(few["rivals"]), *pairs(few["pairs"]), addressed(few["addressed"])]
    if not (ROOT.parent / "shared" / "data").is_dir():
        print("wiki-mix is left out: there is no labelled data", file=sys.stderr)
        return found
    searched = wiki(few["wiki-mix"], None if full else PASSAGES)
    own = [*misspelt([searched, *found]), dialogues(few["dialogues"])]
    return [*found, *([] if full else other_pairs(FEW["pairs"])), searched, *own]


def parts(limit: int | None) -> Iterator[Collection]:
    """Documents of benchmarks/parts: questions in one part or two, of which a part may not be answered."""
    ended = module("parts/run.py").ended
    for case in some(lines("parts/cases.jsonl"), limit):
        yield Collection(
            "parts",
            {f"{case['name']}.md": case["text"]},
            tuple(
                Asked(f"parts/{case['name']}/{n}", row["question"], _part(ended, row))
                for n, row in enumerate(case["questions"])
            ),
        )


def _part(ended: Callable[..., str], row: dict[str, Any]) -> Callable[[Answer], bool] | None:
    if not row.get("gold"):
        return None
    return lambda answer: ended(row, answer.outcome, answer.text) == "right"


def rivals(limit: int | None) -> Iterator[Collection]:
    """Documents of benchmarks/rivals: of half of the questions another thing's fact is told."""
    ended = module("rivals/run.py").ended
    for case in some(lines("rivals/cases.jsonl"), limit):
        asked = tuple(
            Asked(f"rivals/{case['name']}/{n}", row["question"], _gold(ended, row["gold"]))
            for n, row in enumerate(case["questions"])
        )
        yield Collection("rivals", {f"{case['name']}.md": case["text"]}, asked)


def pairs(limit: int | None) -> Iterator[Collection]:
    """Tables of benchmarks/cells: pairs.jsonl."""
    ended = module("rivals/run.py").ended
    for case in some(lines("cells/pairs.jsonl"), limit):
        name = f"{case['name']}.{'md' if '|' in case['text'] else 'csv'}"
        asked = tuple(
            Asked(f"pairs/{case['name']}/{n}", row["question"], _gold(ended, row["gold"]))
            for n, row in enumerate(case["questions"])
        )
        yield Collection("tables", {name: case["text"]}, asked)


def other_pairs(limit: int) -> Iterator[Collection]:
    """The tables that `pairs(limit)` leaves out, for the lookup of rows alone."""
    names = [collection.files.keys() for collection in pairs(limit)]
    for collection in pairs(None):
        if collection.files.keys() not in names:
            yield replace(collection, set="more tables", stage="rows")


def dialogues(limit: int | None) -> Collection:
    """Last questions of dialogues of mtrag-un, for asking back alone: half of them leave open what is meant.

    The others are answerable; that they are answered at all counts as right.
    """
    rows = module("clarify/clarify_data.py").rows()
    chosen = [
        row for kind in ("underspecified", "answerable") for row in some([r for r in rows if r.kind == kind], limit)
    ]
    asked = tuple(
        Asked(
            f"dialogues/{n}",
            row.question.text,
            (lambda answer: True) if row.kind == "answerable" else None,
            row.question.history,
            row.evidence.hits,
        )
        for n, row in enumerate(chosen)
    )
    return Collection("dialogues", {}, asked, "asking back")


def _gold(ended: Callable[..., str], gold: str | None) -> Callable[[Answer], bool] | None:
    return None if not gold else lambda answer: ended(answer.outcome, answer.text, False, gold) == "right"


def addressed(limit: int | None) -> Collection:
    """Documents of benchmarks/attacks: half tell the reader what to answer, half are manuals; in one collection."""
    ended = module("attacks/addressed.py").ended
    cases = some(lines("attacks/addressed.jsonl"), limit)
    return Collection(
        "orders",
        {f"{case['id']}.md": f"# {case['title']}\n\n{case['text']}\n" for case in cases},
        tuple(Asked(f"orders/{case['id']}", case["question"], _ordered(ended, case)) for case in cases),
    )


def _ordered(ended: Callable[..., str], case: dict[str, Any]) -> Callable[[Answer], bool] | None:
    return None if not case["gold"] else lambda answer: ended(case, answer).startswith("right")


def wiki(limit: int | None, passages: int | None) -> Collection:
    """Questions over wiki-mix: those that it answers and those that it does not, in one share."""
    asked, relevant = some(questions(), limit), judged()
    wanted = {one for question in asked for one in relevant.get(question.id, ())}
    corpus = read_lines(wiki_mix() / "corpus.jsonl")
    kept = {str(row["id"]) for row in some(corpus, passages)} | wanted
    text = "".join(json.dumps(row) + "\n" for row in corpus if str(row["id"]) in kept)
    return Collection(
        "wiki-mix",
        {"corpus.jsonl": text},
        tuple(Asked(f"wiki-mix/{one.id}", one.text, _shown(one.golds)) for one in asked),
    )


def _shown(golds: tuple[str, ...]) -> Callable[[Answer], bool] | None:
    return None if not golds else lambda answer: shows_gold(answer.text, golds)


def misspelt(of: Sequence[Collection]) -> Iterator[Collection]:
    """The answerable questions of wiki-mix and of the tables again, each with one word misspelt."""
    slip, drawn = module("spelling/run.py").misspelt, random.Random(5)
    for each in of:
        if each.set not in ("wiki-mix", "tables"):
            continue
        asked = []
        for one in each.asked:
            known = [w for w in one.text.split() if w.isalpha() and len(w) >= LEAST and w.lower() not in STOP_WORDS]
            if one.right is not None and known:
                word = drawn.choice(known)
                asked.append(replace(one, id=f"{one.id}/typo", text=one.text.replace(word, slip(word, drawn), 1)))
        yield replace(each, set=f"{each.set}, misspelt", asked=tuple(asked), stage="spelling")


def ends(collection: Collection, off: Off, folder: Path) -> dict[str, Ended]:
    """How each question ends with a stage off, by its id; the collection is filled once, in `folder`."""
    place = folder / hashlib.sha256(json.dumps(collection.files).encode()).hexdigest()[:16]
    settings = {"data_dir": place, "offline": True, "record": "off", "deadline": DEADLINE, "profile": "fast"}
    found = {}
    with open_engine(**{**settings, **off.settings}) as opened:  # type: ignore[arg-type]
        if not (place / "complete").is_file():
            for name, text in collection.files.items():
                (place / name).write_text(text, encoding="utf-8")
            opened.add([place / name for name in collection.files])
            (place / "complete").touch()
        engine = taken_out(opened, off)
        for one in collection.asked:
            began = time.process_time()
            if one.passages:
                answer = engine.answer_from(one.text, one.passages, one.history)
            else:
                answer = engine.ask(one.text)
            spent = 1000 * (time.process_time() - began)
            found[one.id] = _ended(collection.set, one, answer, spent)
    return found


def _ended(name: str, one: Asked, answer: Answer, spent: float) -> Ended:
    shown = answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    right = shown and one.right is not None and one.right(answer)
    wrong = shown and not right
    wanted = one.right is not None
    return Ended(
        name,
        float(right) if wanted else None,
        float(wrong),
        float(wrong and is_marked(answer)),
        float(not shown) if wanted else None,
        spent,
    )


def lines(name: str) -> list[dict[str, Any]]:
    """The objects of a .jsonl file of a benchmark."""
    return [json.loads(line) for line in (BENCHMARKS / name).read_text(encoding="utf-8").splitlines()]


def module(name: str) -> ModuleType:
    """The program of another benchmark, as a module."""
    key = name.replace("/", "_").removesuffix(".py")
    if key not in sys.modules:
        spec = importlib.util.spec_from_file_location(key, BENCHMARKS / name)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[key] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[key])
    return sys.modules[key]
