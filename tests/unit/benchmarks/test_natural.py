"""What benchmarks/answers counts as shown, marked and named, by answers made up here."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks" / "answers"
NAMES = ("report", "natural", "real_collections", "natural_scores", "real", "robust")


@pytest.fixture(scope="module")
def load() -> Iterator[dict[str, ModuleType]]:
    """The benchmark's modules, which find one another by their folder."""
    before = list(sys.path)
    sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
    yield {name: importlib.import_module(name) for name in NAMES}
    sys.path[:] = before
    for name in NAMES:
        sys.modules.pop(name, None)


def scored(load, shown: dict, **row):
    question = {"id": "q", "collection": "c", "question": "How long is the leave?", "answerable": "full", **row}
    asked = load["natural"].question_of(question)
    return load["natural_scores"].Scored(
        asked, load["real_collections"].Shown(**{"outcome": "answered", "text": "", **shown})
    )


@pytest.mark.parametrize(
    ("text", "must", "limit", "expected"),
    [
        ("It takes **90** days [1].", ["90 days"], None, True),
        ("It takes 90\ndays.", ["90 days"], None, True),
        ("It is for Anna.\n\nThen Bob.", ["anna.*bob"], None, True),
        ("**No**, it does not [1].", [r"^no\b"], None, True),
        ("There is no limit.", [r"^no\b"], None, False),
        ("word " * 100 + "gold", ["gold"], 100, False),
        ("word " * 99 + "gold", ["gold"], 100, True),
        ("anything", [], None, False),
    ],
)
def test_a_gold_is_shown_where_a_pattern_matches_within_the_limit(load, text, must, limit, expected):
    assert load["natural"].shows(text, must, limit) is expected


def test_citation_marks_and_markup_count_as_no_words(load):
    assert load["natural"].plain("> **a** [1]\n- [b](c.md) | `d` [2, 3]") == "a b d"


@pytest.mark.parametrize(
    ("question", "kind", "limit"),
    [
        ("How do I install it?", "", 180),
        ("how to add a file", "", 180),
        ("What are the supported formats?", "", 180),
        ("Which formats are supported?", "", 180),
        ("How long is the leave?", "", 100),
        ("What is the limit?", "list", 180),
        ("Show me the steps.", "how", 180),
        ("How do I install it?", "fact", 100),
    ],
)
def test_a_how_to_or_a_list_may_be_longer(load, question, kind, limit):
    row = {"id": "a", "question": question, "answerable": "full", "kind": kind}
    assert load["natural"].question_of(row).limit == limit


def test_a_question_that_the_corpus_answers_after_all_is_scored_by_what_it_holds(load):
    asked = load["natural"].question_of(
        {
            "id": "a",
            "question": "When?",
            "answerable": "none",
            "must": None,
            "block": None,
            "in_corpus": {"answerable": "full", "gold": "In 2 hours", "must": ["2 hours"], "file": "a/b.md"},
        }
    )
    assert (asked.answerable, asked.must, asked.block) == ("full", ("2 hours",), "")


def test_the_block_is_shown_by_its_share_or_by_f1(load):
    overlap = load["natural"].block_overlap
    block = "- Books\n- Online courses\n- Conference travel"
    assert overlap("It pays for: books, online courses and conference travel. Ask first.", block) == 1.0
    assert overlap("The office is open on Mondays.", block) == 0.0
    assert overlap("Books", block) == pytest.approx(2 / 6)
    assert overlap("", block) == 0.0


def test_the_missing_part_is_named_only_when_it_is_the_right_one(load):
    names = load["natural"].names_missing
    asked = "Who runs our 401k and how much does the company match?"
    assert names("The company's match is not in the documents", "the match is not stated", asked)
    assert not names("who runs our 401k", "the match is not stated", asked)
    assert not names(asked, "the match is not stated", asked)
    assert not names("anything", "", asked)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 3 [1]. The documents do not say: the colour.", "The documents do not say: the colour"),
        ("Wrapped\nquote [1].\n\nNot found: the colour.", "Not found: the colour"),
        ("It allows:\n- red\n- blue [1]", "It allows:"),
        ("```\ncode\n```\n\n    more code\n\nrow [1]", ""),
    ],
)
def test_prose_without_a_citation_may_say_what_is_missing(load, text, expected):
    assert load["natural"].uncited(text) == expected


