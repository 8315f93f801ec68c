"""What assay, LangChain and LlamaIndex show for the same questions over real documents, without a language model.

    .venv/bin/python benchmarks/peers/quality.py             # 100 questions over documentations, and two other sets
    .venv/bin/python benchmarks/peers/quality.py --full      # 200, and more of another; results/quality-full.json

A peer shows the passage nearest to the question. Once it shows one for every question; once only from a nearness
on, which is set on the other half of the questions so that it is wrong no more often than assay there. The peers
run in an environment of their own, `.make/peers`, made at the first call; Haystack in the one whose Python
ASSAY_HAYSTACK names, and without it not at all. The README tells the data and figures.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "answers"))
from answers_data import judged, questions, read_lines, shows_gold, wiki_mix  # noqa: E402
from asked_questions import DATA, QUESTIONS, question_of  # noqa: E402
from natural import WORDS, first_words, is_marked, read_questions, shows  # noqa: E402
from own_docs import DOCUMENTS  # noqa: E402
from own_docs import QUESTIONS as OWN  # noqa: E402
from real_collections import DOCUMENTS as SUFFIXES  # noqa: E402
from real_collections import cache, some  # noqa: E402

from assay.evals.statistics import difference_interval  # noqa: E402
from assay.types import Outcome  # noqa: E402
from assay.wiring import open_engine  # noqa: E402
from report import ROOT, write_result  # noqa: E402

ENVIRONMENT = ROOT / ".make" / "peers"
HAYSTACK = "ASSAY_HAYSTACK"
PEERS = ("langchain-core", "langchain-text-splitters", "llama-index-core")
# Held-out sets of models/data/asked that can be fetched as they were read.
FROM_PYPI = ("copier", "barman", "black", "plover")
FROM_NPM = ("fastify", "pino", "markdownlint")
SETS = (*FROM_PYPI, *FROM_NPM)
# Questions of each group without --full and with it; passages of wiki-mix that are searched.
DOCUMENTATION, WIKI, OWN_DOCS = (100, 200), (50, 100), (60, 60)
PASSAGES = 1_500
DEADLINE = 600.0
BAR = 1.2


@dataclass(frozen=True)
class Asked:
    """A question; `shows` says whether a text shows its gold, None where the documents do not answer it."""

    id: str
    group: str
    collection: str
    text: str
    limit: int
    shows: Callable[[str], bool] | None


@dataclass(frozen=True)
class Shown:
    """What a program shows for a question, "" where it refuses."""

    text: str
    cpu_ms: float
    marked: bool = False
    score: float = 1.0


Answers = dict[str, Shown]


# --- the questions and their documents -----------------------------------------------------------


def documentation_folder() -> Path:
    """The documentations, fetched as models/data/asked says; ends the program where that fails."""
    named = os.environ.get("ASSAY_ASKED_SETS")
    folder = Path(named) if named else ROOT / ".make" / "asked" / "sets"
    folder.parent.mkdir(parents=True, exist_ok=True)
    for script, names in (("get.py", FROM_PYPI), ("get_npm.py", FROM_NPM)):
        missing = [name for name in names if not (folder / name).is_dir()]
        if missing and not named:
            subprocess.run([sys.executable, DATA / script, *missing], cwd=folder.parent, check=True)
    missing = [name for name in SETS if not (folder / name).is_dir()]
    if missing:
        sys.exit(f"the documents of {', '.join(missing)} are not in {folder}: see models/data/asked/README.md")
    return folder


def documentations(limit: int) -> tuple[list[Asked], dict[str, list[Path]]]:
    """Questions over the held-out documentations, of files that are still as they were read."""
    folder, read = documentation_folder(), json.loads((DATA / "files.json").read_text())
    by_set: dict[str, list[Asked]] = {name: [] for name in SETS}
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            name, file = row["set"], row["file"]
            if name not in by_set or not _is_as_read(folder / name / file, read[name].get(file)):
                continue
            number = len(by_set[name])
            found = question_of(row, f"{name}-{number}", str(row[("question", "other")[number % 2]]), folder)
            gold = (lambda text, must=found.must: shows(text, must)) if found.must else None
            by_set[name].append(Asked(found.id, "documentations", name, found.text, found.limit, gold))
    share = -(-limit // len(SETS))
    asked = [one for name in SETS for one in some(by_set[name], share)][:limit]  # type: ignore[arg-type]
    return asked, {name: _documents(folder / name) for name in SETS}


def _is_as_read(path: Path, digest: str | None) -> bool:
    if digest is None or not path.is_file():
        return False
    text = path.read_text(encoding="utf-8", errors="replace")
    return hashlib.sha256(text.encode()).hexdigest().startswith(digest)


def _documents(place: Path) -> list[Path]:
    files = place.rglob("*") if place.is_dir() else [place]
    return sorted(file for file in files if file.suffix.lower() in SUFFIXES and file.is_file())


def own_docs(limit: int) -> tuple[list[Asked], dict[str, list[Path]]]:
    """A newcomer's questions over this repository's documentation."""
    asked = [
        Asked(
            found.id,
            "own docs",
            "own docs",
            found.text,
            found.limit,
            (lambda text, must=found.must: shows(text, must)) if found.must else None,
        )
        for found in some(read_questions(OWN, "docs"), limit)
    ]
    return asked, {"own docs": [file for place in DOCUMENTS for file in _documents(ROOT / place)]}


def wiki(limit: int) -> tuple[list[Asked], dict[str, list[Path]]]:
    """Questions over a part of wiki-mix: the passages that answer them, and others spread over it."""
    chosen, relevant = some(questions(), limit), judged()  # type: ignore[arg-type]
    wanted = {one for question in chosen for one in relevant.get(question.id, ())}
    corpus = read_lines(wiki_mix() / "corpus.jsonl")
    step = len(corpus) // PASSAGES
    kept = [row for number, row in enumerate(corpus) if number % step == 0 or str(row["id"]) in wanted]
    body = "".join(json.dumps(row) + "\n" for row in kept)
    path = cache() / f"wiki-mix-{hashlib.sha256(body.encode()).hexdigest()[:12]}" / "corpus.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(body, encoding="utf-8")
    asked = [
        Asked(
            one.id,
            "wiki-mix",
            "wiki-mix",
            one.text,
            WORDS,
            (lambda text, golds=one.golds: shows_gold(text, golds)) if one.golds else None,
        )
        for one in chosen
    ]
    return asked, {"wiki-mix": [path]}


# --- what is shown -------------------------------------------------------------------------------


def assay_answers(asked: Sequence[Asked], documents: dict[str, list[Path]]) -> Answers:
    """What assay shows with its default settings."""
    found: Answers = {}
    for name, files in documents.items():
        digest = hashlib.sha256("".join(map(str, files)).encode()).hexdigest()[:12]
        folder = cache() / f"quality-{name.replace(' ', '-')}-{digest}"
        with open_engine(data_dir=folder, offline=True, deadline=DEADLINE, record="off") as engine:
            list(engine.mirror(files))
            for one in asked:
                if one.collection != name:
                    continue
                began = time.process_time()
                answer = engine.ask(one.text)
                spent = 1000 * (time.process_time() - began)
                is_shown = answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
                found[one.id] = Shown(answer.text if is_shown else "", spent, is_marked(answer))
    return found


def peers_answers(
    asked: Sequence[Asked], documents: dict[str, list[Path]]
) -> tuple[dict[str, Answers], dict[str, str]]:
    """What each peer shows, and the versions of the peers; their environment is made where there is none."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.is_file():
        print(f"making {ENVIRONMENT}", file=sys.stderr, flush=True)
        venv.create(ENVIRONMENT, with_pip=True)
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        own = [name for name in project["dependencies"] if name != "assay-models"]
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS, *own], check=True)
    job, out = cache() / "quality-job.json", cache() / "quality-out.json"
    texts = {name: [text for file in files for text in _texts(file)] for name, files in documents.items()}
    body = {
        "collections": texts,
        "questions": [{"id": one.id, "collection": one.collection, "text": one.text} for one in asked],
    }
    job.write_text(json.dumps(body), encoding="utf-8")
    path = os.pathsep.join(map(str, (ROOT / "src", ROOT / "models" / "src")))
    answers: dict[str, Answers] = {}
    versions: dict[str, str] = {}
    for own_python, program in ((python, "retrieval_peers.py"), (os.environ.get(HAYSTACK), "haystack_peer.py")):
        if own_python is None:
            print(f"Haystack is left out: {HAYSTACK} names no Python, see the README", file=sys.stderr)
            continue
        subprocess.run([own_python, HERE / program, job, out], env={**os.environ, "PYTHONPATH": path}, check=True)
        done = json.loads(out.read_text(encoding="utf-8"))
        versions |= done["versions"]
        answers |= {
            name: {key: Shown(row["text"], row["cpu_ms"], score=row["score"]) for key, row in rows.items()}
            for name, rows in done["shown"].items()
        }
    return answers, versions


