"""Note where the passages that claims name stand in their documents, so that claims outlive any splitter.

    .venv/bin/python models/checker/places.py SETS ASKED

SETS is the folder of documents that models/data/asked fills; ASKED is what models/reader/asked.py wrote when the
claims were written: NAME.jsonl.gz for each set, with "title" and "passage". Adds to places.json.gz, in
models/data/claims, every passage of documentation.jsonl.gz there that ASKED has and that has no place yet.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data" / "claims"
CLAIMS, PLACES = DATA / "documentation.jsonl.gz", DATA / "places.json.gz"
# How much of its file a passage leaves out at once, in characters: markup, or sentences and rows of a long block.
FARTHEST = 1_500
_TOKEN = re.compile(r"\w+|[^\w\s]")
# White space that is not the file's, and the stretch of the file behind it.
Piece = tuple[str, int, int]


def pieces(passage: str, text: str) -> list[Piece] | None:
    """What the passage is made of; None where it does not stand in the file's text.

    >>> pieces("Boil  water .", "# Tea\\n\\nBoil *water*.")
    [('', 7, 11), ('  ', 13, 18), (' ', 19, 20)]
    """
    tokens = list(_TOKEN.finditer(passage))
    firsts = re.finditer(re.escape(tokens[0][0]), text) if tokens else ()
    ways = (_places(tokens, text, each.start()) for each in firsts)
    way = min((each for each in ways if each), key=lambda each: each[-1] - each[0], default=None)
    if way is None:
        return None
    made: list[Piece] = []
    behind, end = 0, -1
    for token, place in zip(tokens, way, strict=True):
        gap = passage[behind : token.start()]
        behind, here = token.end(), place + len(token[0])
        if made and text[end:place] == gap:
            made[-1] = (made[-1][0], made[-1][1], here)
        else:
            made.append((gap, place, here))
        end = here
    return [*made, (passage[behind:], end, end)] if passage[behind:] else made


def _places(tokens: list[re.Match[str]], text: str, first: int) -> list[int] | None:
    """Where each token stands in the text: as far behind the last as in the passage, else as near as can be."""
    found = [first]
    for before, token in pairwise(tokens):
        end = found[-1] + len(before[0])
        place = end + token.start() - before.end()
        if not text.startswith(token[0], place):
            place = text.find(token[0], end, end + FARTHEST)
        if place < 0:
            return None
        found.append(place)
    return found


def of_pieces(made: Iterable[Piece], text: str) -> str:
    """The passage that the pieces make of the text of its file.

    >>> of_pieces([("", 7, 11), ("  ", 13, 18), (" ", 19, 20)], "# Tea\\n\\nBoil *water*.")
    'Boil  water .'
    """
    return "".join(gap + text[start:end] for gap, start, end in made)


def place(passage: str, files: dict[str, str]) -> tuple[str, list[Piece]] | None:
    """The file that holds the passage in the fewest pieces, and these; None where none does."""
    words = set(re.findall(r"\w{4,}", passage))
    found = []
    for name, text in files.items():
        made = pieces(passage, text) if all(word in text for word in words) else None
        if made is not None and of_pieces(made, text) == passage:
            found.append((name, made))
    return min(found, key=lambda each: len(each[1]), default=None)


def texts(folder: Path) -> dict[str, str]:
    """The files of a set by their paths within it, sorted."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): read_text(path) for path in files}


def read_text(path: Path) -> str:
    """A document's text, in whose characters places count."""
    return path.read_text(encoding="utf-8", errors="replace")


def main() -> None:
    """Read, find, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("sets", "asked"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    with gzip.open(CLAIMS, "rt", encoding="utf-8") as lines:
        named = dict.fromkeys(json.loads(line)["passage"] for line in lines)
    known = json.loads(gzip.decompress(PLACES.read_bytes())) if PLACES.exists() else {}
    for path in sorted(given.asked.glob("*.jsonl.gz")):
        name = path.name.removesuffix(".jsonl.gz")
        files: dict[str, str] = {}
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                pid = hashlib.sha256(row["passage"].encode()).hexdigest()[:16]
                if pid in known or pid not in named:
                    continue
                files = files or texts(given.sets / name)
                found = place(row["passage"], files)
                if found is None:
                    print("no place:", name, pid)
                    continue
                file, made = found
                known[pid] = {"set": name, "file": file, "title": row["title"], "pieces": made}
    kept = {pid: known[pid] for pid in named if pid in known}
    written = json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()
    PLACES.write_bytes(gzip.compress(written, mtime=0))
    print(len(kept), "of", len(named), "passages have a place")


if __name__ == "__main__":
    main()
