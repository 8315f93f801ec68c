"""Questions about one row of a table beside prose on the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import Engine, open_engine

LIBRARY = Path(__file__).parents[2] / "examples" / "library"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_engine(data_dir=tmp_path_factory.mktemp("data")) as engine:
        engine.add([LIBRARY])
        yield engine


def test_the_row_that_the_question_names_is_quoted_first(library: Engine) -> None:
    answer = library.ask("When is the library open on Sunday?")
    assert "13:00 to 17:00, reading room only" in answer.text
    assert answer.text.index("13:00 to 17:00") < answer.text.find("24 December") % 10_000


def test_prose_that_does_not_name_the_row_has_no_mark(library: Engine) -> None:
    answer = library.ask("When is the library open on Sunday?")
    first = answer.claims[0]
    assert "13:00" in first.text or not answer.validate()


@pytest.mark.parametrize("question", ["When is the library open on the moon?", "Who founded the swimming pool?"])
def test_a_row_that_is_not_there_is_not_made_up(library: Engine, question: str) -> None:
    answer = library.ask(question)
    assert answer.outcome != "answered" or not answer.validate() or answer.answers_question != "yes"
