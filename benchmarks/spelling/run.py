"""Misspelt words: how many are restored, how many others are replaced, and at what cost.

.venv/bin/python benchmarks/spelling/run.py    # a minute

codespell and symspellpy are no dependencies; both are used where they are installed:
`uv pip install --target FOLDER codespell symspellpy`, then PYTHONPATH=FOLDER.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import string
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from slips import is_counted, misspellings

from assay.nlp.spelling import (
    by_length,
    edits,
    english_near,
    is_english,
    is_in_dictionary,
    likeliest_word,
    most_edits,
    near_terms,
)
from assay.nlp.tokens import STOP_WORDS, fold, stem, written_words
from report import data_folder, write_result

STEP, WORDS, LEAST = 33, 1_000, 5
# The passages of a small collection, and how often the others hold what is taken for a word nobody misspelt.
SMALL, OFTEN = 400, 3
Restore = Callable[[str], str | None]
Pairs = list[tuple[str, str]]
Forms = dict[str, Counter[str]]


def words_of_passages() -> list[set[str]]:
    """The words of each passage of `scale` that is read."""
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = (json.loads(line)["text"] for line in islice(lines, 0, None, STEP))
        held = ({fold(word) for word in written_words(text)} - STOP_WORDS for text in texts)
        return [{word for word in words if word.isalpha()} for words in held]


def collection(passages: list[set[str]]) -> tuple[Counter[str], Forms]:
    """In how many passages each term stands, and the words of each term."""
    counts: Counter[str] = Counter()
    forms: Forms = defaultdict(Counter)
    for words in passages:
        counts.update({stem(word) for word in words})
        for word in words:
            forms[stem(word)][word] += 1
    return counts, forms


def speller(counts: Counter[str], forms: Forms) -> Restore:
    """What assay takes a word for, without an index."""
    lengths = by_length(counts)

    def restore(slip: str) -> str | None:
        if stem(slip) in counts or is_english(slip) or is_in_dictionary(slip):
            return None
        most = most_edits(slip, is_name=False)
        english = english_near(slip, most)
        unlisted = set(near_terms(slip, lengths, counts)) - set(map(stem, english))
        held = [word for term in unlisted for word in forms[term] if edits(slip, word) <= most]
        return likeliest_word(slip, english + held, counts)

    return restore


def misspelt(word: str, drawn: random.Random) -> str:
    """The word with one slip behind its first letter: a letter left out, added, changed, or two exchanged."""
    at, kind, letter = drawn.randrange(1, len(word)), drawn.randrange(4), drawn.choice(string.ascii_lowercase)
    if kind == 3:
        return f"{word[: at - 1]}{word[at]}{word[at - 1]}{word[at + 1 :]}"
    return f"{word[:at]}{('', letter, letter)[kind]}{word[at + (kind != 1) :]}"


def measured(restore: Restore, pairs: Pairs) -> dict[str, float]:
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


def symspell(forms: Forms) -> Restore:
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


def costs_of_words(passages: list[set[str]]) -> list[float]:
    """The cost of a word of each line of the dictionary: how rarely passages hold it."""
    lines = [line.split(" ") for line in (files("assay.nlp") / "words.txt").read_text("ascii").splitlines()]
    times = Counter(word for words in passages for word in words)
    held = [sum(times[word] for word in line) for line in lines]
    return [round(-math.log(n / sum(held) / len(line)), 1) for n, line in zip(held, lines, strict=True)]


def made(counts: Counter[str], forms: Forms) -> Pairs:
    """Words of a collection with a slip made at random that makes no word."""
    drawn = random.Random(3)
    known = sorted(w for words in forms.values() for w, n in words.items() if n > 1 and len(w) >= LEAST)
    drawn.shuffle(known)
    slips = ((misspelt(word, drawn), word) for word in known if word.isascii())
    unknown = ((s, w) for s, w in slips if stem(s) not in counts and not is_english(s) and not is_in_dictionary(s))
    return [(word, slip) for slip, word in islice(unknown, WORDS)]


def found_elsewhere(passages: list[set[str]]) -> dict[str, Pairs]:
    """What is not to be replaced in a small collection, and real misspellings, as far as it lacks them."""
    counts, _ = collection(passages[:SMALL])
    others = Counter(word for words in passages[SMALL:] for word in words if word.isascii() and len(word) >= LEAST)
    lacking = [word for word, times in others.items() if times >= OFTEN and stem(word) not in counts]
    drawn = random.Random(3)
    drawn.shuffle(lacking)
    sets = {
        "words of English that the collection lacks": [(w, w) for w in lacking if is_in_dictionary(w)],
        "other words that it lacks": [(w, w) for w in lacking if not is_in_dictionary(w) and not is_english(w)],
    }
    if find_spec("codespell_lib"):
        real = [
            (meant, typed) for typed, meant in misspellings() if not is_counted(meant) and stem(typed) not in counts
        ]
        drawn.shuffle(real)
        common = [(meant, typed) for meant, typed in real if meant in others or stem(meant) in counts]
        sets["real misspellings of words it has"] = [pair for pair in common if stem(pair[0]) in counts]
        sets["real misspellings of words it lacks"] = [pair for pair in common if stem(pair[0]) not in counts]
    return {name: pairs[:WORDS] for name, pairs in sets.items()}


def main() -> None:
    """Measure and write."""
    passages = words_of_passages()
    counts, forms = collection(passages)
    pairs = made(counts, forms)
    results: dict[str, Any] = {"assay": measured(speller(counts, forms), pairs)}
    if find_spec("symspellpy"):
        results["symspellpy"] = measured(symspell(forms), pairs)
    small = speller(*collection(passages[:SMALL]))
    elsewhere = {name: measured(small, pairs) for name, pairs in found_elsewhere(passages).items()}
    numbers = {"passages": len(passages), "terms": len(counts), "misspelt words": len(pairs)}
    numbers |= {"cost of a word by line": costs_of_words(passages)}
    write_result("spelling", "words", {**numbers, "found": results, f"in {SMALL} passages": elsewhere})


if __name__ == "__main__":
    main()
