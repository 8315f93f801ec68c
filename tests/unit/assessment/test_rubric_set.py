"""The rubrics are complete, the same at each start, and refused if they were changed since they were pinned."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.assessment.rubrics import (
    FILE_NAME,
    STRATEGIES,
    Rubric,
    RubricSet,
    as_toml,
    read,
    rubrics_in,
    shipped_rubrics,
    write,
)
from assay.errors import UsageError
from assay.types import Criterion

LINES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn"]), min_size=3, max_size=40
)


def test_there_is_a_rubric_for_every_criterion_and_each_strategy():
    assert {each.criterion for each in shipped_rubrics().rubric} == set(Criterion)
    assert {each.name for each in shipped_rubrics().strategy} == set(STRATEGIES)


@pytest.mark.parametrize("criterion", list(Criterion))
def test_a_criterion_has_its_own_rubric_and_strategy(criterion: Criterion):
    assert shipped_rubrics().of(criterion).criterion is criterion
    own = criterion.value if criterion.value in STRATEGIES else "general"
    assert shipped_rubrics().strategy_for(criterion).name == own


def test_what_is_written_is_read_again(tmp_path: Path):
    write(shipped_rubrics(), tmp_path / "new" / FILE_NAME)
    assert rubrics_in(tmp_path / "new") == shipped_rubrics()


def test_without_a_file_the_shipped_one_holds(tmp_path: Path):
    assert rubrics_in(tmp_path) is shipped_rubrics()


@given(LINES, LINES)
def test_any_wording_survives_the_file(asks: str, means: str):
    assume(asks.casefold() != means.casefold())
    import tomllib

    changed = _worded(asks, means)
    raw = tomllib.loads(as_toml(changed))
    assert raw.pop("sha256") == changed.sha256
    assert RubricSet(**raw) == changed
    assert (changed.sha256 == shipped_rubrics().sha256) == (changed == shipped_rubrics())


def _worded(asks: str, means: str) -> RubricSet:
    first, *others = shipped_rubrics().rubric
    levels = (first.levels[0].model_copy(update={"means": means}), *first.levels[1:])
    return RubricSet(
        rubric=(
            Rubric(**{**first.model_dump(), "asks": asks, "levels": [each.model_dump() for each in levels]}),
            *others,
        ),
        strategy=shipped_rubrics().strategy,
    )


def test_a_file_that_was_changed_since_is_refused(tmp_path: Path):
    path = tmp_path / FILE_NAME
    write(shipped_rubrics(), path)
    text = path.read_text()
    path.write_text(text.replace("every part of the question is answered", "anything goes", 1))
    with pytest.raises(UsageError, match="was changed since it was written") as refused:
        read(path)
    accepted = refused.value.hint.split('"')[1]
    path.write_text(path.read_text().replace(shipped_rubrics().sha256, accepted))
    assert read(path).sha256 == accepted != shipped_rubrics().sha256


def test_a_file_without_a_pin_is_refused(tmp_path: Path):
    path = tmp_path / FILE_NAME
    path.write_text(as_toml(shipped_rubrics()).split("\n", 1)[1])
    with pytest.raises(UsageError, match="not pinned"):
        read(path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('criterion = "coherence"', 'criterion = "charm"', "rubric.2.criterion"),
        ('criterion = "coherence"', 'criterion = "accuracy"', "each of accuracy, completeness"),
        ("score = 0.7", "score = 7", "less than or equal to 1"),
        ("score = 0.7", "score = 0.3", "levels fall from 1 to 0"),
        ('name = "general"', 'name = "magic"', "strategy.5.name"),
        ("version = 1", "version = 1\nmood = 2", "mood"),
        ("version = 1", "version = ", "cannot be read"),
        ('  "drop what no passage says",', '  "Find for each statement the passage that says it",', "no two lines"),
        ('asks = "', 'asks = "\\u001b[31m', "printable"),
    ],
)
def test_a_file_of_another_form_is_refused_with_the_place(tmp_path: Path, old: str, new: str, told: str):
    path = tmp_path / FILE_NAME
    path.write_text(as_toml(shipped_rubrics()).replace(old, new, 1))
    with pytest.raises(UsageError) as refused:
        read(path)
    assert told in str(refused.value)
    assert str(path) in str(refused.value)
    assert refused.value.hint


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read"):
        rubrics_in(tmp_path)
