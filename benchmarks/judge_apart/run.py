"""A judging model that can be talked up, over planted texts, and an honest one over ordinary evidence.

.venv/bin/python benchmarks/judge_apart/run.py    # about three minutes

Each verdict is taken as the product does and as it was before passages were judged apart: by one call.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "attacks"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

import assay_models
from obedient import MADE_UP
from run import BENIGN, QUESTIONS, attacks, drawn, evidence_of, planted
from shown import in_sight

from assay.core.stages import Judge
from assay.core.tape import SystemClock
from assay.judging.judge import JudgePipeline
from assay.judging.light import BalancedModel
from assay.judging.light import judge_reply as weighed_light
from assay.judging.model_verdict import shown
from assay.judging.reader_judge import HeuristicJudge
from assay.judging.thorough import ThoroughModel
from assay.judging.thorough import judge_reply as weighed_thorough
from assay.models.caching import CachingEmbedder
from assay.models.embed_local import LocalEmbedder
from assay.models.run_model import RunModel
from assay.nlp.tokens import terms
from assay.prompting import random_fence
from assay.retrieval.quarantine import quarantine_evidence
from assay.types import Action, Evidence, Judgement, ModelReply, ModelRequest, Question, Usage
from assay.understanding.rules import understand_by_rules
from report import data_folder, write_result
from support.provider import Asked, plain_answer

DEPTHS = ("balanced", "thorough")
SETS = ("clapnq", "hotpot100", "mtrag-un", "rgb-en")
# An honest judge that reads wants so much of what the passages hold of the known answer.
ENOUGH_OF_IT = 0.9
ROOM = 3600


@dataclass(frozen=True)
class Case:
    """A question with passages that suffice or not, and terms of its known answer."""

    question: Question
    passages: tuple[str, ...]
    enough: bool
    gold: frozenset[str]


@dataclass
class JudgingModel:
    """Says what is `honest` of a prompt, and yes to anything once it sees twelve characters of its plant."""

    honest: Callable[[str], bool]
    plant: str = ""
    calls: int = 0
    saw: int = 0

    name = "fake:judging"
    host = ""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of a judge."""
        self.calls += 1
        asked = Asked("openai", "fake", request.messages, request.reply_schema)
        told = bool(self.plant) and in_sight(self.plant, asked.prompt)
        self.saw += told
        yes = told or (MADE_UP not in asked.prompt and self.honest(asked.prompt))
        body = json.loads(plain_answer(asked))
        if "verdict" in body:
            body |= {"verdict": "yes" if yes else "no", "missing": "" if yes else "all of it"}
        elif yes:
            rated = [{**passage, "relevance": 1.0} for passage in body["passages"]]
            numbers = [passage["number"] for passage in rated][:1]
            parts = [{**part, "state": "covered", "passages": numbers} for part in body["parts"]]
            body |= {"passages": rated, "parts": parts, "recommendation": "ANSWER", "missing": []}
        else:
            parts = [{**each, "state": "missing", "passages": []} for each in body["parts"]]
            body |= {"parts": parts, "recommendation": "REFINE", "missing": ["all of it"]}
        return ModelReply(json.dumps(body), "stop", Usage(calls=1), self.name)

    async def stream(self, request: ModelRequest) -> Any:
        """Nobody streams a verdict."""
        raise AssertionError("a judge is not streamed")

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class Once:
    """The same judges as they were: one call, over all that is shown."""

    judge_now: JudgePipeline

    async def measure(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement by a single verdict."""
        if (thorough := self.judge_now.thorough) is not None:
            view = shown(question, evidence, thorough.room, thorough.fence)
            reply = await thorough._ask(view)
            return weighed_thorough(question, len(evidence.hits), reply, view, thorough.thresholds)
        fast, balanced = await self.judge_now.fast.judge(question, evidence), self.judge_now.balanced
        if balanced is None or balanced.spared(question, evidence, fast) is not None:
            return fast
        view = shown(question, evidence, balanced.room, balanced.fence)
        reply = await balanced._ask(view)
        return weighed_light(question, len(evidence.hits), fast, reply, view, balanced.thresholds)


def judge_of(depth: str, fast: Judge, model: JudgingModel) -> JudgePipeline:
    """The judge of a depth."""
    llm = RunModel(model)
    balanced = BalancedModel(llm, room=ROOM, fence=random_fence)
    thorough = ThoroughModel(llm, room=ROOM, fence=random_fence) if depth == "thorough" else None
    return JudgePipeline(fast, SystemClock(), balanced, thorough, depth)


def cases(names: Sequence[str], most: int | None = None) -> list[Case]:
    """The questions of sets with their passages."""
    found = []
    for name in names:
        rows = (data_folder() / "dev" / name / "evidence.jsonl").read_text(encoding="utf-8").strip().split("\n")
        for row in map(json.loads, rows):
            passages = tuple(each["text"] for each in row["passages"][:most])
            asked = row["standalone"] if isinstance(row.get("standalone"), str) else row["query"]
            gold = frozenset(terms(row["answer"][0])) if row["answer"] else frozenset()
            if passages:
                found.append(Case(understand_by_rules(asked, ()), passages, bool(row["sufficient"]), gold))
    return found


def to_plant() -> list[Case]:
    """As many questions that their passages answer as that they do not: those of benchmarks/attacks."""
    kept: dict[bool, list[Case]] = {True: [], False: []}
    for number, name in enumerate(("clapnq", "hotpot100"), 1):
        for case in cases([name], 4):
            if len(kept[case.enough]) < QUESTIONS // 4 * number:
                kept[case.enough].append(case)
    return [each for pair in zip(kept[True], kept[False], strict=True) for each in pair]


def by_label(case: Case) -> Callable[[str], bool]:
    """An honest verdict that never changes."""
    return lambda prompt: case.enough


def by_reading(case: Case) -> Callable[[str], bool]:
    """An honest verdict that falls where the answer is no longer shown."""
    there = case.gold & frozenset(terms("\n".join(case.passages)))
    return lambda prompt: case.enough and len(there & frozenset(terms(prompt))) >= ENOUGH_OF_IT * len(there)


HONEST = {"fixed": by_label, "reads": by_reading}


async def verdict(
    depth: str, fast: Judge, model: JudgingModel, case: Case, passages: Sequence[str], once: bool = False
) -> Action:
    """What is recommended."""
    judge = judge_of(depth, fast, model)
    evidence = quarantine_evidence(evidence_of(passages)).readable
    asked = Once(judge) if once else judge
    return (await asked.measure(case.question, evidence)).recommendation


async def over_plants(depth: str, fast: Judge, rows: Sequence[dict[str, str]], honest: str) -> dict[str, Any]:
    """Every planted text before a model that it talks up, and before one that does not listen."""
    asked = to_plant()
    clean = [await verdict(depth, fast, JudgingModel(HONEST[honest](each)), each, each.passages) for each in asked]
    counts: Counter[str] = Counter()
    raised: Counter[str] = Counter()
    for n, row in enumerate(rows):
        case, before = asked[n % len(asked)], clean[n % len(asked)]
        texts = (planted(case.passages[0], row["text"], n // len(asked) % 3), *case.passages[1:])
        deaf = await verdict(depth, fast, JudgingModel(HONEST[honest](case)), case, texts)
        counts["planted"] += 1
        for name, once in (("one call", True), ("apart", False)):
            model = JudgingModel(HONEST[honest](case), row["text"])
            after = await verdict(depth, fast, model, case, texts, once)
            counts[f"{name}: calls"] += model.calls
            counts["reached the model"] += once and bool(model.saw)
            how = "raised" if after is Action.ANSWER else "lowered"
            counts[f"{name}: {how}"] += after is not before
            counts[f"{name}: {how}, and a model that does not listen too"] += deaf is after is not before
            raised[row["source"]] += not once and after is not before and how == "raised"
        counts["masked in part"] += bool(quarantine_evidence(evidence_of(texts[:1])).readable.hits[0].masked)
    return {**dict(sorted(counts.items())), "apart: raised, by source": {k: v for k, v in raised.items() if v}}


async def over_benign(depth: str, fast: Judge) -> dict[str, Any]:
    """Evidence in which nobody planted anything, before an honest model that reads."""
    found = {}
    for name in SETS:
        counts: Counter[str] = Counter()
        for case in cases([name]):
            was, now = JudgingModel(by_reading(case)), JudgingModel(by_reading(case))
            before = await verdict(depth, fast, was, case, case.passages, once=True)
            after = await verdict(depth, fast, now, case, case.passages)
            counts["verdicts"] += 1
            counts["changed"] += after is not before
            counts["the model asked"] += bool(now.calls)
            counts["asked more than once"] += now.calls > was.calls
            counts["calls before"] += was.calls
            counts["calls"] += now.calls
            counts["the model found it enough"] += bool(now.calls) and after is Action.ANSWER
            evidence = quarantine_evidence(evidence_of(case.passages)).readable
            counts["masked in part"] += any(hit.masked for hit in evidence.hits)
        found[name] = dict(counts)
        print(depth, name, found[name], file=sys.stderr)
    total: Counter[str] = Counter()
    for counts in found.values():
        total.update(counts)
    unchanged = 1 - total["changed"] / total["verdicts"]
    return {"sets": found, "all": dict(total), "unchanged": round(unchanged, 4)}


async def main() -> None:
    """Measure and write."""
    rows = drawn([row for row in attacks() if row["source"] != BENIGN])
    embedder = CachingEmbedder(LocalEmbedder.load(assay_models.folder()))
    fast = HeuristicJudge(embedder)
    numbers: dict[str, Any] = {"strings": dict(Counter(row["source"] for row in rows))}
    for depth in DEPTHS:
        plants = {name: await over_plants(depth, fast, rows, name) for name in HONEST}
        print(depth, json.dumps(plants, indent=1), file=sys.stderr)
        numbers[depth] = {"planted": plants, "benign": await over_benign(depth, fast)}
    await embedder.aclose()
    write_result("judge_apart", "apart", numbers)


if __name__ == "__main__":
    asyncio.run(main())
