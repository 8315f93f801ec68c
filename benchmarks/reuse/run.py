"""Are kept answers served only where they still hold, and to nobody who asks something else?

.venv/bin/python benchmarks/reuse/run.py

On a made-up town of 26 documents: answers that documents changed after, by an edit, by a removal and by a newer
document beside the old one; 60 pairs of questions that ask something else; 40 rewordings; and the time of an answer
that is given again beside that of the same question asked anew, in one process.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from town import DIFFERENT, DOCUMENTS, EDITS, REWORDED

from assay import Answer, Engine, open_engine
from assay.nlp.same_question import meaning_form
from assay.records.runs import RunStore
from assay.settings import Settings
from assay.wiring import open_embedder
from report import write_result

# The cosine from which caches that go by meaning alone serve an answer (GPTCache's example, and stricter).
BY_COSINE = (0.8, 0.9, 0.95)
# Chosen: so few passages a search leave most documents out, as in a collection of a usual size.
K = 4


@dataclass(frozen=True)
class Town:
    """The documents as files, and an engine over them that gives kept answers again."""

    files: Path
    engine: Engine

    def write(self, name: str, text: str) -> None:
        """Change a document, and the collection with it."""
        (self.files / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
        list(self.engine.mirror([self.files]))

    def forget(self) -> None:
        """Delete all runs, and with them what was kept."""
        records = RunStore(self.files.parent / "data" / "runs.sqlite")
        records.delete_all()
        records.close()

    def remove(self, name: str) -> None:
        """Remove a document."""
        (self.files / f"{name}.txt").unlink()
        list(self.engine.mirror([self.files]))


@contextmanager
def town(reuse: str = "near") -> Iterator[Town]:
    """A fresh town; nothing that an earlier one kept is in it."""
    with tempfile.TemporaryDirectory() as place:
        files = Path(place) / "town"
        files.mkdir()
        for name, text in DOCUMENTS.items():
            (files / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
        with open_engine(data_dir=Path(place) / "data", reuse=reuse, k=K) as engine:
            list(engine.add([files]))
            yield Town(files, engine)


def kept_run(engine: Engine, question: str) -> str | None:
    """Ask, and give the run whose answer is given again when the question comes again; None if none is."""
    engine.ask(question)
    return engine.ask(question).reused_from


def after_change(change: Callable[[Town, str, str, str], None], holds: Callable[[Answer, str], bool]) -> Any:
    """Ask every question of EDITS, change its document, and ask again, in the same and in other words.

    An answer of before the change that is served after it is stale where it does not hold.
    """
    counts = {"answers kept": 0, "asked after a change": 0, "served from before": 0, "stale": 0}
    with town() as place:
        for question, name, old, new in EDITS:
            before = kept_run(place.engine, question)
            if before is None:
                continue
            counts["answers kept"] += 1
            change(place, name, old, new)
            for again in (question, f"Could you tell me: {question}"):
                answer = place.engine.ask(again)
                counts["asked after a change"] += 1
                served = answer.reused_from == before
                counts["served from before"] += served
                counts["stale"] += served and not holds(answer, old)
    return counts


def edited(place: Town, name: str, old: str, new: str) -> None:
    """The document says something else."""
    text = (place.files / f"{name}.txt").read_text(encoding="utf-8").strip()
    place.write(name, text.replace(old, new))


def removed(place: Town, name: str, _old: str, _new: str) -> None:
    """The document is gone."""
    if (place.files / f"{name}.txt").exists():
        place.remove(name)


def contradicted(place: Town, name: str, old: str, new: str) -> None:
    """A further document says something else."""
    text = (place.files / f"{name}.txt").read_text(encoding="utf-8").strip()
    place.write(f"{name}-{old}-later".replace(" ", "-").replace(":", ""), text.replace(old, new))


def moved(place: Town, name: str, _old: str, _new: str) -> None:
    """The document lies in another folder, and is another document to the collection."""
    file = place.files / f"{name}.txt"
    if file.exists():
        (place.files / "moved").mkdir(exist_ok=True)
        file.rename(place.files / "moved" / file.name)
        list(place.engine.mirror([place.files]))


def elsewhere(place: Town, name: str, _old: str, _new: str) -> None:
    """Another document came that has nothing to do with it."""
    place.write(
        f"note-on-{name}", f"Recipe number {len(name)}: stir flour, eggs and milk, then bake the dough slowly."
    )


def says_old(answer: Answer, old: str) -> bool:
    """Whether the answer has the words of the document, which did not change."""
    return old in answer.text


def never(_answer: Answer, _old: str) -> bool:
    """No answer of before holds."""
    return False


def pairs(cases: tuple[tuple[str, str], ...]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """How many second questions were served the answer to the first, of those of which it was kept."""
    kept, served = 0, list[tuple[str, str]]()
    with town() as place:
        for first, second in cases:
            place.forget()
            if kept_run(place.engine, first) is not None:
                kept += 1
                if place.engine.ask(second).reused_from is not None:
                    served.append((first, second))
    return {"pairs": len(cases), "first answers kept": kept, "served": len(served)}, served


def by_cosine(cases: tuple[tuple[str, str], ...]) -> dict[str, int]:
    """How many pairs a cache would serve by the cosine of the questions alone."""
    vectors = asyncio.run(open_embedder(Settings()).embed([text for pair in cases for text in pair]))
    cosines = np.sum(vectors[::2] * vectors[1::2], axis=1)
    return {f"{least:.2f}": int((cosines >= least).sum()) for least in BY_COSINE}


def times() -> dict[str, float]:
    """Milliseconds of a question asked for the first time, and of the same one given again; medians."""
    fresh, again = list[float](), list[float]()
    with town("same") as place:
        place.engine.ask("What does a warm-up cost?")
        for question, *_ in EDITS:
            for spent in (fresh, again):
                begun = time.perf_counter()
                answer = place.engine.ask(question)
                elapsed = 1000 * (time.perf_counter() - begun)
                if (answer.reused_from is not None) == (spent is again):
                    spent.append(elapsed)
    one, other = statistics.median(fresh), statistics.median(again)
    return {"ms asked anew": round(one, 1), "ms given again": round(other, 1), "ratio": round(one / other, 1)}


def main() -> None:
    """Measure and write."""
    different, wrong = pairs(DIFFERENT)
    reworded, _ = pairs(REWORDED)
    forms = {
        "different": sum(meaning_form(first) == meaning_form(second) for first, second in DIFFERENT),
        "reworded": sum(meaning_form(first) == meaning_form(second) for first, second in REWORDED),
    }
    write_result(
        "reuse",
        "town",
        {
            "edited": after_change(edited, never),
            "removed": after_change(removed, never),
            "contradicted": after_change(contradicted, never),
            "moved to another folder": after_change(moved, says_old),
            "another document came": after_change(elsewhere, says_old),
            "different questions": {**different, "served wrongly": wrong},
            "rewordings": {**reworded, "hit rate": round(reworded["served"] / reworded["first answers kept"], 3)},
            "pairs of one form": forms,
            "served by cosine alone": {"different": by_cosine(DIFFERENT), "reworded": by_cosine(REWORDED)},
            "time": times(),
        },
    )


if __name__ == "__main__":
    main()
