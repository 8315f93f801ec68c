"""Misspelt words of a collection: how many are restored, and at what cost, beside symspellpy where it is installed.

.venv/bin/python benchmarks/spelling/run.py    # a minute

symspellpy is no dependency: `uv pip install --target FOLDER symspellpy`, then PYTHONPATH=FOLDER.
"""

from __future__ import annotations

import gzip
import json
import random
import string
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.nlp.spelling import by_length, is_english, most_edits, near_terms, nearest_word
from assay.nlp.tokens import STOP_WORDS, fold, stem, written_words
from report import data_folder, write_result

STEP, WORDS, LEAST = 33, 1_000, 5
Forms = dict[str, Counter[str]]


def collection() -> tuple[int, Counter[str], Forms]:
    """Passages of `scale`: how many, in how many each term stands, and the words of each term."""
    counts: Counter[str] = Counter()
    forms: Forms = defaultdict(Counter)
    passages = 0
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, STEP):
            passages += 1
            held = {fold(word) for word in written_words(json.loads(line)["text"])} - STOP_WORDS
            words = {word for word in held if word.isalpha()}
            counts.update({stem(word) for word in words})
            for word in words:
                forms[stem(word)][word] += 1
    return passages, counts, forms


def misspelt(word: str, drawn: random.Random) -> str:
    """The word with one slip behind its first letter: a letter left out, added, changed, or two exchanged."""
    at, kind, letter = drawn.randrange(1, len(word)), drawn.randrange(4), drawn.choice(string.ascii_lowercase)
    if kind == 3:
        return f"{word[: at - 1]}{word[at]}{word[at - 1]}{word[at + 1 :]}"
    return f"{word[:at]}{('', letter, letter)[kind]}{word[at + (kind != 1) :]}"


def measured(restore: Callable[[str], str | None], pairs: list[tuple[str, str]]) -> dict[str, float]:
    """The share restored to the same stem, taken for another word, and left; CPU milliseconds a word."""
    begun = time.process_time()
    found = [(word, restore(slip)) for word, slip in pairs]
    spent = (time.process_time() - begun) * 1000 / len(pairs)
    right = sum(near is not None and stem(near) == stem(word) for word, near in found)
    left = sum(near is None for _, near in found)
    return {
        "restored": round(right / len(pairs), 4),
        "another word": round((len(pairs) - right - left) / len(pairs), 4),
        "left": round(left / len(pairs), 4),
        "cpu ms each": round(spent, 2),
    }


def symspell(forms: Forms) -> Callable[[str], str | None]:
    """symspellpy over every word of the collection."""
    from symspellpy import SymSpell, Verbosity

    known = SymSpell(max_dictionary_edit_distance=2, prefix_length=7)
    for words in forms.values():
        for word, count in words.items():
            known.create_dictionary_entry(word, count)

    def restore(slip: str) -> str | None:
        found = known.lookup(slip, Verbosity.TOP, max_edit_distance=2)
        return found[0].term if found and found[0].distance <= most_edits(slip, is_name=False) else None

    return restore


def main() -> None:
    """Measure and write."""
    passages, counts, forms = collection()
    drawn = random.Random(3)
    known = sorted(w for words in forms.values() for w, n in words.items() if n > 1 and len(w) >= LEAST)
    drawn.shuffle(known)
    slips = ((word, misspelt(word, drawn)) for word in known if word.isascii())
    unknown = ((w, slip) for w, slip in slips if stem(slip) not in counts and not is_english(slip))
    pairs = list(islice(unknown, WORDS))
    begun = time.process_time()
    lengths = by_length(counts)
    prepared = {"by terms, with rapidfuzz": round(time.process_time() - begun, 2)}

    def restore(slip: str) -> str | None:
        near = (word for term in near_terms(slip, lengths, counts) for word in forms[term])
        return nearest_word(slip, near, most_edits(slip, is_name=False))

    results: dict[str, Any] = {"by terms, with rapidfuzz": measured(restore, pairs)}
    if find_spec("symspellpy"):
        begun = time.process_time()
        by_deletions = symspell(forms)
        prepared["symspellpy"] = round(time.process_time() - begun, 2)
        results["symspellpy"] = measured(by_deletions, pairs)
    numbers = {"passages": passages, "terms": len(counts), "misspelt words": len(pairs)}
    write_result("spelling", "words", {**numbers, "cpu s to prepare": prepared, "found": results})


if __name__ == "__main__":
    main()
