"""The estimates of answer quality: do human-written answers pass, and does a planted flaw lower its own criterion?

Clean answers are those that people wrote for clapnq's development half, each sentence citing the passage that they
wrote it from. Into each one flaw is planted that one criterion should see; where a flaw cannot be planted (no
number to change, no second sentence to cut) the answer is left out of its row.

.venv/bin/python benchmarks/assess/run.py
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from assay.assessment.deterministic import DeterministicAssessor
from assay.nlp.citations import citations
from assay.nlp.sentences import sentences
from assay.types import Assessment, Criterion, Draft, Evidence, Hit, Passage, Question, Span
from assay.understanding.rules import RulesUnderstander
from assay.verification.verifier import DeterministicVerifier

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import data_folder, write_result


@dataclass(frozen=True)
class Case:
    """A question, its evidence, and an answer's sentences with the number of the passage that each cites."""

    question: Question
    passages: tuple[Passage, ...]
    said: tuple[tuple[str, int | None], ...]


def cases() -> list[Case]:
    """The answerable questions with the first answer that a person wrote."""
    path = data_folder() / "dev" / "clapnq" / "evidence.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [asyncio.run(case(row)) for row in rows if row["sufficient"] and row["answer"]]


async def case(row: Mapping[str, Any]) -> Case:
    """One row, its question understood by rules."""
    question = await RulesUnderstander().understand(row["query"], ())
    passages = tuple(
        Passage(each["id"], each["id"], "r", 0, len(each["text"]), each["text"], each.get("title", ""))
        for each in row["passages"]
    )
    text = row["answer"][0]
    # As much as the person wrote is what was asked for: length is no flaw of a clean answer.
    said = tuple((text[span.start : span.end], 1) for span in sentences(text))
    return Case(replace(question, detail=max(question.detail, 6)), passages, said)


def assessed(case: Case) -> Assessment:
    """The estimates of one answer."""
    text, spans = "", []
    for sentence, number in case.said:
        start = len(text) + bool(text)
        text += " " * bool(text) + sentence + (f" [{number}]" if number is not None else "")
        spans.append(Span(start, len(text)))
    used = max((n for mark in citations(text) for n in mark.numbers if n <= len(case.passages)), default=0)
    draft = Draft(text, tuple(each.passage_id for each in case.passages[:used]), tuple(spans))
    evidence = Evidence(tuple(Hit(each, 1.0) for each in case.passages))

    async def made() -> Assessment:
        verifier = DeterministicVerifier()
        review = verifier.conclude(case.question, draft, await verifier.review(case.question, evidence, draft))
        return await DeterministicAssessor().assess(case.question, evidence, draft, review)

    return asyncio.run(made())


# --- one flaw for each criterion -----------------------------------------------------------------


def wrong_number(one: Case, _other: Case) -> Case | None:
    """A number of the answer is another one."""
    for at, (text, number) in enumerate(one.said):
        changed = re.sub(r"\d(?=\D|$)", lambda match: str((int(match.group()) + 3) % 10), text, count=1)
        if changed != text:
            return replace(one, said=(*one.said[:at], (changed, number), *one.said[at + 1 :]))
    return None


def two_questions(one: Case, other: Case) -> Case:
    """The question of one and another, with both answers."""
    question = replace(
        one.question,
        standalone=f"{one.question.standalone} and {other.question.standalone}",
        aspects=(one.question.standalone, other.question.standalone),
    )
    first = len(one.passages)
    later = tuple((text, number and number + first) for text, number in other.said)
    return Case(question, one.passages + other.passages, one.said + later)


def one_of_two_answered(one: Case, other: Case) -> Case:
    """The question of one and another, with the answer to the first alone."""
    return replace(two_questions(one, other), said=one.said)


def repeated(one: Case, _other: Case) -> Case | None:
    """A sentence is said twice, where the answer has no more than four."""
    return replace(one, said=(*one.said, one.said[0])) if len(one.said) <= 4 else None


