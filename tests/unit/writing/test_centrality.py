"""How a sentence stands among the others: who covers most, who agrees, and where names lead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.types import AnswerType, Evidence, Hit, Passage, Question
from assay.writing.candidates import candidates
from assay.writing.centrality import NAMES, Centrality
from assay.writing.features import extract_features

TEA = (
    ("Brand X", "Brand X was founded by Ann Lee. It sells tea in 12 shops."),
    ("Ann Lee", "Ann Lee was born in Ulm. She has a dog."),
    ("Ulm", "Ulm lies on the Danube. The minster is tall."),
    ("Birds", "Birds sing in spring. They build nests."),
)


def columns(question: str, *titled: tuple[str, str]) -> dict[str, list[float]]:
    """The numbers of the sentences in order, by name."""
    found = Evidence(
        tuple(
            Hit(Passage(f"p{n}", f"d{n}", "r", 0, len(text), text, title=title), 1 / n)
            for n, (title, text) in enumerate(titled, 1)
        )
    )
    reading = extract_features(Question(question, question, answer_type=AnswerType.PLACE), found, candidates(found))
    return {name: reading.column(name) for name in NAMES}


def test_names_lead_in_one_step_and_in_two() -> None:
    found = columns("On which river lies the birthplace of the founder of Brand X?", *TEA)
    lee, ulm, birds = 2, 4, 6
    assert found["leads_out"][:3] == [1.0, 0.0, 1.0]
    assert found["reached"][lee] > 0
    assert found["reached_twice"][ulm] > found["reached"][ulm]
    assert found["reached_twice"][birds] == 0


def test_the_best_covering_sentence_is_the_measure_of_the_others() -> None:
    found = columns("Who founded Brand X?", *TEA)
    assert found["cover_to_best"][0] == 1.0
    assert found["cover_place"][0] == 0.0
    assert max(found["cover_to_best"][1:]) < 1.0
    assert found["cover_in_passage"][1] < 0 == found["cover_in_passage"][0]


def test_what_a_sentence_adds_is_counted() -> None:
    found = columns("What does Brand X sell?", *TEA)
    assert found["figures"][1] == 1.0
    assert found["new_names"][0] == 1.0
    assert found["novel"][6] == 1.0 > found["novel"][0]


def test_agreement_does_not_depend_on_how_much_evidence_there_is() -> None:
    little, much = columns("Who founded Brand X?", *TEA[:2]), columns("Who founded Brand X?", *TEA)
    assert max(little["central_asked"]) == max(much["central_asked"]) == 1.0
    assert little["central_asked"][0] == much["central_asked"][0] == 1.0


@pytest.mark.parametrize("asked", [frozenset[str](), frozenset({"tea"})])
def test_sentences_without_anything_in_common_divide_by_nothing(asked: frozenset[str]) -> None:
    bare = Centrality(
        question="",
        asked=asked,
        texts=("Tin.",),
        ranks=(0,),
        terms=(frozenset({"tin"}),),
        titles=(frozenset(),),
        covers=(0.0,),
        titled=(0.0,),
        near=(0.0,),
        passages=(0.0,),
        title_covers=(0.0,),
        fitting=(0,),
    )
    (row,) = bare.rows()
    assert len(row) == len(NAMES)
    assert replace(bare, fitting=(2,)).rows()[0][NAMES.index("fitting")] == 2.0
