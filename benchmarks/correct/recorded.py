"""Recorded runs: every question searched again once, whatever its first judgement, and how both were judged."""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "outside"))
from answers_data import Asked, questions, shows_gold
from moved import choosing, folder_without_answers, opened, web, whole_folder

from assay.core.stages import SEARCHING, SearchUtility
from assay.engine import Engine
from assay.types import Action, Answer, Evidence, EvidenceFound, Judged, Triage

FOLDS = 5
ALWAYS = SearchUtility({(action, triage): 1.0 for action in SEARCHING for triage in Triage})


@dataclass(frozen=True, slots=True)
class Looked:
    """What a judge said of evidence, and whether it holds the gold."""

    sufficiency: float
    holds: bool


@dataclass(frozen=True, slots=True)
class Searched:
    """A question searched once and then again: both judgements, and the seconds of the whole run."""

    asked: Asked
    action: Action
    first: Looked
    later: Looked
    changed: bool
    seconds: float


def fold_of(asked: Asked) -> int:
    """The fold of the question's group, 0 to 4."""
    return zlib.crc32(asked.group.encode()) % FOLDS


def recorded() -> list[Searched]:
    """The dev questions of wiki-mix: refined over the whole corpus; and asked outside, where the passages that
    answer were moved to, and where the collection has them as well: nobody knows beforehand which it is.
    """
    asked = questions()
    with opened(whole_folder()) as engine:
        found = searched_again(engine, Action.REFINE, asked)
    with web() as settings:
        for folder in (folder_without_answers(), whole_folder()):
            with opened(folder, **settings) as engine:
                found += searched_again(engine, Action.EXTERNAL, asked)
    return found


def searched_again(engine: Engine, action: Action, asked: Sequence[Asked]) -> list[Searched]:
    """Each question by an engine that can only search, once more in this way."""
    able = choosing(engine, ALWAYS, (action, Action.ABSTAIN))
    found = []
    for each in asked:
        before = time.perf_counter()
        answer = able.ask(each.text)
        found.append(_searched(each, action, answer, time.perf_counter() - before))
    return found


def _searched(asked: Asked, action: Action, answer: Answer, seconds: float) -> Searched:
    evidence = [event.evidence for event in answer.trace if isinstance(event, EvidenceFound)]
    judgements = [event.judgement for event in answer.trace if isinstance(event, Judged)]
    first, later = (
        Looked(judgements[n].sufficiency or 0.0, bool(asked.golds) and shows_gold(_text(evidence[n]), asked.golds))
        for n in (0, -1)
    )
    return Searched(asked, action, first, later, evidence[0].ids != evidence[-1].ids, seconds)


def _text(evidence: Evidence) -> str:
    return " ".join(passage.text for passage in evidence.passages)
