"""Make src/assay/nlp/lexicon.json from WordNet 3.0: a word's part of speech, and what it is to another.

WordNet is read from the folder where Debian's package wordnet-base puts it. Keys are English stems; of the lemmas
that share a stem the two most frequent are merged. Run: .venv/bin/python benchmarks/check/lexicon.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from assay.nlp.tokens import stem

OUT = Path(__file__).parents[2] / "src" / "assay" / "nlp" / "lexicon.json"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSES = 4
HEAD = 3


def synsets(folder: Path) -> tuple[dict[str, list[str]], dict[str, list[str]], dict[tuple[str, str], set[str]]]:
    """Each synset's lemmas, its direct hypernyms (or similar adjectives), and each word's antonyms."""
    members, above, against = {}, {}, defaultdict(set)
    rows = []
    for part, name in PARTS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            words = [fields[4 + 2 * n].split("(")[0].lower() for n in range(count)]
            pointers = fields[5 + 2 * count :]
            key = part + fields[0]
            members[key] = words
            above[key] = []
            for n in range(int(fields[4 + 2 * count])):
                symbol, offset, kind, where = pointers[4 * n : 4 * n + 4]
                target = ("a" if kind == "s" else kind) + offset
                if symbol in ("@", "&"):
                    above[key].append(target)
                elif symbol == "!":
                    rows.append((key, where, target))
    for key, where, target in rows:
        mine, theirs = members[key][int(where[:2], 16) - 1], members[target][int(where[2:], 16) - 1]
        against[mine, key[0]].add(theirs)
    return members, above, against


def frequencies(folder: Path) -> Counter[tuple[str, str]]:
    """How often each lemma was tagged as each part of speech in WordNet's corpora."""
    counts: Counter[tuple[str, str]] = Counter()
    kinds = {1: "n", 2: "v", 3: "a", 4: "r", 5: "a"}
    for line in (folder / "cntlist.rev").read_text().splitlines():
        key, _, count = line.split()
        lemma, _, rest = key.partition("%")
        counts[lemma, kinds[int(rest[0])]] += int(count)
    return counts


def senses(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Each single-word lemma's first synsets by part of speech."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for part, name in PARTS.items():
        for line in (folder / f"index.{name}").read_text().splitlines():
            fields = line.split()
            if line.startswith(" ") or not fields[0].isalpha() or len(fields[0]) > 18:
                continue
            found[fields[0]][part] = [part + offset for offset in fields[-int(fields[2]) :][:SENSES]]
    return found


def irregular(folder: Path) -> dict[str, str]:
    """Irregular forms, such as "bought" for "buy"."""
    forms = {}
    for name in PARTS.values():
        for line in (folder / f"{name}.exc").read_text().splitlines():
            form, lemma = line.split()[:2]
            forms.setdefault(form, lemma)
    return forms


def lexicon(folder: Path) -> dict[str, Any]:
    """Rows by stem: [counts of n, v, a, r], synset numbers, the numbers above them, opposite stems."""
    members, above, against = synsets(folder)
    counts, meanings = frequencies(folder), senses(folder)
    common = {lemma for lemma in meanings if any(counts[lemma, part] for part in PARTS)}
    by_stem: dict[str, list[str]] = defaultdict(list)
    for lemma in sorted(common, key=lambda each: -sum(counts[each, part] for part in PARTS)):
        by_stem[stem(lemma)].append(lemma)
    for form, lemma in irregular(folder).items():
        if lemma in common and form.isalpha() and stem(form) not in by_stem:
            by_stem[stem(form)] = [lemma]
    number: dict[str, int] = {}
    rows = {}
    for key, lemmas in sorted(by_stem.items()):
        kept = lemmas[:2]
        mine = [s for lemma in kept for part in PARTS for s in meanings[lemma].get(part, [])]
        mine = list(dict.fromkeys(mine))
        over = list(dict.fromkeys(t for s in mine for t in above[s]))
        opposite = {stem(w) for lemma in kept for part in PARTS for w in against.get((lemma, part), ())}
        for near in (t for s in mine if s[0] == "a" for t in above[s]):
            for lemma in members[near]:
                opposite |= {stem(w) for w in against.get((lemma, "a"), ())}
        tags = [sum(counts[lemma, part] for lemma in kept) for part in PARTS]
        ids = [[number.setdefault(s, len(number)) for s in group] for group in (mine, over)]
        rows[key] = [tags, *ids, sorted(opposite - {key})]
    return {"source": "WordNet 3.0, Copyright 2006 Princeton University", "parts": list(PARTS), "words": rows}


def by_line(made: dict[str, Any]) -> str:
    """The lexicon as JSON with one stem a line, so that it need not be parsed whole."""
    head = compact({key: value for key, value in made.items() if key != "words"}).removesuffix("}")
    rows = ",\n".join(f"{compact(key)}:{compact(value)}" for key, value in made["words"].items())
    return f'{head},"words":{{\n{rows}\n}}}}\n'


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there: apt-get install wordnet-base, or name WordNet's dict folder")
    made = lexicon(folder)
    OUT.write_text(by_line(made))
    print(len(made["words"]), "stems,", OUT.stat().st_size, "bytes")
