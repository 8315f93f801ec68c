"""Rules of the house that a machine can hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "assay"
MODULES = sorted(SOURCE.rglob("*.py"))
# Words that say nothing about what a file holds.
VAGUE = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
# The start of a clause, where a docstring begins with an imperative verb or a noun phrase.
RELATIVE = re.compile(r"(?:What|Which|That|Whether|Where|Who|Whose|When|How|Why|If|Of)\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def trees() -> dict[Path, tuple[str, ast.Module]]:
    """The text and the syntax tree of each module."""
    texts = {path: path.read_text(encoding="utf-8") for path in MODULES}
    return {path: (text, ast.parse(text)) for path, text in texts.items()}


def faults(path: Path, text: str, tree: ast.Module) -> Iterator[str]:
    """What a file lacks; one holds one subject that a reader would look up: 500 lines is a lot, 600 the most."""
    if not ast.get_docstring(tree):
        yield "say what the file is for"
    documented = [node for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    for node in documented:
        if RELATIVE.match(docstring := ast.get_docstring(node) or ""):
            yield f"begin with an imperative verb or a noun phrase: {docstring[:80]!r}"
    if path.stem in VAGUE:
        yield "name what it holds"
    if text.count("\n") > 600:
        yield "more than 600 lines"


def test_files_have_plain_docstrings_plain_names_and_a_readable_length():
    found = [
        f"{path.relative_to(SOURCE)}: {fault}"
        for path, (text, tree) in trees().items()
        for fault in faults(path, text, tree)
    ]
    assert not found, "\n".join(found)


def test_nothing_loads_code_from_data():
    forbidden = {"pickle", "marshal", "shelve", "joblib", "yaml"}
    for path, (_, tree) in trees().items():
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [each.name.split(".")[0] for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [(node.module or "").split(".")[0]]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec"}, path
            assert not forbidden.intersection(names), path


def test_few_read_the_environment():
    readers = [
        str(path.relative_to(SOURCE))
        for path, (text, _) in trees().items()
        if "os.environ" in text or "getenv" in text
    ]
    # Settings do. The client needs no settings. A server hands things to its further processes, as
    # prometheus-client wants them, and a cluster to Ray's, which take their token and their silence from there. The
    # process that reads documents gets it without relative folders of imports.
    handing = {"server/main.py", "server/metrics.py", "wiring/cluster/connection.py", "ingest/sandbox.py"}
    assert set(readers) <= {"settings/places.py", "client/connection.py", *handing}
