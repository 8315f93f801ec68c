"""Zip files whose total size is checked before a member is opened."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib

from assay.errors import UnreadableDocument

LARGEST = 200 << 20
STEEPEST = 100
# Small files may compress better: a sheet of identical rows is no bomb while it is small.
_HARMLESS = 4 << 20
_MOST_MEMBERS = 20_000
_HINT = "save it again with the program that made it"


class Archive:
    """A zip file in memory whose members' declared sizes are within bounds; raises UnreadableDocument.

    `zipfile` never reads more of a member than it declares, so that declared sizes bound what is read.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise UnreadableDocument(f"{name}: damaged or cut off (bad zip: {error})", hint=_HINT) from error
        members = self._zip.infolist()
        total = sum(member.file_size for member in members)
        if total > LARGEST:
            raise UnreadableDocument(
                f"{name}: would unpack to {total >> 20} MiB, over 200 MB", hint="split the file"
            )
        if total > max(_HARMLESS, STEEPEST * len(data)):
            raise UnreadableDocument(f"{name}: packed over {STEEPEST}:1, a zip bomb?", hint="save it again")
        if len(members) > _MOST_MEMBERS:
            raise UnreadableDocument(f"{name}: has {len(members)} members", hint="split the file")
        self.names = frozenset(member.filename for member in members)

    def read(self, path: str) -> bytes:
        """The bytes of a member; raises UnreadableDocument where it is missing, damaged or encrypted."""
        try:
            return self._zip.read(path)
        except KeyError:
            raise UnreadableDocument(f"{self._name}: has no {path}", hint=_HINT) from None
        except RuntimeError as error:  # zipfile's way to say "password required"
            raise UnreadableDocument(f"{self._name}: encrypted", hint="save it without a password") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise UnreadableDocument(f"{self._name}: {path} is damaged ({error})", hint=_HINT) from error


def resolve_member(base: str, target: str) -> str:
    """The member that a relative reference in member `base` points to.

    >>> resolve_member("ppt/slides/slide1.xml", "../notesSlides/n.xml"), resolve_member("a/b.xml", "/c.xml")
    ('ppt/notesSlides/n.xml', 'c.xml')
    """
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), target)).lstrip("/")