def test_figures_count_shown_marked_refused_and_named(load):
    right = scored(
        load, {"text": "12 weeks [1].", "marked": True, "likely": 0.9}, must=["12 weeks"], block="12 weeks"
    )
    wrong = scored(load, {"text": "A year.", "marked": True, "likely": 0.6}, must=["12 weeks"], block="12 weeks")
    late = scored(load, {"text": "word " * 100 + "12 weeks", "likely": 0.5}, must=["12 weeks"])
    refused = scored(load, {"outcome": "abstained", "text": "12 weeks"}, must=["12 weeks"], block="12 weeks")
    invented = scored(load, {"text": "Blue.", "marked": True, "likely": 0.4}, answerable="none")
    honest = scored(load, {"outcome": "abstained"}, answerable="none")
    failed = scored(load, {"outcome": "error"}, answerable="none")
    named = scored(
        load,
        {"outcome": "partial", "text": "12 weeks.", "said_missing": "the colour"},
        answerable="half",
        must=["12 weeks"],
        gold="12 weeks; the colour is not stated",
    )
    whole = scored(load, {"text": "12 weeks.", "marked": True}, answerable="half", missing="the colour")
    rows = [right, wrong, late, refused, invented, honest, failed, named, whole]
    found = load["natural_scores"].figures(rows)
    assert found["answerable"]["n"] == 4
    assert found["answerable"]["gold shown"] == 0.25
    assert found["answerable"]["refused"] == 0.25
    assert found["answerable"]["wrong and marked, of those shown"] == pytest.approx(1 / 3, abs=0.001)
    assert found["answerable"]["block shown"] == pytest.approx(1 / 3, abs=0.001)
    assert found["not answerable"] == {"n": 3, "answered": 0.333, "marked": 0.333}
    assert found["half answerable"] == {"n": 2, "partial": 0.5, "partial, missing named": 0.5, "gold shown": 0.5}
    assert found["likely right"]["n"] == 4
    assert found["likely right"]["auroc"] == 0.75
    assert found["errors"] == 1
    assert [row.verdict for row in rows[:5]] == [
        "right ✓",
        "wrong ✓",
        "gold too late",
        "refused",
        "answered, not answerable ✓",
    ]
    assert [row.as_wanted for row in rows] == [True, False, False, False, False, True, False, True, False]
    assert "gold shown" in load["natural_scores"].table({"c": found})


def test_figures_of_nothing_are_none_and_not_zero(load):
    found = load["natural_scores"].figures([])
    assert found["answerable"]["gold shown"] is None
    assert found["likely right"]["ece"] is None


def test_some_questions_are_spread_over_all(load):
    some = load["real_collections"].some
    assert some(list(range(10)), 3) == [0, 3, 6]
    assert some([1, 2], 5) == [1, 2]
    assert some([1, 2], None) == [1, 2]


def test_a_collection_lies_in_its_own_folder_or_in_that_of_its_files(load, tmp_path):
    (tmp_path / "a").mkdir()
    rows = [{"collection": "a"}, {"collection": "manual", "file": None}, {"collection": "manual", "file": "b/c.md"}]
    found = load["real_collections"].documents_of(tmp_path, rows)
    assert found == {"a": tmp_path / "a", "manual": tmp_path / "b"}


def test_what_stays_right_is_counted_by_kind(load):
    right = scored(load, {"text": "12 weeks"}, must=["12 weeks"])
    lost = scored(load, {"outcome": "abstained"}, must=["12 weeks"], id="lost")
    found = load["robust"].stays_right([right.asked, lost.asked], {"typo": [right, lost], "reworded": [right]})
    assert found["typo"] == {"n": 2, "stay right": 0.5, "lost": ["lost"]}
    assert found["reworded"]["stay right"] == 1.0
    assert found["stay right"] == 0.667


def test_a_bar_that_nobody_measured_is_not_reached(load):
    report = load["report"]
    line = report.Line("what", "answers/results/real", ("total",), "≥ .75", report.at_least(0.75))
    assert "not measured (**not reached**)" in report.row(line, None)
    assert "0.800 |" in report.row(line, {"numbers": {"total": 0.8}})
    assert "0.700 (**not reached**)" in report.row(line, {"numbers": {"total": 0.7}})
