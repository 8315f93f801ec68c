"""Facts in tables: a cell, asked for by its column and the first cell of its row. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.evals.make.fact import Fact, Kind
from assay.evals.make.statements import plain
from assay.evals.make.wording import Wording
from assay.nlp.blocks import Block, BlockKind, blocks, without_markup
from assay.nlp.lexicon import word_class
from assay.nlp.tokens import STOP_WORDS, fold, stem
from assay.nlp.wordnet import lexicon
from assay.types import Document, Span

_PREPOSITIONS = word_class("statements.prepositions")
_PRONOUNS = word_class("pronouns.personal") | word_class("pronouns.demonstrative")
_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"\A[\s|:+]*+-[\s|:+-]*+\Z")
_COLUMN = re.compile(r"[^\W\d_][\w'’/-]*(?:\s[^\W\d_][\w'’/-]*){0,3}")
_BRACKETED = re.compile(r"\s?\([^()]*+\)\Z")
# What only names and codes have.
_MARKED = re.compile(r"[A-Z]\S|[\d_./@-]")
_WORDS = re.compile(r"[^\W\d_]{2}")
# Chosen: how much more often a column's last word may be a verb than a noun.
_AS_OFTEN = 10
_FOOTNOTE = " *†‡"
# Chosen: longer first cells name nothing, and longer cells are texts of their own.
_LONGEST_KEY, _LONGEST_CELL = 6, 12


def facts_in_tables(document: Document) -> Iterator[Fact]:
    """The cells of a document's tables whose columns and rows have names."""
    prose = without_markup(document.text, document.format)
    for block in blocks(document.text, document.format):
        if block.kind is BlockKind.TABLE and block.header is not None:
            yield from _cells_of(document, prose, block, block.header)


def _cells_of(document: Document, prose: str, block: Block, header: Span) -> Iterator[Fact]:
    text = document.text
    line = _LINE.search(text, header.start, header.end)
    columns = [_words(prose, cell) for cell in _split(text, Span(line.start(), line.end()))] if line else []
    if not columns or not column_name(columns[0]):
        return  # a record, such as the box of an encyclopaedia, or a matrix
    rows = [_split(text, row) for row in block.items if not _RULE.match(text[row.start : row.end])]
    rows = [row for row in rows if len(row) == len(columns)]
    keys = Counter(fold(_words(prose, row[0])) for row in rows)
    for row in rows:
        key = _words(prose, row[0])
        if keys[fold(key)] > 1 or not _names_row(key):
            continue
        for column, cell in zip(columns[1:], row[1:], strict=True):
            said, name = _words(prose, cell).rstrip(_FOOTNOTE), column_name(column)
            if name and _tells(said):
                wording = _under(
                    Wording("What", "are" if _is_plural(name) else "is", f"the {name} of", key), block, document
                )
                quote = Span(row[0].start, row[-1].end)
                if wording is not None:
                    yield Fact(Kind.CELL, document.document_id, quote, cell, said, wording)


def column_name(column: str) -> str:
    """The name of a column as it stands in "what is the … of": its unit left out; empty where it is no noun.

    >>> [column_name(name) for name in ("Price (EUR)", "what it does", "Find passages", "Required", "3")]
    ['price', '', '', '', '']
    """
    name = _BRACKETED.sub("", column)
    if _COLUMN.fullmatch(name) is None:
        return ""
    words = [fold(word) for word in name.split()]
    if any(word in STOP_WORDS or word in _PREPOSITIONS for word in words) or words[-1].endswith(("ed", "ing")):
        return ""
    if any(
        word[0].isupper() and not word.isupper() and stem(fold(word)) not in lexicon() for word in name.split()[1:]
    ):
        return ""  # a name
    nouns, verbs, adjectives, _ = _uses(words[-1])
    most = nouns if words[-1].endswith("s") else _AS_OFTEN * nouns  # "meets" tells when, and is no noun
    orders = _uses(words[0])[1] >= _AS_OFTEN * max(_uses(words[0])[0], 1)
    if nouns == 0 or verbs > most or adjectives > 2 * nouns or orders:
        return ""
    return " ".join(word if word.isupper() else word[0].lower() + word[1:] for word in name.split())


def _uses(word: str) -> tuple[int, ...]:
    """Counts of a word as noun, verb, adjective and adverb; one that no dictionary has is a noun."""
    entry = lexicon().get(stem(word))
    return entry.counts if entry is not None else (1, 0, 0, 0)


def _split(text: str, row: Span) -> list[Span]:
    """The cells of a row, without blanks; outer bars part nothing."""
    said = text[row.start : row.end]
    bars = [at for at, sign in enumerate(said) if sign == "|" and said[at - 1 : at] != "\\"]
    edges = [-1, *bars, len(said)]
    cells = []
    for left, right in pairwise(edges):
        cell = said[left + 1 : right]
        start = row.start + left + 1 + len(cell) - len(cell.lstrip())
        cells.append(Span(start, start + len(cell.strip())))
    stripped = said.strip()
    if stripped.startswith("|"):
        cells = cells[1:]
    return cells[:-1] if stripped.endswith("|") and len(cells) > 1 else cells


def _words(prose: str, cell: Span) -> str:
    return plain(prose[cell.start : cell.end])


def _names_row(key: str) -> bool:
    words = key.split()
    if not 1 <= len(words) <= _LONGEST_KEY or not _WORDS.search(key) or key.endswith((":", "?", ".")):
        return False
    small = [fold(word) for word in words]
    if (
        small[0] in STOP_WORDS - {"the", "a", "an"}
        or small[:2] == ["the", "same"]
        or len(set(small) & STOP_WORDS) > 1
    ):
        return False
    if any(word in _PRONOUNS for word in small) or any(sign in key for sign in ",;():"):
        return False
    return _MARKED.search(key) is not None or all(_is_noun(word) for word in small if word not in STOP_WORDS)


def _is_noun(word: str) -> bool:
    entry = lexicon().get(stem(word))
    return not word.endswith(("ed", "ing")) and (entry is None or entry.counts[0] > 0)


def _tells(said: str) -> bool:
    return 1 <= len(said.split()) <= _LONGEST_CELL and any(character.isalnum() for character in said)


def _is_plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith(("ss", "us", "is"))


def _under(wording: Wording, block: Block, document: Document) -> Wording | None:
    titles: Sequence[str] = (*block.path, document.title)
    return wording.under(titles[-2] if len(titles) > 1 and block.path else document.title)
