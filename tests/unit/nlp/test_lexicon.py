"""The files of vocabularies keep their schema."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

import assay
from assay.nlp.lexicon import entries, groups, vocabulary, word_class

LANGUAGES = sorted(
    path.name.removesuffix(".toml") for path in files("assay.nlp.lexicon").iterdir() if path.name.endswith(".toml")
)
CLASSES = [
    (language, table, key) for language in LANGUAGES for table, keys in vocabulary(language).items() for key in keys
]
# Tables of which all classes are read together.
GROUPED = {"same_question", "synonyms"}


def test_there_are_an_english_and_a_german_file() -> None:
    assert LANGUAGES == ["de", "en"]


@pytest.mark.parametrize(("language", "table", "key"), CLASSES)
def test_a_class_is_case_folded_without_duplicates_and_sorted(language: str, table: str, key: str) -> None:
    value, found = vocabulary(language)[table][key], entries(f"{table}.{key}", language)
    assert found
    assert all(entry == entry.casefold() == " ".join(entry.split()) for entry in found)
    assert len(set(found)) == len(found)
    if isinstance(value, str):
        assert list(found) == sorted(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_and_keys_are_sorted(language: str) -> None:
    found = vocabulary(language)
    assert list(found) == sorted(found)
    assert all(list(keys) == sorted(keys) for keys in found.values())


def test_every_class_is_used_and_every_class_that_is_used_exists() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in Path(assay.__file__).parent.rglob("*.py"))
    named = re.findall(r'(?:word_class|entries|_listed)\(\s*"([a-z_]+\.[a-z_]+)"(?:, "([a-z]{2})")?\s*\)', source)
    used = {(language or "en", *name.split(".")) for name, language in named}
    assert used == {each for each in CLASSES if each[1] not in GROUPED}


def test_an_unknown_class_is_an_error() -> None:
    with pytest.raises(KeyError):
        word_class("pronouns.none")


def test_groups_are_the_classes_of_a_table() -> None:
    assert frozenset({"birth", "birthday", "born"}) in groups("synonyms")
