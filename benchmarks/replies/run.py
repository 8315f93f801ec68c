"""What becomes of replies as a strong model writes them: good ones, and ones with errors.

    .venv/bin/python benchmarks/replies/run.py [--verifier] [--show KIND]

Each reply of `dev/replies` is written by `fake:`, the scripted model, over the eight passages found for it
at profile fast. The evidence counts as sufficient: what is measured is how the reply is tested and mended.
With `--verifier` a scripted model that knows the labels, and is right of 95 % of the claims, is asked what the
tests leave open. `--show passed` prints the bad sentences that were called supported, `--show failed` the good ones
called failed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.pipeline import run_question
from assay.core.run import ignore_event
from assay.engine import Engine
from assay.models.structured import StructuredModel
from assay.nlp.citations import citations, without_marks
from assay.nlp.negation import negations
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS
from assay.types import (
    Action,
    Answer,
    Evidence,
    Hit,
    Judgement,
    ModelReply,
    ModelRequest,
    Passage,
    Question,
    Usage,
    Verdict,
)
from assay.verification.claims import claims_nothing
from assay.verification.model_verifier import ModelTier, ModelVerifier
from assay.verification.verifier import DeterministicVerifier
from assay.wiring import open_checker
from assay.wiring.stages import EVIDENCE_SHARE
from report import data_folder, write_result

FAILED = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
_WORD = re.compile(r"\w+")
_BRACKETS = re.compile(r"\[(\d+-\d+(?:, \d+-\d+)*)\] ")
_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
# Of a hundred claims the scripted verifier is wrong about so many.
WRONG = 5
# Tokens of sentences that it is shown: the program's share of its default context.
ROOM = int(EVIDENCE_SHARE * 8192)
# A sentence is one that is labelled bad where so much of its words are.
SAME = 0.8


@dataclass(frozen=True)
class Given:
    """A retriever that finds the same passages whatever it is asked."""

    evidence: Evidence

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages."""
        return self.evidence


@dataclass(frozen=True)
class Sufficient:
    """A judge that finds the evidence sufficient."""

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """To be answered."""
        return Judgement(0.9, Action.ANSWER, "given")


@dataclass
class Knowing:
    """A verifier model that knows which sentences are bad, and says the opposite of so many claims as `WRONG`."""

    bad: Sequence[str]
    calls: int = 0
    name: str = "scripted"
    host: str = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Every claim that is shown as one part, by the sentence that shares most of its words."""
        self.calls += 1
        shown = request.messages[-1].text
        first, _, second = shown.partition("<claims ")
        numbered = {int(n): set(_WORD.findall(text.casefold())) for n, text in _NUMBERED.findall(first)}
        claims = [self._said(int(n), *bracketed(text, numbered)) for n, text in _NUMBERED.findall(second)]
        text = json.dumps({"claims": claims})
        return ModelReply(text, "stop", Usage(calls=1), self.name)

    def _said(self, number: int, text: str, numbered: Mapping[int, set[str]]) -> dict[str, Any]:
        words = _WORD.findall(text)
        is_bad = any(_same(words, _WORD.findall(each)) for each in self.bad)
        errs = int(hashlib.sha256(text.encode()).hexdigest(), 16) % 100 < WRONG
        asked = set(_WORD.findall(text.casefold()))
        nearest = max(numbered, key=lambda n: len(asked & numbered[n]))
        part: dict[str, Any] = {"text": text, "verdict": "supported", "sentences": [nearest]}
        shares = asked & numbered[nearest] - STOP_WORDS
        if not is_bad and not errs and negations(text) and not shares:
            part |= {"verdict": "absent", "sentences": []}
        if is_bad != errs:
            part |= {"verdict": "unsupported", "sentences": []}
        return {"number": number, "parts": [part]}

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """Nobody streams a verdict."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Nothing is open."""


def bracketed(text: str, numbered: Mapping[int, set[str]]) -> tuple[str, dict[int, set[str]]]:
    """A claim without the numbers before it, and the sentences that it may go by."""
    found = _BRACKETS.match(text)
    if found is None:
        return text, dict(numbered)
    ranges = (each.split("-") for each in found[1].split(", "))
    own = {n for first, last in ranges for n in range(int(first), int(last) + 1)}
    return text[found.end() :], {n: words for n, words in numbered.items() if n in own}


@dataclass(frozen=True)
class Said:
    """One sentence of a reply and what became of it: is it there unchanged, and the worst verdict on its claims."""

    text: str
    bad: bool
    unchanged: bool
    verdict: Verdict | None


