"""The fixed cases that outputs.py plays: what is asked, of which documents, with which settings.

Documents and questions of the project are those of one revision (`REVISION`), so that a change to them changes no
case; all others are from `dev/` and `docs/` of the evaluation data. Cases are drawn with a fixed seed. Every input
lies in one folder, whose name is part of every document's id: recordings are compared on one machine.
"""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import ROOT, data_folder

REVISION = "1a4a8ead092a4b2ffa1dd5328fd49bda85c7da26"
PLACE = Path(tempfile.gettempdir()) / "assay-house"
# All inputs were last changed then: the time of a file may tell when a document was written.
WHEN = 1_700_000_000
# Files of `docs/` of the evaluation data that take half a minute to read.
SLOW = ("single_line_10mb.txt", "no_spaces_1mb.txt", "huge_cell.csv", "many_files.epub", "MANIFEST.tsv")
POOLED = ("clapnq", "hotpot100", "musique100", "ramdocs", "rgb-en", "rgb-en-fact", "evotemp", "realtimeqa")
EDITED = ("news", "samsum", "scitldr", "ectsum", "qmsumm", "sales_call", "sales_email", "podcast")
CLAIMS = (
    *("wice", "scifact", "factcheck-gpt", "climate-fever", "averitec", "faithbench", "mtrag-faith", "qags-cnndm"),
    *("qags-xsum", "falke", "begin-wow", "begin-tc", "begin-cmu", *(f"summedits-{each}" for each in EDITED)),
)
JUDGED = ("clapnq", "scifact", "climate-fever", "averitec", "rgb-en", "rgb-zh", "mtrag-un", "hotpot100")
# Ways to ask that differ from the default, each for two questions over the project's documents.
WAYS = (
    *(["--profile", depth] for depth in ("balanced", "thorough", "auto", "thorough", "balanced", "thorough")),
    *(["--detail", detail] for detail in ("1", "5", "9")),
    *(["--citation-style", style] for style in ("named", "footnote", "author-page")),
    *(["--mode", mode] for mode in ("sparse", "dense")),
    *(["--" + part, "none"] for part in ("reader", "checker")),
    *(["--references"], ["--fusion", "rrf"], ["--mmr", "0.5"], ["--k", "3"]),
    *(["--no-reflection"], ["--rules", "marketing"], ["--skip", "numbers,names"], ["--max-risk", "0.2"]),
    *(["--unsupported", "mark"], ["--no-spelling"], ["--stream"], ["--criteria", "accuracy"]),
)
# Of documents in other formats: PDF, Word, PowerPoint, Excel, CSV, HTML, EPUB, mail, text.
OF_FORMATS = (
    "When is National Flag of Canada Day observed?",
    "Since when is Flag Day observed in Canada?",
    "What is a gravity hill?",
    "How do I install Haystack?",
    "Who was Frederick Bates?",
    "When did Frederick Bates die?",
    "By how much did the revenue targets increase?",
    "Who prepares the product roadmap?",
    "When is the new product launch?",
    "Which city is Jane Smith from?",
    "How many MIDI tracks does the LinnSequencer have?",
    "How many sequences does the LinnSequencer hold?",
    "What is a wiki?",
    "When was PDF released as an open standard?",
    "What is DeepSeek-R1-Zero?",
    "Which benchmark scores does DeepSeek-R1 reach on AIME 2024?",
    "What does ReAct combine?",
    "Who wrote the ReAct paper?",
    "How many confirmed Covid-19 cases does the US have?",
    "Who are the crazy ones?",
    "Who sent the email about the subject?",
    "What is the value of col_a in the basic table?",
    "RAGとは何ですか",
    "キーボードの単価はいくらですか",
    "Who published The Geography of Bliss?",
    "What is the airspeed of an unladen swallow?",
)
VERBS = (
    *("add", "sync", "ls", "rm", "reindex", "search", "ask", "chat", "show", "replay", "report", "judge", "check"),
    *("fix", "review", "figures", "label", "calibrate", "audit", "doctor", "rubrics", "rules", "models", "config"),
)


@dataclass(frozen=True)
class Case:
    """One thing to do: commands of the command line, one after the other, over one collection.

    In `commands` and `stdin` an input's path is the absolute one.
    """

    name: str
    verb: str
    collection: str
    commands: tuple[tuple[str, ...], ...]
    stdin: str = ""


