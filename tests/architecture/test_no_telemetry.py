"""Nothing that assay uses keeps a record of its use, or sends one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import asyncio, sys, urllib.request
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(f"the network was wanted: {arguments}")
sys.addaudithook(refuse)
from assay import open_engine
with open_engine(data_dir=sys.argv[1] + "/data") as engine:
    engine.add([sys.argv[1] + "/water.txt"])
    engine.ask("At how many degrees does water boil?")
"""


def test_a_question_leaves_nothing_outside_the_data_folder(tmp_path: Path):
    (tmp_path / "water.txt").write_text("Water boils at 100 degrees Celsius.")
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment, check=True, timeout=300)
    assert [str(each.relative_to(home)) for each in home.rglob("*")] == []
