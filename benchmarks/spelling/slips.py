"""How often each kind of slip is made: the costs in src/assay/nlp/spelling.py, printed.

codespell's list of misspellings is no dependency: `uv pip install --target FOLDER codespell`, then
PYTHONPATH=FOLDER. It is CC BY-SA, so nothing of it is kept here but these figures. Words whose first byte of MD5 is
odd are counted, the others are left for benchmarks/spelling/run.py.

    .venv/bin/python benchmarks/spelling/slips.py
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from importlib.resources import files
from itertools import pairwise

from assay.nlp.spelling import _VOWELS, _keys_beside, is_english, is_in_dictionary

LETTERS = 26


def misspellings() -> list[tuple[str, str]]:
    """Pairs of a misspelling of four letters or more, which is no word, and the one word that it is meant for."""
    lines = (files("codespell_lib") / "data" / "dictionary.txt").read_text("utf-8").splitlines()
    pairs = [(typed, meant) for typed, _, meant in (line.partition("->") for line in lines)]
    plain = ((typed, meant) for typed, meant in pairs if typed.isascii() and typed.isalpha() and meant.isalpha())
    return [
        (t, m)
        for t, m in plain
        if len(t) > 3 and is_in_dictionary(m) and not is_english(t) and not is_in_dictionary(t)
    ]


def is_counted(meant: str) -> bool:
    """True for the half of the words that the costs are made of."""
    return hashlib.md5(meant.encode(), usedforsecurity=False).digest()[0] % 2 == 1


def slip(typed: str, meant: str) -> str | None:
    """The kind of the one slip that makes the first word of the second; None for several."""
    at = next(
        (n for n, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), min(len(typed), len(meant))
    )
    first = ", first letter" if at == 0 else ""
    if typed[at + 1 :] == meant[at + 1 :] and len(typed) == len(meant):
        one, other = meant[at], typed[at]
        vowels = one in _VOWELS and other in _VOWELS
        return ("other vowel" if vowels else "other beside" if other in _keys_beside()[one] else "other") + first
    if typed[at + 2 :] == meant[at + 2 :] and typed[at : at + 2] == meant[at : at + 2][::-1]:
        return "swapped" + first
    if typed[at:] == meant[at + 1 :]:
        return "left out of two" if at and meant[at - 1] == meant[at] else "left out" + first
    if typed[at + 1 :] == meant[at:]:
        return "added twice" if at and typed[at] == typed[at - 1] else "added" + first
    return None


def ways(meant: str) -> Counter[str]:
    """In how many ways each kind of slip can be made in a word."""
    doubles = sum(a == b for a, b in pairwise(meant))
    found = Counter(
        {"left out of two": doubles, "left out": len(meant) - 1 - 2 * doubles, "left out, first letter": 1}
    )
    found += Counter({"swapped": len(meant) - 2, "swapped, first letter": 1, "added twice": len(meant)})
    found += Counter({"added, first letter": LETTERS, "added": (LETTERS - 1) * len(meant)})
    for at, letter in enumerate(meant):
        keys = len(_keys_beside()[letter])
        first = "" if at else ", first letter"
        vowels = len(_VOWELS) - 1 if letter in _VOWELS else 0
        found["other vowel" + first] += vowels
        found["other beside" + first] += keys
        found["other" + first] += LETTERS - 1 - vowels - keys
    return found


def main() -> None:
    """Count and print."""
    counted = [(typed, meant) for typed, meant in misspellings() if is_counted(meant)]
    made = Counter(slip(typed, meant) for typed, meant in counted)
    possible: Counter[str] = Counter()
    for _, meant in counted:
        possible += ways(meant)
    print(f"{len(counted)} misspelt words, {made.pop(None, 0)} of them by several slips")
    for kind, number in made.most_common():
        print(
            f"{kind:26} {number:6} cost {-math.log(number / possible[kind]):.1f}"
            if kind and possible[kind]
            else kind
        )


if __name__ == "__main__":
    main()
