"""The command of the container image, with its environment, as far as it goes without a container."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from assay.errors import UsageError
from assay.server.main import run_server
from assay.server.settings import ServerSettings
from support.served import PATIENCE, wait_for

DOCKERFILE = (Path(__file__).parents[3] / "deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
ASSAY = [sys.executable, "-c", "import sys; from assay.cli import main; sys.exit(main())"]


def instruction(name: str) -> str:
    """The arguments of the last such instruction of the Dockerfile."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)[-1]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The image's own variables over those of the test, with a data folder and an address of the test's."""
    image = dict(pair.split("=", 1) for pair in shlex.split(instruction("ENV")))
    return {**os.environ, **image, "PATH": os.environ["PATH"], "ASSAY_DATA_DIR": str(folder / "data"), **more}


def command(*arguments: str) -> list[str]:
    """The image's entry point with these arguments, by default its own."""
    [program] = json.loads(instruction("ENTRYPOINT"))
    assert program == "assay"
    return [*ASSAY, *(arguments or json.loads(instruction("CMD")))]


def health_check() -> list[str]:
    """The arguments that the image's health check gives to Python."""
    program, *arguments = json.loads(re.findall(r"^HEALTHCHECK .*?CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[0])
    assert program == "python"
    return [str(argument) for argument in arguments]


def test_without_a_key_nobody_is_let_in(tmp_path: Path) -> None:
    host = environment(tmp_path)["ASSAY_SERVE_HOST"]
    with pytest.raises(UsageError, match="everybody who reaches this machine") as refused:
        run_server(ServerSettings(host=host, engine={"data_dir": tmp_path}), lambda _service, _port: None)
    assert "assay keys create" in refused.value.hint


def test_a_port_in_use_is_told_of_before_anything_is_served(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServerSettings(port=taken.getsockname()[1], engine={"data_dir": tmp_path})
        with pytest.raises(UsageError, match=r"cannot be listened on: Address already in use$"):
            run_server(settings, lambda _service, _port: pytest.fail("it said that it serves"))


def test_the_image_makes_its_own_first_key_and_then_serves(tmp_path: Path) -> None:
    made = subprocess.run(
        command("keys", "create", "--name", "owner", "--scope", "admin"),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    owner = {"authorization": f"Bearer {made.stdout.strip()}"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    names = "assay assay.local"
    here = environment(tmp_path, ASSAY_SERVE_HOST="127.0.0.1", ASSAY_SERVE_PORT=port, ASSAY_SERVE_ALLOW_HOST=names)
    probe = [sys.executable, *health_check()]
    with subprocess.Popen(command(), env=here, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            assert port in server.stderr.readline()  # what it says before it listens, however busy the machine is
            wait_for(lambda: subprocess.run(probe, env=here, capture_output=True, check=False).returncode == 0)
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
                statuses = {
                    "nobody": client.get("/api/v1/collections").status_code,
                    "owner": client.get("/api/v1/collections", headers=owner).status_code,
                    "by name": client.get("/healthz", headers={"host": "assay.local"}).status_code,
                    "by another": client.get("/healthz", headers={"host": "evil.example"}).status_code,
                }
        finally:
            server.terminate()
    assert statuses == {"nobody": 401, "owner": 200, "by name": 200, "by another": 421}
