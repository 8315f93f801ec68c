"""Every example of README and docs runs, in order, page by page, in a folder of its own.

A command of the program, and a block that imports `assay` alone, run in this process, which has loaded the
libraries: tests/wire/test_cli.py tests the program as a process. The shell runs what is piped into a command, and
any other line; the program that it finds is a fork of one that has loaded them (`support.warm`). A block that
imports a module by its path is a process of its own, which shows that the module can be the first. A line that ends
with & starts a server, which runs until the page ends.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

from assay.cli import run
from assay.cli.terminal import Terminal
from support.served import wait_for

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a reader may not have set.
_OURS = ("ASSAY_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_")
# A block that begins so is a file of the reader's, which a later block uses.
_FILE = re.compile(r"# file: ([\w.]+)\n")
_EXIT = re.compile(r"\s+# exit (\d+)$")
# What the shell reads in another way than shlex does: pipes, files, variables, patterns.
_SHELL = re.compile(r"[|&;<>()$`\\*?\[\]{}~!]")
# A command of the program, what is piped into it, and the file that its output goes to.
_COMMAND = re.compile(r"(?:(?P<feed>[^|]+) \| )?(?P<command>assay .+?)(?: > (?P<file>[\w.]+))?(?:\s+# exit \d+)?")
# An import of a module of the program by its path.
_BY_PATH = re.compile(r"^ *(?:from|import) assay\.", re.MULTILINE)
# What a server says once its settings fit.
_ADDRESS = re.compile(r" on http://([\w.]+):(\d+) ")
_QUOTED = re.compile(r"\"[^\"$`\\]*\"|'[^']*'")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(match.group(1), match.group(2)) for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


@pytest.fixture
def reader_home(tmp_path: Path, programs: Path) -> tuple[Path, dict[str, str]]:
    """A copy of the sample documents, and an environment without any collection or key."""
    home = tmp_path / "home"
    # The decision records are half of all passages, and no example is about them.
    shutil.copytree(ROOT / "docs", home / "docs", ignore=shutil.ignore_patterns("decisions"))
    shutil.copytree(ROOT / "examples" / "library", home / "examples" / "library")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())
    folders = (programs, Path(sys.executable).parent, environment["PATH"])
    environment["PATH"] = os.pathsep.join(map(str, folders))
    return home, environment


def lines(body: str) -> list[tuple[str, int]]:
    """What is typed in a console, each line with the exit code that it is to end with."""
    typed = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
    return [(line, int(found.group(1)) if (found := _EXIT.search(line)) else 0) for line in typed]


def command_in(line: str) -> re.Match[str] | None:
    """The one command of the program that the line holds, where no shell need read that command."""
    found = _COMMAND.fullmatch(line)
    return found if found and not _SHELL.search(_QUOTED.sub("", found["command"])) else None


def in_a_process(command: list[str], home: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


@contextmanager
def in_the_background(line: str, home: Path, environment: dict[str, str]) -> Iterator[None]:
    command = shlex.split(line.removesuffix("&"), comments=True)
    with subprocess.Popen(command, cwd=home, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = next(found for said in server.stderr if (found := _ADDRESS.search(said)))
            wait_for(lambda: answers(address.group(1), int(address.group(2))))
            yield
        finally:
            server.terminate()


def answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), 1).close()
    except OSError:
        return False
    return True


@contextmanager
def at_home(home: Path, environment: dict[str, str]) -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        for name in os.environ.keys() - environment.keys():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        yield patch


def run_command(found: re.Match[str], home: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    fed = b""
    if found["feed"]:
        feed = ["bash", "-c", found["feed"]]
        fed = subprocess.run(feed, cwd=home, env=environment, capture_output=True, check=True).stdout
    words = shlex.split(found["command"], comments=True)
    out, err = io.StringIO(), io.StringIO()
    with at_home(home, environment):
        code = run(words[1:], Terminal(input=io.BytesIO(fed), out=out, err=err))
    if found["file"]:
        (home / found["file"]).write_text(out.getvalue(), encoding="utf-8")
    return code, out.getvalue(), err.getvalue()


def run_block(text: str, home: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with at_home(home, environment) as patch, redirect_stdout(out), redirect_stderr(err):
        module = ModuleType("__main__")
        patch.setitem(sys.modules, "__main__", module)
        try:
            exec(compile(text, "<block>", "exec", dont_inherit=True), vars(module))  # noqa: S102 the block is ours
            code = 0
        except Exception:
            traceback.print_exc()
            code = 1
    return code, out.getvalue(), err.getvalue()


def run_text(language: str, text: str, reader_home: tuple[Path, dict[str, str]]) -> tuple[int, str, str]:
    if language == "python":
        if _BY_PATH.search(text):
            return in_a_process([sys.executable, "-c", text], *reader_home)
        return run_block(text, *reader_home)
    if found := command_in(text):
        return run_command(found, *reader_home)
    return in_a_process(["bash", "-c", text], *reader_home)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_page_runs(page: Path, reader_home: tuple[Path, dict[str, str]]):
    with ExitStack() as servers:
        for language, body in blocks(page):
            if named := _FILE.match(body):
                (reader_home[0] / named.group(1)).write_text(body, encoding="utf-8")
                continue
            for text, wanted in [(body, 0)] if language == "python" else lines(body):
                if language == "console" and text.endswith(" &"):
                    servers.enter_context(in_the_background(text, *reader_home))
                    continue
                code, out, err = run_text(language, text, reader_home)
                assert code == wanted, f"{text}\n{out}\n{err}"
                assert "Traceback" not in err