def _texts(file: Path) -> list[str]:
    """The texts of a file: one, or one a line."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix != ".jsonl":
        return [text]
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    return [f"{row['title']}\n{row['text']}" for row in rows]


# --- the figures ---------------------------------------------------------------------------------


def is_right(one: Asked, text: str) -> bool:
    """Whether a text shows the gold, anywhere."""
    return bool(text) and one.shows is not None and one.shows(text)


def is_early(one: Asked, text: str) -> bool:
    """Whether a text shows the gold within the words that a reader is given for such a question."""
    return is_right(one, first_words(text, one.limit)) or is_right(one, first_words(_plain(text), one.limit))


def _plain(text: str) -> str:
    return re.sub(r"[*_`>#|]+", " ", text)


def is_wrong(one: Asked, text: str) -> bool:
    """Whether something is shown that does not show the gold."""
    return bool(text) and not is_right(one, text)


def with_cutoff(asked: Sequence[Asked], peer: Answers, assay: Answers) -> Answers:
    """A peer that refuses below a nearness, set on the other half so that it is wrong no more often than assay."""
    halves = asked[::2], asked[1::2]
    found: Answers = {}
    for half, other in (halves, halves[::-1]):
        allowed = sum(is_wrong(one, assay[one.id].text) for one in other)
        ranked = sorted(other, key=lambda one: -peer[one.id].score)
        least, wrong = float("inf"), 0
        for one in ranked:
            wrong += is_wrong(one, peer[one.id].text)
            if wrong > allowed:
                break
            least = peer[one.id].score
        for one in half:
            shown = peer[one.id]
            found[one.id] = shown if shown.score >= least else Shown("", shown.cpu_ms, score=shown.score)
    return found


def figures(asked: Sequence[Asked], found: Answers) -> dict[str, Any]:
    """The shares of one program: of golds shown, of wrong ones, of refusals; words and CPU time."""
    texts = {one.id: found[one.id].text for one in asked}
    wanted = [one for one in asked if one.shows is not None]
    others = [one for one in asked if one.shows is None]
    shown = [texts[one.id] for one in asked if texts[one.id]]
    numbers = {
        "gold shown": mean(is_right(one, texts[one.id]) for one in wanted),
        "gold shown early": mean(is_early(one, texts[one.id]) for one in wanted),
        "wrong shown": mean(is_wrong(one, texts[one.id]) for one in asked),
        "wrong marked ✓": mean(is_wrong(one, texts[one.id]) and found[one.id].marked for one in asked),
        "answerable refused": mean(not texts[one.id] for one in wanted),
        "not answerable refused": mean(not texts[one.id] for one in others) if others else 0.0,
        "words shown": median(len(text.split()) for text in shown) if shown else 0,
        "CPU ms": median(found[one.id].cpu_ms for one in asked),
    }
    rounded = {name: round(float(value), 3) for name, value in numbers.items()}
    return {"questions": len(asked), "answerable": len(wanted), **rounded}


def beside(
    asked: Sequence[Asked], answers: dict[str, Answers], what: Callable[[Asked, str], bool]
) -> dict[str, Any]:
    """assay's golds over those of the best peer, with the paired difference of 95 %."""
    wanted = [one for one in asked if one.shows is not None]
    ours = [float(what(one, answers["assay"][one.id].text)) for one in wanted]
    peers = {
        name: [float(what(one, found[one.id].text)) for one in wanted]
        for name, found in answers.items()
        if name != "assay"
    }
    best = max(peers, key=lambda name: sum(peers[name]))
    low, high = difference_interval(peers[best], ours)
    ratio = sum(ours) / max(1.0, sum(peers[best]))
    values = {"ratio": ratio, "difference": mean(ours) - mean(peers[best]), "low": low, "high": high}
    return {"best peer": best, **{name: round(value, 3) for name, value in values.items()}}


