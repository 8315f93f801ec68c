"""Compound files (OLE2), the containers of old office files and Outlook messages.

After [MS-CFB] version 9.0, sections 2.2 (header), 2.3 (sector chains), 2.6 (directory).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from assay.errors import UnreadableDocument

_END = 0xFFFFFFFA  # the marks from here on end a chain
_STREAM = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One stream: its name, the names of the storages it lies in joined by "/", where it starts, its bytes."""

    path: str
    start: int
    size: int


class CompoundFile:
    """Streams by path; raises UnreadableDocument for what is damaged or loops."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        try:
            self._read()
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise self._damaged() from error

    def _read(self) -> None:
        header = struct.unpack_from("<HH", self._data, 30)
        self._sector, self._small = 1 << min(header[0], 12), 1 << min(header[1], 12)
        directory, self._cutoff, small_table = (
            struct.unpack_from("<I", self._data, place)[0] for place in (48, 56, 60)
        )
        self._table: list[int] = []
        for sector in self._table_sectors():
            self._table.extend(struct.unpack(f"<{self._sector // 4}I", self._sector_bytes(sector)))
        self._small_table = [entry[0] for entry in struct.iter_unpack("<I", self._chain(small_table))]
        self._small_data = b""
        self.entries: dict[str, Entry] = {}
        self._directory(self._chain(directory))

    def _table_sectors(self) -> list[int]:
        """The sectors that hold the table of chains: 109 named in the header, the others in a list of their own."""
        sectors = list(struct.unpack_from("<109I", self._data, 76))
        following, count = struct.unpack_from("<2I", self._data, 68)
        for _ in range(min(count, len(self._data) // self._sector)):
            if following >= _END:
                break
            *more, following = struct.unpack(f"<{self._sector // 4}I", self._sector_bytes(following))
            sectors.extend(more)
        return [sector for sector in sectors if sector < _END]

    def _sector_bytes(self, sector: int) -> bytes:
        start = (sector + 1) * self._sector
        return self._data[start : start + self._sector].ljust(self._sector, b"\0")

    def _chain(self, start: int) -> bytes:
        """The bytes of a chain of sectors."""
        parts = []
        while start < _END:
            parts.append(self._sector_bytes(start))
            start = self._table[start]
            if len(parts) > len(self._table):
                raise self._damaged()
        return b"".join(parts)

    def _small_chain(self, start: int, size: int) -> bytes:
        parts: list[bytes] = []
        while start < _END and len(parts) * self._small < size:
            parts.append(self._small_data[start * self._small : (start + 1) * self._small])
            start = self._small_table[start]
        return b"".join(parts)

    def _directory(self, data: bytes) -> None:
        """Find every stream by walking the directory's tree from its root."""
        records = [data[at : at + 128] for at in range(0, len(data) - 127, 128)]
        _, child, start, size = self._record(records[0])[1:]
        self._small_data = self._chain(start)[:size]
        waiting, seen = [(child, "")], set()
        while waiting:
            number, folder = waiting.pop()
            if number >= len(records) or number in seen:
                continue
            seen.add(number)
            left, right = struct.unpack_from("<2I", records[number], 68)
            waiting.extend(((left, folder), (right, folder)))
            name, kind, child, start, size = self._record(records[number])
            path = f"{folder}/{name}" if folder else name
            if kind == _STREAM:
                self.entries[path] = Entry(path, start, size)
            else:
                waiting.append((child, path))

    @staticmethod
    def _record(record: bytes) -> tuple[str, int, int, int, int]:
        length, kind = struct.unpack_from("<HB", record, 64)
        (child,) = struct.unpack_from("<I", record, 76)
        start, size = struct.unpack_from("<2I", record, 116)
        return record[: max(0, min(length, 64) - 2)].decode("utf-16-le"), kind, child, start, size

    def read(self, path: str) -> bytes:
        """The bytes of a stream; b"" where there is none of that path."""
        entry = self.entries.get(path)
        if entry is None:
            return b""
        try:
            small = entry.size < self._cutoff
            data = self._small_chain(entry.start, entry.size) if small else self._chain(entry.start)
        except IndexError as error:
            raise self._damaged() from error
        return data[: entry.size]

    def _damaged(self) -> UnreadableDocument:
        return UnreadableDocument(f"{self._name}: damaged or cut off", hint="save it again in a newer format")
