"""Uploaded files: received into a staging folder, then moved to where their document lives; all on this machine.

The folders of a tenant::

    uploads/.staging/TOKEN                              received, not yet taken by a job
    uploads/COLLECTION/SHA256-OF-THE-NAME[:32]/LABEL    the file of a document

The name that a caller gives chooses a folder by its hash, and its last component, made safe, is the label. The same
name in the same collection is the same path, so the same document.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import time
import unicodedata
from collections.abc import AsyncIterable, AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from assay.errors import StoreError, StoreFull, UploadTooLarge
from assay.ingest.files import file_at
from assay.ingest.walk import source_of
from assay.server.collection_names import refuse_bad_collection
from assay.server.threads import in_thread
from assay.types import Value

Result = TypeVar("Result")
Params = ParamSpec("Params")

FOLDER = "uploads"
_STAGING = ".staging"
# Of a label: most characters and bytes, and characters of an ending that survives the cut. Chosen, well below the
# 255 bytes that file systems allow.
_LONGEST, _LONGEST_BYTES, _LONGEST_ENDING = 120, 200, 16
# Seconds without a write after which a file in staging belongs to nobody: chosen, above any upload's pause.
ABANDONED = 3600.0
_UNNAMED = "unnamed"
_SEPARATORS = re.compile(r"[/\\]+")
# Characters that Windows forbids in names, and bytes written as hex, which some program may decode.
_FORBIDDEN = re.compile(r'(?:[<>:"|?*]|%[0-9A-Fa-f]{2})+')
# Names that Windows reserves, with or without an ending.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StagedFile(Value):
    """A received file that no job has taken yet: its `name` as given, the hash of its bytes, and their number."""

    name: str
    token: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file of a job that is still to be taken in; `token` names it in staging."""

    number: int
    name: str
    token: str


class FolderUploads:
    """The uploaded files of one tenant, in its folder. Where the disk fails, methods raise StoreError or StoreFull.

    Files are readable by this user only; each is written to the disk itself before it has its place.
    """

    def __init__(self, tenant_folder: Path) -> None:
        self._root = tenant_folder / FOLDER
        self._staging = self._root / _STAGING

    async def receive(self, name: str, chunks: AsyncIterable[bytes], limit: int) -> StagedFile:
        """Write a file of at most `limit` bytes into staging; what breaks off leaves nothing there.

        Raises UploadTooLarge, and whatever `chunks` raises.
        """
        token = secrets.token_hex(16)
        file = _NewFile(self._staging / token)
        digest, size = hashlib.sha256(), 0
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise UploadTooLarge(f"{label_of(name)}: larger than {limit:,} bytes", hint="split the file")
                digest.update(chunk)
                await on_disk(file.write, chunk)
            await on_disk(file.finish)
        except BaseException:
            file.abandon()
            raise
        return StagedFile(storable_name(name), token, digest.hexdigest(), size)

    def path_of(self, collection: str, name: str) -> Path:
        """The path of the file of that name, whether it is there or not; raises UsageError for a bad collection."""
        return self._folder_of(collection) / folder_of(name) / label_of(name)

    def source(self, collection: str, name: str) -> str:
        """The source of the documents of that file."""
        return source_of(self.path_of(collection, name))

    @asynccontextmanager
    async def placed(self, collection: str, files: Sequence[WaitingFile]) -> AsyncIterator[tuple[Path, ...]]:
        """The paths of a job's files, to be read within the block; each takes the place of the one of its name."""
        yield tuple([await self.place(collection, file.name, file.token) for file in files])

    def read(self, source: str) -> bytes:
        """The bytes of a document's file; it waits for the disk. Raises OSError, UnreadableDocument, ValueError."""
        return file_at(source)

    async def place(self, collection: str, name: str, token: str) -> Path:
        """Move a staged file to where it lives, over the one that was there; where it lives.

        A file that was moved before is left as it is, so a killed move may be repeated.
        """
        path = self.path_of(collection, name)
        await on_disk(_move, self._staging / token, path)
        return path

    async def discard(self, token: str) -> None:
        """Delete a staged file; harmless if it is gone."""
        await on_disk((self._staging / token).unlink, missing_ok=True)

    async def remove(self, source: str) -> bool:
        """Delete the file of a document, by the document's `source`; False if it is no upload of this tenant."""
        path = Path(source)
        if self.label(source) is None:
            return False
        await on_disk(_remove_with_folder, path)
        return True

    async def remove_collection(self, collection: str) -> None:
        """Delete all uploaded files of a collection."""
        folder = self._folder_of(collection)
        await on_disk(remove_tree, folder)

    async def sweep(self, taken: Collection[str]) -> int:
        """Delete what broken-off requests left in staging over an hour ago; the number of files.

        `taken` are the tokens of the files that wait for a job.
        """
        before = time.time() - ABANDONED
        return await on_disk(_delete_older, self._staging, before, taken)

    def label(self, source: str) -> str | None:
        """The name to show for a document's `source`; None if it is no upload of this tenant."""
        try:
            parts = Path(source).relative_to(os.path.realpath(self._root)).parts
        except ValueError:
            return None
        return parts[2] if len(parts) == 3 and ".." not in parts else None

    def _folder_of(self, collection: str) -> Path:
        refuse_bad_collection(collection)
        return self._root / collection


