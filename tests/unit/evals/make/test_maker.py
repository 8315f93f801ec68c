"""What is drawn, what is dropped, where documents differ."""

from __future__ import annotations

from assay.evals.make.fact import Fact, Kind
from assay.evals.make.maker import facts_of, short_names, unique_facts
from assay.evals.make.wording import Wording
from assay.types import Span
from unit.evals.make.documents import document


def fact(question_of: str, answer: str, document_id: str = "d", kind: Kind = Kind.DATE) -> Fact:
    return Fact(
        kind, document_id, Span(0, 9), Span(0, 4), answer, Wording("When", "was", "", question_of, "opened")
    )


def test_a_question_with_one_answer_is_kept_once() -> None:
    found = unique_facts([fact("Bay Hall", "1932", "a"), fact("Bay Hall", "1932", "b"), fact("Mill", "1950")])
    assert [each.document_id for each in found.certain] == ["a", "d"]
    assert found.disagreeing == ()


def test_a_question_with_two_answers_in_one_document_is_dropped() -> None:
    found = unique_facts([fact("Bay Hall", "1932"), fact("Bay Hall", "1950")])
    assert (found.certain, found.disagreeing) == ((), ())


def test_documents_that_differ_make_a_disagreement() -> None:
    found = unique_facts([fact("Bay Hall", "1932", "a"), fact("Bay Hall", "1950", "b")])
    assert found.certain == ()
    assert [one.document_id for one in found.disagreeing[0].facts] == ["a", "b"]


def test_a_shorter_answer_is_no_disagreement() -> None:
    found = unique_facts([fact("Bay Hall", "3 May 1932", "a"), fact("Bay Hall", "1932", "b")])
    assert found.disagreeing == ()


def test_two_definitions_are_no_disagreement() -> None:
    two = [fact("Hall", "a house", "a", Kind.DEFINITION), fact("Hall", "a room", "b", Kind.DEFINITION)]
    assert unique_facts(two).disagreeing == ()


def test_documents_of_one_path_are_named_by_their_id() -> None:
    assert short_names({"a#1": "/x/rows.jsonl", "a#2": "/x/rows.jsonl"}) == {"a#1": "a#1", "a#2": "a#2"}


def test_every_fact_lies_within_its_quote() -> None:
    table = "| Bike | Price |\n|---|---|\n| Tandem | 30 |"
    text = f"# Hall\n\nBay Hall holds 300 people (WHO).\n\n{table}\n\n# Add a key\n\n- Open it.\n- Go.\n"
    found = list(facts_of(document(text)))
    assert {each.kind for each in found} == {Kind.NUMBER, Kind.CELL, Kind.HOW_TO}
    for each in found:
        assert each.quote.start <= each.answer.start < each.answer.end <= each.quote.end
