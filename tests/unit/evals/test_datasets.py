"""Data sets are read in whichever shape they have; our own is read strictly."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.errors import UsageError
from assay.evals.cases import Answerability, Case, WantedQuote
from assay.evals.datasets import read_dataset
from assay.evals.datasets.own import given_passage, write_cases
from assay.types import Message

FULL = Case(
    "tower",
    "How high is it?",
    history=(Message("user", "Tell me of the tower."), Message("assistant", "It is old.")),
    answers=("8 m", "eight metres"),
    patterns=(r"\b8 ?m\b",),
    nuggets=(("8 m", "eight metres"), ("built in 1932",)),
    relevant={"tower.md": 1.0, "guide.pdf": 0.5},
    quotes=(WantedQuote("guide.pdf", "The tower is 8 m high.", 3),),
    answerability=Answerability.HALF,
    missing=("who built it",),
    conflicting=True,
    passages=(given_passage("7", "The tower is 8 m high.", "Tower", "tower.md", "2024-05-01"),),
    slices={"kind": "number"},
    synthetic=True,
)


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_case_with_everything_survives_writing_and_reading(tmp_path: Path):
    cases = (FULL, Case("bare", "Why?"))
    assert write_cases(tmp_path / "set.jsonl", cases) == 2
    found = read_dataset(tmp_path / "set.jsonl")
    assert found.cases == cases
    assert (found.name, found.shape) == ("set.jsonl", "assay")


def test_the_hash_is_that_of_the_bytes(tmp_path: Path):
    path = written(tmp_path / "set.jsonl", {"id": "a", "question": "Why?"})
    before = read_dataset(path).sha256
    path.write_bytes(path.read_bytes() + b"\n")
    assert read_dataset(path).sha256 != before


def test_passages_may_be_texts_or_short_objects(tmp_path: Path):
    given = ["It is 8 m high.", {"id": 9, "text": "It is old.", "title": "Tower"}]
    path = written(tmp_path / "set.jsonl", {"id": "a", "question": "How high?", "passages": given})
    first, second = read_dataset(path).cases[0].passages
    assert (first.passage_id, first.text, first.end) == ("1", "It is 8 m high.", 15)
    assert (second.passage_id, second.title) == ("9", "Tower")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ({"question": "Why?"}, "it has no id"),
        ({"id": 7, "question": "Why?"}, "'id' is not a text"),
        ({"id": "b", "question": "  "}, "it has no question"),
        ({"id": "b", "question": "Why?", "anwsers": ["x"]}, "there is no column 'anwsers'"),
        ({"id": "b", "question": "Why?", "answers": "x"}, "'answers' is not a list of texts"),
        ({"id": "b", "question": "Why?", "answers": [" "]}, "one of its answers is empty"),
        ({"id": "b", "question": "Why?", "nuggets": [[]]}, "no wording"),
        ({"id": "b", "question": "Why?", "relevant": {"a.md": 0}}, "gain of 'a.md' is not above 0"),
        ({"id": "b", "question": "Why?", "relevant": ["a.md"]}, "'relevant' is not an object"),
        ({"id": "b", "question": "Why?", "patterns": ["(?<=a)b"]}, "no regular expression of RE2"),
        ({"id": "b", "question": "Why?", "answerability": "maybe"}, "full, half or none"),
        ({"id": "b", "question": "Why?", "quotes": [{"document": "a", "qoute": "x"}]}, "has no field 'qoute'"),
        ({"id": "b", "question": "Why?", "quotes": [{"document": "a", "page": 0}]}, "pages count from 1"),
        ({"id": "b", "question": "Why?", "passages": [{"id": "1"}]}, "'passages' is not a list"),
        ({"id": "b", "question": "Why?", "passages": [{"id": "1", "text": "x"}, {"id": 1, "text": "y"}]}, "one id"),
        ({"id": "b", "question": "Why?", "history": [{"role": "robot", "text": "x"}]}, "'history' is not"),
        ('{"id": "b", "question": "Why?", "relevant": {"a": NaN}}\n', "NaN is no number"),
        ('{"id": "b", "question": "Why \\ud800?"}\n', "half of a surrogate pair"),
        ('{"id": "b", "question": "Why?", "slices": ' + "[" * 300 + "]" * 300 + "}\n", "recursion limit"),
        ({"id": "b", "question": "Why?", "x" * 999: 1}, f"there is no column '{'x' * 60}'"),
        ({"id": "a", "question": "Why?"}, "the id 'a' stands in line 1 already"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(tmp_path: Path, line: Any, told: str):
    path = written(tmp_path / "set.jsonl", {"id": "a", "question": "Why?"}, "\n", line)
    with pytest.raises(UsageError, match=r"set\.jsonl, line 3: ") as refused:
        read_dataset(path)
    assert told in str(refused.value)


def test_what_is_empty_or_not_there_is_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="has no questions"):
        read_dataset(written(tmp_path / "set.jsonl", "\n"))
    with pytest.raises(UsageError, match="there is no data set"):
        read_dataset(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match="is not a data set"):
        read_dataset(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b'\n{"id": "a", "question": "\xe4?"}\n')
    with pytest.raises(UsageError, match="line 2: it is not UTF-8"):
        read_dataset(tmp_path / "latin.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is no file"):
        read_dataset(tmp_path / "pipe")


def test_ragas_is_read_in_both_of_its_namings(tmp_path: Path):
    new = {
        "user_input": "How high?",
        "reference": "8 m",
        "reference_contexts": ["It is 8 m high."],
        "retrieved_contexts": ["It is old."],
        "response": "9 m",
        "synthesizer_name": "single_hop",
    }
    old = {
        "question": "How high?",
        "ground_truth": "8 m",
        "contexts": ["It is old.", "It is old."],
        "answer": "9 m",
    }
    found = read_dataset(written(tmp_path / "new.jsonl", new))
    assert found.shape == "ragas"
    assert found.cases == (
        Case(
            "1",
            "How high?",
            answers=("8 m",),
            quotes=(WantedQuote("", "It is 8 m high."),),
            passages=(given_passage("1", "It is old."),),
            slices={"kind": "single_hop"},
            synthetic=True,
        ),
    )
    (case,) = read_dataset(written(tmp_path / "old.json", json.dumps([old], indent=1)), retrieved=False).cases
    assert case == Case("1", "How high?", answers=("8 m",))


def test_a_dialogue_of_ragas_ends_with_its_question(tmp_path: Path):
    turns = [
        {"type": "human", "content": "Tell me of the tower."},
        {"type": "ai", "content": "It is old."},
        {"type": "human", "content": "How high?"},
    ]
    (case,) = read_dataset(written(tmp_path / "set.jsonl", {"user_input": turns, "reference": "8 m"})).cases
    assert case.question == "How high?"
    assert case.history == (Message("user", "Tell me of the tower."), Message("assistant", "It is old."))


@pytest.mark.parametrize("export", [True, False])
def test_deepeval_is_read_as_lines_and_as_its_json_export(tmp_path: Path, export: bool):
    golden = {
        "input": "How high?",
        "expectedOutput" if export else "expected_output": "8 m",
        "context": ["It is 8 m high."],
        "retrievalContext" if export else "retrieval_context": ["It is old."],
        "actual_output": "9 m",
    }
    path = written(tmp_path / "set.json", json.dumps([golden]) if export else golden)
    found = read_dataset(path)
    assert found.shape == "deepeval"
    assert found.cases == (
        Case(
            "1",
            "How high?",
            answers=("8 m",),
            quotes=(WantedQuote("", "It is 8 m high."),),
            passages=(given_passage("1", "It is old."),),
        ),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"user_input": "Why?"}\n{"user_input": ""}\n', "line 2: it has no user_input"),
        ('[{"input": "Why?"}, {"input": 3}]', "entry 2: 'input' is not a text"),
        ('[{"input": "Why?"}, 3]', "entry 2: it is not a JSON object"),
        ('[{"input": "Why?"},\n {"input": ]', "line 2: it is not JSON"),
        ('{"input": "Why?", "id": "a"}\n{"input": "Who?", "id": "a"}\n', "'a' stands in line 1 already"),
    ],
)
def test_a_malformed_entry_of_another_tool_is_refused_with_its_place(tmp_path: Path, text: str, told: str):
    with pytest.raises(UsageError, match="set") as refused:
        read_dataset(written(tmp_path / "set", text))
    assert told in str(refused.value)


def test_beir_asks_what_has_a_relevant_document_in_its_test_part(tmp_path: Path):
    written(tmp_path / "queries.jsonl", {"_id": "q1", "text": "Why?"}, {"_id": "q2", "text": "Who?"})
    (tmp_path / "qrels").mkdir()
    written(tmp_path / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t0\n")
    written(tmp_path / "qrels" / "train.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t1\n")
    found = read_dataset(tmp_path)
    assert (found.shape, found.cases) == ("beir", (Case("q1", "Why?", relevant={"d1": 2.0}),))
    written(tmp_path / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\thigh\n")
    with pytest.raises(UsageError, match=r"test\.tsv, line 2"):
        read_dataset(tmp_path)


def test_beir_may_have_one_file_of_judgements_but_needs_some(tmp_path: Path):
    written(tmp_path / "queries.jsonl", {"_id": "q1", "text": "Why?"})
    with pytest.raises(UsageError, match="no judgements"):
        read_dataset(tmp_path)
    written(tmp_path / "qrels.tsv", "q1\td1\t1\n")
    written(tmp_path / "queries.jsonl", {"id": "q1", "text": "Why?"})
    assert read_dataset(tmp_path).cases == (Case("q1", "Why?", relevant={"d1": 1.0}),)


TOPICS = """<top>
<num> Number: 301
<title> tall towers
<desc> Description:
Which towers are tall?
</top>
<top><num>302</num><title>old towers</title></top>
"""


@pytest.mark.parametrize(
    ("topics", "asked"),
    [
        (TOPICS, ["tall towers", "old towers"]),
        ('<topics><topic number="301"><query>tall towers</query></topic>\n', ["tall towers"]),
        ("301\ttall towers\n302\told towers\n", ["tall towers", "old towers"]),
    ],
)
def test_trec_topics_are_read_in_their_markups(tmp_path: Path, topics: str, asked: list[str]):
    written(tmp_path / "topics.301-302.txt", topics)
    written(tmp_path / "qrels.txt", "301 0 D1 1\n301 0 D2 0\n302 0 D2 2\n")
    found = read_dataset(tmp_path)
    assert found.shape == "trec"
    assert [case.question for case in found.cases] == asked
    assert found.cases[0].relevant == {"D1": 1.0}


def test_a_malformed_judgement_of_trec_is_refused_with_its_line(tmp_path: Path):
    written(tmp_path / "topics.txt", "301\ttall towers\n")
    written(tmp_path / "qrels.txt", "301 0 D1 1\n301 D1 1\n")
    with pytest.raises(UsageError, match=r"qrels\.txt, line 2"):
        read_dataset(tmp_path)
