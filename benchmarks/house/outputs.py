"""Everything the program says in some 800 fixed cases, recorded, and two recordings compared.

    .venv/bin/python benchmarks/house/outputs.py record FILE.jsonl.gz [--every N]
    .venv/bin/python benchmarks/house/outputs.py compare BEFORE.jsonl.gz AFTER.jsonl.gz [--cases 5] [--lines 20]

For a change that must not change what users get: record before and after it, and compare. A case is one or a few
verbs of the command line, run in process. Kept are exit codes, standard output (JSON objects whole, with spans,
checks, verdicts and warnings) and standard error, but for times, ids of runs and folders; numbers to six decimals.
house_cases.py tells the cases: asks without a model in every profile and with a scripted one, checks, fixes,
judgements, searches, adds, what `show` prints, and the help. A case that names no profile has the default one.

`record` plays on one core, tells how far it is, and goes on where it was stopped: FILE.part holds what is done,
FILE.work the collections. `--every 20` plays every twentieth case, and the adds. `compare` ends with 1 where
anything differs. Compare recordings of one machine: ids are made from paths, and numbers depend on the processor.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import hashlib
import importlib.util
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

sys.path.insert(0, str(Path(__file__).parents[1]))
from house_cases import Case, all_cases
from house_played import played, prepare

from report import ROOT, revision

SOURCE = ROOT / "src" / "assay"
TOLD_EVERY = 10.0


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record")
    recording.add_argument("file", type=Path)
    recording.add_argument("--every", type=int, default=1, help="play only every so many cases, and the adds")
    comparing = verbs.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--cases", type=int, default=5, help="differing cases to show of each verb")
    comparing.add_argument("--lines", type=int, default=20, help="lines to show of each difference")
    asked = parser.parse_args()
    if asked.verb == "compare":
        return compare(read(asked.before), read(asked.after), asked.cases, asked.lines)
    record(asked.file.resolve(), asked.every)
    return 0


# --- recording ---------------------------------------------------------------------------------------


def record(file: Path, every: int) -> None:
    """Play what is not yet in FILE.part, and make FILE of it."""
    refuse_another_source()
    part, work = file.with_name(f"{file.name}.part"), file.with_name(f"{file.name}.work")
    cases = chosen(all_cases(), every)
    head = {"revision": revision(), "source": source_hash(), "every": every, "cases": len(cases)}
    work.mkdir(parents=True, exist_ok=True)
    prepare(work)
    with part.open("a+b") as opened:
        done = resumed(opened, head, part)
        play([case for case in cases if case.name not in done], opened, work / "collections", len(cases))
        opened.seek(0)
        # Without a time of its own, so that the same recording is the same file.
        file.write_bytes(gzip.compress(opened.read(), mtime=0))
    part.unlink()
    shutil.rmtree(work)


def refuse_another_source() -> None:
    """End the program where `import assay` would not take this checkout."""
    found = importlib.util.find_spec("assay")
    if found is None or not str(found.origin).startswith(str(SOURCE)):
        where = found.origin if found else "nowhere"
        sys.exit(f"assay would be imported from {where}: set PYTHONPATH to {ROOT}/src:{ROOT}/models/src")


def source_hash() -> str:
    """One hash of all files of the source."""
    whole = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            whole.update(str(path.relative_to(SOURCE)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]


def chosen(cases: list[Case], every: int) -> list[Case]:
    """Every so many of the cases, with the adds that they need."""
    taken = [case for number, case in enumerate(cases) if number % every == 0]
    needed = {case.collection for case in taken}
    return [case for case in cases if case in taken or (case.verb == "add" and case.collection in needed)]


def resumed(opened: BinaryIO, head: dict[str, Any], part: Path) -> set[str]:
    """The names of the cases that are done; what a kill left of a last line is cut off.

    Ends the program where they were played by other source or are other cases.
    """
    opened.seek(0)
    lines = opened.read().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    opened.truncate(sum(map(len, whole)))
    opened.seek(0, os.SEEK_END)
    if not whole:
        opened.write(json.dumps(head).encode() + b"\n")
        return set()
    if {**json.loads(whole[0]), "revision": None} != {**head, "revision": None}:
        sys.exit(f"{part} was begun with other source or cases: remove it, and {part.stem}.work, to begin anew")
    return {json.loads(line)["name"] for line in whole[1:]}


def play(cases: list[Case], opened: BinaryIO, data: Path, total: int) -> None:
    """Play cases and write each at once."""
    began = told = time.monotonic()
    for number, case in enumerate(cases, 1):
        if case.verb == "add":  # what a kill left of it would be told as unchanged
            shutil.rmtree(data / case.collection, ignore_errors=True)
        opened.write(json.dumps(played(case, data), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
        opened.flush()
        if time.monotonic() - told > TOLD_EVERY or number == len(cases):
            told = time.monotonic()
            seconds = told - began
            left = seconds / number * (len(cases) - number)
            done = total - len(cases) + number
            print(f"{done} of {total} cases, {seconds:.0f} s, about {left:.0f} s left", file=sys.stderr, flush=True)


# --- comparing ---------------------------------------------------------------------------------------


def read(file: Path) -> dict[str, dict[str, Any]]:
    """The cases of a recording by name; ends the program where it is none."""
    try:
        lines = gzip.decompress(file.read_bytes()).decode("utf-8", "surrogatepass").split("\n")
    except (OSError, EOFError) as error:
        sys.exit(f"{file} cannot be read as a recording: {error}")
    return {row["name"]: row for row in map(json.loads, filter(None, lines[1:]))}


def compare(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]], cases: int, lines: int) -> int:
    """Print what differs, verb by verb; 1 where anything does."""
    for where, names in (("before", before.keys() - after.keys()), ("after", after.keys() - before.keys())):
        if names:
            print(f"only {where}: {len(names)} cases: {', '.join(sorted(names)[:10])}")
    both = [name for name in before if name in after]
    differing = [name for name in both if before[name] != after[name]]
    for verb in dict.fromkeys(before[name]["verb"] for name in both):
        of_verb = [name for name in both if before[name]["verb"] == verb]
        differ = [name for name in differing if before[name]["verb"] == verb]
        print(f"{verb}: {len(of_verb)} cases, {len(of_verb) - len(differ)} identical, {len(differ)} differing")
        fields = Counter(field for name in differ for field in set(differences(before[name], after[name])))
        for field, count in fields.most_common(10):
            print(f"  {count} differ in {field}")
        for name in differ[:cases]:
            print("\n".join(difference(before[name], after[name], lines)))
    print(f"{len(both)} cases in both, {len(differing)} differing")
    return 1 if differing or before.keys() != after.keys() else 0


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """The fields in which two values differ, without their places in lists."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            yield from differences(before.get(name), after.get(name), f"{where}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from differences(one, other, f"{where}[]")
    elif before != after:
        yield where


def difference(before: dict[str, Any], after: dict[str, Any], most: int) -> Iterable[str]:
    """The first lines of the unified diff of two outputs."""
    texts = [json.dumps(each, indent=1, ensure_ascii=False).splitlines() for each in (before, after)]
    lines = list(difflib.unified_diff(*texts, before["name"], after["name"], n=2, lineterm=""))
    return [*lines[:most], *([f"... {len(lines) - most} more lines"] if len(lines) > most else [])]


if __name__ == "__main__":
    sys.exit(main())
