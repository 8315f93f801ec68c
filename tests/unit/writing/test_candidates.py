"""Which sentences may be quoted."""

from __future__ import annotations

from assay.types import Evidence, Hit, Passage
from assay.writing.candidates import LONGEST, candidates


def texts(*passages: str) -> list[str]:
    hits = tuple(Hit(Passage(f"p{n}", "d", "r", 0, len(text), text), 1.0) for n, text in enumerate(passages))
    return [candidate.text for candidate in candidates(Evidence(hits))]


def test_list_marks_are_left_out_and_headings_dropped() -> None:
    text = "# Rates\n\n- Entry costs 5 euros.\n- Children pay nothing.\n\nOpening hours\n\n---\n"
    assert texts(text) == ["Entry costs 5 euros.", "Children pay nothing."]


def test_rows_of_a_table_stay_and_its_head_and_rules_go() -> None:
    assert texts("| city | people |\n|---|---|\n| Ulm | 126,000 |") == ["| Ulm | 126,000 |"]


def test_a_bracket_is_not_cut() -> None:
    whole = "Love Forecast (Korean: 오늘의 연애. Today's Love) is a film by Park."
    assert texts(whole) == [whole]


def test_a_sentence_in_two_passages_is_one_candidate() -> None:
    assert texts("Tin is soft.", "Tin is soft. Lead is heavy.") == ["Tin is soft.", "Lead is heavy."]


def test_what_nobody_reads_as_a_sentence_is_left_out() -> None:
    assert texts("word " * LONGEST + "end.") == []


def test_a_candidate_stands_where_it_says() -> None:
    text = "  1. First of all, open the lid.\n  2. Then pour."
    for candidate in candidates(Evidence((Hit(Passage("p", "d", "r", 0, len(text), text), 1.0),))):
        assert text[candidate.span.start : candidate.span.end] == candidate.text


def test_code_is_no_answer() -> None:
    text = "Run it so:\n\n```console\n$ assay ask 'How hot is it?' now.\n```\n\nIt prints the temperature."
    passage = Passage("p", "d", "r", 0, len(text), text)
    found = [candidate.text for candidate in candidates(Evidence((Hit(passage, 1.0),)))]
    assert found == ["Run it so:", "It prints the temperature."]


def test_columns_are_no_sentence() -> None:
    text = (
        "  -k N      How many passages.  [default: 8]\n  --mode M    How to search.\n\nA search returns 8 passages."
    )
    passage = Passage("p", "d", "r", 0, len(text), text)
    assert [candidate.text for candidate in candidates(Evidence((Hit(passage, 1.0),)))][
        -1
    ] == "A search returns 8 passages."
    assert not any("--mode" in candidate.text for candidate in candidates(Evidence((Hit(passage, 1.0),))))


def test_each_line_of_a_record_stands_alone() -> None:
    assert texts("city: Harrow\nport: Tane Docks\npeople: 12000") == [
        "city: Harrow",
        "port: Tane Docks",
        "people: 12000",
    ]
    assert texts("name | role\nname: Tom; role: clerk\nname: Ann; role: cook")[-1] == "name: Ann; role: cook"


def test_a_sentence_with_a_colon_that_runs_over_two_lines_is_one():
    text = "A check ends in one of four states: passed, failed,\nunknown with its cause, or skipped."
    assert texts(text) == [text]
