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
RUN, OTHER_RUN = "01J", "01K"
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
    assert cache.get(basis(), RUN) is None
    cache.put(basis(), SUPPORTED, RUN)
    assert cache.get(basis(), RUN) == SUPPORTED
    cache.close()
    assert ValidationCache(path).get(basis(), RUN) == SUPPORTED
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_order_of_the_passages_does_not_matter(cache: ValidationCache) -> None:
    cache.put(basis(), SUPPORTED, RUN)
    assert cache.get(replace(basis(), passages=basis().passages[::-1]), RUN) == SUPPORTED


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
    cache.put(basis(), SUPPORTED, RUN)
    assert cache.get(other, RUN) is None


TEXTS = st.text(min_size=1, max_size=40)


@given(TEXTS, st.lists(TEXTS, max_size=2), st.data())
def test_any_edit_of_any_passage_misses(first: str, others: list[str], data: st.DataObject) -> None:
    texts = [first, *others]
    at = data.draw(st.integers(0, len(texts) - 1))
    edited = [*texts[:at], data.draw(TEXTS.filter(lambda new: new != texts[at])), *texts[at + 1 :]]
    kept = Validation(Verdict.SUPPORTED, (SourceSpan("p0", 0, len(first), first),))
    with tempfile.TemporaryDirectory() as folder:
        cache = ValidationCache(Path(folder) / "validations.sqlite")
        cache.put(_over(texts), kept, RUN)
        assert cache.get(_over(texts), RUN) == kept
        assert cache.get(_over(edited), RUN) is None
        cache.close()


def _over(texts: list[str]) -> Basis:
    return basis("c", *(passage(text, f"p{n}") for n, text in enumerate(texts)))


def test_a_stored_quote_that_does_not_stand_in_the_passages_is_not_used(cache: ValidationCache, path: Path) -> None:
    cache.put(basis(), SUPPORTED, RUN)
    forged = replace(SUPPORTED, spans=(replace(QUOTE, quote="tunnel"),))
    with sqlite3.connect(path) as file:
        file.execute("UPDATE validations SET body = ?", (json.dumps(forged.to_dict()),))
    assert cache.get(basis(), RUN) is None


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
    cache.put(basis(), validation, RUN)
    assert (cache.get(basis(), RUN) is not None) == kept


def test_offsets_count_in_the_document() -> None:
    later = passage(start=100)
    assert holds(replace(SUPPORTED, spans=(replace(QUOTE, start=104, end=110),)), [later])
    assert not holds(SUPPORTED, [later])


def test_the_longest_unused_goes_first(path: Path) -> None:
    cache = ValidationCache(path, most=2)
    for claim in ("a", "b"):
        cache.put(basis(claim), SUPPORTED, RUN)
    cache.get(basis("a"), RUN)
    cache.put(basis("c"), SUPPORTED, RUN)
    assert [cache.get(basis(each), RUN) is not None for each in "abc"] == [True, False, True]


@pytest.mark.parametrize("body", ["", "[]", "{", '{"verdict": "fine"}', '{"verdict": "supported", "spans": [{}]}'])
def test_a_stored_verdict_of_another_form_misses(cache: ValidationCache, path: Path, body: str) -> None:
    cache.put(basis(), SUPPORTED, RUN)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE validations SET body = ?", (body,))
    assert cache.get(basis(), RUN) is None


def test_a_damaged_file_is_a_cache_without_entries(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"damage, " * 4096)
    cache = ValidationCache(path)
    cache.put(basis(), SUPPORTED, RUN)
    assert cache.get(basis(), RUN) is None
    cache.close()
    cache.close()


def test_a_verdict_goes_with_the_last_recorded_run_that_used_it(cache: ValidationCache, path: Path) -> None:
    for claim in ("shared", "own"):
        cache.put(basis(claim), SUPPORTED, RUN)
    assert cache.get(basis("shared"), OTHER_RUN) == SUPPORTED
    assert cache.keep_only_of(lambda run_ids: frozenset(run_ids) - {RUN})
    with sqlite3.connect(path) as file:
        assert file.execute("SELECT COUNT(*) FROM validations").fetchone() == (1,)
        assert file.execute("SELECT run_id FROM uses").fetchall() == [(OTHER_RUN,)]
    assert cache.get(basis("shared"), RUN) == SUPPORTED
    assert cache.get(basis("own"), RUN) is None
    assert cache.keep_only_of(lambda run_ids: frozenset())
    assert cache.get(basis("shared"), RUN) is None


def test_no_byte_of_a_deleted_verdict_is_left(cache: ValidationCache, path: Path) -> None:
    cache.put(basis(), replace(SUPPORTED, reason="a word like xylograph"), RUN)
    assert b"xylograph" in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert cache.keep_only_of(lambda run_ids: frozenset())
    assert b"xylograph" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_verdicts_of_a_file_from_before_uses_were_noted_are_found_until_a_run_is_deleted(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as file:
        columns = "key TEXT PRIMARY KEY, body TEXT NOT NULL, used INTEGER NOT NULL"
        file.execute(f"CREATE TABLE validations ({columns}) WITHOUT ROWID")
        body = json.dumps({"verdict": "unsupported", "spans": [], "reason": ""})
        file.executemany(
            "INSERT INTO validations VALUES (?, ?, 1)", [(basis("a").key, body), (basis("b").key, body)]
        )
    cache = ValidationCache(path)
    assert cache.get(basis("a"), RUN) == Validation(Verdict.UNSUPPORTED, ())
    assert cache.keep_only_of(lambda run_ids: frozenset(run_ids))
    assert cache.get(basis("a"), RUN) is not None
    assert cache.get(basis("b"), RUN) is None


def test_deleting_makes_no_file(path: Path) -> None:
    assert ValidationCache(path).keep_only_of(lambda run_ids: frozenset())
    assert not path.exists()
