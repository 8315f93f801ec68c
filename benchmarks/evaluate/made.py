"""Questions that `assay eval make` makes of two public documentations, and how often assay answers them as wanted.

.venv/bin/python benchmarks/evaluate/made.py [COUNT]     # COUNT questions a documentation, 60 without

Prints how many of each form were made, and of each how often assay did what is wanted: the quote or answer shown
for an answered question, no answer for an unanswerable one, a part of an answer for a half-answerable one, a
contradiction for a contradictory one. The reader chose the questions, and the reader helps to answer them: people's
questions are harder.
"""

from __future__ import annotations

import asyncio
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.evals.cases import Answerability, Case
from assay.evals.evaluate import ask_case
from assay.evals.make.maker import Made
from assay.evals.make.making import make_questions
from assay.evals.metrics.citations import meets
from assay.evals.results import CaseResult
from assay.nlp.tokens import words
from assay.types import Outcome
from assay.wiring import open_engine
from report import data_folder, write_result

SETS = {"handbook": "a", "traefik": "b"}
# Seconds for one question: a busy machine must not change what is answered.
DEADLINE = 600.0


def as_wanted(case: Case, result: CaseResult) -> bool:
    """Whether assay did what is wanted of this case."""
    answered = result.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
    if case.answerability is Answerability.NONE:
        return result.outcome is not None and not answered
    if case.conflicting:
        return result.contradictions > 0
    said = " ".join(words(result.text))
    shown = any(meets(wanted, cited) for wanted in case.quotes for cited in result.cited) or any(
        f" {' '.join(words(answer))} " in f" {said} " for answer in case.answers
    )
    if case.answerability is Answerability.HALF:
        return shown and result.outcome is Outcome.PARTIAL
    return answered and shown


async def asked(data_dir: Path, collection: str, made: Made) -> dict[str, Any]:
    """The numbers of one collection."""
    right: Counter[str] = Counter()
    settings: dict[str, Any] = {
        "data_dir": data_dir,
        "collection": collection,
        "deadline": DEADLINE,
        "record": "off",
    }
    async with open_engine(create=False, models=False, **settings) as engine:
        for case in made.cases:
            right[case.slices["form"]] += as_wanted(case, await ask_case(engine, case))
    forms = {form: {"made": count, "as wanted": right[form]} for form, count in sorted(made.counts.items())}
    kinds = Counter(case.slices["kind"] for case in made.cases if case.slices["form"] == "plain")
    return {"facts": made.facts, "read": made.read, "kept": made.kept, "forms": forms, "plain": dict(kinds)}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    numbers = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with tarfile.open(data_folder() / "dev" / "real" / "corpora.tgz") as archive:
            archive.extractall(folder / "sources", filter="data")
        for name, part in SETS.items():
            with open_engine(data_dir=folder / "data", collection=name, models=False) as engine:
                engine.add([folder / "sources" / part])
            made = make_questions({"data_dir": folder / "data", "collection": name}, count)
            numbers[name] = asyncio.run(asked(folder / "data", name, made))
    write_result("evaluate", "made", numbers)


if __name__ == "__main__":
    main()