def main() -> None:
    """Ask every program, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more questions")
    full = parser.parse_args().full
    asked: list[Asked] = []
    documents: dict[str, list[Path]] = {}
    for group, limits in ((documentations, DOCUMENTATION), (wiki, WIKI), (own_docs, OWN_DOCS)):
        some_asked, some_documents = group(limits[full])
        asked, documents = [*asked, *some_asked], documents | some_documents
    peers, versions = peers_answers(asked, documents)
    answers = {"assay": assay_answers(asked, documents), **peers}
    numbers: dict[str, Any] = {"versions": versions}
    for group in ("all", *dict.fromkeys(one.group for one in asked)):
        # The pages of assay's own documentation were rewritten to answer its questions: they count by themselves.
        rows = [one for one in asked if one.group == group or (group == "all" and one.group != "own docs")]
        cut = {f"{name}, cutoff": with_cutoff(rows, found, answers["assay"]) for name, found in peers.items()}
        numbers[group] = {name: figures(rows, found) for name, found in (answers | cut).items()}
        numbers[group]["gold shown, beside the best of all"] = beside(rows, answers, is_right)
        numbers[group]["gold shown early, beside the best of all"] = beside(rows, answers, is_early)
        numbers[group]["gold shown, beside the best with a cutoff"] = beside(
            rows, {"assay": answers["assay"], **cut}, is_right
        )
    write_result("peers", "quality-full" if full else "quality", numbers)


if __name__ == "__main__":
    main()
