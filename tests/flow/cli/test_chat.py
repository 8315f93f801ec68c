"""chat: a dialogue on the command line, whose sources keep their ids from turn to turn."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .conftest import Cli

BOIL = "At how many degrees does water boil?"
BRIDGE = "Tell me about the Harbour Bridge: when was it opened?"


def test_every_turn_knows_the_dialogue_before_it(own: Cli):
    chatted = own("chat", "--json", stdin=f"{BRIDGE}\n\nWho built it?\n".encode())
    assert chatted.code == 0, chatted
    first, second = chatted.objects
    assert "1932" in first["text"]
    assert "Maria Keller" in second["text"]


def test_numbers_belong_to_an_answer_and_ids_stay(own: Cli):
    chatted = own("chat", stdin=f"{BRIDGE}\n{BOIL}\n{BRIDGE}\n".encode())
    headings = re.findall(r"^\[1\] .* · ([0-9a-f]{8})$", chatted.out, re.MULTILINE)
    assert len(headings) == 3, chatted.out
    assert headings[0] == headings[2] != headings[1]


def test_quit_ends_and_what_follows_is_not_asked(own: Cli):
    chatted = own("chat", stdin=f"{BOIL}\n/quit\n{BRIDGE}\n".encode())
    assert chatted.code == 0
    assert "100 degrees" in chatted.out
    assert "1932" not in chatted.out


def test_an_error_of_one_turn_does_not_end_the_chat(own: Cli, scripted: Callable[..., str]):
    model = scripted(
        {"role": "writer", "contains": BOIL, "error": {"kind": "refused", "message": "not today"}},
        {"role": "writer", "reply": "The Harbour Bridge was opened on 3 May 1932 [1]."},
    )
    chatted = own("chat", "-m", model, stdin=f"{BOIL}\n{BRIDGE}\n".encode())
    assert chatted.code == 0
    assert "not today" in chatted.err
    assert "1932" in chatted.out
    as_objects = own("chat", "--json", "-m", model, stdin=f"{BOIL}\n{BRIDGE}\n".encode()).objects
    assert as_objects[0]["question"] == BOIL
    assert as_objects[0]["hint"]
    assert "1932" in as_objects[1]["text"]


def test_the_dialogue_holds_no_number_of_an_earlier_answer(own: Cli, scripted: Callable[..., str], tmp_path: Path):
    model = scripted(
        {"role": "condenser", "reply": {"question": "Who built the Harbour Bridge?"}},
        {"role": "writer", "contains": "built", "reply": "Maria Keller built it for 4 million pounds [1]."},
        {"role": "writer", "reply": "The Harbour Bridge was opened on 3 May 1932 [1]."},
    )
    own("chat", "-m", model, stdin=f"{BRIDGE}\nWho built it?\n".encode())
    kept = json.dumps(own("show", "last", "--json").object)
    assert "3 May 1932. [1]" not in kept


def test_a_collection_that_is_not_there_is_told_at_once(empty: Cli):
    assert empty("chat", stdin=b"How hot?\n").code == 6


def test_ctrl_c_stops_the_answer_and_not_the_chat(own: Cli, scripted: Callable[..., str], tmp_path: Path):
    model = scripted(
        {"role": "writer", "contains": BOIL, "reply": "Never [1].", "delay": 300},
        {"role": "writer", "reply": "The Harbour Bridge was opened on 3 May 1932 [1]."},
    )
    program = "import sys; from assay.cli import main; sys.argv[0] = 'assay'; main()"
    flags = ["--data-dir", str(tmp_path / "data"), "-m", model, "-v", "--deadline", "200"]
    with subprocess.Popen(
        [sys.executable, "-c", program, "chat", *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    ) as chat:
        assert chat.stdin is not None
        assert chat.stderr is not None
        chat.stdin.write(f"{BOIL}\n".encode())
        chat.stdin.flush()
        for line in chat.stderr:
            if line.strip() == b"write":  # the stage whose model never answers
                break
        chat.send_signal(signal.SIGINT)
        out, err = chat.communicate(f"{BRIDGE}\n".encode(), timeout=300)
    assert b"stopped; you can ask the next question" in err
    assert b"1932" in out
    assert b"Never" not in out
    assert chat.returncode == 0