@dataclass
class Inputs:
    """The files that cases read, written below PLACE; what is there already and the same is left."""

    draw: random.Random = field(default_factory=lambda: random.Random(20_24))
    placed: set[Path] = field(default_factory=set)

    def place(self, name: str, content: str | bytes) -> str:
        """Write a file; gives its path."""
        path = PLACE / name
        wanted = content.encode() if isinstance(content, str) else content
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != wanted:
            fresh = path.with_name(f".{path.name}.{os.getpid()}")
            fresh.write_bytes(wanted)
            fresh.replace(path)
        os.utime(path, (WHEN, WHEN))
        self.placed.add(path)
        return str(path)

    def place_archive(self, name: str, archive: bytes) -> None:
        """Write the files of a tar archive into a folder."""
        with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
            for member in opened:
                held = opened.extractfile(member) if member.isfile() else None
                if held is not None:
                    self.place(os.path.normpath(f"{name}/{member.name}"), held.read())

    def sweep(self) -> None:
        """Remove what an earlier version of the cases placed."""
        for path in PLACE.rglob("*"):
            if path.is_file() and path not in self.placed:
                path.unlink()

    def some(self, rows: list[Any], count: int) -> list[Any]:
        """So many of the rows, in their order."""
        taken = sorted(self.draw.sample(range(len(rows)), min(count, len(rows))))
        return [rows[index] for index in taken]


def at_revision(*names: str) -> bytes:
    """Files of the project as they were, as a tar archive; ends the program where git does not know them."""
    done = subprocess.run(["git", "archive", REVISION, "--", *names], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"git has no revision {REVISION} here: {done.stderr.decode().strip()}; record in a full clone")
    return done.stdout


