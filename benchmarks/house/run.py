"""The size of the source, and how much of it one question, one check and one fix enter.

    .venv/bin/python benchmarks/house/run.py

Static figures are read from the source of `src/assay` as syntax trees; house_counts.py tells what counts. Files and
functions are entered where their code runs, in any thread, between the call of `engine.ask`, `check` or `fix` and
its return: profile fast, no model, four small documents, the engine open and warm, so that neither imports nor
the opening are counted. `by the command line` is the whole verb in process instead (`python -m assay ask --json`):
the arguments read, the engine opened and closed, the result printed. A goal that is missed is said; nothing fails.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import runpy
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median_high
from types import CodeType, FrameType

sys.path.insert(0, str(Path(__file__).parents[1]))
from house_counts import folders, modules, regexes, with_one_importer, word_lists

from report import ROOT, write_result

SOURCE = ROOT / "src" / "assay"
VERIFICATION = "verification"
# The goals of the project, at most so many.
GOALS = {
    "lines": 34_000,
    "files": 200,
    "files of verification": 12,
    "files entered by ask": 60,
    "files entered by check": 40,
}
# Exit codes of verbs that did what they were asked: whole, no answer, in part.
DONE = (None, 0, 3, 4)
# Seconds between two calls: an engine looks for new labels once a second has passed, so that all calls count alike.
PAUSE = 1.5
QUESTION = "How long is the notice period for tenants?"
WARM_UP = "How much is the deposit?"
WARM_UP_DRAFT = "The deposit is 800 euros. Dogs are allowed without consent."
DRAFT = "The notice period for tenants is four weeks. The deposit is 900 euros. Pets are allowed everywhere."
DOCUMENTS = {
    "notice.md": "# Notice\n\n## Tenants\n\nThe notice period for tenants is three months to the end of a month. "
    "It must be given in writing.\n\n## Landlords\n\nThe notice period for landlords is six months.\n",
    "deposit.txt": "The deposit is 1,200 euros. It is paid back within eight weeks of the end of the lease.\n",
    "pets.html": "<html><head><title>Pets</title></head><body><h1>Pets</h1><p>Small pets are allowed. Dogs need "
    "the consent of the landlord, who answers within 14 days.</p></body></html>",
    "rooms.csv": "room,floor,square metres\nkitchen,1,12\nbath,1,6\nattic,3,24\n",
}


class Entered:
    """The code of the package that runs while `counting`, in every thread that starts after `listen`."""

    def __init__(self, source: Path) -> None:
        self._source = str(source) + os.sep
        self._codes: set[CodeType] = set()
        self._counting = False

    def listen(self) -> None:
        """Watch this thread and all that come; must be called before the engine starts its own."""
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)

    def _seen(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._counting and event == "call":
            self._codes.add(frame.f_code)

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Count anew within."""
        self._codes, self._counting = set(), True
        try:
            yield
        finally:
            self._counting = False

    def named(self) -> dict[str, set[str]]:
        """The functions entered by their file; no lambdas, comprehensions, or bodies of modules and classes."""
        found: dict[str, set[str]] = {}
        for code in self._codes:
            is_function = code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")
            if is_function and code.co_filename.startswith(self._source):
                found.setdefault(code.co_filename, set()).add(f"{code.co_qualname}:{code.co_firstlineno}")
        return found


def main() -> None:
    """Count, print, keep."""
    numbers: dict[str, object] = {**static(), **entered()}
    for name, goal in GOALS.items():
        value = numbers[name]
        assert isinstance(value, int)
        print(f"{name}: {value:,}, goal at most {goal:,}{'' if value <= goal else ' (missed)'}", file=sys.stderr)
    write_result("house", "house", {**numbers, "goals, at most": GOALS})


def static() -> dict[str, object]:
    """The figures that are read from the source."""
    package = modules(SOURCE)
    return {
        "lines": sum(each.lines for each in package.values()),
        "files": len(package),
        "median lines of a file": median_high([each.lines for each in package.values()]),
        "files of verification": folders(package).get(VERIFICATION, 0),
        "files by folder": folders(package),
        "modules with one importer": len(with_one_importer(package)),
        "regexes": regexes(package),
        "word lists": word_lists(package),
    }


def entered() -> dict[str, object]:
    """Files and functions that one ask, one check and one fix enter."""
    profile = Entered(SOURCE)
    profile.listen()
    with tempfile.TemporaryDirectory() as folder:
        return {**by_engine(Path(folder), profile), **by_command_line(Path(folder), profile)}


def by_engine(folder: Path, profile: Entered) -> dict[str, object]:
    """By the methods of an engine that is open and warm."""
    from assay import Passage, open_engine

    documents = written(folder)
    passages = [
        Passage(name, name, name, 0, len(text), text) for name, text in DOCUMENTS.items() if name.endswith("t")
    ]
    with open_engine(data_dir=folder / "data", profile="fast", offline=True, deadline=600.0) as engine:
        failed = [each for each in engine.add([documents]) if each.status != "added"]
        assert not failed, failed
        assert engine.ask(QUESTION).outcome.value == "answered"
    with open_engine(data_dir=folder / "data", profile="fast", offline=True, deadline=600.0) as engine:
        calls: dict[str, Callable[[str], object]] = {
            "ask": engine.ask,
            "check": lambda draft: engine.check(draft, passages),
            "fix": lambda draft: engine.fix(draft, passages),
        }
        return counted(calls, profile, "")


def by_command_line(folder: Path, profile: Entered) -> dict[str, object]:
    """By the verbs, from the arguments to the printed object."""
    data = ["--data-dir", str(folder / "data"), "--offline", "--deadline", "600", "--json"]
    sources = [
        part for name in DOCUMENTS if name.endswith("t") for part in ("--sources", str(folder / "in" / name))
    ]
    calls: dict[str, Callable[[str], object]] = {
        "ask": lambda question: command("ask", question, *data),
        "check": lambda draft: command("check", draft, *sources, *data),
        "fix": lambda draft: command("fix", draft, *sources, *data),
    }
    return counted(calls, profile, ", by the command line")


def counted(calls: dict[str, Callable[[str], object]], profile: Entered, said: str) -> dict[str, object]:
    """Each call made on another text to warm up, and then, after a pause, counted."""
    found: dict[str, object] = {}
    for verb, call in calls.items():
        call(WARM_UP if verb == "ask" else WARM_UP_DRAFT)
        time.sleep(PAUSE)
        with profile.counting():
            call(QUESTION if verb == "ask" else DRAFT)
        named = profile.named()
        if not named:
            sys.exit(f"assay is not imported from {SOURCE}: set PYTHONPATH to {ROOT}/src:{ROOT}/models/src")
        found[f"files entered by {verb}{said}"] = len(named)
        found[f"functions entered by {verb}{said}"] = sum(map(len, named.values()))
    return found


def written(folder: Path) -> Path:
    """The documents, in a folder of their own."""
    documents = folder / "in"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    return documents


def command(*arguments: str) -> str:
    """What `python -m assay` prints, run in process. Ends the program where the verb is refused."""
    before, out, code = sys.argv, io.StringIO(), None
    sys.argv = ["assay", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module("assay", run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    if code not in DONE:
        sys.exit(f"assay {' '.join(arguments)} ended with {code}")
    return out.getvalue()


if __name__ == "__main__":
    main()
