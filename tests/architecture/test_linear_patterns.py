"""No text from outside makes a pattern slow: each is shown to be linear, runs in RE2, or was read by a person.

Patterns are taken as they are compiled while every module is imported, and read from calls that compile within a
function. `growth` shows from a pattern alone that its time grows no faster than a text. What it cannot show stands
in `reviewed_patterns.py` with the reason why it is bounded nevertheless; an entry that is changed or gone fails.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from growth import NotShown, growths
from reviewed_patterns import FORMED, REVIEWED

import assay

SOURCE = Path(assay.__file__).parent
# Never handed a text from outside: servers that tests start.
NOT_RUN = ("testing",)
ONCE = frozenset(("match", "fullmatch"))


@dataclass(frozen=True, order=True)
class Compiled:
    """A pattern, where it is compiled, and whether it is only ever tried at one place of a text, or against all."""

    path: str
    line: int
    pattern: str
    flags: int
    anchored: bool
    whole: bool


@cache
def patterns() -> tuple[Compiled, ...]:
    """Every pattern that importing assay's modules compiles, but for those that RE2 runs."""
    found: dict[tuple[str, int, str, int], None] = {}
    compile_one = re.compile

    def noted(pattern: Any, flags: int = 0) -> Any:
        code = sys._getframe(1).f_code
        if isinstance(pattern, str) and Path(code.co_filename).is_relative_to(SOURCE):
            where = Path(code.co_filename).relative_to(SOURCE).as_posix()
            found[where, sys._getframe(1).f_lineno, pattern, int(flags)] = None
        return compile_one(pattern, flags)

    kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "assay"}
    for name in kept:
        del sys.modules[name]
    re.compile = noted  # type: ignore[assignment]
    try:
        for module in pkgutil.walk_packages([str(SOURCE)], "assay."):
            if not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except Exception as error:
                    if type(error).__name__ != "MissingExtra":  # the class itself is a copy here
                        raise
    finally:
        re.compile = compile_one
        for name in [name for name in sys.modules if name.split(".")[0] == "assay"]:
            del sys.modules[name]
        sys.modules.update(kept)
    return tuple(
        Compiled(path, line, pattern, flags, *_tried(path, line))
        for path, line, pattern, flags in sorted(found)
        if path.split("/")[0] not in NOT_RUN
    )


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax trees of the source by path."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.py")
    }


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """What is done with each name: the methods called with one argument, and "search" for anything else.

    Private names are told by their file too; a public one may be used anywhere.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path, tree in trees().items():
        methods: dict[int, str] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                once = node.func.attr in ONCE and len(node.args) == 1 and not node.keywords
                methods[id(node.func.value)] = node.func.attr if once else "search"
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                key = (path if node.id.startswith("_") else "", node.id)
                found[key].add(methods.get(id(node), "search"))
    return found


def _tried(path: str, line: int) -> tuple[bool, bool]:
    """Whether the pattern compiled here is tried at one place only, and against whole texts only."""
    for statement in trees()[path].body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= line <= (
            statement.end_lineno or 0
        ):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            value = statement.value
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and _is_compile(value):
                name = targets[0].id
                methods = uses()[path if name.startswith("_") else "", name]
                return bool(methods) and methods <= ONCE, methods == {"fullmatch"}
    return False, False


def _is_compile(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"


def told(compiled: Compiled) -> str:
    """The first way in which a pattern's time may grow; "" where it is shown to be linear."""
    found = growths(compiled.pattern, compiled.flags, anchored=compiled.anchored, whole=compiled.whole)
    try:
        return next((f"{growth.kind}: {growth.pump!r}" for growth in found), "")
    except NotShown:
        return "too large to show"


def digest(pattern: str) -> str:
    """The first characters of a pattern's SHA-256, by which it stands among the reviewed ones."""
    return hashlib.sha256(pattern.encode()).hexdigest()[:12]


def test_every_pattern_is_shown_to_be_linear_or_was_reviewed():
    unsafe = {(each.path, digest(each.pattern)): (each, growth) for each in patterns() if (growth := told(each))}
    unknown = [found for key, found in unsafe.items() if key not in REVIEWED]
    assert not unknown, "rewrite these, run them in RE2, or review them: " + "\n".join(
        f"{each.path}:{each.line} {digest(each.pattern)} {each.pattern!r}: {growth}" for each, growth in unknown
    )
    assert not REVIEWED.keys() - unsafe.keys(), "reviewed, and changed, gone or linear"


def test_patterns_that_a_function_forms_are_known():
    formed = set()
    for path, tree in trees().items():
        if path.split("/")[0] in NOT_RUN:
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                formed |= {(path, function.name) for node in ast.walk(function) if _forms(node)}
    assert formed == set(FORMED)


def _forms(node: ast.AST) -> bool:
    """Whether a call of `re` has a pattern that is not written out, or is not shown to be linear."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] == "re" and node.args):
        return False
    method = ast.unparse(node.func).split(".")[1]
    if method not in {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}:
        return False
    first = node.args[0]
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return True
    return any(growths(first.value, anchored=method in ONCE, whole=method == "fullmatch"))


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        (r"\w+", []),
        (r"\b\w+:", []),
        (r"\w+(?:\s+\w+)*", []),
        (r"\[[^\[\]]*\]", []),
        (r"(?:\w+ ){1,3}x", ["restart"]),
        (r"\w+:", ["restart"]),
        (r"\[[^\]]*\]", ["restart"]),
        (r"\s+$", ["restart"]),
        (r"\A\s*\w*\s*x", ["two loops"]),
        (r"\A\s*+\w*\s*+x", []),
        (r"\A(?:a|a)*b", ["within a loop"]),
        (r"\A(?:a*)*b", ["within a loop"]),
    ],
)
def test_the_proof_tells_linear_patterns_from_others(pattern: str, kinds: list[str]):
    assert [growth.kind for growth in growths(pattern)] == kinds