def rows_at_revision(name: str) -> list[dict[str, Any]]:
    """The JSON lines of a file of the project as it was."""
    done = subprocess.run(["git", "show", f"{REVISION}:{name}"], cwd=ROOT, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def rows_of(name: str) -> list[dict[str, Any]]:
    """The JSON lines of a file of `dev/`; ends the program where it is missing."""
    path = data_folder() / "dev" / name
    if not path.is_file():
        sys.exit(f"no {path}: the cases need all of dev/ (see the README of the evaluation data)")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def all_cases() -> list[Case]:
    """Every case, in the order in which they are played, with their inputs in place."""
    inputs = Inputs()
    made = [
        *of_the_project(inputs),
        *of_real_documents(inputs),
        *of_rivals(inputs),
        *of_pooled_passages(inputs),
        *of_formats(inputs),
        *of_written_replies(inputs),
        *of_claims(inputs),
        *of_fixes(inputs),
        *of_judging(inputs),
        *of_pipes(inputs),
        *of_help(),
    ]
    inputs.sweep()
    names = [case.name for case in made]
    assert len(set(names)) == len(names), "two cases have one name"
    return made


def added(collection: str, *paths: str) -> Case:
    """The case that fills a collection; it stands before all others of that collection."""
    one = ("add", *(str(PLACE / path) for path in paths), "-c", collection, "--json")
    return Case(f"add/{collection}", "add", collection, (one, ("ls", "-c", collection, "--json")))


def asked(name: str, collection: str, question: str, *flags: str) -> Case:
    """The case of one question, as JSON."""
    one = ("ask", "-c", collection, "--json", *flags, "--", question)
    return Case(f"ask/{collection}/{name}", "ask", collection, (one,))


def of_the_project(inputs: Inputs) -> Iterator[Case]:
    """Questions over the project's own documents: plain, in other ways, for people to read, and searches."""
    inputs.place_archive("own", at_revision("docs", "README.md", "SECURITY.md", "CONTRIBUTING.md"))
    rows = rows_at_revision("benchmarks/answers/own_docs.jsonl")
    yield added("own", "own")
    for row in rows:
        yield asked(row["id"], "own", row["question"])
    for number, way in enumerate(WAYS):
        for row in inputs.some(rows, 2):
            yield asked(f"{row['id']}-{number}-{' '.join(way).strip('-')}", "own", row["question"], *way)
    for row in inputs.some(rows, 20):
        commands = (("ask", "-c", "own", "--", row["question"]), ("show", "last"), ("show", "last", "--json"))
        yield Case(f"show/own/{row['id']}", "show", "own", commands)
    for row in inputs.some(rows, 30):
        search = ("search", "-c", "own", "--json", "--", row["question"])
        yield Case(f"search/own/{row['id']}", "search", "own", (search,))
    for row in inputs.some(rows, 10):
        judge = ("judge", "-c", "own", "--json", "--", row["question"])
        yield Case(f"judge/own/{row['id']}", "judge", "own", (judge,))


def of_real_documents(inputs: Inputs) -> Iterator[Case]:
    """Natural questions over two public documentation sets."""
    archive = data_folder() / "dev" / "real" / "corpora.tgz"
    rows = rows_of("real/questions.jsonl")
    inputs.place_archive("real", archive.read_bytes())
    for collection, folder in (("handbook", "a"), ("traefik", "b")):
        yield added(collection, f"real/{folder}")
        for row in inputs.some([each for each in rows if each["collection"] == collection], 35):
            yield asked(row["id"], collection, row["question"])


def of_rivals(inputs: Inputs) -> Iterator[Case]:
    """Questions over things alike."""
    rows = rows_at_revision("benchmarks/rivals/cases.jsonl")
    for row in rows:
        inputs.place(f"rivals/{row['set']}-{row['name']}.md", row["text"])
    yield added("rivals", "rivals")
    questions = [(row["name"], n, each["question"]) for row in rows for n, each in enumerate(row["questions"])]
    for name, number, question in inputs.some(questions, 30):
        yield asked(f"{name}-{number}", "rivals", question)


def of_pooled_passages(inputs: Inputs) -> Iterator[Case]:
    """Questions of labelled sets over the passages of all that were drawn: English, Chinese, dialogues."""
    drawn = [(name, row) for name in POOLED for row in inputs.some(_evidence(name), 6)]
    yield from _over_pool(inputs, "pool", drawn)
    yield from _over_pool(inputs, "chinese", [("rgb-zh", row) for row in inputs.some(_evidence("rgb-zh"), 8)])
    talks = [("mtrag-un", row) for row in inputs.some(_evidence("mtrag-un"), 16)]
    unclear = [("underspecified", row) for row in inputs.some(rows_of("mtrag-un/underspecified.jsonl"), 6)]
    yield from _over_pool(inputs, "talks", [*talks, *unclear])


def _evidence(name: str) -> list[dict[str, Any]]:
    return rows_of(f"{name}/{'conflict' if name == 'ramdocs' else 'evidence'}.jsonl")


def _over_pool(inputs: Inputs, collection: str, drawn: list[tuple[str, dict[str, Any]]]) -> Iterator[Case]:
    passages = {each["text"]: each for _, row in drawn for each in row["passages"]}
    lines = [
        json.dumps({"id": f"p{n}", "title": each.get("title", ""), "text": each["text"]})
        for n, each in enumerate(passages.values())
    ]
    inputs.place(f"pools/{collection}.jsonl", "\n".join(lines) + "\n")
    yield added(collection, f"pools/{collection}.jsonl")
    for number, (name, row) in enumerate(drawn):
        flags: tuple[str, ...] = ()
        if row.get("history"):
            told = [{"role": each["role"], "text": each["text"]} for each in row["history"]]
            flags = ("--history", inputs.place(f"histories/{collection}-{number}.json", json.dumps(told)))
        yield asked(f"{name}-{number}", collection, row["query"], *flags)


def of_formats(inputs: Inputs) -> Iterator[Case]:
    """Documents in many formats, and hostile ones."""
    documents = data_folder() / "docs"
    if not documents.is_dir():
        sys.exit(f"no {documents}: the cases need docs/ of the evaluation data")
    for path in sorted(documents.rglob("*")):
        if path.is_file() and path.name not in SLOW:
            kind = "hostile" if "hostile" in path.parts else "formats"
            inputs.place(f"{kind}/{path.relative_to(documents)}", path.read_bytes())
    yield added("formats", "formats")
    yield added("hostile", "hostile")
    for number, question in enumerate(OF_FORMATS):
        yield asked(str(number), "formats", question)


def of_written_replies(inputs: Inputs) -> Iterator[Case]:
    """Answers that a scripted model writes, in three profiles: those of `dev/replies`, right and wrong."""
    rows = inputs.some(rows_of("replies/replies.jsonl"), 24)
    passages = {each["text"]: each for row in rows for each in row["passages"]}
    lines = [json.dumps({"id": f"r{n}", **_titled(each)}) for n, each in enumerate(passages.values())]
    inputs.place("pools/replies.jsonl", "\n".join(lines) + "\n")
    yield added("replies", "pools/replies.jsonl")
    for number, row in enumerate(rows):
        kind = "good" if number % 3 == 0 else "bad"
        script = inputs.place(f"scripts/{number}.json", json.dumps(script_of(row, kind)))
        depths = ("fast", ("balanced", "thorough")[number % 2])
        for depth in depths:
            flags = ("--profile", depth, "-m", f"fake:{script}", "--retry-seconds", "0")
            yield asked(f"{row['id']}-{kind}-{depth}", "replies", row["question"], *flags)


def _titled(passage: dict[str, Any]) -> dict[str, str]:
    return {"title": passage.get("title", ""), "text": passage["text"]}


def script_of(row: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """A model's script: it finds eight passages enough, writes the reply, and mends by the good one."""
    judged = {
        "passages": [{"number": n, "relevance": 0.9 if n < 4 else 0.2} for n in range(1, 9)],
        "parts": [{"number": 1, "state": "covered", "passages": [1, 2]}],
        "issues": [],
        "missing": [],
        "reason": "It is stated.",
        "recommendation": "ANSWER",
    }
    nothing = {"reason": "It is not stated.", "verdict": "no", "missing": "the number"}
    return [
        {"role": "judge", "contains": "the item with the number", "reply": nothing},
        {"role": "judge", "contains": "relevance", "reply": judged},
        {"role": "judge", "reply": {"reason": "It is stated.", "verdict": "yes", "missing": ""}},
        {"role": "condenser", "reply": {"queries": [{"part": 1, "query": row["question"]}]}},
        {"role": "repairer", "reply": row["good"].split(". ")[0].split(" [")[0].rstrip(".") + " [1]."},
        {"role": "writer", "reply": row[kind], "pieces": 4},
    ]


def of_claims(inputs: Inputs) -> Iterator[Case]:
    """Checks: claims against a text, replies with their marks, claims against a collection, and with a verifier."""
    for name in CLAIMS:
        for number, row in enumerate(inputs.some(rows_of(f"{name}/grounding.jsonl"), 6)):
            source = inputs.place(f"sources/{name}-{number}.txt", row["context"])
            yield checked(f"{name}-{number}", inputs, row["claim"], [source])
    for number, row in enumerate(inputs.some(rows_of("replies/replies.jsonl"), 40)):
        kind = "good" if number % 2 else "bad"
        question = ("--question", row["question"]) if number % 4 < 2 else ()
        yield checked(f"{row['id']}-{kind}", inputs, row[kind], sources_of(inputs, row), *question)
    rows = inputs.some(rows_at_revision("benchmarks/answers/own_docs.jsonl"), 12)
    for row in rows:
        yield checked(f"own-{row['id']}", inputs, f"{row['gold'] or row['question']}.", [], "-c", "own")
    verdicts = ("supported", "contradicted", "unsupported")
    for number, row in enumerate(inputs.some(rows_of("wice/grounding.jsonl"), 22)):
        source = inputs.place(f"sources/ruled-{number}.txt", row["context"])
        part = {"text": row["claim"], "verdict": verdicts[number % 3], "sentences": [1] if number % 3 < 2 else []}
        rules = [{"role": "verifier", "reply": {"claims": [{"number": 1, "parts": [part]}]}}]
        script = inputs.place(f"scripts/ruled-{number}.json", json.dumps(rules))
        flags = ("--verifier-model", f"fake:{script}", "--no-keep-verdicts", "--retry-seconds", "0")
        yield checked(f"ruled-{number}", inputs, row["claim"], [source], *flags)


def checked(name: str, inputs: Inputs, text: str, sources: Iterable[str], *flags: str) -> Case:
    """The case of one check, as JSON."""
    draft = inputs.place(f"drafts/{name}.md", text)
    given = [part for source in sources for part in ("--sources", source)]
    collection = "own" if "own" in flags else "given"
    return Case(f"check/{name}", "check", collection, (("check", draft, *given, "--json", *flags),))


def sources_of(inputs: Inputs, row: dict[str, Any]) -> list[str]:
    """The files of a reply's passages, numbered as its marks number them."""
    return [inputs.place(f"sources/{row['id']}/{n}.md", each["text"]) for n, each in enumerate(row["passages"], 1)]


def of_fixes(inputs: Inputs) -> Iterator[Case]:
    """Fixes: wrong replies and a few right ones, marked and dropped, edited summaries, and with a repairer."""
    for number, row in enumerate(inputs.some(rows_of("replies/replies.jsonl"), 60)):
        kind = "good" if number % 6 == 0 else "bad"
        flags: tuple[str, ...] = ("--unsupported", "drop") if number % 4 == 1 else ()
        if number % 5 == 2:
            script = inputs.place(f"scripts/fix-{number}.json", json.dumps(script_of(row, "good")))
            flags = (*flags, "--profile", "balanced", "-m", f"fake:{script}", "--retry-seconds", "0")
        yield mended(f"{row['id']}-{kind}", inputs, row[kind], sources_of(inputs, row), *flags)
    for name in (*(f"summedits-{each}" for each in EDITED), "falke", "wice"):
        rows = [row for row in rows_of(f"{name}/grounding.jsonl") if not row["supported"]]
        for number, row in enumerate(inputs.some(rows, 4)):
            source = inputs.place(f"sources/fix-{name}-{number}.txt", row["context"])
            yield mended(f"{name}-{number}", inputs, row["claim"], [source])


def mended(name: str, inputs: Inputs, text: str, sources: Iterable[str], *flags: str) -> Case:
    """The case of one fix, as JSON."""
    draft = inputs.place(f"drafts/fix-{name}.md", text)
    given = [part for source in sources for part in ("--sources", source)]
    return Case(f"fix/{name}", "fix", "given", (("fix", draft, *given, "--json", *flags),))


def of_judging(inputs: Inputs) -> Iterator[Case]:
    """Judgements of passages that are given, a pipe of one line each."""
    for name in JUDGED:
        for number, row in enumerate(inputs.some(_evidence(name), 5)):
            line = {"id": f"{name}-{number}", "query": row["query"], "passages": _numbered(row)}
            yield Case(f"judge/{name}-{number}", "judge", "given", (("judge", "--jsonl"),), _lines([line]))


def _numbered(row: dict[str, Any]) -> list[dict[str, str]]:
    return [{"id": str(n), **_titled(each)} for n, each in enumerate(row["passages"], 1)]


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def of_pipes(inputs: Inputs) -> Iterator[Case]:
    """Pipes of several lines, with one that is broken, and requests that are refused."""
    rows = rows_at_revision("benchmarks/answers/own_docs.jsonl")
    for number in range(3):
        lines = [{"id": row["id"], "question": row["question"]} for row in inputs.some(rows, 4)]
        text = _lines(lines) + '{"id": "broken"}\nno JSON\n'
        yield Case(f"ask/pipe-{number}", "ask", "own", (("ask", "-c", "own", "--jsonl"),), text)
    claims = [
        {name: row[name] for name in ("id", "claim", "context")}
        for name in ("wice", "falke", "scifact")
        for row in inputs.some(rows_of(f"{name}/grounding.jsonl"), 4)
    ]
    yield Case("check/pipe", "check", "given", (("check", "--jsonl"),), _lines([*claims, {}]))
    drafts = [
        {"id": row["id"], "answer": row["bad"], "passages": _numbered(row)}
        for row in inputs.some(rows_of("replies/replies.jsonl"), 4)
    ]
    yield Case("fix/pipe", "fix", "given", (("fix", "--jsonl"),), _lines(drafts))
    refused: tuple[tuple[str, ...], ...] = (
        ("ask", "--json", ""),
        ("ask", "--json", "-c", "nowhere", "What is it?"),
        ("ask", "--json", "--profile", "deep", "What is it?"),
        ("ask", "--json", "-m", "fake:/nowhere.json", "-c", "own", "What is assay?"),
    )
    yield Case("ask/refused", "ask", "own", refused)
    for verb in ("check", "fix"):
        misused = (
            (verb, "--json", "nowhere.txt"),
            (verb, "--json", "", "-c", "own"),
            (verb, "--json", "One two.", "-c", "x"),
        )
        yield Case(f"{verb}/refused", verb, "own", misused)


def of_help() -> Iterator[Case]:
    """The help of every verb, the settings, the rubrics and the rules."""
    for verb in VERBS:
        yield Case(f"help/{verb}", "help", "given", ((verb, "--help"),))
    yield Case("help/assay", "help", "given", (("--help",), ("--version",)))
    yield Case("help/settings", "help", "given", (("config", "show"),))
