"""assay eval make: questions over a small collection, read back as the data set that they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.evals.cases import Answerability, Case
from assay.evals.datasets.own import read_own
from assay.wiring import open_engine

from .conftest import Cli, Result, call

DOCUMENTS = {
    "halls.md": "# Halls\n\nBay Hall holds 300 people. Bay Hall was opened on 3 May 1932. "
    "The Royal Mill was designed by Ada Keller. A foyer is a large room behind the entrance of a theatre.\n",
    "keys.md": "# Keys\n\nTo add a key, run `keys create` on the server. `keys.toml` holds all keys of the server. "
    "Backups are kept for 30 days. The World Health Organization (WHO) sends keys.\n",
    "bikes.md": "# Bikes\n\n| Bike | Price | Deposit |\n|---|---|---|\n| Tandem | 30 | 150 |\n| Trike | 35 | 9 |\n",
    "trains.md": "# Trains\n\nThe Alpine Line was closed in 1997. The Alpine Line has 12 stations. "
    "A siding is a short track beside the main line. The FOOBAR guild met there.\n",
}
MADE = 14


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the documents in the collection `halls`; tests only read it."""
    sources, data = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("data")
    for name, text in DOCUMENTS.items():
        (sources / name).write_text(text, encoding="utf-8")
    assert call("add", sources, "-c", "halls", "--data-dir", data, "-q").code == 0
    return data


@pytest.fixture
def make(halls: Path) -> Callable[..., Result]:
    return lambda *rest: call("eval", "make", "halls", "--data-dir", halls, *rest)


@pytest.fixture(scope="module")
def made(halls: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, tuple[Case, ...], bytes]:
    """What one call said, the cases read back, and the file."""
    out = tmp_path_factory.mktemp("out") / "made.jsonl"
    result = call("eval", "make", "halls", "--data-dir", halls, "-o", out, "--count", MADE, "-v")
    assert result.code == 0, result
    return result, read_own(out), out.read_bytes()


def test_the_file_is_a_data_set_of_marked_cases(made: tuple[Result, tuple[Case, ...], bytes]) -> None:
    result, cases, _ = made
    assert len(cases) >= 10
    assert all(case.synthetic and case.slices["form"] and case.slices["kind"] for case in cases)
    forms = {case.slices["form"] for case in cases}
    assert {"plain", "unanswerable", "half", "typo", "reworded"} <= forms
    assert f"{len(cases)} questions in " in result.err
    assert " plain" in result.err
    assert "facts found" in result.err


def test_answers_and_quotes_stand_in_the_documents(made: tuple[Result, tuple[Case, ...], bytes]) -> None:
    _, cases, _ = made
    for case in cases:
        assert bool(case.quotes) is (case.answerability is not Answerability.NONE)
        for quote in case.quotes:
            assert quote.quote in DOCUMENTS[quote.document]
            assert case.relevant == {quote.document: 1.0}
            assert all(answer.replace("`", "") in quote.quote.replace("`", "") for answer in case.answers)


def test_an_unanswerable_question_has_no_answer_and_a_half_one_says_what_is_missing(
    made: tuple[Result, tuple[Case, ...], bytes],
) -> None:
    _, cases, _ = made
    for case in cases:
        if case.slices["form"] == "unanswerable":
            assert (case.answerability, case.answers, case.quotes) == (Answerability.NONE, (), ())
        elif case.slices["form"] == "half":
            assert case.answerability is Answerability.HALF
            assert case.nuggets == (case.answers,)
            assert len(case.missing) == 1
        else:
            assert case.answerability is Answerability.FULL
            assert case.missing == ()


def test_what_is_made_is_well_known(made: tuple[Result, tuple[Case, ...], bytes]) -> None:
    _, cases, _ = made
    known = {case.question: case.answers for case in cases if case.slices["form"] == "plain"}
    wanted = {
        "When was the Alpine Line closed?": ("1997",),
        "How many people does Bay Hall hold?": ("300 people",),
        "Who was the Royal Mill designed by?": ("Ada Keller",),
        "What is a foyer?": ("a large room behind the entrance of a theatre",),
        "What does WHO stand for?": ("World Health Organization",),
        "What is a siding?": ("a short track beside the main line",),
        "For how many days are backups kept?": ("30 days",),
    }
    asked = wanted.keys() & known.keys()
    assert len(asked) >= 4
    assert {question: known[question] for question in asked} == {question: wanted[question] for question in asked}


