"""The wiki-mix corpus as a collection of its own, and what a question finds in it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from answers_data import Asked, judged, read_lines, wiki_mix

from assay.engine import Engine
from assay.ingest.pipeline import embedded_text
from assay.settings import load_settings
from assay.types import Answer, Evidence, EvidenceFound, Hit, Outcome, Passage, Question, Scores
from assay.understanding.rules import understand_by_rules
from assay.wiring import open_embedder, open_engine


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what an ask found for it, how far that suffices, and how long the ask took."""

    asked: Asked
    question: Question
    evidence: Evidence
    sufficiency: float
    answered: bool
    ms: float


def engine() -> Engine:
    """An engine over the corpus; the first call fills the collection, which takes some minutes.

    It is kept in the folder ASSAY_BENCH_CACHE, or in the system's folder for temporary files.
    """
    folder = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "answers-collection"
    opened = open_engine(data_dir=folder, collection="wiki-mix")
    if not opened.documents():
        opened.add([wiki_mix() / "corpus.jsonl"])
    return opened


def found(opened: Engine, asked: list[Asked]) -> list[Case]:
    """What each question finds, as the engine's own events tell it."""
    return [_case(each, opened.ask(each.text)) for each in asked]


def _case(asked: Asked, answer: Answer) -> Case:
    evidence = next(event.evidence for event in answer.trace if isinstance(event, EvidenceFound))
    answered = answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    sufficiency = answer.judgement.sufficiency or 0.0
    return Case(asked, understand_by_rules(asked.text), evidence, sufficiency, answered, answer.ms)


def completed(cases: list[Case]) -> list[Case]:
    """The cases with the judged documents they did not find put in the place of their last hits.

    A ranking of sentences learns nothing from a question whose answer was not found.
    """
    relevant = judged()
    documents = {str(row["id"]): row for row in read_lines(wiki_mix() / "corpus.jsonl")}
    return [_completed(case, relevant.get(case.asked.id, ()), documents) for case in cases]


def _completed(case: Case, relevant: tuple[str, ...], documents: dict[str, dict[str, object]]) -> Case:
    have = {hit.passage.document_id for hit in case.evidence.hits}
    missing = [each for each in relevant if each not in have]
    if not missing:
        return case
    added = tuple(_hit(case, documents[each]) for each in missing)
    kept = case.evidence.hits[: max(0, len(case.evidence.hits) - len(added))]
    return replace(case, evidence=Evidence(kept + added))


def _hit(case: Case, document: dict[str, object]) -> Hit:
    identity, text, title = str(document["id"]), str(document["text"]), str(document["title"])
    passage = Passage(identity, identity, "", 0, len(text), text, title=title)
    embedder = open_embedder(load_settings({}).settings)
    question, vector = asyncio.run(embedder.embed([case.question.standalone, embedded_text(title, text)]))
    return Hit(passage, case.evidence.hits[-1].score, Scores(dense=float(question @ vector)))
