"""What benchmarks/house counts, on a tiny package made up here, and what it keeps and compares of outputs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks" / "house"

FILES = {
    "__init__.py": '"""A package."""\nfrom tiny import alone\n',
    "alone.py": '"""What it is."""\nimport re\nA = re.compile("a")\n',
    "shared.py": '"""Shared words."""\nWORDS = frozenset("a b c d e f g h".split())\nFEW = ("a", "b")\n',
    "first.py": (
        "import re\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tiny.shared import WORDS\n"
        'def f(x, y):\n    """Of no use."""\n    return re.search("a", x) or re.search(y, x)\n'
        'def g(x):\n    """Whether it is."""\n    return re.sub(f"{x}b", "", x)\n'
    ),
    "part/__init__.py": "",
    "part/second.py": (
        '__all__ = ["a", "b", "c", "d", "e", "f", "g", "h"]\n'
        'BY = {"x": ["a", "b", "c", "d", "e", "f", "g", "h"], "y": ("a", "b", "c", "d", "e", "f", "g", "h", "i")}\n'
        'class C:\n    """Which one."""\n    def m(self):\n        from .. import shared\n'
        '        from ..first import f\n        return ["a", "b", "c", "d", "e", "f", "g", "h"], shared, f\n'
    ),
}


NAMES = ("report", "house_counts", "house_cases", "house_played", "outputs")


@pytest.fixture(scope="module")
def load() -> Iterator[dict[str, ModuleType]]:
    """The benchmark's modules, which find one another by their folder."""
    before = list(sys.path)
    sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
    yield {name: importlib.import_module(name) for name in NAMES}
    sys.path[:] = before
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture
def counts(load):
    return load["house_counts"]


@pytest.fixture
def package(counts, tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "tiny" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return counts.modules(tmp_path / "tiny")


def test_every_file_is_a_module_with_its_lines(package):
    lines = {name: module.lines for name, module in package.items()}
    assert lines == {
        "tiny": 2, "tiny.alone": 3, "tiny.first": 10, "tiny.part": 0, "tiny.part.second": 8, "tiny.shared": 3
    }  # fmt: skip


def test_importers_are_counted_at_the_top_within_functions_and_for_types(counts, package):
    assert counts.importers(package) == {
        "tiny": set(),
        "tiny.alone": {"tiny"},
        "tiny.first": {"tiny.part.second"},
        "tiny.part": set(),
        "tiny.part.second": set(),
        "tiny.shared": {"tiny.first", "tiny.part.second"},
    }
    assert counts.with_one_importer(package) == ["tiny.alone", "tiny.first"]


def test_a_regex_is_compiled_or_written_where_it_is_used(counts, package):
    assert counts.regexes(package) == 3


def test_a_list_of_words_is_assigned_by_a_module_and_has_eight(counts, package):
    assert counts.word_lists(package) == 3


def test_folders_are_counted_by_their_files(counts, package):
    assert counts.folders(package) == {"": 4, "part": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"ms": 3.2, "first_verified_ms": None}, {"ms": "<varies>", "first_verified_ms": None}),
        ({"score": 0.12345678, "n": 2}, {"score": 0.123457, "n": 2}),
        (["/home/in/a.md", "/home/data/x"], ["<inputs>/a.md", "<data>/x"]),
        (["the judge took 1,381 ms; its budget is 200 ms", "no passage"], ["no passage"]),
        ("run 01M85X7EZJ69FFJRT64ETCCZQG, 2026-11-24 04:32:35+00:00", "run <run>, <time>"),
        ("    282.1 ms  judged: 0.91", "<took>  judged: 0.91"),
        ("It takes 20 ms to open 2026-11-24.", "It takes 20 ms to open 2026-11-24."),
        ({"step": {"passage_ids": ["b", "a"]}}, {"step": {"passage_ids": ["a", "b"]}}),
        ({"passage_ids": ["b", "a"]}, {"passage_ids": ["b", "a"]}),
    ],
)
def test_only_what_two_runs_differ_in_is_put_aside(load, value, expected):
    assert load["house_played"].kept(value, {"/home/in": "<inputs>", "/home/data": "<data>"}) == expected


def recording(**texts):
    return {
        name: {"name": name, "verb": name.split("-")[0], "output": [{"exit": 0, "out": [{"text": text, "n": [1]}]}]}
        for name, text in texts.items()
    }


def test_recordings_that_are_alike_end_with_0(load, capsys):
    assert load["outputs"].compare(recording(ask="a", fix="b"), recording(ask="a", fix="b"), 5, 20) == 0
    assert "ask: 1 cases, 1 identical, 0 differing" in capsys.readouterr().out


def test_a_difference_is_counted_named_and_shown(load, capsys):
    assert load["outputs"].compare(recording(ask="a", fix="b"), recording(ask="a", fix="c"), 5, 20) == 1
    told = capsys.readouterr().out
    assert "fix: 1 cases, 0 identical, 1 differing" in told
    assert "1 differ in output[].out[].text" in told
    assert '-     "text": "b",' in told


def test_a_case_that_is_missing_differs(load, capsys):
    assert load["outputs"].compare(recording(ask="a", fix="b"), recording(ask="a"), 5, 20) == 1
    assert "only before: 1 cases: fix" in capsys.readouterr().out


def test_a_recording_goes_on_after_the_last_whole_line(load, tmp_path):
    part = tmp_path / "x.part"
    head = {"revision": "a", "source": "s", "every": 1, "cases": 2}
    with part.open("a+b") as opened:
        assert load["outputs"].resumed(opened, head, part) == set()
        opened.write(b'{"name": "one"}\n{"name": "tw')
    with part.open("a+b") as opened:
        assert load["outputs"].resumed(opened, {**head, "revision": "b"}, part) == {"one"}
    assert part.read_bytes().endswith(b'{"name": "one"}\n')
    with part.open("a+b") as opened, pytest.raises(SystemExit, match="begun with other source"):
        load["outputs"].resumed(opened, {**head, "source": "t"}, part)
