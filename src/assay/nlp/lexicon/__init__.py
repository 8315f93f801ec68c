"""The vocabularies: words that rules look for, one file a language.

Schema of `LANGUAGE.toml`: a table groups what one subject reads, a key names a class of words. The value of a class
is a string, words separated by white space, or an array, entries with spaces or in an order that matters. All is
case-folded, nothing stands twice in a class, and the words of a string are sorted. A pair of opposites is one word
with a slash: "accept/reject". tests/unit/nlp/test_lexicon.py checks this, and that every class is used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def word_class(name: str, language: str = "en") -> frozenset[str]:
    """The words of a class, named "table.key"; raises KeyError where the file has none of that name.

    >>> sorted(word_class("pronouns.demonstrative"))
    ['that', 'these', 'this', 'those']
    """
    return frozenset(entries(name, language))


def entries(name: str, language: str = "en") -> tuple[str, ...]:
    """The entries of a class in the order of the file; raises KeyError as `word_class` does.

    >>> entries("time.months")[:2]
    ('january', 'february')
    """
    table, _, key = name.partition(".")
    value = vocabulary(language)[table][key]
    return tuple(value.split() if isinstance(value, str) else value)


def groups(table: str, language: str = "en") -> tuple[frozenset[str], ...]:
    """The classes of a table of which each holds words that say the same."""
    return tuple(frozenset(entries(f"{table}.{key}", language)) for key in vocabulary(language)[table])


@cache
def vocabulary(language: str) -> Mapping[str, Mapping[str, str | list[str]]]:
    """The file of a language as it stands there; read once, on first use."""
    return tomllib.loads((files("assay.nlp.lexicon") / f"{language}.toml").read_text(encoding="utf-8"))
