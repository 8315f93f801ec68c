"""A kept verdict is found for the same claim on the same text only; any edit of what it rests on misses."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.records.validations import Basis, Validation, ValidationCache, holds
from assay.types import Passage, SourceSpan, Verdict

TEXT = "The bridge was opened on 3 May 1932."
QUOTE = SourceSpan("p1", 4, 10, "bridge")
SUPPORTED = Validation(Verdict.SUPPORTED, (QUOTE,), "the source says so")


def passage(text: str = TEXT, passage_id: str = "p1", start: int = 0, title: str = "") -> Passage:
    return Passage(passage_id, "d", "r", start, start + len(text), text, title)


def basis(claim: str = "It was opened in 1932.", *passages: Passage) -> Basis:
    return Basis(claim, passages or (passage(), passage("It is of steel.", "p2")), "rules 1", "verifier 1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "validations.sqlite"


@pytest.fixture
def cache(path: Path) -> ValidationCache:
    return ValidationCache(path)


def test_what_was_kept_is_found_again_by_another_process_too(cache: ValidationCache, path: Path) -> None:
    assert cache.get(basis()) is None
    cache.put(basis(), SUPPORTED)
    assert cache.get(basis()) == SUPPORTED
    cache.close()
    assert ValidationCache(path).get(basis()) == SUPPORTED
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_order_of_the_passages_does_not_matter(cache: ValidationCache) -> None:
    cache.put(basis(), SUPPORTED)
    assert cache.get(replace(basis(), passages=basis().passages[::-1])) == SUPPORTED


OTHER = (
    replace(basis(), claim="It was opened in 1933."),
    replace(basis(), claim=basis().claim + " "),
    replace(basis(), rules="rules 2"),
    replace(basis(), verifier="verifier 2"),
    replace(basis(), passages=basis().passages[:1]),
    replace(basis(), passages=(*basis().passages, passage("More.", "p3"))),
    replace(basis(), passages=(passage(start=1), basis().passages[1])),
    replace(basis(), passages=(passage(passage_id="p9"), basis().passages[1])),
    replace(basis(), passages=(passage(title="Bridges"), basis().passages[1])),
    replace(basis(), claim="rules 1", rules=basis().claim),
    replace(basis(), beside=("The tunnel is long.", basis().claim)),
)


@pytest.mark.parametrize("other", OTHER, ids=range(len(OTHER)))
def test_another_basis_misses(cache: ValidationCache, other: Basis) -> None:
    cache.put(basis(), SUPPORTED)
    assert cache.get(other) is None


TEXTS = st.text(min_size=1, max_size=40)


@given(TEXTS, st.lists(TEXTS, max_size=2), st.data())
def test_any_edit_of_any_passage_misses(first: str, others: list[str], data: st.DataObject) -> None:
    texts = [first, *others]
    at = data.draw(st.integers(0, len(texts) - 1))
    edited = [*texts[:at], data.draw(TEXTS.filter(lambda new: new != texts[at])), *texts[at + 1 :]]
    kept = Validation(Verdict.SUPPORTED, (SourceSpan("p0", 0, len(first), first),))
    with tempfile.TemporaryDirectory() as folder:
        cache = ValidationCache(Path(folder) / "validations.sqlite")
        cache.put(_over(texts), kept)
        assert cache.get(_over(texts)) == kept
        assert cache.get(_over(edited)) is None
        cache.close()


def _over(texts: list[str]) -> Basis:
    return basis("c", *(passage(text, f"p{n}") for n, text in enumerate(texts)))


def test_a_stored_quote_that_does_not_stand_in_the_passages_is_not_used(cache: ValidationCache, path: Path) -> None:
    cache.put(basis(), SUPPORTED)
    forged = replace(SUPPORTED, spans=(replace(QUOTE, quote="tunnel"),))
    with sqlite3.connect(path) as file:
        file.execute("UPDATE validations SET body = ?", (json.dumps(forged.to_dict()),))
    assert cache.get(basis()) is None


@pytest.mark.parametrize(
    ("validation", "kept"),
    [
        (SUPPORTED, True),
        (replace(SUPPORTED, verdict=Verdict.CONTRADICTED), True),
        (Validation(Verdict.UNSUPPORTED, ()), True),
        (replace(SUPPORTED, verdict=Verdict.UNKNOWN), False),
        (Validation(Verdict.SUPPORTED, ()), False),
        (Validation(Verdict.CONTRADICTED, ()), False),
        (replace(SUPPORTED, spans=(QUOTE, replace(QUOTE, passage_id="p9"))), False),
        (replace(SUPPORTED, spans=(replace(QUOTE, start=-3),)), False),
    ],
)
def test_only_what_can_be_tested_again_is_kept(cache: ValidationCache, validation: Validation, kept: bool) -> None:
    cache.put(basis(), validation)
    assert (cache.get(basis()) is not None) == kept


def test_offsets_count_in_the_document() -> None:
    later = passage(start=100)
    assert holds(replace(SUPPORTED, spans=(replace(QUOTE, start=104, end=110),)), [later])
    assert not holds(SUPPORTED, [later])


def test_the_longest_unused_goes_first(path: Path) -> None:
    cache = ValidationCache(path, most=2)
    for claim in ("a", "b"):
        cache.put(basis(claim), SUPPORTED)
    cache.get(basis("a"))
    cache.put(basis("c"), SUPPORTED)
    assert [cache.get(basis(each)) is not None for each in "abc"] == [True, False, True]


@pytest.mark.parametrize("body", ["", "[]", "{", '{"verdict": "fine"}', '{"verdict": "supported", "spans": [{}]}'])
def test_a_stored_verdict_of_another_form_misses(cache: ValidationCache, path: Path, body: str) -> None:
    cache.put(basis(), SUPPORTED)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE validations SET body = ?", (body,))
    assert cache.get(basis()) is None


def test_a_damaged_file_is_a_cache_without_entries(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"damage, " * 4096)
    cache = ValidationCache(path)
    cache.put(basis(), SUPPORTED)
    assert cache.get(basis()) is None
    cache.close()
    cache.close()
