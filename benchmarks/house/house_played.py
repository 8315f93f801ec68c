"""Playing a case in this process, as `python -m assay` does, and what of its output is kept.

Nothing of assay is imported by name. `kept` puts aside what differs between two runs of the same code: times, ids
of runs, the folders of this machine. Numbers are rounded to six decimals.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

from house_cases import PLACE, Case

# Fields that hold times or ids of runs; a collection's version counts the batches of an add, which go by time.
VARYING = frozenset(("ms", "first_verified_ms", "run_id", "at", "started", "ended", "version"))
RUN = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b")
TIME = re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?")
TOOK = re.compile(r"(?m)^ *[\d,.]+ ms\b|\btook [\d,.]+ m?s\b")
# Said only where the machine is slow.
SLOW = re.compile(r"^the judge took [\d,.]+ ms; its budget is [\d,.]+ ms$")
DECIMALS = 6


def prepare(home: Path) -> None:
    """Give this process one core, settings of its own and no others, and a width for what it prints."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for name in [name for name in os.environ if name.startswith(("ASSAY_", "XDG_", "OPENAI_", "ANTHROPIC_"))]:
        if name != "ASSAY_BENCH_DATA":
            del os.environ[name]
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())
    # A busy machine must not change what is answered.
    os.environ.update(
        ASSAY_OFFLINE="true", ASSAY_DEADLINE="3600", TZ="UTC", NO_COLOR="1", COLUMNS="100", LINES="40"
    )
    warnings.simplefilter("ignore")


def played(case: Case, data: Path) -> dict[str, Any]:
    """A case's exit codes and output, command by command, as it is kept."""
    os.environ["ASSAY_DATA_DIR"] = str(data / case.collection)
    PLACE.mkdir(exist_ok=True)
    os.chdir(PLACE)
    said = [_command(command, case.stdin) for command in case.commands]
    folders = {str(data): "<data>", str(PLACE): "<inputs>"}
    return {
        "name": case.name,
        "verb": case.verb,
        "commands": [kept(list(command), folders) for command in case.commands],
        "output": [
            {"exit": code, "out": kept(_lines(out), folders), "err": kept(err.splitlines(), folders)}
            for code, out, err in said
        ],
    }


def _command(arguments: tuple[str, ...], stdin: str) -> tuple[int, str, str]:
    """One command's exit code, standard output and standard error."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.argv = ["assay", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    code: object = 0
    try:
        runpy.run_module("assay", run_name="__main__", alter_sys=False)
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(ValueError):
                stream.flush()
        texts = out.getvalue().decode(), err.getvalue().decode()
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
    return (code if isinstance(code, int) else 1), *texts


def _lines(text: str) -> list[Any]:
    """The lines of an output, read where they are JSON objects."""
    return [_read(line) for line in text.splitlines()]


def _read(line: str) -> Any:
    if not line.startswith("{"):
        return line
    try:
        return json.loads(line)
    except ValueError:
        return line


def kept(value: Any, folders: dict[str, str]) -> Any:
    """A value without what differs between two runs of the same code.

    >>> kept({"ms": 1.5, "path": "/x/a.md", "issues": ["the judge took 81 ms; its budget is 5 ms"]}, {"/x": "<in>"})
    {'ms': '<varies>', 'path': '<in>/a.md', 'issues': []}
    """
    if isinstance(value, dict):
        return {
            name: "<varies>" if name in VARYING and each is not None else kept(_ordered(name, each), folders)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [kept(each, folders) for each in value if not (isinstance(each, str) and SLOW.match(each.strip()))]
    if isinstance(value, float):
        return round(value, DECIMALS)
    if isinstance(value, str):
        for folder, name in folders.items():
            value = value.replace(folder, name)
        return TOOK.sub("<took>", TIME.sub("<time>", RUN.sub("<run>", value)))
    return value


def _ordered(name: str, value: Any) -> Any:
    """A step's passages are a set, which is written in any order."""
    if name == "step" and isinstance(value, dict) and isinstance(value.get("passage_ids"), list):
        return {**value, "passage_ids": sorted(value["passage_ids"])}
    return value