def test_the_same_seed_makes_the_same_file(
    make: Callable[..., Result], made: tuple[Result, tuple[Case, ...], bytes], tmp_path: Path
) -> None:
    out = tmp_path / "again.jsonl"
    assert make("-o", out, "--count", MADE).code == 0
    assert out.read_bytes() == made[2]


def test_too_few_facts_are_said(make: Callable[..., Result]) -> None:
    result = make("--count", "500", "--unanswerable", "0", "--half", "0", "--typos", "0", "--reworded", "0")
    assert result.code == 0
    count = len(result.objects)
    assert f"warning: too few facts for 500 questions; made {count}" in result.err
    assert {each["slices"]["form"] for each in result.objects} == {"plain"}


def test_documents_that_differ_make_a_contradictory_question(empty: Cli, tmp_path: Path) -> None:
    for name, year in (("guide.md", "1932"), ("atlas.md", "1950")):
        text = f"# The {name[:5]}\n\nThe Harbour Bridge was opened in {year}. It rains a lot there.\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert empty("add", tmp_path / "guide.md", tmp_path / "atlas.md", "-q").code == 0
    where = ("--data-dir", tmp_path / "data", "--contradictory", "0.5", "--unanswerable", "0")
    result = call("eval", "make", "default", *where, "--count", "2")
    (case,) = (each for each in result.objects if each["slices"]["form"] == "contradictory")
    assert case["question"] == "When was the Harbour Bridge opened?"
    assert sorted(case["answers"]) == ["1932", "1950"]
    assert case["conflicting"] is True
    assert len(case["quotes"]) == 2


def test_a_model_writes_the_plain_questions(make: Callable[..., Result], scripted: Callable[..., str]) -> None:
    reply = {"question": "How many visitors can Bay Hall hold?", "answer": "300 people"}
    model = scripted(
        {"role": "writer", "contains": "holds 300 people", "reply": reply}, {"reply": {"question": "no"}}
    )
    result = make("--count", "9", "--model", model)
    assert result.code == 0
    written = [each for each in result.objects if each["slices"]["kind"] == "written"]
    assert [each["question"] for each in written if each["slices"]["form"] == "plain"] == [
        "How many visitors can Bay Hall hold?"
    ]
    assert written[0]["answers"] == ["300 people"]
    assert written[0]["quotes"] == [{"document": "halls.md", "quote": "Bay Hall holds 300 people."}]
    assert "2 of 3 replies of the model could not be used" in result.err


def test_a_file_that_exists_is_refused_without_force(make: Callable[..., Result], tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    out.write_text("kept")
    result = make("-o", out)
    assert result.code == 2
    assert f"{out} already exists" in result.err
    assert out.read_text() == "kept"
    assert make("-o", out, "--force", "--count", "2").code == 0
    assert len(read_own(out)) == 2


def test_bad_input_is_told_before_anything_is_read(
    make: Callable[..., Result], halls: Path, tmp_path: Path
) -> None:
    unknown = call("eval", "make", "attic", "--data-dir", halls)
    assert (unknown.code, "attic" in unknown.err) == (6, True)
    nowhere = make("-o", tmp_path / "no" / "made.jsonl")
    assert (nowhere.code, "there is no folder" in nowhere.err) == (2, True)
    without = make("--reader", "none")
    assert (without.code, "tested by the reader" in without.err) == (2, True)
    shares = make("--unanswerable", "0.9", "--half", "0.5")
    assert (shares.code, "more than 1" in shares.err) == (2, True)
    assert make("--count", "0").code == 2


def test_an_empty_collection_is_refused(empty: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Rain.\n", encoding="utf-8")
    assert empty("add", tmp_path / "a.md", "-q").code == 0
    nothing = call("eval", "make", "default", "--data-dir", tmp_path / "data")
    assert nothing.code == 2
    assert "no fact" in nothing.err
    with open_engine(data_dir=tmp_path / "data", collection="bare") as engine:
        assert engine.documents() == ()
    bare = call("eval", "make", "bare", "--data-dir", tmp_path / "data")
    assert (bare.code, "has no documents" in bare.err) == (2, True)
