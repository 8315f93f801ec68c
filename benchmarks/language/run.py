"""The guess of a short question's language: the shipped one, its parts alone, and lingua where it is installed.

.venv/bin/python benchmarks/language/run.py    # half a minute

lingua is no dependency: `uv pip install --target FOLDER lingua-language-detector`, then PYTHONPATH=FOLDER.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from assay.nlp import language
from assay.nlp.language import language_of
from assay.nlp.tokens import STOP_WORDS, words, written_words
from report import data_folder, write_result

HERE = Path(__file__).parent
OF_EACH = 1_000
LATIN = ("en", "de", "fr", "es", "it", "pt", "nl")
Guess = Callable[[str], str]
Rows = list[tuple[str, str]]


def sets() -> dict[str, Rows]:
    """Questions with their language: English as asked and as keywords, Chinese, and a few of seven languages."""
    drawn = random.Random(1)
    english: list[str] = []
    for name in ("reader/squad2_dev", "written/questions"):
        with gzip.open(data_folder() / "train" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            asked = sorted({json.loads(line)["question"] for line in lines})
        drawn.shuffle(asked)
        english += asked[:OF_EACH]
    with (data_folder() / "dev" / "rgb-zh" / "evidence.jsonl").open(encoding="utf-8") as lines:
        chinese = [json.loads(line)["query"] for line in lines]
    by_hand = [tuple(line.split("\t")) for line in (HERE / "questions.tsv").read_text("utf-8").splitlines()]
    return {
        "English": [("en", each) for each in english],
        "English keywords": [("en", keywords(each)) for each in english],
        "Chinese": [("zh", each) for each in chinese],
        "seven languages": [(code, text) for code, text in by_hand if code != "en"],
        "short English": [(code, text) for code, text in by_hand if code == "en"],
    }


def keywords(question: str) -> str:
    """A question as it is typed into a search box.

    >>> keywords("Who founded the city of Rome?")
    'founded city rome'
    """
    return " ".join(word for word in written_words(question.lower()) if word not in STOP_WORDS)


def by_words(text: str) -> str:
    """What was shipped before: the language of most common words, one word enough."""
    if (code := by_script(text)) is not None:
        return code
    counts = {code: sum(word in common for word in words(text)) for code, common in language._COMMON.items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > counts["en"] else "en"


def by_script(text: str) -> str | None:
    """The language that a script settles."""
    letters = sum(map(str.isalpha, text))
    return next((code for code, script in language._SCRIPTS if len(script.findall(text)) > 0.2 * letters), None)


def by_letters(sure: float, text: str) -> str:
    """py3langid for the languages in Latin letters, without a look at the words first."""
    code, probability = language._identifier().classify(text)
    return by_script(text) or (code if probability >= sure else "en")


def lingua_guess(sure: float, *, small: bool) -> Guess:
    """lingua for the same languages."""
    from lingua import IsoCode639_1, Language, LanguageDetectorBuilder

    known = [Language.from_iso_code_639_1(getattr(IsoCode639_1, code.upper())) for code in LATIN]
    builder = LanguageDetectorBuilder.from_languages(*known)
    detector = (builder.with_low_accuracy_mode() if small else builder).build()

    def guess(text: str) -> str:
        values = detector.compute_language_confidence_values(text)
        first = values[0] if values and values[0].value >= sure else None
        return by_script(text) or ("en" if first is None else first.language.iso_code_639_1.name.lower())

    return guess


def measured(guess: Guess, rows: dict[str, Rows]) -> dict[str, Any]:
    """The share of each set that is guessed right, and CPU milliseconds a question once all is loaded."""
    guess("Wo ist das Dorf?")
    begun = time.process_time()
    right = {name: round(sum(guess(text) == code for code, text in of) / len(of), 4) for name, of in rows.items()}
    spent = (time.process_time() - begun) * 1000 / sum(map(len, rows.values()))
    return {**right, "cpu ms each": round(spent, 3)}


def loading() -> dict[str, float]:
    """What the first question that needs the model of letters costs: CPU seconds, and MiB that stay."""
    import numpy as np  # the engine has loaded it long before

    before, begun = resident(), time.process_time()
    np.zeros(1)
    language._identifier()
    return {"cpu s": round(time.process_time() - begun, 2), "MiB": round(resident() - before, 1)}


def resident() -> float:
    """MiB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4 / 1024


def main() -> None:
    """Measure and write."""
    rows, load = sets(), loading()
    guesses: dict[str, Guess] = {"shipped": language_of, "words alone, as before": by_words}
    guesses |= {f"py3langid alone, from {sure}": partial(by_letters, sure) for sure in (0.0, 0.5, 0.7, 0.9)}
    if find_spec("lingua"):
        guesses |= {f"lingua, from {sure}": lingua_guess(sure, small=False) for sure in (0.0, 0.5, 0.7)}
        guesses |= {f"lingua (small), from {sure}": lingua_guess(sure, small=True) for sure in (0.0, 0.7)}
    counts = {name: len(of) for name, of in rows.items()}
    write_result(
        "language",
        "questions",
        {
            "questions": counts,
            "loading py3langid": load,
            "right": {name: measured(guess, rows) for name, guess in guesses.items()},
        },
    )


if __name__ == "__main__":
    main()
