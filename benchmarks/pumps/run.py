"""Whether any text makes a verb slow: CPU time of repeated strings over that of plain prose of the same length.

    .venv/bin/python benchmarks/pumps/run.py                              # hours: all pumps, both lengths
    .venv/bin/python benchmarks/pumps/run.py --chars 12000 --pumps 20     # a few minutes, writes nothing
    .venv/bin/python benchmarks/pumps/run.py --verbs fix --pump "no "     # one of them

A pump is a short string that is repeated to 12,000 or 100,000 characters; pumps_texts.py lists them, and what
stands around them. Each such text is a document that is added and asked about, a question, the reply of a model, a
passage to judge, a claim and a source to check, and a draft to fix. Adding is told beside them and has no bar: a
document is embedded by the token, of which such a text may have five times as many. The reader and checker are off:
they read so many tokens of a text and no more, and would hide the time of everything else.

A case ends after GIVEN_UP times prose's CPU time, which is then its ratio. A ratio is to at least LEAST seconds, so
that a verb that refuses a text at once is not measured by the noise of a timer. A verb that raises AssayError has
answered.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from pumps_texts import FRAMES, prose, pumped, pumps

from report import write_result

CHARACTERS = (12_000, 100_000)
BAR = 4.0
# Times prose's CPU time.
GIVEN_UP = 12.0
LEAST = 0.05
PROSES = 3
WORST = 12
QUESTION = "Which bridge did the engineers of Aldmoor open in 1902?"
SHORT = "In 1902 the engineers of Aldmoor opened the bridge near Corran. It is 420 m long. Nobody had asked for it."
WITHOUT_NETWORKS = {"reader": "none", "checker": "none", "deadline": 3600.0}
# Sets a text up and gives what is timed.
Verb = Callable[[str], Callable[[], object]]
WITHOUT_BAR = ("add",)


@dataclass(frozen=True)
class Case:
    """One verb over one text."""

    verb: str
    characters: int
    pump: str
    frame: str

    @property
    def text(self) -> str:
        """The text itself; that of prose has its number for a pump."""
        return prose(self.characters, int(self.pump)) if self.frame == "prose" else self._pumped

    @property
    def _pumped(self) -> str:
        return pumped(self.pump, self.frame, self.characters)


# --- the verbs -----------------------------------------------------------------------------------


def passage(text: str) -> Any:
    """A text as a passage that a caller hands over."""
    from assay import Passage

    return Passage("p1", "d1", "a document", 0, len(text), text)


def added(folder: Path) -> Verb:
    """A document that is read, cut, embedded and stored."""
    from assay import open_engine

    engine = open_engine(data_dir=folder, **WITHOUT_NETWORKS)

    def ready(text: str) -> Callable[[], object]:
        file = folder / "document.md"
        file.write_text(text, encoding="utf-8", newline="")
        return lambda: engine.sync([file])

    return ready


def asked(folder: Path) -> Verb:
    """A question over a collection with such a document, and a plain one; what adding takes is not counted."""
    from assay import open_engine

    engine = open_engine(data_dir=folder, **WITHOUT_NETWORKS)
    (folder / "plain.txt").write_text(SHORT, encoding="utf-8")

    def ready(text: str) -> Callable[[], object]:
        file = folder / "document.md"
        file.write_text(text, encoding="utf-8", newline="")
        engine.sync([file, folder / "plain.txt"])
        # The second is for something that the text itself holds, so that its passages are judged.
        own = f"What is said of {' '.join(text[40:80].split())} by the engineers?"
        return lambda: (engine.ask(QUESTION), engine.ask(own))

    return ready


def questioned(folder: Path) -> Verb:
    """Such a question over a plain document."""
    from assay import open_engine

    engine = open_engine(data_dir=folder, **WITHOUT_NETWORKS)
    (folder / "plain.txt").write_text(SHORT, encoding="utf-8")
    engine.add([folder / "plain.txt"])
    return lambda text: lambda: engine.ask(text)


def replied(folder: Path) -> Verb:
    """A plain question over a plain document that a model answers with such a text."""
    from assay import open_engine

    script, plain = folder / "script.json", folder / "plain.txt"
    plain.write_text(SHORT, encoding="utf-8")

    def ready(text: str) -> Callable[[], object]:
        script.write_text(json.dumps([{"reply": text}]), encoding="utf-8")
        engine = open_engine(data_dir=folder, model=f"fake:{script}", **WITHOUT_NETWORKS)
        engine.sync([plain])
        return lambda: engine.ask(QUESTION)

    return ready


def gated(act: Callable[[Any, str], object]) -> Callable[[Path], Verb]:
    """A verb that needs no collection."""

    def opened(_folder: Path) -> Verb:
        from assay.wiring import open_checker

        engine = open_checker(**WITHOUT_NETWORKS)
        return lambda text: lambda: act(engine, text)

    return opened


VERBS: dict[str, Callable[[Path], Verb]] = {
    "add": added,
    "ask: document": asked,
    "ask: question": questioned,
    "ask: reply": replied,
    "judge": gated(lambda engine, text: engine.judge(QUESTION, [passage(text)])),
    "check: claim": gated(lambda engine, text: engine.check(text, [passage(SHORT)])),
    "check: source": gated(lambda engine, text: engine.check(SHORT, [passage(text)])),
    "fix": gated(lambda engine, text: engine.fix(text, [passage(SHORT)])),
}


# --- measuring -----------------------------------------------------------------------------------


def measured(cases: Sequence[Case], seconds: float | None) -> Iterator[float | None]:
    """The CPU seconds of each case of one verb; None where it took more than `seconds`.

    They run in a process of their own, which such a case ends, and the next one goes on in another.
    """
    context, done = multiprocessing.get_context("spawn"), 0
    while done < len(cases):
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(cases[done:], seconds, theirs))
        worker.start()
        theirs.close()
        with suppress(EOFError):
            while done < len(cases):
                spent = ours.recv()
                done += 1
                yield spent
        worker.join()
        if done < len(cases):
            if seconds is None or worker.exitcode is None or worker.exitcode >= 0:
                sys.exit(f"{cases[done]}: the process ended with {worker.exitcode}")
            done += 1
            yield None


def work(cases: Sequence[Case], seconds: float | None, into: Connection) -> None:
    """Run cases of one verb and send the CPU seconds of each; the system ends the process past the limit."""
    from assay import AssayError

    warnings.simplefilter("ignore")
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="assay-pumps-")))
        verb = VERBS[cases[0].verb](folder)
        with suppress(AssayError):
            verb(SHORT)()  # what is imported and loaded once
        for case in cases:
            act = verb(case.text)
            begun = time.process_time()
            if seconds is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (int(begun + seconds) + 1, resource.RLIM_INFINITY))
            with suppress(AssayError):
                act()
            into.send(time.process_time() - begun)
            resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        into.close()
        os._exit(0)  # engines are open in threads of their own


def ratios(verb: str, characters: int, texts: Sequence[tuple[str, str]]) -> tuple[float, list[float]]:
    """Prose's CPU seconds, and each text's ratio to it."""
    proses = [Case(verb, characters, str(seed), "prose") for seed in range(1, PROSES + 1)]
    plain = statistics.median(spent for spent in measured(proses, None) if spent is not None)
    by = max(plain, LEAST)
    cases = [Case(verb, characters, pump, frame) for pump, frame in texts]
    found = []
    for case, spent in zip(cases, measured(cases, GIVEN_UP * by), strict=True):
        ratio = GIVEN_UP if spent is None else min(spent / by, GIVEN_UP)
        found.append(ratio)
        if ratio > BAR:
            print(f"{verb}, {characters:,}: {case.pump!r} {case.frame}: {ratio:.1f}", file=sys.stderr, flush=True)
    return plain, found


def summary(plain: float, texts: Sequence[tuple[str, str]], found: Sequence[float]) -> dict[str, Any]:
    """What is kept of one verb at one length."""
    worst = sorted(zip(found, texts, strict=True), key=lambda each: -each[0])
    return {
        "cases": len(found),
        "prose, CPU s": round(plain, 3),
        "worst ratio": round(worst[0][0], 2),
        "over the bar": sum(ratio > BAR for ratio in found),
        "worst": [f"{ratio:.2f}: {pump!r} {frame}" for ratio, (pump, frame) in worst[:WORST]],
    }


def main() -> None:
    """Measure; all of it is kept, a part of it is only printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chars", type=int, action="append", help="characters of each text (12,000 and 100,000)")
    parser.add_argument("--pumps", type=int, help="so many pumps, of every kind")
    parser.add_argument("--pump", action="append", help="this pump")
    parser.add_argument("--frames", nargs="*", choices=FRAMES, help="what stands around them (all)")
    parser.add_argument("--verbs", nargs="*", choices=VERBS, help="the verbs (all)")
    parser.add_argument("--keep", action="store_true", help="keep the numbers of a part, too")
    asked_for = parser.parse_args()
    texts = [
        (pump, frame)
        for frame in asked_for.frames or FRAMES
        for pump in asked_for.pump or pumps()[: asked_for.pumps]
    ]
    numbers: dict[str, Any] = {}
    for characters in asked_for.chars or CHARACTERS:
        for verb in asked_for.verbs or VERBS:
            name = f"{verb}, {characters:,} characters"
            begun = time.monotonic()
            plain, found = ratios(verb, characters, texts)
            numbers[name] = summary(plain, texts, found)
            print(f"{name}: {numbers[name]['worst ratio']} ({time.monotonic() - begun:.0f} s)", file=sys.stderr)
    barred = [each for name, each in numbers.items() if name.split(",")[0] not in WITHOUT_BAR]
    numbers["pumps"] = len({pump for pump, _ in texts})
    numbers["worst ratio"] = max(each["worst ratio"] for each in barred)
    numbers["over the bar"] = sum(each["over the bar"] for each in barred)
    if any(vars(asked_for).values()) and not asked_for.keep:
        print(json.dumps(numbers, indent=1, ensure_ascii=False))
    else:
        write_result("pumps", "pumps", numbers)


if __name__ == "__main__":
    main()
