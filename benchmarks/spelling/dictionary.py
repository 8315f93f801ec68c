"""Make src/assay/nlp/words.txt from SCOWL: the words of English, a line for those of each size, commonest first.

SCOWL is read from the folder where Debian's package scowl puts it (2020.12.07). Sizes up to 60 are what it advises
for spell checkers; those from 35 on are one line, since a word of each is about as rare as one of the others.

    .venv/bin/python benchmarks/spelling/dictionary.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

OUT = Path(__file__).parents[2] / "src" / "assay" / "nlp" / "words.txt"
SIZES = ((10,), (20,), (35, 40, 50, 55, 60))
SPELLINGS = ("english", "american", "british", "british_z")
# Names of days, months and peoples; the lists of larger sizes hold names of persons.
MOST_UPPER = 50


def words(folder: Path, size: int) -> set[str]:
    """The words of one size in lower case."""
    kinds = ("words", "upper") if size <= MOST_UPPER else ("words",)
    files = [folder / f"{spelling}-{kind}.{size}" for spelling in SPELLINGS for kind in kinds]
    listed = {word.lower() for file in files if file.exists() for word in file.read_text("latin-1").split()}
    return {word for word in listed if len(word) > 1 and word.isascii() and word.isalpha()}


def main() -> None:
    """Read and write."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/dict/scowl")
    held: set[str] = set()
    lines = []
    for sizes in SIZES:
        found = set().union(*(words(folder, size) for size in sizes)) - held
        held |= found
        lines.append(" ".join(sorted(found)) + "\n")
    OUT.write_text("".join(lines), encoding="ascii")
    print(f"{OUT}: {len(held)} words, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