class _NewFile:
    """A file in the making, created by its first write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def write(self, data: bytes) -> None:
        if self._descriptor is None:
            make_private(self._path.parent)
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def finish(self) -> None:
        """Make the file and its entry in the folder durable."""
        self.write(b"")
        assert self._descriptor is not None  # noqa: S101 - the write created it
        os.fsync(self._descriptor)
        self._close()
        _sync_folder(self._path.parent)

    def abandon(self) -> None:
        self._close()
        self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def folder_of(name: str) -> str:
    """The folder that the name of an upload chooses."""
    return hashlib.sha256(storable_name(name).encode()).hexdigest()[:32]


def storable_name(name: str) -> str:
    """The name as valid UTF-8 without NUL, otherwise as given."""
    return name.replace("\0", "").encode("utf-8", errors="replace").decode("utf-8")


def label_of(name: str) -> str:
    r"""The last component of a given name as a file name that is safe everywhere and reads as it looks.

    >>> label_of("../../etc/passwd"), label_of("C:\\notes\\tea.md"), label_of("nul.txt"), label_of("..")
    ('passwd', 'tea.md', '_nul.txt', 'unnamed')
    >>> label_of("re\u202efdp.exe"), label_of("%2e%2e%2fshadow"), label_of("a" * 300 + ".pdf")[-6:]
    ('refdp.exe', '_shadow', 'aa.pdf')
    """
    parts = [part for part in _SEPARATORS.split(storable_name(name)) if part.strip(". ")]
    last = unicodedata.normalize("NFC", parts[-1]) if parts else ""
    # Category C: control and bidi characters, zero width, surrogates, private use, unassigned.
    visible = "".join(" " if sign.isspace() else sign for sign in last if unicodedata.category(sign)[0] != "C")
    label = _shortened(_FORBIDDEN.sub("_", visible).strip(". "))
    return f"_{label}" if _RESERVED.fullmatch(label) else label or _UNNAMED


def _shortened(label: str) -> str:
    """The label cut to what file systems take, with its ending."""
    stem, dot, ending = label.rpartition(".")
    if not dot or len(ending) > _LONGEST_ENDING:
        stem, dot, ending = label, "", ""
    stem = stem[: _LONGEST - len(ending) - 1]
    while len(f"{stem}.{ending}".encode()) > _LONGEST_BYTES:
        stem = stem[:-1]
    return f"{stem.rstrip('. ') if ending else stem}{dot}{ending}".strip(". ")


def _move(staged: Path, path: Path) -> None:
    """Move a file so that either place holds it whole, whenever the process is killed."""
    make_private(path.parent)
    try:
        staged.replace(path)
    except FileNotFoundError:
        if not path.is_file():
            raise
        return
    for folder in (path.parent, path.parent.parent, path.parent.parent.parent):
        _sync_folder(folder)


def make_private(folder: Path) -> None:
    """Make the folder and its parents for this user only; `mkdir` alone gives parents everyone's rights."""
    for path in (*reversed(folder.parents), folder):
        path.mkdir(mode=0o700, exist_ok=True)


def _remove_with_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    with suppress(OSError):  # it is gone, or an upload of the same name is just being placed
        path.parent.rmdir()


def remove_tree(folder: Path) -> None:
    """Delete a folder with all in it, if it is there."""
    if folder.is_dir():
        shutil.rmtree(folder)


def remove_old_folders(folder: Path, seconds: float) -> None:
    """Delete the folders in a folder in which nothing was made or deleted for so long."""
    before = time.time() - seconds
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another process of the server sweeps, too
            if path.stat().st_mtime < before:
                remove_tree(path)


def _delete_older(folder: Path, before: float, taken: Collection[str]) -> int:
    deleted = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another server process sweeps, too
            if path.name not in taken and path.stat().st_mtime < before:
                path.unlink()
                deleted += 1
    return deleted


def _sync_folder(folder: Path) -> None:
    """Make a folder's entries durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


async def on_disk(call: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """The result of a call that uses the disk, made in a thread. Raises StoreError, StoreFull."""
    try:
        return await in_thread(call, *args, **kwargs)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull("no room left for uploaded files", hint="free some disk space") from error
        what = f"the uploaded files cannot be used: {error.strerror}"
        raise StoreError(what, hint="check the permissions of the data folder") from error