def main() -> None:
    """Play, count, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verifier", action="store_true")
    parser.add_argument("--show", choices=("passed", "failed", "changed"))
    asked = parser.parse_args()
    rows = [json.loads(line) for line in (data_folder() / "dev" / "replies" / "replies.jsonl").open()]
    found: dict[str, list[Said]] = {}
    calls: list[int] = []
    started, cpu = time.perf_counter(), time.process_time()
    for kind in ("good", "bad"):
        with tempfile.TemporaryDirectory() as folder, engine(Path(folder), rows, kind) as opened:
            found[kind] = []
            for row in rows:
                wrong = [text for _, text in row["bad_sentences"]] if kind == "bad" else []
                knowing = Knowing(wrong) if asked.verifier else None
                answer = played(opened, row, knowing)
                calls.append(answer.usage.calls + (knowing.calls if knowing else 0))
                found[kind] += said(row, kind, answer)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
    good, bad = found["good"], [each for each in found["bad"] if each.bad]
    numbers = {
        "replies": len(rows),
        "good": shares(good),
        "bad": shares(bad),
        "calls a question": sum(calls) / len(calls),
        "CPU ms a question": 1000 * cpu_seconds / len(calls),
        "ms a question": 1000 * seconds / len(calls),
    }
    for each in (*good, *bad):
        if shown(asked.show, each):
            print(f"{each.verdict and each.verdict.value:13} {' '.join(each.text.split())}")
    write_result("replies", "verifier" if asked.verifier else "rules", numbers)


def shown(kind: str | None, each: Said) -> bool:
    """Whether a sentence is one to be printed."""
    if kind == "passed":
        return each.bad and each.verdict is Verdict.SUPPORTED
    if kind == "failed":
        return not each.bad and each.verdict in FAILED
    return kind == "changed" and not each.bad and not each.unchanged


def engine(folder: Path, rows: Sequence[dict], kind: str) -> Engine:
    """An engine whose model writes the replies of a kind, each for its own question."""
    rules = [{"role": "writer", "contains": row["question"], "reply": row[kind]} for row in rows]
    script = folder / "script.json"
    script.write_text(json.dumps(rules), encoding="utf-8")
    return open_checker(model=f"fake:{script}", profile="fast", data_dir=folder)


def played(opened: Engine, row: dict, knowing: Knowing | None) -> Answer:
    """The answer to the row's question over its passages."""
    passages = [
        Passage(str(n), str(n), "r", 0, len(each["text"]), each["text"], each.get("title", ""))
        for n, each in enumerate(row["passages"], 1)
    ]
    evidence = Evidence(tuple(Hit(each, 1.0 / n) for n, each in enumerate(passages, 1)))

    async def answered() -> Answer:
        run = opened._parts.begin(row["question"], (), 0, False)
        stages = replace(opened._parts.stages_for(run), retriever=Given(evidence), judge=Sufficient())
        if knowing is not None:
            assert isinstance(stages.verifier, DeterministicVerifier)
            verifier = ModelVerifier(stages.verifier, ModelTier(StructuredModel(knowing), ROOM))
            stages = replace(stages, verifier=verifier, settler=verifier)
        return await run_question(row["question"], (), run, stages, ignore_event)

    return opened._background.run(answered())


def said(row: dict, kind: str, answer: Answer) -> Iterator[Said]:
    """The sentences of the reply that claim something, and what became of each."""
    wrong = [text for _, text in row["bad_sentences"]] if kind == "bad" else []
    text = row[kind]
    plain = without_marks(text, citations(text))
    delivered = " ".join(_WORD.findall(without_marks(answer.text, answer.citations)))
    dropped = {" ".join(_WORD.findall(each.text)): each.verdict for each in answer.dropped}
    for span in sentences(plain):
        sentence = plain[span.start : span.end]
        words = _WORD.findall(sentence)
        if claims_nothing(sentence) or not words:
            continue
        unchanged = " ".join(words) in delivered
        judged = [each.verdict for each in answer.claims if _same(words, _WORD.findall(each.text))]
        judged += [verdict for each, verdict in dropped.items() if _same(words, each.split())]
        bad = any(_same(words, _WORD.findall(each)) for each in wrong)
        yield Said(sentence, bad, unchanged, worst(judged))


def worst(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The worst of some verdicts, None of none."""
    order = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)
    return next((each for each in order if each in verdicts), None)


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one sentence holds most of the words of a part of it, or the other way round."""
    first, second = set(one), set(other)
    return len(first & second) >= SAME * min(len(first), len(second)) and bool(first & second)


def shares(some: Sequence[Said]) -> dict[str, float]:
    """How many arrive unchanged and with which verdict, as shares."""
    count = Counter(None if each.verdict is None else each.verdict.value for each in some)
    many = len(some)
    return {
        "sentences": many,
        "unchanged": sum(each.unchanged for each in some) / many,
        "unchanged and supported": sum(each.unchanged and each.verdict is Verdict.SUPPORTED for each in some)
        / many,
        **{name: count[name] / many for name in ("supported", "unknown", "unsupported", "contradicted")},
        "failed": sum(each.verdict in FAILED for each in some) / many,
        "no verdict": count[None] / many,
    }


if __name__ == "__main__":
    main()
