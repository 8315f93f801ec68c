"""The sandbox against readers that loop, swallow memory, die or talk nonsense, and against real zip bombs."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import EmptyDocument, UnreadableDocument, UnsupportedDocument
from assay.ingest.frames import SandboxLimits
from assay.ingest.sandbox import Sandbox

# A list of loaders that do by the page's first word what a parser must never do.
HOSTILE = """
import os, signal, sys, time
from assay.types import Loaded

class Loader:
    def load(self, data, name):
        data = data.removeprefix(b"<html>")
        word = data.split()[0].decode()
        if word == "loop":
            while True: pass
        if word == "sleep":
            time.sleep(600)
        if word == "swallow":
            hoard = bytearray(1 << 30)
        if word == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if word == "leave":
            os._exit(3)
        if word == "raise":
            raise KeyError("a parser's bug")
        if word == "recurse":
            self.load(b"<html>" + data, name)
        if word == "flood":
            return Loaded("x" * (4 << 20), "text")
        if word == "write":
            with open(name, "wb") as file:
                file.write(b"x")
        if word == "fork":
            if os.fork() == 0:
                time.sleep(600)
        return Loaded(data.decode() + "\\x00\\r\\n", "text")

LOADERS = {"html": Loader()}
"""
LIMITS = SandboxLimits(memory=400 << 20, cpu_seconds=1, wall_seconds=60.0, text=1 << 20)


@pytest.fixture
def limits() -> SandboxLimits:
    return LIMITS


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: SandboxLimits) -> Iterator[Sandbox]:
    (tmp_path / "hostile_loaders.py").write_text(HOSTILE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    sandbox = Sandbox("hostile_loaders:LOADERS", limits)
    yield sandbox
    sandbox.close()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("loop", "took more than 1 s of processor time"),
        ("swallow", "needs more than 400 MiB of memory"),
        ("crash", "crashed (SIGSEGV)"),
        ("leave", "gave up"),
        ("raise", "damaged (KeyError"),
        ("recurse", "nested too deeply"),
        ("flood", "more than 1 MiB of text"),
        ("write", "damaged (OSError: [Errno 27] File too large"),
    ],
)
def test_a_bad_reader_costs_its_own_document_only(hostile: Sandbox, tmp_path: Path, word: str, says: str) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        hostile.load(f"<html>{word} now".encode(), str(tmp_path / "bad.txt"))
    assert says in str(caught.value)
    assert caught.value.hint
    assert hostile.load(b"<html>good words", "good.html").text == "good words\n"


@pytest.mark.parametrize("limits", [replace(LIMITS, wall_seconds=1.0)])
def test_a_reader_that_waits_for_ever_is_ended(hostile: Sandbox) -> None:
    with pytest.raises(UnreadableDocument, match="took longer than 1 s"):
        hostile.load(b"<html>sleep now", "slow.txt")


@pytest.mark.parametrize("limits", [replace(LIMITS, wall_seconds=2.0)])
def test_a_process_that_a_reader_leaves_behind_is_killed(hostile: Sandbox) -> None:
    with pytest.raises(UnreadableDocument):
        hostile.load(b"<html>fork now", "bad.txt")
    assert read_in_time(hostile, b"<html>good words", "good.html") == "good words\n"


def read_in_time(sandbox: Sandbox, data: bytes, name: str) -> str:
    """The text; where the machine stalls until the short limit is past, it is read again."""
    for _ in range(5):
        try:
            return sandbox.load(data, name).text
        except UnreadableDocument as error:
            if "took longer" not in str(error):
                raise
    raise AssertionError(f"{name} was never read in time")


def test_a_helper_that_was_killed_is_replaced(sandbox: Sandbox) -> None:
    assert sandbox.load(b"one", "a.txt").text == "one"
    assert sandbox.process.process_id is not None
    os.kill(sandbox.process.process_id, signal.SIGKILL)
    with pytest.raises(UnreadableDocument, match="its reader crashed"):
        sandbox.load(b"two", "a.txt")
    assert sandbox.load(b"three", "a.txt").text == "three"


def test_closing_ends_a_load_that_runs(hostile: Sandbox) -> None:
    failures: list[BaseException] = []

    def load() -> None:
        try:
            hostile.load(b"<html>sleep now", "slow.txt")
        except UnreadableDocument as error:
            failures.append(error)

    thread = threading.Thread(target=load)
    thread.start()
    while hostile.process.process_id is None:
        time.sleep(0.01)
    time.sleep(0.2)
    hostile.close()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert len(failures) == 1


@pytest.mark.parametrize("named", ["", ":", ".:relative"])
def test_the_helper_takes_no_module_from_the_folder_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('taken from the working folder')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", named)
    sandbox = Sandbox()
    assert sandbox.load(b'{"a": "b"}', "a.json").text == "a: b"
    sandbox.close()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_a_zip_bomb_is_refused_before_it_is_unpacked(sandbox: Sandbox) -> None:
    bomb = zipped({"word/document.xml": b"\0" * (210 << 20)})
    with pytest.raises(UnreadableDocument, match="would unpack to 210 MiB"):
        sandbox.load(bomb, "bomb.docx")


def test_a_steep_zip_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(UnreadableDocument, match="over 100:1"):
        sandbox.load(zipped({"xl/workbook.xml": b"\0" * (50 << 20)}), "bomb.xlsx")


def test_a_zip_that_lies_about_its_sizes_is_not_unpacked_beyond_them(sandbox: Sandbox) -> None:
    honest = zipped({"word/document.xml": b"\0" * (30 << 20), "_rels/.rels": b"<a/>"})
    lying = honest.replace((30 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    with pytest.raises(UnreadableDocument):
        sandbox.load(lying, "lie.docx")


def test_an_entity_bomb_stays_small(sandbox: Sandbox) -> None:
    lines = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12)]
    bomb = f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "ha">{"".join(lines)}]><d>&e11;</d>'
    relations = (
        '<Relationships xmlns="x"><Relationship Id="r" Type="t/officeDocument" Target="word/document.xml"/>'
        "</Relationships>"
    )
    data = zipped({"_rels/.rels": relations.encode(), "word/document.xml": bomb.encode()})
    with pytest.raises((UnreadableDocument, EmptyDocument)):
        sandbox.load(data, "entities.docx")


def test_a_pdf_whose_stream_unpacks_to_a_gigabyte_ends(sandbox: Sandbox) -> None:
    block, times, checksum = b"(x) Tj " * (1 << 17), 1200, 1
    packer = zlib.compressobj(9)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)  # from here on a block is packed alike
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(times):
        checksum = zlib.adler32(block, checksum)
    packed += again * (times - 1) + zlib.compressobj(9, wbits=-15).flush() + checksum.to_bytes(4, "big")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 9 9] >>",
        b"<< /Length %d /Filter /FlateDecode >> stream\n%s\nendstream" % (len(packed), packed),
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    with pytest.raises((UnreadableDocument, EmptyDocument)):
        sandbox.load(b"%PDF-1.4\n" + body + b"trailer << /Root 1 0 R >>\n%%EOF", "bomb.pdf")
    assert sandbox.load(b"still here", "a.txt").text == "still here"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", EmptyDocument),
        (b" \n\t ", EmptyDocument),
        (b"PK\x03\x04 cut off", UnreadableDocument),
        (b"%PDF-1.7", UnreadableDocument),
        (b"\x1f\x8b\x08" + b"\0" * 40, UnsupportedDocument),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), UnsupportedDocument),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0_".encode("utf-16-le") + b"\xff" * 600,
            UnreadableDocument,
        ),
        (b"[" * 200_000, UnreadableDocument),
    ],
)
def test_each_kind_of_bad_file_has_its_error(sandbox: Sandbox, data: bytes, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        sandbox.load(data, "file.json" if data.startswith(b"[") else "file.bin")


def test_deeply_nested_html_is_read(sandbox: Sandbox) -> None:
    page = b"<html><body>" + b"<div>" * 200_000 + b"the bottom" + b"</div>" * 200_000
    assert "the bottom" in sandbox.load(page, "deep.html").text
