"""Rules of the house that a machine can hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "assay"
MODULES = sorted(SOURCE.rglob("*.py"))
# Words that say nothing about what a file holds.
VAGUE = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
# The start of a clause, where a docstring begins with an imperative verb or a noun phrase.
RELATIVE = re.compile(r"(?:What|Which|That|Whether|Where|Who|Whose|When|How|Why|If|Of)\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# A file holds one subject that a reader would look up: 500 lines is a lot, 600 the most.


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_has_plain_docstrings_a_plain_name_and_a_readable_length(path: Path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "say what the file is for"
    documented = [node for node in ast.walk(tree) if isinstance(node, DOCUMENTED)]
    relative = [docstring for node in documented if RELATIVE.match(docstring := ast.get_docstring(node) or "")]
    assert not relative, "begin with an imperative verb or a noun phrase"
    assert path.stem not in VAGUE
    assert text.count("\n") <= 600


def test_nothing_loads_code_from_data():
    forbidden = {"pickle", "marshal", "shelve", "joblib", "yaml"}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
        for path in MODULES
        if "os.environ" in path.read_text(encoding="utf-8") or "getenv" in path.read_text(encoding="utf-8")
    ]
    # Settings do. The client needs no settings. A server hands things to its further processes, as
    # prometheus-client wants them, and a cluster to Ray's, which take their token and their silence from there. The
    # process that reads documents gets it without relative folders of imports.
    handing = {"server/main.py", "server/metrics.py", "wiring/cluster/connection.py", "ingest/sandbox.py"}
    assert set(readers) <= {"settings/places.py", "client/connection.py", *handing}
