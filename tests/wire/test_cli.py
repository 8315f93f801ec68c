"""The program itself, as a process: streams, signals, closed pipes, the terminal's wishes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.warm import AFRESH

HEAVY = ("numpy", "faiss", "onnxruntime", "pydantic", "rich", "sqlite3", "asyncio", "assay.types", "assay.wiring")

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path, program: list[str]) -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def started(*arguments: object, **wishes: Any) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "xdg"), **wishes.pop("env", {})}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **wishes}
        running.append(subprocess.Popen([*program, *map(str, arguments)], env=environment, cwd=tmp_path, **pipes))
        return running[-1]

    yield started
    for process in running:
        process.kill()
        with process:  # closes its pipes
            process.wait()


@pytest.fixture(scope="module")
def water(tmp_path_factory: pytest.TempPathFactory, program: list[str]) -> Path:
    """A data folder with one document; tests only read it."""
    folder = tmp_path_factory.mktemp("water")
    (folder / "water.md").write_text("# Water\n\nWater boils at 100 degrees Celsius at sea level.\n")
    arguments = ["add", str(folder / "water.md"), "--data-dir", str(folder / "data")]
    done = subprocess.run([*program, *arguments], capture_output=True, text=True)
    assert done.stdout == "1 added (1 passage)\n", done
    return folder / "data"


@pytest.fixture
def added(start: Start, water: Path) -> Start:
    """A command on the one document."""
    return lambda *arguments, **wishes: start(*arguments, "--data-dir", water, **wishes)


def test_help_needs_nothing_heavy(tmp_path: Path):
    program = f"""
import sys
from assay.cli import run
assert run(["--help"]) == 0
print([each for each in {HEAVY!r} if each in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Exit codes:" in done.stdout


def test_a_pipe_answers_each_line_at_once(added: Start):
    process = added("search", "--jsonl")
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(json.dumps({"id": number, "query": "water"}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0


def test_ctrl_c_ends_a_pipe_with_130_and_no_traceback(added: Start):
    process = added("ask", "--jsonl", start_new_session=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id": 1, "question": "At how many degrees does water boil?"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["outcome"] == "answered"
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_ctrl_c_while_adding_leaves_a_usable_store(start: Start, tmp_path: Path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number:03}.txt").write_text(f"Number {number} follows number {number - 1}.")
    process = start("add", "many", "--jsonl", start_new_session=True)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    listed = json.loads(start("ls", "--json").communicate()[0])["documents"]
    assert first["document_id"] in {each["document_id"] for each in listed}


def test_a_reader_that_goes_away_is_no_error(added: Start):
    process = added("search", "--jsonl")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(b'{"id": 1, "query": "water"}\n')
    process.stdin.flush()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_the_output_is_told(added: Start):
    with open("/dev/full", "wb") as full:
        process = added("ls", stdout=full)
        _, err = process.communicate()
    assert process.returncode == 6
    assert b"disk is full" in err
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    ("wishes", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_come_where_they_are_wanted(added: Start, wishes: dict[str, str], coloured: bool):
    plain = {"NO_COLOR": "", "FORCE_COLOR": "", "TERM": "xterm-256color"}
    out, _ = added("ask", "At how many degrees does water boil?", env={**plain, **wishes}).communicate()
    assert (b"\x1b[32m" in out) is coloured


def test_a_dumb_terminal_with_a_poor_alphabet_is_served(added: Start):
    poor = {"TERM": "dumb", "PYTHONIOENCODING": "ascii", "COLUMNS": "20"}
    process = added("ask", "At how many degrees does water boil?", env=poor)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert b"answers the question" in out


def test_output_to_a_file_is_not_broken_into_lines(added: Start):
    out, _ = added("ask", "At how many degrees does water boil?", env={"COLUMNS": "20"}).communicate()
    assert "Water boils at 100 degrees Celsius at sea level. [1]" in out.decode()


def test_a_bug_is_one_line_and_v_shows_where(tmp_path: Path):
    program = """
import sys
from assay.cli import app, run
from assay.cli.app import app as verbs
@verbs.command()
def crash(): raise ZeroDivisionError("with \\x1b in it")
sys.exit(run(sys.argv[1:]))
"""
    done = subprocess.run([sys.executable, "-c", program, "crash"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: a bug in assay: ZeroDivisionError: with \\x1b in it\nhint: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("closed", "verb"), [("0", "search"), ("1", "ask"), ("2", "search")])
def test_a_closed_stream_is_like_the_null_device(water: Path, closed: str, verb: str):
    closing = f"import os, sys; os.close({closed}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    verbs = [verb, "At how many degrees does water boil?", "--data-dir", str(water)]
    command = [sys.executable, "-c", closing, *AFRESH[1:], *verbs]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done
    assert b"Traceback" not in done.stderr
    assert b"bug" not in done.stderr


def test_a_choice_that_does_not_exist_is_said_plainly(start: Start):
    process = start("ask", "--profile", "deep", "why")
    _, err = process.communicate()
    assert process.returncode == 2
    assert err.startswith(b"error: invalid value for '--profile': 'deep' is not one of")


def test_completion_is_offered(start: Start):
    out, _ = start(
        env={"_ASSAY_COMPLETE": "complete_bash", "COMP_WORDS": "assay re", "COMP_CWORD": "1"}
    ).communicate()
    assert b"reindex" in out


def test_a_question_of_a_megabyte_is_refused_with_words(added: Start):
    process = added("ask", "-")
    _, err = process.communicate(b"why " * 250_000)
    assert process.returncode == 2
    assert b"at most 20,000" in err


def test_a_full_disk_loses_nothing(start: Start, tmp_path: Path):
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        (tmp_path / "one.txt").write_text("One is the first number.")
        (tmp_path / "big.txt").write_text("\n".join(f"Line {number} of a long text." for number in range(2_000)))
        assert start("add", "one.txt", "--data-dir", small).wait() == 0
        process = start("add", "big.txt", "--data-dir", small)
        _, err = process.communicate()
        assert process.returncode in (6, 8), err
        assert b"full" in err
        assert b"Traceback" not in err
        out, err = start("ls", "--json", "--data-dir", small).communicate()
        assert out, err
        assert len(json.loads(out)["documents"]) == 1
    finally:
        subprocess.run(["umount", "-l", small], check=True)
