"""CPU time of checking a draft against ten passages, by rules and words, and of finding its citation marks.

.venv/bin/python benchmarks/planted/speed.py     # half a minute; CPU time, so it bears other work on the machine
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from drafts import drafts
from texts import copied

from assay.nlp.citations import citations
from assay.types import Passage
from assay.verification.verifier import DeterministicVerifier
from report import write_result

PASSAGES = 10
DRAFTS = 60
MARKED = (
    "The river is long [1]. It was said [Sources 2, 3-5] and 【4】 by many [^7] in `x[0]`, see [p. 3] and [note]. "
)


def cpu_ms(work: Callable[[], object]) -> float:
    """The CPU milliseconds of some work, all threads together."""
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def checked() -> Iterator[tuple[int, float]]:
    """Of drafts with one error against ten passages: sentences, and CPU milliseconds; the sources are read anew."""
    others = [text for clean in islice(copied(40, 1), 40) for text in clean.passages]
    for n, draft in enumerate(islice((d for d in drafts() if d.kind and d.clean.stratum == "copied"), DRAFTS)):
        texts = [*draft.passages, *others[n : n + PASSAGES]][:PASSAGES]
        passages = tuple(Passage(f"p{m}", f"d{m}", str(n), 0, len(text), text) for m, text in enumerate(texts))
        verifier = DeterministicVerifier()
        reviews: list[int] = []
        spent = cpu_ms(
            lambda v=verifier, t=draft.text, p=passages, r=reviews: r.append(len(asyncio.run(v.check(t, p)).claims))
        )
        yield reviews[0], spent


def main() -> None:
    """Measure and write."""
    each = [(claims, spent) for claims, spent in checked() if claims][5:]
    text = (MARKED * (100_000 // len(MARKED) + 1))[:100_000]
    marks = [cpu_ms(lambda: citations(text)) for _ in range(9)]
    per_sentence = [spent / claims for claims, spent in each]
    numbers = {
        "sentences": sum(claims for claims, _ in each),
        "CPU ms a sentence, ten passages": {
            "mean": round(sum(spent for _, spent in each) / sum(claims for claims, _ in each), 2),
            "median": round(statistics.median(per_sentence), 2),
            "95 of 100": round(sorted(per_sentence)[int(0.95 * len(per_sentence))], 2),
        },
        "CPU ms of 100 kB of marks": round(statistics.median(marks), 2),
    }
    write_result("planted", "speed", numbers)


if __name__ == "__main__":
    main()