def cut_off(one: Case, _other: Case) -> Case | None:
    """The last of several sentences ends in the middle."""
    words = one.said[-1][0].split()
    if len(one.said) < 2 or len(words) < 6:
        return None
    return replace(one, said=(*one.said[:-1], (" ".join(words[: len(words) // 2]), one.said[-1][1])))


def beside_the_point(one: Case, other: Case) -> Case:
    """The answer to another question, with its passage, stands behind this one."""
    return replace(two_questions(one, other), question=one.question)


def uncited(one: Case, _other: Case) -> Case:
    """Nothing is cited."""
    return replace(one, said=tuple((text, None) for text, _ in one.said))


def invalid_mark(one: Case, _other: Case) -> Case:
    """The first sentence cites a passage that does not exist."""
    return replace(one, said=((one.said[0][0], 99), *one.said[1:]))


def wrong_passage(one: Case, other: Case) -> Case:
    """Each sentence cites the passage of another question."""
    said = tuple((text, len(one.passages) + 1) for text, _ in one.said)
    return replace(one, passages=one.passages + other.passages, said=said)


def other_language(one: Case, _other: Case) -> Case:
    """The question was asked in German."""
    return replace(one, question=replace(one.question, language="de"))


FLAWS: Mapping[str, tuple[Criterion, Callable[[Case, Case], Case | None]]] = {
    "a number changed": (Criterion.ACCURACY, wrong_number),
    "one of two questions answered": (Criterion.COMPLETENESS, one_of_two_answered),
    "a sentence repeated": (Criterion.COHERENCE, repeated),
    "cut off in the last sentence": (Criterion.COHERENCE, cut_off),
    "another question's answer behind it": (Criterion.RELEVANCE, beside_the_point),
    "no citations": (Criterion.CITATION_QUALITY, uncited),
    "a citation of no passage": (Criterion.CITATION_QUALITY, invalid_mark),
    "citations of another question's passage": (Criterion.CITATION_QUALITY, wrong_passage),
    "another language than the question's": (Criterion.USER_ALIGNMENT, other_language),
}


# --- what is counted -----------------------------------------------------------------------------


def score(made: Assessment, criterion: Criterion) -> float | None:
    """The score of a criterion, None where it is unknown."""
    return next(each.score for each in made.scores if each.criterion is criterion)


def of_clean(made: Sequence[Assessment]) -> dict[str, Any]:
    """How clean answers fare, criterion by criterion."""
    table = {}
    for criterion in Criterion:
        known = [value for each in made if (value := score(each, criterion)) is not None]
        table[criterion.value] = {
            "mean": round(fmean(known), 3),
            "share at 0.5 or more": round(sum(value >= 0.5 for value in known) / len(known), 3),
            "unknown": len(made) - len(known),
        }
    passed = [each.passed for each in made]
    return {
        "answers": len(made),
        "passed": round(passed.count(True) / len(made), 3),
        "failed": round(passed.count(False) / len(made), 3),
        "unknown": round(passed.count(None) / len(made), 3),
        "criteria": table,
    }


def of_flaw(pairs: Sequence[tuple[Assessment, Assessment]], criterion: Criterion) -> dict[str, Any]:
    """How often the flaw lowers its criterion, makes it the weakest, and keeps the answer from passing."""
    lower = weakest = not_passed = 0
    for clean, flawed in pairs:
        before, after = score(clean, criterion), score(flawed, criterion)
        lower += before is not None and (after is None or after < before)
        weakest += flawed.weakest is criterion
        not_passed += flawed.passed is not True
    return {
        "criterion": criterion.value,
        "answers": len(pairs),
        "score lowered": round(lower / len(pairs), 3),
        "weakest criterion": round(weakest / len(pairs), 3),
        "not passed": round(not_passed / len(pairs), 3),
    }


def main() -> None:
    """Measure and write."""
    every = cases()
    clean = [assessed(each) for each in every]
    flaws = {}
    for name, (criterion, plant) in FLAWS.items():
        pairs = []
        for at, one in enumerate(every):
            other = every[(at + 1) % len(every)]
            planted = plant(one, other)
            if planted is None:
                continue
            # Half an answer is compared with the whole one to the same two questions.
            base = assessed(two_questions(one, other)) if plant is one_of_two_answered else clean[at]
            pairs.append((base, assessed(planted)))
        flaws[name] = of_flaw(pairs, criterion)
    write_result("assess", "clapnq", {"clean": of_clean(clean), "planted": flaws})


if __name__ == "__main__":
    main()
