"""Counts of a package's source, read as syntax trees: nothing of it is imported.

A folder of Python files in, one number out. `modules` reads the folder once; every count takes what it gives.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Functions of `re` that take a pattern first.
PATTERN_FUNCTIONS = frozenset("search match fullmatch sub subn split findall finditer".split())
# A list of fewer strings is no list of words.
LEAST_WORDS = 8


@dataclass(frozen=True)
class Module:
    """One file of the package: its dotted name, whether it is a package's __init__, and its text."""

    name: str
    is_init: bool
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The file's syntax tree."""
        return ast.parse(self.text)

    @property
    def lines(self) -> int:
        """Lines of the file, empty ones and comments too."""
        return len(self.text.splitlines())


def modules(package: Path) -> dict[str, Module]:
    """Every file of the package's folder by its dotted name, in order."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        is_init = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_init else parts)
        found[name] = Module(name, is_init, path.read_text(encoding="utf-8"))
    return found


def importers(package: Mapping[str, Module]) -> dict[str, set[str]]:
    """For each module, the others of the package that import it: at the top, in a function, or for types alone."""
    found: dict[str, set[str]] = {name: set() for name in package}
    for name, module in package.items():
        for imported in _imports(module, package):
            if imported != name:
                found[imported].add(name)
    return found


def with_one_importer(package: Mapping[str, Module]) -> list[str]:
    """The modules that one other alone imports; a package's __init__ is not counted, but counts as an importer."""
    return [name for name, by in importers(package).items() if len(by) == 1 and not package[name].is_init]


def _imports(module: Module, package: Mapping[str, Module]) -> Iterator[str]:
    """The package's modules that a module imports."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in package)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            for each in node.names:
                inner = f"{base}.{each.name}"
                if inner in package or base in package:
                    yield inner if inner in package else base


def _base(module: Module, node: ast.ImportFrom) -> str:
    """The full name of what is imported from, also where it is told by dots."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    up = node.level - 1 if module.is_init else node.level
    return ".".join((*parts[: len(parts) - up], *([node.module] if node.module else [])))


def regexes(package: Mapping[str, Module]) -> int:
    """Calls of re.compile, and of re.search and the like with a pattern written out."""
    return sum(_is_regex(node) for module in package.values() for node in ast.walk(module.tree))


def _is_regex(node: ast.AST) -> bool:
    if not (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    ):
        return False
    if node.func.attr == "compile":
        return True
    first = node.args[0] if node.args else None
    literal = isinstance(first, ast.JoinedStr) or (isinstance(first, ast.Constant) and isinstance(first.value, str))
    return node.func.attr in PATTERN_FUNCTIONS and literal


def word_lists(package: Mapping[str, Module]) -> int:
    """Sets, tuples, lists and dicts of at least 8 strings, or such a text split, in what modules assign."""
    return sum(
        _lists_in(statement.value)
        for module in package.values()
        for statement in module.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and not _is_all(statement)
    )


def _is_all(statement: ast.Assign | ast.AnnAssign) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets)


def _lists_in(node: ast.AST) -> int:
    """Lists of words at or below a node; what lies within one is not counted again."""
    if _words(node) >= LEAST_WORDS:
        return 1
    return sum(_lists_in(child) for child in ast.iter_child_nodes(node))


def _words(node: ast.AST) -> int:
    """How many strings a node lists itself."""
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return sum(map(_is_text, node.elts))
    if isinstance(node, ast.Dict):
        return max(sum(map(_is_text, node.keys)), sum(map(_is_text, node.values)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        held = node.func.value
        return len(held.value.split()) if isinstance(held, ast.Constant) and isinstance(held.value, str) else 0
    return 0


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def folders(package: Mapping[str, Module]) -> dict[str, int]:
    """Files of each folder right below the package, most first; "" is the package's own folder."""
    counts: dict[str, int] = defaultdict(int)
    for name, module in package.items():
        parts = name.split(".")[1:]
        counts[parts[0] if len(parts) > 1 or (parts and module.is_init) else ""] += 1
    return dict(sorted(counts.items(), key=lambda each: -each[1]))
